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
#include "RegistrationPhantom.h"

#include "itkAffineTransform.h"
#include "itkCudaResampleImageFilter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkMultiThreaderBase.h"
#include "itkNearestNeighborInterpolateImageFunction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace RegistrationBenchmark
{

namespace
{

constexpr unsigned int labels = 5;

/** Centre and half axes of an ellipsoid, as fractions of the side of the cube, relative to its centre. */
struct Ellipsoid
{
  std::array<double, 3> centre;
  std::array<double, 3> axes;
};

// Head, brain, two separate ones, and one in the middle. Later ones hide earlier ones.
constexpr std::array<Ellipsoid, labels> ellipsoids{ { { { 0.0, 0.0, 0.0 }, { 0.38, 0.42, 0.36 } },
                                                      { { 0.0, -0.01, 0.02 }, { 0.32, 0.36, 0.30 } },
                                                      { { -0.14, 0.05, 0.04 }, { 0.08, 0.15, 0.09 } },
                                                      { { 0.14, 0.05, 0.04 }, { 0.09, 0.13, 0.10 } },
                                                      { { 0.0, -0.17, -0.05 }, { 0.12, 0.08, 0.10 } } } };

/** Returns the depth of a point in an ellipsoid: 1 in the middle, 0 on its surface. */
double
DepthIn(const Ellipsoid & ellipsoid, const std::array<double, 3> & place)
{
  double square = 0.0;
  for (unsigned int d = 0; d < 3; ++d)
  {
    const double part = (place[d] - ellipsoid.centre[d]) / ellipsoid.axes[d];
    square += part * part;
  }
  return 1.0 - std::sqrt(square);
}

struct Sample
{
  float         fixed;
  float         moving;
  unsigned char label;
};

/** Returns the phantom at a point. */
Sample
SampleAt(const std::array<double, 3> & place)
{
  constexpr std::array<double, labels + 1> fixedGreys{ 5.0, 60.0, 120.0, 180.0, 150.0, 90.0 };
  constexpr std::array<double, labels + 1> movingGreys{ 10.0, 190.0, 100.0, 40.0, 70.0, 140.0 };
  Sample sample{ static_cast<float>(fixedGreys[0]), static_cast<float>(movingGreys[0]), 0 };
  for (unsigned int e = 0; e < labels; ++e)
  {
    // Edges are as soft as in the images of a scanner, some hundredths of the head.
    const double depth = DepthIn(ellipsoids[e], place);
    const auto   part = static_cast<float>(0.5 + 0.5 * std::tanh(depth / 0.04));
    sample.fixed += part * (static_cast<float>(fixedGreys[e + 1]) - sample.fixed);
    sample.moving += part * (static_cast<float>(movingGreys[e + 1]) - sample.moving);
    sample.label = depth > 0.0 ? static_cast<unsigned char>(e + 1) : sample.label;
  }
  // Folds of the cortex as structures in the interior.
  const double fold = std::sin(55.0 * place[0]) * std::sin(47.0 * place[1]) * std::sin(51.0 * place[2]);
  const double inside = std::max(0.0, DepthIn(ellipsoids[1], place));
  sample.fixed += static_cast<float>(40.0 * fold * std::min(1.0, 6.0 * inside));
  sample.moving -= static_cast<float>(30.0 * fold * std::min(1.0, 6.0 * inside));
  return sample;
}

template <typename TImage>
typename TImage::Pointer
MakeCube(unsigned int size)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { size, size, size } });
  image->Allocate();
  return image;
}

TransformType::Pointer
MakeKnown(unsigned int size, bool isSpline)
{
  if (!isSpline)
  {
    auto                   affine = itk::AffineTransform<double, 3>::New();
    const double           middle = 0.5 * (size - 1.0);
    itk::Point<double, 3>  centre;
    itk::Vector<double, 3> axis;
    itk::Vector<double, 3> shift;
    centre.Fill(middle);
    affine->SetCenter(centre);
    axis[0] = 1.0;
    axis[1] = 2.0;
    axis[2] = -1.0;
    affine->Rotate3D(axis, 0.12);
    affine->Scale(1.05);
    affine->Shear(0, 1, 0.04);
    shift[0] = 0.03 * size;
    shift[1] = -0.02 * size;
    shift[2] = 0.015 * size;
    affine->Translate(shift);
    return affine.GetPointer();
  }
  auto spline = MakeSpline(size, 5);
  auto parameters = spline->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 0.03 * size * std::sin(0.9 * p + 0.3);
  }
  spline->SetParametersByValue(parameters);
  return spline.GetPointer();
}

} // namespace

SplineType::Pointer
MakeSpline(unsigned int size, unsigned int cells)
{
  auto                               spline = SplineType::New();
  SplineType::PhysicalDimensionsType extent;
  SplineType::MeshSizeType           mesh;
  extent.Fill(size - 1.0);
  mesh.Fill(cells);
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainMeshSize(mesh);
  return spline;
}

const Phantom &
GetPhantom(unsigned int size, bool isSpline)
{
  static std::map<std::pair<unsigned int, bool>, Phantom> phantoms;
  Phantom &                                               phantom = phantoms[{ size, isSpline }];
  if (phantom.fixed.IsNull())
  {
    phantom.fixed = MakeCube<ImageType>(size);
    phantom.moving = MakeCube<ImageType>(size);
    phantom.fixedLabels = MakeCube<LabelImage>(size);
    phantom.movingLabels = MakeCube<LabelImage>(size);
    phantom.known = MakeKnown(size, isSpline);
    const auto fill = [&](const ImageType::RegionType & region) {
      itk::ImageRegionIteratorWithIndex<ImageType> it(phantom.fixed, region);
      for (; !it.IsAtEnd(); ++it)
      {
        const auto            index = it.GetIndex();
        ImageType::PointType  point;
        std::array<double, 3> place{};
        phantom.fixed->TransformIndexToPhysicalPoint(index, point);
        for (const bool isFixed : { true, false })
        {
          const auto there = isFixed ? phantom.known->TransformPoint(point) : point;
          for (unsigned int d = 0; d < 3; ++d)
          {
            place[d] = (there[d] + 0.5) / size - 0.5;
          }
          const Sample sample = SampleAt(place);
          if (isFixed)
          {
            it.Set(sample.fixed);
            phantom.fixedLabels->SetPixel(index, sample.label);
          }
          else
          {
            phantom.moving->SetPixel(index, sample.moving);
            phantom.movingLabels->SetPixel(index, sample.label);
          }
        }
      }
    };
    itk::MultiThreaderBase::New()->ParallelizeImageRegion<3>(phantom.fixed->GetBufferedRegion(), fill, nullptr);
  }
  return phantom;
}

double
OverlapOf(const Phantom & phantom, const TransformType * transform)
{
  auto filter = itk::CudaResampleImageFilter<LabelImage, LabelImage>::New();
  filter->SetInput(phantom.movingLabels);
  filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<LabelImage, double>::New());
  filter->SetTransform(transform);
  filter->SetOutputParametersFromImage(phantom.fixedLabels);
  filter->Update();
  std::array<double, labels + 1> both{};
  std::array<double, labels + 1> either{};
  const auto * const             fixed = phantom.fixedLabels->GetBufferPointer();
  const auto * const             moved = filter->GetOutput()->GetBufferPointer();
  const auto                     count = phantom.fixedLabels->GetBufferedRegion().GetNumberOfPixels();
  for (itk::SizeValueType voxel = 0; voxel < count; ++voxel)
  {
    either[fixed[voxel]] += 0.5;
    either[moved[voxel]] += 0.5;
    both[fixed[voxel]] += fixed[voxel] == moved[voxel] ? 1.0 : 0.0;
  }
  double sum = 0.0;
  for (unsigned int label = 1; label <= labels; ++label)
  {
    sum += both[label] / either[label];
  }
  return sum / labels;
}

double
DistanceOf(const Phantom & phantom, const TransformType * transform)
{
  const auto            size = phantom.fixed->GetBufferedRegion().GetSize(0);
  const auto            stride = std::max<itk::SizeValueType>(1, size / 48);
  double                sum = 0.0;
  double                count = 0.0;
  LabelImage::IndexType index;
  for (index[2] = 0; index[2] < static_cast<itk::IndexValueType>(size); index[2] += stride)
  {
    for (index[1] = 0; index[1] < static_cast<itk::IndexValueType>(size); index[1] += stride)
    {
      for (index[0] = 0; index[0] < static_cast<itk::IndexValueType>(size); index[0] += stride)
      {
        if (phantom.fixedLabels->GetPixel(index) > 1) // inside the brain
        {
          ImageType::PointType point;
          phantom.fixed->TransformIndexToPhysicalPoint(index, point);
          sum += transform->TransformPoint(point).SquaredEuclideanDistanceTo(phantom.known->TransformPoint(point));
          count += 1.0;
        }
      }
    }
  }
  return std::sqrt(sum / count);
}

} // namespace RegistrationBenchmark
