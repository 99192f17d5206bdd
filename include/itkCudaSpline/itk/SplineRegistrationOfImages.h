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
#ifndef itkCudaSpline_itk_SplineRegistrationOfImages_h
#define itkCudaSpline_itk_SplineRegistrationOfImages_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/itk/RegistrationLevels.h"
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
 * \brief CudaSpline::SplineRegistration for images, masks and transforms of ITK, on the backend that is done first. */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Puts a B-spline transform onto CudaSpline::MakeSplineNodes(): the grid that all registrations have.
 *
 * ITK's setters go from the domain to the grid and back one after another, and a rounding there decides whether the
 * outermost samples are moved at all.
 *
 * \param[in,out] transform keeps its parameters where it has as many cells already, else has zeros
 * \param[in] image over which it is
 * \param[in] direction of that image
 * \param[in] mesh cells an axis */
template <unsigned int VDimension>
void
SetSplineGrid(BSplineTransform<double, VDimension, 3> *                              transform,
              const CudaSpline::FieldGrid &                                          image,
              const Matrix<double, VDimension, VDimension> &                         direction,
              const typename BSplineTransform<double, VDimension, 3>::MeshSizeType & mesh)
{
  CudaSpline::SplineCells cells{ { 1, 1, 1 } };
  std::copy(mesh.begin(), mesh.end(), cells.begin());
  const CudaSpline::FieldGrid nodes = CudaSpline::MakeSplineNodes(image, cells);
  auto                        numbers = transform->GetFixedParameters();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    numbers[d] = static_cast<double>(nodes.size[d]);
    numbers[VDimension + d] = nodes.origin[d];
    numbers[2 * VDimension + d] = nodes.spacing[d];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      numbers[(3 + d) * VDimension + c] = direction[d][c];
    }
  }
  transform->SetFixedParameters(numbers);
}

/** \brief Brings a B-spline transform to SetSplineGrid() of as many cells or more; see CudaSpline::RefineSpline().
 *
 * \param[in,out] transform moves as before
 * \param[in] image over which it is
 * \param[in] direction of that image
 * \param[in] mesh its new cells
 * \param[in] context whose threads do it */
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

/** \brief The levels of a registration by a B-spline transform.
 *
 * Images stay on a backend from level to level, coefficients within a level. Where a device fails in a level the host
 * continues from the best coefficients that the device has found, or, if it is lost, from those at the beginning of the
 * level.
 *
 * \tparam TPixel float or double
 * \tparam VDimension 2 or 3 */
template <typename TPixel, unsigned int VDimension>
class SplineRegistrationOfImages
  : public RegistrationLevels<TPixel, VDimension, CudaSpline::SplineRegistration, CudaSpline::SplineOptions>
{
public:
  /** What registrations level by level have alike. */
  using Superclass = RegistrationLevels<TPixel, VDimension, CudaSpline::SplineRegistration, CudaSpline::SplineOptions>;
  using Inputs = RegistrationImages<TPixel, VDimension>; ///< what is registered
  using TransformType = typename Inputs::TransformType;  ///< of ITK's transforms
  using Watch = CudaSpline::SplineWatch;                 ///< called after each evaluation, and for the level

  /** Whether a transform may follow: those that the kernels support. */
  static bool
  IsKnown(const TransformType * before)
  {
    CudaSpline::TransformChain chain;
    return before == nullptr || TransformDescriber<VDimension>::Append(before, chain);
  }

  /** \param[in] inputs what is registered; IsKnown() of what comes behind
   * \param[in] options levels, metric, rules
   * \param[in] device see CudaSplineBackend::SetDevice() */
  SplineRegistrationOfImages(const Inputs &                    inputs,
                             const CudaSpline::SplineOptions & options,
                             const std::string &               device)
    : Superclass(inputs, options, device)
  {}

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in,out] transform a B-spline transform with the level's grid, the start of the level, and then its result
   * \param[in] watch called after each evaluation; may be empty
   * \exception ExceptionObject images or a metric that do not fit, an unknown device
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

  /** \brief Brings a transform over the fixed image to the grid of a level; see RefineSplineTransform(). */
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
