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
#ifndef CudaSplineProgram_TextLines_h
#define CudaSplineProgram_TextLines_h

#include <cstddef>
#include <istream>
#include <string>

namespace CudaSplineProgram
{

/** \brief Same as std::getline(), but rejects lines of more than a megabyte: a file without line ends may have
 * gigabytes, which would be read into memory.
 *
 * \return false at the end, or at such a line; in the second case the stream is not at its end */
inline bool
GetTextLine(std::istream & stream, std::string & line)
{
  constexpr std::size_t      most = 1 << 20;
  const std::istream::sentry sentry(stream, true);
  line.clear();
  if (!sentry)
  {
    return false;
  }
  using Traits = std::istream::traits_type;
  try
  {
    for (auto next = stream.rdbuf()->sbumpc(); next != '\n'; next = stream.rdbuf()->sbumpc())
    {
      if (Traits::eq_int_type(next, Traits::eof()))
      {
        stream.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
        return !line.empty();
      }
      if (line.size() == most)
      {
        stream.setstate(std::ios::failbit);
        return false;
      }
      line += Traits::to_char_type(next);
    }
    return true;
  }
  catch (const std::ios_base::failure &) // a folder, or a disk that fails
  {
    stream.setstate(std::ios::badbit);
    return false;
  }
}

/** \brief Returns whether GetTextLine() has rejected a line. */
inline bool
HasNoLines(const std::istream & stream)
{
  return stream.fail() && !stream.bad() && !stream.eof();
}

} // namespace CudaSplineProgram

#endif
