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
#ifndef itkCudaLabelImageGenericInterpolateImageFunction_h
#define itkCudaLabelImageGenericInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/IndicatorTraits.h"

#include "itkImage.h"

#include <mutex>
#include <vector>

namespace itk
{

/** \class CudaLabelImageGenericInterpolateImageFunction
 * \brief The label whose indicator, interpolated by another interpolator, is largest.
 *
 * The indicator of a label is 1 at its pixels and 0 elsewhere. Each indicator is interpolated at the point, and the
 * label with the largest value is the result; if values are equal, the smallest label. If no value is above 0, the
 * result is 0. This is the rule of itk::LabelImageGenericInterpolateImageFunction (the remote module
 * GenericLabelInterpolator), with the same results and template parameters. This class derives from it if ITK has it.
 *
 * Indicators are interpolated by nearest neighbours, linearly, by cubic convolution (Catmull-Rom for one), or by
 * B-splines: TInterpolator is ITK's or the module's class template. ITK keeps an image and an interpolator for each
 * label and evaluates all of them at each point. Here, where the support of the interpolator is local (nearest, linear,
 * cubic convolution, B-splines of orders 0 and 1), only labels near the point are evaluated, and nothing is stored.
 * Linear values equal ITK's bit for bit, and so do ties.
 *
 * \par Memory
 * B-splines of orders 2 to 5 need the coefficients of every indicator, which SetInputImage() computes: one volume per
 * label. This takes labels times pixels times the size of a coefficient, 8 bytes for the default type double: 100
 * labels in 256^3 voxels take 13 GB, as in ITK. They are computed again only if a checksum of all pixels has changed.
 *
 * With nearest neighbours, batches (CudaSplineInterpolateImageFunction) and the evaluation within
 * CudaResampleImageFilter run on the backend, where labels keep all 64 bits. With the other interpolators batches run
 * one point after the other, and the superclass of the resampling filter evaluates on all threads, with a reason.
 * Values then have the type double, in which labels above 2^53 are rounded. There are no address modes.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once. SetInputImage() of one object may be called from several
 * threads.
 *
 * \tparam TInputImage image of labels, of scalars
 * \tparam TInterpolator class template with parameters for image and coordinate type
 * \tparam TCoordRep float or double
 *
 * \sa CudaLabelImageGaussianInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, template <typename, typename> class TInterpolator, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaLabelImageGenericInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<
      CudaSplineDetail::LabelImageGenericBase<TInputImage, TInterpolator, TCoordRep>,
      TInputImage,
      TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaLabelImageGenericInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaLabelImageGenericInterpolateImageFunction;
  using Superclass =
    CudaSplineInterpolateImageFunction<CudaSplineDetail::LabelImageGenericBase<TInputImage, TInterpolator, TCoordRep>,
                                       TInputImage,
                                       TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaLabelImageGenericInterpolateImageFunction, InterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** Type of labels. */
  using LabelType = typename TInputImage::PixelType;

  static_assert(std::is_arithmetic<LabelType>::value, "Labels are scalars.");

  /** Order of B-splines, 0 to 5; 3 until it is set. Other interpolators do not ask for it.
   *
   * \exception ExceptionObject any other order */
  ///@{
  void
  SetSplineOrder(unsigned int splineOrder);
  itkGetConstMacro(SplineOrder, unsigned int);
  ///@}

  /** B and C of cubic convolution; until they are set those of the interpolator, 0 and 1/2 for Catmull-Rom. Other
   * interpolators ignore them. */
  ///@{
  itkSetMacro(B, double);
  itkGetConstMacro(B, double);
  itkSetMacro(C, double);
  itkGetConstMacro(C, double);
  ///@}

  /** Tension of Catmull-Rom: C. */
  ///@{
  virtual void
  SetTension(double tension)
  {
    this->SetC(tension);
  }
  virtual double
  GetTension() const
  {
    return this->GetC();
  }
  ///@}

  /** Sets the image, and computes the coefficients if the interpolator has some. A null pointer releases them.
   *
   * \param[in] image the image; for B-splines of orders 2 to 5 its largest possible region must be in memory or
   * available by an update
   * \exception ExceptionObject as CudaBSplineDecompositionImageFilter */
  void
  SetInputImage(const TInputImage * image) override;

  /** The label at a continuous index (samples, x first).
   *
   * \pre there is an image, and IsInsideBuffer(index) */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;

  /** The radius of the interpolator's support (samples). */
  SizeType
  GetRadius() const override;

  /** What the kernels do for this class: with nearest neighbours they look them up, else they refuse. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaLabelImageGenericInterpolateImageFunction() = default;
  ~CudaLabelImageGenericInterpolateImageFunction() override = default;

  /** Prints order, B, C and the number of labels with coefficients too. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Only CudaSplineAddressMode::Itk is allowed. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override;

private:
  using Traits = CudaSplineDetail::IndicatorTraits<TInterpolator<TInputImage, TCoordRep>>;
  using Method = CudaSplineDetail::IndicatorMethod;
  using CoefficientImage = Image<typename Traits::CoefficientType, ImageDimension>;

  static_assert(Traits::IsKnown,
                "Indicators are interpolated by nearest neighbours, linearly, by cubic convolution or by "
                "B-splines, by ITK's classes or the module's.");

  /** True where coefficients of every indicator are needed. */
  bool
  NeedsCoefficients() const
  {
    return Traits::Method == Method::BSpline && m_SplineOrder >= 2;
  }

  /** Makes the coefficients of all labels. */
  void
  MakeCoefficients(const TInputImage * image);

  /** The label for a basis with local support, whose coefficients are the samples. */
  template <typename TBasis>
  LabelType
  WinnerBy(const TBasis & basis, const TCoordRep (&at)[ImageDimension]) const;

#if !defined(ITK_WRAPPING_PARSER) // SWIG does not support references to arrays
  /** The label that wins by the coefficients. */
  LabelType
  SplineWinner(const TCoordRep (&at)[ImageDimension]) const;
#endif

  unsigned int m_SplineOrder{ 3 };
  double       m_B{ Traits::Parameters.b };
  double       m_C{ Traits::Parameters.c };

  std::mutex                                      m_Mutex;
  std::uint64_t                                   m_Checksum{ 0 }; ///< of the pixels, for what is kept below
  unsigned int                                    m_CoefficientOrder{ 0 };
  typename TInputImage::RegionType                m_CoefficientRegion;
  std::vector<LabelType>                          m_LabelsOfCoefficients; ///< ascending
  std::vector<typename CoefficientImage::Pointer> m_Coefficients;         ///< one for each of them
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaLabelImageGenericInterpolateImageFunction.hxx"
#endif

#endif
