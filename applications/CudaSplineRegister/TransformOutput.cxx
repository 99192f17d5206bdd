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
#include "TransformOutput.h"

#include "Error.h"
#include "LibraryMessages.h"
#include "StageTransforms.h"

#include "itkTransformFileWriter.h" // registers the formats of the build

#include <filesystem>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

namespace
{

/** A linear transform, or one with a B-spline behind it. */
template <unsigned int VDimension>
itk::TransformBase::Pointer
MakeSample(bool isComposite)
{
  using Transforms = StageTransforms<VDimension>;
  std::vector<typename Transforms::Base::Pointer> chain{ Transforms::Affine::New().GetPointer() };
  if (isComposite)
  {
    chain.emplace_back(Transforms::Spline::New());
  }
  return Transforms::Combine(chain).GetPointer();
}

} // namespace

void
WriteTransform(const itk::TransformBase * transform, const std::string & file)
{
  const auto  writer = itk::TransformFileWriterTemplate<double>::New();
  std::string reason;
  try
  {
    if (std::string(transform->GetNameOfClass()) == "CompositeTransform" &&
        std::filesystem::path(file).extension() == ".mat")
    {
      // ITK writes one that has no transforms when it is read.
      throw ProgramError("MATLAB's files hold one transform, not several");
    }
    const LibraryMessages silence;
    writer->SetInput(transform);
    writer->SetFileName(file);
    writer->Update();
  }
  catch (const itk::ExceptionObject & exception)
  {
    reason = TextOf(exception);
  }
  catch (const std::exception & exception)
  {
    reason = OneLine(exception.what());
  }
  std::error_code error;
  if (reason.empty() && (!std::filesystem::exists(file, error) || std::filesystem::file_size(file, error) == 0))
  {
    reason = "nothing was written";
  }
  if (!reason.empty())
  {
    throw ProgramError("cannot write the transform \"" + std::filesystem::path(file).filename().string() +
                       "\" (endings such as .tfm, .txt, .h5 and .mat are allowed, of several transforms .tfm, .txt " +
                       "and .h5): " + reason);
  }
}

void
ProbeTransform(AtomicOutput & file, unsigned int dimension, bool isComposite)
{
  WriteTransform(dimension == 2 ? MakeSample<2>(isComposite) : MakeSample<3>(isComposite), file.GetTemporaryName());
  file.Clear();
}

} // namespace CudaSplineRegister
