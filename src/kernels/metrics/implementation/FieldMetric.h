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
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief The metrics of registrations by fields: two images on one grid, how alike they are, and the force on each
 * sample. */

namespace itk::CudaSpline
{

/** \brief What a value is made of, in the memory of a backend; each metric writes its own. */
struct FieldMetricSums
{
  LocalCorrelationSums correlation; ///< of metrics that have windows
  PointSums            differences; ///< of metrics whose value is the mean of squared differences
  /** Of metrics whose values the host computes: as ValuesOf() returns them. */
  std::array<double, 2> values;
};

/** \brief What a metric is made for. */
struct FieldMetricSetup
{
  FieldMetricOptions options;                      ///< which metric, with its parameters
  FieldShape         shape;                        ///< grid of the images that are compared; type of the forces
  ScalarType         pixel{ ScalarType::Float32 }; ///< of both images: Float32 or Float64
  /** Grids of the images that the gradients are of, fixed then moving: \c shape's, where images were moved onto it
   * before they are compared. */
  std::array<FieldGrid, 2> grids;
  bool                     comparesOriginals{ false }; ///< images are compared as they are (SynMetric)
  bool                     hasStages{ false };         ///< an image has an initial transform
  /** Ranges of both images, for all comparisons: of metrics that have variance floors; of the magnitudes of gradients,
   * of metrics that have edge parameters. Of histograms; nothing: each comparison finds its own. */
  std::optional<std::array<PixelRange, 2>> ranges;
  std::array<ResidentImage, 2>             images; ///< fixed and moving, as they are; of metrics that have features
};

/** \brief An image as it is, and how samples of the grid are moved into it. */
struct UnmovedImage
{
  ResidentImage                      mask;   ///< without data: the image counts everywhere
  std::vector<TransformChain::Stage> stages; ///< the field of the grid is the first one, if there is one
};

/** \brief What a metric compares. */
struct ComparedPair
{
  LocalCorrelationImages      moved;   ///< on the grid; not of metrics that have features
  std::array<UnmovedImage, 2> unmoved; ///< fixed and moving; of metrics that have features alone
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
   * \param[in] pair both images, with their masks, and with gradients where there are any
   * \param[out] sums memory of the backend
   * \param[out] byMoving force on the displacements of the moving image
   * \param[out] byFixed force on those of the fixed image; null: not wanted
   * \param[out] scratch CountFieldMetricScratch() bytes */
  virtual void
  Compare(const ComparedPair & pair, FieldMetricSums * sums, void * byMoving, void * byFixed, void * scratch) = 0;

  /** Values of a comparison: from the fixed to the moving image, and exchanged. The largest double where no
   * sample is valid.
   *
   * \param[in] sums in host memory, as Compare() wrote them */
  virtual std::array<double, 2>
  ValuesOf(const FieldMetricSums & sums) const = 0;

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

/** \brief Maximum bytes of a device that a metric takes which keeps only sums. */
inline constexpr std::size_t SmallFieldMetricBytes = std::size_t(1) << 20;

/** \brief Makes the metric of a setup.
 *
 * \exception std::invalid_argument the metric has no force on each sample, or parameters do not fit
 * \exception DeviceError out of memory */
std::unique_ptr<FieldMetric>
MakeFieldMetric(const FieldMetricSetup & setup, const Residence & residence);

/** \brief Bytes of scratch memory of FieldMetric::Compare(). */
std::size_t
CountFieldMetricScratch(MetricKind kind, const FieldGrid & grid);

/** \brief Bytes of a device that the metric of a setup takes, except for the images. */
std::size_t
CountFieldMetricBytes(const FieldMetricSetup & setup);

} // namespace itk::CudaSpline

#endif
