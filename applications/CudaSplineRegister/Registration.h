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

#include "CommandLine.h"
#include "Volume.h"

#include "itkCudaSplineSystem.h"

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
struct Iteration
{
  std::size_t  stage{ 0 };
  std::size_t  level{ 0 };
  unsigned int number{ 0 };  ///< from 1, in its level
  double       value{ 0.0 }; ///< of the metric, in units of the images; ITK's are the better the lower
  double       step{ 0.0 };  ///< mm; the longest way of a corner of the fixed image, or of a B-spline's coefficient
  double       convergence{ 0.0 }; ///< of fields, instead of a step: slope of the last values; infinite: too few
};

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
  itk::CudaSpline::Backend    backend{ itk::CudaSpline::Backend::None }; ///< that computed most of the metric's values
  std::string                 fallbackReason; ///< why the last value was not computed by an earlier one
  itk::CudaSpline::BackendUse use;            ///< who computed how many of them
};

/** \brief A pair of images that is compared beside the first one, in the same spaces; see RegistrationRequest. */
struct FurtherPair
{
  Volume                fixed;
  Volume                moving;
  std::optional<Volume> fixedMask;
  std::optional<Volume> movingMask;
};

/** \brief What to register. */
struct RegistrationRequest
{
  const Options *                          options{ nullptr };
  Volume                                   fixed; ///< of float or double pixels, as the moving image
  Volume                                   moving;
  std::optional<Volume>                    fixedMask; ///< of std::uint8_t, 0 or 1
  std::optional<Volume>                    movingMask;
  std::vector<FurtherPair>                 further; ///< pairs beside this one
  itk::TransformBase::Pointer              initial; ///< of the images' dimension, in double; null: none
  std::function<void(const Iteration &)>   progress;
  std::function<void(const std::string &)> note; ///< what the user should know before a stage has ended
  const std::atomic<int> *                 stopSignal{ nullptr }; ///< not 0: end at the next iteration
};

/** \brief Whether a signal asks to end. */
inline bool
IsAskedToStop(const RegistrationRequest & request)
{
  return request.stopSignal != nullptr && *request.stopSignal != 0;
}

/** \brief Factors of values, of the fixed and the moving image of each pair. */
using ValueFactors = std::vector<std::array<double, 2>>;

/** \brief What was found. */
struct RegistrationResult
{
  itk::TransformBase::Pointer transform; ///< from points of the fixed image to points of the moving one
  itk::TransformBase::Pointer start;     ///< where the first stage began
  std::vector<StageResult>    stages;
  bool                        isStopped{ false }; ///< by the signal: the transform is the best so far
  /** By which the values of each pair's fixed and moving image were multiplied: RescaleAll(). */
  ValueFactors valueFactors;
};

/** \brief Registers by itk::ImageRegistrationMethodv4.
 *
 * \exception ProgramError what the user asked for cannot be, or the images do not overlap
 * \exception itk::ExceptionObject from ITK */
RegistrationResult
Register(const RegistrationRequest & request);

/** \brief The moving image under a transform, on the fixed image's grid, as the user wants it interpolated.
 *
 * \param[in] transform of the images' dimension, in double
 * \return of the images' pixel type */
Volume
WarpMoving(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief How alike the fixed image and the moving one are. */
struct Similarity
{
  double correlation{ 0.0 };      ///< magnitude, of the voxels that both have
  double localCorrelation{ 0.0 }; ///< mean square in windows of radius 4
};

/** \brief Similarity of the images under a transform, under the masks, by the module's metrics.
 *
 * \exception itk::ExceptionObject from ITK, as where the images do not overlap */
Similarity
MeasureSimilarity(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief Whether two images can belong to each other under a transform, at a glance.
 *
 * Of coarse images, some 40 voxels an axis at most. */
struct Agreement
{
  double overlap{ 1.0 }; ///< part of the fixed image, under its mask, that lies in the moving one
  /** Mutual information as a part of the fixed image's entropy, less what chance gives (Miller and Madow); not a number
   * where the fixed image is flat. Images of one subject by different scanners have 0.1 and more, of unrelated images
   * it is near 0. */
  double explained{ 1.0 };
};

/** \brief Below these an agreement is poor, and the user is told. */
inline constexpr double leastOverlap = 0.1;
inline constexpr double leastExplained = 0.03;

/** \brief What to say where images do not overlap: how much they do, in percent, and which beginnings there are.
 * \param[in] where in words, as "where the registration begins"
 * \param[in] overlap as Agreement::overlap */
std::string
DescribeNoOverlap(const std::string & where, double overlap, const Options & options);

/** \brief Agreement of the images under a transform and the masks. */
Agreement
MeasureAgreement(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief MeasureAgreement() for a pixel type and dimension; instantiated with SearchRotation(). */
template <typename TPixel, unsigned int VDimension>
Agreement
MeasureAgreementTyped(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief MeasureSimilarity() for a pixel type and dimension, as RegisterTyped(). */
template <typename TPixel, unsigned int VDimension>
Similarity
MeasureSimilarityTyped(const RegistrationRequest & request, const itk::TransformBase * transform);

/** \brief Register() for a pixel type and dimension; instantiated once each, in files that CMake writes from
 * RegistrationTyped.cxx.in. */
template <typename TPixel, unsigned int VDimension>
RegistrationResult
RegisterTyped(const RegistrationRequest & request);

} // namespace CudaSplineRegister

#endif
