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
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

/** \file
 * \brief NRRD headers by the definition of the format, https://teem.sourceforge.net/nrrd/format.html. */

namespace itk::CudaSpline
{
namespace
{

constexpr unsigned int maxAxes = 16; // of the format
constexpr double       notANumber = std::numeric_limits<double>::quiet_NaN();

/** The fields of a header, by the name that the format's definition gives them. */
struct Fields
{
  std::map<std::string, std::string> values;
  std::vector<std::string>           list; ///< lines after "data file: LIST"
  std::uint64_t                      end{ 0 };

  bool
  Has(const std::string & field) const
  {
    return values.count(field) > 0;
  }
  const std::string &
  Get(const std::string & field) const
  {
    static const std::string none;
    const auto               found = values.find(field);
    return found == values.end() ? none : found->second;
  }
};

/** One name for each field: some may be written as one word, or have a second name. */
std::string
FieldName(const std::string & written)
{
  static const std::map<std::string, std::string> others{
    { "datafile", "data file" },   { "lineskip", "line skip" },      { "byteskip", "byte skip" },
    { "centers", "centerings" },   { "axismins", "axis mins" },      { "axismaxs", "axis maxs" },
    { "blocksize", "block size" }, { "sampleunits", "sample units" }
  };
  const std::string name = Lower(Trim(written));
  const auto        found = others.find(name);
  return found == others.end() ? name : found->second;
}

Fields
ReadFields(std::string_view text)
{
  Fields      fields;
  std::size_t at = 0;
  std::string line;
  NextLine(text, at, line);
  constexpr std::size_t letters = 7;
  if (line.compare(0, letters, "NRRD000") != 0 || line.size() <= letters || line[letters] < '1' || line[letters] > '6')
  {
    throw std::invalid_argument("the first line is \"" + ToPrintable(line.substr(0, 20)) +
                                "\"; NRRD0001 to NRRD0006 are allowed");
  }
  while (NextLine(text, at, line) && !line.empty())
  {
    const auto colon = line.find(':');
    if (line[0] == '#' || colon == std::string::npos || line.compare(colon, 2, ":=") == 0)
    {
      continue; // a comment, or a key and a value of the user
    }
    const std::string name = FieldName(line.substr(0, colon));
    const std::string value = Trim(line.substr(colon + 1));
    if (fields.Has(name) && fields.Get(name) != value)
    {
      RefuseField(name, value, "an earlier line has \"" + fields.Get(name) + "\"; one value is allowed");
    }
    fields.values[name] = value;
    if (name == "data file" && Lower(value.substr(0, 4)) == "list")
    {
      while (NextLine(text, at, line))
      {
        if (!Trim(line).empty())
        {
          fields.list.push_back(Trim(line));
        }
      }
    }
  }
  fields.end = at;
  return fields;
}

/** What an axis is for. */
enum class Role : unsigned char
{
  Space,
  Time,
  Components
};

struct Kind
{
  const char * name;
  Role         role;
  unsigned int size; ///< of the axis; 0: any
  PixelMeaning meaning;
  bool         isMasked; ///< the first number is a mask
};

const Kind kinds[] = { { "domain", Role::Space, 0, PixelMeaning::Scalar, false },
                       { "space", Role::Space, 0, PixelMeaning::Scalar, false },
                       { "time", Role::Time, 0, PixelMeaning::Scalar, false },
                       { "list", Role::Components, 0, PixelMeaning::Vector, false },
                       { "point", Role::Components, 0, PixelMeaning::Point, false },
                       { "vector", Role::Components, 0, PixelMeaning::Vector, false },
                       { "covariant-vector", Role::Components, 0, PixelMeaning::CovariantVector, false },
                       { "normal", Role::Components, 0, PixelMeaning::CovariantVector, false },
                       { "stub", Role::Components, 1, PixelMeaning::Scalar, false },
                       { "scalar", Role::Components, 1, PixelMeaning::Scalar, false },
                       { "complex", Role::Components, 2, PixelMeaning::Complex, false },
                       { "2-vector", Role::Components, 2, PixelMeaning::Vector, false },
                       { "3-color", Role::Components, 3, PixelMeaning::Rgb, false },
                       { "rgb-color", Role::Components, 3, PixelMeaning::Rgb, false },
                       { "hsv-color", Role::Components, 3, PixelMeaning::Rgb, false },
                       { "xyz-color", Role::Components, 3, PixelMeaning::Rgb, false },
                       { "4-color", Role::Components, 4, PixelMeaning::Rgba, false },
                       { "rgba-color", Role::Components, 4, PixelMeaning::Rgba, false },
                       { "3-vector", Role::Components, 3, PixelMeaning::Vector, false },
                       { "3-gradient", Role::Components, 3, PixelMeaning::CovariantVector, false },
                       { "3-normal", Role::Components, 3, PixelMeaning::CovariantVector, false },
                       { "4-vector", Role::Components, 4, PixelMeaning::Vector, false },
                       { "quaternion", Role::Components, 4, PixelMeaning::Vector, false },
                       { "2d-symmetric-matrix", Role::Components, 3, PixelMeaning::Vector, false },
                       { "2d-masked-symmetric-matrix", Role::Components, 4, PixelMeaning::Vector, true },
                       { "2d-matrix", Role::Components, 4, PixelMeaning::Vector, false },
                       { "2d-masked-matrix", Role::Components, 5, PixelMeaning::Vector, true },
                       { "3d-symmetric-matrix", Role::Components, 6, PixelMeaning::SymmetricTensor, false },
                       { "3d-masked-symmetric-matrix", Role::Components, 7, PixelMeaning::SymmetricTensor, true },
                       { "3d-matrix", Role::Components, 9, PixelMeaning::Vector, false },
                       { "3d-masked-matrix", Role::Components, 10, PixelMeaning::Vector, true } };

/** The kind of an axis; null where the file has none. */
const Kind *
KindOf(const std::string & word)
{
  if (word.empty() || word == "???" || word == "none")
  {
    return nullptr;
  }
  const std::string lower = Lower(word);
  for (const Kind & kind : kinds)
  {
    if (lower == kind.name)
    {
      return &kind;
    }
  }
  throw std::invalid_argument("kinds has \"" + ToPrintable(word.substr(0, 40)) +
                              "\"; allowed are domain, space, time, list, vector, scalar, complex, RGB-color, "
                              "3D-symmetric-matrix and the others of the format");
}

ScalarType
TypeOf(const std::string & value)
{
  static const std::map<std::string, ScalarType> types{ { "signed char", ScalarType::Int8 },
                                                        { "int8", ScalarType::Int8 },
                                                        { "int8_t", ScalarType::Int8 },
                                                        { "uchar", ScalarType::UInt8 },
                                                        { "unsigned char", ScalarType::UInt8 },
                                                        { "uint8", ScalarType::UInt8 },
                                                        { "uint8_t", ScalarType::UInt8 },
                                                        { "short", ScalarType::Int16 },
                                                        { "short int", ScalarType::Int16 },
                                                        { "signed short", ScalarType::Int16 },
                                                        { "signed short int", ScalarType::Int16 },
                                                        { "int16", ScalarType::Int16 },
                                                        { "int16_t", ScalarType::Int16 },
                                                        { "ushort", ScalarType::UInt16 },
                                                        { "unsigned short", ScalarType::UInt16 },
                                                        { "unsigned short int", ScalarType::UInt16 },
                                                        { "uint16", ScalarType::UInt16 },
                                                        { "uint16_t", ScalarType::UInt16 },
                                                        { "int", ScalarType::Int32 },
                                                        { "signed int", ScalarType::Int32 },
                                                        { "int32", ScalarType::Int32 },
                                                        { "int32_t", ScalarType::Int32 },
                                                        { "uint", ScalarType::UInt32 },
                                                        { "unsigned int", ScalarType::UInt32 },
                                                        { "uint32", ScalarType::UInt32 },
                                                        { "uint32_t", ScalarType::UInt32 },
                                                        { "longlong", ScalarType::Int64 },
                                                        { "long long", ScalarType::Int64 },
                                                        { "long long int", ScalarType::Int64 },
                                                        { "signed long long", ScalarType::Int64 },
                                                        { "signed long long int", ScalarType::Int64 },
                                                        { "int64", ScalarType::Int64 },
                                                        { "int64_t", ScalarType::Int64 },
                                                        { "ulonglong", ScalarType::UInt64 },
                                                        { "unsigned long long", ScalarType::UInt64 },
                                                        { "unsigned long long int", ScalarType::UInt64 },
                                                        { "uint64", ScalarType::UInt64 },
                                                        { "uint64_t", ScalarType::UInt64 },
                                                        { "float", ScalarType::Float32 },
                                                        { "double", ScalarType::Float64 } };
  const auto                                     found = types.find(Lower(value));
  if (found == types.end())
  {
    RefuseField("type", value, "integers of 8 to 64 bits, float and double are allowed");
  }
  return found->second;
}

FileEncoding
EncodingOf(const std::string & value)
{
  static const std::map<std::string, FileEncoding> encodings{
    { "raw", FileEncoding::Raw },   { "gzip", FileEncoding::Deflate }, { "gz", FileEncoding::Deflate },
    { "text", FileEncoding::Text }, { "txt", FileEncoding::Text },     { "ascii", FileEncoding::Text },
    { "hex", FileEncoding::Hex }
  };
  const auto found = encodings.find(Lower(value));
  if (found == encodings.end())
  {
    RefuseField("encoding", value, "raw, gzip, text and hex are allowed");
  }
  return found->second;
}

/** The coordinates of the file's space. */
struct Space
{
  unsigned int        dimension{ 0 };      ///< 0: the file has no space, but spacings
  bool                hasTime{ false };    ///< the last coordinate is time
  double              signs[3]{ 1, 1, 1 }; ///< from a coordinate to LPS
  std::vector<double> units{ 1, 1, 1, 1 }; ///< mm of a coordinate; of time: s
};

/** The space by the values of "space" and "space dimension". */
Space
SpaceOf(const Fields & fields, std::vector<std::string> & warnings)
{
  constexpr unsigned int mostCoordinates = 4;
  Space                  space;
  if (!fields.Has("space"))
  {
    if (fields.Has("space dimension"))
    {
      const std::string & value = fields.Get("space dimension");
      const double        dimension = NumbersOfField("space dimension", value, 1)[0];
      if (!(dimension == 2.0 || dimension == 3.0 || dimension == mostCoordinates))
      {
        RefuseField("space dimension", value, "2, 3 and 4 are allowed");
      }
      space.dimension = static_cast<unsigned int>(dimension);
    }
    return space;
  }
  const std::string & value = fields.Get("space");
  std::string         name; // letters and digits alone: "left-posterior-superior" and "left posterior superior"
  for (const char letter : Lower(value))
  {
    name += letter == '-' || letter == ' ' || letter == '_' ? "" : std::string(1, letter);
  }
  if (name == "rast" || name == "last" || name == "lpst")
  {
    name.back() = '-'; // no other name ends so
    name = name.substr(0, 3) + "time";
  }
  if (name.size() > 4 && name.compare(name.size() - 4, 4, "time") == 0)
  {
    space.hasTime = true;
    name.resize(name.size() - 4);
  }
  space.dimension = space.hasTime ? 4 : 3;
  if (name == "ras" || name == "rightanteriorsuperior")
  {
    space.signs[0] = -1.0;
    space.signs[1] = -1.0;
  }
  else if (name == "las" || name == "leftanteriorsuperior")
  {
    space.signs[1] = -1.0;
  }
  else if (name == "3drighthanded")
  {
    warnings.push_back("space is \"" + value + "\", which says nothing of a patient; its coordinates are taken as LPS");
  }
  else if (name == "scannerxyz")
  {
    RefuseField("space", value, "how the patient lies in the scanner is not known; RAS, LAS and LPS are allowed");
  }
  else if (name == "3dlefthanded")
  {
    RefuseField("space",
                value,
                "how it lies in a patient is not known, or which way it is mirrored; RAS, LAS and LPS "
                "are allowed");
  }
  else if (name != "lps" && name != "leftposteriorsuperior")
  {
    RefuseField("space",
                value,
                "right-anterior-superior (RAS), left-anterior-superior (LAS), left-posterior-superior "
                "(LPS), 3D-right-handed, and these with -time are allowed");
  }
  return space;
}

/** "\"mm\" \"mm\" \"s\"" as words. */
std::vector<std::string>
QuotedWords(const std::string & field, const std::string & value)
{
  std::vector<std::string> words;
  for (std::size_t at = value.find_first_not_of(" \t"); at != std::string::npos;
       at = value.find_first_not_of(" \t", at))
  {
    const std::size_t end = value[at] == '"' ? value.find('"', at + 1) : value.find_first_of(" \t", at);
    if (value[at] == '"' && end == std::string::npos)
    {
      RefuseField(field, value, "a quotation mark is missing");
    }
    const std::size_t begin = value[at] == '"' ? at + 1 : at;
    words.push_back(Trim(value.substr(begin, end == std::string::npos ? end : end - begin)));
    at = end == std::string::npos ? value.size() : end + (value[end] == '"' ? 1 : 0);
  }
  return words;
}

/** Seconds of a unit of time; empty where there is none, or another one. */
std::optional<double>
SecondsOf(const std::string & unit)
{
  static const std::map<std::string, double> units{
    { "s", 1.0 },   { "sec", 1.0 },   { "second", 1.0 },       { "seconds", 1.0 },
    { "ms", 1e-3 }, { "msec", 1e-3 }, { "millisecond", 1e-3 }, { "milliseconds", 1e-3 },
    { "us", 1e-6 }, { "usec", 1e-6 }, { "min", 60.0 }
  };
  const auto found = units.find(Lower(unit));
  return found == units.end() ? std::nullopt : std::optional<double>(found->second);
}

/** A unit of length in mm. */
double
LengthUnit(const std::string & field, const std::string & value, const std::string & unit)
{
  const std::optional<double> millimetres = MillimetresOf(unit);
  if (!millimetres)
  {
    RefuseField(field, value, std::string("units of length that are known are ") + namesOfLengthUnits);
  }
  return *millimetres;
}

/** Vectors of a field: "(1,0,0) none (0,1,0)"; none has no coordinates. */
std::vector<std::vector<double>>
VectorsOf(const std::string & field, const std::string & value, std::size_t count, std::size_t coordinates)
{
  std::vector<std::vector<double>> vectors;
  std::size_t                      at = 0;
  while ((at = value.find_first_not_of(" \t", at)) != std::string::npos)
  {
    if (value[at] != '(')
    {
      const std::size_t end = std::min(value.find_first_of(" \t", at), value.size());
      const std::string word = Lower(value.substr(at, end - at));
      if (word != "none" && word != "nan")
      {
        RefuseField(field, value, "vectors as (1,0,0), and none, are allowed");
      }
      vectors.emplace_back();
      at = end;
      continue;
    }
    const std::size_t end = value.find(')', at);
    if (end == std::string::npos)
    {
      RefuseField(field, value, "a closing bracket is missing");
    }
    std::string numbers = value.substr(at + 1, end - at - 1);
    std::replace(numbers.begin(), numbers.end(), ',', ' ');
    vectors.push_back(NumbersOfField(field, numbers, coordinates));
    at = end + 1;
  }
  if (vectors.size() != count)
  {
    RefuseField(
      field, value, std::to_string(count) + " vectors of " + std::to_string(coordinates) + " numbers are needed");
  }
  return vectors;
}

/** The files of the numbers. */
void
FindFiles(const Fields & fields, ImageFileHeader & header)
{
  const auto dimension = static_cast<unsigned int>(header.storedSizes.size());
  header.axesOfFile = dimension;
  if (!fields.Has("data file"))
  {
    return;
  }
  const std::string &            value = fields.Get("data file");
  const std::vector<std::string> words = SplitWords(value);
  const auto                     axesOf = [&](std::size_t word) {
    header.axesOfFile = dimension - 1;
    if (words.size() > word)
    {
      const std::optional<double> axes = NumberOf(words[word]);
      if (!axes || !(*axes >= 1.0) || *axes > dimension || *axes != std::floor(*axes))
      {
        RefuseField("data file", value, "a file has 1 to " + std::to_string(dimension) + " of the axes");
      }
      header.axesOfFile = static_cast<unsigned int>(*axes);
    }
  };
  if (value.empty())
  {
    RefuseField("data file", value, "the name of a file is needed");
  }
  if (Lower(words[0]) == "list")
  {
    axesOf(1);
    header.files = fields.list;
    if (header.files.empty())
    {
      RefuseField("data file", value, "no name of a file follows");
    }
    return;
  }
  constexpr std::size_t wordsOfPattern = 4;
  if (words.size() >= wordsOfPattern && words[0].find('%') != std::string::npos)
  {
    const std::optional<double> first = NumberOf(words[1]);
    const std::optional<double> last = NumberOf(words[2]);
    const std::optional<double> step = NumberOf(words[3]);
    constexpr double            most = 1e15;
    if (first && last && step && std::abs(*first) < most && std::abs(*last) < most && std::abs(*step) < most)
    {
      if (const auto files = ExpandPattern(
            words[0], static_cast<long long>(*first), static_cast<long long>(*last), static_cast<long long>(*step)))
      {
        axesOf(wordsOfPattern);
        header.files = *files;
        header.literalName = value;
        return;
      }
    }
    RefuseField("data file", value, "a pattern as slice%03d.raw with the first and last number and a step is allowed");
  }
  header.files = { value };
}

/** Integer of a skip. */
std::int64_t
SkipOf(const Fields & fields, const std::string & field, double least)
{
  if (!fields.Has(field))
  {
    return 0;
  }
  constexpr double most = 1e15;
  const double     skip = NumbersOfField(field, fields.Get(field), 1)[0];
  if (!(skip >= least) || skip > most || skip != std::floor(skip))
  {
    RefuseField(field, fields.Get(field), "an integer from " + ToText(least) + " is allowed");
  }
  return static_cast<std::int64_t>(skip);
}

/** An axis of the file. */
struct Axis
{
  const Kind *        kind{ nullptr };
  Role                role{ Role::Space };
  std::vector<double> step; ///< its space direction; empty: none
};

/** What the axes are for, by their kinds and directions. */
std::vector<Axis>
FindAxes(const Fields & fields, const Space & space, std::size_t dimension)
{
  std::vector<Axis> axes(dimension);
  if (fields.Has("kinds"))
  {
    const std::vector<std::string> words = SplitWords(fields.Get("kinds"));
    if (words.size() != dimension)
    {
      RefuseField("kinds", fields.Get("kinds"), std::to_string(dimension) + " kinds are needed");
    }
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      axes[axis].kind = KindOf(words[axis]);
      axes[axis].role = axes[axis].kind != nullptr ? axes[axis].kind->role : Role::Space;
    }
  }
  const bool hasDirections = fields.Has("space directions");
  if (hasDirections)
  {
    const std::string & value = fields.Get("space directions");
    if (space.dimension == 0)
    {
      RefuseField("space directions", value, "space or space dimension is needed, too");
    }
    const auto vectors = VectorsOf("space directions", value, dimension, space.dimension);
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      const auto & vector = vectors[axis];
      const bool   isMissing = std::all_of(vector.begin(), vector.end(), [](double x) { return std::isnan(x); });
      if (!isMissing && !std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); }))
      {
        RefuseField("space directions", value, "finite numbers are allowed");
      }
      axes[axis].step = isMissing ? std::vector<double>() : vector;
      if (axes[axis].role == Role::Components && !isMissing)
      {
        RefuseField("space directions", value, "axis " + std::to_string(axis) + " has components, and no direction");
      }
    }
  }
  return axes;
}

/** The axes of space and time in their order.
 * \return the axis of a series is the fourth */
std::vector<unsigned int>
OrderAxes(const Fields & fields, const std::vector<Axis> & axes, const std::vector<std::uint64_t> & sizes)
{
  const bool                hasDirections = fields.Has("space directions");
  std::vector<unsigned int> spatial;
  std::vector<unsigned int> further; // of time, or without a direction where others have one
  for (unsigned int axis = 0; axis < axes.size(); ++axis)
  {
    if (axes[axis].role == Role::Components)
    {
      continue;
    }
    const bool isFurther = axes[axis].role == Role::Time || (hasDirections && axes[axis].step.empty());
    if (isFurther && axes[axis].kind == nullptr && sizes[axis] > 1)
    {
      RefuseField("space directions",
                  fields.Get("space directions"),
                  "axis " + std::to_string(axis) + " has no direction, and kinds does not say what it is");
    }
    (isFurther ? further : spatial).push_back(axis);
  }
  while (spatial.size() > 3 && sizes[spatial.back()] == 1)
  {
    spatial.pop_back();
  }
  if (spatial.size() == 4)
  {
    further.insert(further.begin(), spatial.back());
    spatial.pop_back();
  }
  further.erase(
    std::remove_if(further.begin(), further.end(), [&sizes](unsigned int axis) { return sizes[axis] == 1; }),
    further.end());
  if (spatial.size() < 2 || spatial.size() > 3 || further.size() > 1 || (spatial.size() == 2 && !further.empty()))
  {
    throw std::invalid_argument("sizes is \"" + ToPrintable(fields.Get("sizes").substr(0, 100)) + "\" with " +
                                std::to_string(spatial.size()) + " axes of space and " +
                                std::to_string(further.size()) +
                                " others; images of 2 and 3 dimensions, and series of volumes, are allowed");
  }
  spatial.insert(spatial.end(), further.begin(), further.end());
  return spatial;
}

/** A field with a number for each axis; NaN where it is not there. */
std::vector<double>
NumbersOfAxes(const Fields & fields, const std::string & field, std::size_t dimension)
{
  return fields.Has(field) ? NumbersOfField(field, fields.Get(field), dimension)
                           : std::vector<double>(dimension, notANumber);
}

/** Spacing and place of axes that have no direction: from spacings, axis mins and maxs, centerings and units. */
struct AxisGeometry
{
  double step{ 1.0 };   ///< may be negative
  double origin{ 0.0 }; ///< centre of the first sample
  bool   isKnown{ false };
};

AxisGeometry
GeometryOfAxis(const Fields & fields, unsigned int axis, const std::vector<std::uint64_t> & sizes)
{
  const std::size_t              dimension = sizes.size();
  const double                   minimum = NumbersOfAxes(fields, "axis mins", dimension)[axis];
  const double                   maximum = NumbersOfAxes(fields, "axis maxs", dimension)[axis];
  const std::vector<std::string> centerings = SplitWords(fields.Get("centerings"));
  const bool                     isNode = axis < centerings.size() && Lower(centerings[axis]) == "node";
  const auto                     samples = static_cast<double>(sizes[axis]);
  AxisGeometry                   geometry;
  double                         step = NumbersOfAxes(fields, "spacings", dimension)[axis];
  if (std::isnan(step) && !std::isnan(minimum) && !std::isnan(maximum) && samples > (isNode ? 1.0 : 0.0))
  {
    step = (maximum - minimum) / (isNode ? samples - 1.0 : samples);
  }
  geometry.isKnown = !std::isnan(step);
  geometry.step = geometry.isKnown ? step : 1.0;
  // Samples are at nodes, or in the middle of cells between the ends of the axis.
  const double half = isNode ? 0.0 : 0.5;
  if (!std::isnan(minimum))
  {
    geometry.origin = minimum + half * geometry.step;
  }
  else if (!std::isnan(maximum))
  {
    geometry.origin = maximum - (samples - 1.0 + half) * geometry.step;
  }
  return geometry;
}

/** The grid of a file with space directions. */
void
SetGridOfDirections(const Fields &                    fields,
                    const Space &                     space,
                    const std::vector<Axis> &         axes,
                    const std::vector<unsigned int> & order,
                    ImageFileHeader &                 header)
{
  const std::string & directions = fields.Get("space directions");
  const unsigned int  spatial = space.hasTime || space.dimension == 4 ? 3 : space.dimension;
  if (header.dimension != spatial)
  {
    RefuseField("space directions",
                directions,
                "an image of " + std::to_string(header.dimension) + " axes in a space of " + std::to_string(spatial) +
                  " dimensions has no grid that is known; as many axes as dimensions are allowed");
  }
  std::vector<std::array<double, 3>> columns(header.dimension, { { 0, 0, 0 } });
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    const std::vector<double> & step = axes[order[axis]].step;
    for (unsigned int row = 0; row < spatial; ++row)
    {
      columns[axis][row] = space.signs[row] * space.units[row] * step[row];
    }
    if (space.dimension == 4 && step[3] != 0.0)
    {
      RefuseField("space directions", directions, "axes of space that move in time are not supported");
    }
  }
  SetColumns(header, columns, "space directions");
  if (header.isSeries && !axes[order[header.dimension]].step.empty())
  {
    const std::vector<double> & step = axes[order[header.dimension]].step;
    if (space.dimension != 4 || step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0)
    {
      RefuseField("space directions", directions, "volumes of a series that move in space are not supported");
    }
    header.volumeSpacing = space.units[3] * step[3];
  }
  std::vector<double> origin;
  if (fields.Has("space origin"))
  {
    origin = VectorsOf("space origin", fields.Get("space origin"), 1, space.dimension)[0];
  }
  if (origin.empty() || std::any_of(origin.begin(), origin.end(), [](double x) { return std::isnan(x); }))
  {
    header.warnings.push_back("there is no space origin; the first voxel is taken to be at 0");
    return;
  }
  for (unsigned int row = 0; row < spatial; ++row)
  {
    header.origin[row] = space.signs[row] * space.units[row] * origin[row];
    if (!std::isfinite(origin[row]))
    {
      RefuseField("space origin", fields.Get("space origin"), "finite numbers are allowed");
    }
  }
  header.volumeOrigin = space.dimension == 4 ? space.units[3] * origin[3] : 0.0;
}

/** The grid of a file without space directions. */
void
SetGridOfSpacings(const Fields & fields, const std::vector<unsigned int> & order, ImageFileHeader & header)
{
  if (fields.Has("space") || fields.Has("space origin"))
  {
    throw std::invalid_argument("space directions is missing, and there is a " +
                                std::string(fields.Has("space") ? "space" : "space origin") +
                                "; the directions of the axes in it are needed");
  }
  const std::vector<std::string>     units = QuotedWords("units", fields.Get("units"));
  std::vector<std::array<double, 3>> columns(header.dimension, { { 0, 0, 0 } });
  std::string                        unknown;
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    const unsigned int stored = order[axis];
    const double       unit = stored < units.size() ? LengthUnit("units", fields.Get("units"), units[stored]) : 1.0;
    const AxisGeometry geometry = GeometryOfAxis(fields, stored, header.storedSizes);
    columns[axis][axis] = unit * geometry.step;
    header.origin[axis] = unit * geometry.origin;
    unknown += geometry.isKnown ? "" : (unknown.empty() ? "" : ", ") + std::to_string(stored);
  }
  SetColumns(header, columns, "spacings");
  if (!unknown.empty())
  {
    header.warnings.push_back("there is no spacing of axis " + unknown + "; 1 mm is taken");
  }
}

/** Time of a series whose axis has no direction. */
void
SetTime(const Fields & fields, unsigned int axis, ImageFileHeader & header)
{
  const AxisGeometry             geometry = GeometryOfAxis(fields, axis, header.storedSizes);
  const std::vector<std::string> units = QuotedWords("units", fields.Get("units"));
  const double                   unit = axis < units.size() ? SecondsOf(units[axis]).value_or(1.0) : 1.0;
  header.volumeSpacing = unit * geometry.step;
  header.volumeOrigin = unit * geometry.origin;
}

/** Warns of vectors whose coordinates are not LPS. */
void
CheckMeasurementFrame(const Fields & fields, const Space & space, ImageFileHeader & header)
{
  const bool hasDirections = header.meaning == PixelMeaning::Vector ||
                             header.meaning == PixelMeaning::CovariantVector || header.meaning == PixelMeaning::Point ||
                             header.meaning == PixelMeaning::SymmetricTensor;
  const std::string field = "measurement frame";
  if (!fields.Has(field) || space.dimension == 0)
  {
    return;
  }
  const auto columns = VectorsOf(field, fields.Get(field), space.dimension, space.dimension);
  bool       isIdentity = true;
  for (std::size_t column = 0; column < columns.size(); ++column)
  {
    for (std::size_t row = 0; row < columns[column].size(); ++row)
    {
      const double number = (row < 3 ? space.signs[row] : 1.0) * columns[column][row];
      isIdentity = isIdentity && std::abs(number - (row == column ? 1.0 : 0.0)) < 1e-6;
    }
  }
  if (!isIdentity && hasDirections)
  {
    header.warnings.push_back("measurement frame is \"" + fields.Get(field) +
                              "\": the components of vectors and tensors stay as in the file, and are not LPS");
  }
}

void
SetComponents(const std::vector<Axis> & axes, ImageFileHeader & header)
{
  constexpr std::uint64_t most = 1024;
  for (unsigned int axis = 0; axis < axes.size(); ++axis)
  {
    if (axes[axis].role != Role::Components)
    {
      continue;
    }
    const Kind &        kind = *axes[axis].kind;
    const std::uint64_t size = header.storedSizes[axis];
    if (header.hasComponentAxis)
    {
      throw std::invalid_argument("kinds has two axes of components; one is allowed");
    }
    if (kind.size != 0 && kind.size != size)
    {
      throw std::invalid_argument("sizes has " + std::to_string(size) + " for axis " + std::to_string(axis) +
                                  ", whose kind " + kind.name + " needs " + std::to_string(kind.size));
    }
    if (size > most)
    {
      throw std::invalid_argument("sizes has " + std::to_string(size) + " for axis " + std::to_string(axis) +
                                  " of kind " + kind.name + "; 1 to 1024 components a pixel are allowed");
    }
    header.hasComponentAxis = true;
    header.order.push_back(axis);
    header.skippedComponents = kind.isMasked ? 1 : 0;
    header.components = static_cast<unsigned int>(size) - header.skippedComponents;
    header.meaning = header.components > 1 ? kind.meaning : PixelMeaning::Scalar;
    if (kind.isMasked)
    {
      header.warnings.push_back(std::string("the kind ") + kind.name +
                                " has a mask as its first component, which is left out");
    }
  }
}

} // namespace

bool
IsNrrd(std::string_view beginning)
{
  return beginning.compare(0, 4, "NRRD") == 0;
}

ImageFileHeader
ParseNrrdHeader(std::string_view text)
{
  const Fields    fields = ReadFields(text);
  ImageFileHeader header;
  for (const char * const field : { "dimension", "sizes", "type", "encoding" })
  {
    if (!fields.Has(field))
    {
      throw std::invalid_argument(std::string("the field ") + field + " is missing");
    }
  }
  const double dimension = NumbersOfField("dimension", fields.Get("dimension"), 1)[0];
  if (!(dimension >= 1.0 && dimension <= maxAxes) || dimension != std::floor(dimension))
  {
    RefuseField("dimension", fields.Get("dimension"), "1 to 16 are allowed");
  }
  const auto axisCount = static_cast<std::size_t>(dimension);
  header.storedSizes = SizesOfField("sizes", fields.Get("sizes"), axisCount);
  header.type = TypeOf(fields.Get("type"));
  header.encoding = EncodingOf(fields.Get("encoding"));
  const bool isBinary = header.encoding == FileEncoding::Raw || header.encoding == FileEncoding::Deflate ||
                        header.encoding == FileEncoding::Hex;
  if (isBinary && SizeOf(header.type) > 1)
  {
    const std::string endian = Lower(fields.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      RefuseField("endian", fields.Get("endian"), "little and big are allowed");
    }
    header.isSwapped = (endian == "little") != IsLittleEndian();
  }
  header.dataBegin = fields.end;
  header.lineSkip = SkipOf(fields, "line skip", 0.0);
  header.byteSkip = SkipOf(fields, "byte skip", header.encoding == FileEncoding::Raw ? -1e15 : 0.0);
  FindFiles(fields, header);

  Space space = SpaceOf(fields, header.warnings);
  if (fields.Has("space units"))
  {
    const std::string &            value = fields.Get("space units");
    const std::vector<std::string> units = QuotedWords("space units", value);
    if (space.dimension == 0 || units.size() != space.dimension)
    {
      RefuseField(
        "space units", value, std::to_string(space.dimension) + " units are needed, one a dimension of space");
    }
    for (std::size_t axis = 0; axis < units.size(); ++axis)
    {
      space.units[axis] =
        axis < 3 ? LengthUnit("space units", value, units[axis]) : SecondsOf(units[axis]).value_or(1.0);
    }
  }
  const std::vector<Axis> axes = FindAxes(fields, space, axisCount);
  SetComponents(axes, header);
  const std::vector<unsigned int> order = OrderAxes(fields, axes, header.storedSizes);
  header.order.insert(header.order.end(), order.begin(), order.end());
  header.isSeries = order.size() > 3;
  header.dimension = static_cast<unsigned int>(order.size()) - (header.isSeries ? 1 : 0);
  for (unsigned int axis = 0; axis < header.dimension; ++axis)
  {
    header.size[axis] = header.storedSizes[order[axis]];
  }
  header.volumes = header.isSeries ? header.storedSizes[order.back()] : 1;
  if (fields.Has("space directions"))
  {
    SetGridOfDirections(fields, space, axes, order, header);
  }
  else
  {
    SetGridOfSpacings(fields, order, header);
  }
  if (header.isSeries && axes[order.back()].step.empty())
  {
    SetTime(fields, order.back(), header);
  }
  CheckMeasurementFrame(fields, space, header);
  return header;
}

} // namespace itk::CudaSpline
