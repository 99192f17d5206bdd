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
#ifndef CudaSplineProgram_OutputGrid_h
#define CudaSplineProgram_OutputGrid_h

#include "io/volume/Volume.h"

#include <functional>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief Voxels along an axis. */
struct VoxelRange
{
  std::size_t first{ 0 };
  std::size_t end{ ~std::size_t{ 0 } }; ///< the first voxel after them; the maximum: all following voxels
};

/** \brief The requested output grid. Empty values follow from the base grid. */
struct GridOptions
{
  std::vector<VoxelRange>  crop;      ///< of the base grid; one range per axis
  std::vector<double>      spacing;   ///< mm; one value, or one per axis
  std::vector<std::size_t> size;      ///< voxels; one value, or one per axis
  std::vector<double>      origin;    ///< mm, LPS: position of the first voxel; one per axis
  std::vector<double>      direction; ///< matrix, row by row; its columns are the directions of the axes

  /** Returns whether any option is given. */
  bool
  IsEmpty() const
  {
    return crop.empty() && spacing.empty() && size.empty() && origin.empty() && direction.empty();
  }
};

/** \brief Returns the grid of the output: a base grid that is cropped, then resampled, then moved.
 *
 * The centre of the base, or of its cropped region, and its axes do not change, except for a given origin and
 * direction. With a spacing alone, the size is the whole number of voxels that is nearest to the extent (size times
 * spacing). With a size alone, the spacing is the extent divided by it. With a size and an origin, it does not change.
 *
 * \param[in] whole the grid of the input, or of a reference image
 * \param[in] options the request
 * \exception ProgramError a wrong number of values, a range beyond the base, or a direction that is not a matrix of
 * orthogonal columns of length 1 */
Grid
MakeOutputGrid(const Grid & whole, const GridOptions & options);

/** \brief Returns the maximum number of input voxels between neighbouring output samples, along each axis of the input
 * and at the centre of the output. It is 0 along axes with one voxel.
 *
 * \param[in] mapping the transform, from points of the output to points of the input */
Coordinates
StepsOfSampling(const Grid &                                            input,
                const Grid &                                            output,
                const std::function<Coordinates(const Coordinates &)> & mapping);

/** \brief Describes the axes that are sampled more coarsely than the input by more than a tenth. Empty if there are
 * none.
 *
 * It is measured at the centre of the output: the number of input voxels, along any axis of the input, between
 * neighbouring output samples.
 *
 * \param[in] mapping the transform, from points of the output to points of the input */
std::string
DescribeDownsampling(const Grid &                                            input,
                     const Grid &                                            output,
                     const std::function<Coordinates(const Coordinates &)> & mapping);

} // namespace CudaSplineProgram

#endif
