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
#ifndef itkCudaSpline_device_DeviceError_h
#define itkCudaSpline_device_DeviceError_h

#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineDevice
 * @{ */

/** \brief An error of a device or of the CUDA runtime. Only the ITK layer translates it to an ITK exception, or uses
 * another backend. */
class DeviceError : public std::runtime_error
{
public:
  /** The kinds of errors. */
  enum class Kind : unsigned char
  {
    OutOfMemory, ///< this operation did not fit; the device can still be used
    Lost,        ///< a sticky error: all later CUDA calls of this process will fail
    Unavailable, ///< no usable device, or one that other processes use exclusively
    Request,     ///< the user named a missing device, or a limit that is not a number: no other backend is used instead
    Other        ///< an invalid argument or another error of the runtime
  };

  /** \param[in] kind kind of the error
   * \param[in] message description of the error, for the user */
  DeviceError(Kind kind, const std::string & message)
    : std::runtime_error(message)
    , m_Kind(kind)
  {}

  /** Kind of the error. */
  Kind
  GetKind() const
  {
    return m_Kind;
  }

private:
  Kind m_Kind;
};

/** \brief Throws a DeviceError unless \p code is cudaSuccess (0).
 *
 * Takes the number of a cudaError_t so that this header needs no CUDA header. A sticky error is recorded: from then on
 * SelectDevice() selects no device in this process and returns the reason.
 *
 * \param[in] code result of a CUDA call, a cudaError_t
 * \param[in] what name of the call, for the message
 * \exception DeviceError \p code is an error; DeviceError::Kind::Lost for a sticky error */
void
CheckCuda(int code, const char * what);

/** @} */
} // namespace itk::CudaSpline

#endif
