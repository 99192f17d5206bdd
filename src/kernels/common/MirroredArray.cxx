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
#include "itkCudaSpline/kernels/common/MirroredArray.h"

#include "device/LargePages.h"

#include <utility>

namespace itk::CudaSpline
{

namespace
{
ExecutionContext
MakeContext(Backend backend, int device, const HostExecutor * threads)
{
  ExecutionContext context;
  context.backend = backend;
  context.device = device;
  context.host = threads;
  return context;
}

ResidentArray
Allocate(std::size_t bytes, Backend backend, int device)
{
  const Residence residence(MakeContext(backend, device, nullptr));
  ResidentArray   array(bytes, residence);
  residence.Wait(); // the allocation is in the order of its stream
  return array;
}
} // namespace

BackendMemory::BackendMemory(std::size_t bytes, const ExecutionContext & context)
  : m_Backend(context.backend)
  , m_Device(context.device)
  , m_Array(Allocate(bytes, m_Backend, m_Device))
{}

std::shared_ptr<const BackendMemory>
MirroredArray::Get() const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  return m_Memory;
}

void
MirroredArray::Set(std::shared_ptr<const BackendMemory> memory)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  this->Replace(std::move(memory));
}

void
MirroredArray::Replace(std::shared_ptr<const BackendMemory> memory)
{
  m_Memory = std::move(memory);
  m_IsOnBackend.store(m_Memory != nullptr, std::memory_order_release);
}

bool
MirroredArray::MoveToHost(void * host, const HostExecutor * threads)
{
  if (!this->IsOnBackend())
  {
    return false;
  }
  const std::lock_guard<std::mutex>          lock(m_Mutex);
  const std::shared_ptr<const BackendMemory> memory = m_Memory;
  if (memory == nullptr)
  {
    return false; // another thread has copied it
  }
  try
  {
    AdviseLargePages(host, memory->Bytes());
    const Residence residence(MakeContext(memory->GetBackend(), memory->GetDevice(), threads));
    Download(host, memory->Data(), memory->Bytes(), residence);
  }
  catch (...)
  {
    this->Replace(nullptr);
    throw;
  }
  this->Replace(nullptr);
  return true;
}

} // namespace itk::CudaSpline
