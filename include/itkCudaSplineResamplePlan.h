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
#ifndef itkCudaSplineResamplePlan_h
#define itkCudaSplineResamplePlan_h

#include "CudaSplineExport.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineResamplePlan
 * \brief Describes an update of CudaResampleImageFilter before anything is allocated.
 *
 * \ingroup CudaSpline */
class CudaSpline_EXPORT CudaSplineResamplePlan
{
public:
  std::string         operation;                            ///< what it is, as in the trace
  CudaSpline::Backend backend{ CudaSpline::Backend::None }; ///< who does it
  std::string         reason;                               ///< why it is not an earlier backend
  std::vector<int>    devices;                              ///< of Cuda: those that share the work
  std::size_t         pieces{ 1 };                          ///< boxes of the output that are done one after the other
  std::int64_t        slabs{ 0 };                           ///< of Cuda: parts of the output that travel by themselves
  std::size_t         deviceBytes{ 0 };                     ///< of Cuda: the most that a device holds at one time
  std::size_t         uploadBytes{ 0 };                     ///< of Cuda: what travels to the devices
  std::size_t         downloadBytes{ 0 };                   ///< of Cuda: what travels back
  double              seconds{ 0.0 }; ///< estimate by the speeds of this machine; 0 for Superclass

  /** \brief Plans a job as an update would.
   *
   * \param[in] job the job
   * \param[in] backend the choice of the backend
   * \param[in] threads threads of the host
   * \param[in] name, size as for CudaSplineDetail::TraceResampling()
   * \exception ExceptionObject an unknown device */
  void
  Describe(CudaSpline::ResampleJob & job,
           const CudaSplineBackend & backend,
           unsigned int              threads,
           const std::string &       name,
           const std::string &       size);
};

/** Prints a plan, a line for each thing that there is to say. */
CudaSpline_EXPORT std::ostream &
                  operator<<(std::ostream & stream, const CudaSplineResamplePlan & plan);

} // namespace itk

#endif
