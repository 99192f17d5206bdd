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
#ifndef itkCudaSpline_kernels_registration_GreedyLevel_h
#define itkCudaSpline_kernels_registration_GreedyLevel_h

#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include <memory>
#include <vector>

/** \file
 * \brief A level of greedy diffeomorphic registration: one field from the fixed image to the moving one, by
 * compositions of small updates. Half of the work of SyN, except the inverses, which it does not need during the
 * iterations.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What an iteration came to. */
struct GreedyIteration
{
  double value{ 0.0 };       ///< of the metric of the fixed image and the moved one, before the update, as ITK's metric
                             ///< has it; 0 samples: the largest double. The weighted sum of several terms
  double maximumNorm{ 0.0 }; ///< of the smoothed force (samples)

  /** The value. */
  double
  Value() const
  {
    return value;
  }
};

/** \brief A level of greedy registration on one backend.
 *
 * An iteration moves the moving image by the field, smooths the force of the metric, scales it to the length
 * of a step, and composes: field(x) = u(x) + field(x + u(x)), then smooths the whole. */
class GreedyLevel
{
public:
  /** Allocates all that a level needs. The field is zero.
   *
   * \param[in] shape grid of the virtual domain, and type of the field
   * \param[in] terms pairs of images, as SynLevel takes them
   * \param[in] residence where
   * \param[in] landmarks whose forces are added; fixed stages do not move them
   * \exception std::invalid_argument images, masks, radii, bins or landmarks that do not fit
   * \exception DeviceError out of memory, or a lost device */
  GreedyLevel(const FieldShape &   shape,
              std::vector<SynTerm> terms,
              const Residence &    residence,
              const LandmarkTerm & landmarks = {});
  /** The same of one pair of images.
   *
   * \param[in] shape grid of the virtual domain, and type of the field
   * \param[in] fixed the fixed image, in the memory of the residence
   * \param[in] moving the moving image; its pixels have the type of the fixed one's
   * \param[in] metric how they are compared
   * \param[in] residence where
   * \exception std::invalid_argument images, masks or radii that do not fit
   * \exception DeviceError out of memory, or a lost device */
  GreedyLevel(const FieldShape & shape,
              SynSide            fixed,
              SynSide            moving,
              const SynMetric &  metric,
              const Residence &  residence);
  GreedyLevel(const GreedyLevel &) = delete;
  GreedyLevel &
  operator=(const GreedyLevel &) = delete;
  ~GreedyLevel();

  /** Sets the field.
   *
   * \param[in] vectors host memory (mm), in the order of the shape
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

  /** \brief Compares the images under the field as it is: the value that an iteration would begin with.
   *
   * \param[in] rules what iterations go by */
  double
  Compare(const SynRules & rules);

  /** \brief One iteration; waits for its end.
   *
   * \param[in] rules what it goes by: \c inversion and \c averagesMidpointGradients do not matter
   * \exception DeviceError the device failed: the field is undefined then */
  GreedyIteration
  Iterate(const SynRules & rules);

  /** \brief The inverse of the field, by itk::InvertDisplacementFieldImageFilter's iteration from zero; waits.
   *
   * \param[in] rules of the inversion
   * \param[out] vectors the inverse
   * \param[in] element type of their numbers
   * \param[in] memory where they are
   * \return the result of the inversion */
  FieldInversionState
  GetInverse(const FieldInversion & rules, void * vectors, ScalarType element, FieldMemory memory = FieldMemory::Host);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** @} */
} // namespace itk::CudaSpline

#endif
