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

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/LinearOptimizer.h"
#include "itkCudaSpline/kernels/registration/SamplePlaces.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief Registration with a linear transform from the coarsest level to the finest. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The options of a linear registration. */
struct LinearOptions
{
  std::vector<PyramidLevel> levels;              ///< from coarse to fine; their iterations are those of the rules
  bool                      sigmasInMm{ false }; ///< of the levels
  LinearMetric              metric;              ///< how the images are compared; without places
  SampleRules               samples;             ///< which samples; all of them with MetricKind::LocalCorrelation
  /** Of each level. With a maximum step of 0 it is the level's least spacing; watched places are the corners of the
   * fixed image where none are named. */
  LinearRules rules;
};

/** \brief Receives each iteration and its transform. Returns false to stop the registration with the best transform. */
using LinearWatch =
  std::function<bool(std::size_t level, const LinearIteration & iteration, const LinearTransform & transform)>;

/** \brief The result of a level. */
struct LinearRecord
{
  LinearStop   stop{ LinearStop::None }; ///< why it stopped; LinearStop::Stopped if the watch stopped it
  unsigned int iterations{ 0 };          ///< number of iterations, including those before RunLevel()
  double       value{ 0.0 };             ///< value of the last iteration; 0 without iterations
  double       step{ 0.0 };              ///< step of the last iteration (mm)
  double       fallRate{ 0.0 };          ///< FallRate at the end
  double       gradient{ 0.0 };          ///< length of the last scaled gradient
  unsigned int evaluations{ 0 };         ///< evaluations of the metric
  double       seconds{ 0.0 };           ///< duration, including smoothing
  /** Index of the earlier transform of RunLevel() that was kept because its value was lower than that of the level's
   * result; empty if the result was kept.
   */
  std::optional<std::size_t> kept;
  double                     loss{ 0.0 }; ///< RelativeLoss(); 0 if both transforms are within a sample of the level
};

/** \brief A registration on one backend. */
class LinearRegistration
{
public:
  /** \param[in] fixed the original fixed image, with its mask; its stages are transforms before the linear one
   * \param[in] moving the moving image; its stages are transforms after the linear one
   * \param[in] options options
   * \param[in] residence memory of the backend, for all images
   * \param[in] others additional original pairs, see LinearLevel
   * \exception std::invalid_argument no level */
  LinearRegistration(SynSide                 fixed,
                     SynSide                 moving,
                     const LinearOptions &   options,
                     const Residence &       residence,
                     std::vector<LinearPair> others = {});

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in,out] transform the initial transform, and the result after each iteration, so that another backend can
   * continue if this one fails
   * \param[in] watch called after each iteration; may be empty. Its exceptions are passed on
   * \param[in] done number of the level's iterations that are already done
   * \param[in] earlier transforms that are compared with the level's result, using the metric of the level; the best
   * one is kept. Not used if the watch stops the level
   * \exception std::invalid_argument images that are too small for their smoothing, and the reasons of LinearLevel
   * \exception DeviceError the device failed */
  LinearRecord
  RunLevel(std::size_t                          level,
           LinearTransform &                    transform,
           const LinearWatch &                  watch,
           unsigned int                         done = 0,
           const std::vector<LinearTransform> & earlier = {}) const;

  /** \brief Runs all levels, or until the watch stops the registration.
   *
   * \param[in,out] transform see RunLevel()
   * \param[in] watch see RunLevel()
   * \return the levels that were begun */
  std::vector<LinearRecord>
  Run(LinearTransform & transform, const LinearWatch & watch) const;

private:
  SynSide                 m_Fixed;
  SynSide                 m_Moving;
  LinearOptions           m_Options;
  Residence               m_Residence;
  std::vector<LinearPair> m_Others;
};

/** \brief Plans the memory of a level on a device, with the original images.
 *
 * \param[in] fixed, moving grids of the images
 * \param[in] pixel pixel type of both images
 * \param[in] options options
 * \param[in] level its number
 * \param[in] imageBytes bytes of both original images and their masks
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanLinearRegistration(const FieldGrid &     fixed,
                       const FieldGrid &     moving,
                       ScalarType            pixel,
                       const LinearOptions & options,
                       std::size_t           level,
                       std::size_t           imageBytes,
                       std::size_t           budget);

/** \brief Work of a level, for the maximum number of iterations.
 *
 * \param[in] fixed, moving grids of the images
 * \param[in] options options
 * \param[in] level its number
 * \param[in] imageBytes bytes of both images and their masks */
OperationWork
CountLinearRegistrationWork(const FieldGrid &     fixed,
                            const FieldGrid &     moving,
                            const LinearOptions & options,
                            std::size_t           level,
                            std::size_t           imageBytes);

/** @} */
} // namespace itk::CudaSpline

#endif
