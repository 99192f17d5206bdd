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
#ifndef TestImages_h
#define TestImages_h

#include "RunProgram.h"

#include "itkImage.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

/** \file
 * \brief Small images with an oblique, anisotropic geometry, a folder for the files of a test, and comparisons. */

/** A point of three dimensions. */
inline itk::Point<double, 3>
Point3(double x, double y, double z)
{
  itk::Point<double, 3> point;
  point[0] = x;
  point[1] = y;
  point[2] = z;
  return point;
}

/** \brief A folder that is removed at the end of a test. */
class ProgramTest : public ::testing::Test
{
protected:
  void
  SetUp() override
  {
    std::string name = (std::filesystem::temp_directory_path() / "CudaSplineResampleTest-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    m_Folder = name;
  }

  void
  TearDown() override
  {
    std::error_code error;
    std::filesystem::remove_all(m_Folder, error);
  }

  /** Returns a path in the folder. */
  std::string
  Path(const std::string & name) const
  {
    return (m_Folder / name).string();
  }

  /** Counts everything in the folder, including hidden files. */
  std::size_t
  CountFiles() const
  {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto & entry : std::filesystem::directory_iterator(m_Folder))
    {
      ++count;
    }
    return count;
  }

  static std::string
  Content(const std::string & path)
  {
    std::ifstream     stream(path, std::ios::binary);
    std::stringstream content;
    content << stream.rdbuf();
    return content.str();
  }

  std::filesystem::path m_Folder;
};

/** \brief Returns a result without the warnings about few iterations. */
inline ProgramResult
WithoutFewIterations(ProgramResult result)
{
  std::istringstream lines(std::exchange(result.errors, ""));
  for (std::string line; std::getline(lines, line);)
  {
    result.errors += line.find("more iterations are needed") == std::string::npos ? line + "\n" : "";
  }
  return result;
}

/** \brief Expects success, with nothing on stderr. */
inline void
ExpectQuietSuccess(const ProgramResult & result)
{
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.errors, "");
}

/** \brief Expects an exit code and one line on stderr that contains all the words. */
inline void
ExpectError(const ProgramResult &            result,
            const std::vector<std::string> & words,
            int                              code = 1,
            const std::string &              program = "CudaSplineResample")
{
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(result.CountErrorLines(), 1u) << result.errors;
  EXPECT_EQ(result.errors.find(program + ": error: "), 0u) << result.errors;
  for (const std::string & word : words)
  {
    EXPECT_NE(result.errors.find(word), std::string::npos) << "\"" << word << "\" is missing in: " << result.errors;
  }
}

/** \brief A vector of three. */
template <typename T>
itk::Vector<T, 3>
Vector3(T x, T y, T z)
{
  const T values[] = { x, y, z };
  return itk::Vector<T, 3>(values);
}

/** \brief Returns an image with an anisotropic spacing, an origin and a rotated direction. */
template <typename TImage>
typename TImage::Pointer
MakeObliqueImage(const typename TImage::SizeType & size)
{
  constexpr unsigned int         dimension = TImage::ImageDimension;
  const auto                     image = TImage::New();
  typename TImage::SpacingType   spacing;
  typename TImage::PointType     origin;
  typename TImage::DirectionType direction;
  direction.SetIdentity();
  for (unsigned int axis = 0; axis < dimension; ++axis)
  {
    spacing[axis] = 1.0 + 0.25 * axis;
    origin[axis] = 7.5 - 20.0 * axis;
  }
  const double angle = 0.3;
  direction[0][0] = std::cos(angle);
  direction[0][1] = -std::sin(angle);
  direction[1][0] = std::sin(angle);
  direction[1][1] = std::cos(angle);
  image->SetRegions(size);
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->SetDirection(direction);
  image->Allocate(true);
  return image;
}

/** \brief Returns a phantom: a smooth blob with waves in it and, for the prefilter, a sharp box. Values are from 0 to
 * about 200. */
template <typename TImage>
typename TImage::Pointer
MakePhantom(const typename TImage::SizeType & size)
{
  const typename TImage::Pointer            image = MakeObliqueImage<TImage>(size);
  itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    double distance = 0.0;
    double wave = 1.0;
    bool   inBox = true;
    for (unsigned int axis = 0; axis < TImage::ImageDimension; ++axis)
    {
      const double part = static_cast<double>(it.GetIndex()[axis]) / static_cast<double>(size[axis]);
      distance += (part - 0.5) * (part - 0.5);
      wave *= std::cos((9.0 + 2.0 * axis) * part);
      inBox = inBox && part > 0.55 && part < 0.8;
    }
    const double value = 120.0 * std::exp(-6.0 * distance) * (1.0 + 0.4 * wave) + (inBox ? 30.0 : 0.0);
    it.Set(static_cast<typename TImage::PixelType>(value));
  }
  return image;
}

template <typename TImage>
void
WriteTestImage(const TImage * image, const std::string & path)
{
  const auto writer = itk::ImageFileWriter<TImage>::New();
  writer->SetInput(image);
  writer->SetFileName(path);
  writer->Update();
}

template <typename TImage>
typename TImage::Pointer
ReadTestImage(const std::string & path)
{
  const auto reader = itk::ImageFileReader<TImage>::New();
  reader->SetFileName(path);
  reader->Update();
  return reader->GetOutput();
}

/** \brief Returns the name of the component type of a file's pixels in ITK. */
inline std::string
ComponentOfFile(const std::string & path)
{
  const auto io = itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::IOFileModeEnum::ReadMode);
  io->SetFileName(path);
  io->ReadImageInformation();
  return itk::ImageIOBase::GetComponentTypeAsString(io->GetComponentType());
}

/** \brief Expects the same grid, to the precision of formats (single). */
template <typename TImageA, typename TImageB>
void
ExpectSameGrid(const TImageA * actual, const TImageB * expected)
{
  EXPECT_EQ(actual->GetLargestPossibleRegion().GetSize(), expected->GetLargestPossibleRegion().GetSize());
  for (unsigned int row = 0; row < TImageA::ImageDimension; ++row)
  {
    EXPECT_NEAR(actual->GetSpacing()[row], expected->GetSpacing()[row], 1e-5);
    EXPECT_NEAR(actual->GetOrigin()[row], expected->GetOrigin()[row], 1e-4);
    for (unsigned int column = 0; column < TImageA::ImageDimension; ++column)
    {
      EXPECT_NEAR(actual->GetDirection()[row][column], expected->GetDirection()[row][column], 1e-5);
    }
  }
}

/** \brief Returns the largest difference of the pixels of two images of the same size. */
template <typename TImageA, typename TImageB>
double
LargestDifference(const TImageA * a, const TImageB * b)
{
  if (a->GetBufferedRegion().GetSize() != b->GetBufferedRegion().GetSize())
  {
    return std::numeric_limits<double>::infinity();
  }
  itk::ImageRegionConstIterator<TImageA> itA(a, a->GetBufferedRegion());
  itk::ImageRegionConstIterator<TImageB> itB(b, b->GetBufferedRegion());
  double                                 largest = 0.0;
  for (; !itA.IsAtEnd(); ++itA, ++itB)
  {
    const double difference = std::abs(static_cast<double>(itA.Get()) - static_cast<double>(itB.Get()));
    largest = difference <= largest ? largest : difference; // keeps NaN
  }
  return largest;
}

#endif
