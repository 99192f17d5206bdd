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
#ifndef itkCudaSpline_itk_DecompositionBase_h
#define itkCudaSpline_itk_DecompositionBase_h

#include "itkBSplineDecompositionImageFilter.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkNumericTraits.h"

#include <type_traits>
#include <utility>

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief True if ITK's own decomposition filter compiles for these images. It does not for colours, which cannot be
 * multiplied with a number. */
template <typename TInputImage, typename TOutputImage, typename = void>
inline constexpr bool IsDecomposedByItk = false;

/** \brief Specialization for coefficients that can be multiplied with a number.
 *
 * Since ITK 6 a number does not convert to a vector, but vectors of fixed length can still be constructed from a
 * number. */
template <typename TInputImage, typename TOutputImage>
inline constexpr bool IsDecomposedByItk<
  TInputImage,
  TOutputImage,
  std::void_t<decltype(std::declval<double>() *
                       std::declval<typename NumericTraits<typename TOutputImage::PixelType>::RealType>())>> =
  std::is_convertible<typename TInputImage::PixelType, typename TOutputImage::PixelType>::value &&
  (std::is_convertible<double, typename TOutputImage::PixelType>::value ||
   (PixelTraits<typename TOutputImage::PixelType>::Components > 1 &&
    std::is_constructible<typename TOutputImage::PixelType, double>::value));

/** \class DecompositionOfArrays
 * \brief The interface of itk::BSplineDecompositionImageFilter for images with which that class does not compile.
 *
 * \tparam TInputImage image to decompose
 * \tparam TOutputImage image of the coefficients
 * \ingroup CudaSpline */
template <typename TInputImage, typename TOutputImage>
class ITK_TEMPLATE_EXPORT DecompositionOfArrays : public ImageToImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DecompositionOfArrays);

  /** Types of ITK's conventions. */
  ///@{
  using Self = DecompositionOfArrays;
  using Superclass = ImageToImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Name of the class. */
  itkCudaSplineTypeMacro(DecompositionOfArrays, ImageToImageFilter);

  /** Order of the spline, 0 to 5; default 3. \exception ExceptionObject a higher order */
  void
  SetSplineOrder(unsigned int order)
  {
    if (order > 5)
    {
      itkExceptionMacro(<< "SplineOrder must be between 0 and 5; it is " << order << ".");
    }
    if (m_SplineOrder != static_cast<int>(order))
    {
      m_SplineOrder = static_cast<int>(order);
      this->Modified();
    }
  }
  /** Order of the spline. */
  itkGetConstMacro(SplineOrder, int);

protected:
  DecompositionOfArrays() = default;
  ~DecompositionOfArrays() override = default;

  /** Prints the order. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "Spline Order: " << m_SplineOrder << std::endl;
  }

  /** The whole input is needed. */
  void
  GenerateInputRequestedRegion() override
  {
    if (auto * const input = const_cast<TInputImage *>(this->GetInput()))
    {
      input->SetRequestedRegionToLargestPossibleRegion();
    }
  }

  /** The output is computed as a whole. */
  void
  EnlargeOutputRequestedRegion(DataObject * output) override
  {
    output->SetRequestedRegionToLargestPossibleRegion();
  }

private:
  int m_SplineOrder{ 3 };
};

/** \brief Base class of CudaBSplineDecompositionImageFilter: ITK's filter if it compiles. */
template <typename TInputImage, typename TOutputImage>
using DecompositionBase = std::conditional_t<IsDecomposedByItk<TInputImage, TOutputImage>,
                                             BSplineDecompositionImageFilter<TInputImage, TOutputImage>,
                                             DecompositionOfArrays<TInputImage, TOutputImage>>;

/** @} */
} // namespace itk::CudaSplineDetail

#endif
