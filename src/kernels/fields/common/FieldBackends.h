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
#ifndef FieldBackends_h
#define FieldBackends_h

#include "itkCudaSpline/kernels/fields/FieldOperations.h"

/** \file
 * \brief The operations of FieldOperations.h on either backend; their arguments have been checked. */

namespace itk::CudaSpline
{

/** The functions of a backend. */
#define CUDASPLINE_FIELD_BACKEND(Backend)                                                                              \
  void ComposeFieldsOn##Backend(const FieldShape & displacementShape,                                                  \
                                const void *       displacement,                                                       \
                                const FieldShape & warpingShape,                                                       \
                                const void *       warping,                                                            \
                                void *             output,                                                             \
                                const Residence &  residence);                                                          \
  void SmoothFieldOn##Backend(const FieldShape &     shape,                                                            \
                              const void *           input,                                                            \
                              const FieldSmoothing & smoothing,                                                        \
                              void *                 output,                                                           \
                              void *                 scratch,                                                          \
                              const Residence &      residence);                                                            \
  void InvertFieldOn##Backend(const FieldShape &     shape,                                                            \
                              const void *           field,                                                            \
                              void *                 inverse,                                                          \
                              const FieldInversion & rules,                                                            \
                              FieldInversionState *  state,                                                            \
                              void *                 scratch,                                                          \
                              const Residence &      residence);                                                            \
  void FindMaximumNormOn##Backend(                                                                                     \
    const FieldShape & shape, const void * field, double * maximum, void * scratch, const Residence & residence);      \
  void ScaleFieldOn##Backend(const FieldShape & shape,                                                                 \
                             const void *       field,                                                                 \
                             double             length,                                                                \
                             const double *     maximum,                                                               \
                             void *             scaled,                                                                \
                             const Residence &  residence);                                                             \
  void WeighFieldOn##Backend(                                                                                          \
    const FieldShape & shape, void * field, const std::array<double, 3> & weights, const Residence & residence);       \
  void AverageMidpointFieldsOn##Backend(                                                                               \
    const FieldShape & shape, void * first, void * second, const Residence & residence);                               \
  void ResampleFieldOn##Backend(const FieldShape & inputShape,                                                         \
                                const void *       input,                                                              \
                                const FieldShape & outputShape,                                                        \
                                void *             output,                                                             \
                                const Residence &  residence)

CUDASPLINE_FIELD_BACKEND(Cpu);
CUDASPLINE_FIELD_BACKEND(Cuda);
#undef CUDASPLINE_FIELD_BACKEND

/** The largest radius: for variances up to about 9. */
inline constexpr int MaxMarchRadius = 10;

/** The radius of the device kernel that smooths a field along all axes at once; 0: not supported. */
int
MarchRadius(const FieldShape & shape, const FieldSmoothing & smoothing);

} // namespace itk::CudaSpline

#endif
