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
#ifndef files_NrrdFields_h
#define files_NrrdFields_h

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** \file
 * \brief The fields of an NRRD header, and their words, units and vectors. */

namespace itk::CudaSpline
{

/** \brief The fields of a header, with the names of the format's definition. */
struct NrrdFields
{
  std::map<std::string, std::string> values;
  std::vector<std::string>           list; ///< lines after "data file: LIST"
  std::uint64_t                      end{ 0 };

  bool
  Has(const std::string & field) const
  {
    return values.count(field) > 0;
  }
  const std::string &
  Get(const std::string & field) const
  {
    static const std::string none;
    const auto               found = values.find(field);
    return found == values.end() ? none : found->second;
  }
};

/** \brief Reads the fields of a header. \exception std::invalid_argument the version is unknown, or a field has two
 * values */
NrrdFields
ReadNrrdFields(std::string_view text);

/** \brief Splits "\"mm\" \"mm\" \"s\"" into words. */
std::vector<std::string>
QuotedWordsOfField(const std::string & field, const std::string & value);

/** \brief Seconds per unit of time; empty if there is no unit, or another one. */
std::optional<double>
SecondsOf(const std::string & unit);

/** \brief A unit of length in mm. */
double
LengthUnitOfField(const std::string & field, const std::string & value, const std::string & unit);

/** \brief Vectors of a field: "(1,0,0) none (0,1,0)"; none has no coordinates. */
std::vector<std::vector<double>>
VectorsOfField(const std::string & field, const std::string & value, std::size_t count, std::size_t coordinates);

} // namespace itk::CudaSpline

#endif
