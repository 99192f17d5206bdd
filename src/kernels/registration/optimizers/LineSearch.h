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
#ifndef LineSearch_h
#define LineSearch_h

#include <cstdint>

/** \file
 * \brief A search along a line for a step that reduces a function and its slope sufficiently (the strong Wolfe
 * conditions), with the algorithm of Moré and Thuente \cite{More1994}. */

namespace itk::CudaSpline
{

/** \brief State of a search. */
enum class LineSearchState : unsigned char
{
  Searching, ///< the function must be evaluated at the next step
  Found,     ///< the last step is acceptable
  Failed     ///< no step is acceptable; the last evaluated step is the best one
};

/** \brief The search. The caller evaluates the function and passes its value and its slope at each step.
 *
 * An acceptable step has f(step) <= f(0) + 1e-4 step f'(0) and |f'(step)| <= accuracy |f'(0)|. The search keeps and
 * narrows an interval that contains such a step: its ends are the best step so far and another one. The next step is
 * the minimum of a cubic or a parabola through known values, at a distance from the interval's ends. Constants are
 * those of itk::LBFGSOptimizerv4. */
class LineSearch
{
public:
  /** \param[in] value value of the function at 0
   * \param[in] slope its slope, below 0
   * \param[in] step the first step, above 0
   * \param[in] accuracy accuracy of the slope: 0 to 1 */
  LineSearch(double value, double slope, double step, double accuracy);

  /** The step at which the function must be evaluated. */
  double
  GetStep() const
  {
    return m_Step;
  }

  /** \brief Receives the function at the step.
   *
   * \param[in] value value of the function; not NaN
   * \param[in] slope slope of the function
   * \return whether the search continues, at another step */
  LineSearchState
  Take(double value, double slope);

private:
  /** A step, and the function there. */
  struct Point
  {
    double step;
    double value;
    double slope;
  };

  /** Narrows the interval with an evaluated step, and finds the next one.
   * \param[in] found the function at the step
   * \param[in] promised slope that is first subtracted from all values and slopes */
  void
  Narrow(const Point & found, double promised);
  /** Limits the next step to its bounds. */
  void
  Choose();
  /** Whether the step is not inside the interval. */
  bool
  IsSpent() const;

  double m_Value;                ///< at 0
  double m_Slope;                ///< at 0
  double m_Accuracy;             ///< of the slope
  double m_Step;                 ///< next step to evaluate
  double m_Lowest{ 0 };          ///< lower bound of steps
  double m_Highest{ 0 };         ///< upper bound of steps
  double m_Width;                ///< width of the interval
  double m_WidthBefore;          ///< width two steps before
  Point  m_Best;                 ///< end of the interval with the lower value
  Point  m_Other;                ///< the other end
  bool   m_IsBracketed{ false }; ///< whether the interval contains an acceptable step
  bool   m_IsFirstStage{ true }; ///< until a step is low enough and has a positive slope
  bool   m_IsConsistent{ true }; ///< false if value and slope contradict each other
  int    m_Count{ 0 };           ///< number of evaluated steps
};

} // namespace itk::CudaSpline

#endif
