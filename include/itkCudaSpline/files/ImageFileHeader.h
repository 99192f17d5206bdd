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
#ifndef itkCudaSpline_files_ImageFileHeader_h
#define itkCudaSpline_files_ImageFileHeader_h

#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/** \file
 * \brief Headers of NRRD and MetaImage files. Nothing here opens a file. */

namespace itk::CudaSpline
{

/** \brief How the numbers of an image are stored. */
enum class FileEncoding : unsigned char
{
  Raw,     ///< binary
  Deflate, ///< binary, compressed by zlib or gzip; gzip may have several members
  Text,    ///< decimal numbers, separated by white space
  Hex      ///< two hexadecimal digits a byte, white space ignored
};

/** \brief What the numbers of a pixel are. */
enum class PixelMeaning : unsigned char
{
  Scalar,          ///< a number
  Complex,         ///< real and imaginary part
  Rgb,             ///< three colours
  Rgba,            ///< three colours and opacity
  Vector,          ///< a vector, or numbers of no other kind
  CovariantVector, ///< a gradient or a normal
  Point,           ///< a position
  SymmetricTensor  ///< of 3 dimensions: xx, xy, xz, yy, yz, zz
};

/** \brief An image as the header of its file describes it: the grid in LPS coordinates (mm), and where the numbers are.
 */
struct ImageFileHeader
{
  unsigned int                         dimension{ 3 };         ///< 2 or 3
  std::array<std::uint64_t, 3>         size{ { 1, 1, 1 } };    ///< voxels, x first
  std::array<double, 3>                spacing{ { 1, 1, 1 } }; ///< mm
  std::array<double, 3>                origin{ { 0, 0, 0 } };  ///< centre of the first voxel, mm
  std::array<std::array<double, 3>, 3> direction{
    { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } }
  };                                                        ///< [row][column]; columns are unit vectors along the axes
  ScalarType               type{ ScalarType::Float32 };     ///< of the numbers
  unsigned int             components{ 1 };                 ///< numbers a pixel
  PixelMeaning             meaning{ PixelMeaning::Scalar }; ///< of the numbers of a pixel
  bool                     isSeries{ false };               ///< there is a fourth axis
  std::uint64_t            volumes{ 1 };                    ///< along it
  double                   volumeSpacing{ 1.0 };            ///< of the fourth axis: s where the file has a unit of time
  double                   volumeOrigin{ 0.0 };             ///< of the fourth axis
  std::vector<std::string> warnings;                        ///< what a user should know, a line each

  FileEncoding               encoding{ FileEncoding::Raw }; ///< of the numbers
  bool                       isSwapped{ false };            ///< bytes of a number are not in this machine's order
  std::vector<std::uint64_t> storedSizes;                   ///< axes as stored, fastest first
  /** Axes as stored, in the order of the image: that of the components if there is one, x, y, z, volumes. */
  std::vector<unsigned int> order;
  bool                      hasComponentAxis{ false }; ///< an axis of the file has the numbers of a pixel
  unsigned int              skippedComponents{ 0 };    ///< first numbers of a stored pixel that are not the image's
  std::uint64_t             dataBegin{ 0 };            ///< byte after the header
  std::vector<std::string>  files;           ///< of the numbers, relative to the header; empty: after the header
  unsigned int              axesOfFile{ 0 }; ///< stored axes of the numbers that one file has
  std::string               literalName;     ///< not empty: the files follow from this pattern
  std::int64_t              lineSkip{ 0 };   ///< lines before the numbers of each file
  std::int64_t              byteSkip{
    0
  }; ///< bytes after them, in the decompressed data; -n: the numbers end n - 1 bytes before the end

  /** \brief Numbers in all files. */
  std::uint64_t
  GetNumberOfStoredNumbers() const;
};

/** \brief Reads the header of an NRRD file, formats NRRD0001 to NRRD0006.
 *
 * \param[in] text the beginning of the file, with the whole header
 * \exception std::invalid_argument a field, its value and what is allowed */
ImageFileHeader
ParseNrrdHeader(std::string_view text);

/** \brief Reads the header of a MetaImage file.
 *
 * \param[in] text the beginning of the file, with the whole header
 * \exception std::invalid_argument a field, its value and what is allowed */
ImageFileHeader
ParseMetaImageHeader(std::string_view text);

/** \brief Takes a name with "%" for the name of a file, not for a pattern: where there is such a file.
 *
 * \param[in,out] header of which \c literalName is not empty */
void
UseLiteralName(ImageFileHeader & header);

/** \brief Throws where a header names more or fewer files than its size needs.
 *
 * \param[in] header what was read
 * \exception std::invalid_argument both numbers */
void
CheckNumberOfFiles(const ImageFileHeader & header);

/** \brief Whether a file begins as an NRRD file, of whatever version.
 *
 * \param[in] beginning the first bytes of the file, at least 4 */
bool
IsNrrd(std::string_view beginning);

} // namespace itk::CudaSpline

#endif
