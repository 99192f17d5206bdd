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
#ifndef itkCudaVectorBSplineInterpolateImageFunction_h
#define itkCudaVectorBSplineInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/Coefficients.h"

#include "itkInterpolateImageFunction.h"
#include "itkFixedArray.h"
#include "itkVectorImage.h"

#include <mutex>
#include <type_traits>

namespace itk
{

/** \class CudaVectorBSplineInterpolateImageFunction
 * \brief B-spline interpolation of images with several numbers per pixel: Vector, CovariantVector, RGBPixel, RGBAPixel,
 * complex and VectorImage.
 *
 * Each number of a pixel is interpolated separately, as BSplineInterpolateImageFunction interpolates a scalar image:
 * with the same coefficients, weights, boundary (whole-sample mirror) and rule for points inside. ITK has no class of
 * this kind: its own is for scalars.
 *
 * Coefficients are made in SetInputImage() by CudaBSplineDecompositionImageFilter, on a GPU or on all threads of the
 * host. Single evaluations run on the host; CudaResampleImageFilter and CudaWarpImageFilter evaluate on the backend,
 * from coefficients of their own, without passing the image to this class. Address modes are those of
 * CudaBSplineInterpolateImageFunction. Batches run point by point; there are no derivatives.
 *
 * \par Accuracy
 * As CudaBSplineInterpolateImageFunction, for each number.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image with several numbers per pixel
 * \tparam TCoordRep float or double
 * \tparam TCoefficient float or double
 *
 * \sa CudaBSplineInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double, typename TCoefficient = double>
class ITK_TEMPLATE_EXPORT CudaVectorBSplineInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaVectorBSplineInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaVectorBSplineInterpolateImageFunction;
  using Superclass =
    CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaVectorBSplineInterpolateImageFunction, InterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  static_assert(
    CudaSplineDetail::ImageTraits<TInputImage>::IsReadable &&
      !std::is_arithmetic<typename TInputImage::PixelType>::value,
    "This class supports only pixels with several components; use CudaBSplineInterpolateImageFunction for scalars.");
  static_assert(std::is_floating_point<TCoefficient>::value, "B-spline coefficients are float or double.");

  /** The coefficients: as many numbers a pixel as the image has. */
  using CoefficientImageType =
    std::conditional_t<CudaSplineDetail::ImageTraits<TInputImage>::IsVectorImage,
                       VectorImage<TCoefficient, ImageDimension>,
                       Image<FixedArray<TCoefficient,
                                        CudaSplineDetail::ImageTraits<TInputImage>::IsVectorImage
                                          ? 1
                                          : CudaSplineDetail::ImageTraits<TInputImage>::Components>,
                             ImageDimension>>;

  /** The order, 0 to 5; 3 until it is set.
   *
   * \exception ExceptionObject any other order, or one that cannot have the address modes; the order then stays as it
   * was */
  void
  SetSplineOrder(unsigned int splineOrder);
  /** See SetSplineOrder(). */
  itkGetConstMacro(SplineOrder, unsigned int);

  /** Computes the coefficients. A null pointer releases them.
   *
   * \param[in] inputData the image; its largest possible region must be in memory or available by an update
   * \exception ExceptionObject as CudaBSplineDecompositionImageFilter */
  void
  SetInputImage(const TInputImage * inputData) override;

  /** The value at a continuous index (samples, x first); NaN where that has no place.
   *
   * \exception ExceptionObject there is no image */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;

  /** Samples around a point: the order and one, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(m_SplineOrder + 1);
  }

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

  /** The coefficients: of the size and indices of the input's buffered region; null before SetInputImage(). */
  const CoefficientImageType *
  GetCoefficients() const
  {
    return m_Coefficients.GetPointer();
  }

protected:
  CudaVectorBSplineInterpolateImageFunction() = default;
  ~CudaVectorBSplineInterpolateImageFunction() override = default;

  /** Prints the order too. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "SplineOrder: " << m_SplineOrder << std::endl;
    itkPrintSelfObjectMacro(Coefficients);
  }

  /** Orders 2 to 5 continue by Mirror, Reflect and GridWrap only. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override
  {
    CudaSplineDetail::CheckSplineAddressMode(m_SplineOrder, mode);
  }

  /** Makes new coefficients where there is an image. */
  void
  AddressModeChanged() override;

private:
  std::mutex                                  m_Mutex;
  unsigned int                                m_SplineOrder{ 3 };
  CudaSplineDetail::CoefficientRecord         m_Record;
  typename CoefficientImageType::ConstPointer m_Coefficients;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaVectorBSplineInterpolateImageFunction.hxx"
#endif

#endif
