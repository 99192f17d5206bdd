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
#ifndef itkCudaSpline_itk_ResampleOperation_h
#define itkCudaSpline_itk_ResampleOperation_h

#include "CudaSplineExport.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include <string>

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Describes a resampling for traces and plans: class, pixel types and sizes, method, transform, pieces, and the
 * kernel of a device.
 *
 * \param[in] name name of the class
 * \param[in] size size of the output (TraceSize())
 * \param[in] job the resampling
 * \param[in] plan its plan; null if it has none */
CudaSpline_EXPORT std::string
                  TraceResampling(const std::string &              name,
                                  const std::string &              size,
                                  CudaSpline::ResampleJob &        job,
                                  const CudaSpline::ResamplePlan * plan);

/** \brief A job as an operation for CudaSplineBackend::Run() and Predict().
 *
 * \param[in] job the job, which must outlive the result
 * \param[in] arrays as for CudaSpline::ResampleJob::MakeOperation()
 * \param[in] name, size as for TraceResampling() */
CudaSpline_EXPORT CudaSplineBackend::Operation
                  MakeResampleOperation(CudaSpline::ResampleJob &                      job,
                                        const CudaSpline::ResampleJob::ProvideArrays & arrays,
                                        const std::string &                            name,
                                        const std::string &                            size);

/** @} */
} // namespace itk::CudaSplineDetail

#endif
