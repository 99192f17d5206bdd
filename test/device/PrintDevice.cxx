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
// Prints the backend and device of the process, for tests that change the environment.

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"

#include <iostream>

int
main(int argc, char ** argv)
{
  try
  {
    const itk::CudaSpline::DeviceChoice choice = itk::CudaSpline::SelectDevice(argc > 1 ? argv[1] : "gpu");
    std::cout << (choice ? "device " + std::to_string(choice.device) : "no device: " + choice.reason) << std::endl;
  }
  catch (const itk::CudaSpline::DeviceError & error)
  {
    std::cout << "error: " << error.what() << std::endl;
  }
  return 0;
}
