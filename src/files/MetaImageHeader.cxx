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
#include "files/HeaderText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

/** \file
 * \brief MetaImage headers according to MetaIO's documentation, https://itk.org/Wiki/MetaIO/Documentation. */

namespace itk::CudaSpline
{
namespace
{

/** The fields of a header by their names in lower case. A field with several names has the one that MetaIO writes. */
struct Fields
{
  std::map<std::string, std::string> values;
  std::vector<std::string>           list; ///< lines after "ElementDataFile = LIST"
  std::uint64_t                      end{ 0 };

  bool
  Has(const std::string & field) const
  {
    return values.count(Lower(field)) > 0;
  }
  std::string
  Get(const std::string & field) const
  {
    const auto found = values.find(Lower(field));
    return found == values.end() ? "" : found->second;
  }
};

Fields
ReadFields(std::string_view text)
{
  static const std::map<std::string, std::string> others{ { "position", "offset" },
                                                          { "origin", "offset" },
                                                          { "rotation", "transformmatrix" },
                                                          { "orientation", "transformmatrix" },
                                                          { "binarydatabyteordermsb", "elementbyteordermsb" } };
  Fields                                          fields;
  std::string                                     line;
  for (std::size_t at = 0; NextLine(text, at, line);)
  {
    const auto separator = line.find_first_of("=:");
    if (separator == std::string::npos)
    {
      continue;
    }
    const std::string written = Trim(line.substr(0, separator));
    const auto        other = others.find(Lower(written));
    const std::string name = other == others.end() ? Lower(written) : other->second;
    const std::string value = Trim(line.substr(separator + 1));
    const auto        before = fields.values.find(name);
    if (before != fields.values.end() && SplitWords(before->second) != SplitWords(value) && name != "comment")
    {
      RefuseField(written, value, "an earlier line has \"" + before->second + "\"; only one value is allowed");
    }
    fields.values[name] = value;
    if (name != "elementdatafile")
    {
      continue;
    }
    fields.end = at;
    if (Lower(value.substr(0, 4)) == "list")
    {
      while (NextLine(text, at, line))
      {
        if (!Trim(line).empty())
        {
          fields.list.push_back(Trim(line));
        }
      }
    }
    return fields;
  }
  throw std::invalid_argument("the field ElementDataFile is missing");
}

bool
IsTrue(const Fields & fields, const std::string & field, bool otherwise)
{
  if (!fields.Has(field))
  {
    return otherwise;
  }
  const std::string value = Lower(fields.Get(field));
  if (value == "true" || value == "t" || value == "1" || value == "yes" || value == "y")
  {
    return true;
  }
  if (value == "false" || value == "f" || value == "0" || value == "no" || value == "n")
  {
    return false;
  }
  RefuseField(field, fields.Get(field), "True and False are allowed");
}

ScalarType
TypeOf(const std::string & value)
{
  // A long has 4 bytes on every machine, as in MetaIO.
  static const std::map<std::string, ScalarType> types{
    { "met_char", ScalarType::Int8 },       { "met_uchar", ScalarType::UInt8 },
    { "met_short", ScalarType::Int16 },     { "met_ushort", ScalarType::UInt16 },
    { "met_int", ScalarType::Int32 },       { "met_uint", ScalarType::UInt32 },
    { "met_long", ScalarType::Int32 },      { "met_ulong", ScalarType::UInt32 },
    { "met_long_long", ScalarType::Int64 }, { "met_ulong_long", ScalarType::UInt64 },
    { "met_float", ScalarType::Float32 },   { "met_double", ScalarType::Float64 }
  };
  std::string       name = Lower(value);
  const std::string array = "_array";
  if (name.size() > array.size() && name.compare(name.size() - array.size(), array.size(), array) == 0)
  {
    name.resize(name.size() - array.size());
  }
  const auto found = types.find(name);
  if (found == types.end())
  {
    RefuseField("ElementType", value, "MET_CHAR to MET_ULONG_LONG, MET_FLOAT and MET_DOUBLE are allowed");
  }
  return found->second;
}

/** Finds the files of the numbers. */
void
FindFiles(const Fields & fields, ImageFileHeader & header)
{
  const std::string              value = fields.Get("ElementDataFile");
  const std::vector<std::string> words = SplitWords(value);
  const auto                     dimension = static_cast<unsigned int>(header.storedSizes.size());
  const unsigned int             componentAxes = header.hasComponentAxis ? 1 : 0;
  header.axesOfFile = dimension;
  if (words.empty())
  {
    RefuseField("ElementDataFile", value, "LOCAL, LIST or the name of a file is needed");
  }
  if (Lower(value) == "local")
  {
    return;
  }
  const auto axesOf = [&](std::size_t word) {
    header.axesOfFile = dimension - 1;
    if (words.size() > word)
    {
      const std::string           digits = words[word].substr(0, words[word].find_first_not_of("0123456789"));
      const std::optional<double> axes = NumberOf(digits); // for "2" or "2D"
      if (!axes || !(*axes >= 1.0) || *axes + componentAxes > dimension)
      {
        RefuseField("ElementDataFile", value, "a file has 1 to " + std::to_string(dimension - componentAxes) + " axes");
      }
      header.axesOfFile = static_cast<unsigned int>(*axes) + componentAxes;
    }
  };
  if (Lower(words[0]) == "list")
  {
    axesOf(1);
    header.files = fields.list;
    if (header.files.empty())
    {
      RefuseField("ElementDataFile", value, "a file name must follow");
    }
    return;
  }
  header.files = { value };
  if (words[0].find('%') == std::string::npos)
  {
    return;
  }
  // "slice%03d.raw first last step". Missing values are 1 for first, the last of as many files as slices, and 1 for
  // step.
  const std::optional<double> first = words.size() > 1 ? NumberOf(words[1]) : 1.0;
  const std::optional<double> last = words.size() > 2 ? NumberOf(words[2])
                                     : first          ? *first + static_cast<double>(header.storedSizes.back()) - 1.0
                                                      : first;
  const std::optional<double> step = words.size() > 3 ? NumberOf(words[3]) : 1.0;
  constexpr double            most = 1e15;
  if (first && last && step && std::abs(*first) < most && std::abs(*last) < most && std::abs(*step) < most)
  {
    if (const auto files = ExpandPattern(
          words[0], static_cast<long long>(*first), static_cast<long long>(*last), static_cast<long long>(*step)))
    {
      axesOf(4);
      header.files = *files;
      header.literalName = value;
    }
  }
}

/** Returns the letters of the sides where the axes begin. Empty if two axes have their largest component along the same
 * axis of space, or if one has two such components, up to the digits of headers. Versions of ITK write different
 * letters in these cases. */
std::string
FindLetters(const ImageFileHeader & header)
{
  const std::string from[] = { "RAI", "LPS" }; // letters of the positive and the negative directions of L, P and S
  std::string       letters;
  bool              isTaken[] = { false, false, false };
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    constexpr double           tolerance = 1e-3;
    std::array<std::size_t, 3> rows{ { 0, 1, 2 } };
    const auto                 sizeOf = [&](std::size_t row) { return std::abs(header.direction[row][axis]); };
    std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return sizeOf(a) > sizeOf(b); });
    if (isTaken[rows[0]] || sizeOf(rows[0]) - sizeOf(rows[1]) < tolerance)
    {
      return "";
    }
    isTaken[rows[0]] = true;
    letters += from[header.direction[rows[0]][axis] < 0.0 ? 1 : 0][rows[0]];
  }
  return letters;
}

/** Compares AnatomicalOrientation with the axes. */
void
CheckOrientation(const Fields & fields, ImageFileHeader & header)
{
  const std::string letters = fields.Get("AnatomicalOrientation");
  const std::string found = header.dimension == 3 ? FindLetters(header) : "";
  if (!found.empty() && letters.size() >= 3 && letters.find('?') == std::string::npos &&
      letters.compare(0, 3, found) != 0)
  {
    header.warnings.push_back("AnatomicalOrientation is \"" + letters + "\", and the axes of TransformMatrix are " +
                              found + "; the matrix is used, as ITK does");
  }
}

/** Sets the grid: point = TransformMatrix' (ElementSpacing * index) + Offset, where the matrix has one axis per row. */
void
SetGrid(const Fields & fields, std::size_t dimension, ImageFileHeader & header)
{
  const std::optional<double> unit = MillimetresOf(fields.Get("DistanceUnits"));
  if (!unit)
  {
    RefuseField("DistanceUnits", fields.Get("DistanceUnits"), std::string("allowed are ") + namesOfLengthUnits);
  }
  const auto numbers = [&fields](const std::string & field, std::size_t count, std::vector<double> otherwise) {
    return fields.Has(field) ? NumbersOfField(field, fields.Get(field), count) : std::move(otherwise);
  };
  std::vector<double> matrix(dimension * dimension, 0.0);
  for (std::size_t axis = 0; axis < dimension; ++axis)
  {
    matrix[axis * dimension + axis] = 1.0;
  }
  matrix = numbers("TransformMatrix", dimension * dimension, matrix);
  const std::vector<double> offset = numbers("Offset", dimension, std::vector<double>(dimension, 0.0));
  const bool                hasSpacing = fields.Has("ElementSpacing") || fields.Has("ElementSize");
  const std::vector<double> spacing =
    numbers("ElementSpacing", dimension, numbers("ElementSize", dimension, std::vector<double>(dimension, 1.0)));
  const std::vector<double> centre = numbers("CenterOfRotation", dimension, std::vector<double>(dimension, 0.0));
  std::vector<std::array<double, 3>> columns(header.dimension, { { 0, 0, 0 } });
  for (std::size_t axis = 0; axis < header.dimension; ++axis)
  {
    for (std::size_t row = 0; row < header.dimension; ++row)
    {
      columns[axis][row] = *unit * spacing[axis] * matrix[axis * dimension + row];
    }
    header.origin[axis] = *unit * offset[axis];
  }
  SetColumns(header, columns, "TransformMatrix and ElementSpacing");
  for (std::size_t axis = 0; axis < header.dimension; ++axis)
  {
    // Rows that are unit vectors, up to the digits in the file, are not changed, and neither is the spacing.
    constexpr double tolerance = 1e-4;
    const double     step = std::abs(*unit * spacing[axis]);
    if (std::abs(header.spacing[axis] - step) <= tolerance * step)
    {
      header.spacing[axis] = step;
      for (std::size_t row = 0; row < header.dimension; ++row)
      {
        header.direction[row][axis] = columns[axis][row] / step;
      }
    }
  }
  for (std::size_t axis = header.dimension; axis < dimension; ++axis)
  {
    for (std::size_t other = 0; other < dimension; ++other)
    {
      if (other != axis && (matrix[axis * dimension + other] != 0.0 || matrix[other * dimension + axis] != 0.0))
      {
        RefuseField("TransformMatrix",
                    fields.Get("TransformMatrix"),
                    "axis " + std::to_string(axis) + " must not be mixed with the others");
      }
    }
  }
  if (header.isSeries)
  {
    header.volumeSpacing = spacing[3] * matrix[3 * dimension + 3];
    header.volumeOrigin = offset[3];
  }
  if (!hasSpacing)
  {
    header.warnings.push_back("there is no ElementSpacing; 1 mm is taken");
  }
  const bool isTurned = std::any_of(centre.begin(), centre.end(), [](double x) { return x != 0.0; });
  if (isTurned && fields.Has("TransformMatrix"))
  {
    header.warnings.push_back("CenterOfRotation is \"" + fields.Get("CenterOfRotation") +
                              "\", which is not used, as in ITK: Offset is the first voxel's position");
  }
  CheckOrientation(fields, header);
}

} // namespace

ImageFileHeader
ParseMetaImageHeader(std::string_view text)
{
  const Fields    fields = ReadFields(text);
  ImageFileHeader header;
  for (const char * const field : { "NDims", "DimSize", "ElementType" })
  {
    if (!fields.Has(field))
    {
      throw std::invalid_argument(std::string("the field ") + field + " is missing");
    }
  }
  if (fields.Has("ObjectType") && Lower(fields.Get("ObjectType")) != "image")
  {
    RefuseField("ObjectType", fields.Get("ObjectType"), "Image is allowed");
  }
  constexpr double mostAxes = 10; // as in MetaIO
  const double     number = NumbersOfField("NDims", fields.Get("NDims"), 1)[0];
  if (!(number >= 2.0 && number <= mostAxes) || number != std::floor(number))
  {
    RefuseField("NDims", fields.Get("NDims"), "2 to 10 are allowed");
  }
  const auto dimension = static_cast<std::size_t>(number);
  header.storedSizes = SizesOfField("DimSize", fields.Get("DimSize"), dimension);
  header.type = TypeOf(fields.Get("ElementType"));
  const bool isBigEndian = IsTrue(fields, "ElementByteOrderMSB", !IsLittleEndian());
  header.isSwapped = SizeOf(header.type) > 1 && isBigEndian == IsLittleEndian();
  const bool isBinary = IsTrue(fields, "BinaryData", true);
  const bool isCompressed = IsTrue(fields, "CompressedData", false);
  header.encoding = isCompressed ? FileEncoding::Deflate : isBinary ? FileEncoding::Raw : FileEncoding::Text;
  if (!isBinary && isCompressed)
  {
    RefuseField("CompressedData", fields.Get("CompressedData"), "it needs BinaryData = True");
  }
  for (const auto & [field, neutral] :
       { std::pair("ElementToIntensityFunctionSlope", 1.0), std::pair("ElementToIntensityFunctionOffset", 0.0) })
  {
    if (fields.Has(field) && NumbersOfField(field, fields.Get(field), 1)[0] != neutral)
    {
      RefuseField(field, fields.Get(field), "only " + ToText(neutral) + " is supported: rescale the numbers");
    }
  }

  std::vector<unsigned int> order(dimension);
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    order[axis] = axis;
  }
  while (order.size() > 3 && header.storedSizes[order.back()] == 1)
  {
    order.pop_back();
  }
  if (order.size() > 4)
  {
    RefuseField("DimSize", fields.Get("DimSize"), "images of 2 and 3 dimensions, and series of volumes, are allowed");
  }
  header.isSeries = order.size() == 4;
  header.dimension = static_cast<unsigned int>(std::min<std::size_t>(order.size(), 3));
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    header.size[axis] = header.storedSizes[axis];
  }
  header.volumes = header.isSeries ? header.storedSizes[3] : 1;
  const std::string channels = fields.Has("ElementNumberOfChannels") ? fields.Get("ElementNumberOfChannels") : "1";
  constexpr std::uint64_t mostComponents = 1024;
  const std::uint64_t     components = SizesOfField("ElementNumberOfChannels", channels, 1)[0];
  if (components > mostComponents)
  {
    RefuseField("ElementNumberOfChannels", channels, "1 to 1024 components per pixel are allowed");
  }
  header.components = static_cast<unsigned int>(components);
  header.meaning = components > 1 ? PixelMeaning::Vector : PixelMeaning::Scalar;
  SetGrid(fields, dimension, header);

  if (components > 1)
  {
    header.hasComponentAxis = true;
    header.storedSizes.insert(header.storedSizes.begin(), components);
    for (unsigned int & axis : order)
    {
      ++axis;
    }
    order.insert(order.begin(), 0U);
  }
  header.order = order;
  header.dataBegin = fields.end;
  FindFiles(fields, header);
  if (fields.Has("HeaderSize"))
  {
    const std::string value = fields.Get("HeaderSize");
    const double      skip = NumbersOfField("HeaderSize", value, 1)[0];
    constexpr double  most = 1e15;
    if (!(skip >= -1.0 && skip < most) || skip != std::floor(skip) ||
        (skip != 0.0 && header.encoding != FileEncoding::Raw))
    {
      RefuseField("HeaderSize", value, "integers from -1 are allowed, but only 0 for compressed or text data");
    }
    header.byteSkip = static_cast<std::int64_t>(skip);
    if (header.files.empty() && skip > 0.0)
    {
      RefuseField("HeaderSize", value, "0 and -1 are allowed with ElementDataFile = LOCAL");
    }
  }
  return header;
}

} // namespace itk::CudaSpline
