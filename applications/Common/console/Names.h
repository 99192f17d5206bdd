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

/** \brief Converts ASCII letters to lower case: names on the command line are accepted in any case. */
std::string
ToLower(const std::string & text);

/** \brief Returns the allowed name that is most similar to a word. Empty if none is similar.
 *
 * A name is similar if the word is a prefix of it with at least three letters. It is also similar if a few letters are
 * changed, removed, added or swapped: one in words of up to four letters, otherwise a third of the longer word.
 *
 * \param[in] word the word, in any case
 * \param[in] names the allowed names */
std::string
FindSimilarName(const std::string & word, const std::vector<std::string> & names);

/** \brief Describes an invalid value of an option: "OPTION "WORD": allowed are ...", preceded by a similar name if
 * there is one.
 *
 * \param[in] option name of the option, for example --stage
 * \param[in] word the invalid value
 * \param[in] names the names to show
 * \param[in] others additional allowed names, which are also searched for a similar one */
std::string
DescribeUnknownName(const std::string &              option,
                    const std::string &              word,
                    const std::vector<std::string> & names,
                    const std::vector<std::string> & others = {});

} // namespace CudaSplineProgram

#endif
