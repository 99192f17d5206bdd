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
 * \brief A level of a registration with a linear transform, as in itk::ImageRegistrationMethodv4: two images that stay
 * on a backend, and their similarity under the transform. LinearOptimizer optimizes the transform. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The metrics by their former name, for one release. */
using LinearMetricKind [[deprecated("MetricKind")]] = MetricKind;

/** \brief How a linear level compares two images. */
struct LinearMetric : MetricOptions
{
  MetricKind     kind{ MetricKind::Mattes }; ///< the metric, for which HasParameterDerivative() is true
  unsigned int   order{ 1 };                 ///< order of the moving image's B-spline, 0 to 5; 1 is linear
  MetricGradient gradient{ MetricGradient::CentralDifferences }; ///< Image is ITK's default: a Gaussian of one voxel
  ScalarType     arithmetic{ ScalarType::Float32 };              ///< type of values and gradients; sums are double
  /** Compared points in the virtual domain (mm), \c dimension numbers each, x first; null: all samples of its grid. Not
   * for LocalCorrelation. The list is shared, because copies of millions of points take longer than a comparison. */
  std::shared_ptr<const std::vector<double>> places;
  /** A term that is added to the value. Its points are in the spaces of the virtual domain, without fixed stages, and
   * of the moving image. */
  LandmarkTerm landmarks;
};

/** \brief An additional pair of images, for example of label maps, whose mean squared difference is added to the
 * value. */
struct LinearPair
{
  SynSide fixed;         ///< in the space of the fixed image
  SynSide moving;        ///< in the space of the moving image, with the same stages
  double  weight{ 1.0 }; ///< weight of the mean squared difference
};

/** \brief The similarity of the images under a transform. */
struct LinearEvaluation
{
  /** Value of the metric; lower is better, as in ITK. The largest double if no sample is valid. */
  double       value{ 0.0 };
  std::int64_t count{ 0 }; ///< number of valid samples
  /** Derivative with respect to the parameters, with ITK's sign: a step along it lowers the value. 0 if it is not
   * computed. */
  LinearTransform::Parameters derivative{};
};

/** \brief The outermost samples of a grid, in the form of LinearRules::watched: \c dimension numbers each (mm). */
std::vector<double>
CornersOf(const FieldGrid & grid);

/** \brief A level on one backend: images, masks, samples of the fixed image, gradients of the moving one.
 *
 * A point x of the virtual domain is mapped to the moving image by the transform and then the moving stages. It is
 * mapped to the fixed image by the fixed stages. The moving stages are ITK's moving initial transform.
 *
 * \par Accuracy
 * as EvaluateMetric() */
class LinearLevel
{
public:
  /** Samples the fixed image, and allocates all memory of a level.
   *
   * \param[in] grid the virtual domain: the fixed image's grid, shrunk for the level
   * \param[in] fixed the fixed image, smoothed for the level, with its mask and stages, in the memory of the backend
   * \param[in] moving the moving image with its mask and stages; it has the pixel type of the fixed one
   * \param[in] metric compares the images
   * \param[in] residence memory of the backend
   * \param[in] others additional pairs; samples, order and gradients are those of the metric
   * \exception std::invalid_argument images, masks, or a metric that do not fit; no sample of the virtual domain is in
   * the fixed image and its mask; for Mattes, an image has a single value under its mask
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

  /** \brief Compares the images under a transform. The call waits.
   *
   * Only sums are transferred over the bus: for Mattes a histogram and a table of \c bins x \c bins numbers.
   *
   * \param[in] transform transform with the dimension of the grid
   * \param[in] withDerivative whether the derivative is computed
   * \exception std::invalid_argument another dimension
   * \exception DeviceError the device failed: another level may be created */
  LinearEvaluation
  Evaluate(const LinearTransform & transform, bool withDerivative);

  /** \brief The longest displacement of a corner of the virtual domain when parameters change (mm), as measured by
   * itk::RegistrationParameterScalesFromPhysicalShift for linear transforms.
   *
   * Linear moving stages map the displaced corner; others are treated as the identity.
   *
   * \param[in] transform transform before the change
   * \param[in] change change of the parameters, see LinearTransform::Update()
   * \param[in] factor factor of the change */
  double
  LargestShift(const LinearTransform & transform, const LinearTransform::Parameters & change, double factor) const;

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

/** \brief Plans the memory of a level on a device, with its images.
 *
 * \param[in] grid the virtual domain
 * \param[in] metric compares the images
 * \param[in] moving grid of the moving image
 * \param[in] pixel pixel type of both images
 * \param[in] imageBytes bytes of both images and their masks
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory())
 * \param[in] places number of points that the metric will have; 0: those that it has */
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
 * \param[in] metric compares the images
 * \param[in] moving grid of the moving image
 * \param[in] evaluations maximum number of evaluations
 * \param[in] imageBytes bytes of both images and their masks
 * \param[in] places number of points that the metric will have; 0: those that it has */
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
