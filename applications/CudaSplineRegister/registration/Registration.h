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

/** \brief A level of a stage after its end. */
struct LevelResult
{
  double       value{ 0.0 }; ///< of the last iteration
  unsigned int iterations{ 0 };
  double       seconds{ 0.0 }; ///< including smoothing and gradients
  std::string  stop;           ///< why it ended
};

/** \brief A stage after its end. */
struct StageResult
{
  StageKind                   kind{ StageKind::Rigid };
  std::vector<LevelResult>    levels;
  std::size_t                 parameters{ 0 };
  double                      seconds{ 0.0 };
  itk::CudaSpline::Backend    backend{ itk::CudaSpline::Backend::None }; ///< backend that computed it
  std::vector<int>            devices;                                   ///< devices of the Cuda backend
  std::string                 fallbackReason;                            ///< why an earlier backend was not used
  itk::CudaSpline::BackendUse use;                                       ///< its time on each backend
};

/** \brief Masks of an image: none, one for the whole registration, or one for each stage. Any of them may be empty. */
using MaskList = std::vector<std::optional<Volume>>;

/** \brief A pair of images that is compared in addition to the first one, in the same spaces. */
struct AdditionalPair
{
  Volume   fixed;
  Volume   moving;
  MaskList fixedMasks;
  MaskList movingMasks;
};

/** \brief Input of a registration. */
struct RegistrationRequest
{
  const Options *                          options{ nullptr };
  Volume                                   fixed; ///< float or double pixels, like the moving image
  Volume                                   moving;
  std::vector<Volume>                      movingColours; ///< planes of a moving colour image; otherwise empty
  MaskList                                 fixedMasks;    ///< of std::uint8_t, 0 or 1
  MaskList                                 movingMasks;
  std::vector<AdditionalPair>              further;        ///< additional pairs
  std::vector<itk::CudaSpline::Landmark>   landmarks;      ///< used by stages
  std::optional<Volume>                    fixedLabels;    ///< std::int32_t, used by stages
  std::optional<Volume>                    movingLabels;   ///< like fixedLabels
  std::optional<Volume>                    slidingRegions; ///< std::int32_t
  itk::TransformBase::Pointer              initial; ///< of the dimension of the images, in double precision; null: none
  std::function<void(const Iteration &)>   progress;
  std::function<void(const std::string &)> note;                  ///< reports warnings before a stage has ended
  const std::atomic<int> *                 stopSignal{ nullptr }; ///< not 0: end at the next iteration
};

/** \brief Whether two images can belong to each other under a transform, estimated from coarse images. */
using Agreement = itk::CudaSpline::ImageAgreement;

/** \brief Factors of the values of the fixed and the moving image of each pair. */
using ValueFactors = std::vector<std::array<double, 2>>;

/** \brief Result of a registration. */
struct RegistrationResult
{
  itk::TransformBase::Pointer transform; ///< from points of the fixed image to points of the moving one
  itk::TransformBase::Pointer start;     ///< start of the first stage
  std::vector<StageResult>    stages;
  bool                        isStopped{ false }; ///< by the signal: the transform is the best so far
  std::optional<Agreement>    agreement;          ///< empty if it was stopped
  ValueFactors                valueFactors;       ///< factors of the values that were compared
};

/** \brief Registers images with itk::CudaSpline::RunRegistration().
 *
 * \exception ProgramError the images do not overlap or do not match the specification, or the requested device did not
 * compute the result */
RegistrationResult
Register(const RegistrationRequest & request);

/** \brief Returns the expected times of the stages, for images without pixels. */
std::vector<itk::CudaSpline::StageForecast>
Forecast(const RegistrationRequest & request);

/** \brief Similarity of the fixed and the moving image. */
using Similarity = itk::CudaSpline::PairSimilarity;

/** \brief Measures the similarity of the first pair under a transform and the masks.
 *
 * \exception std::invalid_argument the images do not overlap */
Similarity
MeasureSimilarity(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief Measures the agreement of the first pair under a transform and the masks. */
Agreement
MeasureAgreement(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief Warps an image in the space of the moving image, with the interpolation of the request. It has the default
 * value where the moving image was not finite.
 *
 * \param[in] request, grid the registration and the grid of the result
 * \param[in] image image of float or double: the moving image or a plane of its colours
 * \param[in] finite result of MaskNonFiniteVoxels()
 * \param[in] transform transform of the dimension of the images, in double precision
 * \return an image with the pixel type of the image */
Volume
ResampleWithValidityMask(const RegistrationRequest &   request,
                         const Volume &                image,
                         const std::optional<Volume> & finite,
                         const itk::TransformBase *    transform,
                         const Grid &                  grid);

/** \brief Warps the moving image to the grid of the fixed image. */
Volume
ResampleWithValidityMask(const RegistrationRequest &   request,
                         const std::optional<Volume> & finite,
                         const itk::TransformBase *    transform);

} // namespace CudaSplineRegister

#endif
