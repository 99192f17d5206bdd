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
#ifndef CudaSplineProgram_DeviceOption_h
#define CudaSplineProgram_DeviceOption_h

#include "itkCudaSplineSystem.h"

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Splits "0,1,2" into its words. Empty if one of them is not a device number. */
std::vector<std::string>
ParseDevices(const std::string & text);

/** \brief Parses the value of --device: "" for automatic, "cpu", "gpu", a number, or several numbers.
 *
 * \exception ProgramError the value is invalid */
std::string
ParseDevice(const std::string & word);

/** \brief Throws if a device that was requested by number is missing, before anything is computed. */
void
CheckDevice(const std::string & device);

/** \brief Throws if a device that was requested by number did not do the computation.
 *
 * \param[in] backend backend that did it; None: there was nothing to compute
 * \param[in] reason reason why no device did it
 * \param[in] device result of ParseDevice()
 * \param[in] what what was computed
 * \exception ProgramError another backend did it */
void
CheckDeviceDid(itk::CudaSpline::Backend backend,
               const std::string &      reason,
               const std::string &      device,
               const std::string &      what);

/** \brief Returns the name of the backend for users.
 *
 * \param[in] backend the backend
 * \param[in] device result of ParseDevice(): its devices computed the result */
std::string
DeviceText(itk::CudaSpline::Backend backend, const std::string & device);

/** \brief The same for numbers of devices. */
std::string
DeviceText(itk::CudaSpline::Backend backend, const std::vector<int> & devices);

} // namespace CudaSplineProgram

#endif
