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
#ifndef itkCudaCubicConvolutionInterpolateImageFunction_h
#define itkCudaCubicConvolutionInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/math/CubicConvolution.h"

#include "itkInterpolateImageFunction.h"
#include "itkSymmetricSecondRankTensor.h"

namespace itk
{

/** \class CudaCubicConvolutionInterpolateImageFunction
 * \brief Cubic convolution with the parameters B and C of Mitchell and Netravali, without a prefilter.
 *
 * Along an axis the value is the sum of the four samples around the point with the weights of
 * CudaSpline::CubicConvolutionWeights(). In several dimensions weights are products of those of the axes. The default
 * is Mitchell and Netravali's own filter, B = C = 1/3 \cite{Mitchell1988}. With B = 0 it interpolates, with the tension
 * C: CudaCatmullRomInterpolateImageFunction. With B > 0 it smooths: at a sample the value is not the pixel's, but (1 -
 * B / 3) times the pixel's and B / 6 times each neighbour's along each axis. ITK has no class of this kind.
 *
 * Beyond the edges the samples are mirrored (whole-sample symmetry), and by ITK's rule half a sample beyond the
 * outermost ones is inside; all address modes are possible (SetAddressMode()). Single evaluations run on the host from
 * the image itself; batches (CudaSplineInterpolateImageFunction), with values, gradients and Hessians, and the
 * evaluation within CudaResampleImageFilter run on the backend. The functions for derivatives have the names of
 * CudaBSplineInterpolateImageFunction. There is no texture mode: weights may be negative.
 *
 * Each component of a pixel is interpolated separately. Pixels of several components have values, but no derivatives,
 * and their batches run point by point.
 *
 * \par Accuracy
 * Weights, sums and results of single evaluations are double: for B and C in [0, 1] within VDimension 75 N^VDimension
 * units of 2^-53 of the largest absolute sample, where N is CudaSpline::CubicConvolutionNorm() (40 instead of 75 for B
 * = 0). Batches compute in float for pixels and results of at most 24 bits, otherwise in double.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image of scalars or of several numbers per pixel
 * \tparam TCoordRep float or double
 *
 * \sa CudaCatmullRomInterpolateImageFunction, CudaBSplineInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaCubicConvolutionInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaCubicConvolutionInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaCubicConvolutionInterpolateImageFunction;
  using Superclass =
    CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaCubicConvolutionInterpolateImageFunction, InterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using PointType = typename Superclass::PointType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** True where pixels are single numbers. */
  static constexpr bool IsScalar = std::is_arithmetic<typename TInputImage::PixelType>::value;

  static_assert(IsScalar || CudaSplineDetail::ImageTraits<TInputImage>::IsReadable,
                "Cubic convolution supports only images of scalars, and of the types of several components per pixel "
                "that the module supports.");

  /** First derivatives. */
  using CovariantVectorType = CovariantVector<OutputType, ImageDimension>;
  /** Second derivatives: the upper triangle, xx, xy, xz, yy, yz, zz in 3D. */
  using HessianType = SymmetricSecondRankTensor<double, ImageDimension>;

  /** B, without unit: how much is smoothed. 1/3 until it is set. */
  ///@{
  itkSetMacro(B, double);
  itkGetConstMacro(B, double);
  ///@}

  /** C, without unit: the tension. 1/3 until it is set. Polynomials of degree 1 are reproduced where B + 2 C = 1. */
  ///@{
  itkSetMacro(C, double);
  itkGetConstMacro(C, double);
  ///@}

  /** Whether derivatives are those in physical space, turned by the image's direction, or those along the image's axes;
   * on until it is set, as in BSplineInterpolateImageFunction. */
  ///@{
  itkSetMacro(UseImageDirection, bool);
  itkGetConstMacro(UseImageDirection, bool);
  itkBooleanMacro(UseImageDirection);
  ///@}

  /** The value at a continuous index (samples, x first); NaN where that has no place.
   *
   * \exception ExceptionObject there is no image */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;

  /** First derivatives (per mm) at a point (mm) or a continuous index (samples, x first).
   *
   * \exception ExceptionObject there is no image */
  ///@{
  CovariantVectorType
  EvaluateDerivative(const PointType & point) const
  {
    return this->EvaluateDerivativeAtContinuousIndex(this->IndexOf(point));
  }
  CovariantVectorType
  EvaluateDerivativeAtContinuousIndex(const ContinuousIndexType & index) const;
  ///@}

  /** Value and first derivatives (per mm) at a point (mm) or a continuous index (samples, x first).
   *
   * \exception ExceptionObject there is no image */
  ///@{
  void
  EvaluateValueAndDerivative(const PointType & point, OutputType & value, CovariantVectorType & derivative) const
  {
    this->EvaluateValueAndDerivativeAtContinuousIndex(this->IndexOf(point), value, derivative);
  }
  void
  EvaluateValueAndDerivativeAtContinuousIndex(const ContinuousIndexType & index,
                                              OutputType &                value,
                                              CovariantVectorType &       derivative) const;
  ///@}

  /** Second derivatives (per mm squared) at a point (mm) or a continuous index (samples, x first). Along an axis they
   * jump at the samples; there they are those of the segment above.
   *
   * \exception ExceptionObject there is no image */
  ///@{
  HessianType
  EvaluateHessian(const PointType & point) const
  {
    return this->EvaluateHessianAtContinuousIndex(this->IndexOf(point));
  }
  HessianType
  EvaluateHessianAtContinuousIndex(const ContinuousIndexType & index) const;
  ///@}

  /** Two samples, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(2);
  }

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaCubicConvolutionInterpolateImageFunction() = default;
  /** For classes derived from it: with other parameters until they are set. */
  explicit CudaCubicConvolutionInterpolateImageFunction(const CudaSpline::CubicParameters & parameters)
    : m_B(parameters.b)
    , m_C(parameters.c)
  {}
  ~CudaCubicConvolutionInterpolateImageFunction() override = default;

  /** Prints B, C and UseImageDirection too. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** The method of the kernels for a class that evaluates in the same way. */
  CudaSplineMethod
  DescribeConvolution() const;

  /** Whether derivatives are rotated: UseImageDirection. */
  bool
  IsDirectionUsed() const override
  {
    return m_UseImageDirection;
  }

private:
  /** Value and derivatives (per sample) at a continuous index; NaN where it has no place. */
  template <CudaSpline::Derivatives VDerivatives>
  CudaSpline::Jet<ImageDimension, double>
  EvaluateJet(const ContinuousIndexType & index) const;

  /** The continuous index of a place (mm). */
  ContinuousIndexType
  IndexOf(const PointType & point) const;

  double m_B{ CudaSpline::MitchellNetravaliParameters.b };
  double m_C{ CudaSpline::MitchellNetravaliParameters.c };
  bool   m_UseImageDirection{ true };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaCubicConvolutionInterpolateImageFunction.hxx"
#endif

#endif
