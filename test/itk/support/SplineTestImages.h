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
#ifndef CudaSplineTest_SplineTestImages_h
#define CudaSplineTest_SplineTestImages_h

#include "RandomData.h"
#include "StreamingSource.h"

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkImage.h"
#include "itkPlatformMultiThreader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

/** \file
 * \brief Images, a source and a threader for the tests of the ITK classes. */

namespace CudaSplineTest
{

/** Returns an image of noise with a start index other than 0, anisotropic spacing, an oblique direction and an origin.
 *
 * Integers have values from their whole range up to 2^53 (so that ITK's conversion to double is exact), reals in [-100,
 * 100). */
template <typename TImage>
typename TImage::Pointer
NoiseImage(const std::vector<std::int64_t> & size, Random & random)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  using Pixel = typename TImage::PixelType;
  typename TImage::RegionType    region;
  typename TImage::SpacingType   spacing;
  typename TImage::PointType     origin;
  typename TImage::DirectionType direction;
  const std::vector<double>      rotation = random.Rotation(dimension);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    region.SetSize(d, static_cast<itk::SizeValueType>(size[d]));
    region.SetIndex(d, random.Integer(1, 20) * (random.Integer(0, 1) == 0 ? -1 : 1));
    spacing[d] = random.Uniform(0.3, 4.0);
    origin[d] = random.Uniform(-200.0, 200.0);
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
  Pixel * const pixels = image->GetBufferPointer();
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    if constexpr (std::is_floating_point<Pixel>::value)
    {
      pixels[i] = static_cast<Pixel>(random.Uniform(-100.0, 100.0));
    }
    else
    {
      constexpr std::int64_t exact = std::int64_t{ 1 } << 53;
      constexpr std::int64_t low = sizeof(Pixel) == 8 && std::is_signed<Pixel>::value
                                     ? -exact
                                     : static_cast<std::int64_t>(std::numeric_limits<Pixel>::min());
      constexpr std::int64_t high =
        sizeof(Pixel) == 8 ? exact : static_cast<std::int64_t>(std::numeric_limits<Pixel>::max());
      pixels[i] = static_cast<Pixel>(random.Integer(low, high));
    }
  }
  return image;
}

/** Returns the number of pixels in memory. */
template <typename TImage>
std::size_t
Count(const TImage * image)
{
  return image->GetBufferedRegion().GetNumberOfPixels();
}

/** Returns the pixels in memory as double. */
template <typename TImage>
std::vector<double>
Values(const TImage * image)
{
  return std::vector<double>(image->GetBufferPointer(), image->GetBufferPointer() + Count(image));
}

/** Returns the samples of each axis. */
template <typename TImage>
std::vector<std::int64_t>
SizeOf(const TImage * image)
{
  const auto & size = image->GetBufferedRegion().GetSize();
  return std::vector<std::int64_t>(size.begin(), size.end());
}

/** Returns the index of the first sample of each axis. */
template <typename TImage>
std::vector<std::int64_t>
StartOf(const TImage * image)
{
  const auto & index = image->GetBufferedRegion().GetIndex();
  return std::vector<std::int64_t>(index.begin(), index.end());
}

/** Returns the largest absolute pixel. */
template <typename TImage>
double
LargestPixel(const TImage * image)
{
  double largest = 0.0;
  for (const double value : Values(image))
  {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/** Returns whether two images have the same bits in the same region. */
template <typename TImage>
bool
SameBits(const TImage * a, const TImage * b)
{
  return a->GetBufferedRegion() == b->GetBufferedRegion() &&
         std::memcmp(a->GetBufferPointer(), b->GetBufferPointer(), Count(a) * sizeof(typename TImage::PixelType)) == 0;
}

/** Returns a copy of an image of float or double, including its pixels. */
template <typename TImage>
typename TImage::Pointer
Copy(const TImage * image)
{
  auto copy = TImage::New();
  copy->CopyInformation(image);
  copy->SetRegions(image->GetBufferedRegion());
  copy->Allocate();
  std::copy_n(image->GetBufferPointer(), Count(image), copy->GetBufferPointer());
  return copy;
}


/** \brief ITK's platform threader, which records the largest number of work units of a loop. */
class RecordingThreader : public itk::PlatformMultiThreader
{
public:
  using Self = RecordingThreader;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  void
  ParallelizeArray(itk::SizeValueType        first,
                   itk::SizeValueType        end,
                   ArrayThreadingFunctorType body,
                   itk::ProcessObject *      filter) override
  {
    m_Most = std::max(m_Most, this->GetNumberOfWorkUnits());
    itk::PlatformMultiThreader::ParallelizeArray(first, end, body, filter);
  }

  /** Returns 0 if no loop was divided. */
  itk::ThreadIdType
  GetMostWorkUnits() const
  {
    return m_Most;
  }

private:
  itk::ThreadIdType m_Most{ 0 };
};

} // namespace CudaSplineTest

#endif
