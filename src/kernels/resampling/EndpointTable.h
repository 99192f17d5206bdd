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
#ifndef EndpointTable_h
#define EndpointTable_h

#include <cstdint>

namespace itk::CudaSpline
{

/** \brief A table of scanline ends in host memory; see ResampleDescriptor::scanlineEnds. It has all lines, or only
 * those of the first slice and the first one of each slice; no other lines may then be read. */
struct EndpointTable
{
  const double * ends;              ///< ends of the first line
  unsigned int   dimension;         ///< components of an index
  const double * slices{ nullptr }; ///< ends of the first line of each slice; null if the table has all lines
  std::int64_t   rows{ 0 };         ///< lines of a slice, for \c slices

  /** Continuous index of the first sample of a line. */
  const double *
  Start(std::int64_t line) const
  {
    return (slices != nullptr && line >= rows ? slices + line / rows * 2 * dimension : ends + line * 2 * dimension);
  }
  /** Continuous index one past the last sample. */
  const double *
  End(std::int64_t line) const
  {
    return this->Start(line) + dimension;
  }
};

} // namespace itk::CudaSpline

#endif
