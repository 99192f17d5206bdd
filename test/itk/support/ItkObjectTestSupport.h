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
#ifndef CudaSplineTest_ItkObjectTestSupport_h
#define CudaSplineTest_ItkObjectTestSupport_h

#include "itkMacro.h"
#include "itkObject.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

/** \file
 * \brief Output and exceptions of ITK objects, for the tests of every class. */

namespace CudaSplineTest
{

/** Returns the output of the object's Print(). */
inline std::string
Printed(const itk::Object * object)
{
  std::ostringstream stream;
  object->Print(stream);
  return stream.str();
}

/** Returns the description of the exception that the call throws. If it throws none, the test fails, and the result is
 * empty. */
template <typename TCall>
std::string
ErrorOf(const TCall & call)
{
  try
  {
    call();
  }
  catch (const itk::ExceptionObject & error)
  {
    return error.GetDescription();
  }
  ADD_FAILURE() << "no exception";
  return {};
}

/** Does the same for an update of a filter. */
template <typename TFilter>
std::string
UpdateErrorOf(TFilter * filter)
{
  return ErrorOf([filter] { filter->Update(); });
}

inline void
ExpectMention(const std::string & text, const std::string & word)
{
  EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in: " << text;
}

} // namespace CudaSplineTest

#endif
