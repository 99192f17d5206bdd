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
#include "console/VersionText.h"

#include "console/Error.h"

#include "itkCudaSplineSystem.h"

#include "itkVersion.h"

namespace CudaSplineProgram
{

std::string
ProgramVersion()
{
  return CUDASPLINE_VERSION;
}

std::string
VersionText()
{
  const std::string cuda = itk::CudaSpline::BuiltWithCuda() ? "CUDA Toolkit " + itk::CudaSpline::CudaToolkitVersion()
                                                            : "built without the CUDA Toolkit";
  return std::string(programName) + " " + ProgramVersion() + "\nITK " + itk::Version::GetITKVersion() + "\n" + cuda;
}

} // namespace CudaSplineProgram
