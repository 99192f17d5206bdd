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
#include "device/DeviceGroup.h"
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"

#include "device/DeviceHealth.h"
#include "device/Driver.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace itk::CudaSpline
{

namespace
{
/** The driver's functions for virtual memory; null if the driver does not have them. */
struct MemoryCalls
{
  MemoryCalls()
  {
    Find("cuMemAddressReserve", reserve);
    Find("cuMemAddressFree", release);
    Find("cuMemGetAllocationGranularity", getGranularity);
    Find("cuMemCreate", create);
    Find("cuMemRelease", destroy);
    Find("cuMemMap", map);
    Find("cuMemUnmap", unmap);
    Find("cuMemSetAccess", setAccess);
    Find("cuDeviceGetAttribute", getAttribute);
  }

  bool
  AreThere() const
  {
    return reserve != nullptr && release != nullptr && getGranularity != nullptr && create != nullptr &&
           destroy != nullptr && map != nullptr && unmap != nullptr && setAccess != nullptr && getAttribute != nullptr;
  }

  decltype(&cuMemAddressReserve)           reserve{ nullptr };
  decltype(&cuMemAddressFree)              release{ nullptr };
  decltype(&cuMemGetAllocationGranularity) getGranularity{ nullptr };
  decltype(&cuMemCreate)                   create{ nullptr };
  decltype(&cuMemRelease)                  destroy{ nullptr };
  decltype(&cuMemMap)                      map{ nullptr };
  decltype(&cuMemUnmap)                    unmap{ nullptr };
  decltype(&cuMemSetAccess)                setAccess{ nullptr };
  decltype(&cuDeviceGetAttribute)          getAttribute{ nullptr };

private:
  template <typename TFunction>
  static void
  Find(const char * name, TFunction & function)
  {
    function = reinterpret_cast<TFunction>(FindDriverFunction(name));
  }
};

const MemoryCalls &
GetMemoryCalls()
{
  static const MemoryCalls calls;
  return calls;
}

/** The driver's error codes have the same numbers as the runtime's. */
void
CheckDriver(CUresult code, const char * what)
{
  CheckCuda(static_cast<int>(code), what);
}

CUmemAllocationProp
PropertiesOf(int device)
{
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

/** A range of virtual addresses, with the memory that is mapped into it. */
class MappedRange
{
public:
  explicit MappedRange(std::size_t bytes)
    : m_Bytes(bytes)
  {
    CheckDriver(GetMemoryCalls().reserve(&m_First, bytes, 0, 0, 0), "cuMemAddressReserve");
  }
  MappedRange(const MappedRange &) = delete;
  MappedRange &
  operator=(const MappedRange &) = delete;
  ~MappedRange()
  {
    if (IsForkedChild())
    {
      return; // the memory belongs to the parent
    }
    const MemoryCalls & driver = GetMemoryCalls();
    if (m_Mapped > 0)
    {
      IgnoreCuda(static_cast<int>(driver.unmap(m_First, m_Mapped)));
    }
    IgnoreCuda(static_cast<int>(driver.release(m_First, m_Bytes)));
  }

  /** Maps new memory of a device after the memory that is mapped so far. */
  void
  Append(std::size_t bytes, int device)
  {
    const MemoryCalls &          driver = GetMemoryCalls();
    const CUmemAllocationProp    properties = PropertiesOf(device);
    CUmemGenericAllocationHandle memory = 0;
    CUresult                     code = driver.create(&memory, bytes, &properties, 0);
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
    {
      ReleaseDeviceMemory(); // pools keep memory for later allocations
      code = driver.create(&memory, bytes, &properties, 0);
    }
    CheckDriver(code, "cuMemCreate");
    code = driver.map(m_First + m_Mapped, bytes, 0, memory, 0);
    IgnoreCuda(static_cast<int>(driver.destroy(memory))); // the mapping keeps the memory
    CheckDriver(code, "cuMemMap");
    m_Mapped += bytes;
  }

  void
  Allow(const std::vector<int> & devices) const
  {
    std::vector<CUmemAccessDesc> access(devices.size());
    for (std::size_t number = 0; number < devices.size(); ++number)
    {
      access[number].location = PropertiesOf(devices[number]).location;
      access[number].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    CheckDriver(GetMemoryCalls().setAccess(m_First, m_Mapped, access.data(), access.size()), "cuMemSetAccess");
  }

  void *
  Data() const
  {
    return reinterpret_cast<void *>(m_First);
  }

private:
  std::size_t m_Bytes;
  std::size_t m_Mapped{ 0 };
  CUdeviceptr m_First{ 0 };
};

/** An event of a device that orders streams of several devices. It can be captured. */
class OrderEvent
{
public:
  /** Of the current device. */
  explicit OrderEvent(int device)
    : m_Device(device)
  {
    CheckCuda(cudaEventCreateWithFlags(&m_Event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  OrderEvent(const OrderEvent &) = delete;
  OrderEvent &
  operator=(const OrderEvent &) = delete;
  ~OrderEvent()
  {
    if (!IsForkedChild()) // in a child the event belongs to the parent
    {
      const DeviceScope scope(m_Device, std::nothrow);
      IgnoreCuda(cudaEventDestroy(m_Event));
    }
  }

  /** Records the end of the work in a stream of the device, which is current. */
  void
  Record(const Stream & stream) const
  {
    CheckCuda(cudaEventRecord(m_Event, stream.Get()), "cudaEventRecord");
  }
  /** Lets a stream of the current device wait for the recorded work. */
  void
  HoldUp(const Stream & stream) const
  {
    CheckCuda(cudaStreamWaitEvent(stream.Get(), m_Event, 0), "cudaStreamWaitEvent");
  }

private:
  int         m_Device;
  cudaEvent_t m_Event{ nullptr };
};

/** A device of a group. */
struct Member
{
  int                           device;
  std::shared_ptr<const Stream> stream;
  std::unique_ptr<OrderEvent>   event; ///< end of its previous part of a step; of the first device, its beginning

  Member(int number, std::shared_ptr<const Stream> own)
    : device(number)
  {
    const DeviceScope scope(number);
    stream = own != nullptr ? std::move(own) : std::make_shared<const Stream>();
    event = std::make_unique<OrderEvent>(number);
  }
};

/** Whether devices are alike: kernels have the same instructions, and blocks of the same size. */
bool
AreAlike(int one, int other)
{
  for (const cudaDeviceAttr attribute :
       { cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor, cudaDevAttrMultiProcessorCount })
  {
    int ofOne = 0;
    int ofOther = 0;
    CheckCuda(cudaDeviceGetAttribute(&ofOne, attribute, one), "cudaDeviceGetAttribute");
    CheckCuda(cudaDeviceGetAttribute(&ofOther, attribute, other), "cudaDeviceGetAttribute");
    if (ofOne != ofOther)
    {
      return false;
    }
  }
  return true;
}

bool
HasVirtualMemory(int device)
{
  int value = 0;
  return GetMemoryCalls().getAttribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device) ==
           CUDA_SUCCESS &&
         value != 0;
}
} // namespace

/** Devices and arrays. */
struct DeviceGroup::Impl
{
  std::vector<Member>                 members;
  std::vector<int>                    devices;
  std::size_t                         granularity{ 1 };
  std::mutex                          mutex;
  std::map<const void *, std::size_t> arrays; ///< bytes by first byte
};

bool
DeviceGroup::CanShareMemory(const std::vector<int> & devices)
{
  for (const int device : devices)
  {
    const DeviceScope scope(device); // starts the driver
    if (devices.size() > 1 &&
        !(GetMemoryCalls().AreThere() && HasVirtualMemory(device) && AreAlike(device, devices.front())))
    {
      return false;
    }
    for (const int other : devices)
    {
      int can = 1;
      if (other != device)
      {
        CheckCuda(cudaDeviceCanAccessPeer(&can, device, other), "cudaDeviceCanAccessPeer");
      }
      if (can == 0)
      {
        return false;
      }
    }
  }
  return true;
}

DeviceGroup::DeviceGroup(int device, std::shared_ptr<const Stream> lead, const std::vector<int> & others)
  : m_Count(1 + others.size())
  , m_Impl(new Impl)
{
  m_Impl->members.emplace_back(device, std::move(lead));
  for (const int other : others)
  {
    m_Impl->members.emplace_back(other, nullptr);
  }
  for (const Member & member : m_Impl->members)
  {
    m_Impl->devices.push_back(member.device);
    const CUmemAllocationProp properties = PropertiesOf(member.device);
    std::size_t               granularity = 0;
    CheckDriver(GetMemoryCalls().getGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                "cuMemGetAllocationGranularity");
    m_Impl->granularity = std::max(m_Impl->granularity, granularity); // powers of 2
  }
}

DeviceGroup::~DeviceGroup() = default;

std::unique_ptr<void, std::function<void(void *)>>
DeviceGroup::Allocate(std::size_t                                bytes,
                      const std::vector<std::size_t> &           starts,
                      const std::shared_ptr<const DeviceGroup> & group)
{
  Impl &                    own = *group->m_Impl;
  const std::vector<Stripe> stripes = StripesOf(bytes, own.devices.size(), own.granularity, starts);
  std::size_t               all = 0;
  for (const Stripe & stripe : stripes)
  {
    all += stripe.bytes;
  }
  auto range = std::make_shared<MappedRange>(all);
  for (const Stripe & stripe : stripes)
  {
    range->Append(stripe.bytes, own.devices[stripe.device]);
  }
  range->Allow(own.devices);
  void * const data = range->Data();
  {
    const std::lock_guard<std::mutex> lock(own.mutex);
    own.arrays[data] = all;
  }
  return { data, [group, range = std::move(range)](void * memory) mutable {
            if (!IsForkedChild()) // in a child the streams and the memory belong to the parent
            {
              for (const Member & member : group->m_Impl->members)
              {
                const DeviceScope scope(member.device, std::nothrow);
                IgnoreCuda(cudaStreamSynchronize(member.stream->Get()));
              }
              const std::lock_guard<std::mutex> lock(group->m_Impl->mutex);
              group->m_Impl->arrays.erase(memory);
            }
            range.reset();
          } };
}

void
DeviceGroup::Wait() const
{
  for (const Member & member : m_Impl->members)
  {
    const DeviceScope scope(member.device);
    member.stream->Synchronize();
  }
}

bool
DeviceGroup::IsMapped(const void * memory) const
{
  const std::lock_guard<std::mutex> lock(m_Impl->mutex);
  const auto                        next = m_Impl->arrays.upper_bound(memory);
  if (next == m_Impl->arrays.begin())
  {
    return false;
  }
  const auto found = std::prev(next);
  return static_cast<const char *>(memory) < static_cast<const char *>(found->first) + found->second;
}

void
DeviceGroup::Run(std::int64_t items, const std::function<void(const DeviceShare &)> & enqueue) const
{
  const std::vector<Member> & members = m_Impl->members;
  const Member &              lead = members.front();
  const auto                  enqueueOn = [&](std::size_t number) {
    const ItemRange range = RangeOf(items, number, members.size());
    if (range.count > 0)
    {
      enqueue(DeviceShare{ *members[number].stream, members[number].device, range });
    }
  };
  const DeviceScope scope(lead.device);
  lead.event->Record(*lead.stream);
  for (std::size_t number = 1; number < members.size(); ++number)
  {
    const DeviceScope ofMember(members[number].device);
    lead.event->HoldUp(*members[number].stream);
    enqueueOn(number);
    members[number].event->Record(*members[number].stream);
  }
  enqueueOn(0);
  for (std::size_t number = 1; number < members.size(); ++number)
  {
    members[number].event->HoldUp(*lead.stream);
  }
}

} // namespace itk::CudaSpline
