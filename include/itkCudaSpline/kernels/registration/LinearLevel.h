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
#ifndef itkCudaSpline_kernels_registration_LinearLevel_h
#define itkCudaSpline_kernels_registration_LinearLevel_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricOptions.h"
#include "itkCudaSpline/kernels/metrics/MetricTypes.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/** \file
 * \brief A level of a registration by a linear transform, as itk::ImageRegistrationMethodv4 has it: two images that
 * stay on a backend, and how alike they are under the transform. LinearOptimizer finds the transform. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The metrics by their former name, for one release. */
using LinearMetricKind [[deprecated("MetricKind")]] = MetricKind;

/** \brief How two images are compared by a linear level. */
struct LinearMetric : MetricOptions
{
  MetricKind     kind{ MetricKind::Mattes }; ///< which metric; it has HasParameterDerivative()
  unsigned int   order{ 1 };                 ///< of the moving image's B-spline, 0 to 5; 1 is linear
  MetricGradient gradient{ MetricGradient::CentralDifferences }; ///< Image is ITK's default: a Gaussian of a voxel
  ScalarType     arithmetic{ ScalarType::Float32 };              ///< of values and gradients; sums are double
  /** Places in the virtual domain that are compared (mm), \c dimension numbers each, x first; null: all samples of its
   * grid. Not of LocalCorrelation. Shared, since copies of millions of places take longer than a comparison. */
  std::shared_ptr<const std::vector<double>> places;
  /** A term that is added to the value; its points are in the spaces of the virtual domain, without fixed stages, and
   * of the moving image. */
  LandmarkTerm landmarks;
};

/** \brief An additional pair of images, as one of label maps, whose mean squared difference is added to the value. */
struct LinearPair
{
  SynSide fixed;         ///< as the fixed image
  SynSide moving;        ///< as the moving image, with the same stages
  double  weight{ 1.0 }; ///< of the mean squared difference
};

/** \brief How alike the images are under a transform. */
struct LinearEvaluation
{
  /** Of the metric; ITK's are the better the lower. The largest double where no sample is valid. */
  double       value{ 0.0 };
  std::int64_t count{ 0 }; ///< samples that are valid
  /** By the parameters, with ITK's sign: a step along it lowers the value. 0 where it is not wanted. */
  LinearTransform::Parameters derivative{};
};

/** \brief The outermost samples of a grid, as LinearRules::watched takes them: \c dimension numbers each (mm). */
std::vector<double>
CornersOf(const FieldGrid & grid);

/** \brief A level on one backend: images, masks, samples of the fixed image, gradients of the moving one.
 *
 * A place x of the virtual domain belongs to the place of the moving image that the transform and then the moving
 * stages bring it to, and to the place of the fixed image that the fixed stages bring it to. So moving stages are what
 * ITK calls the moving initial transform.
 *
 * \par Accuracy
 * as EvaluateMetric() */
class LinearLevel
{
public:
  /** Samples the fixed image, and allocates all that a level needs.
   *
   * \param[in] grid the virtual domain: the fixed image's grid, shrunk for the level
   * \param[in] fixed the fixed image, smoothed for the level, and what is around it, in the memory of the residence
   * \param[in] moving the moving image and what is around it; its pixels have the type of the fixed one's
   * \param[in] metric how they are compared
   * \param[in] residence where
   * \param[in] others additional pairs; samples, order and gradients are those of the metric
   * \exception std::invalid_argument images, masks, or a metric that do not fit; no sample of the virtual domain lies
   * in the fixed image and its mask; for Mattes, an image has one value alone under its mask
   * \exception DeviceError out of memory, or a lost device */
  LinearLevel(const FieldGrid &               grid,
              SynSide                         fixed,
              SynSide                         moving,
              const LinearMetric &            metric,
              const Residence &               residence,
              const std::vector<LinearPair> & others = {});
  LinearLevel(const LinearLevel &) = delete;
  LinearLevel &
  operator=(const LinearLevel &) = delete;
  ~LinearLevel();

  /** \brief Compares the images under a transform; waits.
   *
   * What crosses the bus are sums: for Mattes a histogram and a table of \c bins x \c bins numbers.
   *
   * \param[in] transform of the dimension of the grid
   * \param[in] withDerivative whether the derivative is wanted
   * \exception std::invalid_argument another dimension
   * \exception DeviceError the device failed: another level may be made */
  LinearEvaluation
  Evaluate(const LinearTransform & transform, bool withDerivative);

  /** \brief The farthest that a corner of the virtual domain moves when parameters change (mm), as
   * itk::RegistrationParameterScalesFromPhysicalShift measures it of linear transforms.
   *
   * Moving stages that are linear move it on; others count as the identity.
   *
   * \param[in] transform before the change
   * \param[in] change of the parameters, see LinearTransform::Update()
   * \param[in] factor of it */
  double
  LargestShift(const LinearTransform & transform, const LinearTransform::Parameters & change, double factor) const;

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

/** \brief Plans a level on a device, with its images.
 *
 * \param[in] grid the virtual domain
 * \param[in] metric how the images are compared
 * \param[in] moving grid of the moving image
 * \param[in] pixel of both images
 * \param[in] imageBytes of both images and their masks
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] places how many the metric will have; 0: those that it has */
MemoryPlan
PlanLinearLevel(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                ScalarType           pixel,
                std::size_t          imageBytes,
                std::size_t          budget,
                std::size_t          places = 0);

/** \brief Work of a level.
 *
 * \param[in] grid the virtual domain
 * \param[in] metric how the images are compared
 * \param[in] moving grid of the moving image
 * \param[in] evaluations that it may take
 * \param[in] imageBytes of both images and their masks
 * \param[in] places how many the metric will have; 0: those that it has */
OperationWork
CountLinearWork(const FieldGrid &    grid,
                const LinearMetric & metric,
                const FieldGrid &    moving,
                std::uint64_t        evaluations,
                std::size_t          imageBytes,
                std::size_t          places = 0);

/** @} */
} // namespace itk::CudaSpline

#endif
