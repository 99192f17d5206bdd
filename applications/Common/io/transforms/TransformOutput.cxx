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
#include "io/transforms/TransformOutput.h"

#include "console/Error.h"
#include "io/formats/ImageOutput.h"
#include "process/LibraryMessages.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkTransformIOFactory.h"
#include "itkTransformFileWriter.h" // registers the formats of the build

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** Returns a linear transform, or one followed by a B-spline. */
template <unsigned int VDimension>
itk::TransformBase::Pointer
MakeSample(bool isComposite)
{
  const auto linear = itk::AffineTransform<double, VDimension>::New();
  if (!isComposite)
  {
    return linear.GetPointer();
  }
  const auto composite = itk::CompositeTransform<double, VDimension>::New();
  composite->AddTransform(linear);
  composite->AddTransform(itk::BSplineTransform<double, VDimension, 3>::New());
  return composite.GetPointer();
}

/** If HDF5 could not write its open files, for example because of a full disk, it crashes when the process ends. Ends
 * the process before that. */
void
LeaveWithoutHdf5()
{
  static const bool once = std::atexit([] {
                             std::fflush(nullptr);
                             std::_Exit(EXIT_FAILURE);
                           }) == 0;
  static_cast<void>(once);
}

/** Returns whether an ITK text file of transforms is complete, up to a line of numbers. Its writer does not check this.
 */
bool
IsWholeText(const std::string & file)
{
  constexpr std::streamoff longest = 8192; // of this line
  std::ifstream            stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff     size = stream.tellg();
  const std::streamoff     begin = std::max<std::streamoff>(0, size - longest);
  std::string              end(static_cast<std::size_t>(size - begin), '\0');
  stream.seekg(begin);
  stream.read(end.data(), size - begin);
  if (!stream || end.empty() || end.back() != '\n')
  {
    return false;
  }
  end.pop_back();
  return end.compare(end.find_last_of('\n') + 1, 15, "FixedParameters") == 0;
}

} // namespace

void
WriteTransform(const itk::TransformBase * transform, const std::string & file)
{
  std::string reason;
  try
  {
    if (!itk::TransformIOFactoryTemplate<double>::CreateTransformIO(file.c_str(), itk::IOFileModeEnum::WriteMode))
    {
      throw ProgramError(
        "its ending is not one of these; --field of CudaSplineRegister writes displacements as an image");
    }
    if (std::string(transform->GetNameOfClass()) == "CompositeTransform" &&
        std::filesystem::path(file).extension() == ".mat")
    {
      // ITK writes such a file without transforms.
      throw ProgramError("files of MATLAB can store only one transform; use .tfm, .txt or .h5");
    }
    const LibraryMessages silence; // also of a writer that is being destroyed
    const auto            writer = itk::TransformFileWriterTemplate<double>::New();
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
  const std::string ending = std::filesystem::path(file).extension().string();
  if (reason.empty() && (ending == ".tfm" || ending == ".txt") && !IsWholeText(file))
  {
    reason = "it was not written in full (is the disk full?)";
  }
  if (!reason.empty())
  {
    if (ending.compare(0, 2, ".h") == 0)
    {
      LeaveWithoutHdf5();
    }
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

std::string
WriteDisplacements(const Volume & vectors, const std::string & file)
{
  ImageLayout layout;
  layout.components = vectors.grid.dimension;
  layout.pixel = itk::IOPixelEnum::VECTOR;
  std::string       lost;
  const std::string reason = ErrorOf([&] { lost = WriteImage(vectors, file, layout); });
  if (!reason.empty())
  {
    throw ProgramError("cannot write the displacements \"" + std::filesystem::path(file).filename().string() +
                       "\" (use a format that stores vectors, such as .nii, .nii.gz, .nrrd or .mha): " + reason);
  }
  return lost;
}

} // namespace CudaSplineProgram
