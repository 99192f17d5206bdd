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
#ifndef itkCudaCatmullRomInterpolateImageFunction_h
#define itkCudaCatmullRomInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/math/CatmullRomWeights.h"

#include "itkInterpolateImageFunction.h"
#include "itkSymmetricSecondRankTensor.h"

namespace itk
{

/** \class CudaCatmullRomInterpolateImageFunction
 * \brief Catmull-Rom interpolation with a tension: a cubic through the samples, with continuous slope and without a
 * prefilter.
 *
 * Along an axis the value is made of the four samples around the point by the weights of
 * CudaSpline::CatmullRomWeights(); with the default tension of 1/2 it is the cubic convolution of Keys with a = -1/2
 * \cite{Keys1981}. In several dimensions weights are products of those of the axes. ITK has no class of this kind.
 *
 * Beyond the edges the samples are mirrored (whole-sample symmetry), and by ITK's rule half a sample beyond the
 * outermost ones is inside; all address modes are possible (SetAddressMode()). Single evaluations run on the host from
 * the image itself; batches (CudaSplineInterpolateImageFunction), with values, gradients and Hessians, and the
 * evaluation within CudaResampleImageFilter run on the backend. The functions for derivatives have the names of
 * CudaBSplineInterpolateImageFunction. There is no texture mode: two of the four weights are negative.
 *
 * Of pixels of several numbers each is interpolated by itself. They have values alone, no derivatives, and their
 * batches run point by point.
 *
 * \par Accuracy
 * Weights, sums and results of single evaluations are double: within VDimension 12 (1 + tension / 2)^VDimension units
 * of 2^-53 of the largest absolute sample. Batches compute in float for pixels and results of at most 24 bits, else in
 * double.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image of scalars or of several numbers a pixel
 * \tparam TCoordRep float or double
 *
 * \sa CudaBSplineInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaCatmullRomInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaCatmullRomInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaCatmullRomInterpolateImageFunction;
  using Superclass =
    CudaSplineInterpolateImageFunction<InterpolateImageFunction<TInputImage, TCoordRep>, TInputImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaCatmullRomInterpolateImageFunction, InterpolateImageFunction);

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
                "Catmull-Rom is for images of scalars, and of several numbers a pixel that the module knows.");

  /** First derivatives. */
  using CovariantVectorType = CovariantVector<OutputType, ImageDimension>;
  /** Second derivatives: the upper triangle, xx, xy, xz, yy, yz, zz in 3D. */
  using HessianType = SymmetricSecondRankTensor<double, ImageDimension>;

  /** Tension, without unit: the slope at a sample is the tension times the difference of its neighbours. 1/2 until it
   * is set; only with it polynomials of degree 1 and 2 are reproduced. */
  ///@{
  itkSetMacro(Tension, double);
  itkGetConstMacro(Tension, double);
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

  /** What the kernels do for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaCatmullRomInterpolateImageFunction() = default;
  ~CudaCatmullRomInterpolateImageFunction() override = default;

  /** Prints tension and UseImageDirection too. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

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

  double m_Tension{ CudaSpline::CatmullRomTension };
  bool   m_UseImageDirection{ true };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaCatmullRomInterpolateImageFunction.hxx"
#endif

#endif
