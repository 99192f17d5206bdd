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
#include "itkCudaSpline/files/NiftiHeader.h"

#include "files/NiftiGeometry.h"
#include "files/RawNiftiHeader.h"

#include "itkCudaSpline/files/NiftiPixels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

constexpr char          magicEnding[] = "\r\n\032\n"; // of NIfTI-2
constexpr int           vectorIntent = 1007;
constexpr int           displacementIntent = 1006;
constexpr int           matrixIntent = 1005;
constexpr int           rgbIntent = 2003;
constexpr int           rgbaIntent = 2004;
constexpr std::int64_t  maxComponents = 1024;
constexpr std::uint64_t extensionBytes = 4; // after the header of a single file
constexpr double        maxBytes = 4e18;    // fits into 64 bits

/** The meaning of a code of the field datatype. */
struct DataType
{
  int           code;
  ScalarType    number;
  std::uint32_t components; ///< in a voxel
  NiftiPixel    pixel;
};

constexpr DataType dataTypes[] = {
  { 2, ScalarType::UInt8, 1, NiftiPixel::Scalar },       { 4, ScalarType::Int16, 1, NiftiPixel::Scalar },
  { 8, ScalarType::Int32, 1, NiftiPixel::Scalar },       { 16, ScalarType::Float32, 1, NiftiPixel::Scalar },
  { 32, ScalarType::Float32, 2, NiftiPixel::Complex },   { 64, ScalarType::Float64, 1, NiftiPixel::Scalar },
  { 128, ScalarType::UInt8, 3, NiftiPixel::Rgb },        { 256, ScalarType::Int8, 1, NiftiPixel::Scalar },
  { 512, ScalarType::UInt16, 1, NiftiPixel::Scalar },    { 768, ScalarType::UInt32, 1, NiftiPixel::Scalar },
  { 1024, ScalarType::Int64, 1, NiftiPixel::Scalar },    { 1280, ScalarType::UInt64, 1, NiftiPixel::Scalar },
  { 1792, ScalarType::Float64, 2, NiftiPixel::Complex }, { 2304, ScalarType::UInt8, 4, NiftiPixel::Rgba }
};

[[noreturn]] void
Refuse(const std::string & message)
{
  throw std::invalid_argument(message);
}

const DataType &
FindDataType(int code)
{
  for (const DataType & type : dataTypes)
  {
    if (type.code == code)
    {
      return type;
    }
  }
  const std::string name = code == 1      ? " (binary)"
                           : code == 1536 ? " (float128)"
                           : code == 2048 ? " (complex256)"
                           : code == 0    ? " (unknown)"
                                          : "";
  Refuse("datatype is " + std::to_string(code) + name +
         "; integers of 8 to 64 bits, float32, float64, complex64, complex128, RGB24 and RGBA32 are allowed");
}

std::string
DimensionsText(const RawNiftiHeader & header)
{
  std::string text;
  for (std::int64_t axis = 1; axis <= header.dim[0]; ++axis)
  {
    text += (axis == 1 ? "" : " x ") + std::to_string(header.dim[static_cast<std::size_t>(axis)]);
  }
  return text;
}

/** Throws for invalid sizes. Sizes above dim[0] have no meaning, and are set to 1. */
void
CheckDimensions(RawNiftiHeader & header)
{
  if (header.dim[0] < 1 || header.dim[0] > 7)
  {
    Refuse("dim[0] (the number of dimensions) is " + std::to_string(header.dim[0]) + "; 1 to 7 are allowed");
  }
  for (std::int64_t axis = 1; axis <= 7; ++axis)
  {
    std::int64_t & size = header.dim[static_cast<std::size_t>(axis)];
    if (axis > header.dim[0])
    {
      size = 1;
    }
    if (size < 1)
    {
      Refuse("dim[" + std::to_string(axis) + "] is " + std::to_string(size) + "; at least 1 is allowed");
    }
  }
  if (header.dim[6] > 1 || header.dim[7] > 1)
  {
    Refuse("it has " + std::to_string(header.dim[0]) + " dimensions (" + DimensionsText(header) +
           "); images of 2 and 3 dimensions, series of them (dim[4]) and several numbers a voxel (dim[5]) are allowed");
  }
  if (header.dim[5] > maxComponents)
  {
    Refuse("dim[5] (the numbers of a voxel) is " + std::to_string(header.dim[5]) + "; 1 to 1024 are allowed");
  }
}

void
CheckMagic(const RawNiftiHeader & header)
{
  const std::string version = std::to_string(header.version);
  if (header.magic != "n+" + version && header.magic != "ni" + version)
  {
    if (header.version == 1 && header.magic.compare(0, 1, "n") != 0)
    {
      Refuse(
        "it is an Analyze 7.5 file (it has no magic \"n+1\" or \"ni1\"), whose header does not distinguish left from "
        "right; convert it to NIfTI with the program that wrote it");
    }
    Refuse("its magic is neither \"n+" + version + "\" nor \"ni" + version + "\"");
  }
  if (header.version == 2 && !header.magicEnding.empty() && header.magicEnding != magicEnding)
  {
    Refuse("the bytes after its magic show that it was transferred as text; transfer it in binary mode");
  }
}

/** Returns the position of the pixels. */
std::uint64_t
FindPixels(const RawNiftiHeader & header, bool isSingleFile, std::vector<std::string> & warnings)
{
  const double offset = header.voxOffset;
  const double least = isSingleFile ? static_cast<double>(SizeOfNiftiHeader(header.version)) : 0.0;
  if (isSingleFile && offset == 0.0)
  {
    const auto usual = SizeOfNiftiHeader(header.version) + extensionBytes;
    warnings.push_back("vox_offset is 0, which is in the header; " + std::to_string(usual) + " is taken");
    return usual;
  }
  if (!(offset >= least && offset < maxBytes) || offset != std::floor(offset))
  {
    Refuse("vox_offset (the byte of the first voxel) is " + NumberText(offset) + "; an integer of at least " +
           NumberText(least) + " is allowed");
  }
  return static_cast<std::uint64_t>(offset);
}

/** Describes the numbers of a voxel: their count, their meaning, and their storage. */
void
DescribePixels(const RawNiftiHeader & header, NiftiDescription & description)
{
  const DataType & type = FindDataType(header.datatype);
  const int        bits = static_cast<int>(8 * SizeOf(type.number) * type.components);
  if (header.bitpix != bits)
  {
    description.warnings.push_back("bitpix is " + std::to_string(header.bitpix) + ", and voxels of datatype " +
                                   std::to_string(type.code) + " have " + std::to_string(bits) +
                                   " bits; these are taken");
  }
  description.storedType = type.number;
  description.type = type.number;
  description.components = type.components;
  description.pixel = type.pixel;
  if (header.dim[5] == 1)
  {
    return;
  }
  if (type.components != 1)
  {
    Refuse("dim[5] is " + std::to_string(header.dim[5]) + " with voxels of datatype " + std::to_string(type.code) +
           ", which have " + std::to_string(type.components) + " numbers by themselves; dim[5] may be 1");
  }
  description.components = static_cast<std::uint32_t>(header.dim[5]);
  description.arePlanes = true;
  description.pixel = NiftiPixel::Vector;
  const auto n = description.components;
  if (header.intentCode == displacementIntent)
  {
    if (n > 3)
    {
      Refuse("dim[5] is " + std::to_string(n) + " with intent_code 1006 (displacement vectors); 2 or 3 are allowed");
    }
    description.pixel = NiftiPixel::Displacement;
  }
  else if (header.intentCode == matrixIntent)
  {
    const double given = header.intentP[0];
    if ((n != 3 && n != 6) || (given != 0.0 && given != (n == 3 ? 2.0 : 3.0)))
    {
      Refuse("dim[5] is " + std::to_string(n) + " and intent_p1 is " + NumberText(given) +
             " with intent_code 1005 (symmetric matrix); 3 with 2, and 6 with 3 are allowed");
    }
    description.pixel = NiftiPixel::SymmetricMatrix;
  }
  else if (header.intentCode == rgbIntent && n == 3)
  {
    description.pixel = NiftiPixel::Rgb;
  }
  else if (header.intentCode == rgbaIntent && n == 4)
  {
    description.pixel = NiftiPixel::Rgba;
  }
}

/** Reads slope and intercept. A slope of 0 means that there are none, and so do NaN and infinity. Colours have none. */
void
DescribeScaling(const RawNiftiHeader & header, NiftiDescription & description)
{
  const double slope = header.sclSlope;
  const double intercept = header.sclInter;
  const bool   isColour = description.pixel == NiftiPixel::Rgb || description.pixel == NiftiPixel::Rgba;
  if (!isColour && !std::isfinite(slope))
  {
    description.warnings.push_back("scl_slope is " + NumberText(slope) + "; voxels are not scaled");
  }
  else if (!isColour && slope != 0.0)
  {
    if (!std::isfinite(intercept))
    {
      Refuse("scl_inter is " + NumberText(intercept) + " with scl_slope " + NumberText(slope) +
             "; a finite number is allowed");
    }
    description.slope = slope;
    description.intercept = intercept;
    description.isScaled = slope != 1.0 || intercept != 0.0;
  }
  const bool isReal = description.storedType == ScalarType::Float32 || description.storedType == ScalarType::Float64;
  // Integers are converted to real numbers before their sign changes, because the smallest one has no opposite.
  description.isScaled = description.isScaled || (description.pixel == NiftiPixel::Displacement && !isReal);
  if (description.isScaled)
  {
    description.type = GetScaledNiftiType(description);
  }
}

double
FiniteOrZero(double number)
{
  return std::isfinite(number) ? number : 0.0;
}

NiftiFields
ReadFields(const RawNiftiHeader & header, std::vector<std::string> & warnings)
{
  NiftiFields fields;
  fields.qformCode = std::max(header.qformCode, 0);
  fields.sformCode = std::max(header.sformCode, 0);
  fields.intentCode = header.intentCode;
  fields.intentParameters = header.intentP;
  fields.intentName = header.intentName;
  fields.calMin = header.calMin;
  fields.calMax = header.calMax;
  fields.description = header.descrip;
  fields.auxFile = header.auxFile;
  fields.dimInfo = header.dimInfo;
  fields.sliceCode = header.sliceCode;
  fields.sliceStart = header.sliceStart;
  fields.sliceEnd = header.sliceEnd;
  const int unit = header.xyztUnits & 0x38;
  double    scale = 1.0;
  switch (unit)
  {
    case 16:
      scale = 1e-3;
      [[fallthrough]];
    case 24:
      scale = unit == 24 ? 1e-6 : scale;
      [[fallthrough]];
    case 8:
      fields.volumeUnit = 8;
      break;
    case 32:
    case 40:
    case 48:
      fields.volumeUnit = unit;
      break;
    default:
      fields.volumeUnit = 0;
  }
  fields.sliceDuration = scale * FiniteOrZero(header.sliceDuration);
  fields.volumeOrigin = scale * FiniteOrZero(header.toffset);
  fields.volumeSpacing = scale * std::abs(FiniteOrZero(header.pixdim[4]));
  if (header.dim[4] > 1 && !std::isfinite(header.pixdim[4]))
  {
    warnings.push_back("pixdim[4] (the distance of volumes) is " + NumberText(header.pixdim[4]) +
                       "; it is taken as unknown");
  }
  if (!std::isfinite(header.toffset))
  {
    warnings.push_back("toffset is " + NumberText(header.toffset) + "; 0 is taken");
  }
  return fields;
}

/** Returns whether an intent is for several numbers per voxel. */
bool
IsIntentOfSeveral(int code)
{
  return (code >= 1004 && code <= 1009) || code == rgbIntent || code == rgbaIntent;
}

/** Returns the code of the datatype for a file with numbers of a description's type. */
const DataType &
DataTypeToWrite(const NiftiDescription & description)
{
  const DataType * scalar = nullptr;
  for (const DataType & type : dataTypes)
  {
    if (type.number == description.type && type.components == description.components && type.pixel == description.pixel)
    {
      return type;
    }
    if (type.number == description.type && type.components == 1)
    {
      scalar = &type;
    }
  }
  return *scalar;
}

/** Sets the intent of the numbers of an image. The intent of the input is kept if it matches them. */
void
SetIntent(const NiftiDescription & description, RawNiftiHeader & header)
{
  const NiftiFields & fields = description.fields;
  header.intentCode = fields.intentCode;
  header.intentP = fields.intentParameters;
  header.intentName = fields.intentName;
  const auto replace = [&header](int code) {
    if (header.intentCode != code)
    {
      header.intentCode = code;
      header.intentP = {};
      header.intentName.clear();
    }
  };
  if (!description.arePlanes)
  {
    if (IsIntentOfSeveral(header.intentCode) && description.components == 1)
    {
      replace(0);
    }
    return;
  }
  switch (description.pixel)
  {
    case NiftiPixel::Displacement:
      replace(displacementIntent);
      break;
    case NiftiPixel::SymmetricMatrix:
      replace(matrixIntent);
      header.intentP = { description.components == 3 ? 2.0 : 3.0, 0.0, 0.0 };
      break;
    case NiftiPixel::Rgb:
      replace(rgbIntent);
      break;
    case NiftiPixel::Rgba:
      replace(rgbaIntent);
      break;
    default:
      if (header.intentCode == 0 || header.intentCode == displacementIntent || header.intentCode == matrixIntent ||
          header.intentCode == rgbIntent || header.intentCode == rgbaIntent)
      {
        replace(vectorIntent);
      }
  }
}

/** Returns the name of an intent of FSL's transforms; null for others. */
const char *
GetFslIntentName(int intent)
{
  switch (intent)
  {
    case 2006:
      return "FSL_FNIRT_DISPLACEMENT_FIELD";
    case 2007:
      return "FSL_CUBIC_SPLINE_COEFFICIENTS";
    case 2008:
      return "FSL_DCT_COEFFICIENTS";
    case 2009:
      return "FSL_QUADRATIC_SPLINE_COEFFICIENTS";
    case 2016:
      return "FSL_TOPUP_CUBIC_SPLINE_COEFFICIENTS";
    case 2017:
      return "FSL_TOPUP_QUADRATIC_SPLINE_COEFFICIENTS";
    case 2018:
      return "FSL_TOPUP_FIELD";
    default:
      return nullptr;
  }
}

} // namespace

bool
IsNiftiHeader(const void * bytes, std::size_t count)
{
  bool isSwapped = false;
  return FindNiftiVersion(bytes, count, isSwapped) != 0;
}

NiftiDescription
DescribeNifti(const void * bytes, std::size_t count)
{
  RawNiftiHeader header = ReadRawNiftiHeader(bytes, count);
  CheckMagic(header);
  CheckDimensions(header);
  NiftiDescription description;
  description.version = header.version;
  description.isSwapped = header.isSwapped;
  description.isSingleFile = header.magic[1] == '+';
  description.pixelOffset = FindPixels(header, description.isSingleFile, description.warnings);
  description.volumes = static_cast<std::uint64_t>(header.dim[4]);
  DescribePixels(header, description);
  DescribeScaling(header, description);
  // Vectors and tensors in two dimensions have a third size of 1, because their numbers are in dim[5].
  const bool isOfPlane =
    description.arePlanes && description.components == (description.pixel == NiftiPixel::SymmetricMatrix ? 3U : 2U);
  const bool isPlane = header.dim[0] < 3 || (header.dim[3] == 1 && header.dim[4] == 1 && isOfPlane);
  description.grid = MakeNiftiGrid(header, isPlane, description.warnings);
  description.fields = ReadFields(header, description.warnings);
  double size = static_cast<double>(description.components) * 8.0;
  for (std::size_t axis = 1; axis <= 4; ++axis)
  {
    size *= static_cast<double>(header.dim[axis]);
  }
  if (!(size < maxBytes))
  {
    Refuse("it has " + NumberText(size / 8.0) + " numbers (" + DimensionsText(header) +
           "), more than can be addressed");
  }
  return description;
}

std::string
MakeNiftiHeader(NiftiDescription & description)
{
  const bool isReal = description.type == ScalarType::Float32 || description.type == ScalarType::Float64;
  if (description.pixel == NiftiPixel::Displacement && !isReal)
  {
    description.pixel = NiftiPixel::Vector; // not all integers have an opposite
  }
  const DataType & type = DataTypeToWrite(description);
  description.arePlanes = description.components != type.components;
  description.storedType = description.type;
  description.isSwapped = false;
  description.isScaled = false;
  description.slope = 1.0;
  description.intercept = 0.0;
  const bool     isSeries = description.volumes > 1;
  RawNiftiHeader header;
  header.dim[0] = description.arePlanes ? 5 : isSeries ? 4 : description.grid.dimension;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    header.dim[axis + 1] = static_cast<std::int64_t>(description.grid.size[axis]);
  }
  header.dim[4] = static_cast<std::int64_t>(description.volumes);
  header.dim[5] = description.arePlanes ? static_cast<std::int64_t>(description.components) : 1;
  constexpr std::int64_t maxSize = 32767; // fits into 16 bits
  const bool             isLarge = *std::max_element(header.dim.begin(), header.dim.end()) > maxSize;
  description.version = isLarge ? 2 : description.version;
  header.version = description.version;
  header.sizeofHdr = static_cast<std::int32_t>(SizeOfNiftiHeader(header.version));
  header.magic = (description.isSingleFile ? "n+" : "ni") + std::to_string(header.version);
  header.magicEnding = magicEnding;
  description.pixelOffset = description.isSingleFile ? SizeOfNiftiHeader(header.version) + extensionBytes : 0;
  header.voxOffset = static_cast<double>(description.pixelOffset);
  header.datatype = type.code;
  header.bitpix = static_cast<int>(8 * SizeOf(type.number) * type.components);
  SetNiftiGrid(description.grid, header);
  const NiftiFields & fields = description.fields;
  const bool          hasCode = fields.qformCode > 0 || fields.sformCode > 0;
  const auto          code = [hasCode](int own, int other) { return !hasCode ? 1 : own > 0 ? own : other; };
  header.qformCode = code(fields.qformCode, fields.sformCode);
  header.sformCode = code(fields.sformCode, fields.qformCode);
  SetIntent(description, header);
  header.calMin = fields.calMin;
  header.calMax = fields.calMax;
  header.descrip = fields.description;
  header.auxFile = fields.auxFile;
  header.dimInfo = fields.dimInfo;
  header.sliceCode = fields.sliceCode;
  header.sliceStart = fields.sliceStart;
  header.sliceEnd = fields.sliceEnd;
  header.sliceDuration = fields.sliceDuration;
  header.toffset = fields.volumeOrigin;
  header.pixdim[4] = fields.volumeSpacing;
  header.xyztUnits = 2 | fields.volumeUnit; // mm
  std::string bytes = WriteRawNiftiHeader(header);
  bytes.append(description.isSingleFile ? extensionBytes : 0, '\0'); // there is no extension
  return bytes;
}

std::string
GetForeignWarpReason(const void * bytes, std::size_t count)
{
  const RawNiftiHeader header = ReadRawNiftiHeader(bytes, count);
  const int            intent = header.intentCode;
  if (const char * const name = GetFslIntentName(intent))
  {
    return "it is a warp of FSL (intent_code " + std::to_string(intent) + ", " + name +
           "), whose vectors are along FSL's own axes; convert it, for example with Connectome Workbench: wb_command "
           "-convert-warpfield -from-fnirt FILE SOURCE -to-itk OUT (coefficients first with FSL's fnirtfileutils "
           "--in=FILE --ref=REFERENCE --out=FIELD)";
  }
  if (intent == vectorIntent && header.intentName == "Mapping")
  {
    return "it is a deformation of SPM (intent_name \"Mapping\"), whose vectors are positions along RAS; a "
           "displacement of "
           "ITK is the position minus that of the voxel, with x and y negated (intent_name empty)";
  }
  if (intent == vectorIntent && header.intentName == "NREG_TRANS")
  {
    return "it is a transform of NiftyReg (intent_name \"NREG_TRANS\"), whose vectors are along RAS; convert it, for "
           "example with NiftyReg and Connectome Workbench: reg_transform -ref REFERENCE -disp FILE DISPLACEMENTS, "
           "wb_command -convert-warpfield -from-world DISPLACEMENTS -to-itk OUT";
  }
  constexpr std::int32_t afni = 4; // code of an extension
  const auto * const     all = static_cast<const char *>(bytes);
  const auto             number = [&](std::size_t offset) {
    std::array<char, 4> four;
    std::copy_n(all + offset, four.size(), four.begin());
    if (header.isSwapped)
    {
      std::reverse(four.begin(), four.end());
    }
    std::int32_t value = 0;
    std::memcpy(&value, four.data(), four.size());
    return value;
  };
  std::size_t at = SizeOfNiftiHeader(header.version);
  if (at + extensionBytes > count || all[at] == 0)
  {
    return {};
  }
  at += extensionBytes;
  while (at + 8 <= count)
  {
    const std::int32_t size = number(at);
    if (number(at + 4) == afni)
    {
      return "AFNI wrote it; convert it, for example with nitransforms: nitransforms.nonlinear.load(FILE, "
             "fmt=\"afni\"), written with fmt=\"itk\"";
    }
    if (size < 16)
    {
      break;
    }
    at += static_cast<std::size_t>(size);
  }
  return {};
}

} // namespace itk::CudaSpline
