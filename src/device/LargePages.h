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
#ifndef LargePages_h
#define LargePages_h

#include <cstddef>

namespace itk::CudaSpline
{

/** \brief Requests large pages for memory that is about to be written for the first time.
 *
 * A new volume of 512^3 floats has 131072 pages of 4 KB: with 16 threads, touching them takes as long as copying them,
 * and freeing them takes 15 ms more. This function has no effect if the system has no large pages, or if the memory is
 * small.
 *
 * \param[in] memory first byte, host memory; its content is preserved
 * \param[in] bytes length */
void
AdviseLargePages(void * memory, std::size_t bytes);

} // namespace itk::CudaSpline

#endif
