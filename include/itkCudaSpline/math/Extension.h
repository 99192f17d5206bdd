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
#ifndef itkCudaSpline_math_Extension_h
#define itkCudaSpline_math_Extension_h

#include "itkCudaSpline/math/HostDevice.h"

#include <cstdint>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief How a line of samples s[0] ... s[N-1] is continued outside its ends.
 *
 * With the names of scipy.ndimage. ITK's splines support only Mirror. */
enum class Extension : unsigned char
{
  Mirror,      ///< whole-sample symmetry, period 2 N - 2:  d c b | a b c d | c b a
  Reflect,     ///< half-sample symmetry, period 2 N:       c b a | a b c d | d c b
  GridWrap,    ///< periodic, period N:                     b c d | a b c d | a b c
  Nearest,     ///< the end repeats:                        a a a | a b c d | d d d
  GridConstant ///< a given value, the border value k:      k k k | a b c d | k k k
};

/** \brief True for extensions that also apply to B-spline coefficients: those of a symmetric or periodic line are
 * symmetric or periodic themselves. If a line is continued with its end sample, or with a given value, its coefficients
 * are not. B-splines of orders 2 to 5 do not support these extensions.
 *
 * \param[in] extension the extension */
CUDASPLINE_HOST_DEVICE constexpr bool
HasCoefficients(Extension extension)
{
  return extension == Extension::Mirror || extension == Extension::Reflect || extension == Extension::GridWrap;
}

/** \brief Name of an extension in messages. */
constexpr const char *
NameOf(Extension extension)
{
  switch (extension)
  {
    case Extension::Mirror:
      return "Mirror";
    case Extension::Reflect:
      return "Reflect";
    case Extension::GridWrap:
      return "GridWrap";
    case Extension::Nearest:
      return "Nearest";
    default:
      return "GridConstant";
  }
}

/** \brief The index in [0, size) of the sample at \p index with the extension; -1 for the border value of
 * Extension::GridConstant.
 *
 * Folds any number of times, and thus supports windows that are longer than the line. A line of one sample is constant.
 *
 * \param[in] index any index (samples)
 * \param[in] size number of samples of the line, at least 1
 * \param[in] extension the extension */
CUDASPLINE_HOST_DEVICE inline std::int64_t
FoldIndex(std::int64_t index, std::int64_t size, Extension extension)
{
  if (index >= 0 && index < size)
  {
    return index;
  }
  if (extension == Extension::GridConstant)
  {
    return -1;
  }
  if (size == 1)
  {
    return 0;
  }
  if (extension == Extension::Nearest)
  {
    return index < 0 ? 0 : size - 1;
  }
  const std::int64_t period =
    extension == Extension::Mirror ? 2 * size - 2 : (extension == Extension::Reflect ? 2 * size : size);
  std::int64_t folded = index % period;
  folded = folded < 0 ? folded + period : folded;
  if (folded < size)
  {
    return folded;
  }
  return extension == Extension::Mirror ? period - folded : period - 1 - folded;
}

/** @} */
} // namespace itk::CudaSpline

#endif
