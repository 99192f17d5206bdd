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
#include "io/formats/FormatLoss.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace CudaSplineProgram
{

namespace
{

bool
IsNear(double a, double b, double tolerance)
{
  return std::abs(a - b) <= tolerance;
}

std::string
NameOfMeaning(itk::IOPixelEnum pixel)
{
  switch (pixel)
  {
    case itk::IOPixelEnum::RGB:
      return "RGB colours";
    case itk::IOPixelEnum::RGBA:
      return "RGBA colours";
    case itk::IOPixelEnum::COMPLEX:
      return "complex numbers";
    case itk::IOPixelEnum::COVARIANTVECTOR:
      return "covariant vectors";
    case itk::IOPixelEnum::POINT:
      return "points";
    case itk::IOPixelEnum::SYMMETRICSECONDRANKTENSOR:
    case itk::IOPixelEnum::DIFFUSIONTENSOR3D:
      return "symmetric tensors";
    default:
      return "vectors";
  }
}

/** Returns the formats that have a field for a meaning. */
std::string
FormatsThatKeep(itk::IOPixelEnum pixel, ScalarType type)
{
  const bool isOfNrrd = pixel == itk::IOPixelEnum::COVARIANTVECTOR || pixel == itk::IOPixelEnum::POINT ||
                        (pixel == itk::IOPixelEnum::COMPLEX && !IsReal(type));
  return isOfNrrd ? ".nrrd keeps them" : ".nrrd and .nii.gz keep them";
}

std::string
CompareFourthAxis(const ImageLayout & wanted, const ImageLayout & found)
{
  const double spacing = std::abs(wanted.volumeSpacing);
  const bool   isSpacingKept = IsNear(wanted.volumeSpacing, found.volumeSpacing, 1e-4 * spacing);
  const bool   isOriginKept =
    IsNear(wanted.volumeOrigin, found.volumeOrigin, 1e-3 * spacing + 1e-6 * std::abs(wanted.volumeOrigin));
  return JoinLosses(isSpacingKept ? "" : "spacing of volumes", isOriginKept ? "" : "origin of volumes");
}

} // namespace

std::string
JoinLosses(const std::string & one, const std::string & other)
{
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

std::string
CompareGeometry(const Grid & wanted, const Grid & found)
{
  bool         spacing = true;
  bool         origin = true;
  bool         direction = true;
  const double largest = *std::max_element(wanted.spacing.begin(), wanted.spacing.end());
  for (unsigned int axis = 0; axis < wanted.dimension; ++axis)
  {
    spacing = spacing && IsNear(wanted.spacing[axis], found.spacing[axis], 1e-4 * wanted.spacing[axis]);
    origin =
      origin && IsNear(wanted.origin[axis], found.origin[axis], 1e-3 * largest + 1e-6 * std::abs(wanted.origin[axis]));
    for (unsigned int row = 0; row < wanted.dimension; ++row)
    {
      direction = direction && IsNear(wanted.direction[row][axis], found.direction[row][axis], 1e-4);
    }
  }
  std::string lost;
  for (const auto & [kept, name] :
       { std::pair(spacing, "spacing"), std::pair(origin, "origin"), std::pair(direction, "direction") })
  {
    lost = JoinLosses(lost, kept ? "" : name);
  }
  return lost;
}

std::string
CompareMeaning(const ImageLayout & wanted, const ImageLayout & found, ScalarType type)
{
  const std::string meaning = NameOfMeaning(wanted.pixel);
  const std::string becomes = NameOfMeaning(found.pixel);
  // A single number per pixel has no other meaning, and numbers without a meaning lose none.
  const bool        isKept = wanted.components == 1 || wanted.pixel == itk::IOPixelEnum::SCALAR || meaning == becomes;
  const std::string lost =
    isKept ? "" : meaning + " (they become " + becomes + "; " + FormatsThatKeep(wanted.pixel, type) + ")";
  return JoinLosses(lost, wanted.isSeries ? CompareFourthAxis(wanted, found) : "");
}

} // namespace CudaSplineProgram
