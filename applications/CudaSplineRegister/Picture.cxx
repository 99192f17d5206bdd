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
#include "Picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

constexpr std::size_t gap = 4;   // pixels between panels
constexpr double      cells = 8; // of a checkerboard along a panel's longer side

/** A slice through the middle, in pixels of the finest spacing. */
struct Panel
{
  unsigned int horizontal; ///< axis
  unsigned int vertical;   ///< axis
  std::size_t  width;
  std::size_t  height;
};

double
FinestSpacing(const Grid & grid)
{
  return *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
}

std::vector<Panel>
PanelsOf(const Grid & grid)
{
  const double finest = FinestSpacing(grid);
  const auto   pixels = [&](unsigned int axis) {
    const double extent = static_cast<double>(grid.size[axis]) * grid.spacing[axis];
    return static_cast<std::size_t>(std::max(1.0, std::round(extent / finest)));
  };
  std::vector<Panel> panels{ { 0, 1, pixels(0), pixels(1) } };
  if (grid.dimension == 3)
  {
    panels.push_back({ 0, 2, pixels(0), pixels(2) });
    panels.push_back({ 1, 2, pixels(1), pixels(2) });
  }
  return panels;
}

/** A volume's values as grey. */
class Greys
{
public:
  explicit Greys(const Volume & volume)
    : m_Volume(volume)
  {
    constexpr std::size_t most = 1000000; // of the voxels that are looked at
    const std::size_t     count = volume.grid.GetNumberOfVoxels();
    const std::size_t     stride = count / most + 1;
    std::vector<double>   values;
    for (std::size_t voxel = 0; voxel < count; voxel += stride)
    {
      const double value = this->ValueOf(voxel);
      if (std::isfinite(value))
      {
        values.push_back(value);
      }
    }
    if (values.empty())
    {
      return;
    }
    const auto percentile = [&values](double part) {
      const auto place = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
      std::nth_element(values.begin(), place, values.end());
      return *place;
    };
    m_Black = percentile(0.005);
    m_White = percentile(0.995);
  }

  std::uint8_t
  At(const std::array<std::size_t, 3> & index) const
  {
    const auto & size = m_Volume.grid.size;
    const double value = this->ValueOf(index[0] + size[0] * (index[1] + size[1] * index[2]));
    const double part = m_White > m_Black ? (value - m_Black) / (m_White - m_Black) : 0.0;
    return static_cast<std::uint8_t>(std::lround(255.0 * (part > 0.0 ? std::min(part, 1.0) : 0.0)));
  }

private:
  double
  ValueOf(std::size_t voxel) const
  {
    return m_Volume.type == ScalarType::Float32 ? static_cast<const float *>(m_Volume.pixels.get())[voxel]
                                                : static_cast<const double *>(m_Volume.pixels.get())[voxel];
  }

  Volume m_Volume;
  double m_Black{ 0.0 };
  double m_White{ 0.0 };
};

/** Draws a panel with its upper left corner at a place of the picture. */
void
DrawPanel(const Panel &  panel,
          const Greys &  fixed,
          const Greys &  moving,
          const Grid &   grid,
          std::uint8_t * to,
          std::size_t    pitch)
{
  const double finest = FinestSpacing(grid);
  const double cell = std::max(1.0, static_cast<double>(std::max(panel.width, panel.height)) / cells);
  const auto   voxelAt = [&](unsigned int axis, std::size_t pixel) {
    const double place = (static_cast<double>(pixel) + 0.5) * finest / grid.spacing[axis];
    return std::min(static_cast<std::size_t>(place), grid.size[axis] - 1);
  };
  std::array<std::size_t, 3> index{ grid.size[0] / 2, grid.size[1] / 2, grid.size[2] / 2 };
  for (std::size_t row = 0; row < panel.height; ++row)
  {
    // The third axis points up, as one looks at heads.
    index[panel.vertical] = voxelAt(panel.vertical, panel.vertical == 2 ? panel.height - 1 - row : row);
    for (std::size_t column = 0; column < panel.width; ++column)
    {
      index[panel.horizontal] = voxelAt(panel.horizontal, column);
      const auto square =
        static_cast<int>(static_cast<double>(row) / cell) + static_cast<int>(static_cast<double>(column) / cell);
      to[row * pitch + column] = (square % 2 == 0 ? fixed : moving).At(index);
    }
  }
}

} // namespace

Grid
PictureGrid(const Grid & grid)
{
  Grid        picture;
  std::size_t width = 0;
  std::size_t height = 0;
  for (const Panel & panel : PanelsOf(grid))
  {
    width += panel.width + (width == 0 ? 0 : gap);
    height = std::max(height, panel.height);
  }
  picture.dimension = 2;
  picture.size = { width, 2 * height + gap, 1 };
  return picture;
}

Volume
DrawCheckerboards(const Volume & fixed, const Volume & before, const Volume & after)
{
  const Grid  grid = PictureGrid(fixed.grid);
  Volume      picture = Volume::Allocate(grid, ScalarType::UInt8);
  auto *      pixels = static_cast<std::uint8_t *>(picture.pixels.get());
  const Greys fixedGreys(fixed);
  const Greys beforeGreys(before);
  const Greys afterGreys(after);
  std::fill_n(pixels, grid.GetNumberOfVoxels(), std::uint8_t{ 255 });
  std::uint8_t * const below = pixels + grid.size[0] * ((grid.size[1] + gap) / 2);
  std::size_t          left = 0;
  for (const Panel & panel : PanelsOf(fixed.grid))
  {
    DrawPanel(panel, fixedGreys, beforeGreys, fixed.grid, pixels + left, grid.size[0]);
    DrawPanel(panel, fixedGreys, afterGreys, fixed.grid, below + left, grid.size[0]);
    left += panel.width + gap;
  }
  return picture;
}

} // namespace CudaSplineRegister
