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
#ifndef pipeline_StageRun_h
#define pipeline_StageRun_h

#include "pipeline/PreparedImages.h"

#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

/** \brief A stage and its environment. */
struct StageContext
{
  const StageSpec &                          spec;
  std::size_t                                number;    ///< from 0
  ScalarType                                 precision; ///< precision of the images
  PreparedImages &                           images;
  const std::vector<TransformChain::Stage> & behind; ///< transforms after the optimized one
  const PipelineCallbacks &                  callbacks;
  /** Reports an iteration, without stage and progress. Returns false to stop the stage. */
  const RegistrationWatch & watch;
  const std::string &       device; ///< the user's choice
  const ExecutionContext &  host;
};

/** \brief A stage without a valid sample. */
class NoSamples : public std::invalid_argument
{
public:
  /** \param[in] level number, from 0
   * \param[in] transform current transform of a linear stage; empty: that at the start of the stage */
  explicit NoSamples(std::size_t level, const std::optional<LinearTransform> & transform = {})
    : std::invalid_argument("level " + std::to_string(level + 1) + " compares no voxel")
    , m_Transform(transform)
  {}

  /** Current transform of a linear stage. */
  const std::optional<LinearTransform> &
  GetTransform() const
  {
    return m_Transform;
  }

private:
  std::optional<LinearTransform> m_Transform;
};

/** \brief Runs the levels of a stage.
 *
 * \param[in] context the stage
 * \param[in] start initial transform of a linear stage, of a kind that its own kind includes; else ignored
 * \exception NoSamples no sample counts
 * \exception std::invalid_argument,DeviceError see RunRegistration() */
StageOutcome
RunStage(const StageContext & context, const LinearTransform & start);

/** \brief Finds levels of a stage of fields that windows of local correlation do not fit into along an axis, although
 * they fit into the fixed image. There the correlation is hardly local, and displacements that it finds are wrong. Such
 * levels are skipped, except the last one with iterations. */
std::vector<bool>
FindNarrowLevels(const StageSpec & stage, const FieldGrid & fixed);

/** \brief The transform of a stage as a stage of a chain, whose arrays are borrowed. */
TransformChain::Stage
MakeChainStage(const FoundTransform & found);

} // namespace itk::CudaSpline

#endif
