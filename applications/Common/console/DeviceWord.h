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
#ifndef CudaSplineProgram_DeviceWord_h
#define CudaSplineProgram_DeviceWord_h

#include "itkCudaSplineSystem.h"

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief "0,1,2" as its words; nothing if one of them is not a device number. */
std::vector<std::string>
ParseDevices(const std::string & text);

/** \brief What --device names: "" for automatic, "cpu", a number, or several where that is allowed.
 *
 * \exception ProgramError it is another word */
std::string
ParseDevice(const std::string & word, bool allowsSeveral);

/** \brief Throws where a device that was asked for by its number is not there, before anything is computed. */
void
CheckDevice(const std::string & device);

/** \brief Throws where a device that was asked for by its number did not compute what there was to compute.
 *
 * \param[in] backend that did it; None: there was nothing
 * \param[in] reason why no device did
 * \param[in] device as ParseDevice() gives it
 * \param[in] what was computed
 * \exception ProgramError it was another backend */
void
CheckDeviceDid(itk::CudaSpline::Backend backend,
               const std::string &      reason,
               const std::string &      device,
               const std::string &      what);

/** \brief What computed, for people. */
std::string
DeviceText(itk::CudaSpline::Backend backend, const std::string & device);

} // namespace CudaSplineProgram

#endif
