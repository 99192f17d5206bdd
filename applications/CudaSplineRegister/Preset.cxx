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
#include "Preset.h"

#include "Error.h"
#include "Names.h"

namespace CudaSplineRegister
{

namespace
{

using List = std::vector<std::string>;

/** What a preset says, a word a stage; empty: as without a preset. */
struct Values
{
  List        stages;
  List        metrics;
  List        radii;
  List        optimizers;
  List        iterations;
  List        shrink;
  List        sigmas;
  List        samplings;
  List        fractions;
  List        steps;
  List        convergences;
  std::string bins;
  std::string winsorize;
};

/** Affine by the program's own optimizer, SyN with small windows, which leaves the finest level out. */
Values
Fast()
{
  Values values;
  values.stages = { "affine", "syn" };
  values.radii = { "2" };
  values.iterations = { "100,100,50,0", "100,70,50,0" };
  values.shrink = { "8,4,2,1" };
  values.sigmas = { "3,2,1,0" };
  return values;
}

/** As antsRegistrationSyN.sh: three stages, with its numbers.
 *
 * \param[in] isLarge with its levels of large images */
Values
Standard(bool isLarge)
{
  Values values;
  values.stages = { "rigid", "affine", "syn" };
  values.metrics = { "mattes", "mattes", "cc" };
  values.radii = { "4" };
  values.optimizers = { "gradient-descent", "gradient-descent", "gradient-descent" };
  values.iterations = { "1000,500,250,100", "1000,500,250,100", "100,70,50,20" };
  values.shrink = { "8,4,2,1" };
  values.sigmas = { "3,2,1,0" };
  values.samplings = { "regular", "regular", "none" };
  values.fractions = { "0.25", "0.25", "1" };
  values.steps = { "0.1" };
  values.convergences = { "1e-6" };
  values.bins = "32";
  values.winsorize = "0.005,0.995";
  if (isLarge)
  {
    values.iterations.back() = "100,100,70,50,20";
    values.shrink = { "12,8,4,2", "12,8,4,2", "10,6,4,2,1" };
    values.sigmas = { "4,3,2,1", "4,3,2,1", "5,3,2,1,0" };
  }
  return values;
}

/** Brains of 1 mm: affine by the program's own optimizer, SyN as above. */
Values
Brain()
{
  Values values;
  values.stages = { "affine", "syn" };
  values.radii = { "4" };
  values.iterations = { "100,100,50", "100,70,50,20" };
  values.shrink = { "4,2,1", "8,4,2,1" };
  values.sigmas = { "2,1,0", "3,2,1,0" };
  values.winsorize = "0.005,0.995";
  return values;
}

void
FillIn(List & words, const List & values)
{
  words = words.empty() ? values : words;
}

} // namespace

void
ApplyPreset(RawOptions & raw, bool isLarge)
{
  if (raw.preset.empty())
  {
    return;
  }
  if (!raw.stages.empty())
  {
    throw ProgramError("--preset " + raw.preset + " has stages of its own; leave --stage away");
  }
  Values values;
  if (raw.preset == "fast")
  {
    values = Fast();
  }
  else if (raw.preset == "standard")
  {
    // Levels that the user says in part go with those of most images.
    values = Standard(isLarge && raw.iterations.empty() && raw.shrink.empty() && raw.sigmas.empty());
  }
  else if (raw.preset == "brain")
  {
    values = Brain();
  }
  else
  {
    throw ProgramError(DescribeUnknownName("--preset", raw.preset, { "brain", "fast", "standard" }));
  }
  if (!raw.levels.empty())
  {
    throw ProgramError("--preset " + raw.preset + " has levels of its own; give --iterations, --shrink and --sigmas");
  }
  raw.stages = values.stages;
  FillIn(raw.metrics, values.metrics);
  FillIn(raw.radii, values.radii);
  FillIn(raw.optimizers, values.optimizers);
  FillIn(raw.iterations, values.iterations);
  FillIn(raw.shrink, values.shrink);
  FillIn(raw.sigmas, values.sigmas);
  FillIn(raw.steps, values.steps);
  FillIn(raw.convergences, values.convergences);
  if (raw.samplings.empty())
  {
    raw.samplings = values.samplings;
    FillIn(raw.fractions, values.fractions);
  }
  raw.bins = raw.bins.empty() ? values.bins : raw.bins;
  raw.winsorize = raw.winsorize.empty() ? values.winsorize : raw.winsorize;
}

} // namespace CudaSplineRegister
