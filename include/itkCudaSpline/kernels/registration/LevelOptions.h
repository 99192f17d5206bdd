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
 * \brief Options of the levels of deformable registrations: their rules, two images, and how these are compared. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief How the smoothed forces of an iteration become an update. All of them bound its displacements by
 * SynRules::learningRate. */
enum class FieldOptimizer : unsigned char
{
  FixedStep, ///< the force, scaled so that its longest vector has that length: ITK's
  Momentum,  ///< the running mean of forces whose longest vectors have the length 1; it becomes short where they
             ///< alternate
  Adam       ///< that mean divided by the root of the running mean of the squared lengths, for each sample
};

/** \brief The rules of a level; names and defaults are those of itk::SyNImageRegistrationMethod.
 *
 * Fields are smoothed by a Gaussian, by a spline where there is one (itk::BSplineSyNImageRegistrationMethod), or not at
 * all where there is none and the variance is 0. */
struct SynRules
{
  double                learningRate{ 0.25 };               ///< longest update of an iteration (samples)
  double                updateVariance{ 3.0 };              ///< of the Gaussian that smooths an update (samples^2)
  double                totalVariance{ 0.5 };               ///< of the one that smooths a total field (samples^2)
  bool                  averagesMidpointGradients{ false }; ///< whether both updates are their mean, with two signs
  std::array<double, 3> weights{ { 1.0, 1.0, 1.0 } };       ///< factors of an update by axis
  FieldInversion        inversion;                          ///< of both fields, and of their inverses
  std::optional<FieldSplineFit> updateSpline; ///< that smooths an update, in which samples count as the masks say
  std::optional<FieldSplineFit> totalSpline;  ///< that smooths a total field
  FieldOptimizer                optimizer{ FieldOptimizer::FixedStep }; ///< that makes updates of forces
  /** Updates are shortened where the determinant of the whole transform would exceed this factor, or fall below its
   * reciprocal; above 1. 0: they are not. */
  double determinantLimit{ 0.0 };

  /** Whether a spline smooths something. */
  bool
  SmoothsBySplines() const
  {
    return updateSpline || totalSpline;
  }
  /** True where an iteration does the same. */
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
  double       updateTimeVariance{ 0.25 }; ///< of the Gaussian that smooths updates along time (time points^2)
  double       totalTimeVariance{ 0.0 };   ///< of the one that smooths the velocity along time (time points^2)
};

/** \brief The fields of a level, in the memory of its backend. They outlive the level, so that the next one, the
 * largest so far, is made of them when all else of it is gone. */
class LevelFields;

/** \brief Where the vectors of a field go. */
enum class FieldMemory : unsigned char
{
  Host,     ///< memory of the host, whoever iterated
  Residence ///< memory of the backend that iterated; nothing travels
};

/** \brief Stages whose displacements are in the memory of a residence, for WarpImage().
 *
 * \param[in] stages with displacements in host memory, borrowed on a host, or on the device, borrowed, too
 * \param[in] dimension 2 or 3
 * \param[in] residence where
 * \exception DeviceError out of memory, or a lost device */
std::vector<TransformChain::Stage>
MakeResidentStages(std::vector<TransformChain::Stage> stages, unsigned int dimension, const Residence & residence);

/** \brief The transforms of an image after its field to the middle, its pixels, and its mask. */
struct SynSide
{
  ResidentImage image; ///< smoothed for the level
  ResidentImage mask;  ///< UInt8; without data: there is none
  /** How much samples count in a spline of updates, in numbers of the fields' type, linear between its pixels; without
   * data: they count alike. */
  ResidentImage confidence;
  /** The Gaussian that makes gradients at the image's own pixels, where images are compared as they are; nothing: they
   * are central differences. */
  std::optional<GaussianDescriptor>  gradient;
  std::vector<TransformChain::Stage> stages; ///< from the virtual domain's space to the image's: initial transforms
};

/** \brief The metrics of deformable registrations by their former names, for one release. */
///@{
using SynMetricKind [[deprecated("MetricKind")]] = MetricKind;
[[deprecated("FieldMetrics")]] inline constexpr auto AllSynMetrics = FieldMetrics;
///@}

/** \brief How two images are compared. */
struct SynMetric : FieldMetricOptions
{
  /** Gradients of both images in the middle by Gaussians, whose image is the virtual grid; else central differences. */
  std::optional<GaussianDescriptor> gaussian;
  /** Whether images are compared as they are: their values and gradients are those where the samples of the virtual
   * grid are moved to, not those of images that were moved onto it first (SetDownsampleImagesForMetricDerivatives() is
   * off), and only what lies within both counts. */
  bool comparesOriginals{ false };
  /** Of the B-spline that images are read by where they are moved: 1 or 3; not of originals and features. */
  unsigned int order{ 1 };
};

/** \brief A pair of images that is compared, one of several whose forces are added up. */
struct SynTerm
{
  SynSide   fixed;         ///< the fixed image and what is around it
  SynSide   moving;        ///< the moving one; its pixels have the type of the fixed one's
  SynMetric metric;        ///< how they are compared
  double    weight{ 1.0 }; ///< share of its force, which is as long as any other's; those of all terms have a sum of 1
};

/** @} */
} // namespace itk::CudaSpline

#endif
