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
#ifndef Workplace_h
#define Workplace_h

#include "Picture.h"
#include "Report.h"

#include "itkCudaSpline/kernels/common/Execution.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

/** \brief What the experiments share. */
struct Workplace
{
  itk::CudaSpline::ExecutionContext            context;
  bool                                         quick{ false }; ///< small sizes and few repetitions
  int                                          repetitions{ 7 };
  std::vector<std::pair<std::string, Picture>> pictures; ///< of the user, by name
  std::string                                  folder;   ///< where pictures are written; empty: they are not
  Report                                       report;

  bool
  OnDevice() const
  {
    return context.backend == itk::CudaSpline::Backend::Cuda;
  }

  /** The user's pictures of a dimension, after phantoms of a size that are named. */
  std::vector<std::pair<std::string, Picture>>
  Inputs(unsigned int dimension, const std::vector<std::string> & phantoms, std::int64_t size) const;

  /** Writes a picture as FOLDER/name.pfm, where a folder was given. */
  void
  Keep(const std::string & name, const Picture & picture) const;

  /** \brief Repetitions of a time. One run more, before them, is not counted.
   * \param[in] seconds runs once and gives its time */
  Time
  Measure(const std::function<double()> & seconds) const;

  /** Seconds of a run on the host, from when it starts to when it returns. */
  static double
  WallClock(const std::function<void()> & run);
};

/** An experiment: what it is called, what it makes, and what runs. */
struct Experiment
{
  std::string                            name;
  std::string                            text; ///< a line
  std::function<void(Workplace & place)> run;
};

/** The experiments of a file each. */
std::vector<Experiment>
RotationExperiments();
std::vector<Experiment>
TimingExperiments();
/** Stages alone, which run only where they are named. */
std::vector<Experiment>
StageExperiments();
std::vector<Experiment>
ZoomExperiments();
std::vector<Experiment>
TutorialExperiments();
std::vector<Experiment>
AddressModeExperiments();
std::vector<Experiment>
DeformationExperiments();
std::vector<Experiment>
PeerExperiments();
std::vector<Experiment>
TextureExperiments();
std::vector<Experiment>
AccuracyExperiments();

#endif
