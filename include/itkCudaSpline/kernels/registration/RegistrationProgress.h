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
#ifndef itkCudaSpline_kernels_registration_RegistrationProgress_h
#define itkCudaSpline_kernels_registration_RegistrationProgress_h

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

/** \file
 * \brief What a registration tells while it runs, and of its levels when it has ended. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief An iteration that has ended. */
struct RegistrationIteration
{
  std::size_t  level{ 0 };         ///< from 0, the coarsest
  unsigned int number{ 0 };        ///< from 1, in its level
  double       value{ 0.0 };       ///< of the metric, the better the lower
  double       convergence{ 0.0 }; ///< ConvergenceWindow::GetValue(); infinite of too few values
  double       step{ 0.0 };        ///< of linear transforms: longest way of a watched place (mm)
};

/** \brief Told of each iteration; returns false to end the registration with what it has come to. */
using RegistrationWatch = std::function<bool(const RegistrationIteration & iteration)>;

/** \brief How much higher a value is than the best one, as a share of the larger magnitude of both. */
inline double
RelativeLoss(double best, double value)
{
  const double scale = std::max(std::abs(best), std::abs(value));
  return scale > 0.0 ? (value - best) / scale : 0.0;
}

/** \brief Why a level has ended. */
enum class LevelEnd : unsigned char
{
  Iterations, ///< all are done
  Converged,  ///< values hardly fall any more
  Stopped,    ///< by the watch, in this level or before it
  ShortStep,  ///< of linear transforms: steps are shorter than the least
  NoGradient, ///< of linear transforms: there is no direction in which values fall
  Undone      ///< its result was worse than where it, or an earlier level, started, which was restored
};

/** \brief A level that has ended. */
struct LevelRecord
{
  LevelEnd     end{ LevelEnd::Iterations }; ///< why
  unsigned int iterations{ 0 };             ///< that were made
  double       value{ 0.0 };                ///< of the last iteration; 0 where there was none
  double       convergence{ 0.0 };          ///< the same
  double       seconds{ 0.0 };              ///< that it took, smoothing included
  double       loss{ 0.0 };                 ///< RelativeLoss() of LevelEnd::Undone
  double       fallRate{ 0.0 };             ///< FallRate at the end
};

/** \brief Marks the levels whose results were not kept.
 *
 * \param[in,out] levels of a stage
 * \param[in] first the first of them; nothing: all were kept
 * \param[in] loss how much worse the last one was */
inline void
MarkUndone(std::vector<LevelRecord> & levels, const std::optional<std::size_t> & first, double loss)
{
  for (std::size_t n = first.value_or(levels.size()); n < levels.size(); ++n)
  {
    if (levels[n].iterations > 0)
    {
      levels[n].end = LevelEnd::Undone;
      levels[n].loss = loss;
    }
  }
}

/** @} */
} // namespace itk::CudaSpline

#endif
