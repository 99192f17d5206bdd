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
#include "Report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace
{
std::string
Quoted(const std::string & text)
{
  std::string quoted("\"");
  for (const char c : text)
  {
    if (c == '"' || c == '\\')
    {
      quoted += '\\';
      quoted += c;
    }
    else if (static_cast<unsigned char>(c) < 0x20)
    {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned int>(c));
      quoted += escape;
    }
    else
    {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string
Number(double number)
{
  if (!std::isfinite(number))
  {
    return "null";
  }
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", number);
  return text;
}

std::string
Object(const Report::Fields & fields)
{
  std::string text("{");
  for (const auto & [name, value] : fields)
  {
    text += (text.size() > 1 ? ", " : "") + Quoted(name) + ": " + value.Get();
  }
  return text + "}";
}
} // namespace

Time
Time::Of(std::vector<double> milliseconds)
{
  if (milliseconds.empty())
  {
    throw std::logic_error("A time of no repetition.");
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](double part) {
    const double      place = part * static_cast<double>(milliseconds.size() - 1);
    const auto        low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, milliseconds.size() - 1);
    return milliseconds[low] + (place - static_cast<double>(low)) * (milliseconds[high] - milliseconds[low]);
  };
  return { at(0.5), at(0.25), at(0.75), static_cast<int>(milliseconds.size()) };
}

JsonText::JsonText(const char * text)
  : m_Text(Quoted(text))
{}

JsonText::JsonText(const std::string & text)
  : m_Text(Quoted(text))
{}

JsonText::JsonText(int number)
  : m_Text(std::to_string(number))
{}

JsonText::JsonText(long number)
  : m_Text(std::to_string(number))
{}

JsonText::JsonText(double number)
  : m_Text(Number(number))
{}

JsonText::JsonText(const Time & time)
  : m_Text(Object({ { "ms", time.median }, { "q1", time.lower }, { "q3", time.upper }, { "n", time.count } }))
{}

JsonText::JsonText(const std::vector<double> & numbers)
  : m_Text("[")
{
  for (const double number : numbers)
  {
    m_Text += (m_Text.size() > 1 ? ", " : "") + Number(number);
  }
  m_Text += "]";
}

void
Report::Describe(const std::string & name, const std::string & text)
{
  m_Context.emplace_back(name, text);
}

void
Report::Begin(const std::string & experiment)
{
  m_Experiments.push_back({ experiment, {} });
}

void
Report::Add(const Fields & cell, const Fields & values)
{
  auto &            rows = m_Experiments.back().second;
  const std::string key = Object(cell);
  if (std::any_of(rows.begin(), rows.end(), [&](const Row & row) { return row.cell == key; }))
  {
    throw std::logic_error("Two rows of " + m_Experiments.back().first + " have the cell " + key + ".");
  }
  rows.push_back({ key, Object(values) });
}

std::string
Report::Json() const
{
  std::string text = "{\n  \"program\": \"CudaSplineReproduction\",\n  \"format\": 1,\n  \"context\": ";
  text += Object(m_Context) + ",\n  \"experiments\": {";
  for (std::size_t i = 0; i < m_Experiments.size(); ++i)
  {
    text += (i > 0 ? ",\n    " : "\n    ") + Quoted(m_Experiments[i].first) + ": [";
    const auto & rows = m_Experiments[i].second;
    for (std::size_t r = 0; r < rows.size(); ++r)
    {
      text += (r > 0 ? ",\n      " : "\n      ");
      text += "{\"cell\": " + rows[r].cell + ", \"values\": " + rows[r].values + "}";
    }
    text += "\n    ]";
  }
  return text + "\n  }\n}\n";
}
