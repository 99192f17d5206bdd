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
#ifndef TransformTestSupport_h
#define TransformTestSupport_h

#include "itkCudaSpline/itk/TransformDescriber.h"

#include "ResampleTestSupport.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkTranslationTransform.h"
#include "itkVectorNearestNeighborInterpolateImageFunction.h"

#include <algorithm>

/** \file
 * \brief Nonlinear transforms with random parameters, about the position of MakePhantom(), and the comparison of
 * images with samples that may flip. */

namespace CudaSplineTest
{

/** Returns a B-spline transform on an oblique grid that covers a part of the phantom. */
template <typename TPrecision, unsigned int VDimension, unsigned int VOrder>
typename itk::BSplineTransform<TPrecision, VDimension, VOrder>::Pointer
MakeSplineTransform(unsigned int seed)
{
  using Transform = itk::BSplineTransform<TPrecision, VDimension, VOrder>;
  using Phantom = itk::Image<float, VDimension>;
  const auto                                 phantom = MakePhantom<Phantom>(0.0, 1.0);
  auto                                       transform = Transform::New();
  typename Transform::MeshSizeType           mesh;
  typename Transform::PhysicalDimensionsType size;
  itk::ContinuousIndex<double, VDimension>   corner;
  typename Phantom::PointType                origin;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    const auto & region = phantom->GetBufferedRegion();
    mesh[d] = 5 + 2 * d;
    size[d] = phantom->GetSpacing()[d] * static_cast<double>(region.GetSize(d)) * 0.7;
    corner[d] = static_cast<double>(region.GetIndex(d)) + 0.12 * static_cast<double>(region.GetSize(d));
  }
  phantom->TransformContinuousIndexToPhysicalPoint(corner, origin);
  typename Transform::OriginType place;
  place.CastFrom(origin);
  transform->SetTransformDomainMeshSize(mesh);
  transform->SetTransformDomainPhysicalDimensions(size);
  transform->SetTransformDomainOrigin(place);
  auto direction = transform->GetTransformDomainDirection();
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      direction[r][c] = phantom->GetDirection()[r][c];
    }
  }
  transform->SetTransformDomainDirection(direction);
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  auto                                   parameters = transform->GetParameters();
  for (unsigned int i = 0; i < parameters.Size(); ++i)
  {
    parameters[i] = static_cast<TPrecision>(uniform(random));
  }
  transform->SetParameters(parameters);
  return transform;
}

/** Returns a displacement field of a few random vectors, on its own grid, rotated and with a start index. */
template <unsigned int VDimension>
typename itk::DisplacementFieldTransform<double, VDimension>::Pointer
MakeFieldTransform(unsigned int seed, bool nearest)
{
  using Transform = itk::DisplacementFieldTransform<double, VDimension>;
  using Field = typename Transform::DisplacementFieldType;
  using Phantom = itk::Image<float, VDimension>;
  const auto                  phantom = MakePhantom<Phantom>(0.0, 1.0);
  auto                        field = Field::New();
  typename Field::RegionType  region;
  typename Field::SpacingType spacing;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    region.SetIndex(d, static_cast<itk::IndexValueType>(d) - 2);
    region.SetSize(d, 9 + 2 * d);
    spacing[d] = phantom->GetSpacing()[d] * static_cast<double>(phantom->GetBufferedRegion().GetSize(d)) * 0.8 /
                 static_cast<double>(region.GetSize(d));
  }
  auto origin = phantom->GetOrigin();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    origin[d] += 3.3 * (1.0 + d);
  }
  auto       direction = phantom->GetDirection();
  const auto turn = ObliqueDirection<VDimension>();
  direction = direction * turn;
  field->SetRegions(region);
  field->SetSpacing(spacing);
  field->SetOrigin(origin);
  field->SetDirection(direction);
  field->Allocate();
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform(-2.5, 2.5);
  for (itk::ImageRegionIteratorWithIndex<Field> it(field, region); !it.IsAtEnd(); ++it)
  {
    typename Field::PixelType vector;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      vector[d] = uniform(random);
    }
    it.Set(vector);
  }
  auto transform = Transform::New();
  transform->SetDisplacementField(field);
  if (nearest)
  {
    transform->SetInterpolator(itk::VectorNearestNeighborInterpolateImageFunction<Field, double>::New());
  }
  return transform;
}

template <unsigned int VDimension>
typename itk::AffineTransform<double, VDimension>::Pointer
MakeAffineTransform(double angle)
{
  auto affine = itk::AffineTransform<double, VDimension>::New();
  affine->Shear(0, 1, 0.07);
  affine->Rotate(0, VDimension - 1, angle);
  affine->Scale(1.03);
  return affine;
}

/** Returns an affine transform, a B-spline, a field, and a composite of others. */
template <unsigned int VDimension>
typename itk::CompositeTransform<double, VDimension>::Pointer
MakeCompositeTransform()
{
  auto translation = itk::TranslationTransform<double, VDimension>::New();
  auto offset = translation->GetOffset();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    offset[d] = 0.71 - 0.9 * d;
  }
  translation->SetOffset(offset);
  auto nested = itk::CompositeTransform<double, VDimension>::New();
  nested->AddTransform(translation);
  nested->AddTransform(MakeSplineTransform<double, VDimension, 2>(21));
  nested->AddTransform(MakeAffineTransform<VDimension>(-0.05));
  auto composite = itk::CompositeTransform<double, VDimension>::New();
  composite->AddTransform(MakeAffineTransform<VDimension>(0.04));
  composite->AddTransform(MakeSplineTransform<double, VDimension, 3>(22));
  composite->AddTransform(nested);
  composite->AddTransform(MakeFieldTransform<VDimension>(23, false));
  return composite;
}

/** A user's own transform, without a category of ITK. */
template <unsigned int VDimension>
class Wave : public itk::AffineTransform<double, VDimension>
{
public:
  using Self = Wave;
  using Superclass = itk::AffineTransform<double, VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  typename Superclass::TransformCategoryEnum
  GetTransformCategory() const override
  {
    return Superclass::TransformCategoryEnum::UnknownTransformCategory;
  }
  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    auto result = point;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      result[d] += 1.7 * std::sin(0.21 * point[(d + 1) % VDimension]);
    }
    return result;
  }
};

/** A user's own transform of the category Linear, whose map differs from its matrix and offset. */
template <unsigned int VDimension>
class LinearOfItsOwn : public itk::AffineTransform<double, VDimension>
{
public:
  using Self = LinearOfItsOwn;
  using Superclass = itk::AffineTransform<double, VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    auto result = point;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      result[d] = 0.97 * point[d] + 0.04 * point[(d + 1) % VDimension] - 0.7;
    }
    return result;
  }
};

/** A user's own transform of the category Linear with only the required functions: no Jacobian by position. */
template <unsigned int VDimension>
class MinimalLinear : public itk::Transform<double, VDimension, VDimension>
{
public:
  using Self = MinimalLinear;
  using Superclass = itk::Transform<double, VDimension, VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  typename Superclass::TransformCategoryEnum
  GetTransformCategory() const override
  {
    return Superclass::TransformCategoryEnum::Linear;
  }
  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    auto result = point;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      result[d] = 0.98 * point[d] - 0.03 * point[(d + 1) % VDimension] + 0.9;
    }
    return result;
  }
  void
  SetParameters(const typename Superclass::ParametersType &) override
  {}
  void
  SetFixedParameters(const typename Superclass::FixedParametersType &) override
  {}
  void
  ComputeJacobianWithRespectToParameters(const typename Superclass::InputPointType &,
                                         typename Superclass::JacobianType &) const override
  {}

protected:
  MinimalLinear()
    : Superclass(0)
  {}
};

/** Expects two images of the same region to agree to a tolerance, except in voxels whose continuous index is within
 * 1e-9 of the border of the input, or of a tie if that matters. There are few of these. */
template <typename TOutput, typename TInput, typename TTransform>
void
ExpectSameButForFlips(const TOutput *    ours,
                      const TOutput *    theirs,
                      const TInput *     input,
                      const TTransform * transform,
                      bool               isNearest,
                      double             tolerance)
{
  constexpr unsigned int VDimension = TOutput::ImageDimension;
  ASSERT_EQ(ours->GetBufferedRegion(), theirs->GetBufferedRegion());
  long flips = 0;
  for (itk::ImageRegionConstIteratorWithIndex<TOutput> it(ours, ours->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const double difference = std::abs(it.Get() - theirs->GetPixel(it.GetIndex()));
    if (difference <= tolerance)
    {
      continue;
    }
    typename TTransform::InputPointType point;
    theirs->TransformIndexToPhysicalPoint(it.GetIndex(), point);
    const auto   mapped = transform->TransformPoint(point);
    const auto   index = input->template TransformPhysicalPointToContinuousIndex<double>(mapped);
    const auto & region = input->GetBufferedRegion();
    double       distance = std::numeric_limits<double>::infinity();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double lower = static_cast<double>(region.GetIndex(d)) - 0.5;
      const double upper = lower + static_cast<double>(region.GetSize(d));
      const double tie = index[d] + 0.5 - std::round(index[d] + 0.5);
      distance = std::min({ distance, std::abs(index[d] - lower), std::abs(index[d] - upper) });
      distance = isNearest ? std::min(distance, std::abs(tie)) : distance;
    }
    ASSERT_LE(distance, 1e-9) << it.GetIndex() << " at " << index << ": " << it.Get() << " and "
                              << theirs->GetPixel(it.GetIndex());
    ++flips;
  }
  EXPECT_LE(flips, 3);
}

} // namespace CudaSplineTest

#endif
