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
#ifndef itkCudaNearestNeighborInterpolateImageFunction_h
#define itkCudaNearestNeighborInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/SingleEvaluation.h"

#include "itkNearestNeighborInterpolateImageFunction.h"

#include <type_traits>

namespace itk
{

/** \class CudaNearestNeighborInterpolateImageFunction
 * \brief The pixel nearest to a point, in batches on a GPU or all threads of the host.
 *
 * Replaces NearestNeighborInterpolateImageFunction, with its rounding: halves up. Single evaluations run on the host.
 * Batches (CudaSplineInterpolateImageFunction) and the evaluation within CudaResampleImageFilter run on the backend;
 * batches of integer pixels keep all 64 bits; single evaluations return double, which is exact below 2^53.
 *
 * With an address mode the index is rounded before it is folded.
 *
 * \par Accuracy
 * The same pixels as ITK's, except where ITK reads outside of the buffer: it rounds the number just below 0.5 up,
 * beyond an axis that ends at index 0. Here the result is the last pixel.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image; batches run point by point unless it is a scalar image of 1 to 3 dimensions, and only
 * scalar images have address modes
 * \tparam TCoordRep float or double
 *
 * \sa NearestNeighborInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaNearestNeighborInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<NearestNeighborInterpolateImageFunction<TInputImage, TCoordRep>,
                                              TInputImage,
                                              TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaNearestNeighborInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaNearestNeighborInterpolateImageFunction;
  using Superclass = CudaSplineInterpolateImageFunction<NearestNeighborInterpolateImageFunction<TInputImage, TCoordRep>,
                                                        TInputImage,
                                                        TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaNearestNeighborInterpolateImageFunction, NearestNeighborInterpolateImageFunction);

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
    return static_cast<OutputType>(
      this->GetInputImage()->GetPixel(CudaSplineDetail::NearestPixelInside(this, index, this->m_EndIndex)));
  }

  /** No samples but the one, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(0);
  }

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaNearestNeighborInterpolateImageFunction() = default;
  ~CudaNearestNeighborInterpolateImageFunction() override = default;

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
#  include "itkCudaNearestNeighborInterpolateImageFunction.hxx"
#endif

#endif
