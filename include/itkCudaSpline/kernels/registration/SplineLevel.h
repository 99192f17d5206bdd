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
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief A level of a registration by a B-spline transform, as itk::ImageRegistrationMethodv4 has it: two images and
 * the coefficients' gradient stay on a backend. Lbfgs finds the coefficients. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Places of a B-spline's grid: it has \c dimension coefficients a place.
 *
 * \param[in] spline its grid */
std::int64_t
CountSplineNodes(const TransformChain::Stage & spline);

/** \brief How alike the images are under a B-spline transform. */
struct SplineEvaluation
{
  /** Of the metric, and of regularizers; ITK's are the better the lower. The largest double where no sample is valid.
   */
  double       value{ 0.0 };
  std::int64_t count{ 0 }; ///< samples that are valid
};

/** \brief The weights of energies that are added to the value of a level; 0: they are not. Energies are means over the
 * domain of the spline, with components and axes in space. */
struct SplineRegularizers
{
  double bending{ 0.0 };    ///< of the sum of the squares of all second derivatives of all components (mm^2)
  double elasticity{ 0.0 }; ///< of the sum of the squares of the strain: the symmetric part of the gradient
  double variation{ 0.0 };  ///< of the smoothed total variation: the Frobenius norm of the gradient
  double jacobian{ 0.0 };   ///< of J + 1 / J - 2, where J is the Jacobian determinant of the transform

  /** Whether an energy is added that is a quadratic form. */
  bool
  HasForms() const
  {
    return bending > 0.0 || elasticity > 0.0;
  }
  /** Whether an energy is added that is evaluated at points. */
  bool
  HasPoints() const
  {
    return variation > 0.0 || jacobian > 0.0;
  }
};

/** \brief A level on one backend.
 *
 * A place x of the virtual domain belongs to the place of the moving image that the B-spline transform and then the
 * moving stages bring it to, and to the place of the fixed image that the fixed stages bring it to.
 *
 * \par Accuracy
 * as EvaluateMetric() */
class SplineLevel
{
public:
  /** Samples the fixed image, and allocates all that a level needs.
   *
   * \param[in] grid the virtual domain: the fixed image's grid, shrunk for the level
   * \param[in] fixed the fixed image, smoothed for the level, and what is around it, in the memory of the residence
   * \param[in] moving the moving image and what is around it; its pixels have the type of the fixed one's
   * \param[in] metric how they are compared
   * \param[in] spline grid and order of the transform; no coefficients
   * \param[in] residence where
   * \param[in] regularizers that are added to the value; only for cubic splines
   * \param[in] others additional pairs, see LinearLevel
   * \exception std::invalid_argument options that B-splines do not support, and the reasons of LinearLevel
   * \exception DeviceError out of memory, or a lost device */
  SplineLevel(const FieldGrid &               grid,
              SynSide                         fixed,
              SynSide                         moving,
              const LinearMetric &            metric,
              const TransformChain::Stage &   spline,
              const Residence &               residence,
              const SplineRegularizers &      regularizers = {},
              const std::vector<LinearPair> & others = {});
  SplineLevel(const SplineLevel &) = delete;
  SplineLevel &
  operator=(const SplineLevel &) = delete;
  ~SplineLevel();

  /** \brief Compares the images under a transform. What crosses the bus are sums; see LinearLevel::Evaluate().
   *
   * \param[in] coefficients a plane an axis (mm), in memory of the residence, whose steps before are waited for
   * \param[out] gradient of the value by the coefficients, the same; a step of the residence writes it. Null: it is not
   * wanted
   * \exception DeviceError the device failed: another level may be made */
  SplineEvaluation
  Evaluate(const double * coefficients, double * gradient);

  /** The virtual domain. */
  const FieldGrid &
  GetGrid() const;

  /** How often Evaluate() was called. */
  unsigned int
  CountEvaluations() const;

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** \brief Plans a level on a device, with its images and with Lbfgs.
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
