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
 * \brief A level of symmetric normalization (SyN), as in itk::SyNImageRegistrationMethod: two fields from the fixed and
 * from the moving image to a middle space, with their inverses, which stay in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The result of an iteration. */
struct SynIteration
{
  /** Values of the first term's metric, in ITK's convention: from the fixed image to the moving one, and exchanged.
   * Without valid samples the largest double. */
  std::array<double, 2> values{ { 0.0, 0.0 } };
  double weightedValue{ 0.0 }; ///< weighted sum of the values of all terms; without valid samples the largest double
  std::array<double, 2> maximumNorm{ { 0.0, 0.0 } }; ///< largest norms of the smoothed forces (samples): fixed, moving
  /** Inversion of the fixed field, of its inverse, of the moving field, and of its inverse. */
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
  /** Allocates the fields, which are zero. The memory of iterations is allocated before the first one.
   *
   * \param[in] shape grid of the virtual domain, and type of all fields
   * \param[in] terms at least one pair of images, in the memory of the backend. All pairs have the same stages, and all
   * or none compare original images. The forces of several pairs are added as in itk::ObjectToObjectMultiMetricv4. The
   * weights of the samples (SynSide::confidence) are those of the first pair
   * \param[in] residence memory of the backend
   * \param[in] landmarks landmarks whose forces are added; fixed stages do not move them
   * \param[in] memory how much memory the level uses
   * \exception std::invalid_argument images, masks, radii, bins or landmarks that do not fit
   * \exception DeviceError out of memory, or a lost device */
  SynLevel(const FieldShape &   shape,
           std::vector<SynTerm> terms,
           const Residence &    residence,
           const LandmarkTerm & landmarks = {},
           LevelMemory          memory = LevelMemory::Automatic);
  /** The same with one pair of images.
   *
   * \param[in] shape grid of the virtual domain, and type of all fields
   * \param[in] fixed the fixed image with its mask and stages, in the memory of the backend
   * \param[in] moving the moving image with its mask and stages; it has the pixel type of the fixed one
   * \param[in] metric compares the images
   * \param[in] residence memory of the backend
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
   * \param[in] element type of the components, Float32 or Float64 */
  void
  SetField(SynField which, const void * vectors, ScalarType element);

  /** Copies a field in the layout of SetField(). The call waits. */
  void
  GetField(SynField which, void * vectors, ScalarType element) const;

  /** Sets all fields from those of a coarser level, with linear interpolation. */
  void
  AdaptFrom(const LevelFields & coarser);

  /** Sets the fields to zero. */
  void
  Clear();

  /** The fields, from which a finer level is initialized after this one is destroyed. */
  std::shared_ptr<const LevelFields>
  GetFields() const;

  /** \brief Compares the images under the current fields: the weighted value before an iteration.
   *
   * \param[in] rules rules of the iterations */
  double
  Compare(const SynRules & rules);

  /** \brief Runs one iteration and waits for its end.
   *
   * \param[in] rules rules of the iteration
   * \exception DeviceError the device failed: HasWholeFields() is true if the fields are unchanged */
  SynIteration
  Iterate(const SynRules & rules);

  /** \brief Whether the fields are those after a completed iteration, or initial ones. False if a device failed during
   * an iteration. */
  bool
  HasWholeFields() const;

  /** \brief The total transform and its inverse: from the fixed image's space through the middle space to the moving
   * one's.
   *
   * The forces of the iteration are overwritten.
   *
   * \param[out] forward compose(moving inverse, warping = fixed); null: not computed
   * \param[out] backward compose(fixed inverse, warping = moving); null: not computed
   * \param[in] element type of the components
   * \param[in] memory memory of both; the call waits if it is the host's
   * \param[in] inversion rules with which \p backward is computed as the inverse of \p forward, whose samples it then
   * inverts more exactly than a composition does; empty: it is the composition */
  void
  GetTotalFields(void *                                forward,
                 void *                                backward,
                 ScalarType                            element,
                 FieldMemory                           memory = FieldMemory::Host,
                 const std::optional<FieldInversion> & inversion = std::nullopt);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans the memory of a level on a device, with its images and masks.
 *
 * \param[in] shape shape of the fields
 * \param[in] metrics metric of each pair of images
 * \param[in] rules rules of the smoothing
 * \param[in] pixel pixel type of the images
 * \param[in] imageBytes bytes of all images and their masks
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
 * \param[in] shape shape of the fields
 * \param[in] rules rules of the smoothing
 * \param[in] iterations maximum number of iterations
 * \param[in] imageBytes bytes of all images and their masks
 * \param[in] terms number of pairs of images */
OperationWork
CountSynWork(const FieldShape & shape,
             const SynRules &   rules,
             std::uint64_t      iterations,
             std::size_t        imageBytes,
             std::size_t        terms = 1);

/** @} */
} // namespace itk::CudaSpline

#endif
