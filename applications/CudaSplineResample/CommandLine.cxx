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
#include "CommandLine.h"

#include "BatchList.h"
#include "console/CommandHelp.h"
#include "console/DeviceOption.h"
#include "console/Error.h"
#include "io/transforms/FieldTransform.h"
#include "io/volume/GridArguments.h"
#include "HelpText.h"
#include "console/Names.h"
#include "console/Numbers.h"
#include "io/formats/PathIdentity.h"
#include "PixelTreatment.h"
#include "io/volume/PixelType.h"
#include "process/ReadingProcess.h"
#include "console/SlicerDescription.h"
#include "console/VersionText.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

namespace CudaSplineResample
{

namespace
{

constexpr int usageError = 2; // conventional exit code of an invalid command line

/** Returns whether an option has no value. */
bool
IsFlag(const std::string & word)
{
  static const std::set<std::string> flags{
    "-h",        "--help",      "--version", "--ants-order", "--dicom",        "--force", "--compare-itk",
    "--explain", "--overwrite", "--points",  "--verbose",    "--make-folders", "-v",      "--transform-per-volume",
    "-q",        "--quiet",     "--xml"
  };
  return flags.count(word) > 0;
}

/** Returns whether a word after --transform and a transform is another transform: by its name, or, if input and output
 * have been named before, as an image of displacements. */
bool
IsFurtherTransform(const std::string & word, bool hasFiles)
{
  if (word.empty() || word[0] == '-' || word.back() == '/')
  {
    return false;
  }
  if (word == "identity" || word[0] == '[')
  {
    return true;
  }
  const std::string inverse = ",inverse";
  const bool        isInverse =
    word.size() > inverse.size() && word.compare(word.size() - inverse.size(), inverse.size(), inverse) == 0;
  const std::string                  ending = ToLower(std::filesystem::path(word).extension().string());
  static const std::set<std::string> endings{ ".tfm", ".txt", ".mat", ".xfm", ".h5", ".hdf5", ".hdf" };
  return isInverse || endings.count(ending) > 0 || (hasFiles && IsNameOfField(word));
}

/** Joins the numbers after an option to one word, "--rotate -10 5 0" to "--rotate=-10,5,0", because a file name may
 * follow them, and a minus sign may start a number. Adds a separate option for each of several transforms. */
std::vector<std::string>
JoinValues(const std::vector<std::string> & words)
{
  std::vector<std::string> joined;
  std::size_t              files = 0; // without an option
  for (std::size_t position = 0; position < words.size(); ++position)
  {
    const std::string & word = words[position];
    if (word == "--batch" || word.compare(0, 8, "--batch=") == 0 || word == "--compose" ||
        word.compare(0, 10, "--compose=") == 0)
    {
      files += 2;
    }
    if (word == "-t" || word == "--transform")
    {
      joined.push_back("--transform");
      if (position + 1 < words.size()) // otherwise nothing follows it, which CLI11 reports
      {
        joined.push_back(words[++position]);
      }
      while (position + 1 < words.size() && IsFurtherTransform(words[position + 1], files >= 2))
      {
        joined.push_back("--transform");
        joined.push_back(words[++position]);
      }
      continue;
    }
    const bool isOption = word.size() > 1 && word[0] == '-';
    files += isOption ? 0 : 1;
    static const std::map<std::string, std::size_t> numbers{
      { "--spacing", 3 },   { "--size", 3 }, { "--rotate", 3 },        { "--sigma", 3 }, { "--origin", 3 },
      { "--direction", 9 }, { "--crop", 1 }, { "--default-value", 1 }, { "--order", 1 }, { "--radius", 1 }
    };
    const auto        found = numbers.find(word);
    const std::size_t most = found == numbers.end() ? 0 : found->second;
    std::string       values;
    for (std::size_t count = 0; count < most && position + 1 < words.size(); ++count)
    {
      const std::string & next = words[position + 1];
      // The first value may contain commas. An invalid one is left for the option to report.
      if (count == 0 ? next.compare(0, 2, "--") == 0 : !ParseNumber(next))
      {
        break;
      }
      values += (count == 0 ? "=" : ",") + next;
      ++position;
    }
    joined.push_back(word + values);
    // The value of another option is not a file name.
    if (isOption && most == 0 && !IsFlag(word) && word.find('=') == std::string::npos && position + 1 < words.size())
    {
      joined.push_back(words[++position]);
    }
  }
  return joined;
}

/** Texts of the command line that have no type of their own in CLI11. */
struct RawOptions
{
  InterpolationWords       interpolation;
  GridArguments            grid;
  std::string              rotation;
  std::string              defaultValue{ "0" };
  std::string              device{ "auto" };
  std::string              outputType;
  std::vector<std::string> transforms;
  bool                     hasAntsOrder{ false };
  std::string              list;
  std::string              composed; ///< file of one transform
  std::vector<std::string> more;     ///< words after input and output
  std::string              maxMemory;
  std::string              rounding{ "nearest" };
  std::string              smoothing{ "none" };
  std::string              jobs;
};

/** Reads the files: one image, several for a folder, or a list. */
void
InterpretFiles(const RawOptions & raw, Options & options)
{
  if (!raw.composed.empty())
  {
    if (!options.input.empty() || raw.transforms.empty())
    {
      throw ProgramError("--compose needs the name of the output and --transform, and no images; --reference gives the "
                         "grid of displacements");
    }
    options.output = raw.composed;
    options.composes = true;
    return;
  }
  if (!raw.list.empty())
  {
    if (!options.input.empty())
    {
      throw ProgramError("--batch reads the names of the images from the list; remove \"" + options.input +
                         "\" from the command line");
    }
    options.items = ReadBatchList(raw.list);
    CheckPaths({ { "--batch", raw.list } }, { { "--report", options.report } });
    for (const BatchItem & item : options.items)
    {
      CheckPaths({ { "--batch", raw.list } }, { { "the output of \"" + item.input + "\"", item.output } });
    }
  }
  else if (options.input.empty() || options.output.empty())
  {
    throw ProgramError(options.input.empty() ? "input is required" : "output is required");
  }
  else if (options.points)
  {
    if (!raw.more.empty() || raw.transforms.empty())
    {
      throw ProgramError("--points needs one list of points, the output and --transform");
    }
    return;
  }
  else if (!raw.more.empty())
  {
    std::vector<std::string> inputs{ options.input, options.output };
    inputs.insert(inputs.end(), raw.more.begin(), raw.more.end() - 1);
    options.items = ItemsToFolder(inputs, raw.more.back());
  }
  else if (options.dicom || (options.output.back() == '/' && std::filesystem::is_directory(options.input)))
  {
    options.dicom = true; // the result of a folder with a series has its format
  }
  else if (options.output.back() == '/')
  {
    options.output = ItemsToFolder({ options.input }, options.output).front().output;
  }
  if (options.items.empty())
  {
    if (!raw.jobs.empty() || options.overwrite)
    {
      throw ProgramError("--jobs and --overwrite can only be used with several images or --batch");
    }
    return;
  }
  if (options.compare || options.explain || options.dicom || !options.series.empty())
  {
    throw ProgramError("--compare-itk, --explain, --dicom and --series can only be used with one image");
  }
  if (!raw.jobs.empty())
  {
    const std::optional<double> jobs = ParseNumber(raw.jobs);
    if (!jobs || *jobs < 1.0 || *jobs > 256.0 || *jobs != std::floor(*jobs))
    {
      throw ProgramError("--jobs " + raw.jobs + ": whole numbers from 1 to 256 are allowed");
    }
    options.jobs = static_cast<unsigned int>(*jobs);
  }
  const char * const environment = std::getenv("CUDASPLINE_DEVICE");
  if (raw.device == "auto" && environment != nullptr && std::strchr(environment, ',') != nullptr)
  {
    options.devices = ParseDevices(environment);
    if (options.devices.empty())
    {
      throw ProgramError(std::string("CUDASPLINE_DEVICE=") + environment +
                         " is not a list of GPUs; separate the numbers of GPUs by commas, as in 0,1");
    }
  }
}

/** Returns whether integers are rounded. */
bool
ParseRounding(const std::string & word)
{
  static const std::map<std::string, bool> roundings{ { "nearest", true }, { "itk", false }, { "truncate", false } };
  const auto                               found = roundings.find(ToLower(word));
  if (found == roundings.end())
  {
    throw ProgramError(DescribeUnknownName("--round", word, { "nearest", "itk" }, { "truncate" }));
  }
  return found->second;
}

/** Returns whether an image is smoothed before down-sampling. */
bool
ParseSmoothing(const std::string & word)
{
  const std::string lower = ToLower(word);
  if (lower != "none" && lower != "auto")
  {
    throw ProgramError(DescribeUnknownName("--smooth", word, { "none", "auto" }));
  }
  return lower == "auto";
}

/** Returns whether any list of transforms seems to have the order of ANTs. */
bool
LooksLikeAntsOrder(const Options & options)
{
  return LooksLikeAntsOrder(options.transforms) ||
         std::any_of(options.items.begin(), options.items.end(), [](const BatchItem & item) {
           return LooksLikeAntsOrder(item.transforms);
         });
}

/** Checks the texts and converts them to options. */
void
Interpret(const RawOptions & raw, Options & options)
{
  if (!raw.maxMemory.empty())
  {
    SetMaxMemory(raw.maxMemory);
  }
  InterpretFiles(raw, options);
  options.interpolation = ParseInterpolation(raw.interpolation);
  options.grid = ParseGridArguments(raw.grid);
  if (!raw.rotation.empty())
  {
    options.rotation = ParseNumbers("--rotate", raw.rotation);
  }
  GetPixelTreatment().rounds = ParseRounding(raw.rounding);
  GetPixelTreatment().smooths = ParseSmoothing(raw.smoothing);
  const std::optional<double> defaultValue = ParseNumber(raw.defaultValue);
  if (!defaultValue)
  {
    throw ProgramError("--default-value \"" + raw.defaultValue + "\" is not a number");
  }
  options.defaultValue = *defaultValue;
  if (ParseDevices(raw.device).size() > 1 && !options.items.empty())
  {
    options.devices = ParseDevices(raw.device);
  }
  options.device = ParseDevice(raw.device);
  if (!raw.outputType.empty())
  {
    options.outputType = ParsePixelType("--output-type", raw.outputType);
  }
  if (!options.difference.empty() && !options.compare)
  {
    throw ProgramError("--difference needs --compare-itk");
  }
  for (const std::string & transform : raw.transforms)
  {
    options.transforms.push_back(ParseTransform(transform));
  }
  options.looksLikeAntsOrder = !raw.hasAntsOrder && LooksLikeAntsOrder(options);
  if (raw.hasAntsOrder)
  {
    std::reverse(options.transforms.begin(), options.transforms.end());
    for (BatchItem & item : options.items)
    {
      std::reverse(item.transforms.begin(), item.transforms.end());
    }
  }
}

/** Throws if options for images are given with an option that is not for images. */
void
RefuseOtherOptions(const CLI::App & app, const std::string & what, const std::set<std::string> & allowed)
{
  for (const CLI::Option * const option : app.get_options())
  {
    if (option->count() > 0 && !option->get_positional() && allowed.count(option->get_lnames().front()) == 0)
    {
      throw ProgramError(what + "; --" + option->get_lnames().front() + " can only be used with images");
    }
  }
}

/** Throws if options are given that are not for points, or not for composed transforms. */
void
RefuseOtherOptions(const CLI::App & app, const RawOptions & raw, const Options & options)
{
  if (options.points)
  {
    RefuseOtherOptions(app,
                       "--points maps a list of points by --transform",
                       { "points", "transform", "ants-order", "make-folders", "max-memory", "verbose", "quiet" });
  }
  if (!raw.composed.empty())
  {
    RefuseOtherOptions(app,
                       "--compose writes one transform",
                       { "compose",
                         "transform",
                         "ants-order",
                         "reference",
                         "crop",
                         "spacing",
                         "size",
                         "origin",
                         "direction",
                         "device",
                         "force",
                         "verbose",
                         "quiet",
                         "output-type",
                         "max-memory",
                         "make-folders" });
  }
}

void
AddInputAndOutput(CLI::App & app, RawOptions & raw, Options & options)
{
  app.option_defaults()->group("Input and output");
  app
    .add_option("input",
                options.input,
                "Image to resample: a file, or a folder with a DICOM series; with --points a list of points (CSV)")
    ->type_name("IMAGE");
  app.add_option("output", options.output, "File to write; its ending names the format; or a folder/")
    ->type_name("IMAGE")
    ->check(WrittenFile());
  app.add_option("more", raw.more, "With more than two names all are inputs but the last: a folder for the results");
  app.add_option("--output-type", raw.outputType, "Type of the output: " + PixelTypeNames() + "; default: the input's")
    ->type_name("TYPE");
  app
    .add_option(
      "--round", raw.rounding, "Integers of the output: nearest (default; half to even) or itk (truncated towards 0)")
    ->type_name("HOW");
  app.add_flag("--make-folders", options.makesFolders, "Create missing folders of outputs");
  app.add_flag("--points",
               options.points,
               "Map a list of points (CSV with x,y,z in mm, LPS) instead of an image, from the output's space to the "
               "input's");
}

void
AddGrid(CLI::App & app, RawOptions & raw, Options & options)
{
  app.option_defaults()->group("Output grid");
  app
    .add_option("-r,--reference", options.reference, "Image (or DICOM folder) whose grid is used; default: the input's")
    ->type_name("IMAGE");
  AddGridArguments(app, raw.grid);
}

void
AddTransforms(CLI::App & app, RawOptions & raw, Options & options)
{
  app.option_defaults()->group("Transforms");
  app
    .add_option("-t,--transform",
                raw.transforms,
                "ITK, ANTs or elastix transform, or image of displacements, from output points to input points; "
                "\",inverse\" after the name, or [FILE,1], inverts; or \"identity\"; may be repeated, or name several")
    ->type_name("TRANSFORM[,inverse]")
    ->allow_extra_args(false);
  app.add_flag(
    "--ants-order",
    raw.hasAntsOrder,
    "The FIRST of several --transform is applied first to a point of the output, as antsApplyTransforms has it");
  app.add_flag(
    "--transform-per-volume",
    options.transformPerVolume,
    "Apply one transform to each volume of a series: those of a --transform file with several transforms and "
    "no composite, or of a name with %d for one file per volume (moco_%04d.tfm)");
  app
    .add_option("--compose",
                raw.composed,
                "Write all --transform as one instead of an image: a transform (.h5, .tfm), or displacements (.nii.gz, "
                ".nrrd, .mha) on the grid of --reference")
    ->type_name("TRANSFORM")
    ->check(WrittenFile());
  app
    .add_option("--rotate",
                raw.rotation,
                "Rotate the image by these degrees about the x, y and z axes (in this order) through its centre, "
                "counter-clockwise as seen from the tip of an axis; in 2D one angle")
    ->type_name("X,Y,Z");
}

void
AddInterpolation(CLI::App & app, RawOptions & raw)
{
  app.option_defaults()->group("Interpolation");
  app.add_option("-i,--interpolation", raw.interpolation.name, InterpolationNames() + "; default: linear (see below)")
    ->type_name("NAME");
  app.add_option("--order", raw.interpolation.order, "Order of B-splines, 0 to 5; default: 3")->type_name("N");
  app.add_option("--radius", raw.interpolation.radius, "Radius of windowed sincs, 1 to 5 samples; default: 3")
    ->type_name("N");
  app
    .add_option("--sigma",
                raw.interpolation.sigma,
                "Standard deviation of label-gaussian in mm, one value or one per axis; default: the input's spacing")
    ->type_name("X[,Y[,Z]]");
  app.add_option("--default-value", raw.defaultValue, "Value outside the input; default: 0")->type_name("VALUE");
  app
    .add_option("--smooth",
                raw.smoothing,
                "Before down-sampling: none (default) or auto, a Gaussian by the ratio of the spacings")
    ->type_name("HOW");
}

void
AddSeveral(CLI::App & app, RawOptions & raw, Options & options)
{
  app.option_defaults()->group("Several images");
  app
    .add_option(
      "--batch",
      raw.list,
      "Resample the images of a list instead: CSV with the columns input, transform (may be empty, or several "
      "with ; between), output; paths are relative to the list")
    ->type_name("FILE");
  app.add_option("--jobs", raw.jobs, "Images that are processed at the same time; default: 3, or 2 a device")
    ->type_name("N");
  app.add_flag("--overwrite", options.overwrite, "Also make outputs that exist and were made with the same options");
}

void
AddDicom(CLI::App & app, Options & options)
{
  app.option_defaults()->group("DICOM");
  app.add_flag("--dicom",
               options.dicom,
               "Write a DICOM series into the folder that output names: a new one of the study of the input, or of "
               "--reference (a folder of DICOM that goes to folder/ does so without)");
  app.add_option("--series", options.series, "Series to take from a DICOM folder with several")->type_name("UID");
  app.add_flag(
    "--force",
    options.force,
    "Read DICOM files even if slices are missing, unevenly spaced or tilted, or have no position or spacing");
}

void
AddComputation(CLI::App & app, RawOptions & raw, Options & options)
{
  app.option_defaults()->group("Computation");
  app
    .add_option("--device",
                raw.device,
                "auto (default), cpu, gpu or the number of a GPU, which then has to do it; \"0,1\" for several")
    ->type_name("DEVICE");
  app
    .add_option("--max-memory",
                raw.maxMemory,
                "Maximum memory for reading an image or a transform, or for an output; bytes, or with the suffix K, M "
                "or G")
    ->type_name("SIZE");
  app.add_flag("--explain",
               options.explain,
               "Print what would be done, on which backend, with how much memory and in about what time, and do "
               "nothing");
}

void
AddReports(CLI::App & app, Options & options)
{
  app.option_defaults()->group("Reports");
  app.add_flag("-v,--verbose", options.verbose, "Print what was done, on which backend, and the time of each stage");
  app.add_flag("-q,--quiet", options.quiet, "Show warnings and errors only: no progress bar");
  app.add_option("--report", options.report, "Write times, backend and differences to a JSON file")
    ->type_name("FILE")
    ->check(WrittenFile());
  app.add_flag("--compare-itk",
               options.compare,
               "Resample with ITK's own classes, too, and print the differences and both times; integers of both are "
               "rounded alike");
  app
    .add_option(
      "--difference", options.difference, "With --compare-itk: write our values minus ITK's to an image (float)")
    ->type_name("IMAGE")
    ->check(WrittenFile());
}

} // namespace

std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options)
{
  RawOptions raw;
  CLI::App   app{ HelpSummary(), programName };
  app.formatter(std::make_shared<HelpFormatter>(GetHelpWidth()));
  app.footer(HelpDetails());
  AddInputAndOutput(app, raw, options);
  AddGrid(app, raw, options);
  AddTransforms(app, raw, options);
  AddInterpolation(app, raw);
  AddSeveral(app, raw, options);
  AddDicom(app, options);
  AddComputation(app, raw, options);
  AddReports(app, options);
  app.option_defaults()->group("Help");
  app.set_version_flag(
    "--version", VersionText(), "Print the versions of the program, ITK and the CUDA Toolkit of the build");
  AddSlicerDescription(app, "Filtering");
  app.set_help_flag("-h,--help", "Print this help")->group("Help"); // again, so that it is the last option

  try
  {
    std::vector<std::string> arguments = JoinValues(GetArguments(argc, argv));
    std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the end
    app.parse(arguments);
    RefuseOtherOptions(app, raw, options);
    Interpret(raw, options);
    return std::nullopt;
  }
  catch (const CLI::Success & success)
  {
    return app.exit(success);
  }
  catch (const std::exception & error) // CLI::ParseError or ProgramError
  {
    std::cerr << programName << ": error: " << OneLine(DescribeError(app, error)) << "; see --help" << std::endl;
    return usageError;
  }
}

} // namespace CudaSplineResample
