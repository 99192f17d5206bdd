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
#ifndef Call_h
#define Call_h

#include "itkCudaSpline/c/CudaSplineC.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

/** \file
 * \brief Wrappers of the functions of the interface, which catch all exceptions. */

namespace itk::CudaSpline
{

/** \brief Stores the error of this thread.
 *
 * \param[in] error the exception
 * \return its code */
std::int32_t
ReportError(const std::exception_ptr & error) noexcept;

/** \brief Runs the body of a function of the interface.
 *
 * \param[in] body the body
 * \return CUDASPLINE_OK, or the code of the exception */
template <typename TBody>
std::int32_t
Call(const TBody & body) noexcept
{
  try
  {
    body();
    return CUDASPLINE_OK;
  }
  catch (...)
  {
    return ReportError(std::current_exception());
  }
}

/** \brief Runs a part of a body that concerns one argument: the messages of its errors begin with the argument's name.
 *
 * \param[in] name name of the argument
 * \param[in] body calls the layers below, which do not use the interface's names
 * \return the result of the body */
template <typename TBody>
auto
Naming(const char * name, const TBody & body)
{
  try
  {
    return body();
  }
  catch (const std::invalid_argument & invalid)
  {
    throw std::invalid_argument(std::string(name) + ": " + invalid.what());
  }
}

/** \brief Whether two ranges of bytes overlap. */
bool
Overlap(const void * one, std::size_t oneBytes, const void * other, std::size_t otherBytes);

/** \brief Throws for a null pointer.
 *
 * \param[in] pointer an argument
 * \param[in] name its name
 * \exception std::invalid_argument it is null */
void
RequirePointer(const void * pointer, const char * name);

/** \brief Refuses two arguments because of the memory that they are in.
 *
 * \param[in] first,second names of their devices
 * \param[in] firstDevice,secondDevice their devices, -1: the host
 * \param[in] rule what is allowed
 * \exception std::invalid_argument always */
[[noreturn]] void
RefuseDevices(const char * first,
              std::int32_t firstDevice,
              const char * second,
              std::int32_t secondDevice,
              const char * rule = "both must be on the same device");

/** \brief Writes a text into an array of characters, truncated to its size. */
void
WriteText(const std::string & text, char * to, std::size_t bytes) noexcept;

} // namespace itk::CudaSpline

#endif
