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
 * \brief Headers of NRRD and MetaImage files. No function opens a file. */

namespace itk::CudaSpline
{

/** \brief Encoding of the numbers of an image. */
enum class FileEncoding : unsigned char
{
  Raw,     ///< binary
  Deflate, ///< binary, compressed with zlib or gzip; gzip may have several members
  Text,    ///< decimal numbers, separated by white space
  Hex      ///< two hexadecimal digits per byte, white space ignored
};

/** \brief The meaning of the components of a pixel. */
enum class PixelMeaning : unsigned char
{
  Scalar,          ///< a number
  Complex,         ///< real and imaginary part
  Rgb,             ///< three colours
  Rgba,            ///< three colours and opacity
  Vector,          ///< a vector, or components of no other kind
  CovariantVector, ///< a gradient or a normal
  Point,           ///< a position
  SymmetricTensor  ///< in 3 dimensions: xx, xy, xz, yy, yz, zz
};

/** \brief An image as described by the header of its file: the grid in LPS coordinates (mm), and the location of the
 * numbers.
 */
struct ImageFileHeader
{
  unsigned int                         dimension{ 3 };         ///< 2 or 3
  std::array<std::uint64_t, 3>         size{ { 1, 1, 1 } };    ///< voxels, x first
  std::array<double, 3>                spacing{ { 1, 1, 1 } }; ///< mm
  std::array<double, 3>                origin{ { 0, 0, 0 } };  ///< centre of the first voxel, mm
  std::array<std::array<double, 3>, 3> direction{
    { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } }
  };                                             ///< [row][column]; columns are unit vectors along the axes
  ScalarType    type{ ScalarType::Float32 };     ///< type of the components
  unsigned int  components{ 1 };                 ///< components per pixel
  PixelMeaning  meaning{ PixelMeaning::Scalar }; ///< meaning of the components
  bool          isSeries{ false };               ///< the image has a fourth axis
  std::uint64_t volumes{ 1 };                    ///< size of the fourth axis
  /** Spacing of the fourth axis: in s if the file has a unit of time. */
  double                   volumeSpacing{ 1.0 };
  double                   volumeOrigin{ 0.0 }; ///< origin of the fourth axis
  std::vector<std::string> warnings;            ///< notes for the user, one line each

  FileEncoding               encoding{ FileEncoding::Raw }; ///< encoding of the numbers
  bool                       isSwapped{ false };            ///< the byte order of a number differs from this machine's
  std::vector<std::uint64_t> storedSizes;                   ///< axes as stored, fastest first
  /** Stored axes in the order of the image: that of the components if it exists, x, y, z, volumes. */
  std::vector<unsigned int> order;
  bool                      hasComponentAxis{ false }; ///< an axis of the file enumerates the components of a pixel
  /** Leading components of a stored pixel that are not part of the image. */
  unsigned int  skippedComponents{ 0 };
  std::uint64_t dataBegin{ 0 }; ///< offset of the byte after the header
  /** Files of the numbers, relative to the header; empty: the numbers follow the header. */
  std::vector<std::string> files;
  unsigned int             axesOfFile{ 0 }; ///< number of stored axes that one file contains
  std::string              literalName;     ///< not empty: the files follow from this pattern
  std::int64_t             lineSkip{ 0 };   ///< lines before the numbers of each file
  /** Bytes to skip after these lines, in the decompressed data; -n: the numbers end n - 1 bytes before the end. */
  std::int64_t byteSkip{ 0 };

  /** \brief Number of components in all files. */
  std::uint64_t
  GetNumberOfStoredNumbers() const;
};

/** \brief Reads the header of an NRRD file, formats NRRD0001 to NRRD0006.
 *
 * \param[in] text the beginning of the file, with the whole header
 * \exception std::invalid_argument the message names a field, its value and the allowed values */
ImageFileHeader
ParseNrrdHeader(std::string_view text);

/** \brief Reads the header of a MetaImage file.
 *
 * \param[in] text the beginning of the file, with the whole header
 * \exception std::invalid_argument the message names a field, its value and the allowed values */
ImageFileHeader
ParseMetaImageHeader(std::string_view text);

/** \brief Interprets a name with "%" as the name of a file instead of a pattern, if such a file exists.
 *
 * \param[in,out] header header with a \c literalName that is not empty */
void
UseLiteralName(ImageFileHeader & header);

/** \brief Throws if a header names more or fewer files than its size needs.
 *
 * \param[in] header the header
 * \exception std::invalid_argument the message has both numbers */
void
CheckNumberOfFiles(const ImageFileHeader & header);

/** \brief Whether a file begins like an NRRD file of any version.
 *
 * \param[in] beginning the first bytes of the file, at least 4 */
bool
IsNrrd(std::string_view beginning);

} // namespace itk::CudaSpline

#endif
