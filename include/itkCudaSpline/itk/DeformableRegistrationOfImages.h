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
#ifndef itkCudaSpline_itk_DeformableRegistrationOfImages_h
#define itkCudaSpline_itk_DeformableRegistrationOfImages_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/itk/RegistrationImages.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/registration/DeformableRegistration.h"

#include "itkDisplacementFieldTransform.h"
#include "itkMultiThreaderBase.h"
#include "itkShrinkImageFilter.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief CudaSpline::DeformableRegistration for ITK's images, masks and transforms, on the backend that is expected to
 * finish first.
 */

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief A registration with displacement fields. All levels are one operation: images and fields stay on one backend.
 *
 * If a device fails the host starts again, and the watch is called again from the first iteration on.
 *
 * \tparam TPixel float or double, the type of images and fields during the iterations
 * \tparam VDimension 2 or 3 */
template <typename TPixel, unsigned int VDimension>
class DeformableRegistrationOfImages
{
public:
  using Inputs = RegistrationImages<TPixel, VDimension>;                ///< the input images, masks and transforms
  using ImageType = typename Inputs::ImageType;                         ///< both images
  using TransformType = DisplacementFieldTransform<double, VDimension>; ///< the result
  using FieldType = typename TransformType::DisplacementFieldType;      ///< its displacements (mm)

  /** \param[in] inputs what is registered
   * \param[in] options levels and rules; the type of the fields is that of the pixels
   * \param[in] device see CudaSplineBackend::SetDevice()
   * \param[in] further additional pairs of images, each with an entry in the options; following transforms are those of
   * the first pair for all
   * \exception ExceptionObject a following transform that the kernels do not support */
  DeformableRegistrationOfImages(const Inputs &                        inputs,
                                 const CudaSpline::DeformableOptions & options,
                                 const std::string &                   device,
                                 std::vector<Inputs>                   further = {})
    : m_Inputs(inputs)
    , m_Further(std::move(further))
    , m_Options(options)
  {
    m_Options.element = CudaSpline::ScalarTypeOf<TPixel>();
    m_Backend.SetDevice(device);
    if (!m_Inputs.Describe(m_MovingChain) || m_MovingChain.stages.size() >= CudaSpline::MaximumWarpStages)
    {
      itkGenericExceptionMacro("The moving initial transform is not supported; it must consist of at most "
                               << CudaSpline::MaximumWarpStages - 1
                               << " linear transforms, B-splines and displacement fields.");
    }
  }

  /** \brief Runs all levels.
   *
   * \param[in] watch called after each iteration; may be empty. Its exceptions are passed on
   * \return a record of each level
   * \exception ExceptionObject images that do not fit their levels, or an unknown device */
  std::vector<CudaSpline::LevelRecord>
  Run(const CudaSpline::RegistrationWatch & watch)
  {
    std::vector<CudaSpline::LevelRecord> records;
    const CudaSpline::FieldGrid          grid = m_Inputs.GetFixedGrid();
    std::size_t                          imageBytes = m_Inputs.CountBytes();
    for (const Inputs & pair : m_Further)
    {
      imageBytes += pair.CountBytes();
    }
    CudaSplineBackend::Operation operation;
    operation.work = [&](int) {
      const auto work = CudaSpline::CountDeformableWork(grid, imageBytes, m_Options);
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&](int device) {
      return CudaSpline::PlanDeformableRegistration(
        grid, CudaSpline::ScalarTypeOf<TPixel>(), imageBytes, m_Options, CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      CudaSpline::ExecutionContext silent = context;
      silent.progress = nullptr; // the watch reports progress instead
      const CudaSpline::Residence      residence(silent);
      std::vector<CudaSpline::SynSide> fixed{ m_Inputs.MakeFixed(residence) };
      std::vector<CudaSpline::SynSide> moving{ m_Inputs.MakeMoving(m_MovingChain, residence) };
      for (const Inputs & pair : m_Further)
      {
        fixed.push_back(pair.MakeFixed(residence));
        moving.push_back(pair.MakeMoving(CudaSpline::TransformChain(), residence));
        moving.back().stages = moving.front().stages;
      }
      CudaSpline::DeformableRegistration registration(std::move(fixed), std::move(moving), m_Options, residence);
      records = registration.Run(watch);
      const auto forward = this->MakeField();
      const auto backward = this->MakeField();
      registration.GetFields(forward->GetBufferPointer(),
                             backward->GetBufferPointer(),
                             CudaSpline::ScalarType::Float64,
                             CudaSpline::FieldMemory::Host);
      m_Transform = TransformType::New();
      m_Transform->SetDisplacementField(forward);
      m_Transform->SetInverseDisplacementField(backward);
    };
    operation.describe = [&] {
      return std::string(CudaSpline::NameOf(m_Options.kind)) + " | " +
             TraceSize(m_Inputs.fixed->GetBufferedRegion().GetSize(), VDimension) + " | " +
             std::to_string(m_Options.levels.size()) + " levels";
    };
    m_Backend.Run(operation, MultiThreaderBase::New(), nullptr);
    return records;
  }

  /** The resulting transform with its inverse, on the grid of the last level; null before Run(). */
  typename TransformType::Pointer
  GetTransform() const
  {
    return m_Transform;
  }

  /** Which backend computed the result, and why an earlier backend did not. */
  const CudaSplineBackend &
  GetBackend() const
  {
    return m_Backend;
  }

private:
  /** A field on the grid of the last level, computed as in ITK. */
  typename FieldType::Pointer
  MakeField() const
  {
    const auto shrink = ShrinkImageFilter<ImageType, ImageType>::New();
    shrink->SetShrinkFactors(m_Options.levels.back().shrink);
    shrink->SetInput(m_Inputs.fixed);
    shrink->UpdateOutputInformation();
    const auto field = FieldType::New();
    field->CopyInformation(shrink->GetOutput());
    field->SetRegions(shrink->GetOutput()->GetLargestPossibleRegion());
    field->Allocate();
    return field;
  }

  Inputs                          m_Inputs;
  std::vector<Inputs>             m_Further;
  CudaSpline::DeformableOptions   m_Options;
  CudaSplineBackend               m_Backend;
  CudaSpline::TransformChain      m_MovingChain; ///< the moving transform
  typename TransformType::Pointer m_Transform;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif
