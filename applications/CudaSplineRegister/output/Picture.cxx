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
#include "output/Picture.h"

#include "output/PictureText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

constexpr double       leastWidth = 900.0;  // pixels
constexpr double       mostPixels = 8192.0; // maximum along a side: spacings may be very different
constexpr double       cells = 8;           // of a checkerboard along the longer side of a panel
constexpr std::uint8_t paper = 40;          // grey around panels
constexpr std::uint8_t ink = 235;

/** A middle slice in radiological view: from the feet, from the front, from the left, with the nose upwards or to the
 * left. 2D images are shown as they are stored. */
struct Panel
{
  std::array<unsigned int, 2> axes{ 0, 1 };  ///< to the right, downwards
  std::array<bool, 2>         isBackwards{}; ///< whether the index decreases along them
  std::string                 name;          ///< "axial 31/60"; empty: none
  std::array<std::string, 4>  letters;       ///< left, right, top, bottom; empty: none
  std::size_t                 width{ 0 };
  std::size_t                 height{ 0 };
};

/** Positions in the picture, in pixels. */
struct PictureLayout
{
  std::vector<Panel> panels;
  double             pixel{ 1.0 }; ///< mm
  std::size_t        scale{ 2 };   ///< pixels of a dot of letters
  std::size_t        side{ 0 };    ///< left and right of a panel
  std::size_t        margin{ 0 };  ///< left of all panels, if they are narrow
  std::size_t        line{ 0 };    ///< height of a line of text
  std::size_t        rowHeight{ 0 };
  std::size_t        width{ 0 };
};

/** Returns the letters of the directions in which an axis points, the closest direction first: "L", "SA". ITK's axes
 * point to the left, to the back (posterior) and upwards (superior). */
std::string
LettersOf(const Grid & grid, unsigned int axis, bool isBackwards)
{
  constexpr double   least = 0.38; // cosine; 22 degrees from being orthogonal to it
  constexpr char     names[3][2] = { { 'L', 'R' }, { 'P', 'A' }, { 'S', 'I' } };
  std::array<int, 3> rows{ 0, 1, 2 };
  std::sort(rows.begin(), rows.end(), [&grid, axis](int a, int b) {
    return std::abs(grid.direction[a][axis]) > std::abs(grid.direction[b][axis]);
  });
  std::string letters;
  for (const int row : rows)
  {
    const double cosine = grid.direction[row][axis];
    if (letters.empty() || std::abs(cosine) > least)
    {
      letters += names[row][(cosine < 0.0) != isBackwards ? 1 : 0];
    }
  }
  return letters.substr(0, 2);
}

/** Returns the axis of the patient that is closest to an axis of the image: 0 left to right, 1 front to back, 2 along
 * the body. */
unsigned int
NearestAxis(const Grid & grid, unsigned int axis)
{
  const char letter = LettersOf(grid, axis, false)[0];
  return letter == 'L' || letter == 'R' ? 0 : (letter == 'P' || letter == 'A' ? 1 : 2);
}

/** Returns the panel that is orthogonal to an axis of a volume. */
Panel
PanelAcross(const Grid & grid, unsigned int normal)
{
  Panel panel;
  panel.axes = { normal == 0 ? 1U : 0U, normal == 2 ? 1U : 2U };
  if (NearestAxis(grid, panel.axes[0]) > NearestAxis(grid, panel.axes[1]))
  {
    std::swap(panel.axes[0], panel.axes[1]);
  }
  // Left and back are on the right, back and feet are at the bottom.
  const std::string wanted[2] = { "LPS", "PIR" };
  for (unsigned int side = 0; side < 2; ++side)
  {
    panel.isBackwards[side] = wanted[side].find(LettersOf(grid, panel.axes[side], false)[0]) == std::string::npos;
    panel.letters[2 * side] = LettersOf(grid, panel.axes[side], !panel.isBackwards[side]);
    panel.letters[2 * side + 1] = LettersOf(grid, panel.axes[side], panel.isBackwards[side]);
  }
  const char * const names[] = { "sagittal ", "coronal ", "axial " };
  panel.name = names[NearestAxis(grid, normal)] + std::to_string(grid.size[normal] / 2 + 1) + "/" +
               std::to_string(grid.size[normal]);
  return panel;
}

PictureLayout
LayOut(const Grid & grid)
{
  PictureLayout layout;
  if (grid.dimension == 3)
  {
    layout.panels = { PanelAcross(grid, 2), PanelAcross(grid, 1), PanelAcross(grid, 0) };
  }
  else
  {
    layout.panels = { Panel() };
  }
  layout.pixel = *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  const auto extent = [&grid](unsigned int axis) { return static_cast<double>(grid.size[axis]) * grid.spacing[axis]; };
  double     all = 0.0;
  double     tallest = 0.0;
  for (const Panel & panel : layout.panels)
  {
    all += extent(panel.axes[0]);
    tallest = std::max(tallest, extent(panel.axes[1]));
  }
  layout.pixel = std::max(layout.pixel, std::max(all, tallest) / mostPixels);
  const auto setScale = [&layout, &all] {
    layout.scale = std::max<std::size_t>(2, static_cast<std::size_t>(all / layout.pixel / 600.0));
    layout.side = layout.panels.size() == 1 ? 4 * layout.scale : (2 * letterWidth + 2) * layout.scale;
    layout.line = (letterHeight + 4) * layout.scale;
  };
  setScale();
  const double sides = static_cast<double>(2 * layout.side * layout.panels.size());
  if (all / layout.pixel + sides < leastWidth)
  {
    layout.pixel = std::max(all / (leastWidth - sides), tallest / mostPixels);
    setScale();
  }
  std::size_t highest = 0;
  for (Panel & panel : layout.panels)
  {
    const auto pixels = [&](unsigned int axis) {
      return static_cast<std::size_t>(std::max(1.0, std::ceil(extent(axis) / layout.pixel - 1e-6)));
    };
    panel.width = pixels(panel.axes[0]);
    panel.height = pixels(panel.axes[1]);
    layout.width += panel.width + 2 * layout.side;
    highest = std::max(highest, panel.height);
  }
  // Narrow slices have no space for the title.
  const auto least = static_cast<std::size_t>(leastWidth);
  layout.margin = layout.width < least ? (least - layout.width) / 2 : 0;
  layout.width = std::max(layout.width, least);
  // From top to bottom: a title, names, letters, the panels, letters.
  layout.rowHeight = layout.line + (layout.panels.size() == 1 ? layout.scale * 4 : 3 * layout.line) + highest;
  return layout;
}

/** Converts values of a volume to grey levels. */
class Greys
{
public:
  explicit Greys(const Volume & volume)
    : m_Volume(volume)
  {
    constexpr std::size_t most = 1000000; // maximum number of voxels that are used
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

  /** Interpolates linearly in the plane of two axes. Beyond the outermost voxels, their values are used. */
  std::uint8_t
  At(const Coordinates & index, const std::array<unsigned int, 2> & axes) const
  {
    const auto &               size = m_Volume.grid.size;
    std::array<std::size_t, 3> base{};
    std::array<double, 3>      weight{};
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double place = std::max(0.0, std::min(index[axis], static_cast<double>(size[axis] - 1)));
      base[axis] = std::min(static_cast<std::size_t>(place), size[axis] - 1);
      weight[axis] = place - static_cast<double>(base[axis]);
    }
    double value = 0.0;
    for (unsigned int corner = 0; corner < 4; ++corner)
    {
      std::array<std::size_t, 3> voxel = base;
      double                     product = 1.0;
      for (unsigned int side = 0; side < 2; ++side)
      {
        const unsigned int axis = axes[side];
        const bool         isNext = ((corner >> side) & 1U) != 0;
        product *= isNext ? weight[axis] : 1.0 - weight[axis];
        voxel[axis] = std::min(base[axis] + (isNext ? 1 : 0), size[axis] - 1);
      }
      value += product > 0.0 ? product * this->ValueOf(voxel[0] + size[0] * (voxel[1] + size[1] * voxel[2])) : 0.0;
    }
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

/** Draws a panel with its upper left corner at a position of the picture. */
void
DrawPanel(const Panel &  panel,
          const Greys &  fixed,
          const Greys &  moving,
          const Grid &   grid,
          double         pixel,
          std::uint8_t * to,
          std::size_t    pitch)
{
  const double cell = std::max(1.0, static_cast<double>(std::max(panel.width, panel.height)) / cells);
  const auto   indexAt = [&](unsigned int side, std::size_t position, std::size_t size) {
    const std::size_t counted = panel.isBackwards[side] ? size - 1 - position : position;
    return (static_cast<double>(counted) + 0.5) * pixel / grid.spacing[panel.axes[side]] - 0.5;
  };
  Coordinates index{ static_cast<double>(grid.size[0] / 2),
                     static_cast<double>(grid.size[1] / 2),
                     static_cast<double>(grid.size[2] / 2) };
  for (std::size_t row = 0; row < panel.height; ++row)
  {
    index[panel.axes[1]] = indexAt(1, row, panel.height);
    for (std::size_t column = 0; column < panel.width; ++column)
    {
      index[panel.axes[0]] = indexAt(0, column, panel.width);
      const auto square =
        static_cast<int>(static_cast<double>(row) / cell) + static_cast<int>(static_cast<double>(column) / cell);
      to[row * pitch + column] = (square % 2 == 0 ? fixed : moving).At(index, panel.axes);
    }
  }
}

/** Draws a row of panels with a title above. */
void
DrawRow(const Volume &        picture,
        const PictureLayout & layout,
        const std::string &   title,
        std::size_t           top,
        const Greys &         fixed,
        const Greys &         moving,
        const Grid &          grid)
{
  const std::size_t pitch = picture.grid.size[0];
  const std::size_t scale = layout.scale;
  const std::size_t gap = 2 * scale;
  const auto        widthOf = [scale](const std::string & text) { return letterWidth * scale * text.size() - scale; };
  DrawText(picture, title, layout.side, top + gap, scale, ink);
  top += layout.line;
  const bool        isPlain = layout.panels.size() == 1;
  const std::size_t above = isPlain ? 0 : 2 * layout.line;
  std::size_t       left = layout.margin;
  for (const Panel & panel : layout.panels)
  {
    left += layout.side;
    const std::size_t highest = layout.rowHeight - layout.line - (isPlain ? 4 * scale : 3 * layout.line);
    const std::size_t first = top + above + (highest - panel.height) / 2;
    DrawPanel(panel,
              fixed,
              moving,
              grid,
              layout.pixel,
              static_cast<std::uint8_t *>(picture.pixels.get()) + first * pitch + left,
              pitch);
    const auto centred = [&](const std::string & text, std::size_t line) {
      const std::size_t width = text.empty() ? 0 : widthOf(text);
      const std::size_t middle = left + panel.width / 2;
      DrawText(picture, text, middle > width / 2 ? middle - width / 2 : 0, line, scale, ink);
    };
    if (!isPlain)
    {
      centred(panel.name, top + gap);
      centred(panel.letters[2], first - layout.line + gap);
      centred(panel.letters[3], first + panel.height + gap);
      const std::size_t middle = first + panel.height / 2 - letterHeight * scale / 2;
      DrawText(picture, panel.letters[0], left - widthOf(panel.letters[0]) - gap, middle, scale, ink);
      DrawText(picture, panel.letters[1], left + panel.width + gap, middle, scale, ink);
    }
    left += panel.width + layout.side;
  }
}

} // namespace

Grid
PictureGrid(const Grid & grid)
{
  const PictureLayout layout = LayOut(grid);
  Grid                picture;
  picture.dimension = 2;
  picture.size = { layout.width, 2 * layout.rowHeight, 1 };
  return picture;
}

Volume
DrawCheckerboards(const Volume & fixed, const Volume & before, const Volume & after, const std::string & name)
{
  const PictureLayout layout = LayOut(fixed.grid);
  const Grid          grid = PictureGrid(fixed.grid);
  Volume              picture = Volume::Allocate(grid, ScalarType::UInt8);
  const Greys         greys(fixed);
  std::fill_n(static_cast<std::uint8_t *>(picture.pixels.get()), grid.GetNumberOfVoxels(), paper);
  DrawRow(picture, layout, "before: fixed image and " + name + " in turn", 0, greys, Greys(before), fixed.grid);
  DrawRow(picture, layout, "after", layout.rowHeight, greys, Greys(after), fixed.grid);
  return picture;
}

} // namespace CudaSplineRegister
