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
 * \brief Images of feature vectors, and the mean of their squared differences as a metric for images of different
 * modalities. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A vector at each sample of a grid: floats in the memory of a backend. The components of a sample are
 * contiguous; x is fastest. */
struct FeatureImage
{
  FieldGrid                   grid;          ///< grid of the samples
  int                         channels{ 0 }; ///< components per sample
  std::shared_ptr<const void> data;          ///< floats
};

/** \brief Channels of MakeSelfSimilarity(): 12 in three dimensions, 4 in two. */
int
CountSelfSimilarityChannels(unsigned int dimension);

/** \brief Computes the self-similarity context of an image (MIND-SSC): descriptors that do not depend on the modality.
 *
 * Each sample has two neighbouring patches on each axis. D_c is the sum of the squared differences of two patches on
 * different axes, minus the smallest of these sums, and V is the mean of all D_c. Channel c is exp(-D_c / V). V is at
 * least 0.001 and at most 1000 times its mean over the image. The image is continued with its border samples. Where the
 * image is constant, or not finite in a patch, all channels are 1.
 *
 * M. P. Heinrich, M. Jenkinson, B. W. Papiez, M. Brady, J. A. Schnabel: Towards realtime multimodal fusion for
 * image-guided interventions using self-similarities, MICCAI 2013.
 *
 * \param[in] grid grid of the image
 * \param[in] pixel Float32 or Float64
 * \param[in] image its pixels, in the memory of the backend, x fastest
 * \param[in] options patches
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a dimension, a type or an option that is not supported
 * \exception DeviceError out of memory, or a lost device
 *
 * \par Accuracy
 * Squares are floats, and are added with compensation or in double. For patches with a radius of at most 2, the error of
 * a channel is at most 5e-5. All runs on a backend are bitwise equal. */
FeatureImage
MakeSelfSimilarity(const FieldGrid &             grid,
                   ScalarType                    pixel,
                   const void *                  image,
                   const SelfSimilarityOptions & options,
                   const Residence &             residence);

/** \brief An image of features, its mask, and its transforms. */
struct MovedFeatures
{
  FeatureImage features; ///< the image
  FieldGrid    maskGrid; ///< grid of the mask
  /** Nonzero: the image counts there, sampled at the nearest pixel; null: everywhere. */
  const std::uint8_t * mask{ nullptr };
  /** Stages from the samples of the force's grid to the image, in the order in which they map a sample. The first one
   * may be a field on that grid. Displacements are in the memory of the backend. */
  std::vector<TransformChain::Stage> stages;
};

/** \brief Bytes of scratch memory of EvaluateFeatureForces(). */
std::size_t
CountFeatureForcesScratch(const FieldGrid & grid);

/** \brief Mean squared difference of two images of features, and the forces on the displacements of either image. The
 * call is asynchronous.
 *
 * Features are interpolated linearly at the mapped samples, and the gradient is that of the interpolation. With the
 * vectors F and M of a sample, C channels and the Jacobian J of the stages after the field, the force on the moving
 * image is J' sum_c 2 / C (F_c - M_c) grad M_c. A step along the force lowers the value. It is 0 where one of the
 * images does not count.
 *
 * \param[in] shape grid and type of the forces
 * \param[in] images the fixed and the moving image, with the same number of channels
 * \param[out] sums sum of the squared differences divided by C, and number of samples that count, in the memory of the
 * backend
 * \param[out] byMoving force on the displacements of the moving image; null: not computed
 * \param[out] byFixed force on those of the fixed image; null: not computed
 * \param[out] scratch CountFeatureForcesScratch() bytes
 * \param[in] residence memory of the backend, for all arrays
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
