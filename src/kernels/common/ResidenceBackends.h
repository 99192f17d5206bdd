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
#ifndef itkCudaSpline_kernels_common_ResidenceBackends_h
#define itkCudaSpline_kernels_common_ResidenceBackends_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include "kernels/common/PagedArrays.h"

#include <functional>
#include <memory>
#include <vector>

/** \file
 * \brief The device functions of Residence. */

namespace itk::CudaSpline
{

/** Creates a stream on the device of a context. */
std::shared_ptr<const Stream>
MakeResidentStream(const ExecutionContext & context);

/** Makes the devices of a residence share arrays and steps. */
std::shared_ptr<const DeviceGroup>
MakeDeviceGroup(int device, const std::shared_ptr<const Stream> & stream, const std::vector<int> & others);

/** Allocates device memory, with its deleter. */
std::unique_ptr<void, std::function<void(void *)>>
AllocateOnDevice(std::size_t bytes, const Residence & residence, const std::vector<std::size_t> & starts);

/** See Residence::Wait(). */
void
WaitOnDevice(const Residence & residence);

/** See Residence::Follow(). */
void
FollowOnDevice(StreamHandle stream, const Residence & residence);

/** See Upload(). */
void
UploadToDevice(void * to, const void * fromHost, std::size_t bytes, const Residence & residence);

/** See Download(). */
void
DownloadFromDevice(void * toHost, const void * from, std::size_t bytes, const Residence & residence);

/** See CopyResident(). */
void
CopyOnDevice(void * to, const void * from, std::size_t bytes, const Residence & residence);

/** See ClearResident(). */
void
ClearOnDevice(void * to, std::size_t bytes, const Residence & residence);

/** Returns a function that enqueues the copies of PagedArrays. */
std::function<void(const PageTable::Move &, void *)>
MakePageCopies(std::size_t count, std::size_t bytes, const Residence & residence);

/** Records enqueued work without running it, for LaunchOnDevice(). */
std::shared_ptr<const void>
RecordOnDevice(const std::function<void()> & enqueue, const Residence & residence);

/** Enqueues recorded work. */
void
LaunchOnDevice(const std::shared_ptr<const void> & graph, const Residence & residence);

} // namespace itk::CudaSpline

#endif
