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
#ifndef SliceWindow_cuh
#define SliceWindow_cuh

#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/Lanes.h"

#include "kernels/common/TileCopy.cuh"
#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/EvaluationTuning.h"

/** \file
 * \brief Windows of slices of the source in shared memory. */

namespace itk::CudaSpline
{

/** A rectangle of a slice, in samples from the first sample of the slice. It may extend beyond the slice. */
struct SliceWindow
{
  int x; ///< first column: a multiple of the number of elements that are copied together
  int y;
  int vectors; ///< width of a row in vectors of WideCopy elements
  int rows;
  int pitch; ///< elements between rows in shared memory: a multiple of WideCopy
};

/** Elements that are copied, read and written together. */
template <typename TReal>
__device__ __forceinline__ Lanes<WideCopy<TReal>, TReal>
                           LoadWide(const TReal * from)
{
  if constexpr (sizeof(TReal) == 4)
  {
    const float4 four = *reinterpret_cast<const float4 *>(from);
    return { { four.x, four.y, four.z, four.w } };
  }
  else
  {
    const double2 two = *reinterpret_cast<const double2 *>(from);
    return { { two.x, two.y } };
  }
}

template <typename TReal>
__device__ __forceinline__ void
StoreWide(TReal * to, const Lanes<WideCopy<TReal>, TReal> & elements)
{
  if constexpr (sizeof(TReal) == 4)
  {
    const float * const lane = elements.lane;
#if defined(__CUDA_ARCH__)
    // The compiler would generate four stores.
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(to))),
                   "f"(lane[0]),
                   "f"(lane[1]),
                   "f"(lane[2]),
                   "f"(lane[3])
                 : "memory");
#else
    *reinterpret_cast<float4 *>(to) = make_float4(lane[0], lane[1], lane[2], lane[3]);
#endif
  }
  else
  {
    *reinterpret_cast<double2 *>(to) = make_double2(elements.lane[0], elements.lane[1]);
  }
}

/** The part of a window that a thread copies, which is the same for every slice.
 *
 * Samples outside of the slice are taken from the extension. Vectors with such samples are copied element by element,
 * and so are all columns if rows do not begin at aligned addresses.
 *
 * \tparam VThreads threads of the block
 * \tparam VCopies maximum number of vectors that a thread copies */
template <typename TReal, int VThreads, int VCopies>
class WindowCopies
{
public:
  /** Data in shared memory that all threads use. It is rarely used, so it does not occupy registers. */
  struct Singles
  {
    SliceWindow window;
    int         left;  ///< columns before this one, and from `right` on, are copied element by element
    int         right; ///< see left
    int         count; ///< number of these columns
    int         columns[MaxWindowColumns]; ///< column of the slice for each column of the window
  };

  /** \param[in] arguments the source
   * \param[in] window the window
   * \param[out] singles in shared memory, can be used after a barrier */
  template <unsigned int VDimension>
  __device__ __forceinline__
  WindowCopies(const EvaluationArguments<VDimension> & arguments, const SliceWindow & window, Singles & singles)
    : m_Singles(singles)
  {
    constexpr int count = WideCopy<TReal>;
    const int     thread = static_cast<int>(threadIdx.x);
    const int     width = window.vectors * count;
    const auto    sizeX = static_cast<int>(arguments.extent.size[0]);
    const auto    sizeY = static_cast<int>(arguments.extent.size[1]);
    for (int i = thread; i < width; i += VThreads)
    {
      singles.columns[i] = static_cast<int>(FoldIndex(window.x + i, sizeX, arguments.extension[0]));
    }
    const bool hasBorderRows =
      arguments.extension[1] == Extension::GridConstant && (window.y < 0 || window.y + window.rows > sizeY);
    const bool wide = IsWide(static_cast<const TReal *>(arguments.source), sizeX) && !hasBorderRows;
    // The vectors from `first` to before `end` are inside the slice; the others are to the left and right of them.
    const int first = wide ? min(max(-window.x, 0) / count, window.vectors) : window.vectors;
    const int end = wide ? max(min((sizeX - window.x) / count, window.vectors), first) : window.vectors;
    const int number = width - (end - first) * count;
    if (thread == 0)
    {
      singles.window = window;
      singles.left = first * count;
      singles.right = end * count;
      singles.count = number;
    }
    if (number > 0 && thread / number < window.rows)
    {
      m_Row = thread / number;
      m_Single = thread % number;
    }
    const int stepRows = VThreads / window.vectors;
    const int stepVectors = VThreads % window.vectors;
    int       row = thread / window.vectors;
    int       vector = thread % window.vectors;
#pragma unroll
    for (int i = 0; i < VCopies; ++i)
    {
      m_To[i] = -1;
      m_From[i] = 0;
      if (row < window.rows && vector >= first && vector < end)
      {
        const int y = static_cast<int>(FoldIndex(window.y + row, sizeY, arguments.extension[1]));
        m_To[i] = row * window.pitch + vector * count;
        m_From[i] = y * sizeX + window.x + vector * count;
      }
      row += stepRows;
      vector += stepVectors;
      if (vector >= window.vectors)
      {
        vector -= window.vectors;
        ++row;
      }
    }
  }

  /** Starts to copy the window of a slice.
   *
   * \param[in] arguments the source
   * \param[in] slice first element of the slice; null: the slice has the border value
   * \param[out] shared the window */
  template <unsigned int VDimension>
  __device__ __forceinline__ void
  Start(const EvaluationArguments<VDimension> & arguments, const TReal * slice, TReal * shared) const
  {
    if (slice != nullptr)
    {
#pragma unroll
      for (int i = 0; i < VCopies; ++i)
      {
        if (m_To[i] >= 0)
        {
          CopyWide(shared + m_To[i], slice + m_From[i]);
        }
      }
      if (m_Row < 0)
      {
        return;
      }
    }
    this->StartSingles(arguments, slice, shared);
  }

private:
  template <unsigned int VDimension>
  __device__ __forceinline__ void
  StartSingles(const EvaluationArguments<VDimension> & arguments, const TReal * slice, TReal * shared) const
  {
    const SliceWindow window = m_Singles.window;
    const auto        border = static_cast<TReal>(arguments.border);
    if (slice == nullptr)
    {
      for (int i = static_cast<int>(threadIdx.x); i < window.rows * window.pitch; i += VThreads)
      {
        shared[i] = border;
      }
      return;
    }
    const int number = m_Singles.count;
    const int left = m_Singles.left;
    const int gap = m_Singles.right - left;
    int       row = m_Row;
    int       single = m_Single;
#pragma unroll 1
    while (row < window.rows)
    {
      const int column = single < left ? single : single + gap;
      const int x = m_Singles.columns[column];
      const int y =
        static_cast<int>(FoldIndex(window.y + row, static_cast<int>(arguments.extent.size[1]), arguments.extension[1]));
      TReal * const to = shared + row * window.pitch + column;
      if (x < 0 || y < 0)
      {
        *to = border;
      }
      else
      {
        CopyElement(to, slice + (y * static_cast<int>(arguments.extent.size[0]) + x));
      }
      row += VThreads / number;
      single += VThreads % number;
      if (single >= number)
      {
        single -= number;
        ++row;
      }
    }
  }

  const Singles & m_Singles;
  int             m_Row{ -1 };     ///< row of the first element that the thread copies individually; negative: none
  int             m_Single{ 0 };   ///< index of this element among those of a row
  int             m_From[VCopies]; ///< elements from the first element of the slice
  int             m_To[VCopies];   ///< elements from the first element of the window; negative: not copied
};

} // namespace itk::CudaSpline

#endif
