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
#include "io/transforms/FieldTransform.h"

#include "console/Error.h"
#include "io/formats/ImageInput.h"
#include "process/LibraryMessages.h"
#include "io/formats/NiftiInput.h"
#include "io/volume/PixelType.h"

#include "itkBSplineTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

namespace CudaSplineProgram
{
namespace
{

template <unsigned int VDimension>
using FieldTransformType = itk::DisplacementFieldTransform<double, VDimension>;
template <unsigned int VDimension>
using FieldType = typename FieldTransformType<VDimension>::DisplacementFieldType;

/** Sets the grid of a field to the one on which the inverse of a B-spline is sampled: it covers the domain of the
 * spline with the spacing of the input. */
template <typename TSpline, typename TField>
void
SetDomainOfSpline(const TSpline * spline, const Grid & input, TField * field)
{
  constexpr unsigned int       dimension = TField::ImageDimension;
  const auto                   extent = spline->GetTransformDomainPhysicalDimensions();
  const double                 finest = *std::min_element(input.spacing.begin(), input.spacing.begin() + dimension);
  typename TField::SizeType    size;
  typename TField::SpacingType spacing;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    size[d] = static_cast<itk::SizeValueType>(std::min(2000.0, std::max(2.0, std::ceil(extent[d] / finest) + 1.0)));
    spacing[d] = extent[d] / static_cast<double>(size[d] - 1);
  }
  field->SetRegions(size);
  field->SetSpacing(spacing);
  field->SetOrigin(spline->GetTransformDomainOrigin());
  field->SetDirection(spline->GetTransformDomainDirection());
}

/** Returns the grid on which an inverse is sampled. Null if there is no domain. */
template <unsigned int VDimension>
typename FieldType<VDimension>::Pointer
DomainOf(const itk::Transform<double, VDimension, VDimension> * transform, const Grid & input)
{
  const auto field = FieldType<VDimension>::New();
  if (const auto * const displacements = dynamic_cast<const FieldTransformType<VDimension> *>(transform))
  {
    const auto * const from = displacements->GetDisplacementField();
    field->CopyInformation(from);
    field->SetRegions(from->GetLargestPossibleRegion());
  }
  else if (const auto * const cubic = dynamic_cast<const itk::BSplineTransform<double, VDimension, 3> *>(transform))
  {
    SetDomainOfSpline(cubic, input, field.GetPointer());
  }
  else if (const auto * const square = dynamic_cast<const itk::BSplineTransform<double, VDimension, 2> *>(transform))
  {
    SetDomainOfSpline(square, input, field.GetPointer());
  }
  else if (const auto * const linear = dynamic_cast<const itk::BSplineTransform<double, VDimension, 1> *>(transform))
  {
    SetDomainOfSpline(linear, input, field.GetPointer());
  }
  else
  {
    return nullptr;
  }
  field->Allocate();
  return field;
}

/** A point that a transform maps next to another one, and the remaining distance (mm). */
template <unsigned int VDimension>
struct Preimage
{
  itk::Point<double, VDimension> point;
  double                         distance{ HUGE_VAL };
};

/** Searches the point that a transform maps to another one: with whole steps, then with half steps, then from the best
 * point with steps that are halved until they come closer. The Python package has the same search (_inverse.py). */
template <unsigned int VDimension>
Preimage<VDimension>
SearchPreimage(const itk::Transform<double, VDimension, VDimension> * transform,
               const itk::Point<double, VDimension> &                 wanted,
               const itk::Point<double, VDimension> &                 start,
               unsigned int                                           iterations)
{
  constexpr double                enough = 1e-4;          // mm
  constexpr double                shortest = 1.0 / 256.0; // part of the error
  Preimage<VDimension>            best{ start };
  itk::Vector<double, VDimension> ofBest(0.0);
  itk::Vector<double, VDimension> error(0.0);
  const auto                      measure = [&](const itk::Point<double, VDimension> & point) {
    error = transform->TransformPoint(point) - wanted;
    const double length = error.GetNorm();
    const bool   isBetter = length < best.distance;
    if (isBetter)
    {
      best = { point, length };
      ofBest = error;
    }
    return isBetter;
  };
  for (const double part : { 1.0, 0.5 })
  {
    itk::Point<double, VDimension> point = start;
    for (unsigned int iteration = 0; iteration < iterations && best.distance > enough; ++iteration)
    {
      measure(point);
      if (!std::isfinite(error.GetNorm()))
      {
        break;
      }
      point -= error * part;
    }
    if (!(best.distance > enough) || !std::isfinite(best.distance))
    {
      return best;
    }
  }
  double step = 0.5;
  for (unsigned int iteration = 0; iteration < iterations && best.distance > enough && step >= shortest; ++iteration)
  {
    step = measure(best.point - ofBest * step) ? std::min(1.0, 2.0 * step) : 0.5 * step;
  }
  return best;
}

/** Sets samples next to samples that are done, by a face, an edge or a corner, to the mean of these.
 *
 * \param[out] samples the samples that are set */
template <unsigned int VDimension>
void
ContinueField(FieldType<VDimension> *           field,
              const std::vector<std::uint8_t> & isDone,
              std::vector<std::size_t> &        samples)
{
  const auto                                   size = field->GetBufferedRegion().GetSize();
  auto * const                                 vectors = field->GetBufferPointer();
  std::vector<itk::Vector<double, VDimension>> means;
  samples.clear();
  for (std::size_t sample = 0; sample < isDone.size(); ++sample)
  {
    if (isDone[sample] != 0)
    {
      continue;
    }
    itk::Vector<double, VDimension> sum(0.0);
    int                             count = 0;
    const auto                      index =
      field->ComputeIndex(static_cast<itk::OffsetValueType>(sample)) - field->GetBufferedRegion().GetIndex();
    const auto neighbours = static_cast<int>(std::pow(3, VDimension));
    for (int n = 0; n < neighbours; ++n) // the first axis changes fastest
    {
      std::size_t other = 0;
      std::size_t stride = 1;
      bool        isInside = true;
      for (unsigned int d = 0, rest = static_cast<unsigned int>(n); d < VDimension; ++d, rest /= 3)
      {
        const auto at = index[d] + static_cast<itk::OffsetValueType>(rest % 3) - 1;
        isInside = isInside && at >= 0 && at < static_cast<itk::OffsetValueType>(size[d]);
        other += isInside ? static_cast<std::size_t>(at) * stride : 0;
        stride *= size[d];
      }
      if (isInside && isDone[other] != 0)
      {
        sum += vectors[other];
        ++count;
      }
    }
    if (count > 0)
    {
      samples.push_back(sample);
      means.push_back(sum / static_cast<double>(count));
    }
  }
  for (std::size_t n = 0; n < samples.size(); ++n)
  {
    vectors[samples[n]] = means[n];
  }
}

} // namespace

bool
IsNameOfField(const std::string & file)
{
  std::string name = file;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::filesystem::path path(name);
  const std::string           ending = path.extension().string();
  const auto                  is = [&ending](std::initializer_list<const char *> endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  return IsNiftiName(file) || is({ ".nrrd", ".nhdr", ".mha", ".mhd", ".vtk" });
}

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
ReadFieldTransform(const std::string & file)
{
  ImageDescription image = DescribeImage(file, {});
  const Grid &     grid = image.grid;
  if (image.layout.nifti && !image.layout.nifti->foreignWarp.empty())
  {
    throw ProgramError("the transform \"" + file +
                       "\" is not a displacement field of ITK: " + image.layout.nifti->foreignWarp);
  }
  if (grid.dimension != VDimension || image.layout.components != VDimension || image.layout.volumes != 1)
  {
    throw ProgramError("the transform \"" + file + "\" is an image of " + std::to_string(image.grid.dimension) +
                       " dimensions with " + std::to_string(image.layout.components) +
                       " components per pixel; a displacement field for this image must have " +
                       std::to_string(VDimension) + " dimensions and " + std::to_string(VDimension) + " components");
  }
  const auto field = FieldType<VDimension>::New();
  SetGeometry<VDimension>(grid, field.GetPointer());
  field->Allocate();
  const std::vector<Volume> planes = ReadPlanes(image, 0);
  const auto                count = static_cast<std::int64_t>(grid.GetNumberOfVoxels());
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    for (std::int64_t voxel = 0; voxel < count; ++voxel)
    {
      const auto value = itk::CudaSpline::LoadScalar<double>(planes[d].pixels.get(), planes[d].type, voxel);
      if (!std::isfinite(value))
      {
        throw ProgramError("the displacement field \"" + file + "\" has a component that is " + Brief(value));
      }
      field->GetBufferPointer()[voxel][d] = value;
    }
  }
  WarnOf(image.messages);
  const auto transform = FieldTransformType<VDimension>::New();
  transform->SetDisplacementField(field);
  return transform.GetPointer();
}

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
InvertByIteration(const itk::Transform<double, VDimension, VDimension> * transform,
                  const Grid &                                           input,
                  InverseResidual &                                      residual)
{
  const typename FieldType<VDimension>::Pointer inverse = DomainOf<VDimension>(transform, input);
  if (inverse.IsNull())
  {
    return nullptr;
  }
  const auto                region = inverse->GetBufferedRegion();
  const auto                count = static_cast<std::size_t>(region.GetNumberOfPixels());
  auto * const              vectors = inverse->GetBufferPointer();
  std::vector<double>       distances(count);
  std::vector<std::size_t>  samples(count);
  std::vector<std::uint8_t> isDone(count);
  const auto                search = [&](unsigned int iterations) {
    itk::MultiThreaderBase::New()->ParallelizeArray(
      0,
      samples.size(),
      [&](itk::SizeValueType n) {
        const std::size_t              sample = samples[n];
        itk::Point<double, VDimension> wanted;
        inverse->TransformIndexToPhysicalPoint(inverse->ComputeIndex(static_cast<itk::OffsetValueType>(sample)),
                                               wanted);
        const Preimage<VDimension> found = SearchPreimage(transform, wanted, wanted + vectors[sample], iterations);
        vectors[sample] = found.point - wanted;
        distances[sample] = found.distance;
      },
      nullptr);
  };
  inverse->FillBuffer(itk::Vector<double, VDimension>(0.0));
  std::iota(samples.begin(), samples.end(), 0);
  search(100);
  std::transform(distances.begin(), distances.end(), isDone.begin(), [](double distance) {
    return distance <= LargestResidual ? 1 : 0;
  });
  // Samples without an inverse continue from the neighbours that have one.
  const bool hasAny = std::find(isDone.begin(), isDone.end(), 1) != isDone.end();
  while (hasAny && std::find(isDone.begin(), isDone.end(), 0) != isDone.end())
  {
    ContinueField<VDimension>(inverse.GetPointer(), isDone, samples);
    search(10);
    for (const std::size_t sample : samples)
    {
      isDone[sample] = 1;
    }
  }
  residual.largest = *std::max_element(distances.begin(), distances.end());
  residual.mean = std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(count);
  const auto result = FieldTransformType<VDimension>::New();
  result->SetDisplacementField(inverse);
  return result.GetPointer();
}

template itk::Transform<double, 2, 2>::Pointer
ReadFieldTransform<2>(const std::string &);
template itk::Transform<double, 3, 3>::Pointer
ReadFieldTransform<3>(const std::string &);
template itk::Transform<double, 2, 2>::Pointer
InvertByIteration<2>(const itk::Transform<double, 2, 2> *, const Grid &, InverseResidual &);
template itk::Transform<double, 3, 3>::Pointer
InvertByIteration<3>(const itk::Transform<double, 3, 3> *, const Grid &, InverseResidual &);

} // namespace CudaSplineProgram
