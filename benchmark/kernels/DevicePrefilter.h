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
#ifndef DevicePrefilter_h
#define DevicePrefilter_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/Execution.h"

struct CUevent_st;

/** \brief The kernels of the prefilter on data in the memory of a device, and a copy of the same volume.
 *
 * Each run works on a fresh copy of the samples, because the filter amplifies its input each time. The copy is enqueued
 * before the time measurement begins: the device is busy with it while the host enqueues the launches, so the measured
 * time is that of the kernels. The copy also sets the content of the caches, which is then the same for both. If the
 * copy of a volume takes less than the launches (some ten microseconds), they are included in the time.
 *
 * It includes private headers, because the kernels layer has no function for this measurement. */
class DevicePrefilter
{
public:
  /** \param[in] descriptor sizes, order, method; elements like the pixels, float or double
   * \param[in] axis the axis to filter, with more than one sample; MaximumDimension for all of them
   * \param[in] pixels host memory
   * \param[in] context the device
   * \exception DeviceError no memory, or no device */
  DevicePrefilter(const itk::CudaSpline::SourceDescriptor & descriptor,
                  unsigned int                              axis,
                  const void *                              pixels,
                  const itk::CudaSpline::ExecutionContext & context);
  DevicePrefilter(const DevicePrefilter &) = delete;
  DevicePrefilter &
  operator=(const DevicePrefilter &) = delete;
  ~DevicePrefilter();

  /** \brief Filters once.
   *
   * \return seconds on the device */
  double
  TimeFilter();

  /** \brief Copies the volume once.
   *
   * \return seconds on the device */
  double
  TimeCopy();

private:
  template <typename TEnqueue>
  double
  Time(const TEnqueue & enqueue);

  template <typename TReal>
  void
  Filter();

  itk::CudaSpline::SourceDescriptor m_Descriptor;
  unsigned int                      m_Axis;
  itk::CudaSpline::DeviceScope      m_Scope;
  itk::CudaSpline::Stream           m_Stream;
  itk::CudaSpline::DeviceBuffer     m_Pixels;
  itk::CudaSpline::DeviceBuffer     m_Samples;
  itk::CudaSpline::DeviceBuffer     m_Other;
  CUevent_st *                      m_Begin{ nullptr };
  CUevent_st *                      m_End{ nullptr };
};

#endif
