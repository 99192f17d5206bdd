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
#ifndef itkCudaSpline_kernels_registration_SynLevel_h
#define itkCudaSpline_kernels_registration_SynLevel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief A level of symmetric normalization (SyN), as itk::SyNImageRegistrationMethod has it: two fields from the fixed
 * and from the moving image to a middle one, with their inverses, which stay in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The rules of a level; names and defaults are those of itk::SyNImageRegistrationMethod. */
struct SynRules
{
  double                learningRate{ 0.25 };               ///< longest update of an iteration (samples)
  double                updateVariance{ 3.0 };              ///< of the Gaussian that smooths an update (samples^2)
  double                totalVariance{ 0.5 };               ///< of the one that smooths a total field (samples^2)
  bool                  averagesMidpointGradients{ false }; ///< whether both updates are their mean, with two signs
  std::array<double, 3> weights{ { 1.0, 1.0, 1.0 } };       ///< factors of an update by axis
  FieldInversion        inversion;                          ///< of both fields, and of their inverses

  /** True where an iteration does the same. */
  bool
  operator==(const SynRules & other) const
  {
    return learningRate == other.learningRate && updateVariance == other.updateVariance &&
           totalVariance == other.totalVariance && averagesMidpointGradients == other.averagesMidpointGradients &&
           weights == other.weights;
  }
};

/** \brief An image in the memory of a residence. */
struct ResidentImage
{
  FieldGrid                   grid;                         ///< where its pixels are
  ScalarType                  pixel{ ScalarType::Float32 }; ///< Float32 or Float64; UInt8 of masks
  std::shared_ptr<const void> data;                         ///< x fastest; null: there is none
};

/** \brief Stages whose displacements are in the memory of a residence, for WarpImage().
 *
 * \param[in] stages with displacements in host memory, which on a host are borrowed
 * \param[in] dimension 2 or 3
 * \param[in] residence where
 * \exception DeviceError out of memory, or a lost device */
std::vector<TransformChain::Stage>
MakeResidentStages(std::vector<TransformChain::Stage> stages, unsigned int dimension, const Residence & residence);

/** \brief What an image is moved by behind its field to the middle, its pixels, and its mask. */
struct SynSide
{
  ResidentImage                      image;  ///< smoothed for the level
  ResidentImage                      mask;   ///< UInt8; without data: there is none
  std::vector<TransformChain::Stage> stages; ///< from the virtual domain's space to the image's: initial transforms
};

/** \brief How the two images are compared by local correlation. */
struct SynMetric
{
  std::array<int, 3> radius{ { 2, 2, 2 } };             ///< of the window (samples)
  ScalarType         arithmetic{ ScalarType::Float32 }; ///< see LocalCorrelationDescriptor
  double             epsilon{ 0.0 };                    ///< see LocalCorrelationDescriptor
  /** Gradients of both images in the middle by Gaussians, whose image is the virtual grid; else central differences. */
  std::optional<GaussianDescriptor> gaussian;
};

/** \brief What an iteration came to. */
struct SynIteration
{
  LocalCorrelationSums  sums;                        ///< of both directions: they are the same
  std::array<double, 2> maximumNorm{ { 0.0, 0.0 } }; ///< of the smoothed forces (samples): fixed, moving
  /** Of the fixed field, of its inverse, of the moving field, of its inverse. */
  std::array<FieldInversionState, 4> inversions;

  /** Value of itk::ANTSNeighborhoodCorrelationImageToImageMetricv4; 0 samples: the largest double, as ITK's metrics. */
  double
  Value() const;
};

/** \brief The fields of a level. */
enum class SynField : unsigned char
{
  FixedToMiddle,
  FixedToMiddleInverse,
  MovingToMiddle,
  MovingToMiddleInverse
};

/** \brief A level of SyN on one backend: images, fields, forces. */
class SynLevel
{
public:
  /** Allocates all that a level needs. The fields are zero.
   *
   * \param[in] shape grid of the virtual domain, and type of all fields
   * \param[in] fixed the fixed image and what is around it, in the memory of the residence
   * \param[in] moving the moving image and what is around it; its pixels have the type of the fixed one's
   * \param[in] metric how they are compared
   * \param[in] residence where
   * \exception std::invalid_argument images, masks or radii that do not fit
   * \exception DeviceError out of memory, or a lost device */
  SynLevel(const FieldShape & shape,
           SynSide            fixed,
           SynSide            moving,
           const SynMetric &  metric,
           const Residence &  residence);
  SynLevel(const SynLevel &) = delete;
  SynLevel &
  operator=(const SynLevel &) = delete;
  ~SynLevel();

  /** Sets a field.
   *
   * \param[in] which the field
   * \param[in] vectors host memory, in the order of the shape
   * \param[in] element type of their numbers, Float32 or Float64 */
  void
  SetField(SynField which, const void * vectors, ScalarType element);

  /** Reads a field, as SetField() takes it; waits. */
  void
  GetField(SynField which, void * vectors, ScalarType element) const;

  /** Makes all fields of those of a coarser level, linear between their samples. */
  void
  AdaptFrom(const SynLevel & coarser);

  /** \brief One iteration; waits for its end.
   *
   * \param[in] rules what it goes by
   * \exception DeviceError the device failed: fields are undefined then */
  SynIteration
  Iterate(const SynRules & rules);

  /** \brief The whole transform and its inverse: from the fixed image's space through the middle to the moving one's.
   *
   * Forces of an iteration are lost.
   *
   * \param[out] forward host memory: compose(moving inverse, warping = fixed); null: not wanted
   * \param[out] backward host memory: compose(fixed inverse, warping = moving)
   * \param[in] element type of their numbers */
  void
  GetWhole(void * forward, void * backward, ScalarType element);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans a level on a device, with its images.
 *
 * \param[in] shape of the fields
 * \param[in] metric how the images are compared
 * \param[in] pixel of the images
 * \param[in] imageBytes of both images and their masks
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanSynLevel(const FieldShape & shape,
             const SynMetric &  metric,
             ScalarType         pixel,
             std::size_t        imageBytes,
             std::size_t        budget);

/** \brief Work of a level.
 *
 * \param[in] shape of the fields
 * \param[in] iterations that it may take
 * \param[in] imageBytes of both images and their masks */
OperationWork
CountSynWork(const FieldShape & shape, std::uint64_t iterations, std::size_t imageBytes);

/** @} */
} // namespace itk::CudaSpline

#endif
