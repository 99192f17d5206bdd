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
 * \brief Processes of their own for tests that end CUDA for a process, or start it, or fork. */

namespace CudaSplineTest
{

/** Runs a check in a child, which returns what it found, an empty text where all is right, and may count something.
 * Returns the text, or how the child ended; one that hangs is ended. */
std::string
InChild(const std::function<std::string(std::int64_t & count)> & check, std::int64_t & count);

/** The same of a check that counts nothing. */
std::string
InChild(const std::function<std::string()> & check);

/** False where a child takes some tenths of a second for starting a real device. Asked without CUDA. */
bool
StartsAreCheap();

/** A machine without a GPU of its own, with the stand-in in its place, also where there is one: for a child that has
 * called nothing yet. */
void
PretendDriver();

} // namespace CudaSplineTest

#endif
