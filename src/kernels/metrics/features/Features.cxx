/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#include "itkCudaSpline/kernels/metrics/Features.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/metrics/features/FeatureForces.h"
#include "kernels/metrics/features/SelfSimilarity.h"

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("Self-similarity descriptors: ") + what + ".");
  }
}

} // namespace

int
CountSelfSimilarityChannels(unsigned int dimension)
{
  Require(dimension == 2 || dimension == 3, "images must have 2 or 3 dimensions");
  return dimension == 2 ? SelfSimilarityChannels<2> : SelfSimilarityChannels<3>;
}

FeatureImage
MakeSelfSimilarity(const FieldGrid &             grid,
                   ScalarType                    pixel,
                   const void *                  image,
                   const SelfSimilarityOptions & options,
                   const Residence &             residence)
{
  FeatureImage made;
  made.grid = grid;
  made.channels = CountSelfSimilarityChannels(grid.dimension);
  Require(IsReal(pixel), "pixels must be float32 or float64");
  Require(options.radius >= 0 && options.radius <= 8, "the radius of patches must be from 0 to 8");
  Require(options.distance >= 1 && options.distance <= 64, "the distance of patches must be from 1 to 64");
  Require(image != nullptr && grid.Count() > 0, "an image is needed");
  const auto samples = static_cast<std::size_t>(grid.Count());
  const auto channels =
    std::make_shared<ResidentArray>(samples * static_cast<std::size_t>(made.channels) * sizeof(float), residence);
  const bool          isMarched = residence.IsOnDevice() && CanMarch(grid, pixel, options);
  const ResidentArray means(isMarched ? 0 : samples * sizeof(float), residence);
  const ResidentArray sums(CountSelfSimilaritySums(grid) * sizeof(PlainSum), residence);
  if (residence.IsOnDevice())
  {
    WalkSelfSimilarityOnCuda(
      grid, pixel, image, options, channels->As<float>(), means.As<float>(), sums.Data(), residence);
  }
  else
  {
    WalkSelfSimilarity(grid,
                       pixel,
                       image,
                       options,
                       channels->As<float>(),
                       means.As<float>(),
                       sums.As<PlainSum>(),
                       [&](const auto & body) { ForEachSampleOnCpu(body.walk, residence, body); });
  }
  made.data = std::shared_ptr<const void>(channels, channels->Data());
  return made;
}

std::size_t
CountFeatureForcesScratch(const FieldGrid & grid)
{
  return static_cast<std::size_t>(grid.Count()) * sizeof(double) + (CountOrderedSums(grid) + 1) * sizeof(PointSums);
}

void
EvaluateFeatureForces(const FieldShape &                   shape,
                      const std::array<MovedFeatures, 2> & images,
                      PointSums *                          sums,
                      void *                               byMoving,
                      void *                               byFixed,
                      void *                               scratch,
                      const Residence &                    residence)
{
  for (const MovedFeatures & image : images)
  {
    Require(image.features.data != nullptr && image.features.channels > 0, "two images are needed");
    Require(image.features.grid.dimension == shape.grid.dimension, "images must have the dimension of the forces");
    Require(image.stages.size() <= MaximumWarpStages, "a transform has too many stages");
  }
  Require(images[0].features.channels == images[1].features.channels, "images must have the same number of channels");
  Require(sums != nullptr && scratch != nullptr, "sums and scratch memory are needed");
  if (residence.IsOnDevice())
  {
    WalkFeatureForcesOnCuda(shape, images, sums, byMoving, byFixed, scratch, residence);
    return;
  }
  WalkFeatureForces(shape, images, sums, byMoving, byFixed, scratch, [&](const auto & body) {
    ForEachSampleOnCpu(body.walk, residence, body);
  });
}

#if !defined(CUDASPLINE_HAS_CUDA)
void
WalkSelfSimilarityOnCuda(const FieldGrid &,
                         ScalarType,
                         const void *,
                         const SelfSimilarityOptions &,
                         float *,
                         float *,
                         void *,
                         const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}

void
WalkFeatureForcesOnCuda(const FieldShape &,
                        const std::array<MovedFeatures, 2> &,
                        PointSums *,
                        void *,
                        void *,
                        void *,
                        const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
#endif

} // namespace itk::CudaSpline
