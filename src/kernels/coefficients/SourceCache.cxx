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
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/coefficients/ContentChecksum.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include <algorithm>

namespace itk::CudaSpline
{

namespace
{
bool
IsOn(const SampleSource & source, Backend backend, int device)
{
  return source.GetBackend() == backend && (backend == Backend::Cpu || source.GetDevice() == device);
}
} // namespace

SourceCache::SourceCache(std::size_t maximumBytes, std::size_t maximumSources)
  : m_MaximumBytes(maximumBytes)
  , m_MaximumSources(maximumSources)
{}

void
SourceCache::MakeRoom(std::size_t bytes)
{
  const std::size_t allowed = bytes < m_MaximumBytes ? m_MaximumBytes - bytes : 0;
  while (!m_Entries.empty() && (m_Bytes > allowed || m_Entries.size() >= m_MaximumSources))
  {
    m_Bytes -= m_Entries.back().source->GetDescriptor().Bytes();
    m_Entries.pop_back();
  }
}

std::shared_ptr<const SampleSource>
SourceCache::Provide(const SourceDescriptor & descriptor,
                     const void *             pixels,
                     const ExecutionContext & context,
                     bool *                   reused)
{
  if (reused != nullptr)
  {
    *reused = false;
  }
  const bool isOnDevice = context.backend == Backend::Cuda && DeviceOfPointer(pixels) >= 0;
  if (isOnDevice || (context.backend == Backend::Cpu && !descriptor.NeedsPreparation()))
  {
    return MakeSource(descriptor, pixels, context);
  }
  const std::uint64_t checksum = ContentChecksum(pixels, descriptor.PixelBytes(), context);
  const auto          isWanted = [&](const Entry & entry) {
    return entry.checksum == checksum && entry.source->GetDescriptor() == descriptor &&
           IsOn(*entry.source, context.backend, context.device);
  };
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    const auto                        found = std::find_if(m_Entries.begin(), m_Entries.end(), isWanted);
    if (found != m_Entries.end())
    {
      m_Entries.splice(m_Entries.begin(), m_Entries, found);
      if (reused != nullptr)
      {
        *reused = true;
      }
      return found->source;
    }
    if (descriptor.Bytes() <= m_MaximumBytes) // otherwise the source is not kept, and no other one needs to be removed
    {
      this->MakeRoom(descriptor.Bytes());
    }
  }
  // Without the lock, so that other threads continue. If two threads request the same source at the same time, both
  // make it, and one is kept.
  std::shared_ptr<const SampleSource> source;
  try
  {
    source = MakeSource(descriptor, pixels, context);
  }
  catch (const DeviceError & error)
  {
    if (error.GetKind() != DeviceError::Kind::OutOfMemory || this->GetBytesOnDevice(context.device) == 0)
    {
      throw;
    }
    this->Clear(); // cached sources occupy the memory
    source = MakeSource(descriptor, pixels, context);
  }
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (descriptor.Bytes() <= m_MaximumBytes && m_MaximumSources > 0 &&
      std::none_of(m_Entries.begin(), m_Entries.end(), isWanted))
  {
    this->MakeRoom(descriptor.Bytes());
    m_Entries.push_front({ checksum, source });
    m_Bytes += descriptor.Bytes();
  }
  return source;
}

std::size_t
SourceCache::GetBytesOf(const SourceDescriptor & descriptor, Backend backend, int device) const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  std::size_t                       bytes = 0;
  for (const Entry & entry : m_Entries)
  {
    const bool matches = entry.source->GetDescriptor() == descriptor && IsOn(*entry.source, backend, device);
    bytes += matches ? descriptor.Bytes() : 0;
  }
  return bytes;
}

std::size_t
SourceCache::GetBytesOnDevice(int device) const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  std::size_t                       bytes = 0;
  for (const Entry & entry : m_Entries)
  {
    bytes += IsOn(*entry.source, Backend::Cuda, device) ? entry.source->GetDescriptor().Bytes() : 0;
  }
  return bytes;
}

std::size_t
SourceCache::GetBytes() const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return m_Bytes;
}

void
SourceCache::SetMaximumBytes(std::size_t bytes)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_MaximumBytes = bytes;
  while (!m_Entries.empty() && m_Bytes > m_MaximumBytes)
  {
    m_Bytes -= m_Entries.back().source->GetDescriptor().Bytes();
    m_Entries.pop_back();
  }
}

std::size_t
SourceCache::GetMaximumBytes() const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return m_MaximumBytes;
}

void
SourceCache::Clear()
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Entries.clear();
  m_Bytes = 0;
}

} // namespace itk::CudaSpline
