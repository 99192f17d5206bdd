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
#ifndef CudaSplineRegister_IterationWatch_h
#define CudaSplineRegister_IterationWatch_h

#include "Registration.h"
#include "Stopwatch.h"

#include "itkObjectToObjectOptimizerBase.h"
#include "itkTransformBase.h"

#include <functional>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Thrown out of an optimizer where a signal wants the registration to end. No ITK code catches it. */
struct StopRequest
{};

/** \brief Looks at each iteration of an optimizer: counts, measures the step, keeps the best parameters, and ends a
 * level whose steps are short, or the registration on a signal. */
class IterationWatch
{
public:
  using OptimizerType = itk::ObjectToObjectOptimizerBaseTemplate<double>;
  using ParametersType = itk::OptimizerParameters<double>;
  /** Places, in mm, that parameters move: the images of corners, or coefficients; all x, then all y, all z. */
  using PlacesOf = std::function<std::vector<double>()>;

  /** \param[in] optimizer is watched until this object ends
   * \param[in] transform that it optimizes
   * \param[in] request whom to tell, and which signal stops
   * \param[in] stage its number
   * \param[in] placesOf where the transform's parameters have places now
   * \param[in] evaluated called when a level's first iteration has evaluated the metric; may throw */
  IterationWatch(OptimizerType *               optimizer,
                 const itk::TransformBase *    transform,
                 const RegistrationRequest &   request,
                 std::size_t                   stage,
                 const PlacesOf &              placesOf,
                 const std::function<void()> & evaluated);
  IterationWatch(const IterationWatch &) = delete;
  IterationWatch &
  operator=(const IterationWatch &) = delete;
  ~IterationWatch();

  /** \brief Begins a level; to be called when the transform has the level's parameters.
   * \param[in] minimumStep a step that is shorter (mm) ends the level */
  void
  BeginLevel(std::size_t level, double minimumStep);

  /** \brief Ends the level, if one has begun: a line search may have ended in the midst, so the transform gets its best
   * parameters. To be called before a level's grid becomes the next one's. */
  void
  EndLevel();

  /** \brief The levels that were begun; the last one has ended when this is called. */
  std::vector<LevelResult>
  TakeLevels();

  /** \brief Parameters of the level's lowest value so far; empty where it has no iteration. */
  const ParametersType &
  GetBest() const
  {
    return m_Best;
  }

private:
  void
  Look();

  OptimizerType *             m_Optimizer;
  const itk::TransformBase *  m_Transform;
  const RegistrationRequest & m_Request;
  PlacesOf                    m_PlacesOf;
  std::function<void()>       m_Evaluated;
  unsigned long               m_Observer;
  std::vector<double>         m_Places;
  double                      m_MinimumStep{ 0.0 };
  bool                        m_IsShort{ false };
  Iteration                   m_Iteration;
  ParametersType              m_Before; ///< before the step that an iteration ends with
  ParametersType              m_Best;
  double                      m_BestValue{ 0.0 };
  Stopwatch                   m_Time;
  std::vector<LevelResult>    m_Levels;
};

} // namespace CudaSplineRegister

#endif
