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

/** \brief What the continuous indices of the input depend on. */
enum class MapShape : unsigned char
{
  General,  ///< all of them on all indices of the output
  InPlane,  ///< z on the output's slice alone, x and y on sample and row; in two dimensions every map is one
  Separable ///< x on the sample alone, y on the row, z on the slice
};

/** \brief How a device cuts an output into tiles, each of which reads a window of a slice of the input at a time. */
struct MapTiles
{
  MapShape shape{ MapShape::General }; ///< General: there are no tiles
  int      tileX{ 0 };                 ///< output samples of a tile; a power of two
  int      tileY{ 0 };                 ///< output rows of a tile
  int      pitch{ 0 };                 ///< elements of a row of the window, with padding
  int      rows{ 0 };                  ///< rows of the window, at most
  bool     backward{ false };          ///< z falls with the output's slices
  bool     square{ false };            ///< warps are 8 x 4 samples of the output, else 32 x 1
};

} // namespace itk::CudaSpline

#endif
