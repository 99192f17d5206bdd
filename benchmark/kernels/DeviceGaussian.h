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
#ifndef DeviceGaussian_h
#define DeviceGaussian_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"

struct CUevent_st;

/** \brief The kernels of recursive Gaussians on floats in the memory of a device.
 *
 * It includes private headers, because the kernels layer has no function for this measurement. */
class DeviceGaussian
{
public:
  /** \param[in] descriptor sizes and sigmas; pixels and output are floats
   * \param[in] pixels host memory
   * \param[in] context the device
   * \exception DeviceError no memory, or no device */
  DeviceGaussian(const itk::CudaSpline::GaussianDescriptor & descriptor,
                 const void *                                pixels,
                 const itk::CudaSpline::ExecutionContext &   context);
  DeviceGaussian(const DeviceGaussian &) = delete;
  DeviceGaussian &
  operator=(const DeviceGaussian &) = delete;
  ~DeviceGaussian();

  /** \brief Smooths once, into another volume.
   *
   * \return seconds on the device */
  double
  TimeSmoothing();

  /** \brief Filters the planes of a gradient once.
   *
   * \return seconds on the device */
  double
  TimeGradient();

private:
  template <typename TEnqueue>
  double
  Time(const TEnqueue & enqueue);

  itk::CudaSpline::GaussianDescriptor m_Descriptor;
  itk::CudaSpline::DeviceScope        m_Scope;
  itk::CudaSpline::Stream             m_Stream;
  itk::CudaSpline::DeviceBuffer       m_Samples;
  itk::CudaSpline::DeviceBuffer       m_Planes;
  itk::CudaSpline::DeviceBuffer       m_Notes;
  CUevent_st *                        m_Begin{ nullptr };
  CUevent_st *                        m_End{ nullptr };
};

#endif
