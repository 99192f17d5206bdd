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

/** \brief A file of transforms, as it is or inverted. */
struct TransformArgument
{
  std::string file;
  bool        inverse{ false };
};

/** \brief A transform as the command line and lists name it: a file, followed by ",inverse" to invert it. */
TransformArgument
ParseTransform(const std::string & text);

/** \brief Whether a list of transforms looks as ANTs has them, the first one first: a field before the matrix that ANTs
 * finds before it, or the inverse of that matrix before a field. */
bool
LooksLikeAntsOrder(const std::vector<TransformArgument> & transforms);

/** \brief Warns of such a list. */
void
WarnOfAntsOrder();

/** \brief A transform as a class that ITK reads from files, which inverses of rigid transforms and similarities are
 * not.
 */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeReadable(itk::Transform<double, VDimension, VDimension> * inverse);

/** \brief The transform from points of the output to points of the input.
 *
 * The rotation is applied last to a point, and of the files the last first: the order of itk::CompositeTransform.
 * \tparam VDimension 2 or 3
 * \param[in] arguments transform files in the order given
 * \param[in] rotation degrees by which the input is turned about its centre: none, one (2D) or three (3D, about x, then
 * y, then z)
 * \param[in] input the input's grid
 * \return null for the identity
 * \exception ProgramError a file is missing, unreadable, of another dimension, or has no inverse; a wrong number of
 * angles */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeTransform(const std::vector<TransformArgument> & arguments,
              const std::vector<double> &            rotation,
              const Grid &                           input);

/** \brief The files of a name with %d, "moco_%04d.tfm", of which each volume of a series has one.
 * \return empty for a name without %d, and for that of a file that exists
 * \exception ProgramError the name has another percent sign */
std::vector<std::string>
FilesOfVolumes(const std::string & name, std::size_t volumes);

/** \brief MakeTransform() for each volume of a series.
 *
 * A file with several transforms and no composite has one for each volume, and so have the files of a name with %d
 * ("moco_%04d.tfm", numbers from 0). The transforms of other files are for all volumes.
 * \param[in] volumes of the series
 * \return one transform for each volume; null for the identity
 * \exception ProgramError as MakeTransform(), and if the transforms of a file are not as many as the volumes, or no
 * file has several */
template <unsigned int VDimension>
std::vector<typename itk::Transform<double, VDimension, VDimension>::Pointer>
MakeVolumeTransforms(const std::vector<TransformArgument> & arguments,
                     const std::vector<double> &            rotation,
                     const Grid &                           input,
                     std::size_t                            volumes);

} // namespace CudaSplineProgram

#endif
