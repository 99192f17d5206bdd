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
 * \brief Warps an image of RTK, itk::CudaImage, in the memory of the GPU: neither the image, nor the field, nor the
 * result is copied to the host.
 *
 * RTK's filters have such images as inputs and outputs: a projection can be warped between two of them.
 *
 * Run without arguments. Prints the backend, and whether the pixels are on the device. The exit status is 0 if they are
 * and if the values are right, and 77 without a GPU. */

#include "itkCudaSplineCudaCommon.h" // before the filters
#include "itkCudaSplineSystem.h"
#include "itkCudaWarpImageFilter.h"

#include "itkImageRegionIteratorWithIndex.h"
#include "itkVector.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace
{
using ImageType = itk::CudaImage<float, 3>;
using FieldType = itk::CudaImage<itk::Vector<float, 3>, 3>;

constexpr double Shift = 2.5; // mm, along x

template <typename TImage>
typename TImage::Pointer
MakeImage()
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::SizeType{ { 64, 48, 32 } });
  image->Allocate();
  return image;
}

bool
IsOnDevice(const ImageType * image)
{
  return image->GetCudaDataManager()->IsCPUBufferDirty() && !image->GetCudaDataManager()->IsGPUBufferDirty();
}
} // namespace

int
main()
{
  if (!itk::CudaSpline::SelectDevice(""))
  {
    std::cout << "There is no GPU.\n";
    return 77;
  }
  try
  {
    const ImageType::Pointer image = MakeImage<ImageType>();
    for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(static_cast<float>(it.GetIndex()[0]));
    }
    const FieldType::Pointer   field = MakeImage<FieldType>();
    const FieldType::PixelType shift(std::array<float, 3>{ { static_cast<float>(Shift), 0.0F, 0.0F } }.data());
    field->FillBuffer(shift);
    // As after a filter of RTK: the newest pixels are on the device.
    image->GetCudaDataManager()->GetGPUBufferPointer();
    field->GetCudaDataManager()->GetGPUBufferPointer();

    auto warp = itk::CudaWarpImageFilter<ImageType, ImageType, FieldType>::New();
    warp->SetInput(image);
    warp->SetDisplacementField(field);
    warp->SetOutputParametersFromImage(image);
    warp->SetGPUEnabled(true);
    warp->Update();

    const ImageType * const warped = warp->GetOutput(); // the input of the next filter of RTK
    const bool              isThere = IsOnDevice(image) && IsOnDevice(warped);
    std::cout << "Computed by: " << NameOf(warp->GetLastBackend()) << "; image and result "
              << (isThere ? "are on the device only\n" : "were copied to the host\n");
    const float value = warped->GetPixel(ImageType::IndexType{ { 20, 10, 5 } }); // copies the result to the host
    std::cout << "Value at x = 20 mm: " << value << ", expected: " << 20.0 + Shift << '\n';
    return isThere && std::abs(value - (20.0 + Shift)) < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << '\n';
    return EXIT_FAILURE;
  }
}
