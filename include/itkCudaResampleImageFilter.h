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
#ifndef itkCudaResampleImageFilter_h
#define itkCudaResampleImageFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSplineInterpolation.h"
#include "itkCudaSplinePrecision.h"
#include "itkCudaSplineResamplePlan.h"
#include "itkCudaSplineSourceCache.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/ScanlineMapper.h"
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include "itkImage.h"
#include "itkResampleImageFilter.h"

#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class CudaResampleImageFilter
 * \brief Resamples an image under a transform, on a GPU or on all threads of the host.
 *
 * Replaces ResampleImageFilter, with the same parameters, pipeline behaviour and results.
 * \code
 * using FilterType = itk::CudaResampleImageFilter<ImageType, ImageType>; // the one line that changes
 * auto filter = FilterType::New();
 * filter->SetInput(moving);
 * filter->SetTransform(transform);
 * filter->SetInterpolator(itk::BSplineInterpolateImageFunction<ImageType>::New());
 * filter->UseReferenceImageOn();
 * filter->SetReferenceImage(fixed);
 * filter->Update();
 * \endcode
 *
 * Accelerated are:
 * - inputs of 1 to 3 dimensions, outputs of any;
 * - every transform, with or without ITK's nearest-neighbour extrapolator;
 * - pixels of any integer or real type, with the module's interpolators in any of their address modes, and with ITK's:
 *   - NearestNeighborInterpolateImageFunction and LinearInterpolateImageFunction;
 *   - BSplineInterpolateImageFunction and BSplineResampleImageFunction, of orders 0 to 5;
 *   - WindowedSincInterpolateImageFunction (ITK's windows, radius 1 to 5, boundary zero flux, constant or periodic);
 * - LabelImageGaussianInterpolateImageFunction, for images that begin at index 0;
 * - pixels of several numbers (Vector, CovariantVector, RGBPixel, RGBAPixel, complex, VectorImage), with the linear and
 *   nearest-neighbour interpolators, CudaVectorBSplineInterpolateImageFunction and
 *   CudaCubicConvolutionInterpolateImageFunction.
 *
 * The superclass computes all other cases, also classes that derive from these. GetLastBackend() and
 * GetFallbackReason() report this.
 *
 * \par Transforms
 * - Points of linear transforms are interpolated along scanlines, as ITK does.
 * - BSplineTransform, DisplacementFieldTransform with ITK's linear and nearest-neighbour interpolators, and
 * CompositeTransform of these and of linear ones, nested to any depth, are computed by the kernels, if both precisions
 * are double and input and output have the same dimension.
 * - Every other transform is evaluated at each point by all threads of the host. It must be thread-safe, as for the
 *   superclass.
 *
 * A supported B-spline interpolator does not receive the image, so its decomposition on one thread of the host does not
 * run. For B-splines the whole input is requested, so that coefficients do not depend on stream divisions.
 *
 * \par Accuracy
 * - Positions: with linear transforms, and those that only ITK computes, continuous indices equal ITK's bit for bit, so
 *   nearest neighbours and the inside test agree in every voxel. With transforms that the kernels compute, indices
 *   agree to some 1e-12: a voxel may differ if its point is that close to a border, or to the middle between two
 *   samples.
 * - Double precision: real results differ from ITK's by 1e-12 of the range, and by ITK's own truncation of up
 * to 3.7e-10 near the low edge.
 * - Single precision: by 1e-6 of the largest absolute value, for images and orders up to 3. That is 1e-6 of the range
 * where the range begins at or below 0. Images with a large offset, or with values near the largest float, need
 * SetPrecision(CudaSplinePrecision::Double).
 * - Integer outputs: values are clamped, then truncated, as in ITK (RoundIntegersOn() rounds). They can differ by 1 if
 *   ITK's real value is within these bounds of an integer. NaN becomes 0, where it is undefined in ITK. With the same
 *   integer type in and out, nearest neighbours keep all 64 bits.
 *
 * doc/Accuracy.md derives these.
 *
 * \tparam TInputImage image to resample
 * \tparam TOutputImage output image
 * \tparam TInterpolatorPrecisionType float or double
 * \tparam TTransformPrecisionType float or double
 *
 * \sa ResampleImageFilter, CudaBSplineInterpolateImageFunction
 * \ingroup CudaSpline */
template <typename TInputImage,
          typename TOutputImage,
          typename TInterpolatorPrecisionType = double,
          typename TTransformPrecisionType = TInterpolatorPrecisionType>
class ITK_TEMPLATE_EXPORT CudaResampleImageFilter
  : public ResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaResampleImageFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaResampleImageFilter;
  using Superclass =
    ResampleImageFilter<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaResampleImageFilter, ResampleImageFilter);

  /** Types and dimensions of images and interpolator. */
  ///@{
  using InputPixelType = typename TInputImage::PixelType;
  using OutputPixelType = typename TOutputImage::PixelType;
  using InterpolatorType = typename Superclass::InterpolatorType;
  static constexpr unsigned int InputDimension = TInputImage::ImageDimension;
  static constexpr unsigned int OutputDimension = TOutputImage::ImageDimension;
  ///@}

  /** True where pixels are single numbers of a type that the module's own kernels know. */
  static constexpr bool IsScalar =
    CudaSpline::IsSupportedScalar<InputPixelType> && CudaSpline::IsSupportedScalar<OutputPixelType>;

  /** True where the module's own kernels can resample these images: of single numbers, or of as many numbers a pixel in
   * both (itk::VectorImage has any number). */
  static constexpr bool IsAccelerated =
    InputDimension <= 3 && CudaSplineDetail::ImageTraits<TInputImage>::IsReadable &&
    CudaSplineDetail::ImageTraits<TOutputImage>::IsReadable &&
    CudaSpline::IsSupportedScalar<InputPixelType> == CudaSpline::IsSupportedScalar<OutputPixelType> &&
    (CudaSplineDetail::ImageTraits<TInputImage>::Components ==
       CudaSplineDetail::ImageTraits<TOutputImage>::Components ||
     CudaSplineDetail::ImageTraits<TInputImage>::IsVectorImage ||
     CudaSplineDetail::ImageTraits<TOutputImage>::IsVectorImage);

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

  /** Arithmetic; CudaSplinePrecision::Automatic by default. */
  ///@{
  itkSetEnumMacro(Precision, CudaSplinePrecision);
  itkGetEnumMacro(Precision, CudaSplinePrecision);
  ///@}

  /** Whether real values become integers of the output by rounding, half to even. Off by default: they are truncated
   * towards zero, as ITK does it. An update that the superclass would have to answer throws then. */
  ///@{
  itkSetMacro(RoundIntegers, bool);
  itkGetConstMacro(RoundIntegers, bool);
  itkBooleanMacro(RoundIntegers);
  ///@}

  /** The number of updates that a program will run, including the next one; 0, the default: unknown. It affects only
   * whether starting a GPU is worthwhile, not the results. */
  ///@{
  virtual void
  SetExpectedNumberOfUpdates(unsigned int number)
  {
    m_ExpectedNumberOfUpdates = number; // nothing is to be done anew: no Modified()
  }
  itkGetConstMacro(ExpectedNumberOfUpdates, unsigned int);
  ///@}

  /** Keep the coefficients (on the device, or on the host for the Cpu backend) for the next update, and use them again
   * when a checksum of all pixels says that the input is unchanged. Off by default: it costs the memory of a volume. */
  ///@{
  itkSetMacro(KeepSource, bool);
  itkGetConstMacro(KeepSource, bool);
  itkBooleanMacro(KeepSource);
  ///@}

  /** The maximum of bytes that an update allocates on a device in addition to kept sources, and on the host for
   * coefficients; 0, the default, for the available memory of a device (CUDASPLINE_MEMORY_LIMIT). If an update needs
   * more, the output is divided into boxes that are processed one after the other, each with the part of the input that
   * it reads. This needs a linear transform, or one that the kernels compute, and coefficients that are stored as they
   * are computed. The results are the same bits. If the update cannot be divided, the host computes it as a whole. */
  ///@{
  itkSetMacro(MemoryLimit, SizeValueType);
  itkGetConstMacro(MemoryLimit, SizeValueType);
  ///@}

  /** Into how many boxes the output of the last update was cut; 1 where it was done at once, 0 for Superclass. */
  virtual SizeValueType
  GetNumberOfPieces() const
  {
    return m_Record.pieces;
  }

  /** \brief What Update() would do with the current parameters and images: the backend, the number of pieces, the
   * memory and the estimated time. Nothing is allocated or computed, but a GPU is started if the update would use one.
   *
   * Only the information of the input is needed, not its pixels.
   *
   * \exception ExceptionObject an unknown device, or what UpdateOutputInformation() throws */
  CudaSplineResamplePlan
  GetPlan();

  /** Frees the coefficients that KeepSource keeps. */
  void
  ReleaseSource()
  {
    m_OwnCache->Clear();
  }

  /** Coefficients shared with other filters; goes before KeepSource. None until it is set. */
  ///@{
  itkSetObjectMacro(SourceCache, CudaSplineSourceCache);
  itkGetModifiableObjectMacro(SourceCache, CudaSplineSourceCache);
  ///@}

  /** True where the last update used coefficients of an earlier one. */
  virtual bool
  GetSourceReused() const
  {
    return m_Record.sourceReused;
  }

  /** Seconds of the last update for making the source: checksum, upload, conversion, prefilter. 0 for Superclass. */
  virtual double
  GetPreparationTime() const
  {
    return m_Record.times.preparation;
  }
  /** Seconds of the last update for evaluating it: coordinates, interpolation, download. 0 for Superclass. */
  virtual double
  GetEvaluationTime() const
  {
    return m_Record.times.evaluation;
  }

  /** Whether GetErrorBound() is made for coefficients that are stored as they are computed too, for which they are read
   * once more. Off by default. */
  ///@{
  itkSetMacro(MeasureErrorBound, bool);
  itkGetConstMacro(MeasureErrorBound, bool);
  itkBooleanMacro(MeasureErrorBound);
  ///@}

  /** Bound of the difference between a value of the last update and the exact sum over the coefficients, in units of
   * the pixels: from the storage of the coefficients, texture fetches and the rounding of the sum (see
   * CudaSpline::ModeErrorBound()). It is available for 16-bit coefficients and texture modes. For others it is
   * available with B-splines or linear interpolation if MeasureErrorBound is on, otherwise it is NaN. It does not
   * include the error of the coefficients: see CudaBSplineDecompositionImageFilter. */
  virtual double
  GetErrorBound() const
  {
    return m_Record.errorBound;
  }

protected:
  CudaResampleImageFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaResampleImageFilter() override = default;

  /** Prints the choices, the backend that ran last, and its times. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Requests the part of the input that linear transforms sample, padded by the support of the interpolation. Requests
   * the whole input if B-splines or another transform need it, or if no sample is in the input. The image is not set on
   * an interpolator that the kernels replace, so filters may share one. */
  void
  GenerateInputRequestedRegion() override;

  /** Resamples.
   *
   * \exception ExceptionObject an empty input, an unknown device, or integers to be rounded by the superclass
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

  /** The choice of device and backend, to be shared with the objects that this one serves. */
  CudaSplineBackend &
  GetBackendSelection()
  {
    return m_Backend;
  }

  /** The method for the current interpolator, transform and images, or the reason why the superclass must run. */
  CudaSplineMethod
  RecogniseMethod() const;

  /** \name Where the samples are Filters of the module that do not move samples by the transform override these. */
  ///@{
  /** True if scanlines of the output are straight in the input. */
  virtual bool
  IsLinear() const;

  /** Describes a nonlinear transform as a chain for the kernels; false if they do not support it. */
  virtual bool
  DescribeChain(CudaSpline::TransformChain & chain) const;

  /** Sets the displacements of fields in the chain that can be in the memory of a device; called when it is known where
   * the filter runs. */
  virtual void
  ProvideFields(const CudaSpline::ExecutionContext & context, CudaSpline::TransformChain & chain) const
  {
    (void)context;
    (void)chain;
  }

  /** Continuous input indices of all samples of some requested scanlines, by ITK's own functions; called by several
   * threads at once.
   *
   * \param[in] first first of the lines, in memory order of the requested region
   * \param[in] lines how many
   * \param[out] indices InputDimension numbers a sample */
  virtual void
  MapLines(std::int64_t first, std::int64_t lines, double * indices) const;
  ///@}

  /** Writes the grids of input and output into a chain. */
  void
  DescribeGrids(CudaSpline::TransformChain & chain) const;

private:
  /** Describes a linear transform as a chain of which a device makes the scanlines, with ITK's bits; false for others,
   * in float precision, and for parts of scanlines. */
  bool
  DescribeScanlines(const CudaSpline::ResampleDescriptor & resampling, CudaSpline::TransformChain & chain) const;

  /** The description of an update for the kernels. */
  ///@{
  CudaSpline::ResampleDescription
  Describe(const CudaSplineMethod & method) const;
  CudaSpline::SourceDescriptor
  DescribeSamples(const CudaSplineMethod & method) const;
  CudaSpline::ResampleDescriptor
  DescribeResampling(const CudaSplineMethod & method) const;
  ///@}

  /** Resamples as the superclass, by another interpolator where there is one with the results of the user's. */
  void
  ResampleByPoints();

  /** The options of an update. */
  CudaSpline::ResampleOptions
  GetOptions();

  /** Describes the update for the trace if the superclass runs. */
  std::string
  DescribeSuperclass() const;

  /** Requests the region of the input that samples of a linear transform read; changes nothing if that is empty. */
  void
  RequestWhatIsRead(const CudaSplineMethod & method);

  /** The pixels in memory, or those that will be allocated. */
  const typename TInputImage::RegionType &
  RegionToRead() const;

  /** The reason why the kernels do not support the images or the extrapolator; null if they do. */
  const char *
  WhyNotAccelerated() const;

  /** Where the samples are by the transform. */
  CudaSplineDetail::ScanlineMapper<TInputImage, TOutputImage, TInterpolatorPrecisionType, TTransformPrecisionType>
  GetMapper() const
  {
    return { this->GetInput(), this->GetOutput(), this->GetTransform() };
  }

  CudaSplineBackend                        m_Backend;
  CudaSplinePrecision                      m_Precision{ CudaSplinePrecision::Automatic };
  bool                                     m_RoundIntegers{ false };
  unsigned int                             m_ExpectedNumberOfUpdates{ 0 };
  bool                                     m_KeepSource{ false };
  bool                                     m_MeasureErrorBound{ false };
  SizeValueType                            m_MemoryLimit{ 0 };
  CudaSpline::ResampleRecord               m_Record;
  CudaSpline::ResampleHistory              m_History; ///< of the updates with the cache
  CudaSplineSourceCache::Pointer           m_SourceCache;
  std::unique_ptr<CudaSpline::SourceCache> m_OwnCache{
    std::make_unique<CudaSpline::SourceCache>(std::numeric_limits<std::size_t>::max(), 1)
  };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaResampleImageFilter.hxx"
#endif

#endif
