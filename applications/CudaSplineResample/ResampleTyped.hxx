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
#ifndef CudaSplineResample_ResampleTyped_hxx
#define CudaSplineResample_ResampleTyped_hxx

#include "OtherInterpolators.h"
#include "PlainItk.h"
#include "Resample.h"

#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkCommand.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace CudaSplineResample
{

/** \brief Gives a filter what the request says, but its input, output type and interpolator. */
template <typename TFilter>
void
Configure(TFilter * filter, const ResampleRequest & request)
{
  constexpr unsigned int dimension = TFilter::OutputImageDimension;
  const auto             grid = TFilter::OutputImageType::New();
  SetGeometry<dimension>(request.outputGrid, grid);
  filter->SetOutputParametersFromImage(grid);
  filter->SetDefaultPixelValue(static_cast<typename TFilter::PixelType>(request.defaultValue));
  if (request.transform)
  {
    filter->SetTransform(
      dynamic_cast<const itk::Transform<double, dimension, dimension> *>(request.transform.GetPointer()));
  }
  if (request.progress)
  {
    filter->AddObserver(itk::ProgressEvent(),
                        [filter, &request](const itk::EventObject &) { request.progress(filter->GetProgress()); });
  }
}

/** \brief The interpolator of the request.
 * \tparam TWrap ITK's class as it is, or PlainItk to keep object factories out
 */
template <template <typename> class TWrap, typename TImage>
typename itk::InterpolateImageFunction<TImage, double>::Pointer
MakeInterpolator(const ResampleRequest & request)
{
  // Further ones are for real images; Resample() sees to that.
  if constexpr (std::is_floating_point_v<typename TImage::PixelType>)
  {
    if (request.interpolation.IsFurther())
    {
      typename TImage::SpacingType spacing;
      std::copy_n(request.input.grid.spacing.begin(), TImage::ImageDimension, spacing.Begin());
      return MakeOtherInterpolator<TImage>(request.interpolation, spacing);
    }
  }
  const Interpolation interpolation = request.interpolation.method.interpolation;
  if (interpolation == Interpolation::Nearest)
  {
    return TWrap<itk::NearestNeighborInterpolateImageFunction<TImage, double>>::New().GetPointer();
  }
  if (interpolation == Interpolation::Linear)
  {
    return TWrap<itk::LinearInterpolateImageFunction<TImage, double>>::New().GetPointer();
  }
  if (interpolation == Interpolation::BSpline)
  {
    const auto spline = TWrap<itk::BSplineInterpolateImageFunction<TImage, double, double>>::New();
    spline->SetSplineOrder(request.interpolation.order);
    return spline.GetPointer();
  }
  throw std::logic_error("no interpolator for " + std::string(request.interpolation.method.name));
}

template <typename TClass>
using AsItIs = TClass;

template <typename TInput, typename TOutput, unsigned int VDimension>
ResampleResult
ResampleImage(const ResampleRequest & request)
{
  using InputImageType = itk::Image<TInput, VDimension>;
  using FilterType = itk::CudaResampleImageFilter<InputImageType, itk::Image<TOutput, VDimension>>;
  const auto filter = FilterType::New();
  Configure(filter.GetPointer(), request);
  filter->SetInput(ViewAsImage<InputImageType>(request.input));
  filter->SetInterpolator(MakeInterpolator<AsItIs, InputImageType>(request));
  filter->SetRoundIntegers(request.rounds && !request.interpolation.IsOfLabels());
  filter->SetDevice(request.device);
  filter->SetExpectedNumberOfUpdates(request.expectedImages);

  ResampleResult result;
  if (request.explain)
  {
    const itk::CudaSplineResamplePlan plan = filter->GetPlan();
    std::ostringstream                text;
    text << plan;
    result.plan = text.str();
    result.backend = plan.backend;
    result.fallbackReason = plan.reason;
    return result;
  }
  const auto start = std::chrono::steady_clock::now();
  filter->Update();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  result.output = HoldImage(filter->GetOutput(), request.outputGrid);
  result.backend = filter->GetLastBackend();
  result.fallbackReason = filter->GetFallbackReason();
  result.prepareSeconds = filter->GetPreparationTime();
  // ITK's own code does not separate its preparation from the rest.
  result.evaluateSeconds = seconds - result.prepareSeconds;
  return result;
}

template <typename TInput, typename TOutput>
ResampleResult
ResampleTo(const ResampleRequest & request)
{
  return request.outputGrid.dimension == 2 ? ResampleImage<TInput, TOutput, 2>(request)
                                           : ResampleImage<TInput, TOutput, 3>(request);
}

template <typename TInput>
ResampleResult
ResampleTyped(const ResampleRequest & request)
{
  if (request.outputType == request.input.type)
  {
    return ResampleTo<TInput, TInput>(request);
  }
  return request.outputType == ScalarType::Float32 ? ResampleTo<TInput, float>(request)
                                                   : ResampleTo<TInput, double>(request);
}

template <typename TInput, unsigned int VDimension>
Volume
ReferenceImage(const ResampleRequest & request, double & seconds)
{
  using InputImageType = itk::Image<TInput, VDimension>;
  using OutputImageType = itk::Image<double, VDimension>;
  DisableFactoriesOf<itk::BSplineDecompositionImageFilter<InputImageType, OutputImageType>>();
  const auto filter = PlainItk<itk::ResampleImageFilter<InputImageType, OutputImageType>>::New();
  Configure(filter.GetPointer(), request);
  filter->SetInput(ViewAsImage<InputImageType>(request.input));
  const auto start = std::chrono::steady_clock::now();
  filter->SetInterpolator(MakeInterpolator<PlainItk, InputImageType>(request));
  filter->Update();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return HoldImage(filter->GetOutput(), request.outputGrid);
}

template <typename TInput>
Volume
ReferenceTyped(const ResampleRequest & request, double & seconds)
{
  return request.outputGrid.dimension == 2 ? ReferenceImage<TInput, 2>(request, seconds)
                                           : ReferenceImage<TInput, 3>(request, seconds);
}

} // namespace CudaSplineResample

#endif
