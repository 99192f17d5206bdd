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
#ifndef CudaSplineRegister_CentreOfGravity_h
#define CudaSplineRegister_CentreOfGravity_h

#include "Error.h"

#include "itkContinuousIndex.h"
#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkMultiThreaderBase.h"
#include "itkPoint.h"
#include "itkSpatialObject.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Centre of gravity of an image, of its values above the least: these may be negative, as of CT.
 *
 * \param[in] image what is not finite has no weight
 * \param[in] mask in space; null: all voxels count
 * \param[in] name of the image, for the error
 * \return the place (mm)
 * \exception ProgramError all values are the same */
template <typename TImage>
itk::Point<double, TImage::ImageDimension>
CentreOfGravity(const TImage * image, const itk::SpatialObject<TImage::ImageDimension> * mask, const std::string & name)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  /** Of a slice; all of them are added in their order, whoever summed them. */
  struct Sums
  {
    double                        least{ std::numeric_limits<double>::infinity() };
    double                        largest{ -std::numeric_limits<double>::infinity() };
    double                        count{ 0.0 };
    double                        total{ 0.0 };
    std::array<double, dimension> indices{};
    std::array<double, dimension> moments{};
  };
  const auto        region = image->GetBufferedRegion();
  std::vector<Sums> slices(region.GetSize(dimension - 1));
  const auto        sum = [&](itk::SizeValueType slice) {
    auto part = region;
    part.SetIndex(dimension - 1, region.GetIndex(dimension - 1) + static_cast<itk::IndexValueType>(slice));
    part.SetSize(dimension - 1, 1);
    Sums                                           sums;
    itk::ImageRegionConstIteratorWithIndex<TImage> it(image, part);
    for (; !it.IsAtEnd(); ++it)
    {
      const auto value = static_cast<double>(it.Get());
      if (!std::isfinite(value))
      {
        continue;
      }
      const auto & index = it.GetIndex();
      if (mask != nullptr)
      {
        typename TImage::PointType place;
        image->TransformIndexToPhysicalPoint(index, place);
        if (!mask->IsInsideInWorldSpace(place))
        {
          continue;
        }
      }
      sums.least = std::min(sums.least, value);
      sums.largest = std::max(sums.largest, value);
      sums.count += 1.0;
      sums.total += value;
      for (unsigned int d = 0; d < dimension; ++d)
      {
        const auto coordinate = static_cast<double>(index[d]);
        sums.indices[d] += coordinate;
        sums.moments[d] += value * coordinate;
      }
    }
    slices[slice] = sums;
  };
  itk::MultiThreaderBase::New()->ParallelizeArray(0, slices.size(), sum, nullptr);
  Sums all;
  for (const Sums & sums : slices)
  {
    all.least = std::min(all.least, sums.least);
    all.largest = std::max(all.largest, sums.largest);
    all.count += sums.count;
    all.total += sums.total;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      all.indices[d] += sums.indices[d];
      all.moments[d] += sums.moments[d];
    }
  }
  if (!(all.largest > all.least))
  {
    throw CudaSplineProgram::ProgramError("the " + name + " image is the same everywhere" +
                                          (mask != nullptr ? " under its mask" : "") +
                                          ", so it has no centre of gravity; use --initialize centre or none");
  }
  itk::ContinuousIndex<double, dimension> centre;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    centre[d] = (all.moments[d] - all.least * all.indices[d]) / (all.total - all.least * all.count);
  }
  itk::Point<double, dimension> place;
  image->TransformContinuousIndexToPhysicalPoint(centre, place);
  return place;
}

} // namespace CudaSplineRegister

#endif
