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
#include "console/Names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace CudaSplineProgram
{

namespace
{

/** Returns the number of letters that have to be changed, removed, added or swapped with their neighbour to convert one
 * word to another (the distance of optimal string alignment). */
std::size_t
EditDistance(const std::string & a, const std::string & b)
{
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
  {
    for (std::size_t k = 0; k <= b.size(); ++k)
    {
      if (i == 0 || k == 0)
      {
        distance[i][k] = i + k;
        continue;
      }
      const std::size_t change = a[i - 1] == b[k - 1] ? 0 : 1;
      distance[i][k] = std::min({ distance[i - 1][k] + 1, distance[i][k - 1] + 1, distance[i - 1][k - 1] + change });
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
      {
        distance[i][k] = std::min(distance[i][k], distance[i - 2][k - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

} // namespace

std::string
ToLower(const std::string & text)
{
  std::string lower = text;
  std::transform(
    lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string
FindSimilarName(const std::string & word, const std::vector<std::string> & names)
{
  constexpr std::size_t longest = 100; // of words that are compared: longer ones are not misspelt names
  const std::string     lower = ToLower(word);
  std::string           best;
  std::size_t           bestDistance = longest;
  const std::size_t     shortest = 3 + std::min(lower.find_first_not_of('-'), lower.size()); // of prefixes
  if (word.size() > longest)
  {
    return best;
  }
  for (const std::string & name : names)
  {
    const std::string candidate = ToLower(name);
    const bool        isBeginning = lower.size() >= shortest && candidate.compare(0, lower.size(), lower) == 0;
    const std::size_t distance = isBeginning ? 1 : EditDistance(lower, candidate);
    const std::size_t length = std::max(lower.size(), candidate.size());
    if (distance < bestDistance && distance <= (length <= 4 ? 1 : length / 3))
    {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

std::string
DescribeUnknownName(const std::string &              option,
                    const std::string &              word,
                    const std::vector<std::string> & names,
                    const std::vector<std::string> & others)
{
  std::vector<std::string> all = names;
  all.insert(all.end(), others.begin(), others.end());
  const std::string similar = FindSimilarName(word, all);
  std::string text = option + " \"" + word + "\"" + (similar.empty() ? "" : ": did you mean \"" + similar + "\"?") +
                     (similar.empty() ? ": allowed are " : " Allowed are ");
  for (const std::string & name : names)
  {
    text += (&name == &names.front() ? "" : ", ") + name;
  }
  return text;
}

} // namespace CudaSplineProgram
