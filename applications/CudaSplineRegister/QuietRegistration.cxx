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
#include "QuietRegistration.h"

#include "Error.h"
#include "LibraryMessages.h"
#include "Outside.h"
#include "QuietOutput.h"
#include "Report.h"

#include <sstream>

namespace CudaSplineRegister
{

RegistrationResult
RegisterQuietly(RegistrationRequest & request, const Options & options, bool linesPerIteration)
{
  const QuietOutput output;
  const auto        progress = request.progress;
  request.progress = [&](const Iteration & iteration) {
    progress(iteration);
    if (linesPerIteration)
    {
      output.Print(LineOf(iteration, options));
    }
  };
  const StreamMessages messages;
  RegistrationResult   result = Register(request);
  request.progress = progress;
  std::istringstream lines(messages.GetText());
  std::string        warnings;
  for (std::string line; std::getline(lines, line);)
  {
    // That a line search of lbfgs found nothing lower, with which it usually ends, VNL calls an error.
    warnings += line.compare(0, 4, "vnl_") == 0 ? "" : line + "\n";
  }
  WarnOf(warnings);
  return result;
}

Volume
WarpWhatIsFinite(const RegistrationRequest &   request,
                 const std::optional<Volume> & finite,
                 const itk::TransformBase *    transform)
{
  const Volume warped = WarpMoving(request, transform);
  if (finite)
  {
    DeformationSettings settings;
    settings.type = warped.type;
    settings.device = request.options->device;
    BlankOutside(warped, *finite, transform, request.options->defaultValue, settings);
  }
  return warped;
}

std::string
DescribePoorAgreement(const Agreement & agreement)
{
  if (agreement.overlap < leastOverlap)
  {
    return "only " + Brief(100.0 * agreement.overlap) +
           " % of the fixed image lie in the moving one (few are less than " + Brief(100.0 * leastOverlap) + " %)";
  }
  if (agreement.explained < leastExplained) // not where it is no number
  {
    return "the moving image explains " + Brief(100.0 * agreement.explained) +
           " % of the fixed one's entropy under the transform, as unrelated images do (poor is below " +
           Brief(100.0 * leastExplained) + " %)";
  }
  return {};
}

} // namespace CudaSplineRegister
