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
#ifndef CudaSplineTest_SplineRegistrationOfImages_h
#define CudaSplineTest_SplineRegistrationOfImages_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "RegistrationLevels.h"
#include "itkCudaSpline/itk/SplineGrid.h"
#include "itkCudaSpline/kernels/registration/SplineRegistration.h"

#include "itkBSplineTransform.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief CudaSpline::SplineRegistration for ITK's images, masks and transforms, on the backend that is expected to
 * finish first. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Refines a B-spline transform to the grid of SetSplineGrid() with at least as many cells; see
 * CudaSpline::RefineSpline().
 *
 * \param[in,out] transform maps points as before
 * \param[in] image image that the grid covers
 * \param[in] direction direction of that image
 * \param[in] mesh new number of cells per axis
 * \param[in] context threads */
template <unsigned int VDimension>
void
RefineSplineTransform(BSplineTransform<double, VDimension, 3> *                              transform,
                      const CudaSpline::FieldGrid &                                          image,
                      const Matrix<double, VDimension, VDimension> &                         direction,
                      const typename BSplineTransform<double, VDimension, 3>::MeshSizeType & mesh,
                      const CudaSpline::ExecutionContext &                                   context)
{
  if (mesh == transform->GetTransformDomainMeshSize())
  {
    return;
  }
  const auto gridOf = [](const BSplineTransform<double, VDimension, 3> * of) {
    CudaSpline::TransformChain chain;
    TransformDescriber<VDimension>::Append(of, chain);
    chain.stages.at(0).data = nullptr;
    return chain.stages[0];
  };
  const CudaSpline::TransformChain::Stage before = gridOf(transform);
  const auto &                            parameters = transform->GetParameters();
  const std::vector<double>               coefficients(parameters.begin(), parameters.end());
  SetSplineGrid<VDimension>(transform, image, direction, mesh);
  const std::vector<double> refined =
    CudaSpline::RefineSpline(before, coefficients, gridOf(transform), VDimension, context);
  typename BSplineTransform<double, VDimension, 3>::ParametersType found(static_cast<unsigned int>(refined.size()));
  std::copy(refined.begin(), refined.end(), found.begin());
  transform->SetParametersByValue(found);
}

/** \brief The levels of a registration with a B-spline transform.
 *
 * Images stay on a backend between levels, and coefficients within a level. If a device fails in a level, the host
 * continues from the best coefficients found on the device. If the device is lost, the host continues from the
 * coefficients at the beginning of the level.
 *
 * \tparam TPixel float or double
 * \tparam VDimension 2 or 3 */
template <typename TPixel, unsigned int VDimension>
class SplineRegistrationOfImages
  : public RegistrationLevels<TPixel, VDimension, CudaSpline::SplineRegistration, CudaSpline::SplineOptions>
{
public:
  /** Base class of the registrations that run level by level. */
  using Superclass = RegistrationLevels<TPixel, VDimension, CudaSpline::SplineRegistration, CudaSpline::SplineOptions>;
  using Inputs = RegistrationImages<TPixel, VDimension>; ///< the input images, masks and transforms
  using TransformType = typename Inputs::TransformType;  ///< base class of ITK's transforms
  using Watch = CudaSpline::SplineWatch;                 ///< called after each evaluation, with the level

  /** Whether a transform may follow the optimized one: it must be supported by the kernels. */
  static bool
  IsKnown(const TransformType * before)
  {
    CudaSpline::TransformChain chain;
    return before == nullptr || TransformDescriber<VDimension>::Append(before, chain);
  }

  /** \param[in] inputs the input images, masks and transforms; IsKnown() must be true for the transform that follows
   * \param[in] options levels, metric and rules
   * \param[in] device see CudaSplineBackend::SetDevice() */
  SplineRegistrationOfImages(const Inputs &                    inputs,
                             const CudaSpline::SplineOptions & options,
                             const std::string &               device)
    : Superclass(inputs, options, device)
  {}

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in,out] transform a B-spline transform with the level's grid: the initial transform, then the result
   * \param[in] watch called after each evaluation; may be empty
   * \exception ExceptionObject images or a metric that do not fit, or an unknown device
   * \exception std::invalid_argument a transform other than a B-spline transform of order 1 to 3 */
  CudaSpline::SplineRecord
  RunLevel(std::size_t level, TransformType * transform, const Watch & watch)
  {
    CudaSpline::TransformChain chain;
    if (!TransformDescriber<VDimension>::Append(transform, chain) || chain.stages.size() != 1 ||
        chain.stages[0].kind != CudaSpline::TransformKind::BSpline)
    {
      throw std::invalid_argument("A level of a B-spline registration needs a B-spline transform of order 1 to 3.");
    }
    CudaSpline::TransformChain::Stage spline = chain.stages[0];
    const auto &                      parameters = transform->GetParameters();
    std::vector<double>               coefficients(parameters.begin(), parameters.end());
    spline.data = nullptr;
    CudaSpline::SplineRecord     record;
    unsigned int                 done = 0;
    const std::size_t            imageBytes = m_Inputs.CountBytes();
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      return this->CountLevels(level, [&](std::size_t number, std::size_t bytes) {
        return CudaSpline::CountSplineRegistrationWork(spline, m_FixedGrid, m_MovingGrid, m_Options, number, bytes);
      });
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanSplineRegistration(spline,
                                                m_FixedGrid,
                                                m_MovingGrid,
                                                CudaSpline::ScalarTypeOf<TPixel>(),
                                                m_Options,
                                                level,
                                                imageBytes,
                                                CudaSpline::AvailableDeviceMemory(device));
    };
    const auto look = [&](std::size_t of, const CudaSpline::LbfgsEvaluation & evaluation) {
      done = evaluation.number;
      return !watch || watch(of, evaluation);
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      this->RunOn(context, [&](const auto & registration) {
        record = registration.RunLevel(level, spline, coefficients, look, done);
      });
    };
    operation.describe = [&] {
      return "B-spline of " + std::to_string(coefficients.size()) + ", level " + std::to_string(level);
    };
    m_Backend.Run(operation, m_Threader, nullptr);
    typename TransformType::ParametersType found(static_cast<unsigned int>(coefficients.size()));
    std::copy(coefficients.begin(), coefficients.end(), found.begin());
    transform->SetParametersByValue(found);
    return record;
  }

  /** \brief Refines a transform over the fixed image to the grid of a level; see RefineSplineTransform(). */
  void
  Refine(BSplineTransform<double, VDimension, 3> *                              transform,
         const typename BSplineTransform<double, VDimension, 3>::MeshSizeType & mesh) const
  {
    CudaSpline::ExecutionContext context;
    context.host = &m_Executor;
    RefineSplineTransform<VDimension>(transform, m_FixedGrid, m_Inputs.fixed->GetDirection(), mesh, context);
  }

private:
  using Superclass::m_Executor;
  using Superclass::m_Backend;
  using Superclass::m_FixedGrid;
  using Superclass::m_Inputs;
  using Superclass::m_MovingGrid;
  using Superclass::m_Options;
  using Superclass::m_Threader;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
