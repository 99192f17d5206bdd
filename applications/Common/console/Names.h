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
#ifndef CudaSplineProgram_Names_h
#define CudaSplineProgram_Names_h

#include <string>
#include <vector>

namespace CudaSplineProgram
{

/** \brief A text with small letters, of ASCII: names on the command line are known in letters of any case. */
std::string
ToLower(const std::string & text);

/** \brief The allowed name that a word was most likely meant to be; empty where none is similar.
 *
 * Similar are names of which the word is the beginning (three letters at least), and names that differ from it by few
 * letters that were changed, left out, added or swapped: one of up to four, else a third of the longer one.
 *
 * \param[in] word the word, in letters of any case
 * \param[in] names the names that are allowed */
std::string
FindSimilarName(const std::string & word, const std::vector<std::string> & names);

/** \brief What is wrong with a value of an option: "OPTION "WORD": allowed are ...", after what was meant, where there
 * is a similar name.
 *
 * \param[in] option the option's name, as --stage
 * \param[in] word the value that is not known
 * \param[in] names the names to show
 * \param[in] others further names that are allowed, among which a similar one is looked for, too */
std::string
DescribeUnknownName(const std::string &              option,
                    const std::string &              word,
                    const std::vector<std::string> & names,
                    const std::vector<std::string> & others = {});

} // namespace CudaSplineProgram

#endif
