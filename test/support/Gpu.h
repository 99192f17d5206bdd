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
#ifndef Gpu_h
#define Gpu_h

#include "itkCudaSpline/device/Device.h"

#include "GpuIsRequired.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace CudaSplineTest
{

/** Tests are small, and mean the GPU where there is one: the default, which would find the host faster for them, is
 * tested by itself. Set before main(). */
inline const bool GpuIsWanted = setenv("CUDASPLINE_DEVICE", "gpu", 0) == 0;

} // namespace CudaSplineTest

/** Ends the test where there is no GPU: skipped visibly, or failed where one is required. */
#define CUDASPLINE_NEEDS_GPU()                                                                                         \
  if (itk::CudaSpline::DeviceCount() == 0)                                                                             \
  {                                                                                                                    \
    CUDASPLINE_SKIP_WITHOUT_GPU();                                                                                     \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

#endif
