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
#include "registration/Deformation.h"

#include "console/Error.h"
#include "io/formats/ImageOutput.h"
#include "registration/StageTransforms.h"
#include "io/transforms/TransformOutput.h"

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

/** Calls a functor with the functions for the type of the pixels and the dimension. */
template <typename TFunctor>
auto
Dispatch(ScalarType type, unsigned int dimension, const TFunctor & functor)
{
  if (type == ScalarType::Float32)
  {
    return dimension == 2 ? functor(DeformationOf<float, 2>()) : functor(DeformationOf<float, 3>());
  }
  return dimension == 2 ? functor(DeformationOf<double, 2>()) : functor(DeformationOf<double, 3>());
}

/** Returns the transforms of a composite, or the transform itself. */
template <unsigned int VDimension>
std::vector<typename StageTransforms<VDimension>::Base::Pointer>
ListOf(const itk::TransformBase * transform)
{
  using Transforms = StageTransforms<VDimension>;
  using Base = typename Transforms::Base;
  auto * const                        base = const_cast<Base *>(dynamic_cast<const Base *>(transform));
  std::vector<typename Base::Pointer> list;
  auto * const                        composite = dynamic_cast<typename Transforms::Composite *>(base);
  if (composite == nullptr)
  {
    list.emplace_back(base);
    return list;
  }
  for (itk::SizeValueType number = 0; number < composite->GetNumberOfTransforms(); ++number)
  {
    list.emplace_back(composite->GetNthTransform(number));
  }
  return list;
}

template <unsigned int VDimension>
AntsParts
TakeApartOf(const itk::TransformBase * transform)
{
  using Transforms = StageTransforms<VDimension>;
  using Point = typename Transforms::Point;
  const auto list = ListOf<VDimension>(transform);
  // The first of the list is applied last to a point.
  const auto         first = std::find_if(list.begin(), list.end(), [](const auto & one) { return !one->IsLinear(); });
  const auto         affine = Transforms::Affine::New();
  const auto * const single =
    first == list.begin() + 1 ? dynamic_cast<const typename Transforms::Linear *>(list.front().GetPointer()) : nullptr;
  if (single != nullptr)
  {
    affine->SetCenter(single->GetCenter());
    affine->SetMatrix(single->GetMatrix());
    affine->SetTranslation(single->GetTranslation());
  }
  else if (first != list.begin())
  {
    const typename Transforms::Base::Pointer product = Transforms::Combine({ list.begin(), first });
    Point                                    origin;
    origin.Fill(0.0);
    const Point                             moved = product->TransformPoint(origin);
    typename Transforms::Affine::MatrixType matrix;
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      constexpr double length = 128.0; // mm, so that the rounding is that of points in an image
      Point            place = origin;
      place[column] = length;
      const auto difference = product->TransformPoint(place) - moved;
      for (unsigned int row = 0; row < VDimension; ++row)
      {
        matrix[row][column] = difference[row] / length;
      }
    }
    affine->SetMatrix(matrix);
    affine->SetTranslation(moved.GetVectorFromOrigin());
  }
  AntsParts parts;
  parts.linear = affine.GetPointer();
  if (first != list.end())
  {
    parts.rest = Transforms::Combine({ first, list.end() }).GetPointer();
  }
  return parts;
}

} // namespace

Volume
Warp(const Volume &              image,
     const Grid &                grid,
     const itk::TransformBase *  transform,
     double                      outside,
     const DeformationSettings & settings)
{
  return Dispatch(settings.type, grid.dimension, [&](auto of) {
    return decltype(of)::Warp(image, grid, transform, outside, settings);
  });
}

itk::TransformBase::Pointer
Invert(const itk::TransformBase * transform, const Grid & fixed, const DeformationSettings & settings)
{
  return Dispatch(settings.type, fixed.dimension, [&](auto of) { return decltype(of)::Invert(transform, fixed); });
}

AntsParts
TakeApart(const itk::TransformBase * transform, unsigned int dimension)
{
  return dimension == 2 ? TakeApartOf<2>(transform) : TakeApartOf<3>(transform);
}

itk::DataObject::Pointer
MakeField(const itk::TransformBase * transform, const Grid & grid, const DeformationSettings & settings)
{
  return Dispatch(
    settings.type, grid.dimension, [&](auto of) { return decltype(of)::MakeField(transform, grid, settings); });
}

std::string
WriteField(itk::DataObject * field, const Grid & grid, ScalarType type, const std::string & file)
{
  return WriteDisplacements(
    Dispatch(type, grid.dimension, [&](auto of) { return decltype(of)::HoldVectors(field, grid); }), file);
}

Folding
MeasureFolding(const itk::DataObject * field,
               const Grid &            grid,
               ScalarType              type,
               Volume *                determinants,
               bool                    isLogarithm)
{
  return Dispatch(type, grid.dimension, [&](auto of) {
    return decltype(of)::MeasureFolding(field, grid, determinants, isLogarithm);
  });
}

} // namespace CudaSplineRegister
