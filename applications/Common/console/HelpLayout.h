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
#ifndef CudaSplineProgram_HelpLayout_h
#define CudaSplineProgram_HelpLayout_h

#include <cstddef>
#include <string>

namespace CudaSplineProgram
{

/** \brief Returns the columns of text: COLUMNS, or the width of the terminal of a descriptor, or 80. The result is from
 * 40 to 120. */
std::size_t
GetTextWidth(int descriptor);

/** \brief Returns GetTextWidth() of standard output, for the help. */
std::size_t
GetHelpWidth();

/** \brief Wraps a paragraph.
 *
 * \param[in] text words with any white space between them
 * \param[in] width columns of a line; a longer word has a separate line
 * \param[in] first beginning of the first line
 * \param[in] rest beginning of the other lines
 * \param[in] continued end of a line that is continued
 * \return lines, each with its end */
std::string
WrapParagraph(const std::string & text,
              std::size_t         width,
              const std::string & first,
              const std::string & rest,
              const std::string & continued = "");

/** \brief Wraps a text of headings, paragraphs, items and commands.
 *
 * Lines without indentation are headings. Consecutive indented lines are a paragraph. "  - " begins an item, and "  $ "
 * a command. Commands are broken at spaces with a backslash, which a shell accepts. Empty lines are kept.
 *
 * \param[in] text the text
 * \param[in] width columns of a line */
std::string
WrapHelp(const std::string & text, std::size_t width);

} // namespace CudaSplineProgram

#endif
