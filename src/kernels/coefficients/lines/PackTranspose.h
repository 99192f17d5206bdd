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
#ifndef PackTranspose_h
#define PackTranspose_h

#include "kernels/coefficients/lines/LineFilter.h"

#include <cstdint>

#if defined(__has_builtin)
#  if __has_builtin(__builtin_shufflevector)
#    define CUDASPLINE_HAS_SHUFFLE
#  endif
#endif

/** \file
 * \brief Conversion of rows of an image to packs of samples and back, using vector registers for small square
 * blocks. */

namespace itk::CudaSpline
{

/** \brief Transposes a square block.
 *
 * \tparam VSide number of rows and columns: 16 bytes of TReal
 * \param[in] from first element; rows are \p fromStride elements apart
 * \param[out] to first element; rows are \p toStride elements apart */
template <typename TReal, int VSide>
inline void
TransposeBlock(const TReal * from, std::int64_t fromStride, TReal * to, std::int64_t toStride)
{
  static_assert(VSide * sizeof(TReal) == 16, "A row is a vector register.");
#if defined(CUDASPLINE_HAS_SHUFFLE)
  // Uses the vector types of GCC and clang, which would compile loops to single moves.
  using Vector __attribute__((vector_size(16))) = TReal;
  Vector row[VSide];
  for (int i = 0; i < VSide; ++i)
  {
    __builtin_memcpy(&row[i], from + i * fromStride, 16);
  }
  if constexpr (VSide == 4)
  {
    const Vector a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const Vector b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const Vector c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const Vector d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    row[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    row[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
  }
  else
  {
    const Vector first = __builtin_shufflevector(row[0], row[1], 0, 2);
    row[1] = __builtin_shufflevector(row[0], row[1], 1, 3);
    row[0] = first;
  }
  for (int i = 0; i < VSide; ++i)
  {
    __builtin_memcpy(to + i * toStride, &row[i], 16);
  }
#else
  for (int i = 0; i < VSide; ++i)
  {
    for (int k = 0; k < VSide; ++k)
    {
      to[k * toStride + i] = from[i * fromStride + k];
    }
  }
#endif
}

/** \brief Copies \p length samples of \p lines lines into the lanes of packs. Line i begins at \p from + i * \p
 * lineStride. Lanes beyond \p lines are not changed. */
template <typename TReal>
void
RowsToPacks(const TReal * from, std::int64_t lineStride, int lines, std::int64_t length, PackOf<TReal> * packs)
{
  constexpr int      side = static_cast<int>(16 / sizeof(TReal));
  const int          wholeLines = lines / side * side;
  const std::int64_t wholeLength = length / side * side;
  constexpr auto     packStride = static_cast<std::int64_t>(PackedLines<TReal>);
  for (std::int64_t n = 0; n < wholeLength; n += side)
  {
    for (int i = 0; i < wholeLines; i += side)
    {
      TransposeBlock<TReal, side>(from + i * lineStride + n, lineStride, packs[n].lane + i, packStride);
    }
  }
  for (int i = 0; i < lines; ++i)
  {
    for (std::int64_t n = i < wholeLines ? wholeLength : 0; n < length; ++n)
    {
      packs[n].lane[i] = from[i * lineStride + n];
    }
  }
}

/** \brief The inverse of RowsToPacks(). */
template <typename TReal>
void
PacksToRows(const PackOf<TReal> * packs, std::int64_t length, TReal * to, std::int64_t lineStride, int lines)
{
  constexpr int      side = static_cast<int>(16 / sizeof(TReal));
  const int          wholeLines = lines / side * side;
  const std::int64_t wholeLength = length / side * side;
  constexpr auto     packStride = static_cast<std::int64_t>(PackedLines<TReal>);
  for (int i = 0; i < wholeLines; i += side)
  {
    for (std::int64_t n = 0; n < wholeLength; n += side)
    {
      TransposeBlock<TReal, side>(packs[n].lane + i, packStride, to + i * lineStride + n, lineStride);
    }
  }
  for (int i = 0; i < lines; ++i)
  {
    for (std::int64_t n = i < wholeLines ? wholeLength : 0; n < length; ++n)
    {
      to[i * lineStride + n] = packs[n].lane[i];
    }
  }
}

} // namespace itk::CudaSpline

#undef CUDASPLINE_HAS_SHUFFLE

#endif
