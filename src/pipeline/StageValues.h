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
#ifndef pipeline_StageValues_h
#define pipeline_StageValues_h

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Values of options in JSON: numbers, names and lists, with the texts of their problems. */

namespace itk::CudaSpline
{

/** \brief JSON whose objects keep the order of their members. */
using Json = nlohmann::ordered_json;

/** \brief The maximum number of levels of a stage. */
inline constexpr std::size_t MaxLevels = 16;

/** \brief A value that is not allowed. */
struct ValueError : std::invalid_argument
{
  /** \param[in] text text the problem and the allowed values, as SpecProblem::text
   * \param[in] type whether the value has the wrong type */
  explicit ValueError(const std::string & text, bool type = false)
    : std::invalid_argument(text)
    , isType(type)
  {}
  bool                     isType; ///< see SpecProblem
  std::vector<std::string> names;  ///< see SpecProblem
};

/** \brief Converts a name to lower case. */
std::string
ToLower(std::string text);

/** \brief Returns "'a' or 'b'", which SpecProblem texts use to list values. */
std::string
Join(const std::vector<std::string> & names);

/** \brief Finds a name, ignoring case.
 *
 * \param[in] value JSON string
 * \param[in] names allowed names
 * \return its index
 * \exception ValueError the value is not one of them */
std::size_t
ReadName(const Json & value, const std::vector<std::string> & names);

/** \brief A whole number of a range.
 *
 * \exception ValueError the value is another one */
std::int64_t
ReadInteger(const Json & value, std::int64_t minimum, std::int64_t maximum);

/** \brief Reads true or false. \exception ValueError another value */
bool
ReadFlag(const Json & value);

/** \brief Reads a number.
 *
 * \param[in] value JSON number
 * \param[in] isAllowed whether a finite number is allowed
 * \param[in] allowed description of the allowed numbers, as "numbers above 0"
 * \exception ValueError another value */
template <typename TCondition>
double
ReadNumber(const Json & value, const TCondition & isAllowed, const std::string & allowed)
{
  if (!value.is_number())
  {
    throw ValueError("{value}: " + allowed + " are allowed", true);
  }
  const auto number = value.get<double>();
  if (!(number - number == 0.0) || !isAllowed(number))
  {
    throw ValueError("{value}: " + allowed + " are allowed");
  }
  return number;
}

/** \brief Reads a number above 0. \exception ValueError another value */
double
ReadPositive(const Json & value);

/** \brief Reads a number from 0. \exception ValueError another value */
double
ReadFromZero(const Json & value);

/** \brief Reads a finite number. \exception ValueError another value */
double
ReadAny(const Json & value);

/** \brief Reads one value for each level. \exception ValueError another value */
template <typename TRead>
auto
ReadLevels(const Json & value, const TRead & read)
{
  std::vector<decltype(read(value))> values;
  if (!value.is_array())
  {
    throw ValueError("{value}: a list with one value for each level is needed", true);
  }
  for (const Json & one : value)
  {
    values.push_back(read(one));
  }
  if (values.empty() || values.size() > MaxLevels)
  {
    throw ValueError("{value}: 1 to " + std::to_string(MaxLevels) + " levels are allowed, not " +
                     std::to_string(values.size()));
  }
  return values;
}

/** \brief Reads numbers of iterations: one for each level, or one for all. \exception ValueError another value */
std::vector<unsigned int>
ReadIterations(const Json & value);

/** \brief Reads an entry of a list. Problems name the entry.
 *
 * \param[in] name name of the entry */
template <typename TRead>
auto
ReadEntry(const Json & entry, const std::string & name, const TRead & read)
{
  try
  {
    return read(entry);
  }
  catch (const ValueError & error)
  {
    const std::string value = entry.is_string() ? "'" + entry.get<std::string>() + "'" : entry.dump();
    std::string       text = error.what();
    text.replace(0, std::string("{value}").size(), name + value);
    ValueError ofEntry(text, error.isType);
    ofEntry.names = error.names;
    throw ofEntry;
  }
}

} // namespace itk::CudaSpline

#endif
