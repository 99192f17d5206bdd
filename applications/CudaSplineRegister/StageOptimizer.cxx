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
#include "StageOptimizer.h"

#include "itkConjugateGradientLineSearchOptimizerv4.h"
#include "itkGradientDescentOptimizerv4.h"
#include "itkLBFGSOptimizerv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <limits>

namespace CudaSplineRegister
{

namespace
{

/** A gradient descent, whose first step of a level is as long as SetUpLevel() says. */
template <typename TOptimizer>
typename TOptimizer::Pointer
MakeDescent(double convergence)
{
  const auto optimizer = TOptimizer::New();
  optimizer->SetDoEstimateLearningRateOnce(true);
  optimizer->SetDoEstimateLearningRateAtEachIteration(false);
  optimizer->SetMinimumConvergenceValue(convergence); // of ITK's fit to the last ten values
  optimizer->SetConvergenceWindowSize(10);
  return optimizer;
}

} // namespace

itk::ObjectToObjectOptimizerBaseTemplate<double>::Pointer
MakeOptimizer(const StageOptions & stage, itk::OptimizerParameterScalesEstimatorTemplate<double> * estimator)
{
  itk::ObjectToObjectOptimizerBaseTemplate<double>::Pointer optimizer;
  switch (stage.optimizer)
  {
    case OptimizerKind::RegularStep: {
      const auto descent = MakeDescent<itk::RegularStepGradientDescentOptimizerv4<double>>(stage.convergence);
      // Short steps end a level by their length in mm, which the watch of the iterations measures.
      descent->SetMinimumStepLength(0.0);
      descent->SetGradientMagnitudeTolerance(std::numeric_limits<double>::min()); // none at all has no direction
      optimizer = descent.GetPointer();
      break;
    }
    case OptimizerKind::GradientDescent: {
      // Steps of one length, of which the best place counts: a rate of the first gradient's would diverge where later
      // ones are larger.
      const auto descent = MakeDescent<itk::GradientDescentOptimizerv4Template<double>>(stage.convergence);
      descent->SetDoEstimateLearningRateOnce(false);
      descent->SetDoEstimateLearningRateAtEachIteration(true);
      descent->SetReturnBestParametersAndValue(true);
      optimizer = descent.GetPointer();
      break;
    }
    case OptimizerKind::ConjugateGradient:
      optimizer =
        MakeDescent<itk::ConjugateGradientLineSearchOptimizerv4Template<double>>(stage.convergence).GetPointer();
      break;
    default: {
      const auto lbfgs = itk::LBFGSOptimizerv4::New();
      lbfgs->SetGradientConvergenceTolerance(1e-12); // iterations end it
      lbfgs->SetMaximumNumberOfFunctionEvaluations(1000000);
      optimizer = lbfgs.GetPointer();
    }
  }
  optimizer->SetScalesEstimator(estimator);
  optimizer->SetDoEstimateScales(stage.kind != StageKind::BSpline && stage.optimizer != OptimizerKind::Lbfgs);
  return optimizer;
}

void
SetUpLevel(itk::ObjectToObjectOptimizerBaseTemplate<double> * optimizer,
           const StageOptions &                               stage,
           std::size_t                                        level,
           double                                             step,
           const itk::Array<double> &                         movements)
{
  optimizer->SetNumberOfIterations(stage.iterations[level]);
  if (auto * const descent = dynamic_cast<itk::GradientDescentOptimizerv4Template<double> *>(optimizer))
  {
    descent->SetMaximumStepSizeInPhysicalUnits(step);
  }
  if (auto * const lbfgs = dynamic_cast<itk::LBFGSOptimizerv4 *>(optimizer))
  {
    lbfgs->SetDefaultStepLength(step); // of all parameters together
    if (movements.Size() != 0)
    {
      lbfgs->SetScales(movements);
    }
  }
}

} // namespace CudaSplineRegister
