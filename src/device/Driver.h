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
#ifndef Driver_h
#define Driver_h

/** \file
 * \brief What is asked of NVIDIA's driver itself: every call of the runtime would start it. */

namespace itk::CudaSpline
{

/** \brief True where the process has loaded the driver, whoever it was. */
bool
DriverIsLoaded();

/** \brief True where the process has a context on the device, whoever made it. */
bool
HasContext(int device);

} // namespace itk::CudaSpline

#endif
