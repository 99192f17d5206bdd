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
#include "registration/Registration.h"

#include "registration/Deformation.h"
#include "console/DeviceOption.h"
#include "console/Error.h"
#include "registration/NonFiniteVoxels.h"
#include "registration/StageTransforms.h"

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/ImageStatistics.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include "itkTransformToDisplacementFieldFilter.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>

namespace CudaSplineRegister
{

namespace
{

using itk::CudaSpline::FoundTransform;
using itk::CudaSpline::MaskedImage;
using itk::CudaSpline::ResultArray;
using itk::CudaSpline::TransformChain;

/** Calls a functor with the dimension of the images as a type. */
template <typename TFunctor>
auto
WithDimension(const RegistrationRequest & request, const TFunctor & functor)
{
  return request.fixed.grid.dimension == 2 ? functor(std::integral_constant<unsigned int, 2>())
                                           : functor(std::integral_constant<unsigned int, 3>());
}

/** A registration of images with a dimension. It converts between ITK's types and those of the pipeline. */
template <unsigned int VDimension>
class Runner
{
public:
  using Transforms = StageTransforms<VDimension>;
  using Base = typename Transforms::Base;
  using Field = typename Transforms::Field;
  using FieldImage = typename Field::DisplacementFieldType;
  using Image = itk::ImageBase<VDimension>;

  explicit Runner(const RegistrationRequest & request)
    : m_Request(request)
    , m_Options(*request.options)
    , m_Fixed(MakeImage(request.fixed.grid))
  {
    m_Context.host = &m_Host;
  }

  RegistrationResult
  Run()
  {
    itk::CudaSpline::RegistrationInput input = this->DescribeInput();
    if (m_Request.initial.IsNotNull())
    {
      input.initial = this->DescribeTransform(m_Request.initial);
    }
    itk::CudaSpline::PipelineCallbacks callbacks;
    callbacks.iteration = [this](const Iteration & iteration) {
      if (m_Request.progress)
      {
        m_Request.progress(iteration);
      }
      return m_Request.stopSignal == nullptr || *m_Request.stopSignal == 0;
    };
    callbacks.warning = [this](const itk::CudaSpline::PipelineWarning & warning) { this->Note(warning); };
    callbacks.allocate = [this](const ResultArray & array) { return this->Allocate(array); };
    const auto outcome = this->RunNamed(input, callbacks);

    RegistrationResult result;
    result.isStopped = outcome.isStopped;
    result.valueFactors = outcome.valueFactors;
    result.agreement = outcome.agreement;
    result.start = this->Combine(outcome.start ? std::vector<typename Base::Pointer>{ MakeLinear(*outcome.start) }
                                               : std::vector<typename Base::Pointer>());
    std::vector<typename Base::Pointer> chain; // as in itk::CompositeTransform: the last one is applied first
    if (outcome.start)
    {
      chain.push_back(MakeLinear(*outcome.start));
    }
    for (std::size_t number = 0; number < outcome.stages.size(); ++number)
    {
      const auto & stage = outcome.stages[number];
      if (stage.replacesPrevious)
      {
        chain.pop_back();
      }
      chain.push_back(this->MakeTransform(stage.transform, number));
      result.stages.push_back(this->Conclude(stage, number, chain.back()->GetNumberOfParameters()));
    }
    result.transform = this->Combine(chain);
    return result;
  }

  std::vector<itk::CudaSpline::StageForecast>
  Forecast() const
  {
    return itk::CudaSpline::ForecastRegistration(this->DescribeInput(), m_Options.spec, m_Options.device, m_Context);
  }

  Similarity
  Measure(const itk::TransformBase * transform)
  {
    return itk::CudaSpline::MeasureSimilarity(Describe(m_Request), this->DescribeTransform(transform), m_Context);
  }

  Agreement
  Agree(const itk::TransformBase * transform)
  {
    return itk::CudaSpline::MeasureAgreement(Describe(m_Request), this->DescribeTransform(transform), m_Context);
  }

private:
  static typename Image::Pointer
  MakeImage(const Grid & grid)
  {
    const auto image = Image::New();
    SetGeometry<VDimension>(grid, image.GetPointer());
    return image;
  }

  static itk::CudaSpline::FieldGrid
  DescribeGrid(const Grid & grid)
  {
    const auto image = MakeImage(grid);
    return itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image.GetPointer(), image->GetLargestPossibleRegion());
  }

  static MaskedImage
  DescribeMasked(const Volume & image, const std::optional<Volume> & mask)
  {
    MaskedImage described;
    described.grid = DescribeGrid(image.grid);
    described.pixel = image.type;
    described.pixels = image.pixels.get();
    if (mask)
    {
      described.maskGrid = DescribeGrid(mask->grid);
      described.mask = static_cast<const std::uint8_t *>(mask->pixels.get());
    }
    return described;
  }

  static itk::CudaSpline::LabelMap
  DescribeLabels(const Volume & labels)
  {
    return { DescribeGrid(labels.grid), static_cast<const std::int32_t *>(labels.pixels.get()) };
  }

  /** Returns a pair with the masks of a stage. The masks of the first stage are also used for the start. */
  template <typename TPair>
  static itk::CudaSpline::ImagePair
  Describe(const TPair & pair, std::size_t stage = 0)
  {
    const auto maskOf = [stage](const MaskList & masks) {
      return masks.empty() ? std::optional<Volume>() : masks[masks.size() == 1 ? 0 : stage];
    };
    return { DescribeMasked(pair.fixed, maskOf(pair.fixedMasks)),
             DescribeMasked(pair.moving, maskOf(pair.movingMasks)) };
  }

  std::vector<itk::CudaSpline::ImagePair>
  DescribePairs(std::size_t stage) const
  {
    std::vector<itk::CudaSpline::ImagePair> pairs{ Describe(m_Request, stage) };
    for (const AdditionalPair & pair : m_Request.further)
    {
      pairs.push_back(Describe(pair, stage));
    }
    return pairs;
  }

  itk::CudaSpline::RegistrationInput
  DescribeInput() const
  {
    itk::CudaSpline::RegistrationInput input;
    input.pairs = this->DescribePairs(0);
    const bool hasStageMasks = std::max(m_Request.fixedMasks.size(), m_Request.movingMasks.size()) > 1;
    for (std::size_t stage = 0; hasStageMasks && stage < m_Options.spec.stages.size(); ++stage)
    {
      input.stageMasks.push_back(this->DescribePairs(stage));
    }
    input.landmarks = m_Request.landmarks;
    if (m_Request.fixedLabels)
    {
      input.labels = { DescribeLabels(*m_Request.fixedLabels), DescribeLabels(*m_Request.movingLabels) };
    }
    if (m_Request.slidingRegions)
    {
      input.slidingRegions = DescribeLabels(*m_Request.slidingRegions);
    }
    return input;
  }

  /** Returns a transform as stages of a chain. A transform that the kernels do not support is sampled on the grid of
   * the fixed image. */
  std::vector<TransformChain::Stage>
  DescribeTransform(const itk::TransformBase * base)
  {
    const auto * const transform = dynamic_cast<const Base *>(base);
    TransformChain     chain;
    if (itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(transform, chain))
    {
      return chain.stages;
    }
    const auto sampler = itk::TransformToDisplacementFieldFilter<FieldImage, double>::New();
    sampler->SetTransform(transform);
    sampler->SetReferenceImage(m_Fixed);
    sampler->UseReferenceImageOn();
    sampler->Update();
    const auto field = Field::New();
    field->SetDisplacementField(sampler->GetOutput());
    m_Sampled.push_back(field.GetPointer());
    TransformChain sampled;
    itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(field.GetPointer(), sampled);
    return sampled.stages;
  }

  /** Runs the pipeline. Its errors name options of the program. */
  itk::CudaSpline::RegistrationOutcome
  RunNamed(const itk::CudaSpline::RegistrationInput & input, const itk::CudaSpline::PipelineCallbacks & callbacks)
  {
    try
    {
      return itk::CudaSpline::RunRegistration(input, m_Options.spec, callbacks, m_Options.device, m_Context);
    }
    catch (const itk::CudaSpline::SpecError & error)
    {
      throw ProgramError(DescribeProblems(error, m_Options));
    }
    catch (const itk::CudaSpline::OverlapError & error)
    {
      throw ProgramError(error.what() + (error.GetPair() > 0 ? " (--also-fixed, --also-moving)" : this->Advise()));
    }
    catch (const std::invalid_argument & error)
    {
      throw ProgramError(error.what() + std::string(std::string(error.what()).find("'centre'") != std::string::npos
                                                      ? " (--initialize centre)"
                                                      : ""));
    }
  }

  /** Returns the other possible starts. */
  std::string
  Advise() const
  {
    using Alignment = itk::CudaSpline::InitialAlignment;
    std::string others;
    for (const Alignment alignment : { Alignment::Moments, Alignment::Centre, Alignment::Search })
    {
      if (!m_Options.initial.empty() || alignment != m_Options.spec.initial)
      {
        others += (others.empty() ? "" : "|") + std::string(itk::CudaSpline::NameOf(alignment));
      }
    }
    return "; --initialize " + others + " starts elsewhere" +
           (!m_Options.initial.empty() ? ", instead of --initial-transform" : "");
  }

  void
  Note(const itk::CudaSpline::PipelineWarning & warning) const
  {
    if (m_Request.note &&
        warning.kind != itk::CudaSpline::PipelineWarning::Kind::PoorAgreement) // the result reports it
    {
      const std::string where =
        warning.stage < 0 ? ""
                          : "stage " + std::to_string(warning.stage + 1) + " (" +
                              NameOf(m_Options.spec.stages[static_cast<std::size_t>(warning.stage)].GetKind()) + "): ";
      using Kind = itk::CudaSpline::PipelineWarning::Kind;
      m_Request.note(where + warning.text +
                     (warning.kind == Kind::PoorRotation ? " with --picture"
                      : warning.kind == Kind::FewIterations
                        ? " (--iterations: one number for all levels, or one per level)"
                      : warning.kind == Kind::RestrictedStart ? " (--initialize)"
                                                              : ""));
    }
  }

  itk::CudaSpline::ResultMemory
  Allocate(const ResultArray & array)
  {
    if (array.kind == ResultArray::Kind::Coefficients)
    {
      auto & coefficients = m_Coefficients[array.stage];
      coefficients.resize(static_cast<std::size_t>(array.count));
      return { coefficients.data(), ScalarType::Float64 };
    }
    const auto                       field = FieldImage::New();
    typename FieldImage::RegionType  region;
    typename FieldImage::PointType   origin;
    typename FieldImage::SpacingType spacing;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetIndex(d, static_cast<itk::IndexValueType>(array.grid.start[d]));
      region.SetSize(d, static_cast<itk::SizeValueType>(array.grid.size[d]));
      origin[d] = array.grid.origin[d];
      spacing[d] = array.grid.spacing[d];
    }
    field->SetRegions(region);
    field->SetOrigin(origin);
    field->SetSpacing(spacing);
    field->SetDirection(m_Fixed->GetDirection());
    field->Allocate();
    m_Fields[array.stage][array.kind == ResultArray::Kind::Forward ? 0 : 1] = field;
    return { field->GetBufferPointer(), ScalarType::Float64 };
  }

  static typename Base::Pointer
  MakeLinear(const itk::CudaSpline::LinearTransform & found)
  {
    typename Transforms::Point centre;
    std::copy_n(found.GetCentre().begin(), VDimension, centre.Begin());
    const typename Base::Pointer  transform = Transforms::MakeLinear(found.GetKind(), centre);
    typename Base::ParametersType parameters(transform->GetNumberOfParameters());
    std::copy_n(found.GetParameters().begin(), parameters.Size(), parameters.begin());
    transform->SetParametersByValue(parameters);
    return transform;
  }

  typename Base::Pointer
  MakeTransform(const FoundTransform & found, std::size_t stage)
  {
    if (const auto * const linear = std::get_if<itk::CudaSpline::LinearTransform>(&found))
    {
      return MakeLinear(*linear);
    }
    if (const auto * const spline = std::get_if<itk::CudaSpline::FoundSpline>(&found))
    {
      typename Transforms::Mesh mesh;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        mesh[d] = static_cast<itk::SizeValueType>(spline->grid.size[d] - 3);
      }
      const auto                    transform = Transforms::MakeSpline(m_Fixed, mesh);
      typename Base::ParametersType parameters(static_cast<unsigned int>(m_Coefficients[stage].size()));
      std::copy(m_Coefficients[stage].begin(), m_Coefficients[stage].end(), parameters.begin());
      transform->SetParametersByValue(parameters);
      return transform.GetPointer();
    }
    const auto field = Field::New();
    field->SetDisplacementField(m_Fields[stage][0]);
    field->SetInverseDisplacementField(m_Fields[stage][1]);
    return field.GetPointer();
  }

  StageResult
  Conclude(const itk::CudaSpline::StageOutcome & outcome, std::size_t number, std::size_t parameters) const
  {
    const auto & spec = m_Options.spec.stages[number];
    StageResult  result;
    result.kind = spec.GetKind();
    result.backend = outcome.run.backend;
    result.devices = outcome.run.devices;
    result.fallbackReason = outcome.run.DescribeFallback();
    CheckDeviceDid(
      result.backend, result.fallbackReason, m_Options.device, std::string("the stage ") + NameOf(result.kind));
    result.parameters = parameters;
    result.seconds = outcome.seconds;
    result.use.Add(outcome.run.backend, outcome.run.seconds);
    for (const itk::CudaSpline::LevelRecord & level : outcome.levels)
    {
      result.levels.push_back({ level.value,
                                level.iterations,
                                level.seconds,
                                itk::CudaSpline::Describe(level.end, outcome.hasPenalties) });
    }
    return result;
  }

  /** Combines the initial transform with others. */
  itk::TransformBase::Pointer
  Combine(const std::vector<typename Base::Pointer> & found) const
  {
    std::vector<typename Base::Pointer> chain;
    if (m_Request.initial.IsNotNull())
    {
      chain.emplace_back(dynamic_cast<Base *>(m_Request.initial.GetPointer()));
    }
    chain.insert(chain.end(), found.begin(), found.end());
    return Transforms::Combine(chain).GetPointer();
  }

  const RegistrationRequest &                                        m_Request;
  const Options &                                                    m_Options;
  typename Image::Pointer                                            m_Fixed;
  itk::CudaSplineHostExecutor                                        m_Host{ itk::MultiThreaderBase::New() };
  itk::CudaSpline::ExecutionContext                                  m_Context;
  std::vector<typename Base::Pointer>                                m_Sampled; ///< displacements that stages refer to
  std::map<std::size_t, std::vector<double>>                         m_Coefficients; ///< by stage
  std::map<std::size_t, std::array<typename FieldImage::Pointer, 2>> m_Fields;       ///< by stage: forward, backward
};

} // namespace

RegistrationResult
Register(const RegistrationRequest & request)
{
  return WithDimension(request, [&](auto dimension) { return Runner<decltype(dimension)::value>(request).Run(); });
}

std::vector<itk::CudaSpline::StageForecast>
Forecast(const RegistrationRequest & request)
{
  return WithDimension(request, [&](auto dimension) { return Runner<decltype(dimension)::value>(request).Forecast(); });
}

Similarity
MeasureSimilarity(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  return WithDimension(request,
                       [&](auto dimension) { return Runner<decltype(dimension)::value>(request).Measure(transform); });
}

Agreement
MeasureAgreement(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  return WithDimension(request,
                       [&](auto dimension) { return Runner<decltype(dimension)::value>(request).Agree(transform); });
}

Volume
ResampleWithValidityMask(const RegistrationRequest &   request,
                         const Volume &                image,
                         const std::optional<Volume> & finite,
                         const itk::TransformBase *    transform,
                         const Grid &                  grid)
{
  const Options &     options = *request.options;
  DeformationSettings settings;
  settings.type = image.type;
  settings.order = options.spec.warpedOrder;
  settings.device = options.device;
  const Volume warped = Warp(image, grid, transform, options.defaultValue, settings);
  if (finite)
  {
    settings.order = 1;
    BlankOutside(warped, *finite, transform, options.defaultValue, settings);
  }
  return warped;
}

Volume
ResampleWithValidityMask(const RegistrationRequest &   request,
                         const std::optional<Volume> & finite,
                         const itk::TransformBase *    transform)
{
  return ResampleWithValidityMask(request, request.moving, finite, transform, request.fixed.grid);
}

} // namespace CudaSplineRegister
