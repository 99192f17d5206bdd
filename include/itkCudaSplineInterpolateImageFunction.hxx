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
#ifndef itkCudaSplineInterpolateImageFunction_hxx
#define itkCudaSplineInterpolateImageFunction_hxx

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/evaluation/ErrorBounds.h"
#include "itkCudaSpline/math/PixelAccess.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace itk
{

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::PrintSelf(std::ostream & os,
                                                                                   Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "AddressMode:";
  for (const CudaSplineAddressMode mode : m_AddressMode)
  {
    os << ' ' << mode;
  }
  os << std::endl;
  os << indent << "BorderValue: " << m_BorderValue << std::endl;
  os << indent << "MeasureErrorBound: " << (m_MeasureErrorBound ? "On" : "Off") << std::endl;
  os << indent << "ErrorBound: " << m_ErrorBound << std::endl;
  m_Backend.Print(os, indent);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::SetAddressMode(unsigned int          axis,
                                                                                        CudaSplineAddressMode mode)
{
  if (axis >= ImageDimension)
  {
    itkExceptionMacro(<< "Axis " << axis << " does not exist; the image has " << ImageDimension
                      << " axes, numbered from 0.");
  }
  if (mode != m_AddressMode[axis])
  {
    this->CheckAddressMode(mode);
    auto modes = m_AddressMode;
    modes[axis] = mode;
    this->TakeAddressModes(modes);
  }
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::SetAddressMode(CudaSplineAddressMode mode)
{
  std::array<CudaSplineAddressMode, ImageDimension> modes;
  modes.fill(mode);
  if (modes != m_AddressMode)
  {
    this->CheckAddressMode(mode);
    this->TakeAddressModes(modes);
  }
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::TakeAddressModes(
  const std::array<CudaSplineAddressMode, ImageDimension> & modes)
{
  const auto take = [this](const auto & taken) {
    m_AddressMode = taken;
    m_HasAddressMode = std::any_of(
      taken.begin(), taken.end(), [](CudaSplineAddressMode mode) { return mode != CudaSplineAddressMode::Itk; });
    this->Modified();
  };
  const auto before = m_AddressMode;
  take(modes);
  try
  {
    this->AddressModeChanged();
  }
  catch (...)
  {
    take(before); // of which the coefficients still are
    throw;
  }
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
CudaSplineAddressMode
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::GetAddressMode(unsigned int axis) const
{
  if (axis >= ImageDimension)
  {
    itkExceptionMacro(<< "Axis " << axis << " does not exist; the image has " << ImageDimension
                      << " axes, numbered from 0.");
  }
  return m_AddressMode[axis];
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
bool
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::IsInsideBuffer(const IndexType & index) const
{
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    if (m_AddressMode[d] == CudaSplineAddressMode::Itk &&
        (index[d] < this->m_StartIndex[d] || index[d] > this->m_EndIndex[d]))
    {
      return false;
    }
  }
  return true;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
bool
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::IsInsideBuffer(
  const ContinuousIndexType & index) const
{
  for (unsigned int d = 0; d < ImageDimension; ++d)
  {
    const bool   bounded = m_AddressMode[d] == CudaSplineAddressMode::Itk;
    const double lower = bounded ? this->m_StartContinuousIndex[d] : -CudaSplineDetail::LargestIndex;
    const double upper = bounded ? this->m_EndContinuousIndex[d] : CudaSplineDetail::LargestIndex;
    if (!(index[d] >= lower && index[d] < upper)) // so that NaN is outside
    {
      return false;
    }
  }
  return true;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
bool
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::IsInsideBuffer(const PointType & point) const
{
  ContinuousIndexType index;
  this->ConvertPointToContinuousIndex(point, index);
  return this->IsInsideBuffer(index);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtIndex(const IndexType & index) const
  -> OutputType
{
  for (unsigned int d = 0; d < ImageDimension && this->HasAddressMode(); ++d)
  {
    if (index[d] < this->m_StartIndex[d] || index[d] > this->m_EndIndex[d])
    {
      return this->EvaluateAtContinuousIndex(ContinuousIndexType(index)); // where the image has no pixel
    }
  }
  return Superclass::EvaluateAtIndex(index);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TNumber, typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const TNumber *                        indices,
  SizeValueType                          count,
  const CudaSplineBatchResults<TValue> & results) const
{
  static_assert(std::is_floating_point<TNumber>::value, "Continuous indices are float or double.");
  this->EvaluateList({ indices, CudaSpline::ScalarTypeOf<TNumber>(), count, false }, results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TNumber, typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const TNumber *                        points,
  SizeValueType                          count,
  const CudaSplineBatchResults<TValue> & results) const
{
  static_assert(std::is_floating_point<TNumber>::value, "Points are float or double.");
  this->EvaluateList({ points, CudaSpline::ScalarTypeOf<TNumber>(), count, true }, results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::DescribeGeometry(
  CudaSpline::PointsDescriptor & points) const
{
  const TInputImage * const          image = this->GetInputImage();
  CudaSpline::TransformChain::Matrix unused{};
  CudaSplineDetail::DescribeAxes<ImageDimension>(image, points.origin, unused, points.pointToIndex);
  for (unsigned int r = 0; r < ImageDimension; ++r)
  {
    for (unsigned int c = 0; c < ImageDimension; ++c)
    {
      // As ITK's interpolators: by the spacing, then rotated.
      const double direction = this->IsDirectionUsed() ? image->GetDirection()[r][c] : (r == c ? 1.0 : 0.0);
      points.gradientMap[r][c] = direction / image->GetSpacing()[c];
    }
  }
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
const void *
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::DescribeBatchSource(
  const CudaSplineMethod &       method,
  bool                           isDouble,
  CudaSpline::SourceDescriptor & descriptor) const
{
  const void * pixels = nullptr;
  if constexpr (CudaSplineDetail::ImageTraits<TInputImage>::IsReadable) // others never come here
  {
    const TInputImage * const image = this->GetInputImage();
    descriptor = CudaSplineDetail::DescribeSource(image);
    if (!CudaSpline::MovesPixels(method.interpolation.interpolation))
    {
      descriptor.element = isDouble || CudaSpline::NeedsDoublePrecision(descriptor.pixel)
                             ? CudaSpline::ScalarType::Float64
                             : CudaSpline::ScalarType::Float32;
    }
    CudaSplineDetail::DescribeMethodSource(method, descriptor);
    pixels = image->GetBufferPointer();
  }
  return pixels;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateList(
  const List &                           list,
  const CudaSplineBatchResults<TValue> & results) const
{
  static_assert(CudaSpline::IsSupportedScalar<TValue>, "Results are of a scalar type of ITK's images.");
  if (this->GetInputImage() == nullptr)
  {
    itkExceptionMacro(<< "The interpolator has no image. Call SetInputImage() first.");
  }
  const CudaSplineMethod method = this->DescribeMethod(this->GetInputImage());
  if constexpr (IsAccelerated)
  {
    if (method.refusal == nullptr)
    {
      CudaSpline::PointsDescriptor points;
      static_cast<CudaSpline::InterpolationDescriptor &>(points) =
        CudaSplineDetail::DescribeInterpolation<TCoordRep>(method, this->GetInputImage()->GetBufferedRegion());
      this->DescribeGeometry(points);
      points.count = static_cast<std::int64_t>(list.count);
      points.points = list.points;
      points.pointType = list.type;
      points.physical = list.physical;
      points.derivatives = results.hessians != nullptr ? CudaSpline::Derivatives::Second
                                                       : (results.gradients != nullptr ? CudaSpline::Derivatives::First
                                                                                       : CudaSpline::Derivatives::None);
      points.output = CudaSpline::ScalarTypeOf<TValue>();
      points.values = results.values;
      points.gradients = results.gradients;
      points.hessians = results.hessians;
      points.inside = results.inside;
      points.stream = results.stream;
      std::memcpy(&points.defaultPixel, &results.defaultValue, sizeof(TValue));
      this->Run(method, points, CudaSpline::NeedsDoublePrecision(points.output));
      return;
    }
  }
  // One after the other, by the class itself.
  if (CudaSpline::DeviceOfPointer(list.points) >= 0)
  {
    itkExceptionMacro(<< "Points on a device are not supported by this interpolator: " << WhyNotAccelerated(method));
  }
  if (results.gradients != nullptr || results.hessians != nullptr)
  {
    itkExceptionMacro(<< "Derivatives of a batch are not supported by this interpolator: "
                      << WhyNotAccelerated(method));
  }
  if constexpr (std::is_convertible<OutputType, double>::value)
  {
    this->EvaluateOneByOne(
      method, list, [this, &results](SizeValueType i, bool inside, const ContinuousIndexType & at) {
        if (results.values != nullptr && inside)
        {
          // As the kernels convert: an integer type takes what it can hold that is nearest.
          CudaSpline::StoreScalar(results.values,
                                  CudaSpline::ScalarTypeOf<TValue>(),
                                  static_cast<std::int64_t>(i),
                                  static_cast<double>(this->EvaluateAtContinuousIndex(at)));
        }
        else if (results.values != nullptr)
        {
          results.values[i] = results.defaultValue;
        }
        if (results.inside != nullptr)
        {
          results.inside[i] = inside ? 1 : 0;
        }
      });
  }
  else
  {
    itkExceptionMacro(<< "Batches of points are supported only for images of scalars.");
  }
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::Run(const CudaSplineMethod &       method,
                                                                             CudaSpline::PointsDescriptor & points,
                                                                             bool isDouble) const
{
  const int device = CudaSpline::DeviceOfPointer(points.points);
  for (const void * array : { points.values, points.gradients, points.hessians, static_cast<void *>(points.inside) })
  {
    if (array != nullptr && CudaSpline::DeviceOfPointer(array) != device)
    {
      itkExceptionMacro(
        << "The points are on " << (device < 0 ? std::string("the host") : "device " + std::to_string(device))
        << " and a result is not; points and results must all be in host memory, or all on the same device.");
    }
  }
  points.onDevice = device >= 0;

  CudaSpline::SourceDescriptor samples;
  const void * const           pixels = this->DescribeBatchSource(method, isDouble, samples);

  // One batch at a time: they share the source and the record of who ran.
  const std::lock_guard<std::mutex> lock(m_BatchMutex);
  m_ErrorBound = std::numeric_limits<double>::quiet_NaN();
  CudaSplineBackend::Operation operation;
  operation.run = [&](const CudaSpline::ExecutionContext & context) {
    const auto source = m_Sources.Provide(samples, pixels, context.Part(0.0, 0.4));
    CudaSpline::SamplePoints(points, *source, context.Part(0.4, 1.0));
    if (CudaSpline::GivesErrorBound(points, samples, m_MeasureErrorBound))
    {
      try
      {
        m_ErrorBound = CudaSpline::ModeErrorBound(points, *source, context);
      }
      catch (const CudaSpline::DeviceError & error)
      {
        if (error.GetKind() != CudaSpline::DeviceError::Kind::OutOfMemory)
        {
          throw;
        } // else it is not known: the batch itself is done
      }
    }
  };
  operation.describe = [&] {
    return std::string(this->GetNameOfClass()) + " | " + CudaSplineDetail::TraceSource(samples) + " -> " +
           std::to_string(points.count) + " points | " + CudaSplineDetail::TraceMethod(points, samples);
  };
  if (points.onDevice)
  {
    // Only enqueued: whoever frees the source waits for it (SamplePoints()).
    m_Backend.RunOnDevice(device, operation);
    return;
  }
  operation.work = [&](int candidate) {
    const CudaSpline::OperationWork evaluating = CudaSpline::CountPointsWork(samples, points);
    const CudaSpline::OperationWork making = CudaSpline::CountSourceWork(samples) + evaluating;
    const auto                      isKept = [&](CudaSpline::Backend backend) {
      return m_Sources.GetBytesOf(samples, backend, candidate) > 0;
    };
    return CudaSpline::BackendWork{ isKept(CudaSpline::Backend::Cpu) ? evaluating : making,
                                    isKept(CudaSpline::Backend::Cuda) ? evaluating : making,
                                    evaluating };
  };
  operation.memory = [&](int candidate) {
    const std::size_t kept = m_Sources.GetBytesOf(samples, CudaSpline::Backend::Cuda, candidate);
    const std::size_t budget = CudaSpline::AvailableDeviceMemory(candidate, std::min(kept, samples.Bytes()));
    const auto        making = CudaSpline::PlanSource(samples, budget);
    return making.fits ? CudaSpline::PlanPoints(samples, points, budget) : making;
  };
  const auto threader = MultiThreaderBase::New();
  m_Backend.Run(operation, threader, nullptr);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPixel, typename TTraits>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::PointsOf(
  const PointSet<TPixel, ImageDimension, TTraits> * set) -> std::vector<typename TTraits::PointType>
{
  std::vector<typename TTraits::PointType> points; // the container may be a map
  const auto * const                       container = set->GetPoints();
  if (container != nullptr) // a set that was never given any
  {
    points.reserve(container->Size());
    for (auto it = container->Begin(); it != container->End(); ++it)
    {
      points.push_back(it.Value());
    }
  }
  return points;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TElement>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::ListOf(const std::vector<TElement> & entries,
                                                                                bool physical) -> List
{
  using Number = typename TElement::ValueType;
  static_assert(sizeof(TElement) == ImageDimension * sizeof(Number), "Points are arrays of ImageDimension numbers.");
  return { entries.data(), CudaSpline::ScalarTypeOf<Number>(), entries.size(), physical };
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const std::vector<ContinuousIndexType> & indices,
  const CudaSplineBatchResults<TValue> &   results) const
{
  this->EvaluateList(ListOf(indices, false), results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPoints, typename TValue>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(
  const TPoints &                        points,
  const CudaSplineBatchResults<TValue> & results) const
{
  const auto & entries = PointsOf(points);
  this->EvaluateList(ListOf(entries, true), results);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtContinuousIndices(
  const std::vector<ContinuousIndexType> & indices,
  OutputType                               defaultValue) const -> std::vector<OutputType>
{
  return this->ValuesOf(ListOf(indices, false), defaultValue);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TPoints>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateAtPoints(const TPoints & points,
                                                                                          OutputType defaultValue) const
  -> std::vector<OutputType>
{
  const auto & entries = PointsOf(points);
  return this->ValuesOf(ListOf(entries, true), defaultValue);
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
auto
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::ValuesOf(const List & list,
                                                                                  OutputType   defaultValue) const
  -> std::vector<OutputType>
{
  std::vector<OutputType> values(list.count, defaultValue);
  if (this->GetInputImage() == nullptr)
  {
    itkExceptionMacro(<< "The interpolator has no image. Call SetInputImage() first.");
  }
  if (list.count == 0)
  {
    return values;
  }
  if constexpr (CudaSpline::IsSupportedScalar<OutputType>)
  {
    CudaSplineBatchResults<OutputType> results;
    results.values = values.data();
    results.defaultValue = defaultValue;
    this->EvaluateList(list, results);
  }
  else
  {
    this->EvaluateOneByOne(this->DescribeMethod(this->GetInputImage()),
                           list,
                           [this, &values](SizeValueType i, bool inside, const ContinuousIndexType & at) {
                             if (inside)
                             {
                               values[i] = this->EvaluateAtContinuousIndex(at);
                             }
                           });
  }
  return values;
}

template <typename TSuperclass, typename TInputImage, typename TCoordRep>
template <typename TTake>
void
CudaSplineInterpolateImageFunction<TSuperclass, TInputImage, TCoordRep>::EvaluateOneByOne(
  const CudaSplineMethod & method,
  const List &             list,
  const TTake &            take) const
{
  const CudaSplineTrace::Describe describe = [this, &list] { return this->TraceBatch(list.count); };
  CudaSplineTrace                 trace(describe);
  for (SizeValueType i = 0; i < list.count; ++i)
  {
    PointType           point;
    ContinuousIndexType index;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      const auto at = static_cast<std::int64_t>(i * ImageDimension + d);
      point[d] = CudaSpline::LoadScalar<TCoordRep>(list.points, list.type, at);
      index[d] = point[d];
    }
    if (list.physical)
    {
      this->ConvertPointToContinuousIndex(point, index);
    }
    take(i, this->IsInsideBuffer(index), index);
  }
  const std::lock_guard<std::mutex> lock(m_BatchMutex);
  m_ErrorBound = std::numeric_limits<double>::quiet_NaN();
  m_Backend.RecordSuperclass(WhyNotAccelerated(method));
  trace.Finish(m_Backend);
}

} // namespace itk

#endif
