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
#ifndef itkCudaSpline_kernels_metrics_Features_h
#define itkCudaSpline_kernels_metrics_Features_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/metrics/FieldMetricOptions.h"
#include "itkCudaSpline/kernels/metrics/PointForces.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief Images of feature vectors, and the mean of their squared differences as a metric: for images of different
 * modalities. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A vector of numbers at each sample of a grid: floats in the memory of a residence. The numbers of a sample
 * follow one another; x is fastest. */
struct FeatureImage
{
  FieldGrid                   grid;          ///< where the samples are
  int                         channels{ 0 }; ///< numbers of a sample
  std::shared_ptr<const void> data;          ///< floats
};

/** \brief Channels of MakeSelfSimilarity(): 12 in three dimensions, 4 in two. */
int
CountSelfSimilarityChannels(unsigned int dimension);

/** \brief The self-similarity context of an image (MIND-SSC): descriptors that do not depend on the modality.
 *
 * Around each sample there are two patches on each axis. With D_c the sum of the squared differences of two patches
 * whose axes differ, less the smallest of them, and V their mean, channel c is exp(-D_c / V). V is at least 0.001 and
 * at most 1000 times its mean over the image. Beyond the border the image continues with the samples of the border.
 * Where the image is constant, or not finite in a patch, all channels are 1.
 *
 * M. P. Heinrich, M. Jenkinson, B. W. Papiez, M. Brady, J. A. Schnabel: Towards realtime multimodal fusion for
 * image-guided interventions using self-similarities, MICCAI 2013.
 *
 * \param[in] grid of the image
 * \param[in] pixel Float32 or Float64
 * \param[in] image its pixels, memory of the residence, x fastest
 * \param[in] options patches
 * \param[in] residence where
 * \exception std::invalid_argument a dimension, a type or an option that is not supported
 * \exception DeviceError out of memory, or a lost device
 *
 * \par Accuracy
 * Squares are added up in float: of patches with a radius of 2 at most, a channel is right to 5e-5. The same bits in
 * each run on a backend. */
FeatureImage
MakeSelfSimilarity(const FieldGrid &             grid,
                   ScalarType                    pixel,
                   const void *                  image,
                   const SelfSimilarityOptions & options,
                   const Residence &             residence);

/** \brief An image of features, and how it is moved. */
struct MovedFeatures
{
  FeatureImage         features;        ///< the image
  FieldGrid            maskGrid;        ///< where the samples of the mask are
  const std::uint8_t * mask{ nullptr }; ///< not 0: the image counts there, by the nearest pixel; null: everywhere
  /** From the samples of the force's grid to the image, in the order in which a sample goes through them; a field on
   * that grid may be the first. Displacements are memory of the residence. */
  std::vector<TransformChain::Stage> stages;
};

/** \brief Bytes of scratch memory of EvaluateFeatureForces(). */
std::size_t
CountFeatureForcesScratch(const FieldGrid & grid);

/** \brief Mean squared difference of two images of features, and the forces on the displacements of either; nothing
 * waits.
 *
 * Features are interpolated linearly where the samples are moved to, and the gradient is that of the interpolation:
 * with F and M the vectors of a sample, C channels and J the Jacobian of the stages after the field, the force on the
 * moving image is J' sum_c 2 / C (F_c - M_c) grad M_c; a step along it lowers the value. It is 0 where one of the
 * images does not count.
 *
 * \param[in] shape grid and type of the forces
 * \param[in] images the fixed and the moving image, with the same number of channels
 * \param[out] sums of the squared differences divided by C, and how many samples count; memory of the residence
 * \param[out] byMoving force on the displacements of the moving image; null: not wanted
 * \param[out] byFixed force on those of the fixed image; null: not wanted
 * \param[out] scratch CountFeatureForcesScratch() bytes
 * \param[in] residence where all of it is
 * \exception std::invalid_argument channels that differ, or too many stages
 * \exception DeviceError a step cannot be enqueued */
void
EvaluateFeatureForces(const FieldShape &                   shape,
                      const std::array<MovedFeatures, 2> & images,
                      PointSums *                          sums,
                      void *                               byMoving,
                      void *                               byFixed,
                      void *                               scratch,
                      const Residence &                    residence);

/** @} */
} // namespace itk::CudaSpline

#endif
