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
#ifndef itkCudaSpline_pipeline_SpecDocument_h
#define itkCudaSpline_pipeline_SpecDocument_h

#include "itkCudaSpline/pipeline/RegistrationSpec.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Specifications as JSON documents. doc/RegistrationSpec.md describes them. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplinePipeline
 * @{ */

/** \brief Version of the documents that this library reads and writes. */
inline constexpr int SpecVersion = 1;

/** \brief One problem of a specification. */
struct SpecProblem
{
  std::string              option;          ///< its name in a document, such as "learning_rate"
  int                      stage{ -1 };     ///< number of the stage, from 0; -1: the whole registration
  std::string              value;           ///< as JSON; empty: several options together
  std::string              text;            ///< what is wrong and what is allowed; "{value}" stands for the value
  std::vector<std::string> names;           ///< allowed names, if the value is an unknown name
  bool                     isType{ false }; ///< the value has the wrong type

  /** The text, with a value as the user wrote it. */
  std::string
  Describe(const std::string & written) const;
  /** A complete description in one line, for users of C and C++. */
  std::string
  Describe() const;
};

/** \brief A specification that cannot be used, with all its problems. */
class SpecError : public std::invalid_argument
{
public:
  /** \param[in] problems the problems, at least one */
  explicit SpecError(std::vector<SpecProblem> problems);

  /** The problems. */
  const std::vector<SpecProblem> &
  GetProblems() const
  {
    return m_Problems;
  }

private:
  std::vector<SpecProblem> m_Problems;
};

/** \brief Reads a document: applies presets, options and defaults, and checks all values.
 *
 * \param[in] document JSON
 * \param[in] size samples of the fixed image along each axis, for presets whose levels depend on it; zeros: unknown
 * \exception SpecError the document is not valid */
RegistrationSpec
ReadSpec(const std::string & document, const std::array<std::int64_t, 3> & size = { { 0, 0, 0 } });

/** \brief Checks a specification against the images.
 *
 * \param[in] spec result of ReadSpec()
 * \param[in] fixed grid of the fixed image
 * \param[in] pairs number of pairs of images
 * \exception SpecError it does not fit the images */
void
CheckSpec(const RegistrationSpec & spec, const FieldGrid & fixed, std::size_t pairs);

/** \brief Writes a specification with the values of all options that its stages use, in the order of the option table.
 * ReadSpec() reads an equal specification from the result. */
std::string
WriteSpec(const RegistrationSpec & spec);

/** \brief An option of stages. */
struct StageOptionInfo
{
  const char *           name;            ///< in documents and Python; the program has dashes instead of underscores
  std::vector<StageKind> kinds;           ///< kinds of stages with this option
  bool                   isList{ false }; ///< its value is a list of numbers
};

/** \brief The options of stages, in the order of documents. */
const std::vector<StageOptionInfo> &
GetStageOptions();

/** \brief Names of the presets. */
std::vector<std::string>
GetPresetNames();

/** @} */
} // namespace itk::CudaSpline

#endif
