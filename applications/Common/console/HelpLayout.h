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

/** \brief Columns of text: those of COLUMNS, else of the terminal that a descriptor is open on, else 80; from 40 to
 * 120. */
std::size_t
GetTextWidth(int descriptor);

/** \brief GetTextWidth() of standard output, for the help. */
std::size_t
GetHelpWidth();

/** \brief A paragraph of words, wrapped.
 *
 * \param[in] text words with any white space between
 * \param[in] width columns of a line; a longer word has a line of its own
 * \param[in] first what the first line begins with
 * \param[in] rest what the other lines begin with
 * \param[in] continued what a line ends with that is continued
 * \return lines, each with its end */
std::string
WrapParagraph(const std::string & text,
              std::size_t         width,
              const std::string & first,
              const std::string & rest,
              const std::string & continued = "");

/** \brief A text of headings, paragraphs, items and commands, wrapped.
 *
 * Lines without indentation are headings. Indented lines that follow each other are a paragraph; "  - " begins an item
 * and "  $ " a command, which is broken at spaces with a backslash, as a shell takes it. Empty lines stay.
 *
 * \param[in] text the text
 * \param[in] width columns of a line */
std::string
WrapHelp(const std::string & text, std::size_t width);

} // namespace CudaSplineProgram

#endif
