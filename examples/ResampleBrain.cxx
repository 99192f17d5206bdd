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
 * \brief Rotates a volume and resamples it to finer voxels with this module's filter and with ITK's, and compares the
 * results, which scripts/demo draws.
 *
 * usage: ResampleBrain IMAGE OUTPUT-FOLDER
 *
 * The content of the volume is rotated about its centre by 10, -5 and 20 degrees about x, then y, then z. A positive
 * angle rotates counter-clockwise as seen from the tip of an axis of ITK's physical space (x to the patient's left, y
 * to the back, z up), as CudaSplineResample --rotate does. Voxels become 0.8 times as large. For each of nearest
 * neighbours, linear and cubic B-spline interpolation are written into the folder, which exists:
 *
 * * `nearest.nii.gz`, ...: the result, in float;
 * * `nearest-difference.nii.gz`, ...: the result of ITK's filter in double, minus that result;
 * * a line of `comparison.csv`: the backend, seconds of both filters, errors (grey values). */

#include "itkCudaResampleImageFilter.h"

#include "itkBSplineInterpolateImageFunction.h"
#include "itkEuler3DTransform.h"
#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkMath.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkTimeProbe.h"
#include "itkVersion.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace
{
using ImageType = itk::Image<float, 3>;
using ExactImageType = itk::Image<double, 3>;
using RotationType = itk::Euler3DTransform<double>;
using TransformType = itk::Transform<double, 3, 3>;
using InterpolatorType = itk::InterpolateImageFunction<ImageType, double>;

/** The transform by which an image is resampled so that its content is rotated by 10, -5 and 20 degrees about the axes
 * through its centre. It maps points of the output to points of the input, so it is the inverse of that rotation. */
TransformType::Pointer
MakeTransform(const ImageType * image)
{
  itk::ContinuousIndex<double, 3> middle;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    middle[axis] = 0.5 * static_cast<double>(image->GetBufferedRegion().GetSize(axis) - 1);
  }
  itk::Point<double, 3> centre;
  image->TransformContinuousIndexToPhysicalPoint(middle, centre);

  auto             rotation = RotationType::New();
  constexpr double degree = itk::Math::pi / 180.0;
  rotation->SetCenter(centre);
  rotation->SetComputeZYX(true); // about x first, and about z last; ITK's default is about y first
  rotation->SetRotation(10.0 * degree, -5.0 * degree, 20.0 * degree);
  return rotation->GetInverseTransform();
}

/** Sets the parameters of both filters; returns the seconds of the update. */
template <typename TFilter>
double
Resample(TFilter * filter, const ImageType * image, const TransformType * transform, InterpolatorType * interpolator)
{
  constexpr double    finer = 0.8;
  ImageType::SizeType size;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    size[axis] = static_cast<itk::SizeValueType>(std::lround(image->GetBufferedRegion().GetSize(axis) / finer));
  }
  filter->SetInput(image);
  filter->SetTransform(transform);
  filter->SetInterpolator(interpolator);
  filter->SetOutputParametersFromImage(image);
  filter->SetSize(size);
  filter->SetOutputSpacing(image->GetSpacing() * finer);

  itk::TimeProbe clock;
  clock.Start();
  filter->Update();
  clock.Stop();
  return clock.GetTotal();
}

template <typename TImage>
void
Write(const TImage * image, const std::string & path)
{
  auto writer = itk::ImageFileWriter<TImage>::New();
  writer->SetInput(image);
  writer->SetFileName(path);
  writer->UseCompressionOn();
  writer->Update();
}

/** Resamples by both filters, writes the result and the difference, and adds a line to the table. */
void
Compare(const ImageType *   image,
        const std::string & name,
        InterpolatorType *  interpolator,
        const std::string & folder,
        std::ostream &      table)
{
  const TransformType::Pointer transform = MakeTransform(image);

  auto         ours = itk::CudaResampleImageFilter<ImageType, ImageType>::New(); // knows ITK's interpolators
  const double seconds = Resample(ours.GetPointer(), image, transform, interpolator);
  auto         itks = itk::ResampleImageFilter<ImageType, ExactImageType>::New();
  const double itkSeconds = Resample(itks.GetPointer(), image, transform, interpolator);

  ImageType *        difference = ours->GetOutput();
  const double *     expected = itks->GetOutput()->GetBufferPointer();
  const std::size_t  count = difference->GetBufferedRegion().GetNumberOfPixels();
  std::vector<float> errors(count);
  Write(ours->GetOutput(), folder + '/' + name + ".nii.gz");
  double squares = 0.0;
  for (std::size_t i = 0; i < count; ++i)
  {
    float &      value = difference->GetBufferPointer()[i];
    const double error = expected[i] - static_cast<double>(value);
    value = static_cast<float>(error);
    errors[i] = std::abs(value);
    squares += error * error;
  }
  Write(difference, folder + '/' + name + "-difference.nii.gz");
  const auto rare = errors.begin() + static_cast<std::ptrdiff_t>(0.999 * static_cast<double>(count - 1));
  std::nth_element(errors.begin(), rare, errors.end());
  const float percentile = *rare;

  const auto size = difference->GetBufferedRegion().GetSize();
  const auto range = std::minmax_element(image->GetBufferPointer(),
                                         image->GetBufferPointer() + image->GetBufferedRegion().GetNumberOfPixels());
  table << name << ',' << NameOf(ours->GetLastBackend()) << ",\"" << ours->GetFallbackReason() << "\",\""
        << itk::Version::GetITKVersion() << "\"," << size[0] << " x " << size[1] << " x " << size[2] << ','
        << *range.first << ',' << *range.second << ',' << seconds << ',' << itkSeconds << ','
        << *std::max_element(rare, errors.end()) << ',' << std::sqrt(squares / static_cast<double>(count)) << ','
        << percentile << '\n';
}
} // namespace

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "usage: " << argv[0] << " IMAGE OUTPUT-FOLDER\n";
    return EXIT_FAILURE;
  }
  try
  {
    const ImageType::Pointer image = itk::ReadImage<ImageType>(argv[1]);
    const std::string        folder = argv[2];

    // Starts the device, which takes longer than any of the three.
    Resample(itk::CudaResampleImageFilter<ImageType, ImageType>::New().GetPointer(),
             image,
             MakeTransform(image),
             itk::NearestNeighborInterpolateImageFunction<ImageType>::New());

    std::ofstream table(folder + "/comparison.csv");
    table
      << "interpolation,backend,fallback,itk,size,minimum,maximum,seconds,itk_seconds,largest,rms,percentile_99_9\n";
    Compare(image, "nearest", itk::NearestNeighborInterpolateImageFunction<ImageType>::New(), folder, table);
    Compare(image, "linear", itk::LinearInterpolateImageFunction<ImageType>::New(), folder, table);
    Compare(image, "bspline", itk::BSplineInterpolateImageFunction<ImageType>::New(), folder, table);
    if (!table.flush())
    {
      std::cerr << "The table can't be written into " << folder << '\n';
      return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << '\n';
    return EXIT_FAILURE;
  }
}
