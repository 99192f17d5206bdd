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
 * \brief Resamples a ramp with the installed module: half-way between voxels a linear interpolation of it is exact. */

#include "itkCudaResampleImageFilter.h"
#if defined(WITH_FACTORY)
#  include "itkCudaSplineFactory.h"
#endif

#include "itkImage.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkTranslationTransform.h"

#include <cstdlib>
#include <iostream>
#include <string>

int
main()
{
  using ImageType = itk::Image<float, 3>;
  auto                      ramp = ImageType::New();
  const ImageType::SizeType size{ { 9, 8, 7 } };
  ramp->SetRegions(size);
  ramp->Allocate();
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(ramp, ramp->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto & index = it.GetIndex();
    it.Set(static_cast<float>(index[0] + 16 * index[1] + 256 * index[2]));
  }

  auto                                                   shift = itk::TranslationTransform<double, 3>::New();
  itk::TranslationTransform<double, 3>::OutputVectorType offset;
  offset.Fill(0.5);
  shift->Translate(offset);

  auto resample = itk::CudaResampleImageFilter<ImageType, ImageType>::New();
  resample->SetInput(ramp);
  resample->SetTransform(shift);
  resample->SetReferenceImage(ramp);
  resample->UseReferenceImageOn();
  resample->SetDefaultPixelValue(-1.0f);
  resample->Update();

  const ImageType::IndexType inside{ { 3, 2, 1 } };
  const ImageType::IndexType outside{ { 8, 7, 6 } };
  const float                value = resample->GetOutput()->GetPixel(inside);
  const float                expected = 3.5f + 16 * 2.5f + 256 * 1.5f;
  std::cout << "Computed by " << NameOf(resample->GetLastBackend()) << ": " << value << ", expected " << expected
            << '\n';
  if (resample->GetLastBackend() == itk::CudaSpline::Backend::Superclass)
  {
    std::cerr << "ITK itself was asked: " << resample->GetFallbackReason() << '\n';
    return EXIT_FAILURE;
  }
#if defined(WITH_FACTORY)
  itk::CudaSplineFactory::RegisterOneFactory();
  const std::string name = itk::ResampleImageFilter<ImageType, ImageType>::New()->GetNameOfClass();
  if (name != "CudaResampleImageFilter")
  {
    std::cerr << "The factory gives a " << name << '\n';
    return EXIT_FAILURE;
  }
#endif
  const bool outsideIsDefault = resample->GetOutput()->GetPixel(outside) == -1.0f;
  return value == expected && outsideIsDefault ? EXIT_SUCCESS : EXIT_FAILURE;
}
