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
#ifndef PublishedPrefilter_h
#define PublishedPrefilter_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <array>
#include <cstdint>

struct CUevent_st;

/** \brief The published prefilter on a device, for comparison: cubic, single precision, in place, one thread per line,
 * axis by axis (PublishedRecursion()). It does not belong to the library. */
class PublishedPrefilter
{
public:
  /** \param[in] size samples per axis, x first
   * \param[in] axis the axis to filter; 3: all axes with more than one sample
   * \param[in] pixels host memory
   * \param[in] context the device
   * \exception DeviceError no memory, or no device */
  PublishedPrefilter(const std::array<std::int64_t, 3> &       size,
                     unsigned int                              axis,
                     const float *                             pixels,
                     const itk::CudaSpline::ExecutionContext & context);
  PublishedPrefilter(const PublishedPrefilter &) = delete;
  PublishedPrefilter &
  operator=(const PublishedPrefilter &) = delete;
  ~PublishedPrefilter();

  /** \brief Filters a fresh copy of the pixels once.
   *
   * \param[in] width threads of a block along the faster of the other two axes. 0: the best for an H200, which is 32 x
   * 1 for rows, whose lines then fit into the L1 cache, and 64 x 8 for the other axes
   * \param[in] height the same along the slower one
   * \return seconds on the device */
  double
  Time(unsigned int width = 0, unsigned int height = 0);

  /** \brief Copies the result of the last run.
   *
   * \param[out] coefficients host memory */
  void
  Read(float * coefficients);

private:
  std::array<std::int64_t, 3>   m_Size;
  unsigned int                  m_Axis;
  itk::CudaSpline::DeviceScope  m_Scope;
  itk::CudaSpline::Stream       m_Stream;
  itk::CudaSpline::DeviceBuffer m_Pixels;
  itk::CudaSpline::DeviceBuffer m_Samples;
  CUevent_st *                  m_Begin{ nullptr };
  CUevent_st *                  m_End{ nullptr };
};

#endif
