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
 * \brief Descents of a linear level: ITK's optimizers, with scales of parameters and lengths of steps from how far
 * corners move. */

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

/** \brief What a descent goes by; defaults are those of CudaSplineRegister. */
struct LinearRules
{
  LinearDescent descent{ LinearDescent::RegularStep }; ///< which optimizer
  unsigned int  iterations{ 100 };                     ///< at most, unless the limit is higher
  unsigned int  limit{ 0 };                            ///< at most, as long as values fall fast (FastFall)
  /** Longest way of a corner in the first iteration, and of GradientDescent in each one (mm); 0: the least spacing of
   * the virtual domain. */
  double maximumStep{ 0.0 };
  double minimumStep{ 0.0 }; ///< an iteration that moves no watched place as far as this is the last one (mm)
  /** Places whose ways are measured, \c dimension numbers each (mm); empty: the corners of the virtual domain. */
  std::vector<double> watched;
  /** Factors of the gradient by parameter: a parameter with 0 stays (itk::ObjectToObjectOptimizerBase's weights). */
  LinearTransform::Parameters weights{ { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } };
  /** Unit vectors along which the matrix of an affine transform stays: few slices hardly determine how slices stretch
   * and shear. */
  std::vector<LinearTransform::Vector> keptAxes;
  double       relaxation{ 0.5 };          ///< of RegularStep: factor of steps where the direction turns back
  double       convergence{ 1e-7 };        ///< slope of the last values that ends the others (ConvergenceWindow)
  std::size_t  window{ 10 };               ///< values of the slope; 2 or more
  unsigned int lineSearchIterations{ 20 }; ///< of ConjugateGradient
  double       lineSearchEnd{ 5.0 };       ///< of ConjugateGradient: how far it looks, in steps
  double       lineSearchEpsilon{ 0.01 };  ///< of ConjugateGradient: width that ends a search, as a share
};

/** \brief Why a descent has ended. */
enum class LinearStop : unsigned char
{
  None,       ///< it has not
  Iterations, ///< there were as many as were allowed
  Converged,  ///< values do not fall any more (ConvergenceWindow)
  NoGradient, ///< of RegularStep: there is no direction
  ShortStep,  ///< the last step was shorter than LinearRules::minimumStep
  NoSamples,  ///< no sample of the fixed image meets the moving one
  Stopped     ///< the watch stopped it (LinearRegistration)
};

/** \brief What an iteration came to. */
struct LinearIteration
{
  unsigned int number{ 0 };        ///< from 1 on
  double       value{ 0.0 };       ///< of the metric, where the step began
  std::int64_t count{ 0 };         ///< samples that are valid there
  double       learningRate{ 0 };  ///< ITK's, of the step
  double       step{ 0.0 };        ///< longest way of a watched place (mm)
  double       convergence{ 0.0 }; ///< slope of the last values; the largest double: too few, or RegularStep
};

/** \brief A descent from a transform, an iteration at a time.
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
 * Scales of parameters are estimated once, at the start. Trajectories are those of ITK's optimizers with
 * itk::RegistrationParameterScalesFromPhysicalShift. */
class LinearOptimizer
{
public:
  /** \param[in] level what is optimized; it outlives the descent
   * \param[in] start where it begins
   * \param[in] rules what it goes by
   * \exception std::invalid_argument a dimension that is not the level's; invalid steps, windows or relaxation
   */
  LinearOptimizer(LinearLevel & level, const LinearTransform & start, const LinearRules & rules);

  /** \brief One iteration; nothing where the descent has ended.
   *
   * \exception DeviceError the device failed: the transform is that of the iteration before */
  std::optional<LinearIteration>
  Iterate();

  /** Why it has ended. */
  LinearStop
  GetStop() const
  {
    return m_Stop;
  }
  /** Iterations so far. */
  unsigned int
  GetIterations() const
  {
    return m_Iteration;
  }
  /** Where it is: when it has ended, what ITK's optimizer leaves. For RegularStep that is the last point; for the
   * others it is, as in ITK, the point after the step that began at the best value. */
  const LinearTransform &
  GetTransform() const
  {
    return m_Transform;
  }
  /** The transform of the lowest value so far: for those who are interrupted. */
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
  /** Length of the last gradient, by the scales. */
  double
  GetGradientMagnitude() const
  {
    return m_Magnitude;
  }
  /** Scales of the parameters: ITK's. */
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
  /** A step of the optimizer; false where it ends before. */
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
  /** Removes from changes of a matrix those along the kept axes. */
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
  LinearTransform     m_BehindBest; ///< what ITK calls the best parameters
  double              m_BestValue{ std::numeric_limits<double>::max() };
  Parameters          m_Scales{};
  bool                m_ScalesAreIdentity{ false };
  Parameters          m_Gradient{};  ///< and what becomes of it in a step
  Parameters          m_Previous{};  ///< of the step before; of ConjugateGradient its gradient
  Parameters          m_Direction{}; ///< of ConjugateGradient
  double              m_Magnitude{ 0.0 };
  double              m_LearningRate{ 1.0 };
  double              m_Relaxation{ 1.0 };
  ConvergenceWindow   m_Window;
  FallRate            m_FallRate;
  std::vector<double> m_Places; ///< of the watched, where they are
  unsigned int        m_Iteration{ 0 };
  LinearStop          m_Stop{ LinearStop::None };
};

/** @} */
} // namespace itk::CudaSpline

#endif
