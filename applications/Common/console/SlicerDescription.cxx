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
#include "console/SlicerDescription.h"

#include "console/VersionText.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>

namespace CudaSplineProgram
{

namespace
{

const char * const outputMark = "names an output"; // description of a validator

/** The element by which Slicer edits a value. */
struct Widget
{
  std::string element;
  std::string inputAttributes;
  std::string outputAttributes;
};

/** Returns the widget of an option. Image types have Slicer's names; the default is a scalar image. */
Widget
GetWidget(const CLI::Option & option)
{
  static const std::map<std::string, Widget> widgets{
    { "IMAGE", { "image", " type=\"any\"", "" } },
    { "LABELS", { "image", " type=\"label\"", " type=\"label\"" } },
    { "MASK", { "image", " type=\"label\"", " type=\"label\"" } },
    { "FIELD", { "image", " type=\"vector\"", " type=\"vector\"" } },
    { "TRANSFORM", { "transform", " fileExtensions=\".h5,.tfm,.mat\"", " fileExtensions=\".h5,.tfm,.mat\"" } },
    { "FILE", { "file", "", "" } },
    { "CSV", { "file", " fileExtensions=\".csv\"", " fileExtensions=\".csv\"" } },
  };
  if (option.get_items_expected_max() == 0)
  {
    return { "boolean", "", "" };
  }
  const std::string type = option.get_type_name();
  const auto        found = widgets.find(type.substr(0, type.find('['))); // "TRANSFORM[,inverse]"
  return found == widgets.end() ? Widget{ "string", "", "" } : found->second;
}

bool
IsOutput(const CLI::Option & option)
{
  // CLI11 has no function that returns whether there is a validator.
  try
  {
    return const_cast<CLI::Option &>(option).get_validator(outputMark) != nullptr;
  }
  catch (const CLI::OptionNotFound &)
  {
    return false;
  }
}

std::string
Escape(const std::string & text)
{
  static const std::map<char, std::string> entities{ { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" } };
  std::string                              escaped;
  for (const char character : text)
  {
    const auto found = entities.find(character);
    escaped += found == entities.end() ? std::string(1, character) : found->second;
  }
  return escaped;
}

std::string
Element(const std::string & name, const std::string & text)
{
  return "<" + name + ">" + Escape(text) + "</" + name + ">\n";
}

std::string
Replace(std::string text, char from, char to)
{
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

/** Converts "output-type" to "Output type". */
std::string
ToLabel(const std::string & name)
{
  std::string label = Replace(name, '-', ' ');
  label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

/** Returns the element of an option, or of a positional argument with an index. */
std::string
DescribeOption(const CLI::Option & option, std::size_t index)
{
  const bool        isPositional = option.get_positional();
  const std::string name = isPositional ? option.get_name() : option.get_lnames().front();
  const bool        isRepeatable = option.get_items_expected_max() > 1;
  const Widget      widget = GetWidget(option);
  std::string       text = "<" + widget.element;
  text += IsOutput(option) ? widget.outputAttributes : widget.inputAttributes;
  text += std::string(isRepeatable ? " multiple=\"true\"" : "") + ">\n";
  text += Element("name", Replace(name, '-', '_'));
  if (!option.get_snames().empty())
  {
    text += Element("flag", "-" + option.get_snames().front());
  }
  text += isPositional ? Element("index", std::to_string(index)) : Element("longflag", "--" + Replace(name, '-', '_'));
  text += Element("description", option.get_description()) + Element("label", ToLabel(name));
  if (widget.element == "boolean")
  {
    text += Element("default", "false");
  }
  else if (widget.element != "string")
  {
    text += Element("channel", IsOutput(option) ? "output" : "input");
  }
  return text + "</" + widget.element + ">\n";
}

/** Returns whether Slicer can set an option. It excludes the help, and lists of files, whose arguments have no names.
 */
bool
IsForSlicer(const CLI::Option & option)
{
  return option.get_group() != "Help" && !(option.get_positional() && option.get_items_expected_max() > 1);
}

/** Returns the groups of options in the order of --help, which is by importance. Slicer collapses later ones. */
std::string
DescribeGroups(const CLI::App & app)
{
  constexpr std::size_t unfolded = 4; // files, grid or evaluation, operations
  std::string           text;
  std::size_t           groups = 0;
  std::size_t           index = 0;
  for (const std::string & group : app.get_groups())
  {
    const auto isOfGroup = [&group](const CLI::Option * option) {
      return option->get_group() == group && IsForSlicer(*option);
    };
    const std::vector<const CLI::Option *> options = app.get_options(isOfGroup);
    if (options.empty())
    {
      continue;
    }
    text += ++groups > unfolded ? "<parameters advanced=\"true\">\n" : "<parameters>\n";
    text += Element("label", group) + Element("description", group);
    for (const CLI::Option * const option : options)
    {
      text += DescribeOption(*option, index);
      index += option->get_positional() ? 1 : 0;
    }
    text += "</parameters>\n";
  }
  return text;
}

std::string
DescribeForSlicer(const CLI::App & app, const std::string & category)
{
  const char * const home = CUDASPLINE_HOME_URL; // may be empty
  const std::string  page = *home == '\0' ? std::string() : std::string(home) + "/blob/HEAD/doc/Programs.md";
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<executable>\n" + Element("category", category) +
         Element("title", app.get_name()) + Element("description", app.get_description()) +
         Element("version", ProgramVersion()) + Element("documentation-url", page) + Element("license", "Apache-2.0") +
         Element("contributor", "The CudaSpline contributors") + DescribeGroups(app) + "</executable>";
}

} // namespace

CLI::Validator
WrittenFile()
{
  return { [](std::string &) { return std::string(); }, "", outputMark };
}

void
AddSlicerDescription(CLI::App & app, const std::string & category)
{
  // Like set_version_flag(): the option ends the program before required arguments are checked.
  const auto print = [&app, category] { throw CLI::CallForVersion(DescribeForSlicer(app, category), 0); };
  app.add_flag_callback("--xml", print, "Print a description of all options for 3D Slicer (XML)");
}

std::vector<std::string>
GetArguments(int argc, char ** argv)
{
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string & word : words)
  {
    if (word.compare(0, 2, "--") == 0)
    {
      std::replace(
        word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_', '-');
    }
  }
  return words;
}

} // namespace CudaSplineProgram
