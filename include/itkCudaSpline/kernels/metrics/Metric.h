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

/** \brief What a pass over the samples of a metric adds up. */
enum class MetricPass : unsigned char
{
  MeanSquares, ///< value 0: (f - m)^2; weight 2 (f - m)
  Means,       ///< values 0 and 1: f and m; no moments
  Correlation, ///< values 0 to 2: f1^2, m1^2, f1 m1 of f1 = f - mean, m1 = m - mean; weights f1 and m1
  Histogram,   ///< the joint histogram of MetricParameters::bins; no moments
  /** Weight: minus the sum over the bins of a sample's window of dB times MetricParameters::table. Where
   * EvaluateMetric() makes that table (MakesTable()), value 0: the negative information, and the count is that of the
   * histogram. */
  Information,
  /** Values 0: squares of local correlations, 1: windows of these that are flat (LocalCorrelationSums), 2: 1 where
   * nothing was interpolated, as the stages move nothing and the grid is the moving image's, else 0; weight: the factor
   * of EvaluateLocalCorrelation(). Samples are those of a grid. */
  LocalCorrelation,
  /** Value 0: (f - m)^2; weight (f - m) / ((f - m)^2 / normalizer + g^2), 0 up to the thresholds of MetricParameters.
   * Forces are along the unchanged g, as in ITK: stages after the field do not rotate them. */
  Demons,
  Weights ///< no value; weight f: the fixed values are the samples' weights
};

/** \brief Where the gradient of the moving image comes from. */
enum class MetricGradient : unsigned char
{
  None,               ///< not wanted: no moments are added up
  Image,              ///< from an image of gradients, each number interpolated linearly
  CentralDifferences, ///< of linear interpolation half a spacing away along each axis of space; 0 at the edges
  Analytic,           ///< of the B-spline that gives the values
  Samples             ///< given for each sample: of derivatives by displacements
};

/** \brief There is no derivative, by this pass or a later one. */
struct NoDerivative
{};

/** \brief The derivative by the parameters of linear stages, as moments. */
struct LinearMoments
{
  /** The first stages, all Affine, that moments are for; nothing: all stages are Affine, and moments are for them. */
  std::optional<std::size_t> stages;
};

/** \brief The derivative by the coefficients of a stage of B-splines. On a device passes without derivative take their
 * samples in the order of its cells, too. */
struct SplineCoefficients
{
  std::size_t stage{ 0 }; ///< of the chain
};

/** \brief The derivative by the displacements of a stage at the samples: those of a grid that is the virtual one. Not
 * of MetricPass::Correlation, and not of lists of places. */
struct FieldDisplacements
{
  std::size_t stage{ 0 }; ///< of the chain
};

/** \brief What the derivative of an evaluation is by. */
using MetricDerivative = std::variant<NoDerivative, LinearMoments, SplineCoefficients, FieldDisplacements>;

/** \brief Minimum number of bins of a histogram along either axis: a window and its padding. */
inline constexpr int MinHistogramBins = 5;
/** \brief Maximum number: two words of each bin fit the shared memory of a block of a large device; smaller devices
 * count in their memory. */
inline constexpr int MaxHistogramBins = 160;
/** \brief Its former name, for one release. */
[[deprecated("MaxHistogramBins")]] inline constexpr int MostHistogramBins = MaxHistogramBins;

/** \brief Whether a histogram can have so many bins. */
constexpr bool
IsBinCount(std::int64_t bins)
{
  return bins >= MinHistogramBins && bins <= MaxHistogramBins;
}

/** \brief What is wrong with a number of bins for which IsBinCount() is false. */
std::string
DescribeBinProblem(std::int64_t bins);

/** \brief Numbers of a metric's formula, which earlier passes or the images give. */
struct MetricParameters
{
  double     fixedMean{ 0.0 };  ///< of MetricPass::Correlation
  double     movingMean{ 0.0 }; ///< of MetricPass::Correlation
  ParzenBins bins;              ///< of MetricPass::Histogram and Information
  /** Of MetricPass::Information: a number a bin, bins x bins, those of a fixed bin one after the other; null: that of
   * ReduceMattes(), by the histogram of the same samples, where MakesTable(). */
  std::shared_ptr<const std::vector<double>> table;
  std::array<int, 3> radius{ { 2, 2, 2 } }; ///< of MetricPass::LocalCorrelation: windows are 2 radius + 1 wide
  double             epsilon{ 0.0 };        ///< of MetricPass::LocalCorrelation; see LocalCorrelationDescriptor
  bool               isExact{ false };      ///< of MetricPass::LocalCorrelation; see LocalCorrelationDescriptor
  /** Of MetricPass::LocalCorrelation: gradients at the samples are compared, not windows around them. Value 0: the sum
   * of the squared sines of their angles; \c varianceFloors: squares of edge parameters. */
  bool comparesGradients{ false };
  /** Of MetricPass::LocalCorrelation; see LocalCorrelationDescriptor. */
  std::array<double, 2> varianceFloors{ { 0.0, 0.0 } };
  double                normalizer{ 1.0 };           ///< of MetricPass::Demons (mm^2)
  double                differenceThreshold{ 0.0 };  ///< of MetricPass::Demons: smaller differences have no weight
  double                denominatorThreshold{ 0.0 }; ///< of MetricPass::Demons: nor have smaller denominators
};

/** \brief What a metric compares, and where: all of it is run-time.
 *
 * Samples are those of a grid, or of a list of places, in the virtual domain. The values of the fixed image are given,
 * as they stay the same through all iterations; the transform moves the samples into the moving image. */
struct MetricDescriptor
{
  unsigned int dimension{ 3 };                  ///< of all images: 2 or 3
  MetricPass   pass{ MetricPass::MeanSquares }; ///< what is added up
  /** Where gradients come from; with None the pass has no derivative. */
  MetricGradient gradient{ MetricGradient::None };
  /** The virtual domain (outputOrigin, indexToPoint; the grid of samples is its region), the transform (stages), and
   * the moving image (inputOrigin, pointToIndex). */
  TransformChain chain;
  /** What the derivative is by, of this pass or of the later passes that it leaves values for. */
  MetricDerivative derivative;
  /** Whether a pass without derivative leaves the moving values of its samples in the workspace, and one with it takes
   * them from there: the same samples, stages and sources. Not with gradients that come with the values (Analytic). */
  bool sharesValues{ false };
  bool marksValid{ false }; ///< a pass that stores values also stores which samples are valid
  /** Memory where the derivative by a stage is put instead of into MetricResult, as that has it: by displacements
   * (FieldDisplacements) D numbers for each sample, of the host, or of the device of the context, where it stays; by
   * coefficients (SplineCoefficients) those of each set of weights, one after the other, in memory of the backend.
   * Null: it is put into MetricResult. */
  double *                forces{ nullptr };
  InterpolationDescriptor interpolation; ///< of the moving image, with its bounds: Nearest, Linear or BSpline
  /** Moving values are rounded to float, and differences too: pixels of the images are float, sums double. */
  bool                  singleMoving{ false };
  bool                  singleFixed{ false };   ///< see singleMoving: of differences, which have the fixed image's type
  std::array<double, 3> spacing{ { 1, 1, 1 } }; ///< of the moving image (mm), for central differences
  std::array<double, 3> centre{ { 0, 0, 0 } };  ///< c of moments (mm), in the virtual domain
  MetricParameters      parameters;             ///< of the pass

  /** \brief A mask in the space of the moving image: a sample counts where the nearest pixel is not 0. */
  struct Mask
  {
    TransformChain::Vector origin{};       ///< place of the mask's index 0 (mm)
    TransformChain::Matrix pointToIndex{}; ///< indices of the mask a mm
    TransformChain::Vector offset{};       ///< of the map from the moving image's space to the mask's own (mm)
    TransformChain::Matrix matrix{};       ///< of that map
  };
  Mask mask; ///< read where MetricSources::mask is there

  /** The stage of B-splines that the derivative is by; null: it is by none. */
  const SplineCoefficients *
  GetSpline() const
  {
    return std::get_if<SplineCoefficients>(&derivative);
  }
  /** The stage of displacements that the derivative is by; null: it is by none. */
  const FieldDisplacements *
  GetField() const
  {
    return std::get_if<FieldDisplacements>(&derivative);
  }
  /** The number of either; nothing: it is by neither. */
  std::optional<std::size_t>
  GetStage() const
  {
    return GetSpline() != nullptr  ? std::optional<std::size_t>(GetSpline()->stage)
           : GetField() != nullptr ? std::optional<std::size_t>(GetField()->stage)
                                   : std::nullopt;
  }

  /** How many stages lead from the virtual domain to where the derivative is: gradients come back through those behind
   * by their Jacobians by position. */
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

  /** Whether a sample has a Jacobian of its own of the stages behind: some of them are not Affine, or moments are not
   * for all of them. */
  bool
  HasOuterJacobian() const
  {
    const std::size_t front = CountFront();
    return this->GetStage() ? !IsAffineFrom(front) : front < chain.stages.size();
  }

  /** Whether the stages of the chain are Affine, from one of them on. */
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
 * Lists are sources of one dimension; pixels are not filtered but those of \c moving. */
struct MetricSources
{
  std::shared_ptr<const SampleSource> fixed;  ///< a fixed value for each sample: float32 or float64
  std::shared_ptr<const SampleSource> inside; ///< uint8, not 0 for samples that count; null: all do
  std::shared_ptr<const SampleSource> points; ///< places (float64, D for each sample, mm); null: the chain's region
  std::shared_ptr<const SampleSource> moving; ///< samples or coefficients; its element is that of all arithmetic
  /** Planes of gradients (Image), samples (CentralDifferences), or a list of D numbers for each sample (Samples). */
  std::shared_ptr<const SampleSource> gradient;
  std::shared_ptr<const SampleSource> mask; ///< uint8 pixels of a moving mask; null: none
};

/** \brief The sums of a pass. */
struct MetricResult
{
  std::int64_t          count{ 0 };            ///< samples that are valid
  std::array<double, 3> values{ { 0, 0, 0 } }; ///< see MetricPass
  /** Of the sets of weights that MetricPass names: by SplineCoefficients the sums of w B(x)' M' g, a plane
   * of coefficients an axis, with B the splines' weights and M the Jacobian by position of the stages behind; with
   * FieldDisplacements w M' g of each sample, its D numbers side by side, 0 where it is not valid; else D rows of D + 1
   * moments (MetricSums) of M' g. M is the derivative of B-splines, and ITK's differences of displacement fields. Empty
   * where no derivative is wanted. */
  std::array<std::vector<double>, 2> derivatives;
  /** Of MetricPass::Histogram: sums of the weights of windows, bins x bins, each weight rounded as ParzenWeight says:
   * in double precision where elements are float64. */
  std::vector<double> histogram;
};

/** \brief Moving values that a pass left; see MetricDescriptor::sharesValues. */
struct MetricMovingValues;

/** \brief The samples in the order of the cells of a grid of B-splines, on a device. */
class MetricCellOrder;

/** \brief What evaluations of a metric leave for the next ones.
 *
 * For one caller at a time, one backend and one device. An order is made again where samples or grid are others; values
 * are for the caller to keep apart, see MetricDescriptor::sharesValues. */
struct MetricWorkspace
{
  std::shared_ptr<MetricMovingValues>    values; ///< of the last pass that left them
  std::shared_ptr<const MetricCellOrder> order;  ///< of the last pass that had need of one
};

/** \brief Adds up a metric over its samples.
 *
 * The order of the additions follows from the samples alone, and from the cells of the splines' grid that they are in:
 * the same call gives the same bits, whatever else runs and however many threads do.
 *
 * \param[in] descriptor what is compared
 * \param[in] sources the arrays, made by the backend and on the device of the context
 * \param[in] context backend, device, threads
 * \param[in,out] workspace what earlier evaluations left, and this one does; null: nothing is kept
 * \return the sums; the count is 0 where no sample is valid
 * \exception std::invalid_argument sources that do not fit the descriptor or the context
 * \exception DeviceError a device that is out of memory or lost
 *
 * \par Accuracy
 * Coordinates are ITK's bits in either precision, so the count is ITK's. With Float64 elements, values and gradients
 * are ITK's except for fused operations, and sums are double. With Float32, samples, coefficients, values of B-splines
 * and gradients have some rounding errors of float; linear interpolation of values and all sums are double. */
MetricResult
EvaluateMetric(const MetricDescriptor & descriptor,
               const MetricSources &    sources,
               const ExecutionContext & context,
               MetricWorkspace *        workspace = nullptr);

/** \brief Whether EvaluateMetric() makes the table of MetricPass::Information itself: on a device, where derivatives
 * are by linear stages. Then histogram, table and derivative follow each other, and the host waits once.
 *
 * \param[in] descriptor what is compared; its pass does not matter
 * \param[in] context where */
bool
MakesTable(const MetricDescriptor & descriptor, const ExecutionContext & context);

/** \brief Number of samples that EvaluateMetric() looks at.
 *
 * \param[in] sources the arrays; \c fixed is there */
std::int64_t
CountMetricSamples(const MetricSources & sources);

/** \brief Work of EvaluateMetric(), in addition to that of its sources.
 *
 * \param[in] descriptor what is compared
 * \param[in] moving the moving image's source
 * \param[in] samples number of samples */
OperationWork
CountMetricWork(const MetricDescriptor & descriptor, const SourceDescriptor & moving, std::int64_t samples);

/** \brief Why a device cannot evaluate a metric that the host can; null where it can.
 *
 * Derivatives by the coefficients of B-splines number samples and nodes in 32 bits there, and windows of local
 * correlation have a radius of 22 at most.
 *
 * \param[in] descriptor what is compared
 * \param[in] samples number of samples */
const char *
ReasonForHostOnly(const MetricDescriptor & descriptor, std::int64_t samples);

/** \brief Maximum memory of a device that EvaluateMetric() takes in addition to its sources (bytes), with the
 * workspace.
 *
 * Derivatives by displacements take 8 bytes per sample and axis. Those by the coefficients of B-splines take 18 bytes
 * per sample, and 3 KiB for each cell of the grid and each 1024 samples or more. Shared moving values take 8 bytes per
 * sample (4 for float pixels), local correlation 9 bytes per sample, or 17 if elements are double. All else takes 2 MiB
 * and the memory of the stages.
 *
 * \param[in] descriptor what is compared
 * \param[in] samples number of samples
 * \param[in] element of the sources */
std::size_t
CountMetricBytes(const MetricDescriptor & descriptor, std::int64_t samples, ScalarType element);

/** @} */
} // namespace itk::CudaSpline

#endif
