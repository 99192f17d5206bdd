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
#ifndef ParzenWindow_h
#define ParzenWindow_h

#include "itkCudaSpline/math/HostDevice.h"

/** \file
 * \brief The cubic window of a sample in a row of a joint histogram, for the metric and for the losses of automatic
 * differentiation. */

namespace itk::CudaSpline
{

/** \brief Bins of a window. */
inline constexpr int ParzenTaps = 4;

/** \brief Adds a window to a histogram.
 *
 * \param[in] first the first bin of the window
 * \param[in] weights of its bins, in [0, 1]
 * \param[in,out] histogram has Add(bin, weight) */
template <typename TReal, typename THistogram>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
AddWindow(int first, const TReal (&weights)[ParzenTaps], THistogram & histogram)
{
  for (int k = 0; k < ParzenTaps; ++k)
  {
    histogram.Add(first + k, static_cast<double>(weights[k]));
  }
}

/** \brief The sum over the bins of a window of a factor times an element of a table.
 *
 * \param[in] factors weights or slopes of the bins
 * \param[in] table the element of the first bin, followed by those of the others */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
ContractWindow(const TReal (&factors)[ParzenTaps], const TReal * table)
{
  TReal sum = 0;
  for (int k = 0; k < ParzenTaps; ++k)
  {
    sum += factors[k] * table[k];
  }
  return sum;
}

} // namespace itk::CudaSpline

#endif
