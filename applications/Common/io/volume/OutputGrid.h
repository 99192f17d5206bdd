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
  std::size_t end{ ~std::size_t{ 0 } }; ///< the first voxel after them; the largest number: all that follow
};

/** \brief The requested output grid; empty values follow from the base grid. */
struct GridOptions
{
  std::vector<VoxelRange>  crop;      ///< of the base grid; one an axis
  std::vector<double>      spacing;   ///< mm; one value, or one an axis
  std::vector<std::size_t> size;      ///< voxels; one value, or one an axis
  std::vector<double>      origin;    ///< mm, LPS: position of the first voxel; one an axis
  std::vector<double>      direction; ///< matrix, row by row; its columns are the directions of the axes

  /** Whether anything is asked for. */
  bool
  IsEmpty() const
  {
    return crop.empty() && spacing.empty() && size.empty() && origin.empty() && direction.empty();
  }
};

/** \brief The grid of the output: a base grid that is cropped, then sampled otherwise, then moved.
 *
 * The centre of the base, or of its cropped region, and its axes do not change, except for a given origin and
 * direction. With a spacing alone the size is the number of whole voxels nearest to the extent (size times spacing);
 * with a size alone the spacing is the extent over it; with a size and an origin it does not change.
 *
 * \param[in] whole the input's grid, or a reference image's
 * \param[in] options what is asked for
 * \exception ProgramError a wrong number of values, a range beyond the base, or a direction that is not a matrix of
 * orthogonal columns of length 1 */
Grid
MakeOutputGrid(const Grid & whole, const GridOptions & options);

/** \brief How many voxels of the input, along each of its axes, lie between neighbours of the output at its centre, at
 * most; 0 along axes with one voxel.
 * \param[in] mapping the transform, from points of the output to points of the input */
Coordinates
StepsOfSampling(const Grid &                                            input,
                const Grid &                                            output,
                const std::function<Coordinates(const Coordinates &)> & mapping);

/** \brief Which axes are sampled more coarsely than the input, in words; empty where none is by more than a tenth.
 *
 * Measured at the centre of the output: how many voxels of the input, along any of its axes, lie between neighbours of
 * the output.
 * \param[in] mapping the transform, from points of the output to points of the input */
std::string
DescribeDownsampling(const Grid &                                            input,
                     const Grid &                                            output,
                     const std::function<Coordinates(const Coordinates &)> & mapping);

} // namespace CudaSplineProgram

#endif
