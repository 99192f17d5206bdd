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
#ifndef itkCudaSpline_kernels_registration_VelocityLevel_h
#define itkCudaSpline_kernels_registration_VelocityLevel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief A level of a registration with a time-varying velocity field, as in
 * itk::TimeVaryingVelocityFieldImageRegistrationMethodv4. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The rules of an iteration. */
enum class VelocityMethod : unsigned char
{
  /** The force is the difference of the forces on both images. An optimizer turns it into updates, as for SynLevel. */
  Symmetric,
  /** The rules of ITK's method. The force on the moving image is divided by the length of its longest vector (mm). An
   * update is the mean of this force and the previous update; the learning rate is a factor. Integrals are those of
   * IntegrateVelocityAsItk(). Smoothing is that of itk::GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform. */
  Itk
};

/** \brief The result of an iteration. */
struct VelocityIteration
{
  /** Mean of the metric over all time points before the update, or the weighted sum of several terms; without valid
   * samples the largest double. */
  double              value{ 0.0 };
  std::vector<double> maximumNorms; ///< largest norm of the smoothed force at each time point (samples)

  /** The value. */
  double
  Value() const
  {
    return value;
  }
};

/** \brief A level of a velocity field on one backend.
 *
 * The velocity v(x, t) moves points of the fixed image, at time 0, to points of the moving image, at time 1. An
 * iteration does the following:
 *
 * 1. At each time point t, the fixed image is warped by the integral of v from t to 0, and the moving image by the
 *    integral from t to 1 (IntegrateVelocity()).
 * 2. The metric compares both images, and gives a force at t.
 * 3. An update is made of the force (VelocityMethod). It is smoothed in space and along time.
 * 4. The updates are added to the velocity, which is smoothed in space and along time.
 * 5. With a limit of determinants, the change of the velocity is shortened along the paths of samples whose Jacobian
 *    determinants at time 1 would exceed it (SynRules::determinantLimit). */
class VelocityLevel
{
public:
  /** Allocates all memory of a level. The velocity is zero.
   *
   * \param[in] shape grid of the virtual domain, and type of the fields
   * \param[in] terms pairs of images, as for SynLevel
   * \param[in] velocity time points and smoothing along time
   * \param[in] residence memory of the backend
   * \param[in] method rules of the iterations
   * \param[in] landmarks see SynLevel
   * \exception std::invalid_argument images, masks, radii, bins, landmarks or a number of time points that are not
   * allowed
   * \exception DeviceError out of memory, or a lost device */
  VelocityLevel(const FieldShape &      shape,
                std::vector<SynTerm>    terms,
                const VelocityOptions & velocity,
                const Residence &       residence,
                VelocityMethod          method = VelocityMethod::Symmetric,
                const LandmarkTerm &    landmarks = {});
  VelocityLevel(const VelocityLevel &) = delete;
  VelocityLevel &
  operator=(const VelocityLevel &) = delete;
  ~VelocityLevel();

  /** Sets the velocity.
   *
   * \param[in] vectors host memory; the field of each time point, one after the other
   * \param[in] element type of the components, Float32 or Float64 */
  void
  SetVelocity(const void * vectors, ScalarType element);

  /** Copies the velocity in the layout of SetVelocity(). The call waits. */
  void
  GetVelocity(void * vectors, ScalarType element) const;

  /** Interpolates the velocity of a coarser level linearly. */
  void
  AdaptFrom(const LevelFields & coarser);

  /** Sets the velocity to zero. */
  void
  Clear();

  /** The velocity at each time point, for a finer level. */
  std::shared_ptr<const LevelFields>
  GetFields() const;

  /** \brief The value of the metric with the current velocity, as in VelocityIteration. \param[in] rules rules of the
   * iterations
   */
  double
  Compare(const SynRules & rules);

  /** \brief Runs one iteration and waits for its end.
   *
   * \param[in] rules rules of the iteration; \c inversion and \c averagesMidpointGradients have no effect, and neither
   * has \c determinantLimit with ITK's method
   * \exception DeviceError the device failed: the velocity is then undefined */
  VelocityIteration
  Iterate(const SynRules & rules);

  /** \brief The displacements from time 0 to time 1, and from time 1 to time 0.
   *
   * \param[out] forward vectors; null: not computed
   * \param[out] backward vectors; null: not computed
   * \param[in] element type of the components
   * \param[in] memory memory of both; the call waits if it is the host's
   * \param[in] inversion rules with which \p backward is computed as the inverse of \p forward; empty: it is only
   * integrated */
  void
  GetTotalFields(void *                                forward,
                 void *                                backward,
                 ScalarType                            element,
                 FieldMemory                           memory = FieldMemory::Host,
                 const std::optional<FieldInversion> & inversion = std::nullopt);

private:
  struct Impl;

  std::unique_ptr<Impl> m_Impl;
};

/** \brief Plans the memory of a level on a device, with its images.
 *
 * \param[in] shape, metrics, rules, pixel, imageBytes, budget see PlanSynLevel()
 * \param[in] velocity time points
 * \param[in] method rules of the iterations */
MemoryPlan
PlanVelocityLevel(const FieldShape &             shape,
                  const std::vector<SynMetric> & metrics,
                  const SynRules &               rules,
                  const VelocityOptions &        velocity,
                  ScalarType                     pixel,
                  std::size_t                    imageBytes,
                  std::size_t                    budget,
                  VelocityMethod                 method = VelocityMethod::Symmetric);

/** \brief Work of a level.
 *
 * \param[in] shape, iterations, imageBytes, terms see CountSynWork()
 * \param[in] velocity time points */
OperationWork
CountVelocityWork(const FieldShape &      shape,
                  const VelocityOptions & velocity,
                  std::uint64_t           iterations,
                  std::size_t             imageBytes,
                  std::size_t             terms);

/** @} */
} // namespace itk::CudaSpline

#endif
