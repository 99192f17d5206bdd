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
// CUDASPLINE_TRACE: a line of seven fields for each operation, for every backend and any number of threads.

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "itkTranslationTransform.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace
{

template <typename TImage>
typename TImage::Pointer
MakeImage(const typename TImage::SizeType & size)
{
  auto image = TImage::New();
  image->SetRegions(typename TImage::RegionType(size));
  image->Allocate();
  image->FillBuffer(typename TImage::PixelType(3));
  return image;
}

/** Returns what an action writes to the standard error. */
template <typename TAction>
std::vector<std::string>
LinesOf(const char * word, TAction && action)
{
  setenv("CUDASPLINE_TRACE", word, 1);
  testing::internal::CaptureStderr();
  action();
  std::istringstream       text(testing::internal::GetCapturedStderr());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);)
  {
    lines.push_back(line);
  }
  unsetenv("CUDASPLINE_TRACE");
  return lines;
}

void
ExpectLine(const std::vector<std::string> & lines, const std::string & expression)
{
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(std::regex_match(lines[0], std::regex("CudaSpline \\| " + expression))) << lines[0];
}

using Image = itk::Image<short, 3>;
using Filter = itk::CudaResampleImageFilter<Image, Image>;

Filter::Pointer
MakeFilter()
{
  auto filter = Filter::New();
  filter->SetInput(MakeImage<Image>({ { 9, 8, 7 } }));
  filter->SetSize({ { 5, 6, 4 } });
  filter->SetDevice("cpu");
  return filter;
}

} // namespace

TEST(CudaSplineTrace, ResamplingIsALine)
{
  const auto filter = MakeFilter();
  ExpectLine(LinesOf("1", [&] { filter->Update(); }),
             "CudaResampleImageFilter \\| int16 9x8x7 -> int16 5x6x4 \\| Linear, float32, linear \\| Cpu \\| "
             "[0-9]+\\.[0-9]{3} ms \\| the device cpu was requested");
  filter->SetInterpolator(itk::BSplineInterpolateImageFunction<Image>::New());
  ExpectLine(LinesOf("yes", [&] { filter->Update(); }),
             "CudaResampleImageFilter \\| int16 9x8x7 -> int16 5x6x4 \\| BSpline 3, Exact prefilter, float32, linear "
             "\\| Cpu \\| [0-9.]+ ms \\| .+");
}

TEST(CudaSplineTrace, WithoutTheVariableThereIsNone)
{
  const auto filter = MakeFilter();
  EXPECT_TRUE(LinesOf("0", [&] { filter->Update(); }).empty());
  filter->Modified();
  EXPECT_TRUE(LinesOf("", [&] { filter->Update(); }).empty());
}

TEST(CudaSplineTrace, TheSuperclassIsALineWithItsReason)
{
  using Wide = itk::Image<float, 4>;
  auto filter = itk::CudaResampleImageFilter<Wide, Wide>::New();
  filter->SetInput(MakeImage<Wide>({ { 4, 3, 2, 2 } }));
  filter->SetSize({ { 2, 3, 2, 1 } });
  ExpectLine(LinesOf("1", [&] { filter->Update(); }),
             "CudaResampleImageFilter \\| 4x3x2x2 -> 2x3x2x1 \\| LinearInterpolateImageFunction, IdentityTransform \\| "
             "Superclass \\| [0-9.]+ ms \\| only inputs of 1 to 3 dimensions.*");
}

TEST(CudaSplineTrace, DecompositionIsALine)
{
  auto filter = itk::CudaBSplineDecompositionImageFilter<Image, itk::Image<double, 3>>::New();
  filter->SetInput(MakeImage<Image>({ { 9, 8, 7 } }));
  filter->SetSplineOrder(5);
  filter->GPUEnabledOff();
  ExpectLine(LinesOf("1", [&] { filter->Update(); }),
             "CudaBSplineDecompositionImageFilter \\| int16 9x8x7 -> float64 \\| order 5, Exact \\| Cpu \\| [0-9.]+ ms "
             "\\| the GPU is switched off");
}

TEST(CudaSplineTrace, BatchesOfPointsAreLines)
{
  auto interpolator = itk::CudaLinearInterpolateImageFunction<Image>::New();
  interpolator->SetInputImage(MakeImage<Image>({ { 9, 8, 7 } }));
  interpolator->SetDevice("cpu");
  itk::ContinuousIndex<double, 3> index;
  index.Fill(1.5);
  ExpectLine(LinesOf("1",
                     [&] {
                       interpolator->EvaluateAtContinuousIndex(index); // no operation
                       interpolator->EvaluateAtContinuousIndices({ index, index }, 0.0);
                     }),
             "CudaLinearInterpolateImageFunction \\| int16 9x8x7 -> 2 points \\| Linear, float64 \\| Cpu \\| "
             "[0-9.]+ ms \\| .+");
}

TEST(CudaSplineTrace, AFailedOperationIsALine)
{
  const auto filter = MakeFilter();
  filter->SetDevice("nonsense");
  ExpectLine(LinesOf("1", [&] { EXPECT_THROW(filter->Update(), itk::ExceptionObject); }),
             "CudaResampleImageFilter \\| .* \\| failed \\| [0-9.]+ ms \\| ");
}

TEST(CudaSplineTrace, LinesOfThreadsAreNotMixed)
{
  constexpr int threads = 4;
  constexpr int updates = 50;
  const auto    lines = LinesOf("1", [] {
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
    {
      running.emplace_back([] {
        const auto filter = MakeFilter();
        for (int update = 0; update < updates; ++update)
        {
          filter->Modified();
          filter->Update();
        }
      });
    }
    for (std::thread & thread : running)
    {
      thread.join();
    }
  });
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(threads * updates));
  for (const std::string & line : lines)
  {
    ExpectLine({ line },
               "CudaResampleImageFilter \\| int16 9x8x7 -> int16 5x6x4 \\| Linear, float32, linear \\| Cpu \\| "
               "[0-9.]+ ms \\| the device cpu was requested");
  }
}
