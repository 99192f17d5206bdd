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

/** \brief Bytes that are deflated together, after others that they may refer to. */
struct DeflateInput
{
  const char * data{ nullptr };
  std::size_t  bytes{ 0 };
  std::size_t  before{ 0 };     ///< bytes before \c data that deflate may look back at; of them a window is used
  bool         isLast{ false }; ///< of the stream; else it is continued at a whole byte
};

/** \brief Deflates blocks of a stream, each by one of several ways: ISA-L's, of builds with it, else runs alone, and
 * two levels of zlib. An object is for one thread. */
class Deflater
{
public:
  /** Ways, the fastest first; the last one finds most. */
  static constexpr std::size_t numberOfWays = 3;

  Deflater();
  ~Deflater();
  Deflater(const Deflater &) = delete;
  Deflater &
  operator=(const Deflater &) = delete;

  /** \brief Deflates bytes.
   * \param[in,out] packed begins with what they become; larger, and used again
   * \return the number of bytes that they become; 0 where that failed */
  std::size_t
  Deflate(std::size_t way, const DeflateInput & input, std::vector<char> & packed);

  /** \brief Whether bytes that Deflate() made are inflated to its input. */
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
    Unfinished, ///< input or output is used up
    AtEnd,      ///< of the stream, whose checksum is right
    Damaged
  };

  /** Bytes before the input that must be those that precede it in the file: they may become input again at the end of a
   * stream. */
  static constexpr std::size_t bytesBefore = 16;

  InflateStream();
  ~InflateStream();
  InflateStream(const InflateStream &) = delete;
  InflateStream &
  operator=(const InflateStream &) = delete;

  /** \brief Begins another stream. */
  void
  Restart();

  /** \brief Inflates as much as there is, and there is room for.
   * \param[in,out] in, inBytes the input, of which what was used is left out; empty at the end of the file
   * \param[in,out] out, outBytes the output, of which what was written is left out; not empty, at most 1 GB */
  State
  Inflate(const char *& in, std::size_t & inBytes, char *& out, std::size_t & outBytes);

private:
  struct Impl;
  std::unique_ptr<Impl> m_Impl;
};

} // namespace CudaSplineProgram

#endif
