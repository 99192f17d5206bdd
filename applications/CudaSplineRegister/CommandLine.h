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
#ifndef CudaSplineRegister_CommandLine_h
#define CudaSplineRegister_CommandLine_h

#include "TransformInput.h"

#include "itkCudaSpline/itk/MetricList.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // what the programs share

/** \brief Voxels along an axis of a fixed image that is not large, at most: antsRegistrationSyN.sh's. */
inline constexpr std::size_t largestOfPresets = 256;

/** \brief Bins of the metrics' kernels, at most; more are left to ITK's own metric. */
inline constexpr unsigned int mostBins = 160;

/** \brief Values whose slope ends a level, of descents and of fields, as of antsRegistration. */
inline constexpr unsigned int convergenceWindow = 10;

/** \brief What a stage optimizes. */
enum class StageKind : unsigned char
{
  Translation, ///< of linear ones each can do what those before it can
  Rigid,       ///< Euler angles and a translation
  Similarity,  ///< a rotation, one scale and a translation
  Affine,      ///< a matrix and a translation
  BSpline,     ///< coefficients of a cubic B-spline on a grid, in mm
  Syn,         ///< displacement fields from both images to a middle, symmetric normalization
  Greedy,      ///< one displacement field, composed of small updates
  Demons       ///< the same by squared differences: diffeomorphic demons
};

/** \brief Whether a stage finds displacement fields. */
constexpr bool
IsOfFields(StageKind kind)
{
  return kind >= StageKind::Syn;
}

/** \brief Whether what a stage finds may bend: it is no matrix. */
constexpr bool
IsBending(StageKind kind)
{
  return kind >= StageKind::BSpline;
}

/** \brief The metrics; LocalCorrelation is in a window around each voxel. */
enum class MetricKind : unsigned char
{
#define CUDASPLINE_METRIC_KIND(kind, word, name) kind,
  CUDASPLINE_STAGE_METRICS(CUDASPLINE_METRIC_KIND)
#undef CUDASPLINE_METRIC_KIND
};

/** \brief ITK's optimizers. */
enum class OptimizerKind : unsigned char
{
  RegularStep,       ///< RegularStepGradientDescentOptimizerv4
  GradientDescent,   ///< GradientDescentOptimizerv4
  ConjugateGradient, ///< ConjugateGradientLineSearchOptimizerv4
  Lbfgs              ///< LBFGSOptimizerv4
};

enum class SamplingKind : unsigned char
{
  None, ///< every voxel
  Regular,
  Random
};

/** \brief Where gradients of the moving image come from. */
enum class GradientKind : unsigned char
{
  Differences, ///< ITK's central differences
  Filter,      ///< ITK's gradient filter
  Analytic     ///< the derivative of what interpolates the moving image
};

/** \brief Where the first stage begins. */
enum class InitializationKind : unsigned char
{
  Moments, ///< centres of gravity on each other
  Centre,  ///< centres of the images on each other
  Search,  ///< the best of many rotations about the centres of gravity
  None
};

/** \brief What the volumes of a series are laid over. */
enum class TargetKind : unsigned char
{
  FixedImage,
  Volume, ///< one of the series itself
  Mean    ///< that of all its volumes
};

/** \brief "translation", "rigid", "similarity", "affine", "bspline", "syn", "greedy" or "demons". */
const char *
NameOf(StageKind kind);

/** \brief "mattes", "meansquares", "correlation" or "cc". */
const char *
NameOf(MetricKind kind);

/** \brief "regular-step", "gradient-descent", "conjugate-gradient" or "lbfgs". */
const char *
NameOf(OptimizerKind kind);

/** \brief "none", "regular" or "random". */
const char *
NameOf(SamplingKind kind);

/** \brief "moments", "centre", "search" or "none". */
const char *
NameOf(InitializationKind kind);

/** \brief How a pair of images is compared in a stage. */
struct PairMetric
{
  MetricKind kind{ MetricKind::Mattes };
  double     weight{ 1.0 }; ///< above 0; what counts is its share of the sum of all pairs' weights
};

/** \brief The metrics of a stage as --metric has them: "cc", or "cc:0.7,mattes:0.3". */
std::string
NamesOf(const std::vector<PairMetric> & metrics);

/** \brief A stage of the registration. Vectors have an entry a level, but those that say otherwise. */
struct StageOptions
{
  StageKind                 kind{ StageKind::Rigid };
  std::vector<PairMetric>   metrics{ PairMetric() }; ///< of each pair that is compared, in the order of the pairs
  OptimizerKind             optimizer{ OptimizerKind::RegularStep };
  std::vector<unsigned int> iterations; ///< at most
  std::vector<unsigned int> shrink;     ///< of the samples' grid
  std::vector<double>       sigmas;     ///< of the smoothing
  bool                      sigmasInMm{ false };
  SamplingKind              sampling{ SamplingKind::None };
  double                    fraction{ 1.0 };       ///< of the voxels that are sampled
  double                    step{ 0.0 };           ///< longest first step, mm; 0: a voxel of the level
  double                    minimumStep{ 0.0 };    ///< ends a level, mm; 0: a thousandth of a voxel
  std::vector<double>       gridSpacing;           ///< of a B-spline's cells at the last level, mm; one, or one an axis
  unsigned int              radius{ 4 };           ///< of the windows of local correlation, voxels
  double                    learningRate{ 0.1 };   ///< of fields: longest way in an iteration, voxels
  double                    updateVariance{ 3.0 }; ///< of the Gaussian that smooths their updates, squared voxels
  double                    totalVariance{ 0.0 };  ///< the same of whole fields
  double                    convergence{ 1e-7 }; ///< slope of the last values that ends a level of a descent, of fields

  /** The metric of the first pair, which is that of stages that compare no other one. */
  MetricKind
  FirstMetric() const
  {
    return metrics.front().kind;
  }
  /** Whether a pair is compared by a metric. */
  bool
  HasMetric(MetricKind asked) const
  {
    return std::any_of(
      metrics.begin(), metrics.end(), [asked](const PairMetric & metric) { return metric.kind == asked; });
  }
};

/** \brief Files of a pair of images beside the first one. */
struct FurtherFiles
{
  std::string fixed;
  std::string moving;
};

/** \brief What the user asked for. */
struct Options
{
  std::string                          fixed;
  std::string                          moving;
  std::vector<FurtherFiles>            further; ///< pairs of images that are compared beside the first one
  TargetKind                           target{ TargetKind::FixedImage }; ///< of a series that moves
  std::size_t                          targetVolume{ 0 };
  bool                                 makesFolders{ false }; ///< of outputs, where they do not exist
  std::string                          parameters;            ///< table (TSV) of a series' motion; empty: none
  std::vector<StageOptions>            stages;
  std::vector<StageOptions>            stagesOfLarge; ///< instead, of large fixed images; empty: the same
  std::string                          output;        ///< file of the transform; empty: none
  std::string                          warped;        ///< image; empty: none
  std::string                          picture;       ///< PNG; empty: none
  std::string                          report;        ///< JSON; empty: none
  std::string                          prefix;        ///< of the files that ANTs' users know; empty: none
  std::string                          field;         ///< image of displacements on the fixed image's grid; empty: none
  std::string                          inverse;  ///< the same of the inverse, on the moving image's grid; empty: none
  std::string                          jacobian; ///< image of determinants; empty: none
  bool                                 logJacobian{ false }; ///< their logarithm instead
  bool                                 evaluate{ false };    ///< similarity before and after
  std::string                          fixedLabels;          ///< image; empty: none
  std::string                          movingLabels;         ///< image; empty: none
  std::string                          fixedLandmarks;       ///< CSV; empty: none
  std::string                          movingLandmarks;      ///< CSV; empty: none
  std::optional<std::array<double, 2>> winsorize;            ///< quantiles to which values are cut
  std::string                          fixedMask;            ///< image; empty: none
  std::string                          movingMask;           ///< image; empty: none
  std::optional<TransformArgument>     initial;              ///< before the first stage
  InitializationKind                   initialization{ InitializationKind::Moments };
  unsigned int                         bins{ 50 }; ///< of Mattes' histogram
  unsigned int                         order{ 1 }; ///< of the moving image's interpolation; 1 is linear
  GradientKind                         gradient{ GradientKind::Differences };
  unsigned int                         seed{ 121212 }; ///< of random samples
  bool                                 inDouble{ false };
  double                               defaultValue{ 0.0 };
  std::string                          device; ///< "" (automatic), "cpu" or a number
  bool                                 verbose{ false };
  bool                                 force{ false }; ///< read DICOM files of an irregular or unknown geometry
};

/** \brief Reads the command line.
 *
 * \param[out] options the user's wishes
 * \return the exit code if the program is done, after --help, --version or an error (one line on stderr); empty
 * otherwise */
std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options);

} // namespace CudaSplineRegister

#endif
