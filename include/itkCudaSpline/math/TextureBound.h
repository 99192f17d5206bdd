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
#ifndef itkCudaSpline_math_TextureBound_h
#define itkCudaSpline_math_TextureBound_h

#include "itkCudaSpline/math/TextureSpline.h"

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief Maximum error of the position of a fetch along an axis (texels), including that of a lookup table.
 *
 * - 2^-9: the hardware's fraction has 8 bits and is rounded to nearest;
 * - 2^-18: rounding of the weights' quotient, which is at most 1, and of the fraction from which it is computed;
 * - texels 2^-23: a texture coordinate is a float, rounded twice;
 * - 1 / (entries - 1)^2: a table of M entries interpolates offsets h and sums g with errors of at most h'' and g'' over
 *   8 (M - 1)^2. A change of g moves weight between fetches that are at most n texels apart. Together the errors are
 *   equivalent to an error of (n sum |g''| + |h''|) / (8 (M - 1)^2) texels. For orders 2 to 5 |h''| is at most 2, 0.87,
 *   0.45, 0.26 and sum |g''|, of all pairs except the last, 1, 1, 1.67, 1.47: the numerator is at most 8.
 *
 * \param[in] order 1 to 5
 * \param[in] size samples of the axis
 * \param[in] entries entries of the lookup table; 0: no table */
inline double
TextureFractionError(unsigned int order, std::int64_t size, int entries)
{
  const double texels = static_cast<double>(size) + 2.0 * TextureMargin(order);
  const double intervals = entries - 1.0;
  return 0x1p-9 + 0x1p-18 + texels * 0x1p-23 + (entries > 0 && order > 1 ? 1.0 / (intervals * intervals) : 0.0);
}

/** \brief The error of the corner weights of a fetch, as an additional error of its position along each axis (texels).
 *
 * The 2^D weights of a fetch in D dimensions are multiples of 2^-8 that sum to 1, and each differs by less than 2^-8
 * from the product of the fractions (measured on an H200: doc/Accuracy.md). Errors of the weights sum to 0: the error
 * of a value is at most half the sum of their magnitudes, 2^(D - 9), times the range of the corners, which is at most
 * the sum of the differences along the axes. In 1D the weights are those of the fraction.
 *
 * \param[in] dimension 1 to 3 */
constexpr double
TextureWeightError(unsigned int dimension)
{
  return dimension == 3 ? 0x1p-6 : (dimension == 2 ? 0x1p-7 : 0.0);
}

/** \brief Bound of the difference of TextureSplineValue() from the exact sum over the same coefficients.
 *
 * A fetch is linear along each axis: the effect of an error of its position is at most that error times the largest
 * difference of neighbours along the axis. The weights of the fetches are non-negative and sum to 1, so the errors of
 * the axes add. In 3D the weights of the corners are also quantised (TextureWeightError). Rounding is added: an axis'
 * weights and sums have an error of (3 n + 8) 2^-24 max|c| as in the exact sum, the filter of 8 units more.
 *
 * \tparam TSizes array of sizes
 * \tparam TDifferences array of differences
 * \param[in] order 1 to 5
 * \param[in] dimension number of axes
 * \param[in] size samples along each axis
 * \param[in] difference largest magnitude of the difference of neighbouring coefficients along each axis, including
 * those in the extension
 * \param[in] largest largest magnitude of the coefficients
 * \param[in] entries entries of the lookup table; 0: no table */
template <typename TSizes, typename TDifferences>
double
TextureErrorBound(unsigned int         order,
                  unsigned int         dimension,
                  const TSizes &       size,
                  const TDifferences & difference,
                  double               largest,
                  int                  entries)
{
  double       bound = 0.0;
  const double quantized = TextureWeightError(dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    bound += (TextureFractionError(order, size[d], entries) + quantized) * static_cast<double>(difference[d]) +
             (3.0 * order + 16.0) * 0x1p-24 * largest;
  }
  return bound;
}

/** @} */
} // namespace itk::CudaSpline

#endif
