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
#ifndef FieldTestSupport_h
#define FieldTestSupport_h

#include "itkCudaSpline/itk/Fields.h"
#include "itkCudaSpline/kernels/common/Residence.h"

#include "Gpu.h"
#include "RandomData.h"

#include "itkImage.h"
#include "itkImageDuplicator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

/** \file
 * \brief Displacement fields with any geometry, and transfers to and from a backend. */

namespace CudaSplineTest
{

template <typename TReal, unsigned int VDimension>
using DisplacementsOf = itk::Image<itk::Vector<TReal, VDimension>, VDimension>;

/** Allowed error of a float field with displacements of up to some mm: units of indices of up to 40 samples. */
constexpr double SingleBound = 40.0 * 8.0 * 0x1p-23;

/** Returns an oblique, anisotropic, allocated image. */
template <typename TImage>
typename TImage::Pointer
MakeObliqueImage(const std::vector<std::int64_t> & size, bool starts, Random & random)
{
  constexpr unsigned int         dimension = TImage::ImageDimension;
  typename TImage::RegionType    region;
  typename TImage::SpacingType   spacing;
  typename TImage::PointType     origin;
  typename TImage::DirectionType direction;
  const std::vector<double>      rotation = random.Rotation(dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    region.SetSize(d, static_cast<itk::SizeValueType>(size[d]));
    region.SetIndex(d, starts ? random.Integer(-4, 4) : 0);
    spacing[d] = random.Uniform(0.5, 2.0);
    origin[d] = random.Uniform(-50.0, 50.0);
    for (unsigned int e = 0; e < dimension; ++e)
    {
      direction(d, e) = rotation[d * dimension + e];
    }
  }
  auto image = TImage::New();
  image->SetRegions(region);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate();
  return image;
}

/** Calls \p run with a number of float or double and a constant dimension, 2 or 3, of alternating cases. */
template <typename TRun>
void
OfDrawnKind(int number, const TRun & run)
{
  using Two = std::integral_constant<unsigned int, 2>;
  using Three = std::integral_constant<unsigned int, 3>;
  switch (number % 4)
  {
    case 0:
      run(0.0F, Two());
      break;
    case 1:
      run(0.0, Two());
      break;
    case 2:
      run(0.0F, Three());
      break;
    default:
      run(0.0, Three());
  }
}

/** Fills a field, smoothly or not, with vectors of up to \p size mm. */
template <typename TField>
void
FillField(TField * field, double size, bool smooth, Random & random)
{
  using Vector = typename TField::PixelType;
  const auto             region = field->GetBufferedRegion();
  const double           phase = random.Uniform(0.0, 6.0);
  constexpr unsigned int dimension = TField::ImageDimension;
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    const auto index = field->ComputeIndex(static_cast<itk::OffsetValueType>(i));
    Vector     vector;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      double number = random.Uniform(-size, size);
      if (smooth)
      {
        number = size;
        for (unsigned int e = 0; e < dimension; ++e)
        {
          const double x = static_cast<double>(index[e] - region.GetIndex(e)) / static_cast<double>(region.GetSize(e));
          number *= std::sin(phase + 1.7 * d + (3.0 + e) * x);
        }
      }
      vector[d] = static_cast<typename Vector::ValueType>(number);
    }
    field->GetBufferPointer()[i] = vector;
  }
}

/** Reduces a field to zero at the border of its buffer, as it is outside, so that no rounding decides on which side of
 * the border a point is. Axes of one or two voxels are not changed. */
template <typename TField>
void
VanishAtTheBorder(TField * field)
{
  const auto region = field->GetBufferedRegion();
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    const auto index = field->ComputeIndex(static_cast<itk::OffsetValueType>(i));
    for (unsigned int d = 0; d < TField::ImageDimension; ++d)
    {
      const auto last = static_cast<itk::IndexValueType>(region.GetSize(d)) - 1;
      const auto place = index[d] - region.GetIndex(d);
      const auto toBorder = std::min(place, last - place);
      if (last >= 2 && toBorder < 2)
      {
        field->GetBufferPointer()[i] *= static_cast<typename TField::PixelType::ValueType>(0.5 * toBorder);
      }
    }
  }
}

/** A copy of an image. */
template <typename TImage>
typename TImage::Pointer
CopyOf(const TImage * image)
{
  auto duplicator = itk::ImageDuplicator<TImage>::New();
  duplicator->SetInputImage(image);
  duplicator->Update();
  return duplicator->GetOutput();
}

/** Returns an image on the same grid with undefined pixels. */
template <typename TImage>
typename TImage::Pointer
LikeImage(const TImage * image)
{
  auto like = TImage::New();
  like->CopyInformation(image);
  like->SetRegions(image->GetLargestPossibleRegion());
  like->Allocate();
  return like;
}

/** Returns the bytes of the pixels of an image. */
template <typename TImage>
std::size_t
BytesOf(const TImage * image)
{
  return image->GetBufferedRegion().GetNumberOfPixels() * sizeof(typename TImage::PixelType);
}

/** Returns the pixels of an image on a backend. */
template <typename TImage>
itk::CudaSpline::ResidentArray
Resident(const TImage * image, const itk::CudaSpline::Residence & residence)
{
  itk::CudaSpline::ResidentArray array(BytesOf(image), residence);
  Upload(array.Data(), image->GetBufferPointer(), BytesOf(image), residence);
  return array;
}

/** Returns the largest difference between the numbers of two fields. */
template <typename TField>
double
LargestDifference(const TField * one, const TField * other)
{
  double largest = 0.0;
  EXPECT_EQ(one->GetBufferedRegion(), other->GetBufferedRegion());
  for (itk::SizeValueType i = 0; i < one->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    for (unsigned int d = 0; d < TField::ImageDimension; ++d)
    {
      const double a = one->GetBufferPointer()[i][d];
      const double b = other->GetBufferPointer()[i][d];
      const double difference = std::abs(a - b);
      largest = largest < difference || std::isnan(difference) ? difference : largest;
    }
  }
  return largest;
}

/** Tests that run on the Cpu backend, and on the GPU if there is one. */
class FieldsAgainstItkOn : public testing::TestWithParam<bool>
{
protected:
  void
  SetUp() override
  {
    if (this->GetParam())
    {
      CUDASPLINE_NEEDS_GPU();
    }
  }

  itk::CudaSpline::Residence
  MakeResidence() const
  {
    itk::CudaSpline::ExecutionContext context;
    context.backend = this->GetParam() ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu;
    return itk::CudaSpline::Residence(context);
  }
};

inline std::string
NameOfFieldBackend(const testing::TestParamInfo<bool> & test)
{
  return test.param ? "Gpu" : "Cpu";
}

} // namespace CudaSplineTest

#endif
