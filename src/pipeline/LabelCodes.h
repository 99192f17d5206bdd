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
#ifndef pipeline_LabelCodes_h
#define pipeline_LabelCodes_h

#include "pipeline/PipelineMessages.h"

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"

#include <cstddef>
#include <cstdint>
#include <map>

namespace itk::CudaSpline
{

/** \brief Volume of a voxel (mm^3; in 2D mm^2). */
double
MeasureVoxel(const FieldGrid & grid);

/** \brief Codes of labels, which represent a label map by few images.
 *
 * Each label in both maps has a code with as many bits as there are images. Half of the bits are 1 (for one to three
 * labels, one bit). Codes of different labels differ, and all differ in the same number of bits from the background,
 * whose bits are 0. The number of images grows with the logarithm of the number of labels: 3 images for 3 labels, 6 for
 * 20, 9 for 100.
 *
 * The sum of the squared differences of the images is that of the labels' indicators if smoothing mixes no two labels.
 * It is scaled so that its sum over the fixed image is 1 minus Dice's overlap of all labels, for maps that are not
 * smoothed and at most 3 labels. */
class LabelCodes
{
public:
  /** Warns of labels that are only in one map. \exception std::invalid_argument the maps have no label in common */
  LabelCodes(const LabelPair & labels, PipelineMessages & messages);

  /** Number of images. */
  std::size_t
  CountChannels() const
  {
    return m_Channels;
  }

  /** \brief Writes an image.
   *
   * \param[in] map one of the label maps
   * \param[in] channel number of the image
   * \param[in] volume volume of the fixed image (mm^3)
   * \param[in] pixel Float32 or Float64
   * \param[out] output pixels
   * \param[in] host threads */
  void
  Write(const LabelMap &         map,
        std::size_t              channel,
        double                   volume,
        ScalarType               pixel,
        void *                   output,
        const ExecutionContext & host) const;

private:
  std::map<std::int32_t, std::uint32_t> m_Codes; ///< by label
  std::size_t                           m_Channels{ 1 };
  /** Volume of the labels of both maps, times the number of ones of a code. */
  double m_Volume{ 0.0 };
};

} // namespace itk::CudaSpline

#endif
