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
 * \brief The progress of a registration, and the results of its levels. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A completed iteration. */
struct RegistrationIteration
{
  std::size_t  level{ 0 };         ///< from 0, the coarsest level
  unsigned int number{ 0 };        ///< from 1 in each level
  double       value{ 0.0 };       ///< value of the metric; lower is better
  double       convergence{ 0.0 }; ///< ConvergenceWindow::GetValue(); infinite if there are too few values
  double       step{ 0.0 };        ///< for linear transforms: longest displacement of a watched point (mm)
};

/** \brief Receives each iteration. Returns false to stop the registration with the result so far. */
using RegistrationWatch = std::function<bool(const RegistrationIteration & iteration)>;

/** \brief How much higher a value is than the best one, relative to the larger magnitude of both. */
inline double
RelativeLoss(double best, double value)
{
  const double scale = std::max(std::abs(best), std::abs(value));
  return scale > 0.0 ? (value - best) / scale : 0.0;
}

/** \brief Why a level has stopped. */
enum class LevelEnd : unsigned char
{
  Iterations, ///< all iterations are done
  Converged,  ///< values hardly fall any more
  Stopped,    ///< the watch stopped it, in this level or an earlier one
  ShortStep,  ///< for linear transforms: steps are shorter than the minimum
  NoGradient, ///< for linear transforms: no direction lowers the value
  Undone,     ///< the result was worse than the start of this or an earlier level, and that start was restored
  Skipped     ///< it has too few samples
};

/** \brief The result of a level. */
struct LevelRecord
{
  LevelEnd     end{ LevelEnd::Iterations }; ///< why it stopped
  unsigned int iterations{ 0 };             ///< number of iterations
  double       value{ 0.0 };                ///< value of the last iteration; 0 without iterations
  double       convergence{ 0.0 };          ///< convergence of the last iteration
  double       seconds{ 0.0 };              ///< duration, including smoothing
  double       loss{ 0.0 };                 ///< RelativeLoss() of LevelEnd::Undone; infinity without samples
  double       fallRate{ 0.0 };             ///< FallRate at the end
};

/** \brief Marks the levels whose results were not kept.
 *
 * \param[in,out] levels levels of a stage
 * \param[in] first index of the first marked level; empty: all were kept
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
