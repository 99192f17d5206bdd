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
#ifndef Gzip_h
#define Gzip_h

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace CudaSplineProgram
{

/** \brief Compresses a file as gzip does, on all threads, and removes the one that was not.
 *
 * The result is one member, which every reader of gzip knows, with the same bytes whatever the number of threads:
 * blocks of a fixed size are deflated by themselves, each with the bytes before it as dictionary. The way of several
 * blocks (see Deflater) is the fastest one that needs at most 2 % more bytes than zlib's default in pieces of them.
 *
 * What is written is known to be right: each block is read back, inflated, and compared with the file. Files may be
 * compressed by several threads at the same time, which share the processors.
 *
 * \param[in] from the file, \param[in] to the compressed one
 * \exception ProgramError it cannot be read or written, or holds something else than was written */
void
CompressFile(const std::string & from, const std::string & to);

/** \brief Copies bytes that are to be compressed, in several threads at the same time, the same ones more than once.
 * \return whether there were that many */
using ReadBytes = std::function<bool(std::uint64_t begin, std::size_t bytes, char * to)>;

/** \brief CompressFile() of bytes that are in no file. */
void
CompressBytes(const ReadBytes & from, std::uint64_t size, const std::string & to);

} // namespace CudaSplineProgram

#endif
