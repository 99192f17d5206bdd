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
#ifndef itkCudaSplineInterpolateImageFunction_h
#define itkCudaSplineInterpolateImageFunction_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSplineBatchResults.h"
#include "itkCudaSplineInterpolation.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"

#include "itkPointSet.h"

#include <array>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineInterpolateImageFunction
 * \brief Base class of the module's interpolators: batches of points on a GPU or all threads of the host, and address
 * modes.
 *
 * \par Batches
 * EvaluateAtContinuousIndices() and EvaluateAtPoints() evaluate a list at once, with derivatives if the interpolator
 * has them. The list and the results are arrays in host memory or on a device, or ITK's containers. Points outside get
 * a default value, and a mask marks them. The image, or its coefficients, stays on the device from batch to batch; a
 * checksum detects changed pixels each time.
 *
 * \par Single evaluations
 * They run in the calling thread, from host memory, and never wait for a GPU.
 *
 * \par Address modes
 * Beyond the half pixel that ITK allows, an axis can be continued (CudaSplineAddressMode); every finite point is then
 * inside along it. ITK's rule is the default.
 *
 * Threads may evaluate points and batches concurrently, if no thread changes the object.
 *
 * \tparam TSuperclass the class of ITK that is replaced, or itk::InterpolateImageFunction
 * \tparam TInputImage image
 * \tparam TCoordRep float or double
 * \ingroup CudaSpline */
template <typename TSuperclass, typename TInputImage, typename TCoordRep>
class ITK_TEMPLATE_EXPORT CudaSplineInterpolateImageFunction
  : public TSuperclass
  , public CudaSplineInterpolation<TInputImage::ImageDimension>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineInterpolateImageFunction;
  using Superclass = TSuperclass;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineInterpolateImageFunction, TSuperclass);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using IndexType = typename Superclass::IndexType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using PointType = typename Superclass::PointType;
  static constexpr unsigned int ImageDimension = TInputImage::ImageDimension;
  ///@}

  /** Gradient of a batch, and its container. */
  using GradientType = CovariantVector<double, ImageDimension>;

  /** True where the module's kernels can evaluate images of this type. */
  static constexpr bool IsAccelerated = CudaSplineDetail::ImageTraits<TInputImage>::IsReadable &&
                                        CudaSpline::IsSupportedScalar<typename TInputImage::PixelType> &&
                                        ImageDimension <= 3;

  /** How the image continues beyond its edges, along one axis (below the image's dimension) or all;
   * CudaSplineAddressMode::Itk until it is set.
   *
   * \exception ExceptionObject there is no such axis, or the interpolator cannot have that mode */
  ///@{
  void
  SetAddressMode(unsigned int axis, CudaSplineAddressMode mode);
  void
  SetAddressMode(CudaSplineAddressMode mode);
  CudaSplineAddressMode
  GetAddressMode(unsigned int axis) const;
  ///@}

  /** Value of the samples outside under CudaSplineAddressMode::GridConstant; 0 until it is set. */
  ///@{
  itkSetMacro(BorderValue, double);
  itkGetConstMacro(BorderValue, double);
  ///@}

  /** Evaluates at continuous indices.
   *
   * \param[in] indices ImageDimension numbers a point, x first, float or double; host memory or, with the results,
   * memory of a device
   * \param[in] count points
   * \param[in] results where the results go
   * \exception ExceptionObject there is no image; derivatives of an interpolator that has none; arrays of which only
   *   some are on a device, or that are on a device that may not be used */
  template <typename TNumber, typename TValue>
  void
  EvaluateAtContinuousIndices(const TNumber *                        indices,
                              SizeValueType                          count,
                              const CudaSplineBatchResults<TValue> & results) const;

  /** Evaluates at places in physical space (mm); see EvaluateAtContinuousIndices().
   *
   * \param[in] points ImageDimension numbers a point, x first, float or double (mm)
   * \param[in] count points
   * \param[in] results where the results go
   * \exception ExceptionObject as EvaluateAtContinuousIndices() */
  template <typename TNumber, typename TValue>
  void
  EvaluateAtPoints(const TNumber * points, SizeValueType count, const CudaSplineBatchResults<TValue> & results) const;

  /** Evaluates at continuous indices in a container; see EvaluateAtContinuousIndices() of arrays.
   *
   * \param[in] indices continuous indices
   * \param[in] results where the results go: host memory, an entry a point in the order of the container
   * \exception ExceptionObject as of arrays */
  template <typename TValue>
  void
  EvaluateAtContinuousIndices(const std::vector<ContinuousIndexType> & indices,
                              const CudaSplineBatchResults<TValue> &   results) const;

  /** Evaluates at places in physical space (mm) in a container; see EvaluateAtPoints() of arrays.
   *
   * \tparam TPoints std::vector of PointType, or a pointer to an itk::VectorContainer or an itk::PointSet
   * \param[in] points places
   * \param[in] results where the results go: host memory, an entry a point in the order of the container
   * \exception ExceptionObject as of arrays */
  template <typename TPoints = std::vector<PointType>, typename TValue = double>
  void
  EvaluateAtPoints(const TPoints & points, const CudaSplineBatchResults<TValue> & results) const;

  /** Values at the indices, or points, of such a container; what is outside gets the default value.
   *
   * \return a value an entry, in the order of the container
   * \exception ExceptionObject there is no image */
  ///@{
  std::vector<OutputType>
  EvaluateAtContinuousIndices(const std::vector<ContinuousIndexType> & indices, OutputType defaultValue = {}) const;
  template <typename TPoints = std::vector<PointType>>
  std::vector<OutputType>
  EvaluateAtPoints(const TPoints & points, OutputType defaultValue = {}) const;
  ///@}

  /** The pixel at an index; outside of the image, along continued axes, the value there.
   *
   * \param[in] index inside: IsInsideBuffer() */
  OutputType
  EvaluateAtIndex(const IndexType & index) const override;

  /** True where a point (mm) or an index is inside, by ITK's rule or because its axes are continued; NaN is not. */
  ///@{
  bool
  IsInsideBuffer(const IndexType & index) const override;
  bool
  IsInsideBuffer(const ContinuousIndexType & index) const override;
  bool
  IsInsideBuffer(const PointType & point) const override;
  ///@}

  /** Whether GetErrorBound() is made for coefficients that are stored as they are computed too, for which they are read
   * once more a batch. Off by default. */
  ///@{
  itkSetMacro(MeasureErrorBound, bool);
  itkGetConstMacro(MeasureErrorBound, bool);
  itkBooleanMacro(MeasureErrorBound);
  ///@}

  /** How far a value of the last batch can be from the exact sum over the coefficients, as
   * CudaResampleImageFilter::GetErrorBound(). */
  itkGetConstMacro(ErrorBound, double);

  /** Frees what batches keep on a device. */
  void
  ReleaseSource()
  {
    m_Sources.Clear();
  }

  /** Where batches run, who ran the last one, and why not an earlier backend; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

protected:
  CudaSplineInterpolateImageFunction() = default;
  ~CudaSplineInterpolateImageFunction() override = default;

  /** Prints the address modes, the choice of backend and who ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Refuses address modes that the interpolator cannot have; this one allows all.
   *
   * \exception ExceptionObject a mode that it cannot have */
  virtual void
  CheckAddressMode(CudaSplineAddressMode) const
  {}

  /** Called after the address modes have changed. */
  virtual void
  AddressModeChanged()
  {}

  /** True if one of the axes is continued beyond ITK's rule. */
  bool
  HasAddressMode() const
  {
    return m_HasAddressMode; // asked by every single evaluation
  }

#if !defined(ITK_WRAPPING_PARSER) // SWIG does not support references to arrays
  /** How the image continues along each axis.
   *
   * \param[in] itk what CudaSplineAddressMode::Itk is between the outermost samples and the bounds
   * \param[out] extension one an axis */
  void
  GetExtensions(CudaSpline::Extension itk, CudaSpline::Extension (&extension)[ImageDimension]) const
  {
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      extension[d] = ExtensionOf(m_AddressMode[d], itk);
    }
  }
#endif

  /** Samples around a point that an interpolator needs: all if an axis is continued, since samples outside may map to
   * any.
   *
   * \param[in] support samples to either side that it needs otherwise */
  typename Superclass::SizeType
  RadiusOf(SizeValueType support) const
  {
    typename Superclass::SizeType radius;
    radius.Fill(support);
    if (this->HasAddressMode() && this->GetInputImage() != nullptr)
    {
      radius = this->GetInputImage()->GetLargestPossibleRegion().GetSize();
    }
    return radius;
  }

  /** Writes the address modes and the border value into a method.
   *
   * \param[in,out] method the method
   * \param[in] itk what CudaSplineAddressMode::Itk is between the outermost samples and the bounds */
  void
  DescribeAddressModes(CudaSplineMethod & method, CudaSpline::Extension itk) const
  {
    for (unsigned int d = 0; d < ImageDimension && d < CudaSpline::MaximumDimension; ++d)
    {
      method.SetAddressMode(d, m_AddressMode[d], itk);
    }
    method.interpolation.border = m_BorderValue;
  }

  /** The elements that batches are evaluated from: the image's pixels here, coefficients in classes that have them.
   *
   * \param[in] method what the kernels do
   * \param[in] isDouble whether arithmetic is double
   * \param[out] descriptor the source
   * \return its pixels, host memory */
  virtual const void *
  DescribeBatchSource(const CudaSplineMethod & method, bool isDouble, CudaSpline::SourceDescriptor & descriptor) const;

  /** Whether derivatives are rotated by the image's direction; as ITK's own interpolators, on. */
  virtual bool
  IsDirectionUsed() const
  {
    return true;
  }

  /** The choice of backend, for classes that run other operations with it. */
  CudaSplineBackend &
  GetBackendSelection() const
  {
    return m_Backend;
  }

private:
  /** What differs by the type of a list. */
  struct List
  {
    const void *           points{ nullptr };
    CudaSpline::ScalarType type{ CudaSpline::ScalarType::Float64 };
    SizeValueType          count{ 0 };
    bool                   physical{ false };
  };

  /** Why the kernels do not evaluate a method on this image. */
  static const char *
  WhyNotAccelerated(const CudaSplineMethod & method)
  {
    return IsAccelerated && method.refusal != nullptr ? method.refusal
                                                      : "only scalar images of 1 to 3 dimensions are accelerated";
  }

  /** A batch that no kernel evaluates, for the trace. */
  std::string
  TraceBatch(SizeValueType count) const
  {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetInputImage()->GetBufferedRegion().GetSize(), ImageDimension) + " -> " +
           std::to_string(count) + " points | one after the other";
  }

  template <typename TValue>
  void
  EvaluateList(const List & list, const CudaSplineBatchResults<TValue> & results) const;

  std::vector<OutputType>
  ValuesOf(const List & list, OutputType defaultValue) const;

  /** Evaluates one after the other, by the class itself, in the calling thread: a user's class may be none for several.
   *
   * \tparam TTake void(SizeValueType, bool, const ContinuousIndexType &): takes an entry, whether it is inside, and its
   * index */
  template <typename TTake>
  void
  EvaluateOneByOne(const CudaSplineMethod & method, const List & list, const TTake & take) const;

  /** The points of a container. */
  ///@{
  static const std::vector<PointType> &
  PointsOf(const std::vector<PointType> & points)
  {
    return points;
  }
  template <typename TIdentifier, typename TPoint>
  static const std::vector<TPoint> &
  PointsOf(const CudaSplineDetail::AnyVectorContainer<TIdentifier, TPoint> * points)
  {
    return points->CastToSTLConstContainer();
  }
  template <typename TPixel, typename TTraits>
  static std::vector<typename TTraits::PointType>
  PointsOf(const PointSet<TPixel, ImageDimension, TTraits> * set);
  ///@}

  /** Indices, or points, that are arrays of numbers. */
  template <typename TElement>
  static List
  ListOf(const std::vector<TElement> & entries, bool physical);

  /** Takes new address modes, after they were checked. */
  void
  TakeAddressModes(const std::array<CudaSplineAddressMode, ImageDimension> & modes);

  void
  Run(const CudaSplineMethod & method, CudaSpline::PointsDescriptor & points, bool isDouble) const;

  /** Geometry of the image, for points and derivatives. */
  void
  DescribeGeometry(CudaSpline::PointsDescriptor & points) const;

  mutable CudaSplineBackend                         m_Backend;
  mutable std::mutex                                m_BatchMutex;
  mutable CudaSpline::SourceCache                   m_Sources{ std::numeric_limits<std::size_t>::max(), 1 };
  std::array<CudaSplineAddressMode, ImageDimension> m_AddressMode{}; // Itk is its first value
  bool                                              m_HasAddressMode{ false };
  double                                            m_BorderValue{ 0.0 };
  bool                                              m_MeasureErrorBound{ false };
  mutable double                                    m_ErrorBound{ std::numeric_limits<double>::quiet_NaN() };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaSplineInterpolateImageFunction.hxx"
#endif

#endif
