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
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"

#include <cstddef>
#include <memory>
#include <vector>

/** \file
 * \brief Deformable registration from the coarsest level to the finest: SyN, greedy, demons, or velocity fields. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What iterates. */
enum class DeformableKind : unsigned char
{
  Syn,    ///< SynLevel: two fields to a middle, and their inverses
  Greedy, ///< GreedyLevel: one field; its inverse is made at the end
  Demons, ///< DemonsLevel by MakeDiffeomorphicDemons(): one field, by squared differences; its inverse likewise
  TimeVaryingVelocity ///< VelocityLevel: a velocity field, of which both fields are integrated at the end
};

/** "syn", "greedy", "demons" or "tvf". */
constexpr const char *
NameOf(DeformableKind kind)
{
  constexpr const char * names[] = { "syn", "greedy", "demons", "tvf" };
  return names[static_cast<std::size_t>(kind)];
}

/** \brief Rules of the inverse that greedy and demons make once, at the end: to a hundredth of a sample everywhere,
 * where SynLevel's of each iteration end as soon as the mean is small. Places that none goes to keep it from ending. */
inline FieldInversion
FinalInversion()
{
  FieldInversion rules;
  rules.maximumIterations = 100;
  rules.meanTolerance = 0.0; // the largest error decides
  rules.maximumTolerance = 0.01;
  rules.enforcesBoundary = false; // fields of demons move the border, too
  return rules;
}

/** \brief How a pair of images of a registration is compared, one of several whose forces are added up. */
struct DeformablePair
{
  MetricKind metric{ MetricKind::LocalCorrelation }; ///< which metric
  double     weight{ 1.0 };                          ///< share of its force; above 0, whatever their sum is
};

/** \brief The options of a deformable registration; those of metrics are for all pairs. */
struct DeformableOptions : MetricOptions
{
  DeformableKind kind{ DeformableKind::Syn }; ///< what iterates
  /** An entry for each pair of images, in their order. Demons have one, and know squared differences alone, whatever
   * its metric is. */
  std::vector<DeformablePair> pairs{ DeformablePair() };
  std::vector<PyramidLevel>   levels;                     ///< from coarse to fine
  bool                        sigmasInMm{ false };        ///< of the levels
  SynRules                    rules;                      ///< of an iteration; of demons its step and variances
  unsigned int                order{ 1 };                 ///< see SynMetric::order; not of demons
  bool                        smoothsUnderMasks{ false }; ///< see SmoothSide()
  VelocityOptions             velocity;                   ///< of TimeVaryingVelocity
  LandmarkTerm                landmarks;                  ///< that are added to the pairs; not of demons
  /** Whether gradients of the images in the middle are those of DescribeGradient(), not central differences; of SyN. */
  bool        filtersGradients{ false };
  ScalarType  element{ ScalarType::Float32 }; ///< of fields and arithmetic: Float32 or Float64
  double      convergence{ 1e-6 };            ///< a level ends below it; see ConvergenceWindow
  std::size_t window{ 10 };                   ///< values of the convergence; 2 or more
};

/** \brief A deformable registration on one backend.
 *
 * Levels are those of itk::CudaSyNImageRegistrationMethod: of each the fields are on the grid of ShrinkGrid(), begin as
 * those of the level before, and both images are smoothed as they came. */
class DeformableRegistration
{
public:
  /** Values of iterations are the sums of the pairs' values times their weights, these divided by their sum.
   *
   * \param[in] fixed the fixed image of each pair of the options as it came, with its mask; its stages are transforms
   * before the fields. The first one's grid is that of the fields
   * \param[in] moving the moving image of each pair; its stages are transforms after the fields, the same for all
   * \param[in] options how
   * \param[in] residence where all of it is
   * \exception std::invalid_argument no level, or images, masks and numbers that do not fit
   * \exception DeviceError out of memory, or a lost device */
  DeformableRegistration(std::vector<SynSide>      fixed,
                         std::vector<SynSide>      moving,
                         const DeformableOptions & options,
                         const Residence &         residence);
  /** The same of one pair.
   *
   * \param[in] fixed the fixed image as it came, with its mask; its stages are transforms before the fields
   * \param[in] moving the moving image; its stages are transforms after the fields
   * \param[in] options how
   * \param[in] residence where all of it is
   * \exception std::invalid_argument no level, or images, masks and numbers that do not fit
   * \exception DeviceError out of memory, or a lost device */
  DeformableRegistration(SynSide fixed, SynSide moving, const DeformableOptions & options, const Residence & residence);
  DeformableRegistration(const DeformableRegistration &) = delete;
  DeformableRegistration &
  operator=(const DeformableRegistration &) = delete;
  ~DeformableRegistration();

  /** \brief Runs all levels. Where the watch stops it, the fields go through what is left of them without another
   * iteration, so that they end on the last grid.
   *
   * \param[in] watch called after each iteration; may be empty. What it throws is thrown
   * \return the levels
   * \exception std::invalid_argument images that are too small for their smoothing, or for windows and fields
   * \exception DeviceError the device failed */
  std::vector<LevelRecord>
  Run(const RegistrationWatch & watch);

  /** \brief Grid of the last level, which the fields are on. */
  const FieldGrid &
  GetGrid() const;

  /** \brief The whole field and its inverse, when Run() has ended: a place x of the fixed image goes to x + forward(x),
   * and then through the moving image's stages.
   *
   * \param[out] forward vectors; null: not wanted
   * \param[out] backward vectors; null: not wanted
   * \param[in] element type of their numbers: Float32 or Float64
   * \param[in] memory where they are; waits for the host's */
  void
  GetFields(void * forward, void * backward, ScalarType element, FieldMemory memory);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans a registration on a device, with its images.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] pixel of the images
 * \param[in] imageBytes of all images and their masks, as they came
 * \param[in] options how
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanDeformableRegistration(const FieldGrid &         fixed,
                           ScalarType                pixel,
                           std::size_t               imageBytes,
                           const DeformableOptions & options,
                           std::size_t               budget);

/** \brief Work of a registration, of all iterations that it may take.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] imageBytes of all images and their masks
 * \param[in] options how */
OperationWork
CountDeformableWork(const FieldGrid & fixed, std::size_t imageBytes, const DeformableOptions & options);

/** @} */
} // namespace itk::CudaSpline

#endif
