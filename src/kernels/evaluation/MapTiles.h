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
#ifndef MapTiles_h
#define MapTiles_h

namespace itk::CudaSpline
{

/** \brief The dependence of the continuous indices of the input on those of the output. */
enum class MapShape : unsigned char
{
  General,  ///< all indices depend on all indices of the output
  InPlane,  ///< z depends only on the output's slice, x and y on sample and row; all maps in two dimensions
  Separable ///< x depends only on the sample, y on the row, z on the slice
};

/** \brief Division of an output into tiles by a device; each tile reads a window of one slice of the input at a time.
 */
struct MapTiles
{
  MapShape shape{ MapShape::General }; ///< General: no tiles
  int      tileX{ 0 };                 ///< output samples of a tile; a power of two
  int      tileY{ 0 };                 ///< output rows of a tile
  int      pitch{ 0 };                 ///< elements of a row of the window, with padding
  int      rows{ 0 };                  ///< maximum number of rows of the window
  bool     backward{ false };          ///< z decreases with the output's slices
  bool     square{ false };            ///< warps are 8 x 4 samples of the output, else 32 x 1
};

} // namespace itk::CudaSpline

#endif
