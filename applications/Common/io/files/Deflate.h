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
#ifndef CudaSplineProgram_Deflate_h
#define CudaSplineProgram_Deflate_h

#include <cstddef>
#include <memory>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Bytes that are deflated together, after previous bytes that they may refer to. */
struct DeflateInput
{
  const char * data{ nullptr };
  std::size_t  bytes{ 0 };
  std::size_t  before{ 0 };     ///< bytes before \c data that may be referred to; only a window of them is used
  bool         isLast{ false }; ///< last block of the stream; other blocks end at a byte boundary
};

/** \brief Deflates blocks of a stream with one of several methods: ISA-L if the build has it (otherwise runs only), and
 * two levels of zlib. An object is for one thread. */
class Deflater
{
public:
  /** Number of methods. The first one is the fastest, the last one compresses best. */
  static constexpr std::size_t numberOfWays = 3;

  Deflater();
  ~Deflater();
  Deflater(const Deflater &) = delete;
  Deflater &
  operator=(const Deflater &) = delete;

  /** \brief Deflates bytes.
   *
   * \param[in] way the method
   * \param[in] input the bytes
   * \param[in,out] packed begins with the result; it may be larger, and is reused
   * \return the number of bytes of the result; 0 if it failed */
  std::size_t
  Deflate(std::size_t way, const DeflateInput & input, std::vector<char> & packed);

  /** \brief Returns whether the result of Deflate() inflates to its input. */
  bool
  IsInflatedTo(const DeflateInput & input, const char * packed, std::size_t packedBytes);

private:
  struct Impl;
  std::unique_ptr<Impl> m_Impl;
};

/** \brief Inflates a zlib stream, or a member of a gzip file, piece by piece. */
class InflateStream
{
public:
  enum class State
  {
    Unfinished, ///< input or output is exhausted
    AtEnd,      ///< end of the stream; its checksum is correct
    Damaged
  };

  /** Bytes before the input, which have to be those that precede it in the file: at the end of a stream, they may
   * become input again. */
  static constexpr std::size_t bytesBefore = 16;

  InflateStream();
  ~InflateStream();
  InflateStream(const InflateStream &) = delete;
  InflateStream &
  operator=(const InflateStream &) = delete;

  /** \brief Begins another stream. */
  void
  Restart();

  /** \brief Inflates as much as input and output allow.
   *
   * \param[in,out] in, inBytes the input, which is advanced; empty at the end of the file
   * \param[in,out] out, outBytes the output, which is advanced; not empty, at most 1 GB */
  State
  Inflate(const char *& in, std::size_t & inBytes, char *& out, std::size_t & outBytes);

private:
  struct Impl;
  std::unique_ptr<Impl> m_Impl;
};

} // namespace CudaSplineProgram

#endif
