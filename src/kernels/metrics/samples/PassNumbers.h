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
#ifndef PassNumbers_h
#define PassNumbers_h

#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <type_traits>
#include <variant>

/** \file
 * \brief The passes of metrics in the arguments of kernels. */

namespace itk::CudaSpline
{

/** \brief The position of a pass in MetricPass, at compile time. */
template <typename TPass>
inline constexpr auto PassIndex = static_cast<unsigned char>(MetricPass(TPass()).index());

template <typename TPasses>
struct PassNumbersOf;

/** \brief See PassNumbers. */
template <typename... TPasses>
struct PassNumbersOf<std::variant<TPasses...>> : TPasses...
{
  unsigned char pass{ 0 }; ///< PassIndex of the pass

  /** Selects a pass, with its parameters. */
  void
  SetPass(const std::variant<TPasses...> & given)
  {
    pass = static_cast<unsigned char>(given.index());
    std::visit([this](const auto & own) { static_cast<std::decay_t<decltype(own)> &>(*this) = own; }, given);
  }
};

/** \brief A pass as kernels read it. Of the parameters only those of the pass are set. */
using PassNumbers = PassNumbersOf<MetricPass>;

} // namespace itk::CudaSpline

#endif
