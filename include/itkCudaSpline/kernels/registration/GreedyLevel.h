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

#include "itkCudaSpline/kernels/fields/SlidingRegions.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"

#include <memory>
#include <vector>

/** \file
 * \brief A level of greedy diffeomorphic registration: one field from the fixed image to the moving one, composed of
 * small updates. It needs half of the work of SyN, and no inverses during the iterations.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The result of an iteration. */
struct GreedyIteration
{
  /** Value of the metric before the update, in ITK's convention, or the weighted sum of several terms, plus
   * regularizers; without valid samples the largest double. */
  double value{ 0.0 };
  double maximumNorm{ 0.0 }; ///< largest norm of the smoothed force (samples)

  /** The value. */
  double
  Value() const
  {
    return value;
  }
};

/** \brief A level of greedy registration on one backend.
 *
 * An iteration warps the moving image with the field, smooths the force of the metric, scales it to the length of a
 * step, composes field(x) = u(x) + field(x + u(x)), and smooths the total field. */
class GreedyLevel
{
public:
  /** Allocates the field, which is zero. The memory of iterations is allocated before the first one.
   *
   * \param[in] shape grid of the virtual domain, and type of the field
   * \param[in] terms pairs of images, as for SynLevel
   * \param[in] residence memory of the backend
   * \param[in] landmarks landmarks whose forces are added; fixed stages do not move them
   * \param[in] regions regions that slide along their common borders
   * \param[in] regularizers energies of the field that are added to the value, with their forces
   * \param[in] memory how much memory the level uses
   * \exception std::invalid_argument images, masks, radii, bins, landmarks, regions or weights that do not fit
   * \exception DeviceError out of memory, or a lost device */
  GreedyLevel(const FieldShape &     shape,
              std::vector<SynTerm>   terms,
              const Residence &      residence,
              const LandmarkTerm &   landmarks = {},
              const SlidingRegions & regions = {},
              const Regularizers &   regularizers = {},
              LevelMemory            memory = LevelMemory::Automatic);
  /** The same with one pair of images.
   *
   * \param[in] shape grid of the virtual domain, and type of the field
   * \param[in] fixed the fixed image, in the memory of the backend
   * \param[in] moving the moving image, with the pixel type of the fixed one
   * \param[in] metric compares the images
   * \param[in] residence memory of the backend
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

  /** \brief Compares the images under the current field: the value before an iteration.
   *
   * \param[in] rules rules of the iterations */
  double
  Compare(const SynRules & rules);

  /** \brief Runs one iteration and waits for its end.
   *
   * \param[in] rules rules of the iteration; \c inversion and \c averagesMidpointGradients have no effect
   * \exception DeviceError the device failed: the field is then undefined */
  GreedyIteration
  Iterate(const SynRules & rules);

  /** \brief The inverse of the field, computed with the iteration of itk::InvertDisplacementFieldImageFilter from zero.
   * The call waits.
   *
   * \param[in] rules rules of the inversion
   * \param[out] vectors the inverse
   * \param[in] element type of the components
   * \param[in] memory memory of the inverse
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
