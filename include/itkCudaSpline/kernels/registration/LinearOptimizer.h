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
#ifndef itkCudaSpline_kernels_registration_LinearOptimizer_h
#define itkCudaSpline_kernels_registration_LinearOptimizer_h

#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/** \file
 * \brief Optimizers of a linear level. They are ITK's, with parameter scales and step lengths estimated from the
 * displacements of corners. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The optimizers. */
enum class LinearDescent : unsigned char
{
  RegularStep,      ///< itk::RegularStepGradientDescentOptimizerv4
  GradientDescent,  ///< itk::GradientDescentOptimizerv4, whose learning rate is estimated at each iteration
  ConjugateGradient ///< itk::ConjugateGradientLineSearchOptimizerv4, with its golden section search
};

/** \brief The rules of a descent; defaults are those of CudaSplineRegister. */
struct LinearRules
{
  LinearDescent descent{ LinearDescent::RegularStep }; ///< which optimizer
  unsigned int  iterations{ 100 };                     ///< maximum number of iterations, unless \c limit is higher
  unsigned int  limit{ 0 }; ///< maximum number of iterations while values fall fast (FastFall)
  /** Maximum displacement of a corner in the first iteration, and for GradientDescent in each iteration (mm); 0: the
   * smallest spacing of the virtual domain. */
  double maximumStep{ 0.0 };
  double minimumStep{ 0.0 }; ///< an iteration that moves no watched point as far as this is the last one (mm)
  /** Points whose displacements are measured, \c dimension numbers each (mm); empty: the corners of the virtual
   * domain. */
  std::vector<double> watched;
  /** Factors of the gradient for each parameter: a parameter with 0 does not change (itk::ObjectToObjectOptimizerBase's
   * weights). */
  LinearTransform::Parameters weights{ { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
  /** Unit vectors along which the matrix of an affine transform does not change: few slices hardly determine stretching
   * and shearing of slices. */
  std::vector<LinearTransform::Vector> keptAxes;
  double relaxation{ 0.5 }; ///< of RegularStep: factor of the step length if the direction reverses
  /** For the other optimizers: slope of the last values below which they stop (ConvergenceWindow). */
  double       convergence{ 1e-7 };
  std::size_t  window{ 10 };               ///< number of values of the slope; 2 or more
  unsigned int lineSearchIterations{ 20 }; ///< of ConjugateGradient
  double       lineSearchEnd{ 5.0 };       ///< of ConjugateGradient: maximum step of the search, as a factor
  double lineSearchEpsilon{ 0.01 }; ///< of ConjugateGradient: relative width of the interval at which a search stops
};

/** \brief Why a descent has stopped. */
enum class LinearStop : unsigned char
{
  None,       ///< it has not stopped
  Iterations, ///< the maximum number of iterations was reached
  Converged,  ///< values no longer fall (ConvergenceWindow)
  NoGradient, ///< of RegularStep: the gradient is zero
  ShortStep,  ///< the last step was shorter than LinearRules::minimumStep
  NoSamples,  ///< no sample of the fixed image is mapped into the moving one
  Stopped     ///< the watch stopped it (LinearRegistration)
};

/** \brief The result of an iteration. */
struct LinearIteration
{
  unsigned int number{ 0 };       ///< from 1
  double       value{ 0.0 };      ///< value of the metric before the step
  std::int64_t count{ 0 };        ///< valid samples before the step
  double       learningRate{ 0 }; ///< ITK's learning rate of the step
  double       step{ 0.0 };       ///< longest displacement of a watched point (mm)
  double convergence{ 0.0 }; ///< slope of the last values; the largest double if there are too few, or for RegularStep
};

/** \brief A descent from an initial transform, one iteration at a time.
 *
 * \code
 * LinearOptimizer descent(level, start, rules);
 * while (const auto iteration = descent.Iterate())
 * {
 *   std::cout << iteration->number << ' ' << iteration->value << '\n';
 * }
 * LinearTransform found = descent.GetTransform();
 * \endcode
 *
 * Scales of the parameters are estimated once, at the start. Trajectories are those of ITK's optimizers with
 * itk::RegistrationParameterScalesFromPhysicalShift. */
class LinearOptimizer
{
public:
  /** \param[in] level the level to optimize, which must outlive the optimizer
   * \param[in] start initial transform
   * \param[in] rules rules of the descent
   * \exception std::invalid_argument a dimension other than the level's; invalid steps, windows or relaxation
   */
  LinearOptimizer(LinearLevel & level, const LinearTransform & start, const LinearRules & rules);

  /** \brief Runs one iteration; empty if the descent has stopped.
   *
   * \exception DeviceError the device failed: the transform is then that of the previous iteration */
  std::optional<LinearIteration>
  Iterate();

  /** Why the descent has stopped. */
  LinearStop
  GetStop() const
  {
    return m_Stop;
  }
  /** Number of iterations so far. */
  unsigned int
  GetIterations() const
  {
    return m_Iteration;
  }
  /** The current transform; after the descent it is the one that ITK's optimizer returns. For RegularStep that is the
   * last point. For the others it is, as in ITK, the point after the step from the point with the best value. */
  const LinearTransform &
  GetTransform() const
  {
    return m_Transform;
  }
  /** The transform with the lowest value so far, for callers that stop early. */
  const LinearTransform &
  GetBest() const
  {
    return m_Best;
  }
  /** The lowest value so far; the largest double before the first one. */
  double
  GetBestValue() const
  {
    return m_BestValue;
  }
  /** How fast values fall. */
  double
  GetFallRate() const
  {
    return m_FallRate.GetValue();
  }
  /** Length of the last scaled gradient. */
  double
  GetGradientMagnitude() const
  {
    return m_Magnitude;
  }
  /** Scales of the parameters, as in ITK. */
  const LinearTransform::Parameters &
  GetScales() const
  {
    return m_Scales;
  }

private:
  using Parameters = LinearTransform::Parameters;

  void
  EstimateScales();
  double
  EstimateLearningRate(const Parameters & step) const;
  /** A step of the optimizer; false if it stops before the step. */
  bool
  StepRegularly();
  void
  StepDownhill();
  void
  StepConjugately();
  double
  ValueAt(double rate);
  double
  SearchGoldenSection(double a, double b, double c);
  void
  ApplyScales(Parameters & numbers) const;
  /** Removes the changes of a matrix along the kept axes. */
  void
  KeepAxes(Parameters & numbers) const;
  std::vector<double>
  PlacesOf(const LinearTransform & transform) const;
  void
  End(LinearStop stop);

  LinearLevel &       m_Level;
  LinearRules         m_Rules;
  LinearTransform     m_Transform;
  LinearTransform     m_Best;
  LinearTransform     m_BehindBest; ///< ITK's best parameters
  double              m_BestValue{ std::numeric_limits<double>::max() };
  Parameters          m_Scales{};
  bool                m_ScalesAreIdentity{ false };
  Parameters          m_Gradient{};  ///< the gradient, which a step modifies
  Parameters          m_Previous{};  ///< of the previous step; for ConjugateGradient its gradient
  Parameters          m_Direction{}; ///< of ConjugateGradient
  double              m_Magnitude{ 0.0 };
  double              m_LearningRate{ 1.0 };
  double              m_Relaxation{ 1.0 };
  ConvergenceWindow   m_Window;
  FallRate            m_FallRate;
  std::vector<double> m_Places; ///< current positions of the watched points
  unsigned int        m_Iteration{ 0 };
  LinearStop          m_Stop{ LinearStop::None };
};

/** @} */
} // namespace itk::CudaSpline

#endif
