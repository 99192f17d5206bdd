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
 * \brief What deformable registration does to fields of displacements, step by step (Residence): nothing here waits for
 * a device. Pointers are in the memory of the residence; fields that are written overlap no other argument unless
 * stated. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Composes two fields: out(x) = w(x) + d(x + w(x)), d linear between its samples.
 *
 * itk::ComposeDisplacementFieldsImageFilter: where x + w(x) is outside of d's buffer, w(x) alone.
 *
 * \param[in] displacement d, and where its samples are
 * \param[in] warping w; the output is on its grid
 * \param[out] output of warping's shape; it may be \p warping
 * \param[in] displacementShape of \c displacement
 * \param[in] warpingShape of \c warping and of the output
 * \param[in] residence where */
void
ComposeFields(const FieldShape & displacementShape,
              const void *       displacement,
              const FieldShape & warpingShape,
              const void *       warping,
              void *             output,
              const Residence &  residence);

/** \brief Weights of itk::GaussianOperator along each axis of a field, and what is done at its border. */
struct FieldSmoothing
{
  std::array<std::vector<double>, 3> weights; ///< an odd number of them an axis; the middle one is the sample's own
  bool                               blends{ true }; ///< see \c share; and vectors on the border of the grid become 0
  double                             share{ 1.0 };   ///< of the smoothed field; the rest is the field as it was
};

/** \brief The smoothing of itk::SyNImageRegistrationMethod and of
 * itk::GaussianSmoothingOnUpdateDisplacementFieldTransform.
 *
 * \param[in] grid of the field
 * \param[in] variance in samples; above 0
 * \param[in] maximumError of itk::GaussianOperator
 * \param[in] kernelWidth most weights; 0: the samples of each axis */
FieldSmoothing
MakeFieldSmoothing(const FieldGrid & grid, double variance, double maximumError = 0.001, unsigned int kernelWidth = 0);

/** \brief Bytes of scratch memory of SmoothField(): 0 where a kernel smooths all axes in one go.
 *
 * \param[in] shape of the field
 * \param[in] smoothing its weights
 * \param[in] backend whose memory it is */
std::size_t
CountSmoothingScratch(const FieldShape & shape, const FieldSmoothing & smoothing, Backend backend);

/** \brief Smooths a field along x, then y, then z, with the samples at the ends repeated outside.
 *
 * \param[in] input the field
 * \param[out] output of the same shape
 * \param[out] scratch CountSmoothingScratch() bytes, for what stands between
 * \param[in] shape of the field
 * \param[in] smoothing weights, and what is done at the border
 * \param[in] residence where */
void
SmoothField(const FieldShape &     shape,
            const void *           input,
            const FieldSmoothing & smoothing,
            void *                 output,
            void *                 scratch,
            const Residence &      residence);

/** \brief What an inversion came to, in the memory of the backend. */
struct FieldInversionState
{
  double       meanError{ 0.0 };    ///< mean norm of the error before the last iteration (samples); Anderson: after it
  double       maximumError{ 0.0 }; ///< largest one
  std::int32_t iterations{ 0 };     ///< that were made; Anderson: 1, as each sample makes its own
  std::int32_t isDone{ 0 };         ///< not 0: an error was below its tolerance
};

/** \brief The iterations that invert a field. */
enum class InversionMethod : unsigned char
{
  FixedPoint, ///< those of itk::InvertDisplacementFieldImageFilter, of all samples together
  /** Anderson mixing of the last two steps, of each sample until its error is below the mean tolerance (if that is 0,
   * the maximum one). An error never increases: steps are at most a sample long, or twice the error, and one that
   * increases the error is halved. */
  Anderson
};

/** \brief Rules of itk::InvertDisplacementFieldImageFilter. */
struct FieldInversion
{
  int             maximumIterations{ 20 };               ///< 0 or more
  double          meanTolerance{ 0.001 };                ///< samples
  double          maximumTolerance{ 0.1 };               ///< samples
  bool            enforcesBoundary{ true };              ///< vectors on the border of the grid become 0
  InversionMethod method{ InversionMethod::FixedPoint }; ///< the iterations
};

/** \brief Bytes of scratch memory of InvertField(). */
std::size_t
CountInversionScratch(const FieldShape & shape);

/** \brief Inverts a field, from an estimate, by itk::InvertDisplacementFieldImageFilter's iteration or an accelerated
 * one.
 *
 * The norms are reduced in a fixed order, and the tolerances are compared where the field is, so nothing waits.
 *
 * \param[in] shape of all fields
 * \param[in] field that is inverted
 * \param[in,out] inverse the estimate, then the inverse
 * \param[out] state what it came to; memory of the backend
 * \param[out] scratch CountInversionScratch() bytes
 * \param[in] rules of the iteration
 * \param[in] residence where */
void
InvertField(const FieldShape &     shape,
            const void *           field,
            void *                 inverse,
            const FieldInversion & rules,
            FieldInversionState *  state,
            void *                 scratch,
            const Residence &      residence);

/** \brief Largest norm of the vectors, in samples: spacing divided out.
 *
 * \param[out] maximum memory of the backend
 * \param[out] scratch MaximumNormScratch bytes
 * \param[in] shape of the field
 * \param[in] field memory of the backend
 * \param[in] residence where */
void
FindMaximumNorm(const FieldShape & shape,
                const void *       field,
                double *           maximum,
                void *             scratch,
                const Residence &  residence);

/** \brief Bytes of scratch memory of FindMaximumNorm(). */
inline constexpr std::size_t MaximumNormScratch = 65536;

/** \brief Scales a field so that its longest vector has a length: itk::SyNImageRegistrationMethod's ScaleUpdateField.
 *
 * \param[in] field of which each number is multiplied by length / maximum, or by \p length where the maximum is 0
 * \param[in] length learning rate (samples)
 * \param[in] maximum of FindMaximumNorm(); memory of the backend
 * \param[out] scaled the field that comes of it; may be \p field itself
 * \param[in] shape of the field
 * \param[in] residence where */
void
ScaleField(const FieldShape & shape,
           const void *       field,
           double             length,
           const double *     maximum,
           void *             scaled,
           const Residence &  residence);

/** \brief Multiplies the numbers of all vectors by a factor an axis: an optimizer's weights.
 *
 * \param[in,out] field its vectors
 * \param[in] weights by axis
 * \param[in] shape of the field
 * \param[in] residence where */
void
WeighField(const FieldShape & shape, void * field, const std::array<double, 3> & weights, const Residence & residence);

/** \brief first = first - second, second = -first: the average of SyN's midpoint gradients. */
void
AverageMidpointFields(const FieldShape & shape, void * first, void * second, const Residence & residence);

/** \brief A field on another grid, linear between its samples, zero outside: what
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
