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
#ifndef itkCudaSpline_kernels_registration_LinearRegistration_h
#define itkCudaSpline_kernels_registration_LinearRegistration_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/LinearOptimizer.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"

#include <cstddef>
#include <vector>

/** \file
 * \brief Registration by a linear transform from the coarsest level to the finest. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What a linear registration is told, beside its images. */
struct LinearOptions
{
  std::vector<PyramidLevel> levels;              ///< from coarse to fine
  bool                      sigmasInMm{ false }; ///< of the levels
  LinearMetric              metric;              ///< how images are compared
  /** What the descents go by. \c iterations are those of each level; a \c maximumStep of 0 is a voxel of the level's
   * grid, a \c minimumStep of 0 a thousandth of a voxel of the fixed image, and without \c watched places these are the
   * corners of the fixed image. */
  LinearRules rules;
};

/** \brief A linear registration on one backend.
 *
 * Levels are those of itk::ImageRegistrationMethodv4: each goes on where the one before has ended, on the grid of
 * ShrinkGrid(), and both images are smoothed as they came. */
class LinearRegistration
{
public:
  /** \param[in] fixed the fixed image as it came, with its mask; its stages are transforms before the linear one
   * \param[in] moving the moving image; its stages are transforms behind the linear one
   * \param[in] options how
   * \param[in] start where it begins
   * \param[in] residence where all of it is
   * \exception std::invalid_argument no level */
  LinearRegistration(SynSide                 fixed,
                     SynSide                 moving,
                     const LinearOptions &   options,
                     const LinearTransform & start,
                     const Residence &       residence);

  /** \brief Runs all levels. Where the watch stops it, the transform is the best of the level, and those that are left
   * do not run.
   *
   * \param[in] watch told of each iteration; may be empty. What it throws is thrown
   * \return the levels
   * \exception std::invalid_argument images that do not fit, or are too small for their smoothing; no sample of the
   * fixed image lies in the moving one
   * \exception DeviceError the device failed */
  std::vector<LevelRecord>
  Run(const RegistrationWatch & watch);

  /** What was found. */
  const LinearTransform &
  GetTransform() const
  {
    return m_Transform;
  }

private:
  LevelRecord
  RunLevel(std::size_t number, const RegistrationWatch & watch);

  SynSide         m_Fixed; ///< as it came
  SynSide         m_Moving;
  LinearOptions   m_Options;
  LinearTransform m_Transform;
  Residence       m_Residence;
};

/** \brief Plans a registration on a device, with its images.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] moving grid of the moving image
 * \param[in] pixel of the images
 * \param[in] imageBytes of both images and their masks, as they came
 * \param[in] options how
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanLinearRegistration(const FieldGrid &     fixed,
                       const FieldGrid &     moving,
                       ScalarType            pixel,
                       std::size_t           imageBytes,
                       const LinearOptions & options,
                       std::size_t           budget);

/** \brief Work of a registration, of all iterations that it may take.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] moving grid of the moving image
 * \param[in] imageBytes of both images and their masks
 * \param[in] options how */
OperationWork
CountLinearRegistrationWork(const FieldGrid &     fixed,
                            const FieldGrid &     moving,
                            std::size_t           imageBytes,
                            const LinearOptions & options);

/** @} */
} // namespace itk::CudaSpline

#endif
