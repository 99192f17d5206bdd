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
#ifndef itkCudaSplineComplexPixels_h
#define itkCudaSplineComplexPixels_h

#include "itkDefaultConvertPixelTraits.h"

#include <complex>

/** \file
 * \brief Functions of complex pixels that ITK's resampling filter needs and ITK does not define, for programs that
 * resample images of std::complex.
 *
 * ResampleImageFilter, and so CudaResampleImageFilter, reads the numbers of a pixel by functions that ITK's
 * DefaultConvertPixelTraits lacks for complex numbers (up to the development sources of ITK 6), and does not compile
 * for them. This file defines the traits with all functions. Include it before any file that uses the traits for
 * complex pixels, preferably first. Everything else is as in ITK. No file of the module includes it. */

namespace itk
{
namespace CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief ITK's traits of complex pixels, with all functions: real and imaginary part.
 *
 * \tparam TReal float or double */
template <typename TReal>
class ComplexConvertPixelTraits
{
public:
  /** Type of a pixel. */
  using TargetType = std::complex<TReal>;
  /** Type of its numbers. */
  using ComponentType = TReal;

  /** Two. */
  ///@{
  static unsigned int
  GetNumberOfComponents()
  {
    return 2;
  }
  static unsigned int
  GetNumberOfComponents(const TargetType &)
  {
    return 2;
  }
  ///@}

  /** The real part for 0, otherwise the imaginary part. */
  static ComponentType
  GetNthComponent(int i, const TargetType & pixel)
  {
    return i == 0 ? pixel.real() : pixel.imag();
  }

  /** Sets the real part for 0, otherwise the imaginary part. */
  static void
  SetNthComponent(int i, TargetType & pixel, const ComponentType & v)
  {
    pixel = i == 0 ? TargetType(v, pixel.imag()) : TargetType(pixel.real(), v);
  }

  /** The square of the magnitude, as in ITK. */
  static ComponentType
  GetScalarValue(const TargetType & pixel)
  {
    return std::norm(pixel);
  }
};

/** @} */
} // namespace CudaSplineDetail

/** \cond */
template <>
class DefaultConvertPixelTraits<std::complex<float>> : public CudaSplineDetail::ComplexConvertPixelTraits<float>
{};

template <>
class DefaultConvertPixelTraits<std::complex<double>> : public CudaSplineDetail::ComplexConvertPixelTraits<double>
{};
/** \endcond */

} // namespace itk

#endif
