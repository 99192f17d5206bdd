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
#ifndef DeviceEvaluation_h
#define DeviceEvaluation_h

#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include <memory>

struct CUevent_st;
namespace itk::CudaSpline
{
class GatherTexture;
struct MapTiles;
} // namespace itk::CudaSpline

/** \brief The evaluation kernels from a source on a device to memory of the device. The time excludes transfers.
 *
 * It includes private headers, because the kernels layer has no function for this measurement. */
class DeviceEvaluation
{
public:
  /** \param[in] descriptor the evaluation; its scanline ends are copied to the device
   * \param[in] derivatives derivatives that are evaluated in addition to the value
   * \param[in] source source on the context's device; kept
   * \param[in] context the device
   * \exception DeviceError no memory, or no device */
  DeviceEvaluation(const itk::CudaSpline::ResampleDescriptor &                  descriptor,
                   itk::CudaSpline::Derivatives                                 derivatives,
                   const std::shared_ptr<const itk::CudaSpline::SampleSource> & source,
                   const itk::CudaSpline::ExecutionContext &                    context);
  DeviceEvaluation(const DeviceEvaluation &) = delete;
  DeviceEvaluation &
  operator=(const DeviceEvaluation &) = delete;
  ~DeviceEvaluation();

  /** \brief Evaluates once. \return seconds on the device */
  double
  Time();

private:
  template <unsigned int VDimension>
  void
  Enqueue();

  itk::CudaSpline::ResampleDescriptor                  m_Descriptor;
  std::unique_ptr<const itk::CudaSpline::MapTiles>     m_Tiles;
  itk::CudaSpline::Derivatives                         m_Derivatives;
  std::shared_ptr<const itk::CudaSpline::SampleSource> m_Source;
  const itk::CudaSpline::GatherTexture *               m_Gathered{ nullptr };
  itk::CudaSpline::DeviceScope                         m_Scope;
  itk::CudaSpline::Stream                              m_Stream;
  itk::CudaSpline::DeviceBuffer                        m_Ends;
  itk::CudaSpline::DeviceBuffer                        m_Alphas;
  itk::CudaSpline::DeviceBuffer                        m_Values;
  itk::CudaSpline::DeviceBuffer                        m_Gradients;
  CUevent_st *                                         m_Begin{ nullptr };
  CUevent_st *                                         m_End{ nullptr };
};

#endif
