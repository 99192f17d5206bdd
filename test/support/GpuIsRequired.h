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
#ifndef CudaSplineTest_GpuIsRequired_h
#define CudaSplineTest_GpuIsRequired_h

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

/** \file
 * \brief What tests do that find no GPU; also for those of programs, which do not link the module. */

namespace CudaSplineTest
{

/** True where a test that finds no GPU must fail instead of skip: CUDASPLINE_REQUIRE_GPU=1. */
inline bool
GpuIsRequired()
{
  const char * const value = std::getenv("CUDASPLINE_REQUIRE_GPU");
  return value != nullptr && std::string(value) == "1";
}

} // namespace CudaSplineTest

/** Ends the test, which found no GPU: skipped visibly, or failed where one is required. What follows by << is the
 * reason of a skipped one. */
#define CUDASPLINE_SKIP_WITHOUT_GPU()                                                                                  \
  if (CudaSplineTest::GpuIsRequired())                                                                                 \
  {                                                                                                                    \
    FAIL() << "There is no usable GPU and CUDASPLINE_REQUIRE_GPU is 1.";                                               \
  }                                                                                                                    \
  GTEST_SKIP() << "There is no usable GPU."

#endif
