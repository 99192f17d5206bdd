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

#include "DeviceWord.h"
#include "Error.h"
#include "Stopwatch.h"

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include "itkMatrixOffsetTransformBase.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace CudaSplineRegister
{

/** \brief A stage of a linear transform: the kernels' levels, and what is told of them. */
template <typename TPixel, unsigned int VDimension>
class LinearStage
{
public:
  using Inputs = LinearInputs<TPixel, VDimension>;
  using LinearTransform = itk::CudaSpline::LinearTransform;

  LinearStage(const Inputs & inputs, const RegistrationRequest & request, std::size_t number)
    : m_Inputs(inputs)
    , m_Request(request)
    , m_Number(number)
    , m_Stage(request.options->stages[number])
    , m_Threader(itk::MultiThreaderBase::New())
    , m_Executor(m_Threader)
    , m_FixedGrid(GridOf(inputs.fixed.GetPointer()))
    , m_MovingGrid(GridOf(inputs.moving.GetPointer()))
    , m_Options(this->MakeOptions())
    , m_Transform(this->MakeTransform())
  {
    m_Backend.SetDevice(request.options->device);
    if (inputs.before.IsNotNull())
    {
      itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(inputs.before.GetPointer(), m_Behind);
    }
  }

  StageResult
  Run(bool & isStopped)
  {
    const Stopwatch time;
    StageResult     result;
    for (std::size_t level = 0; level < m_Options.levels.size() && !m_IsStopped; ++level)
    {
      this->RunLevel(level, result);
    }
    typename Inputs::TransformType::ParametersType parameters(m_Inputs.transform->GetNumberOfParameters());
    std::copy_n(m_Transform.GetParameters().begin(), parameters.Size(), parameters.begin());
    m_Inputs.transform->SetParametersByValue(parameters);
    isStopped = m_IsStopped;
    result.kind = m_Stage.kind;
    result.parameters = m_Transform.CountParameters();
    result.seconds = time.GetSeconds();
    result.backend = result.use.Most();
    result.fallbackReason =
      m_Backend.GetLastBackend() == result.backend ? m_Backend.GetFallbackReason() : std::string();
    return result;
  }

  /** The stages that a composite transform is for the kernels; false where they do not know it, or it is not linear. */
  static bool
  IsKnown(const typename Inputs::TransformType * before)
  {
    itk::CudaSpline::TransformChain chain;
    return before == nullptr ||
           (before->IsLinear() && itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(before, chain));
  }

private:
  using Backend = itk::CudaSpline::Backend;

  template <typename TImage>
  static itk::CudaSpline::FieldGrid
  GridOf(const TImage * image)
  {
    return itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image, image->GetBufferedRegion());
  }

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

  itk::CudaSpline::LinearMetric
  MakeMetric() const
  {
    using Kind = itk::CudaSpline::LinearMetricKind;
    using Gradient = itk::CudaSpline::MetricGradient;
    const Options &               options = *m_Request.options;
    itk::CudaSpline::LinearMetric metric;
    metric.kind = m_Stage.metric == MetricKind::Mattes        ? Kind::Mattes
                  : m_Stage.metric == MetricKind::MeanSquares ? Kind::MeanSquares
                  : m_Stage.metric == MetricKind::Correlation ? Kind::Correlation
                                                              : Kind::LocalCorrelation;
    metric.bins = static_cast<int>(options.bins);
    metric.radius.fill(static_cast<int>(m_Stage.radius));
    metric.order = std::max(1U, options.order);
    metric.gradient = options.gradient == GradientKind::Differences ? Gradient::CentralDifferences
                      : options.gradient == GradientKind::Filter    ? Gradient::Image
                                                                    : Gradient::Analytic;
    metric.arithmetic = itk::CudaSpline::ScalarTypeOf<TPixel>();
    return metric;
  }

  itk::CudaSpline::LinearOptions
  MakeOptions() const
  {
    using Descent = itk::CudaSpline::LinearDescent;
    itk::CudaSpline::LinearOptions options;
    for (std::size_t level = 0; level < m_Stage.iterations.size(); ++level)
    {
      options.levels.push_back({ m_Stage.shrink[level], m_Stage.sigmas[level], m_Stage.iterations[level] });
    }
    options.sigmasInMm = m_Stage.sigmasInMm;
    options.metric = this->MakeMetric();
    options.rules.descent = m_Stage.optimizer == OptimizerKind::RegularStep       ? Descent::RegularStep
                            : m_Stage.optimizer == OptimizerKind::GradientDescent ? Descent::GradientDescent
                                                                                  : Descent::ConjugateGradient;
    options.rules.maximumStep = m_Stage.step; // 0: a voxel of the level
    const auto & spacing = m_Inputs.fixed->GetSpacing();
    options.rules.minimumStep =
      m_Stage.minimumStep > 0.0 ? m_Stage.minimumStep : 1e-3 * *std::min_element(spacing.Begin(), spacing.End());
    options.rules.convergence = m_Stage.convergence;
    return options;
  }

  LinearTransform
  MakeTransform() const
  {
    using Linear = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
    LinearTransform::Vector centre{};
    if (const auto * const linear = dynamic_cast<const Linear *>(m_Inputs.transform))
    {
      std::copy_n(linear->GetCenter().Begin(), VDimension, centre.begin());
    }
    LinearTransform             transform(KindOf(m_Stage.kind), VDimension, centre);
    LinearTransform::Parameters parameters{};
    const auto &                ofItk = m_Inputs.transform->GetParameters();
    std::copy_n(ofItk.begin(), ofItk.Size(), parameters.begin());
    transform.SetParameters(parameters);
    return transform;
  }

  /** Bytes of the images and masks. */
  std::size_t
  CountImageBytes() const
  {
    const auto maskBytes = [](const auto & mask) {
      return mask.IsNull() ? std::size_t(0) : mask->GetImage()->GetBufferedRegion().GetNumberOfPixels();
    };
    return static_cast<std::size_t>(m_FixedGrid.Count() + m_MovingGrid.Count()) * sizeof(TPixel) +
           maskBytes(m_Inputs.fixedMask) + maskBytes(m_Inputs.movingMask);
  }

  itk::CudaSpline::SynSide
  MakeSide(const typename Inputs::ImageType * image,
           const typename Inputs::MaskType *  mask,
           const itk::CudaSpline::Residence & residence) const
  {
    itk::CudaSpline::SynSide side;
    side.image = itk::CudaSpline::MakeResidentImage(
      GridOf(image), itk::CudaSpline::ScalarTypeOf<TPixel>(), image->GetBufferPointer(), residence);
    if (mask != nullptr)
    {
      const auto * const pixels = mask->GetImage();
      side.mask = itk::CudaSpline::MakeResidentImage(
        GridOf(pixels), itk::CudaSpline::ScalarType::UInt8, pixels->GetBufferPointer(), residence);
    }
    return side;
  }

  /** The registration on a backend: images stay there from level to level. */
  const itk::CudaSpline::LinearRegistration &
  Provide(const itk::CudaSpline::ExecutionContext & context)
  {
    if (m_Registration == nullptr || context.backend != m_Where.backend || context.device != m_Where.device)
    {
      m_Where = context;
      m_Where.host = &m_Executor;
      m_Where.progress = nullptr;
      const itk::CudaSpline::Residence residence(m_Where);
      auto moving = this->MakeSide(m_Inputs.moving, m_Inputs.movingMask.GetPointer(), residence);
      moving.stages = m_Behind.stages;
      m_Registration = std::make_unique<itk::CudaSpline::LinearRegistration>(
        this->MakeSide(m_Inputs.fixed, m_Inputs.fixedMask.GetPointer(), residence),
        std::move(moving),
        m_Options,
        residence);
    }
    return *m_Registration;
  }

  /** Tells of an iteration; false to end. */
  bool
  Look(std::size_t level, const itk::CudaSpline::LinearIteration & found)
  {
    m_Done = found.number;
    if (m_Request.progress)
    {
      Iteration iteration;
      iteration.stage = m_Number;
      iteration.level = level;
      iteration.number = found.number;
      iteration.value = found.value;
      iteration.step = found.step;
      m_Request.progress(iteration);
    }
    return m_Request.stopSignal == nullptr || *m_Request.stopSignal == 0;
  }

  void
  RunLevel(std::size_t level, StageResult & result)
  {
    const Stopwatch               time;
    itk::CudaSpline::LinearRecord record;
    m_Done = 0;
    const std::size_t                 imageBytes = this->CountImageBytes();
    itk::CudaSplineBackend::Operation operation;
    operation.work = [&](int) { return this->CountWork(level, imageBytes); };
    operation.memory = [&](int device) {
      return itk::CudaSpline::PlanLinearRegistration(m_FixedGrid,
                                                     m_MovingGrid,
                                                     itk::CudaSpline::ScalarTypeOf<TPixel>(),
                                                     m_Options,
                                                     level,
                                                     imageBytes,
                                                     itk::CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const itk::CudaSpline::ExecutionContext & context) {
      try
      {
        record = this->Provide(context).RunLevel(
          level,
          m_Transform,
          [this](std::size_t of, const itk::CudaSpline::LinearIteration & iteration, const LinearTransform &) {
            return this->Look(of, iteration);
          },
          m_Done);
      }
      catch (const itk::CudaSpline::DeviceError &)
      {
        m_Registration.reset(); // the host goes on behind the last iteration that has ended
        throw;
      }
    };
    operation.describe = [&] {
      return "linear level " + std::to_string(level) + " of stage " + std::to_string(m_Number + 1);
    };
    m_Backend.Run(operation, m_Threader, nullptr);
    const Backend backend = m_Backend.GetLastBackend();
    if (level == 0)
    {
      CheckDeviceDid(backend, m_Backend.GetFallbackReason(), m_Request.options->device, "the metric");
    }
    if (record.stop == itk::CudaSpline::LinearStop::NoSamples)
    {
      itkGenericExceptionMacro("All samples map outside moving image buffer.");
    }
    m_IsStopped = record.stop == itk::CudaSpline::LinearStop::Stopped;
    auto & count = result.use.counts[static_cast<std::size_t>(backend)];
    count.calls += record.evaluations;
    count.seconds += record.seconds;
    result.levels.push_back({ record.value, record.iterations, time.GetSeconds(), this->DescribeStop(record, level) });
  }

  /** What a level takes, and how much of the like is to come. */
  itk::CudaSpline::BackendWork
  CountWork(std::size_t level, std::size_t imageBytes) const
  {
    const auto of = [&](std::size_t number, std::size_t bytes) {
      return itk::CudaSpline::CountLinearRegistrationWork(m_FixedGrid, m_MovingGrid, m_Options, number, bytes);
    };
    itk::CudaSpline::BackendWork work{ of(level, imageBytes), of(level, imageBytes) };
    work.further = of(level, 0);
    double sums = 0.0;
    for (std::size_t next = level; next < m_Options.levels.size(); ++next)
    {
      sums += of(next, 0).sums;
    }
    work.calls = work.further->sums > 0.0 ? sums / work.further->sums : 1.0;
    return work;
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
      case Stop::Stopped:
        return "a signal";
      default:
        return optimizer + "Maximum number of iterations (" + std::to_string(m_Stage.iterations[level]) + ") exceeded.";
    }
  }

  const Inputs &                                       m_Inputs;
  const RegistrationRequest &                          m_Request;
  std::size_t                                          m_Number;
  const StageOptions &                                 m_Stage;
  itk::MultiThreaderBase::Pointer                      m_Threader;
  itk::CudaSplineHostExecutor                          m_Executor;
  itk::CudaSplineBackend                               m_Backend;
  itk::CudaSpline::FieldGrid                           m_FixedGrid;
  itk::CudaSpline::FieldGrid                           m_MovingGrid;
  itk::CudaSpline::LinearOptions                       m_Options;
  itk::CudaSpline::TransformChain                      m_Behind;
  LinearTransform                                      m_Transform;
  itk::CudaSpline::ExecutionContext                    m_Where;
  std::unique_ptr<itk::CudaSpline::LinearRegistration> m_Registration;
  unsigned int                                         m_Done{ 0 }; ///< iterations of the level
  bool                                                 m_IsStopped{ false };
};

template <typename TPixel, unsigned int VDimension>
bool
IsStageOfKernels(const LinearInputs<TPixel, VDimension> & inputs, const StageOptions & stage, const Options & options)
{
  // Images that are too thin for Gaussians are left to ITK's filters, which say so.
  const bool smooths = options.gradient == GradientKind::Filter ||
                       std::any_of(stage.sigmas.begin(), stage.sigmas.end(), [](double sigma) { return sigma > 0.0; });
  const auto isThick = [](const auto * image) {
    const auto & size = image->GetBufferedRegion().GetSize();
    return *std::min_element(size.begin(), size.end()) >=
           static_cast<itk::SizeValueType>(itk::CudaSpline::SmallestGaussianLine);
  };
  return stage.kind <= StageKind::Affine && stage.optimizer != OptimizerKind::Lbfgs &&
         stage.sampling == SamplingKind::None && (stage.metric != MetricKind::Mattes || options.bins <= mostBins) &&
         (!smooths || (isThick(inputs.fixed.GetPointer()) && isThick(inputs.moving.GetPointer()))) &&
         LinearStage<TPixel, VDimension>::IsKnown(inputs.before.GetPointer());
}

template <typename TPixel, unsigned int VDimension>
StageResult
RunLinearStage(const LinearInputs<TPixel, VDimension> & inputs,
               const RegistrationRequest &              request,
               std::size_t                              number,
               bool &                                   isStopped)
{
  return LinearStage<TPixel, VDimension>(inputs, request, number).Run(isStopped);
}

} // namespace CudaSplineRegister

#endif
