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
#ifndef ResidenceDevices_h
#define ResidenceDevices_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include "device/DeviceGroup.h"

/** \file
 * \brief The devices of a Residence, for launches of kernels. */

namespace itk::CudaSpline
{

/** \brief All devices of a residence: for steps that use only its arrays, and no atomic operations. */
inline StepDevices
AllDevicesOf(const Residence & residence)
{
  return { residence.GetStream(), residence.GetContext().device, residence.GetGroup().get() };
}

/** \brief The first device of a residence. */
inline StepDevices
FirstDeviceOf(const Residence & residence)
{
  return { residence.GetStream(), residence.GetContext().device, nullptr };
}

} // namespace itk::CudaSpline

#endif
