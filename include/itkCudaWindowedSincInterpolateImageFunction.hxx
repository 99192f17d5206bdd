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
#ifndef itkCudaWindowedSincInterpolateImageFunction_hxx
#define itkCudaWindowedSincInterpolateImageFunction_hxx

#include "itkCudaWindowedSincInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"
#include "itkCudaSpline/math/WindowedSinc.h"

#include <limits>

namespace itk
{

template <typename TInputImage,
          unsigned int VRadius,
          typename TWindowFunction,
          typename TBoundaryCondition,
          typename TCoordRep>
CudaSplineMethod
CudaWindowedSincInterpolateImageFunction<TInputImage, VRadius, TWindowFunction, TBoundaryCondition, TCoordRep>::
  DescribeMethod(const ImageBase<ImageDimension> *) const
{
  CudaSplineMethod method;
  if constexpr (IsOwn)
  {
    method.interpolation.interpolation = CudaSpline::Interpolation::WindowedSinc;
    method.interpolation.window = CudaSplineDetail::WindowTraits<TWindowFunction, VRadius>::Window;
    method.interpolation.radius = static_cast<int>(VRadius);
    this->DescribeAddressModes(method, CudaSplineDetail::BoundaryTraits<TBoundaryCondition, TInputImage>::Extension);
    this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
  }
  else
  {
    method.refusal =
      "only windowed sincs of scalars with ITK's windows, a radius of 1 to 5 and the boundary conditions "
      "zero flux, periodic and constant are accelerated";
  }
  return method;
}

template <typename TInputImage,
          unsigned int VRadius,
          typename TWindowFunction,
          typename TBoundaryCondition,
          typename TCoordRep>
void
CudaWindowedSincInterpolateImageFunction<TInputImage, VRadius, TWindowFunction, TBoundaryCondition, TCoordRep>::
  CheckAddressMode(CudaSplineAddressMode mode) const
{
  if (!IsOwn && mode != CudaSplineAddressMode::Itk)
  {
    itkExceptionMacro(
      << "Address mode " << mode
      << " is supported only for images of scalars, the windows of ITK and a radius of 1 to 5; use the default mode.");
  }
}

template <typename TInputImage,
          unsigned int VRadius,
          typename TWindowFunction,
          typename TBoundaryCondition,
          typename TCoordRep>
auto
CudaWindowedSincInterpolateImageFunction<TInputImage, VRadius, TWindowFunction, TBoundaryCondition, TCoordRep>::
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const -> OutputType
{
  if constexpr (IsOwn)
  {
    TCoordRep at[ImageDimension];
    if (!CudaSplineDetail::CopyIndex(index, at))
    {
      return std::numeric_limits<OutputType>::quiet_NaN();
    }
    const TInputImage * const image = this->GetInputImage();
    const auto                extent = CudaSplineDetail::ExtentOf(image);
    CudaSpline::Extension     extension[ImageDimension];
    this->GetExtensions(CudaSplineDetail::BoundaryTraits<TBoundaryCondition, TInputImage>::Extension, extension);
    const auto fold = [&](std::int64_t sample, unsigned int axis) {
      return CudaSpline::FoldIndex(sample, extent.size[axis], extension[axis]);
    };
    return static_cast<OutputType>(
      CudaSpline::WindowedSincValue(image->GetBufferPointer(),
                                    extent,
                                    at,
                                    static_cast<int>(VRadius),
                                    CudaSplineDetail::WindowTraits<TWindowFunction, VRadius>::Window,
                                    fold,
                                    this->GetBorderValue()));
  }
  else
  {
    return Superclass::EvaluateAtContinuousIndex(index);
  }
}

} // namespace itk

#endif
