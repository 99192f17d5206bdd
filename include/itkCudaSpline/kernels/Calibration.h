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
#ifndef itkCudaSpline_kernels_Calibration_h
#define itkCudaSpline_kernels_Calibration_h

#include "itkCudaSpline/kernels/CostModel.h"

#include <optional>
#include <string>

/** \file
 * \brief The speeds of this machine: measured once, kept in the user's cache folder.
 *
 * The file belongs to a machine as it is named by its processor, its threads, its GPUs, their driver and this library:
 * where one of these changes, another file is read, or measured. It is text, a name and a number a line. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Speeds of an ordinary machine of 2024 with one data-centre GPU, until the own ones are measured.
 *
 * \param[in] threads threads of the host */
MachineSpeeds
TypicalSpeeds(unsigned int threads);

/** \brief Measures the speeds of the host, of one thread by its processor's time, and of a started device: some tenths
 * of a second.
 *
 * Operations on small volumes of noise, the shortest of three runs each. \c device.start is what this process paid for
 * its start, and where it paid nothing, the typical one.
 *
 * \param[in] device device number
 * \exception DeviceError the device is out of memory or lost */
MachineSpeeds
MeasureSpeeds(int device);

/** \brief Seconds that the start of CUDA has taken this process and its end will; 0 where it has paid for none. */
double
MeasuredStart();

/** \brief What names this machine in the file. Touches no CUDA.
 *
 * \param[in] threads threads of the host */
std::string
DescribeMachine(unsigned int threads);

/** \brief The file of a machine, in the folder CUDASPLINE_CACHE_DIR, else \c cudaspline in XDG_CACHE_HOME, else in
 * \c .cache of HOME; empty where none of them is set.
 *
 * \param[in] machine what names it (DescribeMachine()) */
std::string
CalibrationFile(const std::string & machine);

/** \brief Reads a file. Empty where it is missing, of another machine or format, or has a number that is no speed.
 *
 * \param[in] file path (CalibrationFile())
 * \param[in] machine what names this machine (DescribeMachine()) */
std::optional<MachineSpeeds>
ReadCalibration(const std::string & file, const std::string & machine);

/** \brief Writes a file, and the folder it needs, so that another process reads all of it or none.
 *
 * \param[in] file path (CalibrationFile())
 * \param[in] machine what names this machine (DescribeMachine())
 * \param[in] speeds what is kept
 * \return false where that is not possible: a read-only home is no error */
bool
WriteCalibration(const std::string & file, const std::string & machine, const MachineSpeeds & speeds);

/** @} */
} // namespace itk::CudaSpline

#endif
