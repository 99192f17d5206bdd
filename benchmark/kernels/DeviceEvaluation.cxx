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
#include "DeviceEvaluation.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "kernels/evaluation/EvaluationCuda.h"
#include "kernels/resampling/GatherSource.h"
#include "kernels/resampling/MapShape.h"
#include "kernels/resampling/ResampleBackends.h"

#include <cuda_runtime_api.h>

#include <vector>

using namespace itk::CudaSpline;

namespace
{
std::size_t
BytesOf(const ResampleDescriptor & descriptor)
{
  return static_cast<std::size_t>(descriptor.samples * descriptor.lines) * SizeOf(descriptor.output);
}
} // namespace

DeviceEvaluation::DeviceEvaluation(const ResampleDescriptor &                  descriptor,
                                   Derivatives                                 derivatives,
                                   const std::shared_ptr<const SampleSource> & source,
                                   const ExecutionContext &                    context)
  : m_Descriptor(descriptor)
  , m_Tiles(std::make_unique<const MapTiles>(PlanMapTiles(descriptor, source->GetDescriptor(), context)))
  , m_Derivatives(derivatives)
  , m_Source(source)
  , m_Scope(context.device)
  , m_Ends(static_cast<std::size_t>(descriptor.lines) * 2 * source->GetDescriptor().dimension * sizeof(double),
           m_Stream)
  , m_Alphas(static_cast<std::size_t>(descriptor.samples) * sizeof(double), m_Stream)
  , m_Values(BytesOf(descriptor), m_Stream)
  , m_Gradients(derivatives == Derivatives::None ? 0 : BytesOf(descriptor) * source->GetDescriptor().dimension,
                m_Stream)
{
  CheckCuda(
    cudaMemcpyAsync(m_Ends.Data(), descriptor.scanlineEnds, m_Ends.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
    "cudaMemcpyAsync");
  std::vector<double> alphas;
  for (std::int64_t i = 0; i < descriptor.samples; ++i)
  {
    alphas.push_back(static_cast<double>(descriptor.lineOffset + i) / static_cast<double>(descriptor.lineLength));
  }
  CheckCuda(cudaMemcpyAsync(m_Alphas.Data(), alphas.data(), m_Alphas.Bytes(), cudaMemcpyHostToDevice, m_Stream.Get()),
            "cudaMemcpyAsync");
  m_Stream.Synchronize();
  for (int use = 0; use < 2; ++use) // as after the first use
  {
    m_Gathered = GatherTextureOf(descriptor, *source, [&context] { return AvailableDeviceMemory(context.device); });
  }
  CheckCuda(cudaEventCreate(&m_Begin), "cudaEventCreate");
  CheckCuda(cudaEventCreate(&m_End), "cudaEventCreate");
}

DeviceEvaluation::~DeviceEvaluation()
{
  for (CUevent_st * const event : { m_Begin, m_End })
  {
    if (event != nullptr)
    {
      static_cast<void>(cudaEventDestroy(event));
    }
  }
}

template <unsigned int VDimension>
void
DeviceEvaluation::Enqueue()
{
  auto arguments = MakeResampleArguments<VDimension>(m_Descriptor, *m_Source);
  arguments.ends = static_cast<const ScanlineEnds<VDimension> *>(m_Ends.Data());
  arguments.alphas = static_cast<const double *>(m_Alphas.Data());
  arguments.tiles = *m_Tiles;
  if (m_Gathered != nullptr)
  {
    arguments.texture = m_Gathered->Get();
  }
  arguments.output = m_Values.Data();
  arguments.gradients = m_Gradients.Data();
  arguments.count = m_Descriptor.samples * m_Descriptor.lines;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    arguments.gradientMap[d][d] = 1.0;
  }
  LaunchEvaluation(m_Descriptor.interpolation,
                   m_Source->GetDescriptor(),
                   m_Derivatives,
                   arguments,
                   m_Descriptor.lines,
                   m_Stream.Get());
}

double
DeviceEvaluation::Time()
{
  CheckCuda(cudaEventRecord(m_Begin, m_Stream.Get()), "cudaEventRecord");
  if (m_Source->GetDescriptor().dimension == 2)
  {
    this->Enqueue<2>();
  }
  else
  {
    this->Enqueue<3>();
  }
  CheckCuda(cudaEventRecord(m_End, m_Stream.Get()), "cudaEventRecord");
  m_Stream.Synchronize();
  float milliseconds = 0.0F;
  CheckCuda(cudaEventElapsedTime(&milliseconds, m_Begin, m_End), "cudaEventElapsedTime");
  return 1e-3 * static_cast<double>(milliseconds);
}
