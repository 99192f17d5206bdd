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
// A program with ITK that does not use the module: it includes no header of it and is not linked to it. The test of the
// object factory runs it with and without ITK_AUTOLOAD_PATH.
//
// usage: PlainItkProgram resample|one|warp|decompose|idle SIZE OUTPUT [REPETITIONS]
//
// resample: images of many of the pixel types and dimensions that the factory overrides, and one that it does not,
// under a rotation, by each of three interpolators; one: of float in 3D alone. warp: under a field. decompose: B-spline
// coefficients. idle: only an image is made. All results are written to OUTPUT, as doubles one after the other. The
// standard output has a line for each: name of the class that computed it, kind of its pixels, method, count of
// numbers.

#include "itkBSplineDecompositionImageFilter.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkCenteredAffineTransform.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkVersion.h"
#include "itkWarpImageFilter.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <type_traits>

namespace
{

std::ofstream results;
int           repetitions = 1;
const char *  methods[] = { "linear", "nearest", "bspline" };

template <typename TPixel>
const char *
KindOf()
{
  return std::is_integral<TPixel>::value ? "integer" : (std::is_same<TPixel, double>::value ? "double" : "float");
}

template <typename TImage>
typename TImage::Pointer
MakeImage(itk::SizeValueType size)
{
  auto                       image = TImage::New();
  typename TImage::SizeType  sizes;
  typename TImage::IndexType start;
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    sizes[d] = size + d;
    start[d] = static_cast<itk::IndexValueType>(d) - 1;
  }
  image->SetRegions(typename TImage::RegionType(start, sizes));
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    double value = 60.0;
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      value += 18.0 * std::sin(0.37 * (1.0 + d) * static_cast<double>(it.GetIndex()[d]));
    }
    using Pixel = typename TImage::PixelType;
    if constexpr (std::is_arithmetic<Pixel>::value)
    {
      it.Set(static_cast<Pixel>(value));
    }
    else
    {
      Pixel pixel;
      for (unsigned int c = 0; c < Pixel::Dimension; ++c)
      {
        pixel[c] = static_cast<typename Pixel::ValueType>(value * (1.0 + c));
      }
      it.Set(pixel);
    }
  }
  return image;
}

template <typename TImage>
void
Write(const TImage * image, const char * className, const char * method)
{
  const auto first = results.tellp();
  for (itk::ImageRegionConstIterator<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    using Pixel = typename TImage::PixelType;
    const auto write = [](double number) { results.write(reinterpret_cast<const char *>(&number), sizeof(number)); };
    if constexpr (std::is_arithmetic<Pixel>::value)
    {
      write(static_cast<double>(it.Get()));
    }
    else
    {
      for (unsigned int c = 0; c < Pixel::Dimension; ++c)
      {
        write(static_cast<double>(it.Get()[c]));
      }
    }
  }
  std::cout << className << ' ' << KindOf<typename TImage::PixelType>() << ' ' << method << ' '
            << (results.tellp() - first) / static_cast<std::streamoff>(sizeof(double)) << '\n';
}

template <typename TPixel, unsigned int VDimension>
void
Resample(itk::SizeValueType size)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto                               image = MakeImage<Image>(size);
  auto                                     affine = itk::CenteredAffineTransform<double, VDimension>::New();
  typename Image::PointType                center;
  itk::ContinuousIndex<double, VDimension> middle;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    middle[d] = 0.5 * static_cast<double>(size);
  }
  image->TransformContinuousIndexToPhysicalPoint(middle, center);
  affine->SetCenter(center);
  affine->Rotate(0, VDimension - 1, 0.3);
  affine->Scale(1.1);
  for (int repetition = 0; repetition < repetitions; ++repetition)
  {
    for (int interpolator = 0; interpolator < (std::is_arithmetic<TPixel>::value ? 3 : 2); ++interpolator)
    {
      auto filter = itk::ResampleImageFilter<Image, Image>::New();
      filter->SetInput(image);
      filter->SetTransform(affine);
      filter->SetReferenceImage(image);
      filter->UseReferenceImageOn();
      if (interpolator == 1)
      {
        filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<Image>::New());
      }
      if constexpr (std::is_arithmetic<TPixel>::value)
      {
        if (interpolator == 2)
        {
          filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Image>::New());
        }
      }
      filter->Update();
      if (repetition == 0)
      {
        Write(filter->GetOutput(), filter->GetNameOfClass(), methods[interpolator]);
      }
    }
  }
}

template <typename TPixel, typename TDisplacement>
void
Warp(itk::SizeValueType size)
{
  using Image = itk::Image<TPixel, 3>;
  using Field = itk::Image<itk::Vector<TDisplacement, 3>, 3>;
  const auto image = MakeImage<Image>(size);
  const auto field = MakeImage<Field>(size);
  for (itk::ImageRegionIteratorWithIndex<Field> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    typename Field::PixelType vector;
    for (unsigned int d = 0; d < 3; ++d)
    {
      vector[d] =
        static_cast<TDisplacement>(1.3 * std::sin(0.2 * static_cast<double>(it.GetIndex()[(d + 1) % 3])) + 0.21);
    }
    it.Set(vector);
  }
  for (int interpolator = 0; interpolator < 3; interpolator += 2)
  {
    auto filter = itk::WarpImageFilter<Image, Image, Field>::New();
    filter->SetInput(image);
    filter->SetDisplacementField(field);
    filter->SetOutputParametersFromImage(image);
    if (interpolator == 2)
    {
      filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Image>::New());
    }
    filter->Update();
    Write(filter->GetOutput(), filter->GetNameOfClass(), methods[interpolator]);
  }
}

template <typename TPixel, typename TCoefficient, unsigned int VDimension>
void
Decompose(itk::SizeValueType size)
{
  using Image = itk::Image<TPixel, VDimension>;
  const auto image = MakeImage<Image>(size);
  for (int repetition = 0; repetition < repetitions; ++repetition)
  {
    for (unsigned int order = 2; order <= 5; ++order)
    {
      auto filter = itk::BSplineDecompositionImageFilter<Image, itk::Image<TCoefficient, VDimension>>::New();
      filter->SetInput(image);
      filter->SetSplineOrder(order);
      filter->Update();
      if (repetition == 0)
      {
        Write(filter->GetOutput(), filter->GetNameOfClass(), ("order" + std::to_string(order)).c_str());
      }
    }
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  if (argc < 4)
  {
    std::cerr << "usage: " << argv[0] << " resample|one|warp|decompose|idle SIZE OUTPUT [REPETITIONS]\n";
    return EXIT_FAILURE;
  }
  const std::string what = argv[1];
  const auto        size = static_cast<itk::SizeValueType>(std::atoi(argv[2]));
  results.open(argv[3], std::ios::binary);
  repetitions = argc > 4 ? std::atoi(argv[4]) : 1;
  try
  {
    if (what == "resample")
    {
      Resample<unsigned char, 2>(size);
      Resample<short, 2>(size);
      Resample<double, 2>(size);
      Resample<char, 3>(size);
      Resample<unsigned short, 3>(size);
      Resample<int, 3>(size);
      Resample<float, 3>(size);
      Resample<itk::Vector<float, 3>, 3>(size);
      Resample<itk::Vector<float, 2>, 2>(size); // not overridden
    }
    else if (what == "one")
    {
      Resample<float, 3>(size);
    }
    else if (what == "warp")
    {
      Warp<short, float>(size);
      Warp<unsigned char, float>(size);
      Warp<float, float>(size);
      Warp<double, float>(size);
      Warp<float, double>(size); // not overridden
    }
    else if (what == "decompose")
    {
      Decompose<short, double, 3>(size);
      Decompose<float, double, 2>(size);
      Decompose<float, float, 3>(size);
      Decompose<double, double, 1>(size);
      Decompose<double, float, 2>(size); // not overridden
    }
    else
    {
      MakeImage<itk::Image<float, 3>>(size);
    }
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << '\n';
    return EXIT_FAILURE;
  }
  results.close();
  return results ? EXIT_SUCCESS : EXIT_FAILURE;
}
