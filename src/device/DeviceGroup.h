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
#ifndef DeviceGroup_h
#define DeviceGroup_h

#include "itkCudaSpline/device/Stream.h"

#include "device/DeviceShares.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/** \file
 * \brief Devices that share the arrays and the steps of an algorithm. */

namespace itk::CudaSpline
{

/** \brief The part of a step that one device runs. The device is the current one. */
struct DeviceShare
{
  const Stream & stream; ///< stream of the device
  int            device; ///< its number
  ItemRange      items;  ///< its items
};

/** \brief Several devices whose kernels use the same arrays.
 *
 * An array is a range of virtual addresses. Consecutive parts of it are in the memory of one device each, and all
 * devices map all of it. So the same kernel with the same arguments runs on each device, on a part of the samples; what
 * it reads from the others' memory comes over NVLink or PCIe. Results have the same bits as on one device.
 *
 * The first device leads: its stream orders all steps. Steps that are not shared run there. */
class DeviceGroup
{
public:
  /** Whether all devices are alike and can use the memory of each other. Starts the devices. One device always can.
   *
   * \exception DeviceError a device does not exist, or is lost */
  static bool
  CanShareMemory(const std::vector<int> & devices);

  /** \param[in] device the first device
   * \param[in] lead its stream
   * \param[in] others the other devices; CanShareMemory() is true
   * \exception DeviceError a stream cannot be created */
  DeviceGroup(int device, std::shared_ptr<const Stream> lead, const std::vector<int> & others);
  DeviceGroup(const DeviceGroup &) = delete;
  DeviceGroup &
  operator=(const DeviceGroup &) = delete;
  ~DeviceGroup();

  /** Number of devices. */
  std::size_t
  Count() const
  {
    return m_Count;
  }

  /** Allocates an array, which keeps the group. Its deleter waits for all devices.
   *
   * \param[in] bytes length
   * \param[in] starts see StripesOf()
   * \param[in] group the group
   * \exception DeviceError out of memory, or a lost device */
  static std::unique_ptr<void, std::function<void(void *)>>
  Allocate(std::size_t                                bytes,
           const std::vector<std::size_t> &           starts,
           const std::shared_ptr<const DeviceGroup> & group);

  /** Waits for all devices.
   *
   * \exception DeviceError an error of the work on any device */
  void
  Wait() const;

  /** Whether all devices map this memory: whether it belongs to an array of Allocate(). */
  bool
  IsMapped(const void * memory) const;

  /** Runs a step on all devices, after all previous steps and before the next one.
   *
   * \param[in] items number of items, which are divided by RangeOf()
   * \param[in] enqueue enqueues a part of the items, at least one; called once for each device that has some
   * \exception DeviceError a lost device */
  void
  Run(std::int64_t items, const std::function<void(const DeviceShare &)> & enqueue) const;

private:
  struct Impl;
  std::size_t           m_Count;
  std::unique_ptr<Impl> m_Impl;
};

/** \brief The devices that run a step. */
struct StepDevices
{
  const Stream &      stream; ///< stream of the first device, which orders all steps
  int                 device; ///< the first device
  const DeviceGroup * group;  ///< null: only the first device
};

/** \brief Number of devices that share a step with this number of samples. */
inline std::size_t
CountSharing(const StepDevices & devices, std::int64_t samples)
{
  return devices.group != nullptr && samples >= MinSharedSamples ? devices.group->Count() : 1;
}

/** \brief Runs a step on all devices if it is large, else on the first one.
 *
 * \param[in] devices the devices
 * \param[in] items number of items
 * \param[in] samples number of samples, which decides
 * \param[in] enqueue see DeviceGroup::Run() */
template <typename TEnqueue>
void
RunShares(const StepDevices & devices, std::int64_t items, std::int64_t samples, const TEnqueue & enqueue)
{
  if (CountSharing(devices, samples) > 1)
  {
    devices.group->Run(items, enqueue);
    return;
  }
  const DeviceScope scope(devices.device);
  enqueue(DeviceShare{ devices.stream, devices.device, { 0, items } });
}

} // namespace itk::CudaSpline

#endif
