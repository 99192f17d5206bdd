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
#include "itkCudaSpline/itk/DevicePixels.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace itk::CudaSplineDetail
{

namespace
{
/** Sets a flag, and resets it at the end, also after an exception. */
class FlagScope
{
public:
  explicit FlagScope(bool & flag)
    : m_Flag(flag)
  {
    m_Flag = true;
  }
  FlagScope(const FlagScope &) = delete;
  FlagScope &
  operator=(const FlagScope &) = delete;
  ~FlagScope() { m_Flag = false; }

private:
  bool & m_Flag;
};

/** Returns false if the user has set CUDASPLINE_IMAGES_ON_DEVICE to 0. */
bool
ImagesMayStayOnDevice()
{
  const char * const value = std::getenv("CUDASPLINE_IMAGES_ON_DEVICE");
  return value == nullptr || std::strcmp(value, "0") != 0;
}

bool
HasDevicePixels(const ProcessObject::DataObjectPointerArray & inputs)
{
  for (const auto & input : inputs)
  {
    if (dynamic_cast<const DevicePixels *>(input.GetPointer()) != nullptr)
    {
      return true;
    }
  }
  return false;
}
} // namespace

DevicePixels::DevicePixels()
  : m_Array(std::make_shared<CudaSpline::MirroredArray>())
{}

DevicePixels::~DevicePixels() = default;

void
DevicePixels::SetDeviceMemory(std::shared_ptr<const CudaSpline::BackendMemory> memory)
{
  m_Array->Set(std::move(memory));
}

void
DevicePixels::CopyToHost(void * host, MultiThreaderBase * threads) const
{
  if (!m_Array->IsOnBackend())
  {
    return;
  }
  if (threads != nullptr)
  {
    const CudaSplineHostExecutor executor(threads);
    m_Array->MoveToHost(host, &executor);
    return;
  }
  // A thread of ITK's pool may read the pixels: it must not wait for other threads of the pool.
  const CudaSpline::ThreadExecutor executor(MultiThreaderBase::GetGlobalDefaultNumberOfThreads());
  m_Array->MoveToHost(host, &executor);
}

void
DevicePixels::Share(const DevicePixels * other)
{
  m_Array = other != nullptr ? other->m_Array : std::make_shared<CudaSpline::MirroredArray>();
}

DeviceReader::DeviceReader(DevicePixels * pixels)
  : m_Pixels(pixels)
{
  if (m_Pixels != nullptr)
  {
    ++m_Pixels->m_Readers;
  }
}

DeviceReader::DeviceReader(DeviceReader && other) noexcept
  : m_Pixels(std::exchange(other.m_Pixels, nullptr))
{}

DeviceReader::~DeviceReader()
{
  if (m_Pixels != nullptr)
  {
    --m_Pixels->m_Readers;
  }
}

DeviceInputs::DeviceInputs(ProcessObject & filter, bool & isUpdating, bool isAccelerated)
{
  const ProcessObject::DataObjectPointerArray inputs = filter.GetInputs();
  if (isUpdating || !isAccelerated || !ImagesMayStayOnDevice() || !HasDevicePixels(inputs))
  {
    return; // ITK updates them
  }
  const FlagScope scope(isUpdating);
  bool            isComplete = true;
  for (const auto & input : inputs)
  {
    if (input.IsNotNull())
    {
      if (inputs.size() > 1)
      {
        input->PropagateRequestedRegion(); // as in itk::ProcessObject::UpdateOutputData()
      }
      const DeviceReader reader(dynamic_cast<DevicePixels *>(input.GetPointer()));
      input->UpdateOutputData();
    }
  }
  for (const auto & input : inputs)
  {
    isComplete = isComplete && (input.IsNull() || !input->GetDataReleased());
  }
  for (auto input = inputs.begin(); isComplete && input != inputs.end(); ++input)
  {
    m_Readers.emplace_back(dynamic_cast<DevicePixels *>(input->GetPointer()));
  }
}

void
MoveInputsToHost(ProcessObject & filter)
{
  for (const auto & input : filter.GetInputs())
  {
    if (const auto * const pixels = dynamic_cast<const DevicePixels *>(input.GetPointer()))
    {
      pixels->MoveToHost();
    }
  }
}

std::size_t
CountBytesOnDevice(ProcessObject & filter, int device)
{
  std::size_t bytes = 0;
  for (const auto & input : filter.GetInputs())
  {
    const auto * const pixels = dynamic_cast<const DevicePixels *>(input.GetPointer());
    const auto         memory = pixels != nullptr ? pixels->GetDeviceMemory() : nullptr;
    const bool         isThere = memory != nullptr && memory->GetBackend() == CudaSpline::Backend::Cuda;
    bytes += isThere && memory->GetDevice() == device ? memory->Bytes() : 0;
  }
  return bytes;
}

std::shared_ptr<const void>
PixelsToRead::FindMemory(const DevicePixels * pixels, const CudaSpline::ExecutionContext & context)
{
  const auto memory = pixels != nullptr ? pixels->GetDeviceMemory() : nullptr;
  const bool isUsable = memory != nullptr && memory->IsUsableBy(context);
  return isUsable ? std::shared_ptr<const void>(memory, memory->Data()) : nullptr;
}

std::shared_ptr<const CudaSpline::BackendMemory>
PixelsToWrite::Allocate(const DevicePixels & pixels, std::size_t bytes, const CudaSpline::ExecutionContext & context)
{
  constexpr std::size_t fraction = 4; // of the remaining memory, because later operations also need some
  if (!pixels.IsReadOnDevice() || context.backend != CudaSpline::Backend::Cuda || bytes == 0 ||
      bytes > CudaSpline::AvailableDeviceMemory(context.device) / fraction)
  {
    return nullptr;
  }
  try
  {
    return std::make_shared<const CudaSpline::BackendMemory>(bytes, context);
  }
  catch (const CudaSpline::DeviceError & error)
  {
    if (error.GetKind() != CudaSpline::DeviceError::Kind::OutOfMemory)
    {
      throw;
    }
    return nullptr;
  }
}

} // namespace itk::CudaSplineDetail
