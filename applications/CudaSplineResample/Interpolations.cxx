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
#include "Interpolations.h"

#include "console/Error.h"
#include "console/Names.h"
#include "console/Numbers.h"

#include <algorithm>

namespace CudaSplineResample
{

using namespace CudaSplineProgram; // common to both programs
using itk::CudaSpline::NamedInterpolation;
using itk::CudaSpline::NamedInterpolations;

namespace
{

/** Splits "BSpline[3]" and "BSpline[order=3]", as written for ANTs, into a name and an order. */
InterpolationWords
SplitOrder(InterpolationWords words)
{
  const std::string lower = ToLower(words.name);
  for (const char * const beginning : { "bspline[order=", "bspline[" })
  {
    const std::string prefix = beginning;
    if (lower.compare(0, prefix.size(), prefix) == 0 && lower.back() == ']')
    {
      const std::string order = lower.substr(prefix.size(), lower.size() - prefix.size() - 1);
      if (!words.order.empty() && words.order != order)
      {
        throw ProgramError("--order " + words.order + " contradicts --interpolation " + words.name);
      }
      words.name = "bspline";
      words.order = order;
      return words;
    }
  }
  if (lower == "cubic" && !words.order.empty() && words.order != "3")
  {
    throw ProgramError("--order " + words.order + " contradicts --interpolation " + words.name);
  }
  return words;
}

/** Parses a digit in a range. */
unsigned int
Digit(const char * option, const std::string & text, char least, char most)
{
  if (text.size() != 1 || text[0] < least || text[0] > most)
  {
    throw ProgramError(std::string(option) + " " + text + ": whole numbers from " + least + " to " + most +
                       " are allowed");
  }
  return static_cast<unsigned int>(text[0] - '0');
}

} // namespace

InterpolationChoice
ParseInterpolation(const InterpolationWords & given)
{
  const InterpolationWords         words = SplitOrder(given);
  const NamedInterpolation * const named = itk::CudaSpline::FindInterpolation(ToLower(words.name));
  if (named == nullptr)
  {
    std::vector<std::string> names;
    std::vector<std::string> others;
    for (const NamedInterpolation & one : NamedInterpolations)
    {
      names.emplace_back(one.name);
      for (const char * const alias : one.aliases)
      {
        if (alias != nullptr)
        {
          others.emplace_back(alias);
        }
      }
    }
    throw ProgramError(DescribeUnknownName("--interpolation", words.name, names, others));
  }
  InterpolationChoice choice;
  choice.method = *named;
  if (!words.order.empty())
  {
    if (words.order.size() != 1 || words.order[0] < '0' || words.order[0] > '5')
    {
      throw ProgramError("--order " + words.order + ": allowed are the spline orders 0, 1, 2, 3, 4 and 5");
    }
    if (!choice.HasOrder())
    {
      throw ProgramError("--order can only be used with --interpolation bspline and label-bspline, not with " +
                         words.name);
    }
    choice.order = static_cast<unsigned int>(words.order[0] - '0');
  }
  if (!words.radius.empty())
  {
    if (choice.method.interpolation != Interpolation::WindowedSinc)
    {
      throw ProgramError(
        "--radius can only be used with the windowed sincs (lanczos, hamming, cosine, welch, blackman), not with " +
        words.name);
    }
    choice.radius = Digit("--radius", words.radius, '1', '5');
  }
  if (!words.sigma.empty())
  {
    if (choice.method.interpolation != Interpolation::LabelGaussian)
    {
      throw ProgramError("--sigma can only be used with --interpolation label-gaussian, not with " + words.name);
    }
    choice.sigma = ParseNumbers("--sigma", words.sigma);
    if (*std::min_element(choice.sigma.begin(), choice.sigma.end()) <= 0.0)
    {
      throw ProgramError("--sigma " + words.sigma + ": values in mm above 0 are allowed");
    }
  }
  return choice;
}

std::string
TextOf(const InterpolationChoice & choice)
{
  std::string text = choice.method.name;
  text += choice.HasOrder() ? " of order " + std::to_string(choice.order) : "";
  text +=
    choice.method.interpolation == Interpolation::WindowedSinc ? " of radius " + std::to_string(choice.radius) : "";
  for (std::size_t axis = 0; axis < choice.sigma.size(); ++axis)
  {
    text += (axis == 0 ? " of sigma " : ",") + Brief(choice.sigma[axis]);
  }
  return text;
}

std::string
InterpolationNames()
{
  std::string names;
  for (const NamedInterpolation & named : NamedInterpolations)
  {
    names += (names.empty() ? "" : ", ") + std::string(named.name);
  }
  return names;
}

std::string
InterpolationTable()
{
  std::string table;
  for (const NamedInterpolation & named : NamedInterpolations)
  {
    const std::string description = named.description != nullptr ? std::string(": ") + named.description : "";
    table += "  - " + std::string(named.name) + description + "\n"; // an item of the help
  }
  return table;
}

} // namespace CudaSplineResample
