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
#ifndef CudaSplineRegister_Registration_h
#define CudaSplineRegister_Registration_h

#include "cli/CommandLine.h"
#include "io/volume/Volume.h"

#include "itkCudaSplineSystem.h"
#include "itkCudaSpline/pipeline/RegistrationForecast.h"

#include "itkTransformBase.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief An iteration of an optimizer. */
using Iteration = itk::CudaSpline::PipelineIteration;

/** \brief A level of a stage, when it has ended. */
struct LevelResult
{
  double       value{ 0.0 }; ///< of the last iteration
  unsigned int iterations{ 0 };
  double       seconds{ 0.0 }; ///< smoothing and gradients included
  std::string  stop;           ///< why it ended
};

/** \brief A stage, when it has ended. */
struct StageResult
{
  StageKind                   kind{ StageKind::Rigid };
  std::vector<LevelResult>    levels;
  std::size_t                 parameters{ 0 };
  double                      seconds{ 0.0 };
  itk::CudaSpline::Backend    backend{ itk::CudaSpline::Backend::None }; ///< that computed it
  std::string                 fallbackReason;                            ///< why it was not an earlier backend
  itk::CudaSpline::BackendUse use;                                       ///< its time by backend
};

/** \brief Masks of an image: none, one for the whole registration, or one for each stage, of which any may be empty. */
using MaskList = std::vector<std::optional<Volume>>;

/** \brief A pair of images that is compared in addition to the first one, in the same spaces. */
struct FurtherPair
{
  Volume   fixed;
  Volume   moving;
  MaskList fixedMasks;
  MaskList movingMasks;
};

/** \brief What to register. */
struct RegistrationRequest
{
  const Options *                          options{ nullptr };
  Volume                                   fixed; ///< of float or double pixels, as the moving image
  Volume                                   moving;
  std::vector<Volume>                      movingColours; ///< planes of a moving image of colours; else empty
  MaskList                                 fixedMasks;    ///< of std::uint8_t, 0 or 1
  MaskList                                 movingMasks;
  std::vector<FurtherPair>                 further;        ///< additional pairs
  std::vector<itk::CudaSpline::Landmark>   landmarks;      ///< that stages use
  std::optional<Volume>                    fixedLabels;    ///< of std::int32_t, that stages use
  std::optional<Volume>                    movingLabels;   ///< the same
  std::optional<Volume>                    slidingRegions; ///< of std::int32_t
  itk::TransformBase::Pointer              initial;        ///< of the images' dimension, in double; null: none
  std::function<void(const Iteration &)>   progress;
  std::function<void(const std::string &)> note; ///< what the user should know before a stage has ended
  const std::atomic<int> *                 stopSignal{ nullptr }; ///< not 0: end at the next iteration
};

/** \brief Whether two images can belong to each other under a transform, from coarse images. */
using Agreement = itk::CudaSpline::ImageAgreement;

/** \brief Factors of values, of the fixed and the moving image of each pair. */
using ValueFactors = std::vector<std::array<double, 2>>;

/** \brief What was found. */
struct RegistrationResult
{
  itk::TransformBase::Pointer transform; ///< from points of the fixed image to points of the moving one
  itk::TransformBase::Pointer start;     ///< where the first stage started
  std::vector<StageResult>    stages;
  bool                        isStopped{ false }; ///< by the signal: the transform is the best so far
  std::optional<Agreement>    agreement;          ///< nothing if it was stopped
  ValueFactors                valueFactors;       ///< by which values were multiplied to be compared
};

/** \brief Registers with itk::CudaSpline::RunRegistration().
 *
 * \exception ProgramError the images do not overlap or do not fit the specification, or the device that was asked for
 * did not compute */
RegistrationResult
Register(const RegistrationRequest & request);

/** \brief What the stages are expected to take, of images whose pixels were not read. */
std::vector<itk::CudaSpline::StageForecast>
Forecast(const RegistrationRequest & request);

/** \brief How similar the fixed image and the moving one are. */
using Similarity = itk::CudaSpline::PairSimilarity;

/** \brief Similarity of the first pair under a transform and the masks.
 *
 * \exception std::invalid_argument the images do not overlap */
Similarity
MeasureSimilarity(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief Agreement of the first pair under a transform and the masks. */
Agreement
MeasureAgreement(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief An image of the moving space under a transform, interpolated as the user asked for, with the default value
 * where the moving image was not finite.
 *
 * \param[in] image of float or double, the moving image or a plane of its colours
 * \param[in] finite of TakeOutWhatIsNotFinite()
 * \param[in] transform of the images' dimension, in double
 * \return of the image's pixel type */
Volume
WarpWhatIsFinite(const RegistrationRequest &   request,
                 const Volume &                image,
                 const std::optional<Volume> & finite,
                 const itk::TransformBase *    transform,
                 const Grid &                  grid);

/** \brief The moving image under a transform, on the fixed image's grid. */
Volume
WarpWhatIsFinite(const RegistrationRequest &   request,
                 const std::optional<Volume> & finite,
                 const itk::TransformBase *    transform);

} // namespace CudaSplineRegister

#endif
