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
#ifndef CudaSplineProgram_CommandHelp_h
#define CudaSplineProgram_CommandHelp_h

#include "console/HelpLayout.h"
#include "console/Names.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

/** \file
 * \brief Common parts of the command lines of both programs: the layout of the help, and errors that suggest names. */

namespace CudaSplineProgram
{

/** \brief The help of CLI11, wrapped to the width of the terminal. */
class HelpFormatter : public CLI::Formatter
{
public:
  explicit HelpFormatter(std::size_t width)
    : m_Width(width)
  {}

  std::string
  make_description(const CLI::App * app) const override
  {
    return WrapParagraph(app->get_description(), m_Width, "", "") + "\n";
  }

  std::string
  make_usage(const CLI::App * app, std::string name) const override
  {
    return WrapParagraph(CLI::Formatter::make_usage(app, name), m_Width, "", "  ");
  }

  /** Formats a group, with one empty line before the next one. */
  std::string
  make_group(std::string group, bool isPositional, std::vector<const CLI::Option *> options) const override
  {
    const std::string text = CLI::Formatter::make_group(group, isPositional, options);
    return isPositional ? text + "\n" : text.substr(1);
  }

  std::string
  make_option(const CLI::Option * option, bool isPositional) const override
  {
    constexpr std::size_t column = 30; // of the descriptions
    constexpr std::size_t narrow = 64; // in narrower terminals, descriptions are on separate lines
    const std::string     name = "  " + this->make_option_name(option, isPositional) + this->make_option_opts(option);
    const std::string     indent(m_Width < narrow ? 6 : column, ' ');
    if (name.size() + 2 > indent.size())
    {
      return name + "\n" + WrapParagraph(option->get_description(), m_Width, indent, indent);
    }
    return WrapParagraph(
      option->get_description(), m_Width, name + std::string(indent.size() - name.size(), ' '), indent);
  }

  /** Returns the names without CLI11's type of the values, which is "TEXT ..." for options without a type name. */
  std::string
  make_option_opts(const CLI::Option * option) const override
  {
    const std::string type = option->get_type_size() == 0 || option->get_positional() ? "" : option->get_type_name();
    return type.empty() ? "" : " " + type;
  }

  std::string
  make_footer(const CLI::App * app) const override
  {
    return WrapHelp(app->get_footer(), m_Width);
  }

private:
  std::size_t m_Width;
};

/** \brief Returns an error of CLI11 as text. For an unknown option it suggests a known one. */
inline std::string
DescribeError(const CLI::App & app, const std::exception & error)
{
  const auto * const extras = dynamic_cast<const CLI::ExtrasError *>(&error);
  if (extras == nullptr)
  {
    return error.what();
  }
  std::vector<std::string> names;
  for (const CLI::Option * const option : app.get_options())
  {
    for (const std::string & name : option->get_lnames())
    {
      names.push_back("--" + name);
    }
  }
  const std::vector<std::string> words = app.remaining();
  for (const std::string & word : words)
  {
    const std::string name = word.substr(0, word.find('='));
    const std::string similar = word.compare(0, 2, "--") == 0 ? FindSimilarName(name, names) : std::string();
    if (word.size() > 1 && word[0] == '-')
    {
      return "option \"" + name + "\" is not known" + (similar.empty() ? "" : ": did you mean \"" + similar + "\"?");
    }
  }
  std::string text = "not expected:";
  for (const std::string & word : words)
  {
    text += " " + word;
  }
  return text + " (images too many, or values of options without values)";
}

} // namespace CudaSplineProgram

#endif
