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
#ifndef CudaSplineRegister_SplineStage_hxx
#define CudaSplineRegister_SplineStage_hxx

#include "SplineStage.h"

#include "Error.h"
#include "KernelLevels.h"
#include "KernelStage.h"
#include "Stopwatch.h"

#include "itkCudaSpline/itk/SplineRegistrationOfImages.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief A stage of a B-spline transform: the kernels' levels, and what is told of them. */
template <typename TPixel, unsigned int VDimension>
class SplineStage : private KernelStage
{
public:
  using Inputs = StageInputs<TPixel, VDimension>;
  using Registration = itk::CudaSplineDetail::SplineRegistrationOfImages<TPixel, VDimension>;

  SplineStage(const Inputs & inputs, const RegistrationRequest & request, std::size_t number)
    : KernelStage(request, number)
    , m_Options(this->MakeOptions())
    , m_Registration({ inputs.fixed.GetPointer(),
                       inputs.moving.GetPointer(),
                       inputs.fixedMask.GetPointer(),
                       inputs.movingMask.GetPointer(),
                       inputs.before },
                     m_Options,
                     request.options->device)
  {}

  StageResult
  Run(typename StageTransforms<VDimension>::Spline *                  transform,
      const std::vector<typename StageTransforms<VDimension>::Mesh> & meshes,
      bool &                                                          isStopped)
  {
    const Stopwatch time;
    for (std::size_t level = 0; level < m_Options.levels.size() && !isStopped; ++level)
    {
      isStopped = this->RunLevel(level, transform, meshes);
    }
    return this->Conclude(m_Registration.GetBackend(), transform->GetNumberOfParameters(), time.GetSeconds());
  }

private:
  itk::CudaSpline::SplineOptions
  MakeOptions() const
  {
    itk::CudaSpline::SplineOptions options;
    options.levels = MakeKernelLevels(m_Stage);
    options.sigmasInMm = m_Stage.sigmasInMm;
    options.metric = MakeKernelMetric(m_Stage, *m_Request.options, itk::CudaSpline::ScalarTypeOf<TPixel>());
    options.samples = MakeKernelSamples(m_Stage, *m_Request.options);
    options.rules.gradientTolerance = 1e-12; // iterations end it
    options.rules.stepLength = m_Stage.step; // 0: a voxel of the level
    return options;
  }

  /** Tells of an evaluation; false to end. One that went nowhere is none. */
  bool
  Look(std::size_t level, const itk::CudaSpline::LbfgsEvaluation & found, LevelResult & result) const
  {
    if (found.way > 0.0 || result.iterations == 0)
    {
      ++result.iterations;
      result.value = found.value;
      Iteration iteration;
      iteration.level = level;
      iteration.number = result.iterations;
      iteration.value = found.value;
      iteration.step = found.way;
      this->Tell(iteration);
    }
    return !IsAskedToStop(m_Request);
  }

  /** Runs a level; returns whether a signal ended it. */
  bool
  RunLevel(std::size_t                                                     level,
           typename StageTransforms<VDimension>::Spline *                  transform,
           const std::vector<typename StageTransforms<VDimension>::Mesh> & meshes)
  {
    const Stopwatch time;
    LevelResult     found;
    m_Registration.Refine(transform, meshes[level]);
    const auto record = m_Registration.RunLevel(
      level, transform, [&](std::size_t of, const itk::CudaSpline::LbfgsEvaluation & evaluation) {
        return this->Look(of, evaluation, found);
      });
    const bool hasSamples = record.best < std::numeric_limits<double>::max() || record.evaluations == 0;
    found.seconds = time.GetSeconds();
    found.stop = hasSamples ? this->DescribeStop(record, level) : "no sample of the fixed image lies in the moving one";
    this->Add(m_Registration.GetBackend(), record.evaluations, record.seconds, hasSamples, found);
    return record.stop == itk::CudaSpline::LbfgsStop::None;
  }

  /** Why a level ended. */
  std::string
  DescribeStop(const itk::CudaSpline::SplineRecord & record, std::size_t level) const
  {
    using Stop = itk::CudaSpline::LbfgsStop;
    switch (record.stop)
    {
      case Stop::None:
        return "a signal";
      case Stop::Evaluations:
        return "LBFGS: Maximum number of evaluations (" + std::to_string(m_Stage.iterations[level]) + ") reached.";
      case Stop::Gradient:
        return "LBFGS: Gradient tolerance (" + Brief(m_Options.rules.gradientTolerance) + ") reached.";
      default:
        return "LBFGS: A search along a line found no step that is low and flat enough.";
    }
  }

  itk::CudaSpline::SplineOptions m_Options;
  Registration                   m_Registration;
};

template <typename TPixel, unsigned int VDimension>
bool
IsSplineStageOfKernels(const StageInputs<TPixel, VDimension> & inputs,
                       const StageOptions &                    stage,
                       const Options &                         options)
{
  using Registration = itk::CudaSplineDetail::SplineRegistrationOfImages<TPixel, VDimension>;
  return stage.kind == StageKind::BSpline && stage.optimizer == OptimizerKind::Lbfgs &&
         AreComparedByKernels(inputs, stage, options) && Registration::IsKnown(inputs.before.GetPointer());
}

template <typename TPixel, unsigned int VDimension>
StageResult
RunSplineStage(const StageInputs<TPixel, VDimension> &                         inputs,
               const RegistrationRequest &                                     request,
               std::size_t                                                     number,
               const std::vector<typename StageTransforms<VDimension>::Mesh> & meshes,
               bool &                                                          isStopped)
{
  return SplineStage<TPixel, VDimension>(inputs, request, number)
    .Run(static_cast<typename StageTransforms<VDimension>::Spline *>(inputs.transform), meshes, isStopped);
}

} // namespace CudaSplineRegister

#endif
