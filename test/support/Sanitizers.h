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
#ifndef Sanitizers_h
#define Sanitizers_h

/** \file
 * \brief Which sanitizer a test runs under. */

namespace CudaSplineTest
{

/** ThreadSanitizer starts no threads in a child of a process that has some. */
#if defined(__SANITIZE_THREAD__)
constexpr bool ThreadsAreSanitized = true;
#elif defined(__has_feature)
constexpr bool ThreadsAreSanitized = __has_feature(thread_sanitizer);
#else
constexpr bool ThreadsAreSanitized = false;
#endif

} // namespace CudaSplineTest

#endif
