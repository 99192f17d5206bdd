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
#ifndef TextureRamp_h
#define TextureRamp_h

#include "itkCudaSpline/kernels/common/Execution.h"

#include <vector>

/** \brief Formats of the texels of a ramp. */
enum class RampFormat : unsigned char
{
  Integer8,  ///< unsigned, 255 read as 1
  Integer16, ///< unsigned, 65535 read as 1
  Half,      ///< IEEE binary16
  Float      ///< IEEE binary32
};

/** \brief Returns linearly filtered fetches of a device's texture between a texel of 0 and one of \p value. They show
 * the behaviour of the hardware for the figure of Ruijters, ter Haar Romeny and Suetens \cite{Ruijters2008b}.
 *
 * \param[in] format format of the texels
 * \param[in] value the upper texel: in units of the last place for integers (1 is the smallest step), otherwise the
 * value
 * \param[in] samples number of fetches, at the fractions i / (samples - 1)
 * \param[in] context the device
 * \return the fetched values
 * \exception DeviceError no device */
std::vector<float>
FetchRamp(RampFormat format, float value, int samples, const itk::CudaSpline::ExecutionContext & context);

#endif
