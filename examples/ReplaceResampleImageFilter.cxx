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

/** \file
 * \brief The lines that replace an itk::ResampleImageFilter, as README.md quotes them, on a small image made here.
 *
 * Run without arguments. Prints the backend and the largest difference from ITK's own filter. The exit status is 0 if
 * the difference is below 1e-6 of the image's range, which is the bound of the module for cubic splines. */

#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkEuler3DTransform.h"
#include "itkImage.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkResampleImageFilter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace
{
using ImageType = itk::Image<float, 3>;
using TransformType = itk::Euler3DTransform<double>;

/** A smooth volume with voxels of unequal sides, 0 to 1000. */
ImageType::Pointer
MakeImage()
{
  auto                      image = ImageType::New();
  const ImageType::SizeType size{ { 37, 31, 23 } };
  image->SetRegions(size);
  const double spacing[3]{ 0.9, 1.1, 1.5 };
  image->SetSpacing(spacing);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto at = [&it](unsigned int axis) { return static_cast<double>(it.GetIndex()[axis]); };
    it.Set(static_cast<float>(500.0 +
                              500.0 * std::sin(0.35 * at(0)) * std::cos(0.28 * at(1)) * std::sin(0.4 * at(2) + 1.0)));
  }
  return image;
}

/** A transform maps points of the output to points of the input: the content is rotated the other way. */
TransformType::Pointer
MakeRotation()
{
  auto         rotation = TransformType::New();
  const double centre[3]{ 16.0, 16.0, 16.0 }; // mm
  rotation->SetCenter(centre);
  rotation->SetRotation(0.1, -0.2, 0.3); // radians
  return rotation;
}

/** The largest absolute difference of two images of the same region. */
double
LargestDifference(const ImageType * a, const ImageType * b)
{
  double largest = 0.0;

  itk::ImageRegionConstIterator<ImageType> itB(b, b->GetBufferedRegion());
  for (itk::ImageRegionConstIterator<ImageType> itA(a, a->GetBufferedRegion()); !itA.IsAtEnd(); ++itA, ++itB)
  {
    largest = std::max(largest, std::abs(static_cast<double>(itA.Get()) - static_cast<double>(itB.Get())));
  }
  return largest;
}
} // namespace

int
main()
{
  try
  {
    const ImageType::Pointer     brain = MakeImage();
    const TransformType::Pointer rotation = MakeRotation();

    // Quoted in README.md from here to the closing line; a test compares the two.
    // [replace]
    using FilterType = itk::CudaResampleImageFilter<ImageType, ImageType>; // was: itk::ResampleImageFilter
    auto resample = FilterType::New();
    resample->SetInput(brain);
    resample->SetTransform(rotation);
    resample->SetInterpolator(itk::BSplineInterpolateImageFunction<ImageType>::New()); // ITK's own is recognised
    resample->SetReferenceImage(brain);
    resample->UseReferenceImageOn();
    resample->SetDefaultPixelValue(0);
    resample->Update();
    std::cout << "Computed by: " << NameOf(resample->GetLastBackend()) << '\n';
    // [replace]

    auto reference = itk::ResampleImageFilter<ImageType, ImageType>::New();
    reference->SetInput(brain);
    reference->SetTransform(rotation);
    reference->SetInterpolator(itk::BSplineInterpolateImageFunction<ImageType>::New());
    reference->SetReferenceImage(brain);
    reference->UseReferenceImageOn();
    reference->SetDefaultPixelValue(0);
    reference->Update();

    const double difference = LargestDifference(resample->GetOutput(), reference->GetOutput()) / 1000.0;
    std::cout << "Largest difference from itk::ResampleImageFilter: " << difference << " of the range\n";
    if (resample->GetLastBackend() == itk::CudaSpline::Backend::Superclass)
    {
      std::cerr << "ITK itself was asked: " << resample->GetFallbackReason() << '\n';
      return EXIT_FAILURE;
    }
    return difference < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << '\n';
    return EXIT_FAILURE;
  }
}
