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
// CudaResampleImageFilter against ITK's ResampleImageFilter, case by case: sizes, spacings, directions, pixels,
// transforms, interpolators, regions and options follow from the seed of the case.
//
// usage: CudaSplineRandomTests [--seed N] [--cases COUNT] [--device cpu|gpu] [--pieces] [--verbose]
//
//   --seed N      the first case (1); CUDASPLINE_TEST_SEED is added where it is set
//   --cases COUNT the number of cases, each with the next seed (1)
//   --device      where the module runs (cpu); gpu without a usable GPU is skipped (exit status 77) or, with
//                 CUDASPLINE_REQUIRE_GPU=1, a failure
//   --pieces      other cases: longer inputs, and little memory, so that updates are divided into pieces where possible
//   --verbose     prints one line per case
//
// A mismatch prints its case and a line that repeats it; so does a transform that the kernels support but whose points
// ITK computed. In a run of 100 cases or more, the kernels of the module must have computed at least 90 %, a third
// with chains of transforms, and half of the samples must be inside.

#include "RandomCase.h"
#include "RandomDraw.h"

#include "itkCudaSpline/device/Device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <map>
#include <string>

namespace
{

using namespace CudaSplineTest;

Outcome
RunCase(std::uint64_t seed, bool gpu, bool inPieces)
{
  Draw      draw(seed, inPieces);
  const int number = draw.Integer(0, 99);
  const int pair = draw.Integer(0, 5);
  if (number < 15)
  {
    return RunCase1D(draw.Percent(15) ? PixelPair::Longs : static_cast<PixelPair>(pair), draw, gpu);
  }
  const bool is2D = number < 50;
  if (draw.Percent(8))
  {
    return is2D ? RunCase2D(PixelPair::SingleCoordinates, draw, gpu)
                : RunCase3D(draw.Percent(50) ? PixelPair::Vectors : PixelPair::Colours, draw, gpu);
  }
  if (is2D && draw.Percent(25))
  {
    constexpr PixelPair pairs[] = {
      PixelPair::Lists, PixelPair::Complex, PixelPair::Covariant, PixelPair::SignedBytes, PixelPair::UnsignedInts
    };
    return RunCaseOfPixels2D(pairs[draw.Integer(0, 4)], draw, gpu);
  }
  switch (static_cast<PixelPair>(pair))
  {
    case PixelPair::ShortToShort:
    case PixelPair::UShortToByte:
    case PixelPair::IntToInt:
      return is2D ? RunCaseOfIntegers2D(static_cast<PixelPair>(pair), draw, gpu)
                  : RunCaseOfIntegers3D(static_cast<PixelPair>(pair), draw, gpu);
    default:
      return is2D ? RunCase2D(static_cast<PixelPair>(pair), draw, gpu)
                  : RunCase3D(static_cast<PixelPair>(pair), draw, gpu);
  }
}

struct Arguments
{
  std::uint64_t seed{ 1 };
  std::uint64_t cases{ 1 };
  bool          gpu{ false };
  bool          pieces{ false };
  bool          verbose{ false };
};

bool
Parse(int argc, char ** argv, Arguments & arguments)
{
  for (int i = 1; i < argc; ++i)
  {
    const std::string  word = argv[i];
    const char * const value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--verbose")
    {
      arguments.verbose = true;
    }
    else if (word == "--pieces")
    {
      arguments.pieces = true;
    }
    else if (value != nullptr && (word == "--seed" || word == "--cases"))
    {
      (word == "--seed" ? arguments.seed : arguments.cases) = std::strtoull(value, nullptr, 10);
      ++i;
    }
    else if (value != nullptr && word == "--device" &&
             (std::strcmp(value, "cpu") == 0 || std::strcmp(value, "gpu") == 0))
    {
      arguments.gpu = *value == 'g';
      ++i;
    }
    else
    {
      std::cerr << "usage: " << argv[0] << " [--seed N] [--cases COUNT] [--device cpu|gpu] [--pieces] [--verbose]\n";
      return false;
    }
  }
  return true;
}

/** Totals of a run. */
struct Sum
{
  std::map<std::string, long> backends;
  long                        failures{ 0 };
  long                        cut{ 0 };    ///< cases of several pieces
  long                        chains{ 0 }; ///< cases whose transforms the kernels walked
  long                        samples{ 0 };
  long                        inside{ 0 };
  long                        differing{ 0 };
  long                        flips{ 0 };     ///< at places that were drawn anywhere
  long                        notLinear{ 0 }; ///< samples there, under transforms that are not linear
  long                        simpleFlips{ 0 };
  long                        simpleNotLinear{ 0 }; ///< the same at points on borders and ties except for rounding
  double                      worst{ 0.0 };
};

void
RunOne(std::uint64_t seed, const Arguments & arguments, const char * program, Sum & sum)
{
  Outcome outcome;
  try
  {
    outcome = RunCase(seed, arguments.gpu, arguments.pieces);
  }
  catch (const std::exception & error)
  {
    outcome.failure = std::string("exception: ") + error.what();
  }
  ++sum.backends[NameOf(outcome.backend)];
  sum.chains += outcome.isChain ? 1 : 0;
  sum.cut += outcome.pieces > 1 ? 1 : 0;
  sum.samples += outcome.samples;
  sum.inside += outcome.inside;
  sum.differing += outcome.differing;
  (outcome.isSimple ? sum.simpleFlips : sum.flips) += outcome.flips;
  (outcome.isSimple ? sum.simpleNotLinear : sum.notLinear) += outcome.isLinear ? 0 : outcome.samples;
  sum.worst = std::max(sum.worst, outcome.worst);
  if (!outcome.failure.empty())
  {
    ++sum.failures;
    std::cout << "FAILED: " << outcome.description << ": " << outcome.failure << "\n  again: " << program << " --seed "
              << seed << " --device " << (arguments.gpu ? "gpu" : "cpu") << (arguments.pieces ? " --pieces" : "")
              << std::endl;
  }
  else if (arguments.verbose)
  {
    std::cout << seed << ": " << outcome.description << ": " << NameOf(outcome.backend) << ", " << outcome.inside
              << " of " << outcome.samples << " inside, " << outcome.differing << " differ, " << outcome.flips
              << " flips, " << outcome.pieces << " pieces, " << outcome.worst << " of the bound" << std::endl;
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  Arguments arguments;
  if (!Parse(argc, argv, arguments))
  {
    return EXIT_FAILURE;
  }
  const char * const moved = std::getenv("CUDASPLINE_TEST_SEED");
  const bool         isRepetition = arguments.cases == 1; // the seed that was printed
  if (moved != nullptr && !isRepetition)
  {
    arguments.seed += std::strtoull(moved, nullptr, 10);
  }
  if (arguments.gpu)
  {
    setenv("CUDASPLINE_DEVICE", "gpu", 1);
    if (itk::CudaSpline::DeviceCount() == 0)
    {
      const char * const required = std::getenv("CUDASPLINE_REQUIRE_GPU");
      std::cout << "Skipped: there is no usable GPU." << std::endl;
      return required != nullptr && std::strcmp(required, "1") == 0 ? EXIT_FAILURE : 77;
    }
  }
  Sum sum;
  for (std::uint64_t i = 0; i < arguments.cases; ++i)
  {
    RunOne(arguments.seed + i, arguments, argv[0], sum);
  }

  std::cout << arguments.cases << " cases from seed " << arguments.seed << ": " << sum.failures << " failed;";
  for (const auto & entry : sum.backends)
  {
    std::cout << ' ' << entry.first << ' ' << entry.second;
  }
  std::cout << "; " << sum.samples << " samples, " << sum.inside << " inside, " << sum.differing
            << " differ within the bounds, at most " << sum.worst << " of them; " << sum.flips << " flips of "
            << sum.notLinear << " under transforms that are not linear, " << sum.simpleFlips << " of "
            << sum.simpleNotLinear << " on whole and half indices; " << sum.chains << " under chains, " << sum.cut
            << " cut into pieces" << std::endl;
  bool good = sum.failures == 0;
  if (arguments.cases >= 100)
  {
    const auto ours = static_cast<std::uint64_t>(sum.backends["Cuda"] + sum.backends["Cpu"]);
    if (ours * 10 < arguments.cases * 9)
    {
      std::cout << "FAILED: the kernels answered " << ours << " cases, fewer than 90 %." << std::endl;
      good = false;
    }
    if (static_cast<std::uint64_t>(sum.chains) * 3 < arguments.cases)
    {
      std::cout << "FAILED: the kernels walked the transforms of fewer than a third of the cases." << std::endl;
      good = false;
    }
    if (sum.inside * 2 < sum.samples)
    {
      std::cout << "FAILED: fewer than half of the samples are inside." << std::endl;
      good = false;
    }
    if (arguments.pieces && static_cast<std::uint64_t>(sum.cut) * 5 < arguments.cases * 2)
    {
      std::cout << "FAILED: fewer than two fifths of the cases were cut into pieces." << std::endl;
      good = false;
    }
    // About one of 1e8 samples is within 1e-9 of a border or tie of one of three axes.
    if (sum.flips > 3)
    {
      std::cout << "FAILED: more than three flips." << std::endl;
      good = false;
    }
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
