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
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

namespace itk::CudaSpline
{

Uploader::Uploader(HostCopy copy)
  : m_Copy(std::move(copy))
{
  for (PinnedBuffer & buffer : m_Staging)
  {
    buffer = PinnedBuffer(StagingBytes);
  }
}

void
Uploader::Copy(void * device, const void * host, std::size_t bytes, const Stream & stream)
{
  for (std::size_t at = 0; at < bytes; at += StagingBytes)
  {
    const std::size_t piece = std::min(StagingBytes, bytes - at);
    m_Sent[m_Next].Synchronize(); // the buffer's last content has left
    m_Copy(m_Staging[m_Next].Data(), static_cast<const char *>(host) + at, piece);
    CheckCuda(
      cudaMemcpyAsync(
        static_cast<char *>(device) + at, m_Staging[m_Next].Data(), piece, cudaMemcpyHostToDevice, stream.Get()),
      "cudaMemcpyAsync");
    m_Sent[m_Next].Record(stream);
    m_Next = (m_Next + 1) % m_Staging.size();
  }
}

Uploader::~Uploader()
{
  // The buffers go back to the pool: what they hold must have left.
  for (const Event & sent : m_Sent)
  {
    try
    {
      sent.Synchronize();
    }
    catch (const DeviceError &)
    {
      // A lost device reads nothing any more.
    }
  }
}

void
DownloadThroughStaging(void *           host,
                       const void *     device,
                       std::size_t      bytes,
                       const Stream &   stream,
                       const HostCopy & copy)
{
  std::array<PinnedBuffer, 2> staging{ PinnedBuffer(StagingBytes), PinnedBuffer(StagingBytes) };
  std::array<Event, 2>        arrived;
  const std::size_t           pieces = (bytes + StagingBytes - 1) / StagingBytes;
  try
  {
    for (std::size_t piece = 0; piece <= pieces; ++piece)
    {
      if (piece < pieces)
      {
        const std::size_t at = piece * StagingBytes;
        CheckCuda(cudaMemcpyAsync(staging[piece % 2].Data(),
                                  static_cast<const char *>(device) + at,
                                  std::min(StagingBytes, bytes - at),
                                  cudaMemcpyDeviceToHost,
                                  stream.Get()),
                  "cudaMemcpyAsync");
        arrived[piece % 2].Record(stream);
      }
      if (piece > 0)
      {
        const std::size_t at = (piece - 1) * StagingBytes;
        arrived[(piece - 1) % 2].Synchronize();
        copy(static_cast<char *>(host) + at, staging[(piece - 1) % 2].Data(), std::min(StagingBytes, bytes - at));
      }
    }
  }
  catch (...)
  {
    IgnoreCuda(cudaStreamSynchronize(stream.Get())); // the buffers go back to the pool
    throw;
  }
}

} // namespace itk::CudaSpline
