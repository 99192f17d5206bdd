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
#ifndef CudaSplineTest_GpuOnAndOff_h
#define CudaSplineTest_GpuOnAndOff_h

#include "BackendTable.h"
#include "Gpu.h"

#include <gtest/gtest.h>

#include <string>

/** \file
 * \brief Each test of an ITK class runs twice: with the GPU enabled (skipped if there is none) and disabled. */

namespace CudaSplineTest
{

/** The parameter is whether the GPU is enabled. */
class GpuOnAndOff : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  /** Returns the backend that the table specifies for scalar images of a dimension on this machine. */
  itk::CudaSpline::Backend
  Promised(const std::string & className, unsigned int dimension) const
  {
    return PromisedBackend({ className, "scalar", std::to_string(dimension), "-", "-", "-" }, GetParam());
  }
};

/** Returns the last part of a test's name. */
inline std::string
GpuOrHost(const testing::TestParamInfo<bool> & test)
{
  return test.param ? "Gpu" : "Host";
}

} // namespace CudaSplineTest

/** Instantiates the tests of a fixture that is derived from GpuOnAndOff. */
#define CUDASPLINE_GPU_ON_AND_OFF(fixture)                                                                             \
  INSTANTIATE_TEST_SUITE_P(Backends, fixture, testing::Bool(), CudaSplineTest::GpuOrHost)

#endif
