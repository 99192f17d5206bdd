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
#include "Numbers.h"

#include <algorithm>
#include <array>
#include <cctype>
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

constexpr std::array<Alias, 9> aliases{ { { "nearestneighbor", "nearest" },
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
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto alias =
    std::find_if(aliases.begin(), aliases.end(), [&small](const Alias & one) { return small == one.theirs; });
  small = alias == aliases.end() ? small : alias->ours;
  const auto found =
    std::find_if(entries.begin(), entries.end(), [&small](const Entry & entry) { return small == entry.name; });
  return found == entries.end() ? nullptr : &*found;
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
ParseInterpolation(const InterpolationWords & words)
{
  const Entry * const entry = FindEntry(words.name);
  if (entry == nullptr)
  {
    throw ProgramError("--interpolation \"" + words.name + "\": allowed are " + InterpolationNames());
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
