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
// The device memory that local correlation allocates in addition to images, transforms and results: at most three
// volumes in the precision of the computation, one if nothing moves. Runs on a GPU or on a simulated one.

#include "CudaShim.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"

#include "itkAffineTransform.h"
#include "itkDisplacementFieldTransform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

constexpr std::size_t Lengths[3] = { 96, 80, 64 };
constexpr std::size_t Samples = Lengths[0] * Lengths[1] * Lengths[2];
constexpr std::size_t OfBlocks = std::size_t{ 1 } << 18; ///< sums of blocks, stages

template <typename TPixel>
typename itk::Image<TPixel, 3>::Pointer
MakeNoise(double phase)
{
  using Image = itk::Image<TPixel, 3>;
  auto                           image = Image::New();
  const typename Image::SizeType size{ { Lengths[0], Lengths[1], Lengths[2] } };
  image->SetRegions(size);
  image->Allocate();
  for (std::size_t n = 0; n < Samples; ++n)
  {
    image->GetBufferPointer()[n] = static_cast<TPixel>(50.0 * std::sin(phase + 1.7 * static_cast<double>(n)));
  }
  return image;
}

/** Returns the volumes that a call of the metric needs in addition to images, transform and results.
 *
 * \param[in] amplitude amplitude of a displacement field (mm); below 0: an affine transform */
template <typename TPixel>
double
VolumesOf(double amplitude, itk::CudaSplinePrecision precision)
{
  using Image = itk::Image<TPixel, 3>;
  using Metric = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image>;
  using FieldTransform = itk::DisplacementFieldTransform<double, 3>;
  const auto fixed = MakeNoise<TPixel>(0.0);
  const auto metric = Metric::New();
  metric->SetFixedImage(fixed);
  metric->SetMovingImage(MakeNoise<TPixel>(0.4));
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  metric->SetPrecision(precision);
  metric->SetGPUEnabled(true);
  std::size_t ofField = 0;
  if (amplitude < 0.0)
  {
    const auto affine = itk::AffineTransform<double, 3>::New();
    affine->Rotate(0, 1, 0.1);
    metric->SetMovingTransform(affine);
  }
  else
  {
    const auto field = FieldTransform::DisplacementFieldType::New();
    field->CopyInformation(fixed);
    field->SetRegions(fixed->GetLargestPossibleRegion());
    field->Allocate();
    field->FillBuffer(FieldTransform::OutputVectorType(amplitude));
    const auto transform = FieldTransform::New();
    transform->SetDisplacementField(field);
    metric->SetMovingTransform(transform);
    ofField = Samples * 3 * sizeof(double);
  }
  metric->Initialize();
  typename Metric::MeasureType    value;
  typename Metric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative); // makes the objects that are kept: the images
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cuda) << metric->GetFallbackReason();
  const std::size_t before = AllocatedBytes();
  const bool        isDouble = precision == itk::CudaSplinePrecision::Double;
  EXPECT_GE(before, 2 * Samples * (isDouble ? sizeof(TPixel) : sizeof(float))) << "the images are not there";
  RestartPeak();
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_EQ(metric->GetLastBackend(), Backend::Cuda) << metric->GetFallbackReason();
  // A field is stored as the transform and as the derivative.
  const std::size_t taken = PeakBytes() - before;
  const std::size_t known = (amplitude == 0.0 ? 1 : 2) * ofField + OfBlocks;
  return (static_cast<double>(taken) - static_cast<double>(known)) /
         static_cast<double>(Samples * (isDouble ? sizeof(double) : sizeof(float)));
}

} // namespace

TEST(LocalCorrelationMemory, OfAMetric)
{
  using Precision = itk::CudaSplinePrecision;
  for (const double amplitude : { -1.0, 0.0, 0.4 })
  {
    SCOPED_TRACE(amplitude);
    const double most = amplitude == 0.0 ? 1.0 : 3.0;
    EXPECT_LE(VolumesOf<float>(amplitude, Precision::Single), amplitude == 0.0 ? 0.0 : 2.5);
    EXPECT_LE(VolumesOf<float>(amplitude, Precision::Double), most);
    EXPECT_LE(VolumesOf<double>(amplitude, Precision::Double), most);
    EXPECT_LE(VolumesOf<double>(amplitude, Precision::Single), most);
  }
}

TEST(LocalCorrelationMemory, OfBothDerivativesIsTheScratchThatIsGiven)
{
  ExecutionContext context;
  context.backend = Backend::Cuda;
  const Residence            residence(context);
  LocalCorrelationDescriptor pair;
  pair.grid.dimension = 3;
  pair.radius = { 4, 4, 4 };
  for (unsigned int d = 0; d < 3; ++d)
  {
    pair.grid.size[d] = static_cast<std::int64_t>(Lengths[d]);
  }
  const ResidentArray    fixed(Samples * sizeof(float), residence);
  const ResidentArray    moving(Samples * sizeof(float), residence);
  const ResidentArray    derivatives[2] = { ResidentArray(Samples * 3 * sizeof(float), residence),
                                            ResidentArray(Samples * 3 * sizeof(float), residence) };
  const ResidentArray    sums(sizeof(LocalCorrelationSums), residence);
  const ResidentArray    scratch(CountLocalCorrelationScratch(pair, residence), residence);
  LocalCorrelationImages images;
  images.fixed = fixed.Data();
  images.moving = moving.Data();
  EXPECT_LE(scratch.Bytes(), OfBlocks);
  ClearResident(fixed.Data(), fixed.Bytes(), residence);
  ClearResident(moving.Data(), moving.Bytes(), residence);
  RestartPeak();
  const std::size_t before = AllocatedBytes();
  EvaluateLocalCorrelation(pair,
                           images,
                           sums.As<LocalCorrelationSums>(),
                           derivatives[0].Data(),
                           derivatives[1].Data(),
                           scratch.Data(),
                           residence);
  residence.Wait();
  EXPECT_EQ(PeakBytes(), before);
}
