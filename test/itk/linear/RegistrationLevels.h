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
#ifndef CudaSplineTest_RegistrationLevels_h
#define CudaSplineTest_RegistrationLevels_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "RegistrationImages.h"
#include "itkCudaSpline/kernels/common/Residence.h"

#include "itkMultiThreaderBase.h"

#include <cstddef>
#include <memory>
#include <string>

/** \file
 * \brief The common base class of registrations that run ITK's images level by level, for any kind of transform. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Keeps a registration of the kernels, with its images, on the backend on which the levels run.
 *
 * \tparam TPixel float or double
 * \tparam VDimension 2 or 3
 * \tparam TRegistration CudaSpline::LinearRegistration or CudaSpline::SplineRegistration
 * \tparam TOptions its options */
template <typename TPixel, unsigned int VDimension, typename TRegistration, typename TOptions>
class RegistrationLevels
{
public:
  using Inputs = RegistrationImages<TPixel, VDimension>; ///< the input images, masks and transforms

  /** Which backend computed the last level, and why an earlier backend did not. */
  const CudaSplineBackend &
  GetBackend() const
  {
    return m_Backend;
  }

protected:
  /** \param[in] inputs the input images, masks and transforms
   * \param[in] options levels, metric and rules
   * \param[in] device see CudaSplineBackend::SetDevice() */
  RegistrationLevels(const Inputs & inputs, const TOptions & options, const std::string & device)
    : m_Inputs(inputs)
    , m_Options(options)
    , m_Threader(MultiThreaderBase::New())
    , m_Executor(m_Threader)
    , m_FixedGrid(inputs.GetFixedGrid())
    , m_MovingGrid(inputs.GetMovingGrid())
  {
    m_Backend.SetDevice(device);
    m_Inputs.Describe(m_MovingChain);
  }

  /** \brief The work of a level, and the similar work of the levels that follow.
   *
   * \param[in] level its number
   * \param[in] count work of a level, as a function of its number and the bytes of its images */
  template <typename TCount>
  CudaSpline::BackendWork
  CountLevels(std::size_t level, const TCount & count) const
  {
    const std::size_t       imageBytes = m_Inputs.CountBytes();
    CudaSpline::BackendWork work{ count(level, imageBytes), count(level, imageBytes) };
    work.further = count(level, std::size_t(0));
    double sums = 0.0;
    for (std::size_t next = level; next < m_Options.levels.size(); ++next)
    {
      sums += count(next, std::size_t(0)).sums;
    }
    work.calls = work.further->sums > 0.0 ? sums / work.further->sums : 1.0;
    return work;
  }

  /** \brief Runs a level on a backend. If a device fails, the registration and its images are released.
   *
   * \param[in] context context of the backend
   * \param[in] run callable that receives the registration on the backend */
  template <typename TRun>
  void
  RunOn(const CudaSpline::ExecutionContext & context, const TRun & run)
  {
    try
    {
      run(this->Provide(context));
    }
    catch (const CudaSpline::DeviceError &)
    {
      m_Registration.reset();
      throw;
    }
  }

  Inputs                     m_Inputs;     ///< the input images, masks and transforms
  TOptions                   m_Options;    ///< levels, metric and rules
  MultiThreaderBase::Pointer m_Threader;   ///< threads of the host
  CudaSplineHostExecutor     m_Executor;   ///< runs the host's loops on m_Threader
  CudaSplineBackend          m_Backend;    ///< chooses for each level
  CudaSpline::FieldGrid      m_FixedGrid;  ///< grid of the fixed image, or of the virtual domain
  CudaSpline::FieldGrid      m_MovingGrid; ///< grid of the moving image

private:
  const TRegistration &
  Provide(const CudaSpline::ExecutionContext & context)
  {
    if (m_Registration == nullptr || context.backend != m_Where.backend || context.device != m_Where.device)
    {
      m_Where = context;
      m_Where.host = &m_Executor; // exists as long as the registration
      m_Where.progress = nullptr;
      const CudaSpline::Residence residence(m_Where);
      m_Registration = std::make_unique<TRegistration>(
        m_Inputs.MakeFixed(residence), m_Inputs.MakeMoving(m_MovingChain, residence), m_Options, residence);
    }
    return *m_Registration;
  }

  CudaSpline::TransformChain     m_MovingChain; ///< the moving transform
  CudaSpline::ExecutionContext   m_Where;       ///< context of the registration
  std::unique_ptr<TRegistration> m_Registration;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
