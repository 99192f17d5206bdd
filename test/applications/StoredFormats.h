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
#ifndef StoredFormats_h
#define StoredFormats_h

#include "TestImages.h"

#include "itkMetaImageIO.h"
#include "itk_zlib.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Common functions of tests of NRRD and MetaImage: small images, compressed bytes, and corners and values of an
 * output as read by ITK's own MetaImage reader. */

using Vector3d = std::array<double, 3>;

/** \brief A grid in LPS, in double precision: the point of index (i, j, k) is origin + i a + j b + k c. */
struct ReferenceGrid
{
  std::array<int, 3>      size{ { 1, 1, 1 } };
  Vector3d                origin{ { 0, 0, 0 } };
  std::array<Vector3d, 3> steps{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } }; ///< a, b, c in mm

  Vector3d
  PointOf(const Vector3d & index) const
  {
    Vector3d point = origin;
    for (std::size_t row = 0; row < 3; ++row)
    {
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        point[row] += index[axis] * steps[axis][row];
      }
    }
    return point;
  }

  double
  SmallestStep() const
  {
    double smallest = std::numeric_limits<double>::infinity();
    for (const Vector3d & step : steps)
    {
      smallest = std::min(smallest, std::hypot(step[0], step[1], step[2]));
    }
    return smallest;
  }
};

/** \brief Returns a gzip member or a zlib stream. */
inline std::string
Deflate(const std::string & bytes, bool isGzip = true)
{
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, isGzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
  {
    throw std::runtime_error("zlib does not start");
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
  {
    throw std::runtime_error("zlib does not end");
  }
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

/** \brief Returns numbers as bytes, low byte first or last. */
template <typename T>
std::string
BytesOf(const std::vector<T> & numbers, bool isBigEndian = false)
{
  std::string bytes;
  for (const T number : numbers)
  {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &number, sizeof(T));
    bytes += isBigEndian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

/** \brief A folder for files with text headers. */
class StoredFormatTest : public ProgramTest
{
protected:
  using Volume = itk::Image<double, 3>;

  void
  Write(const std::string & name, const std::string & bytes) const
  {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << bytes;
  }

  /** Returns the numbers 1, 2, ... of an image of 5 x 6 x 7 voxels. */
  static std::vector<float>
  Ramp(std::size_t count = 5 * 6 * 7)
  {
    std::vector<float> numbers(count);
    for (std::size_t index = 0; index < count; ++index)
    {
      numbers[index] = static_cast<float>(index + 1);
    }
    return numbers;
  }

  /** Resamples by nearest neighbours to a MetaImage, which ITK's own reader opens. */
  ProgramResult
  Convert(const std::string & name, const std::vector<std::string> & options = {}) const
  {
    std::vector<std::string> arguments{ Path(name), Path("out.mha"), "-i", "nearest", "--device", "cpu" };
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram(arguments);
  }

  /** Expects an error with words in both programs, and no output. */
  void
  ExpectRefusedByBoth(const std::string & name, const std::vector<std::string> & words) const
  {
    SCOPED_TRACE(name);
    std::filesystem::remove(Path("out.mha"));
    ExpectError(Convert(name), words);
    ProgramSettings settings;
    settings.program = "CudaSplineRegister";
    ExpectError(RunProgram({ Path(name), Path(name), "-w", Path("out.mha"), "--device", "cpu" }, settings),
                words,
                1,
                "CudaSplineRegister");
    EXPECT_FALSE(std::filesystem::exists(Path("out.mha")));
  }

  /** Expects the grid of out.mha, at all corners, within 1e-5 of a voxel. */
  void
  ExpectGrid(const ReferenceGrid & expected, const std::string & name = "out.mha") const
  {
    const auto image = ReadTestImage<Volume>(Path(name));
    const auto size = image->GetLargestPossibleRegion().GetSize();
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      ASSERT_EQ(static_cast<int>(size[axis]), expected.size[axis]) << "axis " << axis;
    }
    for (int corner = 0; corner < 8; ++corner)
    {
      itk::ContinuousIndex<double, 3> index;
      Vector3d                        same;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        same[axis] = (corner >> axis) % 2 == 0 ? 0.0 : expected.size[axis] - 1.0;
        index[axis] = same[axis];
      }
      itk::Point<double, 3> point;
      image->TransformContinuousIndexToPhysicalPoint(index, point);
      const Vector3d wanted = expected.PointOf(same);
      for (unsigned int row = 0; row < 3; ++row)
      {
        EXPECT_NEAR(point[row], wanted[row], 1e-5 * expected.SmallestStep()) << "corner " << corner << ", row " << row;
      }
    }
  }

  /** Expects the numbers of out.mha in the order of memory. */
  template <typename T>
  void
  ExpectNumbers(const std::vector<T> & expected, const std::string & name = "out.mha") const
  {
    const auto io = itk::MetaImageIO::New();
    io->SetFileName(Path(name));
    io->ReadImageInformation();
    ASSERT_EQ(static_cast<std::size_t>(io->GetImageSizeInComponents()), expected.size());
    ASSERT_EQ(io->GetComponentSize(), sizeof(T));
    std::vector<T>     found(expected.size());
    itk::ImageIORegion region(io->GetNumberOfDimensions());
    for (unsigned int axis = 0; axis < io->GetNumberOfDimensions(); ++axis)
    {
      region.SetSize(axis, io->GetDimensions(axis));
    }
    io->SetIORegion(region);
    io->Read(found.data());
    EXPECT_EQ(found, expected);
  }
};

#endif
