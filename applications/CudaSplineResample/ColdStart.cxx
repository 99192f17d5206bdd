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
#include "ColdStart.h"

#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkMultiThreaderBase.h"
#include "itkTransform.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace CudaSplineResample
{

namespace
{
double
FileBytes(const std::string & path)
{
  std::error_code      error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0.0 : static_cast<double>(bytes);
}

/** Describes the coordinates of the samples like itk::CudaResampleImageFilter: the ends of scanlines, which are the
 * default of a descriptor, a chain, or ITK's own functions.
 *
 * \return false if the transform has another dimension */
template <unsigned int VDimension>
bool
DescribeTransform(const itk::TransformBase *            transform,
                  itk::CudaSpline::TransformChain &     chain,
                  itk::CudaSpline::ResampleDescriptor & resample)
{
  const auto * const mapping = dynamic_cast<const itk::Transform<double, VDimension, VDimension> *>(transform);
  if (mapping == nullptr)
  {
    return false;
  }
  if (!mapping->IsLinear())
  {
    if (itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(mapping, chain))
    {
      resample.chain = &chain;
    }
    else
    {
      resample.indexProvider = [](std::int64_t, std::int64_t, double *) {}; // only its existence matters
    }
  }
  return true;
}
} // namespace

double
MinReadSeconds(const ImageDescription & input)
{
  // Rates in bytes per second that no file format of ITK exceeds on known machines: for a copy from the page cache, and
  // for decompression. Real readers are slower, so a start that overlaps with this time always overlaps with reading.
  constexpr double copied = 4.0e9;
  constexpr double inflated = 5.0e8;

  const double voxelBytes = static_cast<double>(input.grid.GetNumberOfVoxels() * itk::CudaSpline::SizeOf(input.type));
  double       fileBytes = input.slices.empty() ? FileBytes(input.path) : 0.0;
  for (const std::string & slice : input.slices)
  {
    fileBytes += FileBytes(slice);
  }
  // A small file may be a header whose data are in another file. If it were treated as compressed, the estimate would
  // be too long.
  const bool isCompressed = fileBytes > 0.05 * voxelBytes && fileBytes < 0.95 * voxelBytes;
  return voxelBytes / (isCompressed ? inflated : copied);
}

void
StartDeviceAhead(const ResampleRequest & request, const ImageDescription & input)
{
  const auto &        method = request.interpolation.method;
  const Interpolation kind = method.interpolation;
  if (method.isOfIndicators || kind == Interpolation::LabelGaussian)
  {
    return; // usually for the host
  }
  const bool                        isNearest = kind == Interpolation::Nearest;
  itk::CudaSpline::SourceDescriptor source;
  source.dimension = input.grid.dimension;
  std::copy_n(input.grid.size.begin(), source.dimension, source.size.begin());
  source.pixel = input.type;
  const bool needsDouble =
    itk::CudaSpline::NeedsDoublePrecision(input.type) || itk::CudaSpline::NeedsDoublePrecision(request.outputType);
  source.element = isNearest ? input.type : (needsDouble ? ScalarType::Float64 : ScalarType::Float32);
  source.order = HasCoefficients(kind) ? request.interpolation.order : 0;

  itk::CudaSpline::ResampleDescriptor resample;
  resample.interpolation = kind;
  resample.cubic = method.cubic;
  resample.window = method.window;
  resample.radius = static_cast<int>(request.interpolation.radius);
  resample.output = request.outputType;
  resample.samples = static_cast<std::int64_t>(request.outputGrid.size[0]);
  resample.lines = static_cast<std::int64_t>(request.outputGrid.size[1] * request.outputGrid.size[2]);
  itk::CudaSpline::TransformChain chain;
  if (!DescribeTransform<2>(request.transform, chain, resample))
  {
    DescribeTransform<3>(request.transform, chain, resample);
  }
  itk::CudaSpline::BackendWork work;
  work.host = itk::CudaSpline::CountSourceWork(source) + itk::CudaSpline::CountResampleWork(source, resample);
  work.device = work.host;
  work.calls = request.expectedImages;
  itk::CudaSpline::StartDeviceAhead(request.device,
                                    work,
                                    itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads(),
                                    MinReadSeconds(input),
                                    itk::CudaSpline::ResampleKernelsLoader(source, resample));
}

} // namespace CudaSplineResample
