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
#ifndef itkCudaLinearInterpolateImageFunction_h
#define itkCudaLinearInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"

#include "itkLinearInterpolateImageFunction.h"

#include <type_traits>

namespace itk
{

/** \class CudaLinearInterpolateImageFunction
 * \brief Linear interpolation: single points with ITK's code, batches on a GPU or all threads of the host.
 *
 * Replaces LinearInterpolateImageFunction. Single evaluations are ITK's own. Batches
 * (CudaSplineInterpolateImageFunction) and the evaluation within CudaResampleImageFilter run on the backend.
 *
 * \par Accuracy
 * Single evaluations are double. Batches compute in float for pixels and results of at most 24 bits, otherwise in
 * double: they differ by VDimension 3 units of rounding of the largest absolute sample.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image; batches run point by point unless it is a scalar image of 1 to 3 dimensions, and only
 * scalar images have address modes
 * \tparam TCoordRep float or double
 *
 * \sa LinearInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaLinearInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<LinearInterpolateImageFunction<TInputImage, TCoordRep>,
                                              TInputImage,
                                              TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaLinearInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaLinearInterpolateImageFunction;
  using Superclass =
    CudaSplineInterpolateImageFunction<LinearInterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaLinearInterpolateImageFunction, LinearInterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** The value at a continuous index (samples, x first), which is inside; NaN where it has no place under an address
   * mode.
   *
   * \pre there is an image, and IsInsideBuffer(index) */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override
  {
    if constexpr (IsScalar)
    {
      if (this->HasAddressMode())
      {
        return this->EvaluateExtended(index);
      }
    }
    return Superclass::EvaluateAtContinuousIndex(index);
  }

  /** One sample, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(1);
  }

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaLinearInterpolateImageFunction() = default;
  ~CudaLinearInterpolateImageFunction() override = default;

  /** Images of anything but scalars have no address modes. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override;

private:
  static constexpr bool IsScalar = std::is_arithmetic<typename TInputImage::PixelType>::value;

  /** The value under an address mode. */
  OutputType
  EvaluateExtended(const ContinuousIndexType & index) const;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaLinearInterpolateImageFunction.hxx"
#endif

#endif
