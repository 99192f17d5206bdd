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
#ifndef CudaSplineRegister_Deformation_hxx
#define CudaSplineRegister_Deformation_hxx

#include "registration/Deformation.h"

#include "console/DeviceOption.h"
#include "console/Error.h"
#include "registration/StageTransforms.h"
#include "io/transforms/FieldTransform.h"
#include "io/transforms/TransformInput.h"

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/TransformDescriber.h"
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"
#include "itkCudaTransformToDisplacementFieldFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkDisplacementFieldTransform.h"
#include "itkMultiThreaderBase.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <memory>
#include <string>

namespace CudaSplineRegister
{

template <typename TPixel, unsigned int VDimension>
Volume
DeformationOf<TPixel, VDimension>::Warp(const Volume &              image,
                                        const Grid &                grid,
                                        const itk::TransformBase *  transform,
                                        double                      outside,
                                        const DeformationSettings & settings)
{
  using ImageType = itk::Image<TPixel, VDimension>;
  const auto filter = itk::CudaResampleImageFilter<ImageType, ImageType>::New();
  const auto output = ImageType::New();
  SetGeometry<VDimension>(grid, output);
  filter->SetInput(ViewAsImage<ImageType>(image));
  filter->SetOutputParametersFromImage(output);
  filter->SetTransform(dynamic_cast<const typename StageTransforms<VDimension>::Base *>(transform));
  filter->SetDefaultPixelValue(static_cast<TPixel>(outside));
  if (settings.isLabels)
  {
    filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<ImageType, double>::New());
  }
  else if (settings.order > 1)
  {
    const auto spline = itk::BSplineInterpolateImageFunction<ImageType, double, double>::New();
    spline->SetSplineOrder(settings.order);
    filter->SetInterpolator(spline);
  }
  filter->SetDevice(settings.device);
  filter->Update();
  CheckDeviceDid(filter->GetLastBackend(), filter->GetFallbackReason(), settings.device, "the warped image");
  return HoldImage(filter->GetOutput(), grid);
}

template <typename TPixel, unsigned int VDimension>
itk::TransformBase::Pointer
DeformationOf<TPixel, VDimension>::Invert(const itk::TransformBase * transform, const Grid & fixed)
{
  using Transforms = StageTransforms<VDimension>;
  using Base = typename Transforms::Base;
  using Field = typename Transforms::Field;
  using FieldImage = typename Field::DisplacementFieldType;

  const auto invertOne = [&](const Base * one) -> typename Base::Pointer {
    if (const auto * const field = dynamic_cast<const Field *>(one);
        field != nullptr && field->GetInverseDisplacementField() != nullptr)
    {
      const auto inverse = Field::New();
      inverse->SetDisplacementField(const_cast<FieldImage *>(field->GetInverseDisplacementField()));
      inverse->SetInverseDisplacementField(const_cast<FieldImage *>(field->GetDisplacementField()));
      return inverse.GetPointer();
    }
    itk::CudaSpline::InverseAccuracy accuracy;
    typename Base::Pointer           inverse =
      one->IsLinear() ? one->GetInverseTransform() : InvertByIteration<VDimension>(one, fixed, accuracy);
    if (inverse.IsNull())
    {
      throw ProgramError(std::string("the transform of the registration has a component (") + one->GetNameOfClass() +
                         ") without an inverse");
    }
    if (accuracy.largest > accuracy.limit)
    {
      Warn("the inverse of the transform was computed by iteration and is inaccurate: the error is " +
           Brief(accuracy.mean) + " mm on average and at most " + Brief(accuracy.largest) +
           " mm, where the transform folds space or maps points out of its domain");
    }
    return MakeReadable<VDimension>(inverse.GetPointer());
  };

  const auto * const base = dynamic_cast<const Base *>(transform);
  const auto * const composite = dynamic_cast<const typename Transforms::Composite *>(base);
  if (composite == nullptr)
  {
    return invertOne(base).GetPointer();
  }
  const auto whole = Transforms::Composite::New();
  for (itk::SizeValueType number = composite->GetNumberOfTransforms(); number-- > 0;)
  {
    whole->AddTransform(invertOne(composite->GetNthTransformConstPointer(number)));
  }
  return whole.GetPointer();
}

/** Appends a transform to a chain as a registration has it: inverses of grids are those of the pipeline, which may
 * differ from ITK's in the last bit. Returns false if the kernels do not support it. */
template <unsigned int VDimension>
bool
AppendAsRegistered(const typename StageTransforms<VDimension>::Base * transform,
                   itk::CudaSpline::TransformChain &                  chain)
{
  if (const auto * const composite = dynamic_cast<const typename StageTransforms<VDimension>::Composite *>(transform))
  {
    for (itk::SizeValueType number = composite->GetNumberOfTransforms(); number-- > 0;)
    {
      if (!AppendAsRegistered<VDimension>(composite->GetNthTransformConstPointer(number), chain))
      {
        return false;
      }
    }
    return true;
  }
  const std::size_t count = chain.stages.size();
  if (!itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(transform, chain))
  {
    return false;
  }
  if (chain.stages.size() > count && chain.stages.back().kind != itk::CudaSpline::TransformKind::Affine)
  {
    const auto &                       numbers = transform->GetFixedParameters(); // size, origin, spacing, direction
    itk::CudaSpline::FieldGrid::Matrix matrix{};
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        matrix[r][c] = numbers[(3 + r) * VDimension + c] * numbers[2 * VDimension + c];
      }
    }
    chain.stages.back().pointToIndex = itk::CudaSpline::InvertGridMatrix(matrix, VDimension);
  }
  return true;
}

template <typename TPixel, unsigned int VDimension>
itk::DataObject::Pointer
DeformationOf<TPixel, VDimension>::MakeField(const itk::TransformBase *  transform,
                                             const Grid &                grid,
                                             const DeformationSettings & settings)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  const auto field = FieldType::New();
  SetGeometry<VDimension>(grid, field);
  const auto * const              base = dynamic_cast<const typename StageTransforms<VDimension>::Base *>(transform);
  const std::string               name = "the field";
  itk::CudaSpline::TransformChain chain;
  if (AppendAsRegistered<VDimension>(base, chain))
  {
    field->Allocate();
    const itk::CudaSplineHostExecutor host(itk::MultiThreaderBase::New());
    itk::CudaSpline::ExecutionContext context;
    context.host = &host;
    const auto record = itk::CudaSpline::ComputeDisplacements(
      itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(field.GetPointer(), field->GetLargestPossibleRegion()),
      chain.stages,
      itk::CudaSpline::ScalarTypeOf<TPixel>(),
      field->GetBufferPointer(),
      -1,
      settings.device,
      context);
    CheckDeviceDid(record.backend, record.DescribeFallback(), settings.device, name);
    return field.GetPointer();
  }
  const auto sampler = itk::CudaTransformToDisplacementFieldFilter<FieldType, double>::New();
  sampler->SetTransform(base);
  sampler->SetReferenceImage(field);
  sampler->UseReferenceImageOn();
  sampler->SetDevice(settings.device);
  sampler->Update();
  CheckDeviceDid(sampler->GetLastBackend(), sampler->GetFallbackReason(), settings.device, name);
  return sampler->GetOutput();
}

template <typename TPixel, unsigned int VDimension>
Volume
DeformationOf<TPixel, VDimension>::HoldVectors(itk::DataObject * field, const Grid & grid)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  const typename FieldType::Pointer image = dynamic_cast<FieldType *>(field);
  Volume                            volume;
  volume.grid = grid;
  volume.type = itk::CudaSpline::ScalarTypeOf<TPixel>();
  volume.pixels = std::shared_ptr<void>(image->GetBufferPointer(), [image](void *) {});
  return volume;
}

template <typename TPixel, unsigned int VDimension>
Folding
DeformationOf<TPixel, VDimension>::MeasureFolding(const itk::DataObject * field,
                                                  const Grid &            grid,
                                                  Volume *                determinants,
                                                  bool                    isLogarithm)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  const auto * const image = dynamic_cast<const FieldType *>(field);
  if (determinants != nullptr)
  {
    *determinants = Volume::Allocate(grid, itk::CudaSpline::ScalarTypeOf<TPixel>());
  }
  return itk::CudaSplineDetail::MeasureFolding(
    image, determinants != nullptr ? determinants->pixels.get() : nullptr, isLogarithm);
}

} // namespace CudaSplineRegister

#endif
