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
#ifndef CudaSplineRegister_LinearStage_hxx
#define CudaSplineRegister_LinearStage_hxx

#include "LinearStage.h"

#include "Error.h"
#include "KernelLevels.h"
#include "KernelStage.h"
#include "Stopwatch.h"

#include "itkCudaSpline/itk/LinearRegistrationOfImages.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace CudaSplineRegister
{

/** \brief A stage of a linear transform: the kernels' levels, and what is told of them. */
template <typename TPixel, unsigned int VDimension>
class LinearStage : private KernelStage
{
public:
  using Inputs = StageInputs<TPixel, VDimension>;
  using Registration = itk::CudaSplineDetail::LinearRegistrationOfImages<TPixel, VDimension>;

  LinearStage(const Inputs & inputs, const RegistrationRequest & request, std::size_t number)
    : KernelStage(request, number)
    , m_Options(this->MakeOptions(inputs.fixed))
    , m_Registration({ inputs.fixed.GetPointer(),
                       inputs.moving.GetPointer(),
                       inputs.fixedMask.GetPointer(),
                       inputs.movingMask.GetPointer(),
                       inputs.before },
                     KindOf(m_Stage.kind),
                     inputs.transform,
                     m_Options,
                     request.options->device)
  {}

  StageResult
  Run(typename Inputs::TransformType * transform, bool & isStopped)
  {
    const Stopwatch time;
    for (std::size_t level = 0; level < m_Options.levels.size() && !isStopped; ++level)
    {
      isStopped = this->RunLevel(level, transform);
    }
    return this->Conclude(m_Registration.GetBackend(), transform->GetNumberOfParameters(), time.GetSeconds());
  }

private:
  static itk::CudaSpline::LinearKind
  KindOf(StageKind kind)
  {
    switch (kind)
    {
      case StageKind::Translation:
        return itk::CudaSpline::LinearKind::Translation;
      case StageKind::Rigid:
        return itk::CudaSpline::LinearKind::Rigid;
      case StageKind::Similarity:
        return itk::CudaSpline::LinearKind::Similarity;
      default:
        return itk::CudaSpline::LinearKind::Affine;
    }
  }

  itk::CudaSpline::LinearOptions
  MakeOptions(const typename Inputs::ImageType * fixed) const
  {
    using Descent = itk::CudaSpline::LinearDescent;
    itk::CudaSpline::LinearOptions options;
    options.levels = MakeKernelLevels(m_Stage);
    options.sigmasInMm = m_Stage.sigmasInMm;
    options.metric = MakeKernelMetric(m_Stage, *m_Request.options, itk::CudaSpline::ScalarTypeOf<TPixel>());
    options.samples = MakeKernelSamples(m_Stage, *m_Request.options);
    options.rules.descent = m_Stage.optimizer == OptimizerKind::RegularStep       ? Descent::RegularStep
                            : m_Stage.optimizer == OptimizerKind::GradientDescent ? Descent::GradientDescent
                                                                                  : Descent::ConjugateGradient;
    options.rules.maximumStep = m_Stage.step; // 0: a voxel of the level
    const auto & spacing = fixed->GetSpacing();
    options.rules.minimumStep =
      m_Stage.minimumStep > 0.0 ? m_Stage.minimumStep : 1e-3 * *std::min_element(spacing.Begin(), spacing.End());
    options.rules.convergence = m_Stage.convergence;
    return options;
  }

  /** Runs a level; returns whether a signal ended it. */
  bool
  RunLevel(std::size_t level, typename Inputs::TransformType * transform)
  {
    using Stop = itk::CudaSpline::LinearStop;
    const Stopwatch time;
    const auto      record =
      m_Registration.RunLevel(level, [this](std::size_t of, const itk::CudaSpline::LinearIteration & found) {
        Iteration iteration;
        iteration.level = of;
        iteration.number = found.number;
        iteration.value = found.value;
        iteration.step = found.step;
        this->Tell(iteration);
        return !IsAskedToStop(m_Request);
      });
    m_Registration.CopyTo(transform);
    this->Add(m_Registration.GetBackend(),
              record.evaluations,
              record.seconds,
              record.stop != Stop::NoSamples,
              { record.value, record.iterations, time.GetSeconds(), this->DescribeStop(record, level) });
    return record.stop == Stop::Stopped;
  }

  /** Why a level ended, in the words of ITK's optimizers. */
  std::string
  DescribeStop(const itk::CudaSpline::LinearRecord & record, std::size_t level) const
  {
    using Stop = itk::CudaSpline::LinearStop;
    const std::string optimizer =
      m_Stage.optimizer == OptimizerKind::RegularStep       ? "RegularStepGradientDescentOptimizerv4: "
      : m_Stage.optimizer == OptimizerKind::GradientDescent ? "GradientDescentOptimizerv4Template: "
                                                            : "ConjugateGradientLineSearchOptimizerv4Template: ";
    switch (record.stop)
    {
      case Stop::Converged:
        return optimizer + "Convergence checker passed at iteration " + std::to_string(record.iterations) + '.';
      case Stop::NoGradient:
        return optimizer + "Gradient magnitude tolerance met after " + std::to_string(record.iterations) +
               " iterations. Gradient magnitude (" + Brief(record.gradient) +
               ") is less than gradient magnitude tolerance (" + Brief(std::numeric_limits<double>::min()) + ").";
      case Stop::ShortStep:
        return "the step of " + Brief(record.step) + " mm is below " + Brief(m_Options.rules.minimumStep) + " mm";
      case Stop::NoSamples:
        return "no sample of the fixed image lies in the moving one";
      case Stop::Stopped:
        return "a signal";
      default:
        return optimizer + "Maximum number of iterations (" + std::to_string(m_Stage.iterations[level]) + ") exceeded.";
    }
  }

  itk::CudaSpline::LinearOptions m_Options;
  Registration                   m_Registration;
};

template <typename TPixel, unsigned int VDimension>
bool
IsStageOfKernels(const StageInputs<TPixel, VDimension> & inputs, const StageOptions & stage, const Options & options)
{
  using Registration = itk::CudaSplineDetail::LinearRegistrationOfImages<TPixel, VDimension>;
  return stage.kind <= StageKind::Affine && stage.optimizer != OptimizerKind::Lbfgs &&
         AreComparedByKernels(inputs, stage, options) && Registration::IsKnown(inputs.before.GetPointer());
}

template <typename TPixel, unsigned int VDimension>
StageResult
RunLinearStage(const StageInputs<TPixel, VDimension> & inputs,
               const RegistrationRequest &             request,
               std::size_t                             number,
               bool &                                  isStopped)
{
  return LinearStage<TPixel, VDimension>(inputs, request, number).Run(inputs.transform, isStopped);
}

} // namespace CudaSplineRegister

#endif
