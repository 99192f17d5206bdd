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
#ifndef OnDeviceToo_h
#define OnDeviceToo_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/Stream.h"

#include <cuda_runtime.h>

#include <vector>

namespace CudaSplineTest
{

using namespace itk::CudaSpline;

/** A copy of numbers in the memory of the device. */
template <typename TReal>
class OnDeviceToo
{
public:
  OnDeviceToo(const std::vector<TReal> & numbers, const Stream & stream)
    : m_Buffer(numbers.size() * sizeof(TReal), stream)
  {
    if (!numbers.empty())
    {
      CheckCuda(
        cudaMemcpyAsync(m_Buffer.Data(), numbers.data(), m_Buffer.Bytes(), cudaMemcpyHostToDevice, stream.Get()),
        "cudaMemcpyAsync");
    }
  }

  void *
  Data() const
  {
    return m_Buffer.Data();
  }

private:
  DeviceBuffer m_Buffer;
};

} // namespace CudaSplineTest

#endif
