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
#ifndef itkCudaSpline_kernels_registration_LevelOptions_h
#define itkCudaSpline_kernels_registration_LevelOptions_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/fields/ResidentImage.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/metrics/FieldMetricOptions.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief Options of the levels of deformable registrations: rules, images, and metrics. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How the smoothed forces of an iteration become an update. All optimizers limit its displacements to
 * SynRules::learningRate. */
enum class FieldOptimizer : unsigned char
{
  FixedStep, ///< the force, scaled so that its longest vector has that length, as in ITK
  /** The running mean of forces whose longest vectors have length 1; it becomes shorter where forces alternate. */
  Momentum,
  Adam ///< that mean divided by the root of the running mean of the squared lengths, at each sample
};

/** \brief The rules of a level; names and defaults are those of itk::SyNImageRegistrationMethod.
 *
 * Fields are smoothed by a B-spline if one is given (itk::BSplineSyNImageRegistrationMethod), else by a Gaussian. With
 * a variance of 0 and no B-spline they are not smoothed. */
struct SynRules
{
  double learningRate{ 0.25 };               ///< maximum length of the update of an iteration (samples)
  double updateVariance{ 3.0 };              ///< variance of the Gaussian that smooths an update (samples^2)
  double totalVariance{ 0.5 };               ///< variance of the Gaussian that smooths a total field (samples^2)
  bool   averagesMidpointGradients{ false }; ///< whether both updates are replaced by their mean, with opposite signs
  std::array<double, 3> weights{ { 1.0, 1.0, 1.0 } }; ///< factors of an update for each axis
  FieldInversion        inversion;                    ///< rules for inverting both fields and their inverses
  std::optional<FieldSplineFit>
    updateSpline;                            ///< B-spline that smooths an update, in which the masks weight the samples
  std::optional<FieldSplineFit> totalSpline; ///< B-spline that smooths a total field
  FieldOptimizer                optimizer{ FieldOptimizer::FixedStep }; ///< turns forces into updates
  /** Updates are shortened where the Jacobian determinant of the total transform would exceed this factor, or fall
   * below its reciprocal. Above 1; 0: no limit. */
  double determinantLimit{ 0.0 };

  /** Whether a B-spline smooths an update or a total field. */
  bool
  SmoothsBySplines() const
  {
    return updateSpline || totalSpline;
  }
  /** True if iterations with both rules do the same. */
  bool
  operator==(const SynRules & other) const
  {
    return learningRate == other.learningRate && updateVariance == other.updateVariance &&
           totalVariance == other.totalVariance && averagesMidpointGradients == other.averagesMidpointGradients &&
           weights == other.weights && updateSpline == other.updateSpline && totalSpline == other.totalSpline &&
           optimizer == other.optimizer && determinantLimit == other.determinantLimit &&
           inversion.method == other.inversion.method;
  }
};

/** \brief The time points of a velocity field, and its smoothing along time. Defaults of variances are those of
 * itk::GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform. */
struct VelocityOptions
{
  unsigned int timePoints{ 4 };            ///< with equal distances from time 0 to time 1; 2 to MaxTimePoints
  double       updateTimeVariance{ 0.25 }; ///< variance of the Gaussian that smooths updates along time (time points^2)
  double totalTimeVariance{ 0.0 }; ///< variance of the Gaussian that smooths the velocity along time (time points^2)
};

/** \brief The fields of a level, in the memory of its backend. They outlive the level: the next, larger level is
 * initialized from them after the rest of the level has been released. */
class LevelFields;

/** \brief How much memory a level of SyN or greedy registration uses. The fields have the same bits. */
enum class LevelMemory : unsigned char
{
  Automatic, ///< on the host Smallest for levels of at least 2^24 samples, else Fastest
  Smallest,  ///< smooths slab by slab, and computes forces of local correlation in one direction after the other
  Fastest,
  /** Smallest, and fields of SyN that a step does not use are in host memory. On the host backend: Smallest. Not with
   * landmarks or features. */
  Paged
};

/** \brief The memory to which the vectors of a field are copied. */
enum class FieldMemory : unsigned char
{
  Host,     ///< host memory, for any backend
  Residence ///< memory of the backend that iterated, without a transfer
};

/** \brief Copies stages to the memory of a backend, for WarpImage().
 *
 * \param[in] stages stages with displacements in host memory, which are borrowed on the host, or in device memory,
 * which are borrowed, too
 * \param[in] dimension 2 or 3
 * \param[in] residence memory of the backend
 * \exception DeviceError out of memory, or a lost device */
std::vector<TransformChain::Stage>
MakeResidentStages(std::vector<TransformChain::Stage> stages, unsigned int dimension, const Residence & residence);

/** \brief An image of a registration, its mask, and the transforms after its field to the middle space. */
struct SynSide
{
  ResidentImage image; ///< smoothed for the level
  ResidentImage mask;  ///< UInt8; without data: no mask
  /** Weights of the samples in a B-spline of updates, in the fields' type, interpolated linearly. Without data all
   * samples have the same weight. */
  ResidentImage confidence;
  /** The Gaussian that computes gradients at the image's own pixels, if original images are compared; empty: central
   * differences. */
  std::optional<GaussianDescriptor>  gradient;
  std::vector<TransformChain::Stage> stages; ///< initial transforms, from the virtual domain's space to the image's
};

/** \brief The metrics of deformable registrations by their former names, for one release. */
///@{
using SynMetricKind [[deprecated("MetricKind")]] = MetricKind;
[[deprecated("FieldMetrics")]] inline constexpr auto AllSynMetrics = FieldMetrics;
///@}

/** \brief How two images are compared. */
struct SynMetric : FieldMetricOptions
{
  /** The Gaussian that computes gradients of both images in the middle space, on the virtual grid; empty: central
   * differences. */
  std::optional<GaussianDescriptor> gaussian;
  /** Whether original images are compared: values and gradients are interpolated at the mapped samples of the virtual
   * grid, and images are not resampled to it first (SetDownsampleImagesForMetricDerivatives() is off). Only samples
   * within both images are valid. */
  bool comparesOriginals{ false };
  /** Order of the B-spline that interpolates images when they are warped: 1 or 3; not for original images and
   * features. */
  unsigned int order{ 1 };
};

/** \brief A pair of images and its metric, one of several pairs whose forces are added. */
struct SynTerm
{
  SynSide   fixed;  ///< the fixed image, its mask and its transforms
  SynSide   moving; ///< the moving image, with the pixel type of the fixed one
  SynMetric metric; ///< compares the images
  /** Weight of its force, after all forces are scaled to the same length; the weights of all terms sum to 1. */
  double weight{ 1.0 };
};

/** @} */
} // namespace itk::CudaSpline

#endif
