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
#ifndef CudaSplineTest_BrainTestSupport_h
#define CudaSplineTest_BrainTestSupport_h

#include "RegistrationTestSupport.h"

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaMattesMutualInformationImageToImageMetricv4.h"
#include "itkCudaResampleImageFilter.h"

#include "itkImageFileReader.h"
#include "itkMersenneTwisterRandomVariateGenerator.h"
#include "itkNiftiImageIO.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

/** \file
 * \brief The brain of Debian's mricron-data, and simulated images of it: moved, with other grey values, a bias field
 * and noise. The files are in CUDASPLINE_DATA, or in the folder of the package. */

namespace CudaSplineTest
{

using BrainTypes = RegistrationOf<3>;
using BrainImage = BrainTypes::Image;
using BrainTransform = BrainTypes::Transform;
using BrainMetric = itk::CudaMattesMutualInformationImageToImageMetricv4<BrainImage, BrainImage>;

inline std::string
BrainPath(const std::string & name)
{
  const char * const folder = std::getenv("CUDASPLINE_DATA");
  return std::string(folder != nullptr ? folder : "/usr/share/mricron/templates") + "/" + name;
}

inline bool
HasBrain(const std::string & name)
{
  return static_cast<bool>(std::ifstream(BrainPath(name)));
}

/** Skips a test if a file is missing. */
#define CUDASPLINE_NEEDS_BRAIN(name)                                                                                   \
  if (!CudaSplineTest::HasBrain(name))                                                                                 \
  {                                                                                                                    \
    GTEST_SKIP() << "There is no " << CudaSplineTest::BrainPath(name) << " (Debian's package mricron-data).";          \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

/** Returns a file of the package, which is read once. */
inline BrainImage::Pointer
ReadBrain(const std::string & name)
{
  static std::map<std::string, BrainImage::Pointer> images;
  BrainImage::Pointer &                             image = images[name];
  if (image.IsNull())
  {
    auto reader = itk::ImageFileReader<BrainImage>::New();
    reader->SetImageIO(itk::NiftiImageIO::New());
    reader->SetFileName(BrainPath(name));
    reader->Update();
    image = reader->GetOutput();
    image->DisconnectPipeline();
  }
  return image;
}

/** The middle of an image. */
inline BrainImage::PointType
MiddleOf(const BrainImage * image)
{
  const auto            corners = CornersOf(image);
  BrainImage::PointType middle;
  for (unsigned int d = 0; d < 3; ++d)
  {
    middle[d] = 0.5 * (corners.front()[d] + corners.back()[d]);
  }
  return middle;
}

/** Returns an image under a transform, on its own grid: its value at x is that of the image at T(x), by cubic
 * B-splines. */
inline BrainImage::Pointer
MovedBrain(const BrainImage * image, const BrainTransform * transform)
{
  auto filter = itk::CudaResampleImageFilter<BrainImage, BrainImage>::New();
  filter->SetInput(image);
  filter->SetInterpolator(itk::BSplineInterpolateImageFunction<BrainImage, double>::New());
  filter->SetTransform(transform);
  filter->SetOutputParametersFromImage(image);
  filter->Update();
  const BrainImage::Pointer moved = filter->GetOutput();
  moved->DisconnectPipeline();
  return moved;
}

/** Changes the contrast: a function of the grey values that is not monotone, so that neither the difference nor the
 * correlation of the images is best where they agree. With \p noise (of the range of 255) there is also a bias field:
 * a fifth brighter on one side than on the other. */
inline void
ChangeContrast(BrainImage * image, double noise)
{
  auto random = itk::Statistics::MersenneTwisterRandomVariateGenerator::New();
  random->SetSeed(4711);
  const auto                                    size = image->GetBufferedRegion().GetSize();
  itk::ImageRegionIteratorWithIndex<BrainImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    const double value = it.Get() / 255.0;
    double       changed = 255.0 * (0.9 * std::sin(2.4 * value) - 0.35 * value + 0.05);
    if (noise > 0.0)
    {
      const double side = static_cast<double>(it.GetIndex()[0]) / static_cast<double>(size[0]) +
                          static_cast<double>(it.GetIndex()[2]) / static_cast<double>(size[2]);
      changed = changed * (0.9 + 0.1 * side) + 255.0 * noise * random->GetNormalVariate();
    }
    it.Set(static_cast<float>(changed));
  }
}

/** Returns the fraction of the voxels with a label in either image that have the same label in both, for the labels of
 * one image moved by two transforms. It uses every second voxel along each axis: some hundred thousand. */
inline double
LabelAgreement(const BrainImage * labels, const BrainTransform * found, const BrainTransform * known)
{
  const auto move = [labels](const BrainTransform * transform) {
    auto filter = itk::CudaResampleImageFilter<BrainImage, BrainImage>::New();
    filter->SetInput(labels);
    filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<BrainImage, double>::New());
    filter->SetTransform(transform);
    filter->SetOutputParametersFromImage(labels);
    filter->SetOutputSpacing(2.0 * labels->GetSpacing());
    auto size = labels->GetBufferedRegion().GetSize();
    std::transform(size.begin(), size.end(), size.begin(), [](itk::SizeValueType samples) { return samples / 2; });
    filter->SetSize(size);
    filter->Update();
    return BrainImage::Pointer(filter->GetOutput());
  };
  const BrainImage::Pointer a = move(found);
  const BrainImage::Pointer b = move(known);
  const auto                count = a->GetBufferedRegion().GetNumberOfPixels();
  double                    either = 0.0;
  double                    both = 0.0;
  for (itk::SizeValueType voxel = 0; voxel < count; ++voxel)
  {
    const float first = a->GetBufferPointer()[voxel];
    const float second = b->GetBufferPointer()[voxel];
    either += first != 0.0F || second != 0.0F ? 1.0 : 0.0;
    both += first != 0.0F && first == second ? 1.0 : 0.0;
  }
  return both / either;
}

/** Returns a plan: every voxel and two levels on a GPU. On the host it is one voxel of fifty, after a level with a
 * tenth of these, which finds most of the displacement.
 *
 * \param[in] iterations maximum number for each level */
inline RegistrationPlan
BrainPlan(bool onGpu, unsigned int iterations)
{
  RegistrationPlan plan;
  plan.shrink = { 1, 1 };
  plan.sigmas = { 3.0, 0.0 };
  plan.iterations = { iterations, iterations };
  if (!onGpu)
  {
    plan.sigmas = { 0.0, 0.0 };
    plan.fractions = { 0.002, 0.02 };
  }
  return plan;
}

/** Returns a mutual information whose derivative is exactly that of its value. */
inline BrainMetric::Pointer
MakeBrainMetric(bool onGpu)
{
  auto metric = BrainMetric::New();
  metric->SetGPUEnabled(onGpu);
  metric->SetNumberOfHistogramBins(50);
  metric->SetMovingInterpolator(itk::BSplineInterpolateImageFunction<BrainImage, double>::New());
  if (!onGpu)
  {
    // ITK places random samples between the voxels, where linear interpolation would blur them.
    metric->SetFixedInterpolator(itk::CudaBSplineInterpolateImageFunction<BrainImage, double>::New());
  }
  metric->SetPrecision(itk::CudaSplinePrecision::Double); // for line searches close to the end
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseAnalyticMovingImageGradient(true);
  return metric;
}

/** Returns a quasi-Newton optimizer.
 *
 * \param[in] step length of the first step, mm
 * \param[in] scales empty: all parameters are in mm */
inline itk::LBFGSOptimizerv4::Pointer
MakeQuasiNewton(double step, const itk::Array<double> & scales)
{
  auto optimizer = itk::LBFGSOptimizerv4::New();
  optimizer->SetGradientConvergenceTolerance(1e-9);
  optimizer->SetMaximumNumberOfFunctionEvaluations(1000);
  optimizer->SetDefaultStepLength(step);
  if (scales.Size() != 0)
  {
    optimizer->SetScales(scales);
  }
  return optimizer;
}

} // namespace CudaSplineTest

#endif
