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
#ifndef CudaSplineResample_Resample_h
#define CudaSplineResample_Resample_h

#include "CommandLine.h"
#include "ErrorStatistics.h"
#include "io/volume/Volume.h"

#include "itkCudaSplineSystem.h"

#include "itkTransformBase.h"

#include <functional>
#include <string>

namespace CudaSplineResample
{

/** \brief The computation. */
struct ResampleRequest
{
  Volume                      input;
  Grid                        outputGrid;
  ScalarType                  outputType{ ScalarType::Float32 };
  itk::TransformBase::Pointer transform; ///< of the dimension of the input, in double precision; null: identity
  InterpolationChoice         interpolation;
  double                      defaultValue{ 0.0 };
  bool                        rounds{ true };      ///< otherwise integers of the output are truncated, as in ITK
  std::string                 device;              ///< "" (automatic), "cpu", a number or several
  unsigned int                expectedImages{ 1 }; ///< images that the process will resample, including this one
  bool                        explain{ false };    ///< only describe what would be done; the input needs no pixels
  std::function<void(double)> progress;            ///< finished fraction

  /** Returns the type of the output's pixels, including the rounding of integers. */
  itk::CudaSpline::StoredType
  GetStoredType() const
  {
    using itk::CudaSpline::IntegerRounding;
    return { outputType, rounds ? IntegerRounding::HalfToEven : IntegerRounding::Truncate };
  }
};

/** \brief The result, its backend, and its times. */
struct ResampleResult
{
  Volume                   output;
  itk::CudaSpline::Backend backend{ itk::CudaSpline::Backend::None };
  std::string              fallbackReason;
  std::string              plan; ///< for requests that only describe: the plan; there are no output and no times
  double                   prepareSeconds{ 0.0 };
  double                   evaluateSeconds{ 0.0 };
};

/** \brief Resamples with itk::CudaResampleImageFilter.
 *
 * The filter is instantiated for three output types per input type: the input's, float and double. Other types are
 * computed in the real type that the filter would use for them, and cast and rounded by the same function. This
 * computes the same bits with a third of the code.
 *
 * \exception itk::ExceptionObject from the filter */
ResampleResult
Resample(const ResampleRequest & request);

/** \brief Resamples with ITK's own classes, in double precision and on the CPU, and compares.
 *
 * \param[in] request the computation; its device is not used. Integers of both are rounded as it specifies.
 * \param[in] output the result to compare
 * \param[in] keepDifference whether to keep the difference of every voxel
 * \exception itk::ExceptionObject from the filter */
Comparison
CompareWithItk(const ResampleRequest & request, const Volume & output, bool keepDifference);

/** \brief Resample() for one input type. It is instantiated once each, in files that CMake writes from
 * ResampleTyped.cxx.in. */
template <typename TInput>
ResampleResult
ResampleTyped(const ResampleRequest & request);

/** \brief Returns the reference of CompareWithItk() for one input type: a volume of doubles. Adds the time in seconds.
 */
template <typename TInput>
Volume
ReferenceTyped(const ResampleRequest & request, double & seconds);

} // namespace CudaSplineResample

#endif
