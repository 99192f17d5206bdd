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
#ifndef CudaSplineTest_TestCases_h
#define CudaSplineTest_TestCases_h

#include <cstdlib>

/** \file
 * \brief How many of the random cases a test executes. */

namespace CudaSplineTest
{

/** \brief How many cases a test draws: CUDASPLINE_TEST_CASES where it is set, else so many as it takes by itself. */
inline int
TestCases(int usual)
{
  const char * const given = std::getenv("CUDASPLINE_TEST_CASES");
  return given != nullptr && *given != '\0' ? static_cast<int>(std::strtol(given, nullptr, 10)) : usual;
}

} // namespace CudaSplineTest

#endif
