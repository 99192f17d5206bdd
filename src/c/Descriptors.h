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
 * \brief Converts the structures of the interface to descriptors of the kernels layer. All functions throw
 * std::invalid_argument with the name of the invalid field. */

namespace itk::CudaSpline
{

/** \brief The type with a number. \param[in] name name of the field */
ScalarType
ScalarTypeOfCode(std::int32_t code, const char * name);

/** \brief The type of an output's numbers, with the rounding of integers.
 *
 * \param[in] type its cudaspline_type
 * \param[in] rounding its cudaspline_rounding
 * \param[in] name name of the structure with the fields output_type and rounding */
StoredType
StoredTypeOfCodes(std::int32_t type, std::int32_t rounding, const std::string & name);

/** \brief The description of a source, without its pixels. */
SourceDescriptor
DescribeImage(const cudaspline_image & image);

/** \brief Describes an interpolation method. */
InterpolationDescriptor
DescribeMethod(const cudaspline_interpolation & from);

/** \brief Stages of transforms. Displacements are borrowed.
 *
 * \param[in] stages,count as given by the caller
 * \param[in] dimension dimension of the images
 * \param[in] name name of their field */
std::vector<TransformChain::Stage>
DescribeStages(const cudaspline_stage * stages, std::int32_t count, unsigned int dimension, const std::string & name);

/** \brief A chain of transforms, including its grids. Displacements are borrowed. \param[in] dimension dimension of the
 * images */
TransformChain
DescribeChain(const cudaspline_resampling & resampling, unsigned int dimension);

/** \brief Describes a resampling. Its scanlines are mapped if they are straight.
 *
 * \param[in] resampling the resampling
 * \param[in] source its source
 * \param[in] host threads that map the scanlines */
ResampleDescription
DescribeResampling(const cudaspline_resampling & resampling,
                   const SourceDescriptor &      source,
                   const ExecutionContext &      host);

/** \brief The execution of a call: threads, progress and results. */
class CallExecution
{
public:
  /** \param[in,out] execution null: defaults, without results */
  explicit CallExecution(cudaspline_execution * execution);

  /** Threads, progress and memory; the backend is not selected. */
  const ExecutionContext &
  GetContext() const
  {
    return m_Context;
  }

  /** A context for arrays and sources on a device: its number, or -1 for the host. */
  ExecutionContext
  ContextOf(std::int32_t device) const;

  /** The user's device option. */
  const char *
  GetWord() const
  {
    return m_Execution->device != nullptr ? m_Execution->device : "";
  }

  /** Writes the backend to the results. */
  void
  Report(const RunRecord & record, std::int32_t pieces = 1);

  /** Writes to the results that an operation ran on the device of its arrays. */
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

/** \brief The source that the interface returns. */
struct cudaspline_source
{
  std::shared_ptr<const itk::CudaSpline::SampleSource> samples; ///< never null
  std::shared_ptr<const void>                          copy;    ///< copy of pixels that are not borrowed; may be null
};

#endif
