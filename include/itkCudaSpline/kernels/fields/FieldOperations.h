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
#ifndef itkCudaSpline_kernels_fields_FieldOperations_h
#define itkCudaSpline_kernels_fields_FieldOperations_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include <array>
#include <cstdint>
#include <vector>

/** \file
 * \brief Operations of deformable registration on displacement fields (Residence). All are asynchronous: they do not
 * wait for a device. Pointers are to the memory of the backend. Outputs do not overlap other arguments unless
 * stated. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Composes two fields: out(x) = w(x) + d(x + w(x)), with linear interpolation of d.
 *
 * It is itk::ComposeDisplacementFieldsImageFilter: out(x) = w(x) if x + w(x) is outside d's buffer.
 *
 * \param[in] displacement d
 * \param[in] warping w; the output is on its grid
 * \param[out] output field of warping's shape; it may be \p warping
 * \param[in] displacementShape shape of \c displacement
 * \param[in] warpingShape shape of \c warping and of the output
 * \param[in] residence memory of the backend */
void
ComposeFields(const FieldShape & displacementShape,
              const void *       displacement,
              const FieldShape & warpingShape,
              const void *       warping,
              void *             output,
              const Residence &  residence);

/** \brief Weights of itk::GaussianOperator along each axis of a field, and options for its border. */
struct FieldSmoothing
{
  /** An odd number of weights per axis; the middle one is that of the sample itself. */
  std::array<std::vector<double>, 3> weights;
  bool                               blends{ true }; ///< uses \c share, and sets vectors on the border of the grid to 0
  double                             share{ 1.0 };   ///< share of the smoothed field; the rest is the input
};

/** \brief The smoothing of itk::SyNImageRegistrationMethod and of
 * itk::GaussianSmoothingOnUpdateDisplacementFieldTransform.
 *
 * \param[in] grid grid of the field
 * \param[in] variance variance (samples^2); above 0
 * \param[in] maximumError maximum error of itk::GaussianOperator
 * \param[in] kernelWidth maximum number of weights; 0: the number of samples of each axis */
FieldSmoothing
MakeFieldSmoothing(const FieldGrid & grid, double variance, double maximumError = 0.001, unsigned int kernelWidth = 0);

/** \brief Bytes of scratch memory of SmoothField(): 0 if one kernel smooths all axes.
 *
 * \param[in] shape shape of the field
 * \param[in] smoothing its weights
 * \param[in] backend backend of the memory */
std::size_t
CountSmoothingScratch(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend);

/** \brief Smooths a field along x, then y, then z. The samples at the ends of an axis are repeated outside.
 *
 * \param[in] input the field
 * \param[out] output field of the same shape
 * \param[out] scratch CountSmoothingScratch() bytes, for intermediate results
 * \param[in] shape shape of the field
 * \param[in] smoothing weights, and options for the border
 * \param[in] residence memory of the backend */
void
SmoothField(const FieldShape &     shape,
            const void *           input,
            const FieldSmoothing & smoothing,
            void *                 output,
            void *                 scratch,
            const Residence &      residence);

/** \brief The result of an inversion, in the memory of the backend. */
struct FieldInversionState
{
  /** Mean norm of the error before the last iteration (samples); for Anderson after it. */
  double       meanError{ 0.0 };
  double       maximumError{ 0.0 }; ///< largest norm
  std::int32_t iterations{ 0 };     ///< number of iterations; for Anderson 1, because each sample iterates separately
  std::int32_t isDone{ 0 };         ///< nonzero: an error was below its tolerance
};

/** \brief The iterative methods that invert a field. */
enum class InversionMethod : unsigned char
{
  FixedPoint, ///< that of itk::InvertDisplacementFieldImageFilter, for all samples together
  /** Anderson mixing of the last two steps, for each sample until its error is below the mean tolerance (if that is 0,
   * the maximum one). An error never increases: steps are at most one sample long, or twice the error, and a step that
   * increases the error is halved. */
  Anderson
};

/** \brief Rules of itk::InvertDisplacementFieldImageFilter. */
struct FieldInversion
{
  int             maximumIterations{ 20 };               ///< 0 or more
  double          meanTolerance{ 0.001 };                ///< samples
  double          maximumTolerance{ 0.1 };               ///< samples
  bool            enforcesBoundary{ true };              ///< sets vectors on the border of the grid to 0
  InversionMethod method{ InversionMethod::FixedPoint }; ///< the iterative method
};

/** \brief Bytes of scratch memory of InvertField(). */
std::size_t
CountInversionScratch(const FieldShape & shape);

/** \brief Inverts a field from an initial estimate, with the iteration of itk::InvertDisplacementFieldImageFilter or an
 * accelerated one.
 *
 * The norms are reduced in a fixed order, and the tolerances are tested on the backend: the call is asynchronous.
 *
 * \param[in] shape shape of all fields
 * \param[in] field field to invert
 * \param[in,out] inverse the estimate, then the inverse
 * \param[out] state the result, in the memory of the backend
 * \param[out] scratch CountInversionScratch() bytes
 * \param[in] rules rules of the iteration
 * \param[in] residence memory of the backend */
void
InvertField(const FieldShape &     shape,
            const void *           field,
            void *                 inverse,
            const FieldInversion & rules,
            FieldInversionState *  state,
            void *                 scratch,
            const Residence &      residence);

/** \brief Largest norm of the vectors, in samples: each component is divided by the spacing.
 *
 * \param[out] maximum in the memory of the backend
 * \param[out] scratch MaximumNormScratch bytes
 * \param[in] shape shape of the field
 * \param[in] field field in the memory of the backend
 * \param[in] residence memory of the backend */
void
FindMaximumNorm(const FieldShape & shape,
                const void *       field,
                double *           maximum,
                void *             scratch,
                const Residence &  residence);

/** \brief Bytes of scratch memory of FindMaximumNorm(). */
inline constexpr std::size_t MaximumNormScratch = 65536;

/** \brief Scales a field so that its longest vector has a given length: itk::SyNImageRegistrationMethod's
 * ScaleUpdateField.
 *
 * \param[in] field each component is multiplied by length / maximum, or by \p length if the maximum is 0
 * \param[in] length learning rate (samples)
 * \param[in] maximum result of FindMaximumNorm(), in the memory of the backend
 * \param[out] scaled the scaled field; may be \p field itself
 * \param[in] shape shape of the field
 * \param[in] residence memory of the backend */
void
ScaleField(const FieldShape & shape,
           const void *       field,
           double             length,
           const double *     maximum,
           void *             scaled,
           const Residence &  residence);

/** \brief Multiplies the components of all vectors by a factor for each axis: an optimizer's weights.
 *
 * \param[in,out] field its vectors
 * \param[in] weights factor for each axis
 * \param[in] shape shape of the field
 * \param[in] residence memory of the backend */
void
WeighField(const FieldShape & shape, void * field, const std::array<double, 3> & weights, const Residence & residence);

/** \brief Averages SyN's midpoint gradients: first = first - second, second = -first. */
void
AverageMidpointFields(const FieldShape & shape, void * first, void * second, const Residence & residence);

/** \brief Resamples a field to another grid with linear interpolation, and zero outside, as
 * itk::DisplacementFieldTransformParametersAdaptor does between levels. */
void
ResampleField(const FieldShape & inputShape,
              const void *       input,
              const FieldShape & outputShape,
              void *             output,
              const Residence &  residence);

/** @} */
} // namespace itk::CudaSpline

#endif
