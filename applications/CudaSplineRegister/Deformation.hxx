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

#include "Deformation.h"

#include "DeviceWord.h"
#include "Error.h"
#include "StageTransforms.h"

#include "itkCudaResampleImageFilter.h"
#include "itkCudaTransformToDisplacementFieldFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkDisplacementFieldTransform.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkInvertDisplacementFieldImageFilter.h"
#include "itkMultiThreaderBase.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
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
DeformationOf<TPixel, VDimension>::Invert(const itk::TransformBase *  transform,
                                          const Grid &                fixed,
                                          const DeformationSettings & settings)
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
    if (one->IsLinear())
    {
      typename Base::Pointer inverse = one->GetInverseTransform();
      if (inverse.IsNull())
      {
        throw ProgramError(std::string("the transform that was found has a part (") + one->GetNameOfClass() +
                           ") without an inverse");
      }
      return inverse;
    }
    const auto grid = FieldImage::New();
    SetGeometry<VDimension>(fixed, grid);
    const auto sampler = itk::CudaTransformToDisplacementFieldFilter<FieldImage, double>::New();
    sampler->SetTransform(one);
    sampler->SetReferenceImage(grid);
    sampler->UseReferenceImageOn();
    sampler->SetDevice(settings.device);
    const auto inverter = itk::InvertDisplacementFieldImageFilter<FieldImage>::New();
    inverter->SetInput(sampler->GetOutput());
    inverter->SetMaximumNumberOfIterations(100);
    inverter->SetMeanErrorToleranceThreshold(1e-4); // of a voxel
    inverter->SetMaxErrorToleranceThreshold(1e-2);
    inverter->SetEnforceBoundaryCondition(false); // a B-spline moves the border, too
    inverter->Update();
    const auto inverse = Field::New();
    inverse->SetDisplacementField(inverter->GetOutput());
    return inverse.GetPointer();
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

template <typename TPixel, unsigned int VDimension>
itk::DataObject::Pointer
DeformationOf<TPixel, VDimension>::MakeField(const itk::TransformBase *  transform,
                                             const Grid &                grid,
                                             const DeformationSettings & settings)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  const auto reference = FieldType::New();
  SetGeometry<VDimension>(grid, reference);
  const auto sampler = itk::CudaTransformToDisplacementFieldFilter<FieldType, double>::New();
  sampler->SetTransform(dynamic_cast<const typename StageTransforms<VDimension>::Base *>(transform));
  sampler->SetReferenceImage(reference);
  sampler->UseReferenceImageOn();
  sampler->SetDevice(settings.device);
  sampler->Update();
  CheckDeviceDid(sampler->GetLastBackend(), sampler->GetFallbackReason(), settings.device, "the field");
  return sampler->GetOutput();
}

template <typename TPixel, unsigned int VDimension>
void
DeformationOf<TPixel, VDimension>::WriteField(const itk::DataObject * field, const std::string & file)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  const auto * const image = dynamic_cast<const FieldType *>(field);
  std::string        reason;
  try
  {
    const auto writer = itk::ImageFileWriter<FieldType>::New();
    writer->SetInput(image);
    writer->SetFileName(file);
    writer->Update();
    const auto reader = itk::ImageFileReader<FieldType>::New();
    reader->SetFileName(file);
    reader->Update();
    const std::size_t bytes = image->GetBufferedRegion().GetNumberOfPixels() * sizeof(typename FieldType::PixelType);
    if (reader->GetOutput()->GetBufferedRegion().GetSize() != image->GetBufferedRegion().GetSize() ||
        std::memcmp(reader->GetOutput()->GetBufferPointer(), image->GetBufferPointer(), bytes) != 0)
    {
      reason = "what is read back is not what was written (is the disk full?)";
    }
  }
  catch (const itk::ExceptionObject & exception)
  {
    reason = TextOf(exception);
  }
  catch (const std::exception & exception)
  {
    reason = OneLine(exception.what());
  }
  if (!reason.empty())
  {
    throw ProgramError("cannot write the displacements \"" + std::filesystem::path(file).filename().string() +
                       "\" (formats that hold vectors are allowed, such as .nii, .nii.gz, .nrrd and .mha): " + reason);
  }
}

template <typename TPixel, unsigned int VDimension>
Folding
DeformationOf<TPixel, VDimension>::MeasureFolding(const itk::DataObject * field,
                                                  const Grid &            grid,
                                                  Volume *                determinants,
                                                  bool                    isLogarithm)
{
  using FieldType = itk::Image<itk::Vector<TPixel, VDimension>, VDimension>;
  using MatrixType = itk::Matrix<double, VDimension, VDimension>;
  const auto * const image = dynamic_cast<const FieldType *>(field);
  const auto         region = image->GetBufferedRegion();
  const auto &       size = region.GetSize();
  if (determinants != nullptr)
  {
    *determinants = Volume::Allocate(grid, itk::CudaSpline::ScalarTypeOf<TPixel>());
  }
  auto * const to = determinants != nullptr ? static_cast<TPixel *>(determinants->pixels.get()) : nullptr;
  // du/dx = du/di di/dx, of which the latter is the same everywhere.
  MatrixType indexOfPoint(image->GetInverseDirection());
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      indexOfPoint[row][column] /= image->GetSpacing()[row];
    }
  }
  std::array<std::ptrdiff_t, VDimension> strides{};
  std::ptrdiff_t                         stride = 1;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    strides[d] = stride;
    stride *= static_cast<std::ptrdiff_t>(size[d]);
  }

  Folding    folding;
  std::mutex mutex;
  folding.all = region.GetNumberOfPixels();
  folding.least = std::numeric_limits<double>::infinity();
  folding.largest = -std::numeric_limits<double>::infinity();
  const auto measure = [&](const typename FieldType::RegionType & part) {
    Folding here;
    here.least = std::numeric_limits<double>::infinity();
    here.largest = -std::numeric_limits<double>::infinity();
    const auto * const                                buffer = image->GetBufferPointer();
    itk::ImageRegionConstIteratorWithIndex<FieldType> it(image, part);
    for (; !it.IsAtEnd(); ++it)
    {
      const auto         index = it.GetIndex();
      const auto         offset = image->ComputeOffset(index);
      const auto * const vector = buffer + offset;
      MatrixType         byIndex;
      for (unsigned int axis = 0; axis < VDimension; ++axis)
      {
        const auto   place = index[axis] - region.GetIndex(axis);
        const auto   behind = place > 0 ? strides[axis] : 0;
        const auto   ahead = place + 1 < static_cast<itk::IndexValueType>(size[axis]) ? strides[axis] : 0;
        const double steps = (behind != 0 ? 1.0 : 0.0) + (ahead != 0 ? 1.0 : 0.0);
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          byIndex[d][axis] =
            steps > 0.0 ? (static_cast<double>(vector[ahead][d]) - static_cast<double>(vector[-behind][d])) / steps
                        : 0.0;
        }
      }
      MatrixType derivative = byIndex * indexOfPoint;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        derivative[d][d] += 1.0;
      }
      double determinant = derivative[0][0] * derivative[1][1] - derivative[0][1] * derivative[1][0];
      if constexpr (VDimension == 3)
      {
        const auto & m = derivative;
        determinant = m[2][2] * determinant + m[1][2] * (m[0][1] * m[2][0] - m[0][0] * m[2][1]) +
                      m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
      }
      here.voxels += determinant > 0.0 ? 0 : 1;
      here.least = std::min(here.least, determinant);
      here.largest = std::max(here.largest, determinant);
      if (to != nullptr)
      {
        constexpr double leastOfLogarithm = 1e-4;
        to[offset] = static_cast<TPixel>(isLogarithm ? std::log(std::max(determinant, leastOfLogarithm)) : determinant);
      }
    }
    const std::lock_guard<std::mutex> lock(mutex);
    folding.voxels += here.voxels;
    folding.least = std::min(folding.least, here.least);
    folding.largest = std::max(folding.largest, here.largest);
  };
  itk::MultiThreaderBase::New()->template ParallelizeImageRegion<VDimension>(region, measure, nullptr);
  return folding;
}

} // namespace CudaSplineRegister

#endif
