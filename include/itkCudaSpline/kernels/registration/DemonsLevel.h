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
 * \brief Demons as ITK's filters of partial differential equations have them: a field from the fixed image to the
 * moving one, which stays in the memory of a backend with both images. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Whose force moves a sample. */
enum class DemonsForce : unsigned char
{
  Thirion,   ///< itk::DemonsRegistrationFunction
  Symmetric, ///< itk::SymmetricForcesDemonsRegistrationFunction
  Esm        ///< itk::ESMDemonsRegistrationFunction
};

/** \brief Of which image a force takes gradients; of Thirion's Fixed and MappedMoving alone, of symmetric ones both. */
enum class DemonsGradient : unsigned char
{
  Symmetric,
  Fixed,
  WarpedMoving, ///< of the moving image as it was moved
  MappedMoving  ///< of the moving image itself
};

/** \brief What an update does to the field s. */
enum class DemonsUpdate : unsigned char
{
  Sum,        ///< s + u
  Exponential ///< s o exp(u), by some squarings; of none s o (id + u)
};

/** \brief The rules of demons; names and defaults are those of ITK's filters and functions. */
struct DemonsRules
{
  DemonsForce                   force{ DemonsForce::Thirion };     ///< that moves samples
  DemonsGradient                gradient{ DemonsGradient::Fixed }; ///< that it takes
  DemonsUpdate                  update{ DemonsUpdate::Sum };       ///< of the field
  unsigned int                  squarings{ 0 };                    ///< of the exponential
  double                        differenceThreshold{ 0.001 };      ///< below it there is no force
  double                        denominatorThreshold{ 1e-9 };      ///< likewise
  double                        normalizer{ 1.0 };         ///< mm^2; below 0: the difference does not count (Esm)
  std::optional<FieldSmoothing> updateSmoothing;           ///< of each update; nothing: it stays as it is
  std::optional<FieldSmoothing> fieldSmoothing;            ///< of the field; nothing: it stays as it is
  bool                          smoothsFieldFirst{ true }; ///< before an iteration; else at its end
};

/** \brief What squared differences are divided by where an update has a longest length, as
 * itk::ESMDemonsRegistrationFunction has it (mm^2); below 0: they do not count.
 *
 * \param[in] squaredSpacing mean of the squares along the axes (mm^2)
 * \param[in] longest of an update (samples); 0 or less: there is no limit */
double
EsmNormalizer(double squaredSpacing, double longest);

/** \brief Squarings of an exponential by itk::DiffeomorphicDemonsRegistrationFilter: steps of a quarter of a sample.
 *
 * \param[in] longest of an update (samples), above 0 */
unsigned int
CountEsmSquarings(double longest);

/** \brief The rules of itk::DiffeomorphicDemonsRegistrationFilter: forces of second order by gradients of both images,
 * exponentials of updates.
 *
 * \param[in] grid of the fields
 * \param[in] longest of an update (samples), above 0
 * \param[in] updateVariance of the Gaussian that smooths an update (samples^2); 0: none
 * \param[in] fieldVariance of the one that smooths the field (samples^2); 0: none */
DemonsRules
MakeDiffeomorphicDemons(const FieldGrid & grid, double longest, double updateVariance, double fieldVariance);

/** \brief What an iteration came to. */
struct DemonsIteration
{
  double squaredDifferences{ 0.0 }; ///< sum over the samples that count
  double squaredChanges{ 0.0 };     ///< of updates, before they are smoothed (mm^2)
  double count{ 0.0 };              ///< samples

  /** Adds the sums of other samples. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Add(const DemonsIteration & other)
  {
    squaredDifferences += other.squaredDifferences;
    squaredChanges += other.squaredChanges;
    count += other.count;
  }
  /** The mean square difference; no sample: the largest double, as of a filter that has not run. */
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
  /** Allocates all that the iterations need. The field is zero.
   *
   * A sample that a mask leaves out has no force, and no part in gradients. Forces that read the moving image in
   * addition to its samples on the grid, Symmetric ones and those of MappedMoving, do not support stages; Symmetric
   * ones do not support masks.
   *
   * \param[in] shape grid and type of the field
   * \param[in] fixed the fixed image, its mask and stages, in the memory of the residence; an image that is not on the
   * grid of the field is moved onto it, linear between its samples
   * \param[in] moving the moving image; its pixels have the type of the fixed one's. Its stages follow the field
   * \param[in] rules what the iterations go by
   * \param[in] residence where
   * \exception std::invalid_argument images, masks, stages that do not fit
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
   * \param[in] element type of their numbers, Float32 or Float64 */
  void
  SetField(const void * vectors, ScalarType element);

  /** Reads the field, as SetField() takes it; waits for the host's memory. */
  void
  GetField(void * vectors, ScalarType element, FieldMemory memory = FieldMemory::Host) const;
  /** Makes the field of that of a coarser level, linear between its samples. */
  void
  AdaptFrom(const LevelFields & coarser);

  /** Makes the field zero. */
  void
  Clear();

  /** The field, of which a finer level is made when this one is gone. */
  std::shared_ptr<const LevelFields>
  GetFields() const;

  /** \brief Compares the images under the field as it is. */
  DemonsIteration
  Compare();

  /** \brief One iteration; waits for its end.
   *
   * \exception DeviceError the device failed: the field is undefined then */
  DemonsIteration
  Iterate();

  /** \brief The inverse of the field, as GreedyLevel::GetInverse(). */
  FieldInversionState
  GetInverse(const FieldInversion & rules, void * vectors, ScalarType element, FieldMemory memory = FieldMemory::Host);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans demons on a device, with their images.
 *
 * \param[in] shape of the field
 * \param[in] pixel of the images
 * \param[in] imageBytes of both images
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanDemonsLevel(const FieldShape & shape, ScalarType pixel, std::size_t imageBytes, std::size_t budget);

/** \brief Work of demons.
 *
 * \param[in] shape of the field
 * \param[in] rules of the iterations
 * \param[in] iterations that there may be
 * \param[in] imageBytes of both images */
OperationWork
CountDemonsWork(const FieldShape & shape, const DemonsRules & rules, std::uint64_t iterations, std::size_t imageBytes);

/** @} */
} // namespace itk::CudaSpline

#endif
