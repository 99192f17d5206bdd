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
#ifndef itkCudaSpline_kernels_metrics_Metric_h
#define itkCudaSpline_kernels_metrics_Metric_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ParzenBins.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How the gradient of the moving image is computed. */
enum class MetricGradient : unsigned char
{
  None,               ///< not computed: no moments are added
  Image,              ///< read from an image of gradients, each component interpolated linearly
  CentralDifferences, ///< of linear interpolation half a spacing away along each axis of physical space; 0 at the edges
  Analytic,           ///< gradient of the B-spline that interpolates the values
  Samples             ///< given for each sample, for derivatives with respect to displacements
};

/** \brief No derivative, in this pass and later ones. */
struct NoDerivative
{};

/** \brief The derivative with respect to the parameters of linear stages, as moments. */
struct LinearMoments
{
  /** Number of leading stages, all Affine, whose derivative the moments give; empty: all stages, which are Affine. */
  std::optional<std::size_t> stages;
};

/** \brief The derivative with respect to the coefficients of a B-spline stage. On a device, passes without derivative
 * also visit their samples in the order of the spline's cells. */
struct SplineCoefficients
{
  std::size_t stage{ 0 }; ///< index in the chain
};

/** \brief The derivative with respect to the displacements of a stage at the samples, which are those of the virtual
 * grid. Not for CorrelationPass, and not for lists of points. */
struct FieldDisplacements
{
  std::size_t stage{ 0 }; ///< index in the chain
};

/** \brief The variables of the derivative of an evaluation. */
using MetricDerivative = std::variant<NoDerivative, LinearMoments, SplineCoefficients, FieldDisplacements>;

/** \brief Minimum number of bins of a histogram along either axis: a window and its padding. */
inline constexpr int MinHistogramBins = 5;
/** \brief Maximum number of bins along either axis: two words per bin fit the shared memory of a block of a large
 * device. Smaller devices use global memory. */
inline constexpr int MaxHistogramBins = 160;
/** \brief Deprecated name of MaxHistogramBins, for one release. */
[[deprecated("MaxHistogramBins")]] inline constexpr int MostHistogramBins = MaxHistogramBins;

/** \brief Whether a number of bins is allowed. */
constexpr bool
IsBinCount(std::int64_t bins)
{
  return bins >= MinHistogramBins && bins <= MaxHistogramBins;
}

/** \brief Describes why a number of bins is not allowed. */
std::string
DescribeBinProblem(std::int64_t bins);

/** \brief The passes over the samples of metrics, each with the parameters of its formula.
 *
 * Each computes up to three values, and for each set of weights a derivative; f and m are the values of the fixed and
 * the moving image at a sample. */
///@{
/** Value 0: (f - m)^2; weight 2 (f - m). */
struct MeanSquaresPass
{};

/** Values 0 and 1: f and m; no derivative. */
struct MeansPass
{};

/** Values 0 to 2: f1^2, m1^2, f1 m1 with f1 = f - fixedMean, m1 = m - movingMean; weights f1 and m1. */
struct CorrelationPass
{
  double fixedMean{ 0.0 };  ///< mean of f
  double movingMean{ 0.0 }; ///< mean of m
  /** Of the metric: if the product of the sums of f1^2 and m1^2 is not above it, value and derivative are 0. */
  double epsilon{ 0.0 };
};

/** The joint histogram; no derivative. */
struct HistogramPass
{
  ParzenBins bins; ///< bins of both images
};

/** Weight: minus the sum over the bins of a sample's window of dB times the table. If EvaluateMetric() computes the
 * table, value 0 is the negative information, and the count is that of the histogram. */
struct InformationPass
{
  ParzenBins bins; ///< bins of the histogram
  /** One number per bin, bins x bins, with those of each fixed bin contiguous; in host memory for EvaluateMetric(), in
   * the memory of the backend for EvaluatePointForces(). Null: the table of ReduceMetric() from the histogram of the
   * same samples, if MakesTable(). */
  const double * table{ nullptr };
};

/** Value 0: squares of local correlations. Value 1: number of flat windows (LocalCorrelationSums). Value 2: 1 if
 * nothing was interpolated, because the stages are the identity and the grid is the moving image's; else 0. Weight: the
 * factor of EvaluateLocalCorrelation(). Samples are those of a grid. */
struct LocalCorrelationPass
{
  std::array<int, 3>    radius{ { 2, 2, 2 } };          ///< windows are 2 radius + 1 wide
  double                epsilon{ 0.0 };                 ///< see LocalCorrelationDescriptor
  bool                  isExact{ false };               ///< see LocalCorrelationDescriptor
  std::array<double, 2> varianceFloors{ { 0.0, 0.0 } }; ///< see LocalCorrelationDescriptor
};

/** Value 0: (f - m)^2; weight (f - m) / ((f - m)^2 / normalizer + g^2), or 0 up to the thresholds. Forces are along the
 * unchanged g, as in ITK: stages after the field do not rotate them. */
struct DemonsPass
{
  double normalizer{ 1.0 };           ///< mm^2
  double differenceThreshold{ 0.0 };  ///< no weight below this difference
  double denominatorThreshold{ 0.0 }; ///< no weight below this denominator
};

/** No value; weight f: the fixed values are the weights of the samples. */
struct WeightsPass
{};

/** Value 0: the squared sines of the angles between gradients. Value 2: as that of LocalCorrelationPass. Weight: the
 * derivative with respect to the moving value of a sample. Samples are those of a grid. */
struct GradientFieldsPass
{
  std::array<double, 2> edgeSquares{ { 0.0, 0.0 } }; ///< see GradientFieldsDescriptor
};
///@}

/** \brief A pass over the samples of a metric. */
using MetricPass = std::variant<MeanSquaresPass,
                                MeansPass,
                                CorrelationPass,
                                HistogramPass,
                                InformationPass,
                                LocalCorrelationPass,
                                DemonsPass,
                                WeightsPass,
                                GradientFieldsPass>;

/** \brief Whether a pass is of a given type. */
template <typename TPass>
bool
IsPass(const MetricPass & pass)
{
  return std::holds_alternative<TPass>(pass);
}

/** \brief Describes the images and the samples that a metric compares, at run time.
 *
 * Samples are those of a grid, or of a list of points, in the virtual domain. The values of the fixed image are given,
 * as they do not change between iterations. The transform maps the samples into the moving image. */
struct MetricDescriptor
{
  unsigned int dimension{ 3 }; ///< of all images: 2 or 3
  MetricPass   pass;           ///< the sums to compute
  /** How gradients are computed; with None the pass has no derivative. */
  MetricGradient gradient{ MetricGradient::None };
  /** The virtual domain (outputOrigin, indexToPoint; the grid of samples is its region), the transform (stages), and
   * the moving image (inputOrigin, pointToIndex). */
  TransformChain chain;
  /** The variables of the derivative, of this pass or of the later passes for which it stores values. */
  MetricDerivative derivative;
  /** Whether a pass without derivative stores the moving values of its samples in the workspace, and a pass with
   * derivative reads them. Both must have the same samples, stages and sources. Not with gradients that are computed
   * with the values (Analytic). */
  bool sharesValues{ false };
  bool marksValid{ false }; ///< a pass that stores values also stores which samples are valid
  /** Memory to which the derivative with respect to a stage is written instead of MetricResult, in the layout of
   * MetricResult. With FieldDisplacements: D numbers per sample, in host memory, or in memory of the context's device,
   * where it stays. With SplineCoefficients: the coefficients of each set of weights, one set after the other, in the
   * memory of the backend. Null: it is written to MetricResult. */
  double *                forces{ nullptr };
  InterpolationDescriptor interpolation; ///< of the moving image, with its bounds: Nearest, Linear or BSpline
  /** Rounds moving values to float, and differences too, for images of float pixels; sums are double. */
  bool                  singleMoving{ false };
  bool                  singleFixed{ false }; ///< see singleMoving: for differences, which have the fixed image's type
  std::array<double, 3> spacing{ { 1, 1, 1 } }; ///< of the moving image (mm), for central differences
  std::array<double, 3> centre{ { 0, 0, 0 } };  ///< centre c of the moments (mm), in the virtual domain

  /** \brief A mask in the space of the moving image: a sample counts if the nearest pixel is not 0. */
  struct Mask
  {
    TransformChain::Vector origin{};       ///< point of the mask's index 0 (mm)
    TransformChain::Matrix pointToIndex{}; ///< indices of the mask per mm
    TransformChain::Vector offset{};       ///< offset of the map from the moving image's space to the mask's own (mm)
    TransformChain::Matrix matrix{};       ///< matrix of that map
  };
  Mask mask; ///< used if MetricSources::mask is given

  /** The B-spline stage of the derivative; null if it is not with respect to coefficients. */
  const SplineCoefficients *
  GetSpline() const
  {
    return std::get_if<SplineCoefficients>(&derivative);
  }
  /** The displacement stage of the derivative; null if it is not with respect to displacements. */
  const FieldDisplacements *
  GetField() const
  {
    return std::get_if<FieldDisplacements>(&derivative);
  }
  /** The index of either stage; empty if there is none. */
  std::optional<std::size_t>
  GetStage() const
  {
    return GetSpline() != nullptr  ? std::optional<std::size_t>(GetSpline()->stage)
           : GetField() != nullptr ? std::optional<std::size_t>(GetField()->stage)
                                   : std::nullopt;
  }

  /** Number of stages from the virtual domain to the space of the derivative. Gradients are multiplied with the
   * Jacobians with respect to position of the stages after these. */
  std::size_t
  CountFront() const
  {
    if (const std::optional<std::size_t> stage = this->GetStage())
    {
      return *stage + 1;
    }
    const auto * const moments = std::get_if<LinearMoments>(&derivative);
    return moments != nullptr ? moments->stages.value_or(chain.stages.size()) : chain.stages.size();
  }

  /** Whether the Jacobian of the stages after those of CountFront() must be computed for each sample: some of them are
   * not Affine, or moments are not for all stages. */
  bool
  HasOuterJacobian() const
  {
    const std::size_t front = CountFront();
    return this->GetStage() ? !IsAffineFrom(front) : front < chain.stages.size();
  }

  /** Whether the stages of the chain are Affine, from a given one on. */
  bool
  IsAffineFrom(std::size_t first) const
  {
    return std::all_of(chain.stages.begin() + static_cast<std::ptrdiff_t>(first),
                       chain.stages.end(),
                       [](const TransformChain::Stage & stage) { return stage.kind == TransformKind::Affine; });
  }
};

/** \brief The arrays of a metric, in the memory of one backend.
 *
 * Lists are sources of one dimension. Only the pixels of \c moving are filtered. */
struct MetricSources
{
  std::shared_ptr<const SampleSource> fixed;  ///< a fixed value for each sample: float32 or float64
  std::shared_ptr<const SampleSource> inside; ///< uint8, nonzero for samples that count; null: all count
  std::shared_ptr<const SampleSource> points; ///< points (float64, D per sample, mm); null: the chain's region
  std::shared_ptr<const SampleSource> moving; ///< samples or coefficients; its element type is that of all arithmetic
  /** Planes of gradients (Image), samples (CentralDifferences), or a list of D numbers per sample (Samples). */
  std::shared_ptr<const SampleSource> gradient;
  std::shared_ptr<const SampleSource> mask; ///< uint8 pixels of a moving mask; null: no mask
};

/** \brief The sums of a pass. */
struct MetricResult
{
  std::int64_t          count{ 0 };            ///< number of valid samples
  std::array<double, 3> values{ { 0, 0, 0 } }; ///< see MetricPass
  /** The derivative for each set of weights that MetricPass names; empty if not computed. M is the Jacobian with
   * respect to position of the stages after the stage of the derivative: the derivative of B-splines, and ITK's
   * differences of displacement fields.
   *
   * * With SplineCoefficients: the sums of w B(x)' M' g, one plane of coefficients per axis, where B are the spline's
   *   weights.
   * * With FieldDisplacements: w M' g of each sample, its D components contiguous, 0 where it is not valid.
   * * Else: D rows of D + 1 moments (MetricSums) of M' g. */
  std::array<std::vector<double>, 2> derivatives;
  /** Of HistogramPass: sums of the weights of windows, bins x bins. Each weight is rounded as documented for
   * ParzenWeight, or is double if elements are float64. */
  std::vector<double> histogram;
};

/** \brief Moving values that a pass has stored; see MetricDescriptor::sharesValues. */
struct MetricMovingValues;

/** \brief The samples in the order of the cells of a B-spline's grid, on a device. */
class MetricCellOrder;

/** \brief Data that evaluations of a metric keep for later ones.
 *
 * It is for one caller at a time, one backend and one device. The order is computed again if the samples or the grid
 * have changed. The caller must keep track of the values, see MetricDescriptor::sharesValues. */
struct MetricWorkspace
{
  std::shared_ptr<MetricMovingValues>    values; ///< values of the last pass that stored them
  std::shared_ptr<const MetricCellOrder> order;  ///< order of the last pass that needed one
};

/** \brief Sums a metric over its samples.
 *
 * The order of summation depends only on the samples, and on the cells of the spline's grid that contain them: equal
 * calls give bitwise equal results for any number of threads.
 *
 * \param[in] descriptor the images and samples to compare
 * \param[in] sources the arrays, made by the backend and on the device of the context
 * \param[in] context backend, device, threads
 * \param[in,out] workspace data of earlier evaluations, and of this one for later ones; null: no data is kept
 * \return the sums; the count is 0 if no sample is valid
 * \exception std::invalid_argument sources that do not fit the descriptor or the context
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * Coordinates are bitwise equal to ITK's in either precision, and so is the count. With Float64 elements, values and
 * gradients equal ITK's except for fused operations, and sums are double. With Float32 elements, samples, coefficients,
 * values of B-splines and gradients have some rounding errors of float; linear interpolation of values and all sums are
 * double. */
MetricResult
EvaluateMetric(const MetricDescriptor & descriptor,
               const MetricSources &    sources,
               const ExecutionContext & context,
               MetricWorkspace *        workspace = nullptr);

/** \brief Whether EvaluateMetric() computes the table of InformationPass itself: on a device, for derivatives
 * with respect to linear stages. Histogram, table and derivative are then enqueued together, and the host waits only
 * once.
 *
 * \param[in] descriptor the images and samples to compare; its pass has no effect
 * \param[in] context backend */
bool
MakesTable(const MetricDescriptor & descriptor, const ExecutionContext & context);

/** \brief Number of samples that EvaluateMetric() visits.
 *
 * \param[in] sources the arrays; \c fixed must be given */
std::int64_t
CountMetricSamples(const MetricSources & sources);

/** \brief Work of EvaluateMetric(), in addition to that of its sources.
 *
 * \param[in] descriptor the images and samples to compare
 * \param[in] moving the moving image's source
 * \param[in] samples number of samples */
OperationWork
CountMetricWork(const MetricDescriptor & descriptor, const SourceDescriptor & moving, std::int64_t samples);

/** \brief Returns why only the host can evaluate a metric; null if a device can.
 *
 * On a device, derivatives with respect to the coefficients of B-splines index samples and nodes with 32 bits, and
 * windows of local correlation have a maximum radius of 22.
 *
 * \param[in] descriptor the images and samples to compare
 * \param[in] samples number of samples */
const char *
ReasonForHostOnly(const MetricDescriptor & descriptor, std::int64_t samples);

/** \brief Maximum device memory of EvaluateMetric() in addition to its sources (bytes), including the workspace.
 *
 * Derivatives with respect to displacements take 8 bytes per sample and axis. Those with respect to the coefficients of
 * B-splines take 18 bytes per sample, and 3 KiB for each cell of the grid and each 1024 samples or more. Shared moving
 * values take 8 bytes per sample (4 for float pixels), local correlation 9 bytes per sample, or 17 if elements are
 * double. All other data takes 2 MiB and the memory of the stages.
 *
 * \param[in] descriptor the images and samples to compare
 * \param[in] samples number of samples
 * \param[in] element element type of the sources */
std::size_t
CountMetricBytes(const MetricDescriptor & descriptor, std::int64_t samples, ScalarType element);

/** @} */
} // namespace itk::CudaSpline

#endif
