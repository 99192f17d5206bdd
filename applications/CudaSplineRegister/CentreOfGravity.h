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
#include "itkPoint.h"
#include "itkSpatialObject.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

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
  const auto             forEach = [&](const auto & run) {
    itk::ImageRegionConstIteratorWithIndex<TImage> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      const auto value = static_cast<double>(it.Get());
      if (!std::isfinite(value))
      {
        continue;
      }
      if (mask != nullptr)
      {
        typename TImage::PointType place;
        image->TransformIndexToPhysicalPoint(it.GetIndex(), place);
        if (!mask->IsInsideInWorldSpace(place))
        {
          continue;
        }
      }
      run(value, it.GetIndex());
    }
  };
  double least = std::numeric_limits<double>::infinity();
  forEach([&least](double value, const auto &) { least = std::min(least, value); });
  double                                  total = 0.0;
  itk::ContinuousIndex<double, dimension> centre;
  centre.Fill(0.0);
  forEach([&](double value, const auto & index) {
    total += value - least;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      centre[d] += (value - least) * static_cast<double>(index[d]);
    }
  });
  if (!(total > 0.0))
  {
    throw CudaSplineProgram::ProgramError("the " + name + " image is the same everywhere" +
                                          (mask != nullptr ? " under its mask" : "") +
                                          ", so it has no centre of gravity; use --initialize centre or none");
  }
  for (unsigned int d = 0; d < dimension; ++d)
  {
    centre[d] /= total;
  }
  itk::Point<double, dimension> place;
  image->TransformContinuousIndexToPhysicalPoint(centre, place);
  return place;
}

} // namespace CudaSplineRegister

#endif
