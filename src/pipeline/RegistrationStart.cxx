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
#include "pipeline/RegistrationStart.h"

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{

/** Returns the centre between the first and the last sample of a grid. */
FieldGrid::Vector
FindMiddle(const FieldGrid & grid)
{
  FieldGrid::Vector first{};
  FieldGrid::Vector last{};
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    first[d] = static_cast<double>(grid.start[d]);
    last[d] = static_cast<double>(grid.start[d] + grid.size[d] - 1);
  }
  first = PlaceOfIndex(grid, first);
  last = PlaceOfIndex(grid, last);
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    first[d] = 0.5 * (first[d] + last[d]);
  }
  return first;
}

/** Returns the pair whose moments are aligned, with its masks on the host. Masks are omitted if only one image has a
 * mask and it is small, because the centre of a small part of one image does not correspond to the centre of the
 * other, whole image. */
ImagePair
PairOfMoments(PreparedImages & images)
{
  ImagePair pair = images.GetPairs().front();
  pair.fixed = images.WithMaskOnHost(pair.fixed);
  pair.moving = images.WithMaskOnHost(pair.moving);
  const bool areBoth = pair.fixed.mask != nullptr && pair.moving.mask != nullptr;
  if (!areBoth && (HasSmallMask(pair.fixed) || HasSmallMask(pair.moving)))
  {
    pair.fixed.mask = nullptr;
    pair.moving.mask = nullptr;
  }
  return pair;
}

FieldGrid::Vector
FindCentre(const MaskedImage & image, const std::string & name, const Residence & residence)
{
  const auto centre = FindCentreOfGravity(image, residence);
  if (!centre)
  {
    throw std::invalid_argument("the " + name + " image has no centre of gravity, because it has only one value" +
                                (image.mask == nullptr ? "" : " inside its mask, or no voxel inside it") +
                                "; use another initial alignment, such as 'centre'");
  }
  return *centre;
}

/** Returns a translation as a rigid transform. */
LinearTransform
MakeShift(const FieldGrid::Vector & centre, const LinearTransform::Vector & shift, unsigned int dimension)
{
  LinearTransform             made(LinearKind::Rigid, dimension, centre);
  LinearTransform::Parameters parameters{};
  std::copy_n(shift.begin(), dimension, parameters.begin() + (dimension == 2 ? 1 : 3));
  made.SetParameters(parameters);
  return made;
}

LinearTransform
SearchRotation(PreparedImages &                images,
               const FieldGrid::Vector &       centre,
               const LinearTransform::Vector & shift,
               PipelineMessages &              messages)
{
  const FoundRotation found = FindBestRotation(images, centre, shift);
  if (found.explained < PoorExplanation)
  {
    messages.Warn(PipelineWarning::Kind::PoorRotation,
                  -1,
                  "the search of rotations found no good alignment: the best rotation explains " +
                    Brief(100.0 * found.explained) + " % of the fixed image's entropy (less than " +
                    Brief(100.0 * PoorExplanation) + " % is poor); check whether the images are aligned");
  }
  return found.transform;
}

} // namespace

FoundRotation
FindBestRotation(PreparedImages & images, const FieldGrid::Vector & centre, const LinearTransform::Vector & shift)
{
  const ImagePair pair = PairOfMoments(images);
  return FindRotation(pair.fixed, pair.moving, centre, shift, images.MakeResidence());
}

RegistrationStart
FindStart(const RegistrationInput & input,
          const RegistrationSpec &  spec,
          PreparedImages &          images,
          PipelineMessages &        messages)
{
  const unsigned int dimension = images.GetFixedGrid().dimension;
  RegistrationStart  start;
  start.centre = FindMiddle(images.GetFixedGrid());
  if (input.initial || spec.initial == InitialAlignment::None)
  {
    return start;
  }
  FieldGrid::Vector other = FindMiddle(images.GetMovingGrid());
  if (spec.initial != InitialAlignment::Centre)
  {
    const ImagePair pair = PairOfMoments(images);
    const Residence residence = images.MakeResidence();
    start.centre = FindCentre(pair.fixed, "fixed", residence);
    other = FindCentre(pair.moving, "moving", residence);
  }
  LinearTransform::Vector shift{};
  for (unsigned int d = 0; d < dimension; ++d)
  {
    shift[d] = other[d] - start.centre[d];
  }
  start.transform = MakeShift(start.centre, shift, dimension);
  if (spec.initial == InitialAlignment::Search)
  {
    start.transform = SearchRotation(images, start.centre, shift, messages);
    start.kind = LinearKind::Rigid;
  }
  return start;
}

} // namespace itk::CudaSpline
