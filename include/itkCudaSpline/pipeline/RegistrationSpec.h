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
#ifndef itkCudaSpline_pipeline_RegistrationSpec_h
#define itkCudaSpline_pipeline_RegistrationSpec_h

#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/metrics/MetricOptions.h"
#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"
#include "itkCudaSpline/kernels/registration/DenseSearch.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LinearLevel.h"
#include "itkCudaSpline/kernels/registration/LinearOptimizer.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"
#include "itkCudaSpline/kernels/registration/SamplePlaces.h"
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/** \file
 * \brief The specification of a registration, which the program, Python and JSON documents describe, and
 * RunRegistration() executes. */

namespace itk::CudaSpline
{
/** \defgroup CudaSplinePipeline Registration pipeline
 * Registrations of several stages, described by one specification.
 * @{ */

/** \brief Number of values whose slope stops a level, as in antsRegistration. */
inline constexpr std::size_t ConvergenceValues = 10;

/** \brief The kinds of stages, in the order of increasing generality of their transforms. */
enum class StageKind : unsigned char
{
  Translation,
  Rigid,
  Similarity,
  Affine,
  BSpline,
  Syn,
  Greedy,
  Demons,
  Tvf,
  Discrete
};

/** \brief "translation", "rigid", "similarity", "affine", "bspline", "syn", "greedy", "demons", "tvf" or
 * "discrete". */
const char *
NameOf(StageKind kind);

/** \brief Initial alignment of a registration if no transform is given. */
enum class InitialAlignment : unsigned char
{
  Moments, ///< the centres of gravity are aligned
  Centre,  ///< the centres of the grids are aligned
  Search,  ///< the best of many rotations about the aligned centres of gravity
  None     ///< the identity
};

/** \brief "moments", "centre", "search" or "none". */
const char *
NameOf(InitialAlignment alignment);

/** \brief The metric of one pair of images. */
struct MetricTerm
{
  MetricKind kind{ MetricKind::Mattes }; ///< the metric
  double     weight{ 1.0 };              ///< above 0; relative to the sum of all weights
};

/** \brief A linear transform and its optimizer. */
struct LinearModel
{
  LinearKind    kind{ LinearKind::Rigid };               ///< kind of the transform
  LinearDescent optimizer{ LinearDescent::RegularStep }; ///< the optimizer
  double        step{ 0.0 };             ///< maximum displacement of the first iteration; 0: a voxel of the level
  bool          isStepInVoxels{ false }; ///< unit of the step: the smallest spacing of the fixed image, else mm
  double        minimumStep{ 0.0 };      ///< a smaller displacement stops a level (mm); 0: a thousandth of a voxel
  double        convergence{ 1e-7 }; ///< a level stops if the slope of the last values is smaller (ConvergenceWindow)
};

/** \brief A cubic B-spline of displacements, optimized with L-BFGS. */
struct SplineModel
{
  double step{ 0.0 }; ///< length of the first step of all coefficients together (mm); 0: a voxel of the level
  /** Width of the cells at the last level (mm): one value, or one per axis. Empty: 24 times the geometric mean of the
   * fixed image's spacing. */
  std::vector<double> gridSpacing;
  Regularizers        regularizers; ///< energies that are added to the metric
};

/** \brief Dense displacement fields. */
struct FieldModel
{
  DeformableKind kind{ DeformableKind::Syn }; ///< the method
  double         learningRate{ 0.1 };         ///< maximum displacement of an update (voxels)
  double         updateVariance{ 3.0 };       ///< variance of the Gaussian that smooths updates (voxels^2)
  double         totalVariance{ 0.0 };        ///< variance of the Gaussian that smooths fields (voxels^2)
  double         convergence{ 1e-6 };         ///< see LinearModel::convergence
  /** Turns smoothed forces into an update; not for demons. */
  FieldOptimizer  optimizer{ FieldOptimizer::FixedStep };
  double          determinantLimit{ 0.0 };                  ///< see SynRules::determinantLimit; not for demons
  InversionMethod inversion{ InversionMethod::FixedPoint }; ///< the iterative method of inverses
  /** For SyN: see SynRules::averagesMidpointGradients. Empty: true if a metric does not exist in ITK. */
  std::optional<bool> averagesMidpointGradients;
  /** For SyN and greedy: see SmoothSide(). Empty: true if a metric does not exist in ITK. */
  std::optional<bool> smoothsUnderMasks;
  /** For greedy: whether regions slide along their borders (SlidingRegions). Empty: true if there are regions. */
  std::optional<bool> slides;
  Regularizers        regularizers; ///< for greedy: energies that are added to the metric
  VelocityOptions     velocity;     ///< for time-varying velocity fields
};

/** \brief A dense displacement search. Its level has as many iterations as the search has passes. */
struct DiscreteModel
{
  DenseSearchOptions search; ///< all options except the passes
};

/** \brief One stage of a registration. */
struct StageSpec
{
  std::variant<LinearModel, SplineModel, FieldModel, DiscreteModel> model; ///< transform and optimizer
  std::vector<MetricTerm>   metrics{ MetricTerm() };                       ///< one per compared pair of images
  std::vector<PyramidLevel> levels;                                        ///< from coarse to fine
  bool                      sigmasInMm{ false };                           ///< unit of the levels' sigmas
  MetricOptions             metricOptions;                                 ///< of all metrics
  SampleRules               samples;                                       ///< not for fields
  /** Order of the B-spline of the moving image; for fields of both images, 1 or 3. */
  unsigned int order{ 1 };
  /** Gradients of the moving image; for fields central differences, or for SyN also Gaussians. */
  MetricGradient gradient{ MetricGradient::CentralDifferences };
  /** For fields: see LocalCorrelationImages::gradientsFollowGrid. Empty: true if a metric does not exist in ITK. */
  std::optional<bool>   gradientsFollowGrid;
  std::optional<double> landmarkWeight; ///< see LandmarkTerm; not for demons and dense searches; empty: 0
  /** For label maps: factor of 1 minus their overlap (see RegistrationInput::labels), which is added to the metric. For
   * fields it is relative to the sum of the weights of metrics. Not for demons and dense searches. */
  std::optional<double> labelWeight;
  /** Factors from 0 to 1 of the changes: of each parameter of a linear transform, or of displacements along each axis.
   * Empty: 1. Not for B-splines and demons. */
  std::vector<double> restriction;

  /** The kind. */
  StageKind
  GetKind() const;
  /** Whether it finds displacement fields. */
  bool
  IsOfFields() const
  {
    return std::holds_alternative<FieldModel>(model) || std::holds_alternative<DiscreteModel>(model);
  }
  /** \brief Whether it has a metric with a property. \param[in] has a function of a kind, as HasWindows() */
  bool
  HasMetricThat(bool (*has)(MetricKind)) const;
  /** \brief Whether label maps have a weight above 0. */
  bool
  UsesLabels() const
  {
    return labelWeight.value_or(0.0) > 0.0;
  }
  /** \brief Whether a field stage moves both images by the mean of their updates, in opposite directions. */
  bool
  AveragesMidpointGradients() const;
  /** \brief Whether the Gaussians of a level use only the pixels under masks. */
  bool
  SmoothsUnderMasks() const;
  /** \brief Whether a field stage computes central differences along the axes of the grid. */
  bool
  GradientsFollowGrid() const;
};

/** \brief The defaults of a kind of stage, without levels. */
StageSpec
MakeStage(StageKind kind);

/** \brief User names of the metrics of stages that have a property. \param[in] has a function of a kind, as
 * HasWindows() */
std::vector<std::string>
GetMetricNames(bool (*has)(MetricKind) = AnyMetric);

/** \brief A registration. */
struct RegistrationSpec
{
  ScalarType                           precision{ ScalarType::Float32 };     ///< type of pixels, arithmetic and fields
  InitialAlignment                     initial{ InitialAlignment::Moments }; ///< used if no initial transform is given
  std::optional<std::array<double, 2>> winsorize; ///< quantiles to which the values of the images are clipped
  std::vector<StageSpec>               stages;    ///< one after the other
  unsigned int warpedOrder{ 1 };                  ///< of the B-spline that interpolates warped images; 1 is linear
};

/** \brief Spacing of the cells of a B-spline stage at its last level along each axis (mm). */
std::vector<double>
FindGridSpacing(const SplineModel & model, const FieldGrid & fixed);

/** \brief Cells of a B-spline stage at its last level, x first: the extent between the outermost samples divided by the
 * spacing, rounded; at least 1.
 *
 * \param[in] model the stage's model; one spacing per axis, or a single one
 * \param[in] fixed grid of the fixed image */
std::array<std::int64_t, 3>
CountSplineCells(const SplineModel & model, const FieldGrid & fixed);

/** \brief Number of levels at which a field stage cannot move any sample: an axis has at most two samples there, and
 * the algorithm keeps the ends of axes fixed.
 *
 * \param[in] stage the stage
 * \param[in] fixed grid of the fixed image */
std::size_t
CountStillLevels(const StageSpec & stage, const FieldGrid & fixed);

/** \brief Estimated fraction of the work that is done after an iteration, in [0, 1]. It assumes that a level of fields
 * takes 0.7 of its iterations, and a level of other stages about 30.
 *
 * \param[in] spec the registration
 * \param[in] dimension dimension of the images
 * \param[in] stage,level numbers from 0
 * \param[in] iteration number from 1 in its level */
double
EstimateProgress(const RegistrationSpec & spec,
                 unsigned int             dimension,
                 std::size_t              stage,
                 std::size_t              level,
                 unsigned int             iteration);

/** @} */
} // namespace itk::CudaSpline

#endif
