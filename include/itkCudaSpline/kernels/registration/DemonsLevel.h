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
#ifndef itkCudaSpline_kernels_registration_DemonsLevel_h
#define itkCudaSpline_kernels_registration_DemonsLevel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

/** \file
 * \brief Demons as in ITK's PDE deformable registration filters: a field from the fixed image to the moving one. The
 * field and both images stay in the memory of a backend. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The force that moves a sample. */
enum class DemonsForce : unsigned char
{
  Thirion,   ///< itk::DemonsRegistrationFunction
  Symmetric, ///< itk::SymmetricForcesDemonsRegistrationFunction
  Esm        ///< itk::ESMDemonsRegistrationFunction
};

/** \brief The image whose gradients a force uses. Thirion supports only Fixed and MappedMoving; symmetric forces use
 * both images. */
enum class DemonsGradient : unsigned char
{
  Symmetric,
  Fixed,
  WarpedMoving, ///< gradient of the warped moving image
  MappedMoving  ///< gradient of the moving image itself, at the mapped point
};

/** \brief How an update u changes the field s. */
enum class DemonsUpdate : unsigned char
{
  Sum,        ///< s + u
  Exponential ///< s o exp(u), computed with squarings; with 0 squarings s o (id + u)
};

/** \brief The rules of demons; names and defaults are those of ITK's filters and functions. */
struct DemonsRules
{
  DemonsForce                   force{ DemonsForce::Thirion };     ///< the force
  DemonsGradient                gradient{ DemonsGradient::Fixed }; ///< the gradients of the force
  DemonsUpdate                  update{ DemonsUpdate::Sum };       ///< how an update changes the field
  unsigned int                  squarings{ 0 };                    ///< squarings of the exponential
  double                        differenceThreshold{ 0.001 };      ///< no force below this difference
  double                        denominatorThreshold{ 1e-9 };      ///< no force below this denominator
  double                        normalizer{ 1.0 }; ///< mm^2; below 0: the denominator does not use the difference (Esm)
  std::optional<FieldSmoothing> updateSmoothing;   ///< smoothing of each update; empty: not smoothed
  std::optional<FieldSmoothing> fieldSmoothing;    ///< smoothing of the field; empty: not smoothed
  bool                          smoothsFieldFirst{ true }; ///< smooths the field before an iteration, else at its end
};

/** \brief The normalizer of squared differences for updates of limited length, as in itk::ESMDemonsRegistrationFunction
 * (mm^2); below 0: the denominator does not use the differences.
 *
 * \param[in] squaredSpacing mean of the squared spacings of the axes (mm^2)
 * \param[in] longest maximum length of an update (samples); 0 or less: no limit */
double
EsmNormalizer(double squaredSpacing, double longest);

/** \brief Number of squarings of an exponential, as in itk::DiffeomorphicDemonsRegistrationFilter: steps of a quarter
 * of a sample.
 *
 * \param[in] longest maximum length of an update (samples), above 0 */
unsigned int
CountEsmSquarings(double longest);

/** \brief The rules of itk::DiffeomorphicDemonsRegistrationFilter: second-order forces with gradients of both images,
 * and exponentials of updates.
 *
 * \param[in] grid grid of the fields
 * \param[in] longest maximum length of an update (samples), above 0
 * \param[in] updateVariance variance of the Gaussian that smooths an update (samples^2); 0: no smoothing
 * \param[in] fieldVariance variance of the Gaussian that smooths the field (samples^2); 0: no smoothing */
DemonsRules
MakeDiffeomorphicDemons(const FieldGrid & grid, double longest, double updateVariance, double fieldVariance);

/** \brief The result of an iteration. */
struct DemonsIteration
{
  double squaredDifferences{ 0.0 }; ///< sum over the valid samples
  double squaredChanges{ 0.0 };     ///< sum for the updates before they are smoothed (mm^2)
  double count{ 0.0 };              ///< number of valid samples

  /** Adds the sums of other samples. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const DemonsIteration & other)
  {
    squaredDifferences += other.squaredDifferences;
    squaredChanges += other.squaredChanges;
    count += other.count;
  }
  /** The mean squared difference. Without valid samples it is the largest double, as for an ITK filter that has not
   * run. */
  double
  Metric() const
  {
    return count > 0.0 ? squaredDifferences / count : std::numeric_limits<double>::max();
  }
  /** Root mean square of the updates' lengths (mm). */
  double
  RmsChange() const
  {
    return count > 0.0 ? std::sqrt(squaredChanges / count) : std::numeric_limits<double>::max();
  }
};

/** \brief Demons on one backend: images, the field, its update. */
class DemonsLevel
{
public:
  /** Allocates all memory that the iterations need. The field is zero.
   *
   * A sample outside the mask has no force, and is not used for gradients. Symmetric forces and those of MappedMoving
   * also read the moving image between its samples on the grid, and do not support stages. Symmetric forces do not
   * support masks.
   *
   * \param[in] shape grid and type of the field
   * \param[in] fixed the fixed image, its mask and stages, in the memory of the backend; an image that is not on the
   * grid of the field is resampled to it with linear interpolation
   * \param[in] moving the moving image, with the pixel type of the fixed one; its stages follow the field
   * \param[in] rules rules of the iterations
   * \param[in] residence memory of the backend
   * \exception std::invalid_argument images, masks or stages that do not fit
   * \exception DeviceError out of memory, or a lost device */
  DemonsLevel(const FieldShape &  shape,
              SynSide             fixed,
              SynSide             moving,
              const DemonsRules & rules,
              const Residence &   residence);
  DemonsLevel(const DemonsLevel &) = delete;
  DemonsLevel &
  operator=(const DemonsLevel &) = delete;
  ~DemonsLevel();

  /** Sets the field.
   *
   * \param[in] vectors host memory, in the order of the shape
   * \param[in] element type of the components, Float32 or Float64 */
  void
  SetField(const void * vectors, ScalarType element);

  /** Copies the field in the layout of SetField(). The call waits if the memory is the host's. */
  void
  GetField(void * vectors, ScalarType element, FieldMemory memory = FieldMemory::Host) const;
  /** Sets the field from that of a coarser level, with linear interpolation. */
  void
  AdaptFrom(const LevelFields & coarser);

  /** Sets the field to zero. */
  void
  Clear();

  /** The field, from which a finer level is initialized after this one is destroyed. */
  std::shared_ptr<const LevelFields>
  GetFields() const;

  /** \brief Compares the images under the current field. */
  DemonsIteration
  Compare();

  /** \brief Runs one iteration and waits for its end.
   *
   * \exception DeviceError the device failed: the field is then undefined */
  DemonsIteration
  Iterate();

  /** \brief The inverse of the field, as GreedyLevel::GetInverse(). */
  FieldInversionState
  GetInverse(const FieldInversion & rules, void * vectors, ScalarType element, FieldMemory memory = FieldMemory::Host);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans the memory of demons on a device, with their images.
 *
 * \param[in] shape shape of the field
 * \param[in] pixel pixel type of the images
 * \param[in] imageBytes bytes of both images
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanDemonsLevel(const FieldShape & shape, ScalarType pixel, std::size_t imageBytes, std::size_t budget);

/** \brief Work of demons.
 *
 * \param[in] shape shape of the field
 * \param[in] rules rules of the iterations
 * \param[in] iterations maximum number of iterations
 * \param[in] imageBytes bytes of both images */
OperationWork
CountDemonsWork(const FieldShape & shape, const DemonsRules & rules, std::uint64_t iterations, std::size_t imageBytes);

/** @} */
} // namespace itk::CudaSpline

#endif
