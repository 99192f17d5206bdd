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
#ifndef device_StartLock_h
#define device_StartLock_h

namespace itk::CudaSpline
{

/** \brief Held while the driver, a context or the first kernels are started; one thread at a time.
 *
 * A fork() of another thread waits until the lock is released, at most MaximumForkWaitSeconds. Otherwise the child
 * would inherit locks of the driver and of CUDA's runtime that the starting thread holds. No thread of the child
 * releases them, and the runtime's clean-up at the child's exit hangs. vfork() and posix_spawn() do not wait.
 *
 * A thread may take it again while it holds it. The driver itself forks while it starts (nvidia-modprobe): a fork of
 * the thread that holds the lock does not wait. */
class StartLock
{
public:
  StartLock();
  StartLock(const StartLock &) = delete;
  StartLock &
  operator=(const StartLock &) = delete;
  ~StartLock();
};

/** A start takes some tenths of a second for each GPU. After this time there must be another problem, and fork()
 * continues. */
constexpr int MaximumForkWaitSeconds = 20;

} // namespace itk::CudaSpline

#endif
