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
#ifndef FieldMetric_h
#define FieldMetric_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/fields/ResidentImage.h"
#include "itkCudaSpline/kernels/metrics/FieldMetricOptions.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/metrics/PointForces.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include "kernels/metrics/images/PixelRange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief The metrics of registrations of displacement fields: the similarity of two images on one grid, and the force
 * at each sample. */

namespace itk::CudaSpline
{

/** \brief The sums from which a value is computed, in the memory of a backend. Each metric writes its own member. */
struct FieldMetricSums
{
  LocalCorrelationSums correlation; ///< for metrics with windows
  PointSums            differences; ///< for metrics whose value is the mean of squared differences
  /** For metrics whose values the host computes: the result of ValuesOf(). */
  std::array<double, 2> values;
};

/** \brief The parameters for the creation of a metric. */
struct FieldMetricSetup
{
  FieldMetricOptions options;                      ///< the metric and its parameters
  FieldShape         shape;                        ///< grid of the compared images; type of the forces
  ScalarType         pixel{ ScalarType::Float32 }; ///< type of both images: Float32 or Float64
  /** Grids of the images whose gradients are used, fixed then moving: the grid of \c shape if images are resampled to
   * it before they are compared. */
  std::array<FieldGrid, 2> grids;
  bool                     comparesOriginals{ false }; ///< original images are compared (SynMetric)
  bool                     hasStages{ false };         ///< an image has an initial transform
  /** Ranges of both images, for all comparisons: of the values for metrics with variance floors, and of the magnitudes
   * of gradients for metrics with edge parameters. For histograms; empty: computed for each comparison. */
  std::optional<std::array<PixelRange, 2>> ranges;
  std::array<ResidentImage, 2>             images; ///< the original fixed and moving images, for metrics with features
};

/** \brief An original image, and the stages that map samples of the grid into it. */
struct UnmovedImage
{
  ResidentImage                      mask;   ///< without data: the image counts everywhere
  std::vector<TransformChain::Stage> stages; ///< the field of the grid is the first one, if there is one
};

/** \brief The images that a metric compares. */
struct ComparedPair
{
  LocalCorrelationImages      moved;   ///< on the grid; not for metrics with features
  std::array<UnmovedImage, 2> unmoved; ///< fixed and moving; only for metrics with features
};

/** \brief A metric on one backend, with its memory. */
class FieldMetric
{
public:
  FieldMetric() = default;
  FieldMetric(const FieldMetric &) = delete;
  FieldMetric &
  operator=(const FieldMetric &) = delete;
  virtual ~FieldMetric() = default;

  /** \brief Compares two images.
   *
   * \param[in] pair both images, with their masks, and with gradients if there are any
   * \param[out] sums in the memory of the backend
   * \param[out] byMoving force on the displacements of the moving image
   * \param[out] byFixed force on those of the fixed image; null: not computed
   * \param[out] scratch CountFieldMetricScratch() bytes */
  virtual void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) = 0;

  /** Values of a comparison: from the fixed to the moving image, and exchanged. The largest double if no sample is
   * valid.
   *
   * \param[in] sums in host memory, as written by Compare() */
  virtual std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const = 0;

  /** Where Compare() writes the number of valid samples, if its forces are derivatives of a sum over these. Null: they
   * are derivatives of the value.
   *
   * \param[in] sums in the memory of the backend */
  virtual const std::int64_t *
  FindCount(const FieldMetricSums * sums) const
  {
    return &sums->differences.count;
  }

  /** Whether the force on the moving image needs the gradient of the fixed image. */
  virtual bool
  ExchangesGradients() const
  {
    return false;
  }

  /** Whether Compare() waits for the backend. */
  virtual bool
  Waits() const
  {
    return false;
  }
};

/** \brief Maximum device memory of a metric that stores only sums (bytes). */
inline constexpr std::size_t SmallFieldMetricBytes = std::size_t(1) << 20;

/** \brief Creates a metric.
 *
 * \exception std::invalid_argument the metric has no force at each sample, or parameters do not fit
 * \exception DeviceError out of memory */
std::unique_ptr<FieldMetric>
MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence);

/** \brief Bytes of scratch memory of FieldMetric::Compare(). */
std::size_t
CountFieldMetricScratch(MetricKind kind, const FieldGrid & grid);

/** \brief Device memory of a metric, except for the images (bytes). */
std::size_t
CountFieldMetricBytes(const FieldMetricSetup & setup);

} // namespace itk::CudaSpline

#endif
