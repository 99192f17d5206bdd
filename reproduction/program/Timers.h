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
#ifndef Timers_h
#define Timers_h

#include "Ways.h"

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/** \brief Pixels of a size for timing: hashes of their places in [0, 255), the same in every run, never zeros. Those of
 * the last size are kept. */
const std::vector<float> &
TimingPixels(const std::array<std::int64_t, 3> & size, const itk::CudaSpline::ExecutionContext & context);

/** \brief Runs one prefilter again and again: kernels from device memory to device memory, by the device's clock; on
 * the Cpu backend from host memory to host memory, by the wall clock. */
class PrefilterTimer
{
public:
  /** \param[in] name published (one line per thread, in place), copy (of the volume), cubic or cubic-firN (the
   * library's)
   * \param[in] size samples an axis
   * \param[in] dimension 2 or 3
   * \param[in] axis one axis alone; 3: all of them. On the Cpu backend the library's filter has all axes only.
   * \param[in] context backend, device, threads
   * \exception std::invalid_argument another name, or one axis where there are all only */
  PrefilterTimer(const std::string &                       name,
                 const std::array<std::int64_t, 3> &       size,
                 unsigned int                              dimension,
                 unsigned int                              axis,
                 const itk::CudaSpline::ExecutionContext & context);
  ~PrefilterTimer();

  /** \brief Filters once. \return seconds */
  double
  Run();

  /** Threads of a block of the published filter on a device, by the faster and the slower of the other two axes. */
  void
  SetPublishedBlock(unsigned int width, unsigned int height);

  /** \brief Largest difference of the published filter's coefficients from the library's in double, of the same
   * extension, by the largest coefficient. Of published, all axes, after a run. */
  double
  PublishedError();

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

/** \brief Runs one evaluation again and again, as PrefilterTimer does. */
class EvaluationTimer
{
public:
  /** \param[in] way how
   * \param[in] input size of the input, of TimingPixels()
   * \param[in] dimension 2 or 3
   * \param[in] map from output to input
   * \param[in] output size of the output
   * \param[in] context backend, device, threads */
  EvaluationTimer(const Way &                               way,
                  const std::array<std::int64_t, 3> &       input,
                  unsigned int                              dimension,
                  const IndexMap &                          map,
                  const std::array<std::int64_t, 3> &       output,
                  const itk::CudaSpline::ExecutionContext & context);
  ~EvaluationTimer();

  /** \brief Evaluates once. \return seconds */
  double
  Run();

private:
  class Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

#endif
