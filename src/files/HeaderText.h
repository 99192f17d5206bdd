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
#ifndef files_HeaderText_h
#define files_HeaderText_h

#include "itkCudaSpline/files/ImageFileHeader.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** \file
 * \brief Common functions for the headers of NRRD and MetaImage: lines, words, numbers, units, lists of files. */

namespace itk::CudaSpline
{

/** \brief The next line without its end, which is LF or CR LF.
 * \param[in,out] at byte of the text; moves to the next line
 * \return false at the end */
bool
NextLine(std::string_view text, std::size_t & at, std::string & line);

/** \brief Removes white space at both ends. */
std::string
Trim(const std::string & text);

/** \brief Converts to lower case. */
std::string
Lower(std::string text);

/** \brief Splits a text at white space. */
std::vector<std::string>
SplitWords(const std::string & text);

/** \brief Converts a whole word to a number, including NaN and infinity; empty for another word. */
std::optional<double>
NumberOf(const std::string & word);

/** \brief Formats a number with 6 significant digits, for messages. */
std::string
ToText(double number);

/** \brief A text of a file for a message. Control characters, which a damaged file may contain, are replaced by "?". */
std::string
ToPrintable(std::string text);

/** \brief Throws std::invalid_argument: 'field is "value"; rule'. */
[[noreturn]] void
RefuseField(const std::string & field, const std::string & value, const std::string & rule);

/** \brief The numbers of a field. \exception std::invalid_argument other words, or a number of words other than \p
 * count (0: any) */
std::vector<double>
NumbersOfField(const std::string & field, const std::string & value, std::size_t count);

/** \brief Positive integers of a field, whose product fits 62 bits. Exception as for NumbersOfField(). */
std::vector<std::uint64_t>
SizesOfField(const std::string & field, const std::string & value, std::size_t count);

/** \brief Millimetres per unit of length; empty: not a unit of length. An empty word means a millimetre. */
std::optional<double>
MillimetresOf(const std::string & unit);

/** \brief Names of the units of length, for messages. */
extern const char * const namesOfLengthUnits;

/** \brief Whether this machine is little-endian. */
bool
IsLittleEndian();

/** \brief Names of files from a pattern as "slice%03d.raw".
 * \return empty: the pattern has no conversion of an integer, or other conversions */
std::optional<std::vector<std::string>>
ExpandPattern(const std::string & pattern, long long first, long long last, long long step);

/** \brief Sets the grid from columns in LPS (mm): spacing and direction from each.
 * \param[in] columns steps of a voxel along the axes
 * \exception std::invalid_argument a column is zero or not finite */
void
SetColumns(ImageFileHeader & header, const std::vector<std::array<double, 3>> & columns, const std::string & field);

} // namespace itk::CudaSpline

#endif
