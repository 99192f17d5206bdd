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
#ifndef itkCudaSpline_pipeline_RegistrationPipeline_h
#define itkCudaSpline_pipeline_RegistrationPipeline_h

#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/backend/BackendCostModel.h"
#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/kernels/registration/ImageAgreement.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"
#include "itkCudaSpline/pipeline/RegistrationSpec.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/** \file
 * \brief Runs a registration. CudaSplineRegister, cudaspline.register() and cudaspline_register() call it. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplinePipeline
 * @{ */

/** \brief A fixed and a moving image with their masks. */
struct ImagePair
{
  MaskedImage fixed;  ///< finite pixels with the precision of the specification
  MaskedImage moving; ///< the same
};

/** \brief An image of labels in host memory; 0 is the background. */
struct LabelMap
{
  FieldGrid            grid;              ///< grid of its voxels
  const std::int32_t * pixels{ nullptr }; ///< the labels
};

/** \brief Label maps of a fixed and a moving image. */
struct LabelPair
{
  LabelMap fixed;  ///< of the fixed image
  LabelMap moving; ///< of the moving image
};

/** \brief The input of a registration. */
struct RegistrationInput
{
  /** The first pair defines the spaces; the others are compared in addition. */
  std::vector<ImagePair> pairs;
  /** An initial transform, in the order in which its stages map points of the fixed image; displacements are in the
   * same memory as the images. Empty: see RegistrationSpec::initial. */
  std::optional<std::vector<TransformChain::Stage>> initial;
  /** The pairs with the masks of each stage, for masks that differ between stages; the initial alignment uses those of
   * `pairs`. Pixels are ignored. Empty: all stages use the masks of `pairs`. */
  std::vector<std::vector<ImagePair>> stageMasks;
  /** Corresponding points, for stages with a landmark weight; at most MaxLandmarks. */
  std::vector<Landmark> landmarks;
  /** Label maps on their own grids in the spaces of the first pair, for stages with a label weight. Only labels in both
   * maps are compared, under the masks of the first pair. */
  std::optional<LabelPair> labels;
  /** Regions of the first fixed image that slide along their borders in greedy stages, on any grid: at most
   * MaxSlidingRegions labels, including 0. Samples outside of the map have label 0. */
  std::optional<LabelMap> slidingRegions;
  int                     device{ -1 };      ///< device of all arrays; -1: host memory
  StreamHandle            stream{ nullptr }; ///< stream of that device in which the arrays are ready
};

/** \brief A completed iteration. */
struct PipelineIteration
{
  std::size_t stage{ 0 }; ///< from 0
  std::size_t level{ 0 }; ///< from 0, the coarsest
  /** From 1 in each level; a smaller number than before: another backend restarted the stage. */
  unsigned int number{ 0 };
  double       value{ 0.0 };       ///< of the metric, in units of the images; lower is better
  double       convergence{ 0.0 }; ///< see ConvergenceWindow; infinite if there are too few values
  double       step{ 0.0 };     ///< maximum displacement of a corner, or of a B-spline coefficient (mm); 0 for fields
  double       progress{ 0.0 }; ///< EstimateProgress()
};

/** \brief A problem that does not stop a registration. */
struct PipelineWarning
{
  /** The kinds. */
  enum class Kind : unsigned char
  {
    FaintValues,      ///< a metric in units of the images hardly depends on one of them
    PoorRotation,     ///< the best rotation explains little
    StillLevels,      ///< levels of a field stage that cannot move anything
    SkippedLevel,     ///< a level with too few samples under the mask
    KeptAxes,         ///< axes with few slices, along which an affine transform keeps its matrix
    Undetermined,     ///< parameters of a linear transform that the images do not determine; they are not changed
    UndoneLevels,     ///< levels that made the metric worse
    FewIterations,    ///< a level reached its maximum number of iterations while the metric still fell fast
    FoundRotation,    ///< a search of rotations found a better start
    PoorAgreement,    ///< the images hardly overlap, or have no more in common than unrelated ones
    OutsideLandmarks, ///< landmarks outside of the images
    UnpairedLabels,   ///< labels of one of the label maps
    RestrictedStart,  ///< the start moves along axes that the first stage keeps
    IdleDevices,      ///< requested devices cannot share a stage
    NoSlidingBorder   ///< the map of sliding regions has no border in the fixed image
  };
  Kind        kind{ Kind::FaintValues }; ///< kind of the warning
  int         stage{ -1 };               ///< number of the stage; -1: before the first one
  std::string text;                      ///< one sentence, without names of options
};

/** \brief An array for a result, which the caller provides. */
struct ResultArray
{
  /** The kinds. */
  enum class Kind : unsigned char
  {
    Forward,     ///< displacements (mm): one number per axis for each sample, x first; in the same memory as the images
    Backward,    ///< those of the inverse
    Coefficients ///< coefficients of a B-spline: one plane per axis (mm); host memory, double
  };
  Kind         kind{ Kind::Forward }; ///< the kind
  std::size_t  stage{ 0 };            ///< number of the stage
  FieldGrid    grid;                  ///< samples, or nodes
  std::int64_t count{ 0 };            ///< number of elements
};

/** \brief Memory for a result. */
struct ResultMemory
{
  void *     data{ nullptr };             ///< the array
  ScalarType type{ ScalarType::Float64 }; ///< type of the elements: Float32 or Float64
};

/** \brief How a registration communicates with its caller. */
struct PipelineCallbacks
{
  /** Called after each iteration; returning false stops the registration with the best result so far. May be empty. */
  std::function<bool(const PipelineIteration &)> iteration;
  /** Called for each warning. May be empty. */
  std::function<void(const PipelineWarning &)> warning;
  /** Provides memory for fields and coefficients. */
  std::function<ResultMemory(const ResultArray &)> allocate;
};

/** \brief A description of why a level has stopped.
 *
 * \param[in] end the end of the level
 * \param[in] hasPenalties whether penalties were added to the metric */
const char *
Describe(LevelEnd end, bool hasPenalties);

/** \brief A B-spline transform found by a stage. */
struct FoundSpline
{
  TransformChain::Stage grid;                    ///< without coefficients
  const double *        coefficients{ nullptr }; ///< memory of PipelineCallbacks::allocate
};

/** \brief Displacement fields found by a stage. */
struct FoundFields
{
  FieldShape   shape;               ///< grid and type
  const void * forward{ nullptr };  ///< memory of PipelineCallbacks::allocate
  const void * backward{ nullptr }; ///< the same
};

/** \brief A transform found by a stage, from points of the fixed image towards the moving image. */
using FoundTransform = std::variant<FoundSpline, FoundFields, LinearTransform>;

/** \brief The result of a stage. */
struct StageOutcome
{
  std::vector<LevelRecord> levels; ///< those of the specification
  /** Fraction of the samples that each level compared; not for fields. */
  std::vector<double> fractions;
  /** Values of levels are the metric plus penalties: regularizers, or displacements outside of a mask. */
  bool           hasPenalties{ false };
  RunRecord      run;            ///< which backend computed it
  BackendUse     use;            ///< use of the backends by the process, at the end of the stage
  double         seconds{ 0.0 }; ///< duration
  FoundTransform transform;      ///< the transform that it found
  /** The stage started from the previous linear transform, and its transform includes it. */
  bool replacesPrevious{ false };
};

/** \brief The result of a registration. */
struct RegistrationOutcome
{
  std::optional<LinearTransform>     start;        ///< found by RegistrationSpec::initial
  std::vector<StageOutcome>          stages;       ///< one for each stage that was started
  std::vector<std::array<double, 2>> valueFactors; ///< for the values of each pair (FindValueScales())
  /** Agreement of the first pair; empty if the registration was stopped. */
  std::optional<ImageAgreement> agreement;
  bool                          isStopped{ false }; ///< by PipelineCallbacks::iteration

  /** The transforms in the order in which they map points of the fixed image, without RegistrationInput::initial, which
   * comes last. */
  std::vector<FoundTransform>
  GetChain() const;
};

/** \brief Images that do not overlap under a transform. */
class OverlapError : public std::invalid_argument
{
public:
  /** \param[in] pair number of the pair, from 0
   * \param[in] stage number of the stage that failed; -1: at the start
   * \param[in] kind name of that stage's kind
   * \param[in] overlap fraction of the fixed image, under its mask, that is mapped into the moving one
   * \param[in] detail message of the stage; may be empty */
  OverlapError(std::size_t pair, int stage, const std::string & kind, double overlap, const std::string & detail);

  /** Number of the pair, from 0. */
  std::size_t
  GetPair() const
  {
    return m_Pair;
  }

private:
  std::size_t m_Pair;
};

/** \brief Whether a mask or label map has lost the geometry of its image: it has the size of the image and the
 * geometry of a file without one (spacing 1, origin 0, axes along those of space or opposite to them, as ITK and
 * nibabel write it), and the image has another geometry. Its samples are then not where those of the image are. */
bool
HasLostGeometry(const FieldGrid & mask, const FieldGrid & image);

/** \brief Runs a registration.
 *
 * Each stage selects its backend: the one that the user requests, or the one that is estimated to finish first. Images
 * in device memory are registered on that device.
 *
 * \param[in] input images, masks, and the memory where they are
 * \param[in] spec specification, which CheckSpec() checks
 * \param[in] callbacks progress, warnings and memory
 * \param[in] device the user's choice, as for SelectDevice()
 * \param[in] context threads of the host and memory limits
 * \exception SpecError the specification does not fit the images
 * \exception OverlapError the images do not overlap
 * \exception std::invalid_argument images that cannot be registered
 * \exception DeviceError a requested device is missing, or the device with the images failed */
RegistrationOutcome
RunRegistration(const RegistrationInput & input,
                const RegistrationSpec &  spec,
                const PipelineCallbacks & callbacks,
                const std::string &       device,
                const ExecutionContext &  context);

/** \brief Computes how far a transform moves the samples of a grid.
 *
 * \param[in] grid grid of 1 to 3 dimensions
 * \param[in] stages transforms in the order in which they map points; displacements are in the memory of the output
 * \param[in] type type of the output: Float32 or Float64
 * \param[out] output displacements (mm), x first in the fastest axis
 * \param[in] memory device of all arrays; -1: host memory
 * \param[in] device the user's choice for host memory, as for SelectDevice()
 * \param[in] context threads of the host and memory limits
 * \return the backend that computed them
 * \exception std::invalid_argument an unsupported type or dimension
 * \exception DeviceError a requested device is missing, or the device of the arrays failed */
RunRecord
ComputeDisplacements(const FieldGrid &                          grid,
                     const std::vector<TransformChain::Stage> & stages,
                     ScalarType                                 type,
                     void *                                     output,
                     int                                        memory,
                     const std::string &                        device,
                     const ExecutionContext &                   context);

/** \brief Similarity of a pair of images in host memory. */
struct PairSimilarity
{
  double correlation{ 0.0 };      ///< magnitude of the correlation
  double localCorrelation{ 0.0 }; ///< mean squared correlation in windows of radius 4
};

/** \brief Compares two images under a transform.
 *
 * \param[in] pair images and masks, in host memory
 * \param[in] stages transform from the fixed to the moving image; displacements in host memory
 * \param[in] context threads
 * \exception std::invalid_argument the images do not overlap */
PairSimilarity
MeasureSimilarity(const ImagePair &                          pair,
                  const std::vector<TransformChain::Stage> & stages,
                  const ExecutionContext &                   context);

/** \brief Agreement of two images under a transform. Its significance is that of all stages.
 *
 * \param[in] pair images and masks, in host memory
 * \param[in] stages transform from the fixed to the moving image; displacements in host memory
 * \param[in] context threads */
ImageAgreement
MeasureAgreement(const ImagePair &                          pair,
                 const std::vector<TransformChain::Stage> & stages,
                 const ExecutionContext &                   context);

/** @} */
} // namespace itk::CudaSpline

#endif
