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
#ifndef itkCudaSpline_kernels_registration_DeformableRegistration_h
#define itkCudaSpline_kernels_registration_DeformableRegistration_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/fields/SlidingRegions.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"

#include <cstddef>
#include <memory>
#include <vector>

/** \file
 * \brief Deformable registration from the coarsest level to the finest: SyN, greedy, demons, or velocity fields. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The method of a deformable registration. */
enum class DeformableKind : unsigned char
{
  Syn,    ///< SynLevel: two fields to a middle space, and their inverses
  Greedy, ///< GreedyLevel: one field; its inverse is computed at the end
  /** DemonsLevel with MakeDiffeomorphicDemons(): one field, squared differences; the inverse is computed at the end */
  Demons,
  TimeVaryingVelocity ///< VelocityLevel: a velocity field, from which both fields are integrated at the end
};

/** "syn", "greedy", "demons" or "tvf". */
constexpr const char *
NameOf(DeformableKind kind)
{
  constexpr const char * names[] = { "syn", "greedy", "demons", "tvf" };
  return names[static_cast<std::size_t>(kind)];
}

/** \brief Rules of the inverse that greedy and demons compute once, at the end. The error is at most a hundredth of a
 * sample everywhere, whereas SynLevel stops its inversions in each iteration as soon as the mean error is small. Points
 * to which no point is mapped keep the inversion from converging. */
inline FieldInversion
FinalInversion()
{
  FieldInversion rules;
  rules.maximumIterations = 100;
  rules.meanTolerance = 0.0; // the largest error decides
  rules.maximumTolerance = 0.01;
  rules.enforcesBoundary = false; // demons fields also move the border
  return rules;
}

/** \brief The metric of a pair of images, one of several pairs whose forces are added. */
struct DeformablePair
{
  MetricKind metric{ MetricKind::LocalCorrelation }; ///< which metric
  double     weight{ 1.0 };                          ///< share of its force; above 0, whatever their sum is
};

/** \brief The options of a deformable registration. Options of metrics apply to all pairs. */
struct DeformableOptions : MetricOptions
{
  DeformableKind kind{ DeformableKind::Syn }; ///< the method
  /** One entry for each pair of images, in the same order. Demons support one pair, and always use squared differences
   * instead of its metric. */
  std::vector<DeformablePair> pairs{ DeformablePair() };
  std::vector<PyramidLevel>   levels;              ///< from coarse to fine
  bool                        sigmasInMm{ false }; ///< whether the sigmas of the levels are in mm
  SynRules                    rules;               ///< rules of an iteration; demons use the step and the variances
  unsigned int                order{ 1 };          ///< see SynMetric::order; not used by demons
  bool                        smoothsUnderMasks{ false }; ///< see SmoothSide()
  VelocityOptions             velocity;                   ///< options of TimeVaryingVelocity
  LandmarkTerm                landmarks;                  ///< term that is added to the pairs; not used by demons
  SlidingRegions              regions;                    ///< regions that slide; only for greedy
  Regularizers                regularizers;               ///< energies of the field; only for greedy
  /** Whether gradients of the images in the middle space are those of DescribeGradient(), not central differences. Only
   * for SyN. */
  bool        filtersGradients{ false };
  ScalarType  element{ ScalarType::Float32 }; ///< type of fields and arithmetic: Float32 or Float64
  double      convergence{ 1e-6 };            ///< a level stops below this value; see ConvergenceWindow
  std::size_t window{ 10 };                   ///< number of values in the ConvergenceWindow; 2 or more
};

/** \brief A deformable registration on one backend.
 *
 * Levels are those of itk::CudaSyNImageRegistrationMethod. The fields of a level are on the grid of ShrinkGrid(), and
 * their initial values are the fields of the previous level. Both original images are smoothed for each level. */
class DeformableRegistration
{
public:
  /** The value of an iteration is the weighted sum of the pairs' values, with weights divided by their sum.
   *
   * \param[in] fixed the original fixed image of each pair of the options, with its mask; its stages are transforms
   * before the fields. The fields have the grid of the first one
   * \param[in] moving the moving image of each pair; its stages are transforms after the fields, the same for all pairs
   * \param[in] options options
   * \param[in] residence memory of the backend, for all images and fields
   * \exception std::invalid_argument no level, or images, masks and numbers that do not fit
   * \exception DeviceError out of memory, or a lost device */
  DeformableRegistration(std::vector<SynSide>      fixed,
                         std::vector<SynSide>      moving,
                         const DeformableOptions & options,
                         const Residence &         residence);
  /** The same with one pair.
   *
   * \param[in] fixed the original fixed image, with its mask; its stages are transforms before the fields
   * \param[in] moving the moving image; its stages are transforms after the fields
   * \param[in] options options
   * \param[in] residence memory of the backend, for all images and fields
   * \exception std::invalid_argument no level, or images, masks and numbers that do not fit
   * \exception DeviceError out of memory, or a lost device */
  DeformableRegistration(SynSide fixed, SynSide moving, const DeformableOptions & options, const Residence & residence);
  DeformableRegistration(const DeformableRegistration &) = delete;
  DeformableRegistration &
  operator=(const DeformableRegistration &) = delete;
  ~DeformableRegistration();

  /** \brief Runs all levels. If the watch stops the registration, the remaining levels run without iterations, so that
   * the fields end on the last grid.
   *
   * \param[in] watch called after each iteration; may be empty. Its exceptions are passed on
   * \return a record of each level
   * \exception std::invalid_argument images that are too small for their smoothing, or for windows and fields
   * \exception DeviceError the device failed */
  std::vector<LevelRecord>
  Run(const RegistrationWatch & watch);

  /** \brief Grid of the last level, on which the fields are. */
  const FieldGrid &
  GetGrid() const;

  /** \brief The total field and its inverse after Run(). A point x of the fixed image is mapped to x + forward(x), and
   * then by the moving image's stages.
   *
   * \param[out] forward vectors; null: not computed
   * \param[out] backward vectors; null: not computed
   * \param[in] element type of the components: Float32 or Float64
   * \param[in] memory memory of both; the call waits if it is the host's */
  void
  GetFields(void * forward, void * backward, ScalarType element, FieldMemory memory);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans the memory of a registration on a device, with its images.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] pixel pixel type of the images
 * \param[in] imageBytes bytes of all original images and their masks
 * \param[in] options options
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] hasMasks whether an image has a mask
 * \return for SyN and greedy registration the maximum over all levels, until the fields are in host memory */
MemoryPlan
PlanDeformableRegistration(const FieldGrid &         fixed,
                           ScalarType                pixel,
                           std::size_t               imageBytes,
                           const DeformableOptions & options,
                           std::size_t               budget,
                           bool                      hasMasks = true);

/** \brief Work of a registration, for the maximum number of iterations.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] imageBytes bytes of all images and their masks
 * \param[in] options options */
OperationWork
CountDeformableWork(const FieldGrid & fixed, std::size_t imageBytes, const DeformableOptions & options);

/** @} */
} // namespace itk::CudaSpline

#endif
