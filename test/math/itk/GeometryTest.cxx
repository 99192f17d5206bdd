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
// Geometry against ITK, bit for bit.
//
// Expected values: itk::ImageBase and ITK's transforms on random oblique geometries; for scanlines
// itk::ResampleImageFilter itself, run with an interpolator that returns the continuous index at which it is evaluated.
// Exact: no tolerance (coordinates decide ties).

#include "itkCudaSpline/itk/Compatibility.h"

#include "RandomGeometry.h"

#include "itkAffineTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkResampleImageFilter.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVersorRigid3DTransform.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::AffineMap;
using itk::CudaSpline::GridGeometry;
using itk::CudaSpline::MapScanline;
using itk::CudaSpline::ScanlineEnds;

template <unsigned int VDimension>
void
ExpectImageBase()
{
  using ImageType = itk::Image<unsigned char, VDimension>;
  Random random(__LINE__ + VDimension);
  for (int trial = 0; trial < 200; ++trial)
  {
    const auto image = ImageType::New();
    SetRandomGeometry(image.GetPointer(), random);
    const GridGeometry<VDimension> grid = GeometryOf(image.GetPointer());
    for (int sample = 0; sample < 20; ++sample)
    {
      typename ImageType::IndexType itkIndex;
      std::int64_t                  index[VDimension];
      double                        point[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] = random.Integer(-1000, 1000);
        itkIndex[d] = index[d];
      }
      typename ImageType::PointType itkPoint;
      image->TransformIndexToPhysicalPoint(itkIndex, itkPoint);
      grid.IndexToPoint(index, point);
      double back[VDimension];
      grid.PointToContinuousIndex(point, back);
      const auto itkBack = image->template TransformPhysicalPointToContinuousIndex<double>(itkPoint);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        ASSERT_EQ(point[d], itkPoint[d]);
        ASSERT_EQ(back[d], itkBack[d]);
      }
    }
  }
}

TEST(GeometryAgainstITK, ImageBase)
{
  ExpectImageBase<1>();
  ExpectImageBase<2>();
  ExpectImageBase<3>();
  ExpectImageBase<4>();
}

template <typename TTransform>
AffineMap<TTransform::SpaceDimension>
MapOf(const TTransform * transform)
{
  AffineMap<TTransform::SpaceDimension> map;
  for (unsigned int d = 0; d < TTransform::SpaceDimension; ++d)
  {
    map.offset[d] = transform->GetOffset()[d];
    for (unsigned int e = 0; e < TTransform::SpaceDimension; ++e)
    {
      map.matrix[d][e] = transform->GetMatrix()[d][e];
    }
  }
  return map;
}

template <unsigned int VDimension, typename TTransform>
void
ExpectTransform(const TTransform * transform, const AffineMap<VDimension> & map, Random & random)
{
  for (int trial = 0; trial < 500; ++trial)
  {
    typename TTransform::InputPointType itkPoint;
    double                              x[VDimension];
    double                              y[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      x[d] = random.Uniform(-500.0, 500.0);
      itkPoint[d] = x[d];
    }
    map.Apply(x, y);
    const auto expected = transform->TransformPoint(itkPoint);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      ASSERT_EQ(y[d], expected[d]) << transform->GetNameOfClass();
    }
  }
}

/** Random parameters that keep the transform near a rotation: angles, millimetres and scales alike are below 1. */
template <typename TTransform>
typename TTransform::Pointer
RandomTransform(Random & random, double scale = 1.0)
{
  auto                                     transform = TTransform::New();
  typename TTransform::ParametersType      parameters = transform->GetParameters();
  typename TTransform::FixedParametersType fixed = transform->GetFixedParameters();
  for (unsigned int k = 0; k < fixed.size(); ++k)
  {
    fixed[k] = k < TTransform::SpaceDimension ? random.Uniform(-80.0, 80.0) : 0.0;
  }
  transform->SetFixedParameters(fixed);
  for (unsigned int k = 0; k < parameters.size(); ++k)
  {
    parameters[k] += random.Uniform(-0.3, 0.3) * scale;
  }
  transform->SetParameters(parameters);
  return transform;
}

TEST(GeometryAgainstITK, LinearTransforms)
{
  Random random(__LINE__);
  for (int trial = 0; trial < 20; ++trial)
  {
    const auto affine2 = RandomTransform<itk::AffineTransform<double, 2>>(random);
    const auto affine3 = RandomTransform<itk::AffineTransform<double, 3>>(random);
    const auto euler2 = RandomTransform<itk::Euler2DTransform<double>>(random);
    const auto euler3 = RandomTransform<itk::Euler3DTransform<double>>(random);
    const auto versor = RandomTransform<itk::VersorRigid3DTransform<double>>(random);
    const auto similarity = RandomTransform<itk::Similarity3DTransform<double>>(random);
    ExpectTransform(affine2.GetPointer(), MapOf(affine2.GetPointer()), random);
    ExpectTransform(affine3.GetPointer(), MapOf(affine3.GetPointer()), random);
    ExpectTransform(euler2.GetPointer(), MapOf(euler2.GetPointer()), random);
    ExpectTransform(euler3.GetPointer(), MapOf(euler3.GetPointer()), random);
    ExpectTransform(versor.GetPointer(), MapOf(versor.GetPointer()), random);
    ExpectTransform(similarity.GetPointer(), MapOf(similarity.GetPointer()), random);
    // A translation as the identity matrix: products by 0 and 1 and sums with 0 are exact.
    const auto   translation = RandomTransform<itk::TranslationTransform<double, 3>>(random, 100.0);
    AffineMap<3> map;
    for (unsigned int d = 0; d < 3; ++d)
    {
      map.matrix[d][d] = 1;
      map.offset[d] = translation->GetOffset()[d];
    }
    ExpectTransform(translation.GetPointer(), map, random);
  }
}

/** An interpolator whose value is one component of the continuous index at which it is evaluated. */
template <typename TImage, typename TCoordinate>
class IndexProbe : public itk::InterpolateImageFunction<TImage, TCoordinate>
{
public:
  using Self = IndexProbe;
  using Superclass = itk::InterpolateImageFunction<TImage, TCoordinate>;
  using Pointer = itk::SmartPointer<Self>;
  static Pointer
  New()
  {
    Pointer object = new Self;
    object->UnRegister();
    return object;
  }

  using typename Superclass::ContinuousIndexType;
  using typename Superclass::OutputType;
  using typename Superclass::SizeType;
  using Superclass::IsInsideBuffer;

  unsigned int axis = 0;

  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override
  {
    return static_cast<OutputType>(index[axis]);
  }
  bool
  IsInsideBuffer(const ContinuousIndexType &) const override
  {
    return true;
  }
  SizeType
  GetRadius() const override
  {
    return SizeType::Filled(1);
  }
};

/** The ends by ITK's functions, points and indices in the types of the filter of this version of ITK. */
template <typename TCoordinate, typename TImage, typename TTransform>
ScanlineEnds<TImage::ImageDimension>
EndsByITK(const TImage * output, const TTransform * transform, const TImage * input, const std::int64_t * index)
{
  constexpr unsigned int     dimension = TImage::ImageDimension;
  ScanlineEnds<dimension>    ends;
  typename TImage::IndexType onLine;
  for (unsigned int d = 1; d < dimension; ++d)
  {
    onLine[d] = index[d];
  }
  for (const bool end : { false, true })
  {
    const auto & region = output->GetLargestPossibleRegion();
    onLine[0] = region.GetIndex(0) + (end ? static_cast<itk::IndexValueType>(region.GetSize(0)) : 0);
    typename TImage::PointType outputPoint;
    output->TransformIndexToPhysicalPoint(onLine, outputPoint);
    itk::Point<itk::CudaSplineDetail::ScanlinePointPrecision<TCoordinate, double>, dimension> inputPoint;
    inputPoint = transform->TransformPoint(outputPoint);
    const auto at = input->template TransformPhysicalPointToContinuousIndex<TCoordinate>(inputPoint);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      (end ? ends.end : ends.start)[d] = at[d];
    }
  }
  return ends;
}

template <unsigned int VDimension, typename TCoordinate>
void
ExpectScanlines()
{
  using ImageType = itk::Image<double, VDimension>;
  using FilterType = itk::ResampleImageFilter<ImageType, ImageType, TCoordinate, double>;
  using TransformType = itk::AffineTransform<double, VDimension>;
  SCOPED_TRACE("dimension " + std::to_string(VDimension));
  Random random(__LINE__ + VDimension);
  for (int trial = 0; trial < 10; ++trial)
  {
    const auto input = ImageType::New();
    const auto output = ImageType::New();
    SetRandomGeometry(input.GetPointer(), random, 5);
    SetRandomGeometry(output.GetPointer(), random, VDimension == 2 ? 60 : 20);
    input->Allocate();
    const auto probe = IndexProbe<ImageType, TCoordinate>::New();
    const auto transform = RandomTransform<TransformType>(random);
    const auto filter = FilterType::New();
    filter->SetInput(input);
    filter->SetInterpolator(probe);
    filter->SetTransform(transform);
    filter->SetOutputParametersFromImage(output);
    const GridGeometry<VDimension> grid = GeometryOf(output.GetPointer());
    const auto                     length = static_cast<double>(grid.extent.size[0]);
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      probe->axis = axis;
      filter->Modified();
      filter->Update();
      std::int64_t index[VDimension] = {};
      for (std::int64_t line = 0; line < grid.extent.Count() / grid.extent.size[0]; ++line)
      {
        std::int64_t rest = line;
        for (unsigned int d = 1; d < VDimension; ++d)
        {
          index[d] = grid.extent.start[d] + rest % grid.extent.size[d];
          rest /= grid.extent.size[d];
        }
        const ScanlineEnds<VDimension> ends =
          EndsByITK<TCoordinate>(output.GetPointer(), transform.GetPointer(), input.GetPointer(), index);
        if (std::is_same<TCoordinate, double>::value)
        {
          const ScanlineEnds<VDimension> mapped =
            MapScanline(grid, MapOf(transform.GetPointer()), GeometryOf(input.GetPointer()), index);
          for (unsigned int d = 0; d < VDimension; ++d)
          {
            ASSERT_EQ(mapped.start[d], ends.start[d]);
            ASSERT_EQ(mapped.end[d], ends.end[d]);
          }
        }
        for (std::int64_t sample = 0; sample < grid.extent.size[0]; ++sample)
        {
          double at[VDimension];
          ends.template At<TCoordinate>(sample, length, at);
          const double * pixels = filter->GetOutput()->GetBufferPointer();
          ASSERT_EQ(at[axis], pixels[line * grid.extent.size[0] + sample]) << "line " << line << ", sample " << sample;
        }
      }
    }
  }
}

TEST(GeometryAgainstITK, ScanlinesOfTheResampleFilter)
{
  ExpectScanlines<2, double>();
  ExpectScanlines<3, double>();
}

TEST(GeometryAgainstITK, ScanlinesWithFloatCoordinates)
{
  ExpectScanlines<2, float>();
  ExpectScanlines<3, float>();
}

} // namespace
