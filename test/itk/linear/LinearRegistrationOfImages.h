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
#ifndef CudaSplineTest_LinearRegistrationOfImages_h
#define CudaSplineTest_LinearRegistrationOfImages_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "RegistrationLevels.h"
#include "itkCudaSpline/kernels/registration/LinearRegistration.h"

#include "itkMatrixOffsetTransformBase.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

/** \file
 * \brief CudaSpline::LinearRegistration for ITK's images, masks and transforms, on the backend that is expected to
 * finish first. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The levels of a registration with a linear transform.
 *
 * Images stay on a backend between levels. If a device fails in a level, the host continues after the last completed
 * iteration.
 *
 * \tparam TPixel float or double
 * \tparam VDimension 2 or 3 */
template <typename TPixel, unsigned int VDimension>
class LinearRegistrationOfImages
  : public RegistrationLevels<TPixel, VDimension, CudaSpline::LinearRegistration, CudaSpline::LinearOptions>
{
public:
  /** Base class of the registrations that run level by level. */
  using Superclass = RegistrationLevels<TPixel, VDimension, CudaSpline::LinearRegistration, CudaSpline::LinearOptions>;
  using Inputs = RegistrationImages<TPixel, VDimension>; ///< the input images, masks and transforms
  using ImageType = typename Inputs::ImageType;          ///< both images
  using TransformType = typename Inputs::TransformType;  ///< base class of ITK's transforms
  /** Receives each iteration and its level. Returns false to stop with the best transform so far. */
  using Watch = std::function<bool(std::size_t level, const CudaSpline::LinearIteration & iteration)>;

  /** Whether a transform may follow the optimized one: it must be linear and supported by the kernels. */
  static bool
  IsKnown(const TransformType * before)
  {
    CudaSpline::TransformChain chain;
    return before == nullptr || (before->IsLinear() && TransformDescriber<VDimension>::Append(before, chain));
  }

  /** \param[in] inputs the input images, masks and transforms; IsKnown() must be true for the transform that follows
   * \param[in] kind kind of the transform
   * \param[in] transform initial transform, of ITK's class for that kind (see CudaSpline::LinearKind)
   * \param[in] options levels, metric and rules
   * \param[in] device see CudaSplineBackend::SetDevice() */
  LinearRegistrationOfImages(const Inputs &                    inputs,
                             CudaSpline::LinearKind            kind,
                             const TransformType *             transform,
                             const CudaSpline::LinearOptions & options,
                             const std::string &               device)
    : Superclass(inputs, options, device)
    , m_Transform(kind, VDimension, CentreOf(transform))
  {
    CudaSpline::LinearTransform::Parameters parameters{};
    const auto &                            ofItk = transform->GetParameters();
    std::copy_n(ofItk.begin(), std::min<std::size_t>(ofItk.Size(), parameters.size()), parameters.begin());
    m_Transform.SetParameters(parameters);
  }

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in] watch called after each iteration; may be empty
   * \exception ExceptionObject images or a metric that do not fit, or an unknown device */
  CudaSpline::LinearRecord
  RunLevel(std::size_t level, const Watch & watch)
  {
    CudaSpline::LinearRecord     record;
    unsigned int                 done = 0;
    const std::size_t            imageBytes = m_Inputs.CountBytes();
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      return this->CountLevels(level, [&](std::size_t number, std::size_t bytes) {
        return CudaSpline::CountLinearRegistrationWork(m_FixedGrid, m_MovingGrid, m_Options, number, bytes);
      });
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanLinearRegistration(m_FixedGrid,
                                                m_MovingGrid,
                                                CudaSpline::ScalarTypeOf<TPixel>(),
                                                m_Options,
                                                level,
                                                imageBytes,
                                                CudaSpline::AvailableDeviceMemory(device));
    };
    const auto look = [&](std::size_t of, const CudaSpline::LinearIteration & iteration, const auto &) {
      done = iteration.number;
      return !watch || watch(of, iteration);
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      this->RunOn(context,
                  [&](const auto & registration) { record = registration.RunLevel(level, m_Transform, look, done); });
    };
    operation.describe = [&] {
      return std::string(NameOf(m_Transform.GetKind())) + ", level " + std::to_string(level);
    };
    m_Backend.Run(operation, m_Threader, nullptr);
    return record;
  }

  /** The transform found so far. */
  const CudaSpline::LinearTransform &
  GetTransform() const
  {
    return m_Transform;
  }

  /** Sets ITK's transform to the transform found. */
  void
  CopyTo(TransformType * transform) const
  {
    typename TransformType::ParametersType parameters(transform->GetNumberOfParameters());
    std::copy_n(m_Transform.GetParameters().begin(), parameters.Size(), parameters.begin());
    transform->SetParametersByValue(parameters);
  }

private:
  static CudaSpline::LinearTransform::Vector
  CentreOf(const TransformType * transform)
  {
    CudaSpline::LinearTransform::Vector centre{};
    if (const auto * const linear =
          dynamic_cast<const MatrixOffsetTransformBase<double, VDimension, VDimension> *>(transform))
    {
      std::copy_n(linear->GetCenter().Begin(), VDimension, centre.begin());
    }
    return centre;
  }

  using Superclass::m_Backend;
  using Superclass::m_FixedGrid;
  using Superclass::m_Inputs;
  using Superclass::m_MovingGrid;
  using Superclass::m_Options;
  using Superclass::m_Threader;

  CudaSpline::LinearTransform m_Transform;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
