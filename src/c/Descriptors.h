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
#ifndef Descriptors_h
#define Descriptors_h

#include "itkCudaSpline/c/CudaSplineC.h"
#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/SamplePoints.h"
#include "itkCudaSpline/kernels/resampling/ResampleJob.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/** \file
 * \brief The structures of the interface as descriptors of the kernels layer. All functions throw
 * std::invalid_argument with the name of the field that cannot be. */

namespace itk::CudaSpline
{

/** \brief The type of a number. \param[in] name of the field */
ScalarType
ScalarTypeOfCode(std::int32_t code, const char * name);

/** \brief The type of an output's numbers, with how integers are rounded.
 *
 * \param[in] type its cudaspline_type
 * \param[in] rounding its cudaspline_rounding
 * \param[in] name of the structure whose fields output_type and rounding these are */
StoredType
StoredTypeOfCodes(std::int32_t type, std::int32_t rounding, const std::string & name);

/** \brief The description of a source, without its pixels. */
SourceDescriptor
DescribeImage(const cudaspline_image & image);

/** \brief How a value is made. */
InterpolationDescriptor
DescribeMethod(const cudaspline_interpolation & from);

/** \brief Stages of transforms. Displacements are borrowed.
 *
 * \param[in] stages,count as the caller gave them
 * \param[in] dimension of the images
 * \param[in] name of the field that has them */
std::vector<TransformChain::Stage>
DescribeStages(const cudaspline_stage * stages, std::int32_t count, unsigned int dimension, const std::string & name);

/** \brief A chain of transforms, its grids included. Displacements are borrowed. \param[in] dimension of the images */
TransformChain
DescribeChain(const cudaspline_resampling & resampling, unsigned int dimension);

/** \brief Describes a resampling. Its scanlines are mapped, where they are straight.
 *
 * \param[in] resampling what is done
 * \param[in] source what it is done with
 * \param[in] host threads that map the scanlines */
ResampleDescription
DescribeResampling(const cudaspline_resampling & resampling,
                   const SourceDescriptor &      source,
                   const ExecutionContext &      host);

/** \brief The execution of a call: threads, progress and results. */
class CallExecution
{
public:
  /** \param[in,out] execution null: defaults, and no results are returned */
  explicit CallExecution(cudaspline_execution * execution);

  /** Threads, progress and memory; the backend is not chosen. */
  const ExecutionContext &
  GetContext() const
  {
    return m_Context;
  }

  /** A context for arrays and sources that are in a place: the number of a device, -1 for the host. */
  ExecutionContext
  ContextOf(std::int32_t device) const;

  /** The user's wish. */
  const char *
  GetWord() const
  {
    return m_Execution->device != nullptr ? m_Execution->device : "";
  }

  /** Writes the backend. */
  void
  Report(const RunRecord & record, std::int32_t pieces = 1);

  /** Writes that an operation ran where its arrays are. */
  void
  Report(std::int32_t device);

private:
  std::chrono::steady_clock::time_point m_Begin{ std::chrono::steady_clock::now() };

  cudaspline_execution            m_Default{};
  cudaspline_execution *          m_Execution;
  std::unique_ptr<ThreadExecutor> m_Host;
  ExecutionContext                m_Context;
};

} // namespace itk::CudaSpline

/** \brief What the interface hands out. */
struct cudaspline_source
{
  std::shared_ptr<const itk::CudaSpline::SampleSource> samples; ///< never null
  std::shared_ptr<const void>                          copy;    ///< of pixels that are not borrowed; may be null
};

#endif
