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
#ifndef CoefficientRows_h
#define CoefficientRows_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/math/CoefficientStatistics.h"

namespace itk::CudaSpline
{

/** \brief The coefficients of a source, divided into pieces of rows that the threads of the host or the blocks of a
 * device process. */
template <typename TReal>
struct CoefficientRows
{
  static constexpr std::int64_t PieceLength = 4096; ///< length of a piece if a row is longer

  const TReal * data;        ///< in host or device memory
  std::int64_t  size[3];     ///< size of the axes along which neighbours are compared
  bool          periodic[3]; ///< whether the last sample is a neighbour of the first
  bool          neighbours;  ///< whether neighbours are compared
  std::int64_t  pieces;      ///< number of pieces in a row
  std::int64_t  count;       ///< number of pieces in all rows

  /** \param[in] source descriptor of the coefficients before they are stored
   * \param[in] elements first coefficient, in host or device memory
   * \param[in] compare whether neighbours are compared; possible for up to 3 dimensions and one component */
  CoefficientRows(const SourceDescriptor & source, const TReal * elements, bool compare)
    : data(elements)
    , neighbours(compare)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      size[d] = source.size[d];
      periodic[d] = source.extension[d] == Extension::GridWrap;
    }
    pieces = (size[0] + PieceLength - 1) / PieceLength;
    count = pieces * (source.Elements() / size[0]);
  }

  /** \brief Adds a piece of a row, or every \p step -th coefficient of it starting at the \p first one. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddPiece(std::int64_t piece, std::int64_t first, std::int64_t step, CoefficientStatistics<TReal> & statistics) const
  {
    const std::int64_t  line = piece / pieces;
    const std::int64_t  begin = piece % pieces * PieceLength;
    const std::int64_t  end = begin + PieceLength < size[0] ? begin + PieceLength : size[0];
    const TReal * const row = data + line * size[0];
    for (std::int64_t x = begin + first; x < end; x += step)
    {
      statistics.Add(row[x]);
    }
    if (!neighbours)
    {
      return;
    }
    for (std::int64_t x = begin + first; x < end; x += step)
    {
      if (x + 1 < size[0] || periodic[0])
      {
        statistics.AddNeighbours(0, row[x], row[x + 1 < size[0] ? x + 1 : 0]);
      }
    }
    std::int64_t stride = size[0];
    std::int64_t rest = line;
    for (unsigned int d = 1; d < 3; ++d)
    {
      const std::int64_t at = rest % size[d];
      if (at + 1 < size[d] || periodic[d])
      {
        const TReal * const next = row + (at + 1 < size[d] ? stride : -at * stride);
        for (std::int64_t x = begin + first; x < end; x += step)
        {
          statistics.AddNeighbours(d, row[x], next[x]);
        }
      }
      stride *= size[d];
      rest /= size[d];
    }
  }
};

} // namespace itk::CudaSpline

#endif
