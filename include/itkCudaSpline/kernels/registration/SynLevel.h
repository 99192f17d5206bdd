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
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
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

/** \brief What an iteration came to. */
struct SynIteration
{
  /** Of the first term's metric, as ITK's has it: from the fixed image to the moving one, and exchanged; 0 samples: the
   * largest double. */
  std::array<double, 2> values{ { 0.0, 0.0 } };
  double                weightedValue{ 0.0 };        ///< sum of the values of all terms times their weights, likewise
  std::array<double, 2> maximumNorm{ { 0.0, 0.0 } }; ///< of the smoothed forces (samples): fixed, moving
  /** Of the fixed field, of its inverse, of the moving field, of its inverse. */
  std::array<FieldInversionState, 4> inversions;

  /** The mean of both directions: itk::SyNImageRegistrationMethod's value. */
  double
  Value() const
  {
    return 0.5 * (values[0] + values[1]);
  }
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
   * \param[in] terms pairs of images, in the memory of the residence, one at least; their stages are the same, and
   * images are compared as they are in all of them or in none. Where there are several, their forces are added up as
   * itk::ObjectToObjectMultiMetricv4 does. What samples count (SynSide::confidence) is that of the first.
   * \param[in] residence where
   * \param[in] landmarks whose forces are added; fixed stages do not move them
   * \exception std::invalid_argument images, masks, radii, bins or landmarks that do not fit
   * \exception DeviceError out of memory, or a lost device */
  SynLevel(const FieldShape &   shape,
           std::vector<SynTerm> terms,
           const Residence &    residence,
           const LandmarkTerm & landmarks = {});
  /** The same of one pair of images.
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
  AdaptFrom(const LevelFields & coarser);

  /** Makes the fields zero. */
  void
  Clear();

  /** The fields, of which a finer level is made when this one is gone. */
  std::shared_ptr<const LevelFields>
  GetFields() const;

  /** \brief Compares the images under the fields as they are: the weighted value that an iteration would begin with.
   *
   * \param[in] rules what iterations go by */
  double
  Compare(const SynRules & rules);

  /** \brief One iteration; waits for its end.
   *
   * \param[in] rules what it goes by
   * \exception DeviceError the device failed: HasWholeFields() is true if the fields are unchanged */
  SynIteration
  Iterate(const SynRules & rules);

  /** \brief Whether fields are those of an iteration that has ended, or of none: false where a device failed in the
   * midst of one. */
  bool
  HasWholeFields() const;

  /** \brief The whole transform and its inverse: from the fixed image's space through the middle to the moving one's.
   *
   * Forces of an iteration are lost.
   *
   * \param[out] forward compose(moving inverse, warping = fixed); null: not wanted
   * \param[out] backward compose(fixed inverse, warping = moving); null: not wanted
   * \param[in] element type of their numbers
   * \param[in] memory where both are; waits for the host's
   * \param[in] inversion by which the second one is made the inverse of the first, whose samples it inverts more
   * exactly than a composition does; nothing: it is not */
  void
  GetWhole(void *                                forward,
           void *                                backward,
           ScalarType                            element,
           FieldMemory                           memory = FieldMemory::Host,
           const std::optional<FieldInversion> & inversion = std::nullopt);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans a level on a device, with its images.
 *
 * \param[in] shape of the fields
 * \param[in] metrics how each pair of images is compared
 * \param[in] rules by which fields are smoothed
 * \param[in] pixel of the images
 * \param[in] imageBytes of all images and their masks
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanSynLevel(const FieldShape &             shape,
             const std::vector<SynMetric> & metrics,
             const SynRules &               rules,
             ScalarType                     pixel,
             std::size_t                    imageBytes,
             std::size_t                    budget);

/** \brief Work of a level.
 *
 * \param[in] shape of the fields
 * \param[in] rules by which they are smoothed
 * \param[in] iterations that it may take
 * \param[in] imageBytes of all images and their masks
 * \param[in] terms pairs of images */
OperationWork
CountSynWork(const FieldShape & shape,
             const SynRules &   rules,
             std::uint64_t      iterations,
             std::size_t        imageBytes,
             std::size_t        terms = 1);

/** @} */
} // namespace itk::CudaSpline

#endif
