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
#ifndef itkCudaTransformToDisplacementFieldFilter_hxx
#define itkCudaTransformToDisplacementFieldFilter_hxx

#include "itkCudaTransformToDisplacementFieldFilter.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include "itkSpecialCoordinatesImage.h"

namespace itk
{

template <typename TOutputImage, typename TParametersValueType>
void
CudaTransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>::PrintSelf(std::ostream & os,
                                                                                      Indent         indent) const
{
  Superclass::PrintSelf(os, indent);
  m_Backend.Print(os, indent);
}

template <typename TOutputImage, typename TParametersValueType>
bool
CudaTransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>::DescribeChain(
  bool                         isLinear,
  CudaSpline::TransformChain & chain) const
{
  // In float precision ITK rounds intermediate points, which only its own functions reproduce.
  if constexpr (IsAccelerated && std::is_same<TParametersValueType, double>::value)
  {
    using Describer = CudaSplineDetail::TransformDescriber<ImageDimension>;
    const auto * const transform = this->GetTransform();
    if (!(isLinear ? Describer::AppendScanlines(transform, chain) : Describer::Append(transform, chain)))
    {
      return false;
    }
    CudaSpline::TransformChain::Matrix unused{};
    CudaSplineDetail::DescribeAxes<ImageDimension>(this->GetOutput(), chain.outputOrigin, chain.indexToPoint, unused);
    const auto & wanted = this->GetOutput()->GetRequestedRegion();
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      chain.regionStart[d] = wanted.GetIndex(d);
      chain.regionSize[d] = static_cast<std::int64_t>(wanted.GetSize(d));
    }
    return true;
  }
  else
  {
    (void)isLinear;
    (void)chain;
    return false;
  }
}

template <typename TOutputImage, typename TParametersValueType>
std::unique_ptr<double[]>
CudaTransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>::MapScanlines(
  const CudaSpline::ExecutionContext & context) const
{
  const TOutputImage * const output = this->GetOutput();
  const auto &               wanted = output->GetRequestedRegion();
  const auto &               largest = output->GetLargestPossibleRegion();
  auto                       lines = wanted;
  lines.SetSize(0, 1);
  const auto count = static_cast<std::int64_t>(lines.GetNumberOfPixels());
  // Not a vector: this thread would write all of it first.
  std::unique_ptr<double[]> ends(new double[static_cast<std::size_t>(count) * 2 * ImageDimension]);
  const auto                map = [&](const typename TOutputImage::IndexType & index, double * at) {
    typename Superclass::PointType from;
    typename Superclass::PointType to;
    output->TransformIndexToPhysicalPoint(index, from);
    to = this->GetTransform()->TransformPoint(from);
    const auto displacement = to - from;
    for (unsigned int d = 0; d < ImageDimension; ++d)
    {
      at[d] = displacement[d];
    }
  };
  context.ParallelFor(count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line)
    {
      double * const at = ends.get() + static_cast<std::size_t>(line) * 2 * ImageDimension;
      auto           index = wanted.GetIndex();
      std::int64_t   rest = line;
      for (unsigned int d = 1; d < ImageDimension; ++d)
      {
        const auto size = static_cast<std::int64_t>(wanted.GetSize(d));
        index[d] += static_cast<IndexValueType>(rest % size);
        rest /= size;
      }
      index[0] = largest.GetIndex(0);
      map(index, at);
      index[0] += static_cast<IndexValueType>(largest.GetSize(0));
      map(index, at + ImageDimension);
    }
  });
  return ends;
}

template <typename TOutputImage, typename TParametersValueType>
void
CudaTransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>::GenerateData()
{
  const char * refusal = IsAccelerated ? nullptr
                                       : "only fields of 1 to 3 dimensions of float or double vectors are "
                                         "accelerated";
  if (dynamic_cast<const SpecialCoordinatesImage<typename TOutputImage::PixelType, ImageDimension> *>(
        this->GetOutput()) != nullptr)
  {
    refusal = "images with special coordinates are not accelerated";
  }
  CudaSpline::TransformChain chain;
  const bool                 isLinear = this->GetTransform()->IsLinear();
  if (refusal == nullptr && !isLinear && !this->DescribeChain(false, chain))
  {
    refusal =
      "only linear transforms, and of double precision B-spline and displacement field transforms and composites "
      "of these, are accelerated";
  }
  const CudaSplineTrace::Describe describe = [this] {
    return std::string(this->GetNameOfClass()) + " | " +
           CudaSplineDetail::TraceSize(this->GetOutput()->GetRequestedRegion().GetSize(), ImageDimension) + " | " +
           this->GetTransform()->GetNameOfClass();
  };
  if (refusal != nullptr)
  {
    m_Backend.RunSuperclass(
      refusal, describe, [this] { Superclass::GenerateData(); }, this);
    return;
  }
  if constexpr (IsAccelerated)
  {
    this->AllocateOutputs();
    TOutputImage * const               output = this->GetOutput();
    const auto &                       wanted = output->GetRequestedRegion();
    const auto &                       largest = output->GetLargestPossibleRegion();
    CudaSpline::DisplacementDescriptor descriptor;
    descriptor.dimension = ImageDimension;
    descriptor.output = CudaSpline::ScalarTypeOf<ComponentType>();
    descriptor.samples = static_cast<std::int64_t>(wanted.GetSize(0));
    descriptor.lines =
      descriptor.samples == 0 ? 0 : static_cast<std::int64_t>(wanted.GetNumberOfPixels()) / descriptor.samples;
    descriptor.lineOffset = wanted.GetIndex(0) - largest.GetIndex(0);
    descriptor.lineLength = static_cast<std::int64_t>(largest.GetSize(0));
    descriptor.chain = isLinear ? nullptr : &chain;
    const bool areWhole = descriptor.lineOffset == 0 && descriptor.samples == descriptor.lineLength;
    descriptor.scanlineChain = isLinear && areWhole && this->DescribeChain(true, chain) ? &chain : nullptr;

    CudaSplineBackend::Operation operation;
    operation.work = [&descriptor](int) {
      const CudaSpline::OperationWork work = CudaSpline::CountDisplacementWork(descriptor);
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&descriptor](int device) {
      return CudaSpline::PlanDisplacements(descriptor, CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const bool isMapped =
        isLinear && (descriptor.scanlineChain == nullptr || context.backend != CudaSpline::Backend::Cuda);
      const std::unique_ptr<double[]> ends = isMapped ? this->MapScanlines(context) : nullptr;
      descriptor.scanlineEnds = ends.get();
      CudaSplineDetail::PixelsToWrite field(output, context);
      CudaSpline::MakeDisplacements(descriptor, field.Data(), context);
      field.Finish();
    };
    operation.describe = describe;
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif
