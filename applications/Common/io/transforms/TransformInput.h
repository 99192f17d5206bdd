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
#ifndef CudaSplineProgram_TransformInput_h
#define CudaSplineProgram_TransformInput_h

#include "io/volume/Volume.h"

#include "itkTransform.h"

#include <cstddef>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A file of transforms, and whether they are inverted. */
struct TransformArgument
{
  std::string file;
  bool        inverse{ false };
};

/** \brief Parses a transform on the command line or in a list: a file, followed by ",inverse" to invert it. */
TransformArgument
ParseTransform(const std::string & text);

/** \brief Returns whether a list of transforms seems to have the order of ANTs, with the first one first: a field
 * before the matrix that ANTs finds before it, or the inverse of that matrix before a field. */
bool
LooksLikeAntsOrder(const std::vector<TransformArgument> & transforms);

/** \brief Warns about such a list. */
void
WarnOfAntsOrder();

/** \brief Returns a transform as a class that ITK reads from files. Inverses of rigid transforms and similarities do
 * not have such a class. */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeReadable(itk::Transform<double, VDimension, VDimension> * inverse);

/** \brief Returns the transform from points of the output to points of the input.
 *
 * The rotation is applied last to a point. The last file is applied first, which is the order of
 * itk::CompositeTransform.
 *
 * \tparam VDimension 2 or 3
 * \param[in] arguments transform files in the given order
 * \param[in] rotation degrees by which the input is rotated about its centre: none, one (2D) or three (3D, about x,
 * then y, then z)
 * \param[in] input grid of the input
 * \return null for the identity
 * \exception ProgramError a file is missing, unreadable, of another dimension, or has no inverse; a wrong number of
 * angles */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeTransform(const std::vector<TransformArgument> & arguments,
              const std::vector<double> &            rotation,
              const Grid &                           input);

/** \brief Returns the files of a name with %d, "moco_%04d.tfm", one for each volume of a series.
 *
 * \return empty for a name without %d, and for the name of an existing file
 * \exception ProgramError the name has another percent sign */
std::vector<std::string>
FilesOfVolumes(const std::string & name, std::size_t volumes);

/** \brief MakeTransform() for each volume of a series.
 *
 * A file with several transforms and no composite has one for each volume. So have the files of a name with %d
 * ("moco_%04d.tfm", numbers from 0). The transforms of other files are for all volumes.
 *
 * \param[in] arguments, rotation, input as for MakeTransform()
 * \param[in] volumes volumes of the series
 * \return one transform for each volume; null for the identity
 * \exception ProgramError as MakeTransform(), and if the number of transforms of a file differs from that of the
 * volumes, or if no file has several */
template <unsigned int VDimension>
std::vector<typename itk::Transform<double, VDimension, VDimension>::Pointer>
MakeVolumeTransforms(const std::vector<TransformArgument> & arguments,
                     const std::vector<double> &            rotation,
                     const Grid &                           input,
                     std::size_t                            volumes);

} // namespace CudaSplineProgram

#endif
