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
// The list of interpolation types and the list of their names.
//
// Expected values: what the types promise each other (numbers in order, names that are unique), the tables of
// doc/Accuracy.md, and reach by its definition: no sample beyond it has a weight.

#include "itkCudaSpline/kernels/evaluation/InterpolationNames.h"
#include "itkCudaSpline/math/CubicConvolution.h"
#include "itkCudaSpline/math/SplineEvaluation.h"
#include "itkCudaSpline/math/SplineOrderDispatch.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <stdexcept>
#include <string>

using namespace itk::CudaSpline;

TEST(InterpolationTypes, AreInOrderAndNamedApart)
{
  std::set<std::string> names;
  std::set<std::string> words;
  for (std::size_t i = 0; i < InterpolationCount; ++i)
  {
    EXPECT_EQ(static_cast<std::size_t>(AllInterpolations[i]), i);
    EXPECT_TRUE(names.insert(NameOf(AllInterpolations[i])).second) << NameOf(AllInterpolations[i]);
    EXPECT_TRUE(words.insert(WordOf(AllInterpolations[i])).second) << WordOf(AllInterpolations[i]);
  }
  EXPECT_STREQ(NameOf(Interpolation::CubicConvolution), "CubicConvolution");
  EXPECT_STREQ(NameOf(Interpolation::LabelGaussian), "LabelGaussian");
  EXPECT_THROW(NameOf(static_cast<Interpolation>(InterpolationCount)), std::invalid_argument);
}

TEST(InterpolationTypes, FitTogether)
{
  for (const Interpolation interpolation : AllInterpolations)
  {
    SCOPED_TRACE(NameOf(interpolation));
    EXPECT_FALSE(MovesPixels(interpolation) && HasBasis(interpolation));
    EXPECT_FALSE(HasCoefficients(interpolation) && !HasBasis(interpolation));
    EXPECT_FALSE(HasTiles(interpolation) && !HasBasis(interpolation));
    InterpolationDescriptor method;
    method.interpolation = interpolation;
    method.radius = 4;
    method.cutOff = { { 2.5, 2.5, 2.5 } };
    for (unsigned int order = 0; order <= 5; ++order)
    {
      const double taps = GetTaps(method, order, 1);
      EXPECT_EQ(taps == 0.0, interpolation == Interpolation::Nearest);
      EXPECT_GE(2.0 * static_cast<double>(GetReach(method, order, 1)), taps) << order;
    }
  }
}

namespace
{
/** Expects that supports of a basis begin at most \p reach samples before the floor, and end at most one sample more
 * after it. */
template <typename TBasis>
void
ExpectReach(std::int64_t reach, double taps)
{
  EXPECT_EQ(static_cast<double>(TBasis::Taps), taps);
  for (int i = -400; i <= 400; ++i)
  {
    const double       x = i / 64.0;
    const std::int64_t before = static_cast<std::int64_t>(std::floor(x)) - TBasis::template Start<std::int64_t>(x);
    EXPECT_LE(before, reach) << x;
    EXPECT_LE(static_cast<std::int64_t>(TBasis::Taps) - 1 - before, reach + 1) << x;
  }
}
} // namespace

TEST(InterpolationTypes, ReachCoversTheSupport)
{
  InterpolationDescriptor method;
  method.interpolation = Interpolation::CubicConvolution;
  ExpectReach<CubicConvolutionBasis>(GetReach(method, 0, 0), GetTaps(method, 0, 0));
  method.interpolation = Interpolation::BSpline;
  for (unsigned int order = 0; order <= 5; ++order)
  {
    DispatchSplineOrder(order, [&](auto constant) {
      ExpectReach<SplineBasis<decltype(constant)::value>>(GetReach(method, order, 0), GetTaps(method, order, 0));
    });
  }
}

TEST(InterpolationNames, AreUniqueInSmallLettersAndFound)
{
  std::set<std::string> seen;
  const auto            check = [&seen](const char * name, const NamedInterpolation & named) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    for (const char letter : std::string(name))
    {
      EXPECT_EQ(std::tolower(static_cast<unsigned char>(letter)), letter) << name;
    }
    EXPECT_EQ(FindInterpolation(name), &named) << name;
  };
  for (const NamedInterpolation & named : NamedInterpolations)
  {
    check(named.name, named);
    EXPECT_NE(named.description, nullptr) << named.name;
    for (const char * const alias : named.aliases)
    {
      if (alias != nullptr)
      {
        check(alias, named);
      }
    }
  }
  EXPECT_EQ(FindInterpolation("best"), nullptr);
  EXPECT_EQ(FindInterpolation(""), nullptr);
}

TEST(InterpolationNames, ImplyTheirParameters)
{
  const NamedInterpolation & mitchell = *FindInterpolation("mitchell-netravali");
  EXPECT_EQ(mitchell.interpolation, Interpolation::CubicConvolution);
  EXPECT_EQ(mitchell.cubic.b, 1.0 / 3.0);
  EXPECT_EQ(mitchell.cubic.c, 1.0 / 3.0);
  for (const char * const name : { "catmull-rom", "label-catmull-rom" })
  {
    const NamedInterpolation & catmullRom = *FindInterpolation(name);
    EXPECT_EQ(catmullRom.interpolation, Interpolation::CubicConvolution);
    EXPECT_EQ(catmullRom.cubic.b, 0.0);
    EXPECT_EQ(catmullRom.cubic.c, 0.5);
    EXPECT_EQ(catmullRom.isOfIndicators, std::string(name) != "catmull-rom");
  }
  EXPECT_EQ(FindInterpolation("welchwindowedsinc")->window, SincWindow::Welch);
  EXPECT_TRUE(FindInterpolation("genericlabel")->isOfIndicators);
}
