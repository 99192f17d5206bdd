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
#ifndef ChildProcess_h
#define ChildProcess_h

#include <cstdint>
#include <functional>
#include <string>

/** \file
 * \brief Child processes for tests that end CUDA for a process, or start it, or fork. */

namespace CudaSplineTest
{

/** Runs a check in a child. The check returns its error, or an empty text, and may count something. Returns the text,
 * or how the child ended. A child that hangs is killed. */
std::string
InChild(const std::function<std::string(std::int64_t & count)> & check, std::int64_t & count);

/** Runs a check without a count. */
std::string
InChild(const std::function<std::string()> & check);

/** Returns false if starting a real device takes a child some tenths of a second. It does not use CUDA. */
bool
StartsAreCheap();

/** Simulates a machine without its own GPU, with the shim instead, even if there is one. For a child that has not
 * called CUDA yet. */
void
PretendDriver();

} // namespace CudaSplineTest

#endif
