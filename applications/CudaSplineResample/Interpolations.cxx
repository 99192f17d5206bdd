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

#include "Error.h"
#include "Names.h"
#include "Numbers.h"

#include <algorithm>
#include <array>
#include <optional>

namespace CudaSplineResample
{

using namespace CudaSplineProgram; // what the programs share
using itk::CudaSpline::SincWindow;

namespace
{

struct Entry
{
  const char *  name;
  Interpolation kind;
  SincWindow    window{ SincWindow::Lanczos };
};

constexpr std::array<Entry, 13> entries{ { { "nearest", Interpolation::Nearest },
                                           { "linear", Interpolation::Linear },
                                           { "bspline", Interpolation::BSpline },
                                           { "catmull-rom", Interpolation::CatmullRom },
                                           { "lanczos", Interpolation::WindowedSinc, SincWindow::Lanczos },
                                           { "hamming", Interpolation::WindowedSinc, SincWindow::Hamming },
                                           { "cosine", Interpolation::WindowedSinc, SincWindow::Cosine },
                                           { "welch", Interpolation::WindowedSinc, SincWindow::Welch },
                                           { "blackman", Interpolation::WindowedSinc, SincWindow::Blackman },
                                           { "label-gaussian", Interpolation::LabelGaussian },
                                           { "label-linear", Interpolation::LabelLinear },
                                           { "label-catmull-rom", Interpolation::LabelCatmullRom },
                                           { "label-bspline", Interpolation::LabelBSpline } } };

/** What other programs call them, in small letters. */
struct Alias
{
  const char * theirs;
  const char * ours;
};

constexpr std::array<Alias, 12> aliases{ { { "nearestneighbor", "nearest" },
                                           { "cubic", "bspline" },
                                           { "b-spline", "bspline" },
                                           { "genericlabel[linear]", "label-linear" },
                                           { "lanczoswindowedsinc", "lanczos" },
                                           { "hammingwindowedsinc", "hamming" },
                                           { "cosinewindowedsinc", "cosine" },
                                           { "welchwindowedsinc", "welch" },
                                           { "blackmanwindowedsinc", "blackman" },
                                           { "multilabel", "label-gaussian" },
                                           { "labelgaussian", "label-gaussian" },
                                           { "genericlabel", "label-linear" } } };

const Entry *
FindEntry(const std::string & name)
{
  std::string small = ToLower(name);
  const auto  alias =
    std::find_if(aliases.begin(), aliases.end(), [&small](const Alias & one) { return small == one.theirs; });
  small = alias == aliases.end() ? small : alias->ours;
  const auto found =
    std::find_if(entries.begin(), entries.end(), [&small](const Entry & entry) { return small == entry.name; });
  return found == entries.end() ? nullptr : &*found;
}

/** "BSpline[3]" and "BSpline[order=3]", as ANTs' users write them, as a name and an order. */
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

/** A digit of a range. */
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
  const InterpolationWords words = SplitOrder(given);
  const Entry * const      entry = FindEntry(words.name);
  if (entry == nullptr)
  {
    std::vector<std::string> names;
    std::vector<std::string> others;
    for (const Entry & one : entries)
    {
      names.emplace_back(one.name);
    }
    for (const Alias & alias : aliases)
    {
      others.emplace_back(alias.theirs);
    }
    throw ProgramError(DescribeUnknownName("--interpolation", words.name, names, others));
  }
  InterpolationChoice choice;
  choice.kind = entry->kind;
  choice.window = entry->window;
  if (!words.order.empty())
  {
    if (words.order.size() != 1 || words.order[0] < '0' || words.order[0] > '5')
    {
      throw ProgramError("--order " + words.order + ": allowed are the spline orders 0, 1, 2, 3, 4 and 5");
    }
    if (!choice.HasOrder())
    {
      throw ProgramError("--order is for --interpolation bspline and label-bspline, not for " + words.name);
    }
    choice.order = static_cast<unsigned int>(words.order[0] - '0');
  }
  if (!words.radius.empty())
  {
    if (choice.kind != Interpolation::WindowedSinc)
    {
      throw ProgramError("--radius is for the windowed sincs (lanczos, hamming, cosine, welch, blackman), not for " +
                         words.name);
    }
    choice.radius = Digit("--radius", words.radius, '1', '5');
  }
  if (!words.sigma.empty())
  {
    if (choice.kind != Interpolation::LabelGaussian)
    {
      throw ProgramError("--sigma is for --interpolation label-gaussian, not for " + words.name);
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
NameOf(const InterpolationChoice & choice)
{
  return std::find_if(entries.begin(),
                      entries.end(),
                      [&choice](const Entry & entry) {
                        return entry.kind == choice.kind &&
                               (choice.kind != Interpolation::WindowedSinc || entry.window == choice.window);
                      })
    ->name;
}

std::string
TextOf(const InterpolationChoice & choice)
{
  std::string text = NameOf(choice);
  text += choice.HasOrder() ? " of order " + std::to_string(choice.order) : "";
  text += choice.kind == Interpolation::WindowedSinc ? " of radius " + std::to_string(choice.radius) : "";
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
  for (const Entry & entry : entries)
  {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

} // namespace CudaSplineResample
