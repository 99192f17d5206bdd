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
// Demons by ITK's filters of partial differential equations, as SimpleITK and plastimatch make them: it includes no
// header of the module and is not linked to it. The test of the object factory runs it with and without
// ITK_AUTOLOAD_PATH.
//
// The standard output has a line for each filter: its class, iterations, metric, mean displacement.

#include "itkDemonsRegistrationFilter.h"
#include "itkDiffeomorphicDemonsRegistrationFilter.h"
#include "itkFastSymmetricForcesDemonsRegistrationFilter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkSymmetricForcesDemonsRegistrationFilter.h"

#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace
{

/** Returns waves, bent for the moving image. */
template <typename TImage>
typename TImage::Pointer
MakeImage(bool isMoving)
{
  auto                      image = TImage::New();
  typename TImage::SizeType size;
  size.Fill(24);
  image->SetRegions(size);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    double value = 100.0;
    for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
    {
      const auto x = static_cast<double>(it.GetIndex()[d]);
      const auto y = static_cast<double>(it.GetIndex()[(d + 1) % TImage::ImageDimension]);
      value += 30.0 * std::sin(0.4 * (x + (isMoving ? std::sin(0.25 * y + d) : 0.0)) + d);
    }
    it.Set(static_cast<typename TImage::PixelType>(value));
  }
  return image;
}

template <typename TFilter>
void
Register()
{
  using Image = typename TFilter::FixedImageType;
  const typename TFilter::Pointer filter = TFilter::New();
  filter->SetFixedImage(MakeImage<Image>(false));
  filter->SetMovingImage(MakeImage<Image>(true));
  filter->SetNumberOfIterations(8);
  filter->SetStandardDeviations(1.0);
  filter->Update();
  const auto * const field = filter->GetOutput();
  const auto         count = field->GetBufferedRegion().GetNumberOfPixels();
  double             mean = 0.0;
  for (itk::SizeValueType n = 0; n < count; ++n)
  {
    mean += field->GetBufferPointer()[n].GetNorm() / static_cast<double>(count);
  }
  std::cout << filter->GetNameOfClass() << ' ' << filter->GetElapsedIterations() << ' ' << std::setprecision(12)
            << filter->GetMetric() << ' ' << mean << std::endl;
}

/** Runs all filters. */
template <typename TPixel, typename TNumber, unsigned int VDimension>
void
RegisterAll()
{
  using Image = itk::Image<TPixel, VDimension>;
  using Field = itk::Image<itk::Vector<TNumber, VDimension>, VDimension>;
  Register<itk::DemonsRegistrationFilter<Image, Image, Field>>();
  Register<itk::SymmetricForcesDemonsRegistrationFilter<Image, Image, Field>>();
  Register<itk::FastSymmetricForcesDemonsRegistrationFilter<Image, Image, Field>>();
  Register<itk::DiffeomorphicDemonsRegistrationFilter<Image, Image, Field>>();
}

} // namespace

int
main()
{
  try
  {
    RegisterAll<float, double, 2>();
    RegisterAll<float, float, 3>();
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
