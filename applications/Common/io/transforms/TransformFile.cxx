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
#include "io/transforms/TransformFile.h"

#include "console/Error.h"
#include "process/LibraryMessages.h"
#include "process/ReadingProcess.h"
#include "io/transforms/TransformText.h"

#include <nlohmann/json.hpp>

#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkKernelTransform.h"
#include "itkMatrixOffsetTransformBase.h"
#include "itkTransformFactory.h"
#include "itkTransformFileReader.h" // registers the formats of the build
#include "vnl/vnl_det.h"
#include "vnl/vnl_inverse.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace CudaSplineProgram
{
namespace
{

using Base = itk::TransformBaseTemplate<double>;

/** Returns the type in double precision. */
std::string
InDouble(std::string type)
{
  const std::string single = "_float_";
  const auto        at = type.find(single);
  return at == std::string::npos ? type : type.replace(at, single.size(), "_double_");
}

/** Throws if a matrix has no inverse. */
template <unsigned int VDimension>
void
CheckMatrix(const itk::TransformBase * transform)
{
  using Linear = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
  if (const auto * const linear = dynamic_cast<const Linear *>(transform))
  {
    double size = 1.0;
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      size *= linear->GetMatrix().GetVnlMatrix().get_row(row).magnitude();
    }
    const double determinant = vnl_det(linear->GetMatrix().GetVnlMatrix());
    if (!(std::abs(determinant) > 1e-12 * size))
    {
      throw ProgramError("its matrix is singular (determinant " + Brief(determinant) +
                         "), so the transform cannot be inverted");
    }
  }
}

/** Registers the transforms of a dimension that ITK omits: MatrixOffsetTransformBase (inverses of rigid transforms,
 * files of old versions of ANTs), and B-splines of orders other than 3, which SimpleITK writes. */
template <unsigned int VDimension>
void
RegisterOtherTransforms()
{
  itk::TransformFactory<itk::MatrixOffsetTransformBase<double, VDimension, VDimension>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, VDimension, 1>>::RegisterTransform();
  itk::TransformFactory<itk::BSplineTransform<double, VDimension, 2>>::RegisterTransform();
}

void
RegisterTransforms()
{
  itk::TransformFactoryBase::RegisterDefaultTransforms();
  static const bool once = [] {
    RegisterOtherTransforms<2>();
    RegisterOtherTransforms<3>();
    return true;
  }();
  static_cast<void>(once);
}

/** Returns an object of a type without numbers. */
Base::Pointer
CreateItkTransform(const std::string & type)
{
  RegisterTransforms();
  const itk::LightObject::Pointer object = itk::ObjectFactoryBase::CreateInstance(InDouble(type).c_str());
  const Base::Pointer             transform = dynamic_cast<Base *>(object.GetPointer());
  if (transform.IsNull())
  {
    throw ProgramError("a transform of type \"" + ShownText(type) + "\" is not known to this ITK");
  }
  if (transform->GetReferenceCount() > 2)
  {
    transform->UnRegister(); // CreateInstance() adds a reference, which ITK's macros remove again
  }
  return transform;
}

/** Appends the numbers of an ITK object. A composite precedes its transforms, as in text files. */
void
Append(const itk::TransformBase * transform, std::vector<TransformNumbers> & all)
{
  const auto append = [&all](const auto * composite) {
    all.push_back({ composite->GetTransformTypeAsString(), {}, {} });
    for (std::size_t i = 0; i < composite->GetNumberOfTransforms(); ++i)
    {
      Append(composite->GetNthTransformConstPointer(i), all);
    }
  };
  if (const auto * const plane = dynamic_cast<const itk::CompositeTransform<double, 2> *>(transform))
  {
    append(plane);
    return;
  }
  if (const auto * const space = dynamic_cast<const itk::CompositeTransform<double, 3> *>(transform))
  {
    append(space);
    return;
  }
  const auto & fixed = transform->GetFixedParameters();
  const auto & parameters = transform->GetParameters();
  all.push_back({ transform->GetTransformTypeAsString(),
                  { fixed.begin(), fixed.end() },
                  { parameters.begin(), parameters.end() } });
}

std::vector<TransformNumbers>
ReadByItk(const std::string & path)
{
  RegisterTransforms();
  const auto                    reader = itk::TransformFileReaderTemplate<double>::New();
  std::vector<TransformNumbers> all;
  reader->SetFileName(path);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & exception)
  {
    if (TextOf(exception).find("Could not create Transform IO") == std::string::npos)
    {
      throw;
    }
    throw ProgramError(
      "it has another class, is empty, or is damaged"); // an unknown exception: all classes of ITK are named
  }
  for (const auto & transform : *reader->GetTransformList())
  {
    Append(transform, all);
  }
  return all;
}

std::string
EndingOf(const std::string & path)
{
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

bool
IsOldSpline(const TransformNumbers & numbers)
{
  return ClassOfTransform(numbers.type) == "BSplineDeformableTransform";
}

/** Replaces the class of ITK 3 with the current one, which maps points identically. The name of the old class does not
 * contain its order: ITK reads a file with order 2 in 2D, and with order 3 in 3D. */
void
ReplaceOldSpline(TransformNumbers & numbers)
{
  const std::size_t dimension = NumberOfTransformType(numbers.type, 0);
  const std::string text = std::to_string(dimension);
  numbers.type = "BSplineTransform_double_" + text + "_" + text + (dimension == 2 ? "_2" : "");
}

/** Replaces a sum of displacements with a composition.
 *
 * With a linear bulk transform B(x) = A x + b, the sum B(x) + d(x) is B(x + A^-1 d(x)), and A^-1 d is a B-spline on the
 * same grid.
 *
 * \return the transforms in the order of a composite: the last one is applied first
 * \exception ProgramError the bulk transform is not linear */
template <unsigned int VDimension>
std::vector<TransformNumbers>
ComposeWithBulk(TransformNumbers spline, const TransformNumbers & bulk)
{
  using Transform = itk::Transform<double, VDimension, VDimension>;
  const itk::TransformBase::Pointer object = MakeItkTransform(bulk);
  const auto * const                linear = dynamic_cast<const Transform *>(object.GetPointer());
  if (linear == nullptr || !linear->IsLinear())
  {
    throw ProgramError("the bulk transform of its BSplineDeformableTransform is a " + ShownText(bulk.type) +
                       "; only linear transforms of the same dimension are supported");
  }
  ReplaceOldSpline(spline);
  MakeItkTransform(spline); // checks the numbers
  typename Transform::JacobianPositionType matrix;
  linear->ComputeJacobianWithRespectToPosition(typename Transform::InputPointType(0.0), matrix);
  const auto        inverse = vnl_inverse(matrix);
  const std::size_t count = spline.parameters.size() / VDimension; // for each component, one after the other
  for (std::size_t i = 0; i < count; ++i)
  {
    vnl_vector_fixed<double, VDimension> displacement;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      displacement[d] = spline.parameters[d * count + i];
    }
    displacement = inverse * displacement;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      spline.parameters[d * count + i] = displacement[d];
    }
  }
  return { bulk, spline };
}

/** Reads and checks a file in this process. */
TransformList
ReadHere(const std::string & path)
{
  const std::string     ending = EndingOf(path);
  TransformList         list;
  auto &                all = list.transforms;
  const LibraryMessages silence;
  const bool            isText = ending == ".tfm" || ending == ".txt" || IsTransformText(path);
  if (isText || ending == ".mat")
  {
    std::ifstream stream(path, std::ios::binary);
    all = isText ? ReadTransformText(stream) : ReadTransformMatlab(stream);
  }
  else
  {
    all = ReadByItk(path);
  }
  const auto isComposite = [](const TransformNumbers & numbers) {
    return ClassOfTransform(numbers.type) == "CompositeTransform";
  };
  if (std::find_if(all.begin() + (all.empty() ? 0 : 1), all.end(), isComposite) != all.end())
  {
    throw ProgramError(
      "a composite within other transforms is not supported; it must be the first transform of the file");
  }
  const auto composites = std::remove_if(all.begin(), all.end(), isComposite);
  list.isSeries = composites == all.end() && all.size() > 1;
  all.erase(composites, all.end());
  if (list.isSeries && all.size() == 2 && IsOldSpline(all[0]) != IsOldSpline(all[1]))
  {
    const std::size_t spline = IsOldSpline(all[0]) ? 0 : 1;
    const bool        isFlat = NumberOfTransformType(all[spline].type, 0) == 2;
    all = isFlat ? ComposeWithBulk<2>(all[spline], all[1 - spline]) : ComposeWithBulk<3>(all[spline], all[1 - spline]);
    list.isSeries = false;
  }
  for (TransformNumbers & numbers : all)
  {
    if (IsOldSpline(numbers))
    {
      ReplaceOldSpline(numbers);
    }
    MakeItkTransform(numbers); // in this process, which an error may end
  }
  return list;
}

/** Numbers of transforms are passed in shared memory, because fields have many. */
nlohmann::json
Pack(const TransformList & list, SharedMemory & memory)
{
  const auto &   all = list.transforms;
  nlohmann::json json{ { "series", list.isSeries }, { "transforms", nlohmann::json::array() } };
  std::size_t    count = 0;
  for (const TransformNumbers & numbers : all)
  {
    json["transforms"].push_back({ numbers.type, numbers.fixed.size(), numbers.parameters.size() });
    count += numbers.fixed.size() + numbers.parameters.size();
  }
  const std::shared_ptr<void> shared = memory.Map(count * sizeof(double));
  auto *                      to = static_cast<double *>(shared.get());
  for (const TransformNumbers & numbers : all)
  {
    to = std::copy(numbers.fixed.begin(), numbers.fixed.end(), to);
    to = std::copy(numbers.parameters.begin(), numbers.parameters.end(), to);
  }
  return json;
}

TransformList
Unpack(const nlohmann::json & json, ReadingProcess & process)
{
  const nlohmann::json & entries = json.at("transforms");
  std::size_t            count = 0;
  for (const nlohmann::json & entry : entries)
  {
    count += entry.at(1).get<std::size_t>() + entry.at(2).get<std::size_t>();
  }
  const std::shared_ptr<void> shared = process.TakeMemory(count * sizeof(double));
  const auto *                from = static_cast<const double *>(shared.get());
  TransformList               list;
  list.isSeries = json.at("series");
  for (const nlohmann::json & entry : entries)
  {
    TransformNumbers numbers;
    numbers.type = entry.at(0);
    numbers.fixed.assign(from, from + entry.at(1).get<std::size_t>());
    from += numbers.fixed.size();
    numbers.parameters.assign(from, from + entry.at(2).get<std::size_t>());
    from += numbers.parameters.size();
    list.transforms.push_back(std::move(numbers));
  }
  return list;
}

} // namespace

itk::TransformBase::Pointer
MakeItkTransform(const TransformNumbers & numbers)
{
  try
  {
    CheckTransform(numbers);
    const Base::Pointer transform = CreateItkTransform(numbers.type);
    const bool          isKernel = dynamic_cast<itk::KernelTransform<double, 2> *>(transform.GetPointer()) != nullptr ||
                          dynamic_cast<itk::KernelTransform<double, 3> *>(transform.GetPointer()) != nullptr;
    const auto count = transform->GetNumberOfParameters();
    const bool isGrid = numbers.type.find("Field") != std::string::npos || numbers.type.compare(0, 7, "BSpline") == 0;
    // ITK's FixedCenterOfRotationAffineTransform reports three more parameters than it reads.
    const bool isAffine = ClassOfTransform(numbers.type) == "FixedCenterOfRotationAffineTransform" &&
                          numbers.parameters.size() + 3 == count;
    if (!isKernel && !isGrid && !isAffine && count != numbers.parameters.size())
    {
      throw ProgramError("it has " + std::to_string(numbers.parameters.size()) + " parameters, but its type needs " +
                         std::to_string(count));
    }
    Base::FixedParametersType fixed(numbers.fixed.size());
    std::copy(numbers.fixed.begin(), numbers.fixed.end(), fixed.begin());
    Base::ParametersType parameters(numbers.parameters.size());
    std::copy(numbers.parameters.begin(), numbers.parameters.end(), parameters.begin());
    if (fixed.size() > 0 || isGrid)
    {
      transform->SetFixedParameters(fixed);
    }
    transform->SetParametersByValue(parameters);
    if (fixed.size() > 0 && !isGrid && !isKernel)
    {
      transform->SetFixedParameters(fixed); // VersorTransform of ITK 5.2 resets the centre when its rotation is set
    }
    CheckMatrix<2>(transform);
    CheckMatrix<3>(transform);
    return transform.GetPointer();
  }
  catch (const itk::ExceptionObject & exception)
  {
    throw ProgramError("(" + ShownText(numbers.type) + ") " + TextOf(exception));
  }
  catch (const ProgramError & error)
  {
    throw ProgramError("(" + ShownText(numbers.type) + ") " + error.what());
  }
}

TransformList
ReadTransformFile(const std::string & path)
{
  std::error_code error;
  if (!std::filesystem::exists(path, error))
  {
    throw ProgramError("there is no transform file \"" + path + "\"" +
                       (path.find('%') == std::string::npos
                          ? ""
                          : "; a name with %d stands for one file per volume with --transform-per-volume of "
                            "CudaSplineResample"));
  }
  if (!std::filesystem::is_regular_file(path, error))
  {
    throw ProgramError("the transform \"" + path + "\" is not a file");
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, error));
  try
  {
    ReadingProcess process(path, bytes, [&](const nlohmann::json &, SharedMemory & memory) {
      // Numbers of text have at least 2 bytes, a value 8. ITK's objects and the copies need as much again.
      AllowReading(16.0 * bytes,
                   MaxBytes(bytes, EndingOf(path).find(".h") == 0 ? Packing::Deflate : Packing::None) * 16.0);
      return Pack(ReadHere(path), memory);
    });
    return Unpack(process.Ask("read"), process);
  }
  catch (const ProgramError & exception)
  {
    throw ProgramError(
      "cannot read the transform \"" + path +
      "\" (allowed are ITK's transforms in .tfm, .txt, .mat, .h5 and other files of ITK): " + exception.what());
  }
}

} // namespace CudaSplineProgram
