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
#ifndef itkCudaSpline_kernels_registration_SplineLevel_h
#define itkCudaSpline_kernels_registration_SplineLevel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief A level of a registration with a B-spline transform, as in itk::ImageRegistrationMethodv4: two images and the
 * gradient of the coefficients stay on a backend. Lbfgs optimizes the coefficients. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Number of nodes of a B-spline's grid, each of which has \c dimension coefficients.
 *
 * \param[in] spline its grid is used */
std::int64_t
CountSplineNodes(const TransformChain::Stage & spline);

/** \brief The similarity of the images under a B-spline transform. */
struct SplineEvaluation
{
  /** Value of the metric plus regularizers; lower is better, as in ITK. The largest double if no sample is valid.
   */
  double       value{ 0.0 };
  std::int64_t count{ 0 }; ///< number of valid samples
};

/** \brief A level on one backend.
 *
 * A point x of the virtual domain is mapped to the moving image by the B-spline transform and then the moving stages.
 * It is mapped to the fixed image by the fixed stages.
 *
 * \par Accuracy
 * as EvaluateMetric() */
class SplineLevel
{
public:
  /** Samples the fixed image, and allocates all memory of a level.
   *
   * \param[in] grid the virtual domain: the fixed image's grid, shrunk for the level
   * \param[in] fixed the fixed image, smoothed for the level, with its mask and stages, in the memory of the backend
   * \param[in] moving the moving image with its mask and stages; it has the pixel type of the fixed one
   * \param[in] metric compares the images
   * \param[in] spline grid and order of the transform, without coefficients
   * \param[in] residence memory of the backend
   * \param[in] regularizers energies that are added to the value; only for cubic splines
   * \param[in] others additional pairs, see LinearLevel
   * \exception std::invalid_argument options that B-splines do not support, and the reasons of LinearLevel
   * \exception DeviceError out of memory, or a lost device */
  SplineLevel(const FieldGrid &               grid,
              SynSide                         fixed,
              SynSide                         moving,
              const LinearMetric &            metric,
              const TransformChain::Stage &   spline,
              const Residence &               residence,
              const Regularizers &            regularizers = {},
              const std::vector<LinearPair> & others = {});
  SplineLevel(const SplineLevel &) = delete;
  SplineLevel &
  operator=(const SplineLevel &) = delete;
  ~SplineLevel();

  /** \brief Compares the images under a transform. Only sums are transferred over the bus; see LinearLevel::Evaluate().
   *
   * \param[in] coefficients one plane per axis (mm), in the memory of the backend; the call waits for previous work on
   * it
   * \param[out] gradient derivative of the value with respect to the coefficients, in the same layout, written by work
   * that is enqueued on the backend; null: not computed
   * \exception DeviceError the device failed: another level may be created */
  SplineEvaluation
  Evaluate(const double * coefficients, double * gradient);

  /** The virtual domain. */
  const FieldGrid &
  GetGrid() const;

  /** Number of calls of Evaluate(). */
  unsigned int
  CountEvaluations() const;

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans the memory of a level on a device, with its images and with Lbfgs.
 *
 * \param[in] spline grid and order of the transform
 * \param[in] grid, metric, moving, pixel, imageBytes, budget, places see PlanLinearLevel() */
MemoryPlan
PlanSplineLevel(const TransformChain::Stage & spline,
                const FieldGrid &             grid,
                const LinearMetric &          metric,
                const FieldGrid &             moving,
                ScalarType                    pixel,
                std::size_t                   imageBytes,
                std::size_t                   budget,
                std::size_t                   places = 0);

/** \brief Work of a level.
 *
 * \param[in] spline grid and order of the transform
 * \param[in] grid, metric, moving, evaluations, imageBytes, places see CountLinearWork() */
OperationWork
CountSplineWork(const TransformChain::Stage & spline,
                const FieldGrid &             grid,
                const LinearMetric &          metric,
                const FieldGrid &             moving,
                std::uint64_t                 evaluations,
                std::size_t                   imageBytes,
                std::size_t                   places = 0);

/** @} */
} // namespace itk::CudaSpline

#endif
