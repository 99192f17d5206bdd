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
#include "cli/CommandLine.h"

#include "console/CommandHelp.h"
#include "console/Error.h"
#include "cli/HelpText.h"
#include "io/volume/PixelType.h"
#include "cli/RawOptions.h"
#include "console/SlicerDescription.h"
#include "console/VersionText.h"

#include <algorithm>
#include <iostream>
#include <memory>

namespace CudaSplineRegister
{

namespace
{

constexpr int usageError = 2; // conventional exit code of an invalid command line

/** Help of an option of stages. */
struct StageOptionHelp
{
  const char * name; ///< in documents
  const char * type;
  std::string  text;
};

/** Returns the metrics with their descriptions and the stages that support them. */
std::string
DescribeMetrics()
{
  using namespace itk::CudaSpline;
  std::string text;
  for (const MetricKind kind : StageMetrics)
  {
    const char * const stages = !HasFieldForce(kind)           ? ", not of fields"
                                : HasParameterDerivative(kind) ? ""
                                                               : ", of fields";
    text += (text.empty() ? "" : ", ") + std::string(WordOf(kind)) + " (" + DescriptionOf(kind) + stages + ")";
  }
  const auto defaultOf = [](StageKind kind) { return std::string(WordOf(MakeStage(kind).metrics.front().kind)); };
  return text + "; default: " + defaultOf(StageKind::Rigid) + ", of syn, greedy and tvf " + defaultOf(StageKind::Syn);
}

/** Returns the allowed numbers of bins. */
std::string
DescribeBins()
{
  return std::to_string(itk::CudaSpline::MinHistogramBins) + " to " + std::to_string(itk::CudaSpline::MaxHistogramBins);
}

const std::vector<StageOptionHelp> stageOptionHelp{
  { "metric",
    "NAME[:X][,...]",
    DescribeMetrics() + "; of several pairs of images one for each, with weights: cc:0.7,mattes:0.3" },
  { "optimizer",
    "NAME",
    "regular-step (default), gradient-descent or conjugate-gradient; of bspline it is lbfgs; of syn, greedy and "
    "tvf fixed-step (default), momentum or adam" },
  { "levels", "N", "levels, from coarse to fine; default: 3, of fields 4" },
  { "iterations",
    "N,N,...",
    "maximum number of iterations: one number for all levels, or one per level; default: 200; bspline 100,...,50; "
    "fields 100,70,50,20; passes of discrete 6" },
  { "iteration_limit",
    "N,N,...",
    "maximum number of iterations of a level while the metric falls by more than 0.4 % in ten; default: --iterations "
    "where they are given, else five times as many; not of fields" },
  { "shrink", "N,N,...", "shrink factors by level; default: ...,4,2,1" },
  { "sigmas", "X,X,...", "smoothing by level, in voxels or with the suffix mm; default: ...,2,1,0" },
  { "sampling", "NAME", "none (default: every voxel), regular or random" },
  { "fraction", "X", "fraction of the voxels that are sampled" },
  { "seed", "N", "seed of samples; default: 121212" },
  { "step", "MM", "maximum first step of a level in mm; default: a voxel of the level" },
  { "step_in_voxels", "true|false", "whether --step is in voxels of the fixed image; default: false" },
  { "minimum_step", "MM", "a shorter step ends a level; default: a thousandth of a voxel" },
  { "grid_spacing", "X[,Y[,Z]]", "a B-spline's cells at the last level, in mm; default: 24 voxels" },
  { "bending_energy",
    "X",
    "of bspline and greedy: weight of the mean squared second derivatives of the displacements, in mm^2; default: 0" },
  { "linear_elasticity",
    "X",
    "of bspline and greedy: weight of the mean squared strain of the displacements; default: 0" },
  { "total_variation",
    "X",
    "of bspline and greedy: weight of the mean norm of the gradient of the displacements, which lets them change "
    "sharply where "
    "organs slide; default: 0" },
  { "jacobian_penalty",
    "X",
    "of bspline and greedy: weight of a penalty on Jacobian determinants that prevents folds, for example 0.1; "
    "default: 0" },
  { "landmark_weight",
    "X",
    "weight of --fixed-landmarks and --moving-landmarks: of their mean squared distance, in 1/mm^2, which is added to "
    "the "
    "metric; of syn, greedy and tvf also of their force, where 1 is as strong as the images; default: 0" },
  { "sliding",
    "true|false",
    "of greedy: whether the regions of --sliding-regions slide along their borders; default: true" },
  { "label_weight", "X", "weight of --fixed-labels and --moving-labels, compared with that of the metric; default: 0" },
  { "radius",
    "N",
    "of the windows of --metric " + JoinNames(itk::CudaSpline::GetMetricNames(itk::CudaSpline::HasRadius)) +
      ", in voxels; default: 4" },
  { "variance_floor",
    "F",
    "of --metric " + JoinNames(itk::CudaSpline::GetMetricNames(itk::CudaSpline::HasVarianceFloors)) +
      ": standard deviation, as a part of the image's range of values, up to which windows count as "
      "noise; default: 0.02" },
  { "edge_factor",
    "F",
    "of --metric " + JoinNames(itk::CudaSpline::GetMetricNames(itk::CudaSpline::HasEdgeParameters)) +
      ": edge parameter, as a part of the mean magnitude of the image's gradients: much smaller gradients count as "
      "noise; default: 0.2" },
  { "bins",
    "N",
    "bins of the histogram of --metric " + JoinNames(itk::CudaSpline::GetMetricNames(itk::CudaSpline::HasHistogram)) +
      ", " + DescribeBins() + "; default: 50" },
  { "gradient",
    "NAME",
    "gradient of the moving image: differences (default), filter or, with -i bspline, analytic; of syn, greedy and "
    "demons also grid, whose results do not depend on how the image is stored (default with lncc, mind and ngf)" },
  { "restrict_deformation",
    "X,X,...",
    "factors from 0 to 1 of what moves: of the axes of syn, greedy and tvf (0,1,0: along y alone), or of the "
    "parameters of a linear transform; not of the initial alignment (--initialize none)" },
  { "learning_rate",
    "X",
    "maximum displacement in an iteration of fields, in voxels; default: 0.1; 0.5 of demons, 0.25 of tvf" },
  { "update_variance", "X", "smoothing of fields' updates, in squared voxels; default: 3; 0 of demons" },
  { "total_variance", "X", "smoothing of whole fields, in squared voxels; default: 0; 1 of demons" },
  { "determinant_limit",
    "X",
    "keeps Jacobian determinants of syn, greedy and tvf between 1/X and X; above 1; default: no limit; of tvf 4" },
  { "time_points", "N", "of tvf: time points of the velocity field, 2 to 16; default: 4" },
  { "update_time_variance", "X", "of tvf: smoothing of updates along time, in squared time points; default: 0.25" },
  { "total_time_variance",
    "X",
    "of tvf: smoothing of the velocity field along time, in squared time points; default: 0" },
  { "inversion", "NAME", "inverses of fields: fixed-point (default) or anderson" },
  { "smooth_under_masks",
    "true|false",
    "whether only the pixels under its mask count where syn and greedy smooth or interpolate an image; default: with "
    "lncc, mind and ngf" },
  { "average_midpoint_gradients",
    "true|false",
    "of syn: whether both images move by the mean of their updates, in opposite directions; default: with metrics that "
    "ITK does not have" },
  { "control_spacing", "N", "of discrete: voxels from one control point to the next, 1 to 32; default: 4" },
  { "search_radius", "N", "of discrete: largest displacement along each axis, 1 to 16 steps; default: 8" },
  { "search_step", "N", "of discrete: voxels from one displacement to the next; default: 2" },
  { "coupling",
    "X",
    "of discrete: how much displacements follow those of their neighbours in the last pass; default: 0.05" },
  { "symmetric", "true|false", "of discrete: whether both images are searched; default: true" },
  { "convergence", "X", "slope of the last 10 values that ends a level; default: 1e-6 of fields, else 1e-7" },
};

/** Adds the options of stages, which may be repeated. */
void
AddStageOptions(CLI::App & app, RawOptions & raw)
{
  const auto add =
    [&app](const std::string & name, std::vector<std::string> & values, const std::string & text, const char * type) {
      app.add_option(name, values, text)->type_name(type)->allow_extra_args(false);
    };
  add("-s,--stage",
      raw.stages,
      "translation, rigid, similarity, affine, bspline, syn, greedy, demons, tvf or discrete; may be repeated; "
      "default: rigid, then affine",
      "NAME");
  for (const StageOptionHelp & option : stageOptionHelp)
  {
    std::string name = "--" + std::string(option.name);
    std::replace(name.begin(), name.end(), '_', '-');
    name = name == "--metric" ? "-m," + name : name;
    add(name, raw.stageOptions[option.name], "* " + option.text, option.type);
  }
}

} // namespace

std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options)
{
  RawOptions raw;
  CLI::App   app{ HelpSummary(), programName };
  app.formatter(std::make_shared<HelpFormatter>(GetHelpWidth()));
  app.footer(HelpDetails());
  const auto beginGroup = [&app](const char * name) { app.option_defaults()->group(name); };

  beginGroup("Images");
  app.add_option("fixed", options.fixed, "Fixed image: a file, or a folder with a DICOM series")
    ->type_name("IMAGE")
    ->required();
  app
    .add_option("moving", options.moving, "Moving image, or series of volumes, which is registered to the fixed image")
    ->type_name("IMAGE");
  app
    .add_option(
      "--motion",
      raw.motion,
      "Motion correction: register each volume of a series to the first one, to the mean, or to volume N (from 0); the "
      "series is the only image")
    ->type_name("first|mean|N");
  beginGroup("Outputs");
  app
    .add_option("-o,--output",
                options.output,
                "File of the transform (.tfm, .h5, .mat); for a series one per volume: moco_%04d.tfm, or a folder/")
    ->type_name("TRANSFORM")
    ->check(WrittenFile());
  app
    .add_option(
      "--parameters",
      options.parameters,
      "Table (TSV) of a series: translations, rotations and framewise displacement of each volume; a .json file next "
      "to it describes the columns")
    ->type_name("FILE")
    ->check(WrittenFile());
  app
    .add_option("-w,--warped", options.warped, "The registered moving image or series, on the grid of the fixed image")
    ->type_name("IMAGE")
    ->check(WrittenFile());
  app.add_option("-p,--picture", options.picture, "Checkerboards of both images before and after (.png)")
    ->type_name("FILE")
    ->check(WrittenFile());
  app
    .add_option("--output-prefix",
                options.prefix,
                "Files as ANTs names them: P0GenericAffine.mat, P1Warp.nii.gz, P1InverseWarp.nii.gz, PWarped.nii.gz, "
                "PInverseWarped.nii.gz")
    ->type_name("P");
  app.add_flag("--composite",
               options.composite,
               "With --output-prefix: PComposite.h5 and PInverseComposite.h5 instead of matrix and fields");
  app.add_option("--field", options.field, "Displacements of the transform in mm, on the grid of the fixed image")
    ->type_name("FIELD")
    ->check(WrittenFile());
  app.add_option("--inverse", options.inverse, "Displacements of the inverse in mm, on the grid of the moving image")
    ->type_name("FIELD")
    ->check(WrittenFile());
  app.add_option("--jacobian", options.jacobian, "Determinants of the transform's Jacobian: local changes of volume")
    ->type_name("IMAGE")
    ->check(WrittenFile());
  app.add_flag("--log-jacobian", options.logJacobian, "With --jacobian: logarithms of the determinants");
  app.add_flag("--make-folders", options.makesFolders, "Create missing folders of outputs");
  app
    .add_option("--dump-spec",
                options.specOutput,
                "Write all stages with all values of their options to a JSON file, or to standard output (-); without "
                "other outputs nothing is registered")
    ->type_name("FILE")
    ->check(WrittenFile());
  beginGroup("Evaluation");
  app.add_flag("--evaluate", options.evaluate, "Print the correlation and the local correlation before and after");
  app
    .add_option(
      "--fixed-labels", options.fixedLabels, "Labels of the fixed image, for Dice's overlap and --label-weight")
    ->type_name("LABELS");
  app.add_option("--moving-labels", options.movingLabels, "Labels of the moving image")->type_name("LABELS");
  app
    .add_option("--fixed-landmarks",
                options.fixedLandmarks,
                "Points of the fixed image (lines x,y[,z] in mm, LPS), for distances and --landmark-weight")
    ->type_name("CSV");
  app.add_option("--moving-landmarks", options.movingLandmarks, "The same points in the moving image")
    ->type_name("CSV");
  app.add_option("--report", options.report, "Write stages, iterations and times to a JSON file")
    ->type_name("FILE")
    ->check(WrittenFile());
  beginGroup("Stages (* once for all stages, or once for each)");
  app
    .add_option("--preset",
                raw.preset,
                JoinNames(itk::CudaSpline::GetPresetNames()) +
                  ": stages and their parameters, instead of --stage; see Presets below")
    ->type_name("NAME");
  app
    .add_option("--spec",
                raw.spec,
                "JSON file with all stages and their options, as --dump-spec writes it, instead of these options")
    ->type_name("FILE");
  AddStageOptions(app, raw);
  beginGroup("Several pairs of images");
  const auto addPair = [&app](const char * name, std::vector<std::string> & values, const char * text) {
    app.add_option(name, values, text)->type_name("IMAGE")->allow_extra_args(false);
  };
  addPair("--also-fixed",
          raw.alsoFixed,
          "Fixed image of an additional pair for syn, greedy and tvf (--metric); may be repeated");
  addPair(
    "--also-moving", raw.alsoMoving, "Moving image of an additional pair, in the space of the first moving image");
  app.add_flag("--channels",
               raw.hasChannels,
               "Compare red, green and blue as three additional pairs; the first pair is the luminance");
  beginGroup("Values and masks");
  app.add_option("--winsorize", raw.winsorize, "Clip values at these quantiles; ANTs uses 0.005,0.995")
    ->type_name("X,X");
  app
    .add_option(
      "--fixed-mask",
      options.fixedMasks,
      "* Mask of the fixed image: voxels count where it is not 0; none: no mask in a stage; the initial alignment and "
      "--evaluate use the first one")
    ->type_name("MASK")
    ->allow_extra_args(false);
  app.add_option("--moving-mask", options.movingMasks, "* Mask of the moving image")
    ->type_name("MASK")
    ->allow_extra_args(false);
  app
    .add_option("--sliding-regions",
                options.slidingRegions,
                "Labels of regions of the fixed image that slide along their borders in greedy stages, such as lungs")
    ->type_name("LABELS");
  beginGroup("Initial transform");
  app
    .add_option("--initialize",
                raw.initialization,
                "moments (default: align centres of gravity), search (also rotations), centre (align centres of the "
                "images) or none")
    ->type_name("NAME");
  app
    .add_option(
      "--initial-transform",
      raw.initial,
      "ITK, ANTs or elastix transform to start with, from fixed points to moving points; \",inverse\" after the "
      "name inverts; may be repeated: the LAST one is applied first to a point of the fixed image")
    ->type_name("TRANSFORM[,inverse]")
    ->allow_extra_args(false);
  app.add_flag("--ants-order",
               raw.hasAntsOrder,
               "Apply the FIRST --initial-transform first to points of the fixed image, as ANTs does");
  beginGroup("Grid and type of --warped");
  app
    .add_option(
      "-r,--reference", options.reference, "Image (or DICOM folder) whose grid is used; default: the fixed image")
    ->type_name("IMAGE");
  AddGridArguments(app, raw.grid);
  app
    .add_option(
      "--output-type",
      raw.outputType,
      "Pixel type: " + PixelTypeNames() +
        "; default: --precision; for colours, PNG and JPEG the type of the moving image; integers are rounded")
    ->type_name("TYPE");
  app.add_option("--default-value", raw.defaultValue, "Value outside the moving image; default: 0")->type_name("VALUE");
  beginGroup("Precision and interpolation");
  app
    .add_option(
      "-i,--interpolation", raw.interpolation, "Interpolation of the moving image: linear (default) or bspline (cubic)")
    ->type_name("NAME");
  app.add_option("--precision", raw.precision, "Precision of pixels: float (default) or double")->type_name("TYPE");
  beginGroup("Computation");
  app
    .add_option(
      "--device",
      raw.device,
      "auto (default), cpu, gpu, the number of a GPU, or several numbers (0,1), which share the stages greedy "
      "and syn; all but auto are required")
    ->type_name("DEVICE");
  app
    .add_option("--max-memory",
                raw.maxMemory,
                "Maximum memory for reading an image or a transform; bytes, or with the suffix K, M or G")
    ->type_name("SIZE");
  app.add_flag(
    "--force",
    options.force,
    "Read DICOM files even if slices are missing, unevenly spaced or tilted, or have no position or spacing");
  app.add_flag(
    "--explain", options.explain, "Print the plan only: images, stages, memory, backend, estimated time and files");
  app.add_flag("-v,--verbose", options.verbose, "Print one line per iteration, and the time of each stage");
  app.add_flag("-q,--quiet", options.quiet, "Show warnings and errors only: no progress, and no summary");
  beginGroup("Help");
  app.set_version_flag(
    "--version", VersionText(), "Print the versions of the program, ITK and the CUDA Toolkit of the build");
  AddSlicerDescription(app, "Registration");
  app.set_help_flag("-h,--help", "Print this help")->group("Help"); // again, so that it is the last option

  try
  {
    std::vector<std::string> arguments = GetArguments(argc, argv);
    std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the end
    app.parse(arguments);
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

} // namespace CudaSplineRegister
