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
#include "kernels/registration/optimizers/LineSearch.h"

#include <algorithm>
#include <cmath>

namespace itk::CudaSpline
{

namespace
{
// The constants of itk::LBFGSOptimizerv4.
constexpr double Decrease = 1e-4;        // of the value, as a fraction of the prediction by the slope
constexpr double ShortestStep = 1e-20;   // absolute minimum
constexpr double LongestStep = 1e20;     // absolute maximum
constexpr double Extrapolation = 4.0;    // largest factor of a step relative to the previous one
constexpr double Share = 0.66;           // largest fraction of the interval that may remain after two steps
constexpr double Inside = 0.66F;         // largest fraction of the interval for a step inside; a float, as in ITK
constexpr double NarrowInterval = 1e-16; // relative to its far end
constexpr int    MaxSteps = 20;

/** The minimum of a cubic that has given values and slopes at two points. */
struct CubicMinimum
{
  double root;  ///< 0 if the cubic has no minimum
  double ratio; ///< position of the minimum as a fraction of the distance from the first point to the second one

  /** \param[in] from, to the points
   * \param[in] isFalling whether the cubic may have no minimum */
  template <typename TPoint>
  CubicMinimum(const TPoint & from, const TPoint & to, bool isFalling)
  {
    const double theta = 3.0 * (from.value - to.value) / (to.step - from.step) + from.slope + to.slope;
    const double scale = std::max({ std::abs(theta), std::abs(from.slope), std::abs(to.slope) });
    const double square = theta / scale * (theta / scale) - from.slope / scale * (to.slope / scale);
    root = scale * std::sqrt(isFalling ? std::max(0.0, square) : square);
    root = to.step < from.step ? -root : root;
    ratio = (root - from.slope + theta) / (root - from.slope + root + to.slope);
  }
};

/** Returns where the line through the slopes of two points is 0. */
template <typename TPoint>
double
Secant(const TPoint & from, const TPoint & to)
{
  return from.step + from.slope / (from.slope - to.slope) * (to.step - from.step);
}

bool
IsNearer(double step, double than, double to)
{
  return std::abs(step - to) < std::abs(than - to);
}
} // namespace

LineSearch::LineSearch(double value, double slope, double step, double accuracy)
  : m_Value(value)
  , m_Slope(slope)
  , m_Accuracy(accuracy)
  , m_Step(step)
  , m_Width(LongestStep - ShortestStep)
  , m_WidthBefore(2.0 * m_Width)
  , m_Best{ 0.0, value, slope }
  , m_Other(m_Best)
{
  this->Choose();
}

bool
LineSearch::IsSpent() const
{
  return m_IsBracketed && (m_Step <= m_Lowest || m_Step >= m_Highest);
}

void
LineSearch::Choose()
{
  // The bounds of the next step.
  m_Lowest = m_IsBracketed ? std::min(m_Best.step, m_Other.step) : m_Best.step;
  m_Highest = m_IsBracketed ? std::max(m_Best.step, m_Other.step) : m_Step + Extrapolation * (m_Step - m_Best.step);
  m_Step = std::clamp(m_Step, ShortestStep, LongestStep);
  // If the search is about to fail, it ends at the best step.
  if (this->IsSpent() || m_Count >= MaxSteps - 1 || !m_IsConsistent ||
      (m_IsBracketed && m_Highest - m_Lowest <= NarrowInterval * m_Highest))
  {
    m_Step = m_Best.step;
  }
}

LineSearchState
LineSearch::Take(double value, double slope)
{
  ++m_Count;
  const Point  trial{ m_Step, value, slope };
  const double promised = Decrease * m_Slope;
  const double enough = m_Value + m_Step * promised;
  if (value <= enough && std::abs(slope) <= -m_Accuracy * m_Slope)
  {
    return LineSearchState::Found;
  }
  if (this->IsSpent() || !m_IsConsistent || m_Count >= MaxSteps ||
      (m_IsBracketed && m_Highest - m_Lowest <= NarrowInterval * m_Highest) ||
      (m_Step == LongestStep && value <= enough && slope <= promised) ||
      (m_Step == ShortestStep && (value > enough || slope >= promised)))
  {
    return LineSearchState::Failed;
  }
  if (value <= enough && slope >= std::min(Decrease, m_Accuracy) * m_Slope)
  {
    m_IsFirstStage = false;
  }
  // If a step decreases the value, but not enough, the required decrease is subtracted from the function.
  this->Narrow(trial, m_IsFirstStage && value <= m_Best.value && value > enough ? promised : 0.0);
  if (m_IsBracketed)
  {
    // In two steps the interval becomes shorter by a third, or it is halved.
    const double width = std::abs(m_Other.step - m_Best.step);
    if (width >= Share * m_WidthBefore)
    {
      m_Step = m_Best.step + 0.5 * (m_Other.step - m_Best.step);
    }
    m_WidthBefore = m_Width;
    m_Width = width;
  }
  this->Choose();
  return LineSearchState::Searching;
}

void
LineSearch::Narrow(const Point & found, double promised)
{
  const auto less = [promised](const Point & point) {
    return Point{ point.step, point.value - point.step * promised, point.slope - promised };
  };
  const Point trial = less(found);
  const Point best = less(m_Best);
  const Point other = less(m_Other);
  m_IsConsistent = best.slope * (trial.step - best.step) < 0.0;
  if (!m_IsConsistent)
  {
    return;
  }
  const bool isHigher = trial.value > best.value;
  const bool turns = trial.slope * (best.slope / std::abs(best.slope)) < 0.0;
  bool       staysInside = false;
  double     next = 0.0;
  if (isHigher)
  {
    // A minimum is before the trial: the minimum of the cubic, or the middle between it and the minimum of the
    // parabola.
    const CubicMinimum cubic(best, trial, false);
    const double       ofCubic = best.step + cubic.ratio * (trial.step - best.step);
    const double       ofParabola = best.step + best.slope /
                                            ((best.value - trial.value) / (trial.step - best.step) + best.slope) / 2.0 *
                                            (trial.step - best.step);
    next = IsNearer(ofCubic, ofParabola, best.step) ? ofCubic : ofCubic + (ofParabola - ofCubic) / 2.0;
    staysInside = true;
    m_IsBracketed = true;
  }
  else if (turns)
  {
    // A minimum is between both points: the estimate that is farther from the trial is used.
    const CubicMinimum cubic(trial, best, false);
    const double       ofCubic = trial.step + cubic.ratio * (best.step - trial.step);
    const double       ofSecant = Secant(trial, best);
    next = IsNearer(ofSecant, ofCubic, trial.step) ? ofCubic : ofSecant;
    m_IsBracketed = true;
  }
  else if (std::abs(trial.slope) < std::abs(best.slope))
  {
    // The minimum is beyond the trial, where the slope becomes flatter. If the cubic has no minimum there, the bound is
    // used.
    const CubicMinimum cubic(trial, best, true);
    const double ofCubic = cubic.ratio < 0.0 && cubic.root != 0.0 ? trial.step + cubic.ratio * (best.step - trial.step)
                                                                  : (trial.step > best.step ? m_Highest : m_Lowest);
    const double ofSecant = Secant(trial, best);
    const bool   takesCubic =
      m_IsBracketed ? IsNearer(ofCubic, ofSecant, trial.step) : IsNearer(ofSecant, ofCubic, trial.step);
    next = takesCubic ? ofCubic : ofSecant;
    staysInside = true;
  }
  else if (m_IsBracketed)
  {
    // The slope becomes steeper: the minimum is between the trial and the other end.
    const CubicMinimum cubic(trial, other, false);
    next = trial.step + cubic.ratio * (other.step - trial.step);
  }
  else
  {
    next = trial.step > best.step ? m_Highest : m_Lowest;
  }
  if (!std::isfinite(next))
  {
    // A cubic cannot be used with a value as high as that of a metric without samples.
    next = best.step + 0.5 * (trial.step - best.step);
  }
  if (isHigher)
  {
    m_Other = found;
  }
  else
  {
    m_Other = turns ? m_Best : m_Other;
    m_Best = found;
  }
  m_Step = std::clamp(next, m_Lowest, m_Highest);
  if (m_IsBracketed && staysInside)
  {
    const double far = m_Best.step + Inside * (m_Other.step - m_Best.step);
    m_Step = m_Other.step > m_Best.step ? std::min(far, m_Step) : std::max(far, m_Step);
  }
}

} // namespace itk::CudaSpline
