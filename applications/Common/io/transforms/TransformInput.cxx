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
#include "io/transforms/TransformInput.h"

#include "io/transforms/ElastixFile.h"
#include "io/transforms/ElastixTransform.h"
#include "console/Error.h"
#include "io/transforms/FieldTransform.h"
#include "io/transforms/ForeignTransform.h"
#include "console/Names.h"
#include "io/transforms/TransformFile.h"
#include "io/transforms/TransformText.h"
#include "io/volume/VolumeNames.h"

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkIdentityTransform.h"
#include "itkMatrixOffsetTransformBase.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

namespace CudaSplineProgram
{

namespace
{

template <unsigned int VDimension>
using TransformType = itk::Transform<double, VDimension, VDimension>;
template <unsigned int VDimension>
using CompositeType = itk::CompositeTransform<double, VDimension>;

/** The transforms of a file. */
template <unsigned int VDimension>
struct FileTransforms
{
  std::vector<typename TransformType<VDimension>::Pointer> transforms;        ///< in the order of a composite
  bool                                                     isSeries{ false }; ///< several without a composite
};

template <unsigned int VDimension>
FileTransforms<VDimension>
ReadFile(const std::string & file, const Grid & input)
{
  if (file.empty())
  {
    return { { itk::IdentityTransform<double, VDimension>::New().GetPointer() } };
  }
  RefuseForeignTransform(file);
  if (IsNameOfField(file))
  {
    return { { ReadFieldTransform<VDimension>(file) } };
  }
  if (IsElastixFile(file))
  {
    return { { ReadElastixTransform<VDimension>(file, input) } };
  }
  FileTransforms<VDimension> read;
  const TransformList        list = ReadTransformFile(file);
  read.isSeries = list.isSeries;
  for (const TransformNumbers & numbers : list.transforms)
  {
    const itk::TransformBase::Pointer base = MakeItkTransform(numbers);
    auto * const                      transform = dynamic_cast<TransformType<VDimension> *>(base.GetPointer());
    if (transform == nullptr)
    {
      throw ProgramError("the transform \"" + file + "\" (" + numbers.type + ") maps " +
                         std::to_string(base->GetInputSpaceDimension()) + "D points to " +
                         std::to_string(base->GetOutputSpaceDimension()) + "D points; this input needs one from " +
                         std::to_string(VDimension) + "D to " + std::to_string(VDimension) + "D");
    }
    read.transforms.emplace_back(transform);
  }
  if (read.transforms.empty())
  {
    throw ProgramError("the file \"" + file + "\" does not contain a transform");
  }
  return read;
}

/** Returns the inverse of a transform, by its own method or by iteration. Null if there is none.
 *
 * \param[in,out] residuals residuals of inverses that were found by iteration */
template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
Invert(const TransformType<VDimension> *               transform,
       const Grid &                                    input,
       std::vector<itk::CudaSpline::InverseAccuracy> & residuals)
{
  typename TransformType<VDimension>::Pointer inverse;
  try
  {
    inverse = MakeReadable<VDimension>(transform->GetInverseTransform().GetPointer());
  }
  catch (const itk::ExceptionObject &)
  {
    return nullptr; // a singular matrix
  }
  if (inverse.IsNull())
  {
    itk::CudaSpline::InverseAccuracy residual;
    inverse = InvertByIteration<VDimension>(transform, input, residual);
    if (inverse.IsNotNull())
    {
      residuals.push_back(residual);
    }
  }
  return inverse;
}

/** Warns once per file if the residuals of inverses that were found by iteration are large. */
void
WarnOfResiduals(const std::string & file, const std::vector<itk::CudaSpline::InverseAccuracy> & residuals)
{
  itk::CudaSpline::InverseAccuracy all;
  bool                             isInaccurate = false;
  for (const itk::CudaSpline::InverseAccuracy & residual : residuals)
  {
    isInaccurate = isInaccurate || residual.largest > residual.limit;
    all.mean += residual.mean / static_cast<double>(residuals.size());
    all.largest = std::max(all.largest, residual.largest);
  }
  if (isInaccurate)
  {
    Warn("the inverse of \"" + file + "\" was computed by iteration and is inaccurate: the error is " +
         Brief(all.mean) + " mm on average and at most " + Brief(all.largest) +
         " mm, where the transform folds space or maps points out of its domain");
  }
}

/** Reads the transforms of a file, and inverts them if requested: those of a series one by one, others as a whole. */
template <unsigned int VDimension>
FileTransforms<VDimension>
ReadTransforms(const TransformArgument & argument, const Grid & input)
{
  FileTransforms<VDimension> read = ReadFile<VDimension>(argument.file, input);
  if (!argument.inverse)
  {
    return read;
  }
  std::vector<itk::CudaSpline::InverseAccuracy> residuals;
  for (auto & transform : read.transforms)
  {
    const auto composite = CompositeType<VDimension>::New(); // an elastix file is a separate composite
    composite->AddTransform(transform);
    composite->FlattenTransformQueue();
    const auto inverses = CompositeType<VDimension>::New();
    for (std::size_t number = composite->GetNumberOfTransforms(); number-- > 0;)
    {
      const auto inverse = Invert<VDimension>(composite->GetNthTransformConstPointer(number), input, residuals);
      if (inverse.IsNull())
      {
        throw ProgramError("the transform \"" + argument.file +
                           R"(" has no inverse; omit ",inverse" or use a transform that can be inverted)");
      }
      inverses->AddTransform(inverse);
    }
    transform =
      inverses->GetNumberOfTransforms() == 1 ? inverses->GetNthTransform(0).GetPointer() : inverses.GetPointer();
  }
  WarnOfResiduals(argument.file, residuals);
  if (!read.isSeries)
  {
    std::reverse(read.transforms.begin(), read.transforms.end());
  }
  return read;
}

/** Returns the product of two 3 x 3 matrices. */
using Matrix = std::array<Coordinates, 3>;
Matrix
Multiply(const Matrix & a, const Matrix & b)
{
  Matrix product{};
  for (unsigned int row = 0; row < 3; ++row)
  {
    for (unsigned int column = 0; column < 3; ++column)
    {
      for (unsigned int k = 0; k < 3; ++k)
      {
        product[row][column] += a[row][k] * b[k][column];
      }
    }
  }
  return product;
}

/** Returns a right-handed rotation about one axis. */
Matrix
RotationAbout(unsigned int axis, double degrees)
{
  // Rotations by multiples of 90 degrees are exact, so that they map voxels to voxels.
  const double quarters = degrees / 90.0;
  const bool   exact = quarters == std::round(quarters);
  const double radians = degrees * 0.017453292519943295;
  const int    turn = exact ? static_cast<int>(std::fmod(std::fmod(quarters, 4.0) + 4.0, 4.0)) : 0;
  const double cosine = exact ? (turn == 0 ? 1.0 : (turn == 2 ? -1.0 : 0.0)) : std::cos(radians);
  const double sine = exact ? (turn == 1 ? 1.0 : (turn == 3 ? -1.0 : 0.0)) : std::sin(radians);

  const unsigned int next = (axis + 1) % 3;
  const unsigned int last = (axis + 2) % 3;
  Matrix             matrix{ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
  matrix[next][next] = cosine;
  matrix[next][last] = -sine;
  matrix[last][next] = sine;
  matrix[last][last] = cosine;
  return matrix;
}

/** Returns the transform that makes the input appear rotated: it maps points of the rotated image back, by the opposite
 * rotation. */
template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
MakeRotation(const std::vector<double> & degrees, const Grid & input)
{
  if (degrees.size() != (VDimension == 3 ? 3 : 1))
  {
    throw ProgramError(
      std::string("--rotate needs ") +
      (VDimension == 3 ? "3 angles, about x, y and z, for this 3D image" : "1 angle for this 2D image") + "; it has " +
      std::to_string(degrees.size()));
  }
  const Matrix turn =
    VDimension == 3 ? Multiply(RotationAbout(2, degrees.back()),
                               Multiply(RotationAbout(1, degrees[degrees.size() / 2]), RotationAbout(0, degrees[0])))
                    : RotationAbout(2, degrees[0]);
  using RotationType = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
  const auto                            rotation = RotationType::New();
  typename RotationType::MatrixType     matrix;
  typename RotationType::InputPointType centre;
  const Coordinates                     point = PointOfIndex(input, CentreIndex(input));
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    centre[row] = point[row];
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      matrix[row][column] = turn[column][row]; // transposed: the inverse of a rotation
    }
  }
  rotation->SetCenter(centre);
  rotation->SetMatrix(matrix);
  return rotation.GetPointer();
}

/** Returns the composite to which transforms are added. It contains the rotation of the input, which is applied last to
 * a point. */
template <unsigned int VDimension>
typename CompositeType<VDimension>::Pointer
BeginTransform(const std::vector<double> & rotation, const Grid & input)
{
  const auto composite = CompositeType<VDimension>::New();
  if (!rotation.empty())
  {
    composite->AddTransform(MakeRotation<VDimension>(rotation, input));
  }
  return composite;
}

/** Returns a composite, or its only transform if it has one. Null if it has none. */
template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
Simplify(CompositeType<VDimension> * composite)
{
  composite->FlattenTransformQueue();
  switch (composite->GetNumberOfTransforms())
  {
    case 0:
      return nullptr;
    case 1:
      return composite->GetNthTransform(0).GetPointer();
    default:
      return composite;
  }
}

/** ReadTransforms(); for a name with %d, the transforms of the files of all volumes. */
template <unsigned int VDimension>
FileTransforms<VDimension>
ReadVolumes(const TransformArgument & argument, const Grid & input, std::size_t volumes)
{
  const std::vector<std::string> files = FilesOfVolumes(argument.file, volumes);
  if (files.empty())
  {
    return ReadTransforms<VDimension>(argument, input);
  }
  FileTransforms<VDimension> all;
  all.isSeries = true;
  for (const std::string & file : files)
  {
    const FileTransforms<VDimension> one = ReadTransforms<VDimension>({ file, argument.inverse }, input);
    if (one.isSeries)
    {
      throw ProgramError("--transform-per-volume: the file \"" + file + "\" is for one volume, but contains " +
                         std::to_string(one.transforms.size()) + " transforms without a composite");
    }
    const auto whole = CompositeType<VDimension>::New();
    for (const auto & transform : one.transforms)
    {
      whole->AddTransform(transform);
    }
    all.transforms.push_back(whole.GetPointer());
  }
  return all;
}

} // namespace

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeReadable(itk::Transform<double, VDimension, VDimension> * inverse)
{
  const auto * const linear = dynamic_cast<itk::MatrixOffsetTransformBase<double, VDimension, VDimension> *>(inverse);
  if (linear == nullptr || std::string(linear->GetNameOfClass()) != "MatrixOffsetTransformBase")
  {
    return inverse;
  }
  const auto affine = itk::AffineTransform<double, VDimension>::New();
  affine->SetCenter(linear->GetCenter());
  affine->SetMatrix(linear->GetMatrix());
  affine->SetOffset(linear->GetOffset());
  return affine.GetPointer();
}

TransformArgument
ParseTransform(const std::string & text)
{
  if (text == "identity")
  {
    return {};
  }
  if (text.empty() || text == ",inverse" || text.compare(0, 2, "[,") == 0 || text == "[]")
  {
    throw ProgramError("\"" + text + "\" does not name a transform; use \"identity\" for the identity transform");
  }
  const bool        isInBrackets = text.size() > 2 && text.front() == '[' && text.back() == ']'; // as in ANTs
  const std::string inner = isInBrackets ? text.substr(1, text.size() - 2) : text;
  const std::size_t comma = inner.rfind(',');
  const std::string word = comma == std::string::npos ? "0" : WithoutBlanks(inner.substr(comma + 1));
  if (isInBrackets && (word == "0" || word == "1"))
  {
    return { WithoutBlanks(inner.substr(0, comma)), word == "1" };
  }
  if (!isInBrackets && word == "inverse")
  {
    return { text.substr(0, comma), true };
  }
  return { text, false };
}

std::vector<std::string>
FilesOfVolumes(const std::string & name, std::size_t volumes)
{
  std::error_code error;
  if (std::filesystem::exists(name, error)) // a name may contain a percent sign
  {
    return {};
  }
  const auto pattern = ParseVolumePattern("--transform", name);
  return pattern ? NamesOfPattern(*pattern, volumes) : std::vector<std::string>();
}

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MakeTransform(const std::vector<TransformArgument> & arguments,
              const std::vector<double> &            rotation,
              const Grid &                           input)
{
  const auto composite = BeginTransform<VDimension>(rotation, input);
  for (const TransformArgument & argument : arguments)
  {
    FileTransforms<VDimension> read = ReadTransforms<VDimension>(argument, input);
    if (read.isSeries)
    {
      Warn("the transform \"" + argument.file + "\" contains " + std::to_string(read.transforms.size()) +
           " transforms and no composite: all of them are applied, the last one first; --transform-per-volume of "
           "CudaSplineResample applies one to each volume of a series");
      if (argument.inverse)
      {
        std::reverse(read.transforms.begin(), read.transforms.end());
      }
    }
    for (const auto & transform : read.transforms)
    {
      composite->AddTransform(transform);
    }
  }
  return Simplify<VDimension>(composite);
}

template <unsigned int VDimension>
std::vector<typename itk::Transform<double, VDimension, VDimension>::Pointer>
MakeVolumeTransforms(const std::vector<TransformArgument> & arguments,
                     const std::vector<double> &            rotation,
                     const Grid &                           input,
                     std::size_t                            volumes)
{
  std::vector<typename CompositeType<VDimension>::Pointer> composites(volumes);
  for (auto & composite : composites)
  {
    composite = BeginTransform<VDimension>(rotation, input);
  }
  bool hasSeries = false;
  for (const TransformArgument & argument : arguments)
  {
    const FileTransforms<VDimension> read = ReadVolumes<VDimension>(argument, input, volumes);
    if (read.isSeries && read.transforms.size() != volumes)
    {
      throw ProgramError("--transform-per-volume: the file \"" + argument.file + "\" contains " +
                         std::to_string(read.transforms.size()) + " transforms, and the input has " +
                         std::to_string(volumes) + (volumes == 1 ? " volume" : " volumes") +
                         "; the numbers must be equal");
    }
    hasSeries = hasSeries || read.isSeries;
    for (std::size_t volume = 0; volume < volumes; ++volume)
    {
      for (std::size_t number = 0; number < read.transforms.size(); ++number)
      {
        if (!read.isSeries || number == volume)
        {
          composites[volume]->AddTransform(read.transforms[number]);
        }
      }
    }
  }
  if (!hasSeries && volumes > 1)
  {
    throw ProgramError("--transform-per-volume needs a file with one transform for each of the " +
                       std::to_string(volumes) + " volumes, or a name with %d for the files of all volumes; " +
                       (arguments.empty() ? "no transform is given" : "each --transform file has only one transform"));
  }
  std::vector<typename TransformType<VDimension>::Pointer> transforms;
  for (const auto & composite : composites)
  {
    transforms.push_back(Simplify<VDimension>(composite));
  }
  return transforms;
}

template itk::Transform<double, 2, 2>::Pointer
MakeTransform<2>(const std::vector<TransformArgument> &, const std::vector<double> &, const Grid &);
template itk::Transform<double, 3, 3>::Pointer
MakeTransform<3>(const std::vector<TransformArgument> &, const std::vector<double> &, const Grid &);
template std::vector<itk::Transform<double, 2, 2>::Pointer>
MakeVolumeTransforms<2>(const std::vector<TransformArgument> &, const std::vector<double> &, const Grid &, std::size_t);
template std::vector<itk::Transform<double, 3, 3>::Pointer>
MakeVolumeTransforms<3>(const std::vector<TransformArgument> &, const std::vector<double> &, const Grid &, std::size_t);

bool
LooksLikeAntsOrder(const std::vector<TransformArgument> & transforms)
{
  const auto isMatrix = [](const TransformArgument & one) {
    return ToLower(std::filesystem::path(one.file).filename().string()).find("genericaffine") != std::string::npos;
  };
  bool hasField = false;
  bool hasInverseMatrix = false;
  for (const TransformArgument & one : transforms)
  {
    if (isMatrix(one))
    {
      if (hasField && !one.inverse)
      {
        return true;
      }
      hasInverseMatrix = hasInverseMatrix || one.inverse;
    }
    else if (IsNameOfField(one.file))
    {
      if (hasInverseMatrix)
      {
        return true;
      }
      hasField = true;
    }
  }
  return false;
}

void
WarnOfAntsOrder()
{
  Warn("the list of transforms seems to be in the order of antsApplyTransforms, but the last transform is applied "
       "first to a point of the output, as in ITK; use --ants-order to apply the first one first");
}

template itk::Transform<double, 2, 2>::Pointer
MakeReadable<2>(itk::Transform<double, 2, 2> *);
template itk::Transform<double, 3, 3>::Pointer
MakeReadable<3>(itk::Transform<double, 3, 3> *);

} // namespace CudaSplineProgram
