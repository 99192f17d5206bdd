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
#ifndef PublishedRecursion_h
#define PublishedRecursion_h

#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/SplinePoles.h"

#include <cstdint>

/** \brief The cubic prefilter of one line as published by Ruijters and Thévenaz \cite{Ruijters2012}: in place, forward
 * and then backward, with one line per thread.
 *
 * It was written from the description, as the reference for comparisons with the publications. The line is extended by
 * repeating its edge sample (Extension::Reflect); ITK mirrors about that sample. The sum that starts the forward pass
 * has
 * \p horizon terms.
 *
 * \param[in,out] line first sample of the line; its coefficients afterwards
 * \param[in] count samples, at least 1
 * \param[in] stride elements from one sample to the next
 * \param[in] horizon terms of the first sum
 *
 * \par Accuracy the first sum is truncated, by less than |z|^horizon of the largest sample, 1.4e-7 for 12 terms */
CUDASPLINE_HOST_DEVICE inline void
PublishedRecursion(float * line, std::int64_t count, std::int64_t stride, std::int64_t horizon = 12)
{
  const auto         pole = static_cast<float>(itk::CudaSpline::SplinePoles<3>::Pole(0));
  const float        gain = (1.0F - pole) * (1.0F - 1.0F / pole);
  const std::int64_t terms = count < horizon ? count : horizon;
  float              power = pole;
  float              sum = line[0];
  for (std::int64_t k = 0; k < terms; ++k)
  {
    sum += power * line[k * stride];
    power *= pole;
  }
  float state = gain * sum;
  *line = state;
  for (std::int64_t k = 1; k < count; ++k)
  {
    line += stride;
    state = gain * *line + pole * state;
    *line = state;
  }
  state = pole / (pole - 1.0F) * state;
  *line = state;
  for (std::int64_t k = 1; k < count; ++k)
  {
    line -= stride;
    state = pole * (state - *line);
    *line = state;
  }
}

#endif
