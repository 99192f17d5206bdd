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
 * \brief A search along a line for a step that lowers a function enough and flattens it enough (the strong conditions
 * of Wolfe), as Moré and Thuente give it \cite{More1994}. */

namespace itk::CudaSpline
{

/** \brief Where a search stands. */
enum class LineSearchState : unsigned char
{
  Searching, ///< the function is wanted at the next step
  Found,     ///< the last step will do
  Failed     ///< there is none to be found; the best step was the last one to be looked at
};

/** \brief The search; the caller evaluates the function and passes its value and its slope at each step.
 *
 * The step looked for has f(step) <= f(0) + 1e-4 step f'(0) and |f'(step)| <= accuracy |f'(0)|. An interval that
 * contains one is kept and narrowed: its ends are the best step so far and another one. The next step is the minimum of
 * a cubic or a parabola through what is known, kept away from the interval's ends. Constants are those of
 * itk::LBFGSOptimizerv4. */
class LineSearch
{
public:
  /** \param[in] value of the function at 0
   * \param[in] slope of it, below 0
   * \param[in] step the first one to look at, above 0
   * \param[in] accuracy of the slope: 0 to 1 */
  LineSearch(double value, double slope, double step, double accuracy);

  /** The step at which the function is wanted. */
  double
  GetStep() const
  {
    return m_Step;
  }

  /** \brief Takes what the function is at the step.
   *
   * \param[in] value of the function; a number
   * \param[in] slope of the function
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

  /** Narrows the interval by a step that was looked at, and finds the next one.
   * \param[in] found what the function is there
   * \param[in] promised slope that is taken off everything first */
  void
  Narrow(const Point & found, double promised);
  /** Keeps the next step within its bounds. */
  void
  Choose();
  /** Whether the step is not inside of the interval. */
  bool
  IsSpent() const;

  double m_Value;                ///< at 0
  double m_Slope;                ///< at 0
  double m_Accuracy;             ///< of the slope
  double m_Step;                 ///< to look at
  double m_Lowest{ 0 };          ///< bound of steps
  double m_Highest{ 0 };         ///< bound of steps
  double m_Width;                ///< of the interval
  double m_WidthBefore;          ///< two steps before
  Point  m_Best;                 ///< end of the interval with the lower value
  Point  m_Other;                ///< the other end
  bool   m_IsBracketed{ false }; ///< whether the interval contains a step that will do
  bool   m_IsFirstStage{ true }; ///< until a step is low enough and goes up
  bool   m_IsConsistent{ true }; ///< false where value and slope contradict each other
  int    m_Count{ 0 };           ///< steps that were looked at
};

} // namespace itk::CudaSpline

#endif
