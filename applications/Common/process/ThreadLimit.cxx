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
#include "process/ThreadLimit.h"

#include "itkCudaSplineSystem.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace CudaSplineProgram
{

namespace
{

bool
IsSet(const char * name)
{
  const char * const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

} // namespace

void
LimitThreads()
{
  const std::initializer_list<const char *> ofItk = {
    "ITK_GLOBAL_DEFAULT_NUMBER_OF_THREADS",
    "ITK_NUMBER_OF_THREADS_ENV_LIST", // may contain other names than these two
    "NSLOTS"
  };
  if (IsSet("CUDASPLINE_THREADS") || std::none_of(ofItk.begin(), ofItk.end(), IsSet))
  {
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(itk::CudaSpline::ThreadExecutor().GetConcurrency());
  }
}

} // namespace CudaSplineProgram
