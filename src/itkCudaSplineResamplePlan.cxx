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
#include "itkCudaSplineResamplePlan.h"
#include "itkCudaSpline/itk/ResampleOperation.h"

#include <algorithm>
#include <cstdio>

namespace itk
{

namespace
{
/** Returns for example "1.50 GB", "12.0 MB", "3.4 KB". */
std::string
BytesText(std::size_t bytes)
{
  const char * const units[] = { "KB", "MB", "GB", "TB" };
  double             number = static_cast<double>(bytes) / 1024.0;
  std::size_t        unit = 0;
  for (; number >= 1000.0 && unit < 3; ++unit)
  {
    number /= 1024.0;
  }
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", number, units[unit]);
  return text;
}

std::string
MillisecondsText(double seconds)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f ms", 1000.0 * seconds);
  return text;
}

} // namespace

void
CudaSplineResamplePlan::Describe(CudaSpline::ResampleJob & job,
                                 const CudaSplineBackend & backendChoice,
                                 unsigned int              threads,
                                 const std::string &       name,
                                 const std::string &       size)
{
  const CudaSplineBackend prediction =
    backendChoice.Predict(CudaSplineDetail::MakeResampleOperation(job, {}, name, size), threads);
  const CudaSpline::ResampleTask & task = job.GetTask();
  const CudaSpline::ResamplePlan   plan = job.Plan(prediction.GetChosenDevices());
  operation = CudaSplineDetail::TraceResampling(name, size, job, &plan);
  backend = prediction.GetLastBackend();
  reason = prediction.GetFallbackReason();
  devices = plan.devices;
  pieces = plan.Count();
  for (const CudaSpline::ResamplePiece & box : plan.GetBoxes(task))
  {
    const CudaSpline::ResampleTask part = CudaSpline::TaskOf(task, box);
    CudaSpline::BackendWork        both;
    both.host = CudaSpline::CountTaskWork(part);
    both.device = both.host;
    const CudaSpline::CallForecast estimate = CudaSpline::ForecastOnThisMachine(both, threads);
    if (backend != CudaSpline::Backend::Cuda)
    {
      seconds += estimate.host;
      continue;
    }
    // Devices that share the work finish at about the same time.
    seconds += estimate.device / static_cast<double>(devices.size());
    deviceBytes = std::max(deviceBytes, box.memory.PeakBytes());
    uploadBytes += part.samples.PixelBytes() * (task.needsOutside ? 2 : 1) + box.memory.tableBytes;
    downloadBytes += static_cast<std::size_t>(part.resampling.samples * part.resampling.lines) *
                     CudaSpline::SizeOf(part.resampling.output) * task.samples.components;
    slabs += (part.resampling.lines + box.memory.slabLines - 1) / std::max<std::int64_t>(box.memory.slabLines, 1);
  }
}

std::ostream &
operator<<(std::ostream & stream, const CudaSplineResamplePlan & plan)
{
  stream << "operation: " << plan.operation << '\n' << "backend: " << CudaSpline::NameOf(plan.backend);
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
  {
    stream << (i > 0 ? ", " : (plan.devices.size() > 1 ? ", devices " : ", device ")) << plan.devices[i];
  }
  stream << '\n';
  if (!plan.reason.empty())
  {
    stream << "reason: " << plan.reason << '\n';
  }
  if (plan.backend == CudaSpline::Backend::Superclass)
  {
    return stream;
  }
  stream << "pieces: " << plan.pieces << '\n';
  if (plan.backend == CudaSpline::Backend::Cuda)
  {
    stream << "slabs: " << plan.slabs << '\n'
           << "device memory: " << BytesText(plan.deviceBytes) << '\n'
           << "transfers: " << BytesText(plan.uploadBytes) << " to the device, " << BytesText(plan.downloadBytes)
           << " back\n";
  }
  return stream << "estimate: " << MillisecondsText(plan.seconds) << '\n';
}

} // namespace itk
