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
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/metrics/features/AffineForces.cuh"
#include "kernels/metrics/features/FeatureForces.h"
#include "kernels/metrics/features/SelfSimilarity.h"
#include "kernels/metrics/features/SelfSimilarityMarch.cuh"

#include <algorithm>

/** \file
 * \brief MakeSelfSimilarity() and EvaluateFeatureForces() on a device. */

namespace itk::CudaSpline
{

namespace
{

/** Blocks of a multiprocessor at once: chains of transforms, which are rare, would take all registers for one. */
constexpr int ForcesBlocks = 2;

template <typename TBody>
__global__ void
__launch_bounds__(BoxLanes, ForcesBlocks)
  FeatureForcesKernel(const __grid_constant__ TBody body, const FieldBoxes boxes, PointSums * partial)
{
  PointSums sums;
  WalkColumn(body.walk, boxes, blockIdx.x, [&](const std::int64_t(&at)[3]) {
    const double square = body.Evaluate(at);
    if (square >= 0.0)
    {
      sums.Add({ square, 1 });
    }
  });
  StoreBoxSums(sums, partial);
}

void
LaunchForces(const FieldShape &                   shape,
             const std::array<MovedFeatures, 2> & images,
             void *                               byMoving,
             void *                               byFixed,
             PointSums *                          partial,
             const Residence &                    residence)
{
  const FieldWalk    walk = WalkOf(shape.grid);
  const FieldBoxes   boxes = BoxesOf(walk);
  const unsigned int blocks = BlocksOf(boxes.Count());
  const auto         stream = residence.GetStream().Get();
  if (shape.grid.dimension == 3 && IsByFours(images) && IsAffine(shape.grid, images[0]) &&
      IsAffine(shape.grid, images[1]))
  {
    AffineForces forces;
    forces.output = MakeGeometry<3>(shape.grid);
    forces.sides[0] = MakeAffineSide(shape.grid, images[0], byFixed);
    forces.sides[1] = MakeAffineSide(shape.grid, images[1], byMoving);
    forces.channels = images[0].features.channels;
    forces.isDouble = shape.element == ScalarType::Float64;
    forces.walk = walk;
    AffineForcesKernel<<<blocks, BoxThreads(), 0, stream>>>(forces, boxes, partial);
    CheckCuda(cudaGetLastError(), "AffineForcesKernel");
    return;
  }
  DispatchFeatureForces(shape, images, byMoving, byFixed, [&](const auto & body) {
    FeatureForcesKernel<<<blocks, BoxThreads(), 0, stream>>>(body, boxes, partial);
    CheckCuda(cudaGetLastError(), "FeatureForcesKernel");
  });
}

/** Enqueues the bodies that sum the sums of blocks. \param[in,out] sums of the blocks, then memory for others */
template <typename TSum>
void
SumBlocks(const std::int64_t (&blocks)[3], TSum * sums, TSum * total, const Residence & residence)
{
  FieldGrid grid;
  grid.dimension = 3;
  std::copy_n(blocks, 3, grid.size.begin());
  const std::int64_t rows = blocks[1] * blocks[2];
  TSum * const       ofRows = sums + grid.Count();
  const auto         enqueue = [&](const auto & body) { LaunchField(body, body.walk, residence); };
  enqueue(OrderedSums<TSum>{ sums, ofRows, blocks[0], { { rows, 1, 1 } } });
  WalkSumsOfRows(grid, ofRows, total, enqueue);
}

void
MarchOnCuda(const FieldGrid &             grid,
            const float *                 image,
            const SelfSimilarityOptions & options,
            float *                       channels,
            PlainSum *                    sums,
            const Residence &             residence)
{
  const DeviceScope   scope(residence.GetContext().device);
  const FieldGrid     blocks = MarchBlocks(grid);
  const dim3          shape{ static_cast<unsigned int>(blocks.size[0]),
                    static_cast<unsigned int>(blocks.size[1]),
                    static_cast<unsigned int>(blocks.size[2]) };
  SelfSimilarityMarch march{};
  march.image = image;
  std::copy_n(grid.size.begin(), 3, march.size);
  march.distance = options.distance;
  march.samples = static_cast<double>(grid.Count());
  march.total = sums;
  march.partial = sums + 1;
  const auto launch = [&] {
    SelfSimilarityKernel<<<shape, dim3(LanesOfWarp, MarchWarps), 0, residence.GetStream().Get()>>>(march);
    CheckCuda(cudaGetLastError(), "SelfSimilarityKernel");
  };
  launch();
  SumBlocks({ blocks.size[0], blocks.size[1], blocks.size[2] }, march.partial, sums, residence);
  march.channels = channels;
  launch();
}

} // namespace

void
WalkSelfSimilarityOnCuda(const FieldGrid &             grid,
                         ScalarType                    pixel,
                         const void *                  image,
                         const SelfSimilarityOptions & options,
                         float *                       channels,
                         float *                       means,
                         void *                        sums,
                         const Residence &             residence)
{
  if (CanMarch(grid, pixel, options))
  {
    MarchOnCuda(grid, static_cast<const float *>(image), options, channels, static_cast<PlainSum *>(sums), residence);
    return;
  }
  WalkSelfSimilarity(
    grid, pixel, image, options, channels, means, static_cast<PlainSum *>(sums), [&](const auto & body) {
      LaunchField(body, body.walk, residence);
    });
}

void
WalkFeatureForcesOnCuda(const FieldShape &                   shape,
                        const std::array<MovedFeatures, 2> & images,
                        PointSums *                          sums,
                        void *                               byMoving,
                        void *                               byFixed,
                        void *                               scratch,
                        const Residence &                    residence)
{
  const DeviceScope scope(residence.GetContext().device);
  auto * const      partial = static_cast<PointSums *>(scratch);
  LaunchForces(shape, images, byMoving, byFixed, partial, residence);
  SumBlocks(BoxesOf(WalkOf(shape.grid)).count, partial, sums, residence);
}

} // namespace itk::CudaSpline
