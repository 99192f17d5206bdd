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
#include "io/transforms/ElastixTransform.h"

#include "io/transforms/ElastixFile.h"
#include "console/Error.h"
#include "io/transforms/TransformFile.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>

namespace CudaSplineProgram
{
namespace
{

template <unsigned int VDimension>
using TransformType = itk::Transform<double, VDimension, VDimension>;
template <unsigned int VDimension>
using CompositeType = itk::CompositeTransform<double, VDimension>;

/** \brief The sum of the displacements of two transforms at the same point. */
template <unsigned int VDimension>
class AddedTransforms : public TransformType<VDimension>
{
public:
  using Self = AddedTransforms;
  using Superclass = TransformType<VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  using InputPointType = typename Superclass::InputPointType;
  using OutputPointType = typename Superclass::OutputPointType;

  static Pointer
  New(const Superclass * first, const Superclass * second)
  {
    const Pointer made(new Self);
    made->UnRegister();
    made->m_First = first;
    made->m_Second = second;
    return made;
  }

  OutputPointType
  TransformPoint(const InputPointType & point) const override
  {
    return m_First->TransformPoint(point) + (m_Second->TransformPoint(point) - point);
  }

  typename Superclass::TransformCategoryEnum
  GetTransformCategory() const override
  {
    using Category = typename Superclass::TransformCategoryEnum;
    return m_First->GetTransformCategory() == Category::Linear && m_Second->GetTransformCategory() == Category::Linear
             ? Category::Linear
             : Category::UnknownTransformCategory;
  }

  void
  ComputeJacobianWithRespectToParameters(const InputPointType &, typename Superclass::JacobianType &) const override
  {
    itkExceptionMacro(<< "The Jacobian of a sum of transforms is not supported.");
  }
  void
  SetParameters(const typename Superclass::ParametersType &) override
  {
    itkExceptionMacro(<< "Setting parameters of a sum of transforms is not supported.");
  }
  void
  SetFixedParameters(const typename Superclass::FixedParametersType &) override
  {
    itkExceptionMacro(<< "Setting parameters of a sum of transforms is not supported.");
  }

private:
  AddedTransforms()
    : Superclass(0)
  {}

  typename Superclass::ConstPointer m_First;
  typename Superclass::ConstPointer m_Second;
};

/** \param[in] fixed centre, and other fixed parameters of the class
 * \param[in] parameters parameters of the transform, in ITK's order */
template <typename TTransform>
typename TransformType<TTransform::InputSpaceDimension>::Pointer
MakeItk(const ElastixFile & file, const std::vector<double> & fixed, const std::vector<double> & parameters)
{
  const auto                               transform = TTransform::New();
  typename TTransform::FixedParametersType fixedOnes(static_cast<unsigned int>(fixed.size()));
  std::copy(fixed.begin(), fixed.end(), fixedOnes.begin());
  if (!fixed.empty())
  {
    transform->SetFixedParameters(fixedOnes); // the grid determines the number of parameters
  }
  if (parameters.size() != transform->GetNumberOfParameters())
  {
    file.Refuse("it has " + std::to_string(parameters.size()) + " parameters where its type has " +
                std::to_string(transform->GetNumberOfParameters()));
  }
  typename TTransform::ParametersType ones(static_cast<unsigned int>(parameters.size()));
  std::copy(parameters.begin(), parameters.end(), ones.begin());
  try
  {
    transform->SetParametersByValue(ones);
  }
  catch (const itk::ExceptionObject & exception)
  {
    file.Refuse(TextOf(exception));
  }
  return transform.GetPointer();
}

template <unsigned int VDimension, unsigned int VOrder>
typename TransformType<VDimension>::Pointer
MakeSpline(const ElastixFile & file)
{
  TransformNumbers numbers;
  numbers.type = "BSplineTransform_double_" + std::to_string(VDimension) + "_" + std::to_string(VDimension) + "_" +
                 std::to_string(VOrder);
  numbers.fixed = file.Numbers("GridSize", VDimension);
  const auto          spacing = file.Numbers("GridSpacing", VDimension);
  std::vector<double> origin = file.Numbers("GridOrigin", VDimension);
  std::vector<double> direction(VDimension * VDimension, 0.0); // column by column in the file
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    direction[d * VDimension + d] = 1.0;
  }
  if (file.Has("GridDirection"))
  {
    direction = file.Numbers("GridDirection", VDimension * VDimension);
  }
  if (file.Has("GridIndex")) // ITK's grids begin at index 0
  {
    const auto index = file.Numbers("GridIndex", VDimension);
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        origin[row] += direction[column * VDimension + row] * spacing[column] * index[column];
      }
    }
  }
  numbers.fixed.insert(numbers.fixed.end(), origin.begin(), origin.end());
  numbers.fixed.insert(numbers.fixed.end(), spacing.begin(), spacing.end());
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      numbers.fixed.push_back(direction[column * VDimension + row]);
    }
  }
  numbers.parameters = file.TransformParameters();
  try
  {
    CheckTransform(numbers);
  }
  catch (const ProgramError & error)
  {
    file.Refuse(error.what());
  }
  return MakeItk<itk::BSplineTransform<double, VDimension, VOrder>>(file, numbers.fixed, numbers.parameters);
}

template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
MakeOne(const ElastixFile & file)
{
  if (file.Dimension() != VDimension ||
      (file.Has("MovingImageDimension") && file.Numbers("MovingImageDimension", 1)[0] != VDimension))
  {
    file.Refuse("it is for images with a dimension other than " + std::to_string(VDimension));
  }
  const std::string kind = file.Word("Transform", "");
  if (kind == "TranslationTransform")
  {
    return MakeItk<itk::TranslationTransform<double, VDimension>>(file, {}, file.TransformParameters());
  }
  if (kind == "BSplineTransform" || kind == "RecursiveBSplineTransform")
  {
    if (file.Word("UseCyclicTransform", "false") == "true")
    {
      file.Refuse("cyclic B-splines are not supported");
    }
    const std::string order = file.Word("BSplineTransformSplineOrder", "3");
    if (order == "1")
    {
      return MakeSpline<VDimension, 1>(file);
    }
    if (order == "2")
    {
      return MakeSpline<VDimension, 2>(file);
    }
    if (order == "3")
    {
      return MakeSpline<VDimension, 3>(file);
    }
    file.Refuse("its B-spline has order " + order.substr(0, 40) + "; 1, 2 and 3 are allowed");
  }
  const bool isEuler = kind == "EulerTransform";
  const bool isSimilarity = kind == "SimilarityTransform";
  if (!isEuler && !isSimilarity && kind != "AffineTransform")
  {
    file.Refuse("its transform is \"" + kind.substr(0, 40) +
                "\"; TranslationTransform, EulerTransform, SimilarityTransform, AffineTransform, BSplineTransform and "
                "RecursiveBSplineTransform are supported");
  }
  std::vector<double> centre = file.Numbers("CenterOfRotationPoint", VDimension);
  if (isEuler)
  {
    if constexpr (VDimension == 3)
    {
      centre.push_back(file.Word("ComputeZYX", "false") == "true" ? 1.0 : 0.0);
    }
    return MakeItk<std::conditional_t<VDimension == 2, itk::Euler2DTransform<double>, itk::Euler3DTransform<double>>>(
      file, centre, file.TransformParameters());
  }
  if (isSimilarity)
  {
    return MakeItk<
      std::conditional_t<VDimension == 2, itk::Similarity2DTransform<double>, itk::Similarity3DTransform<double>>>(
      file, centre, file.TransformParameters());
  }
  return MakeItk<itk::AffineTransform<double, VDimension>>(file, centre, file.TransformParameters());
}

/** Returns the transform of a file, including its initial transforms. */
template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
MakeAll(const ElastixFile & file, std::set<std::string> & seen)
{
  std::error_code error;
  if (!seen.insert(std::filesystem::weakly_canonical(file.Name(), error).string()).second)
  {
    file.Refuse("its initial transform is the file itself, directly or through other files");
  }
  const auto        own = MakeOne<VDimension>(file);
  const std::string initialFile = file.InitialFile();
  if (initialFile.empty())
  {
    return own;
  }
  const auto        initial = MakeAll<VDimension>(ElastixFile(initialFile), seen);
  const std::string how = file.Word("HowToCombineTransforms", "Compose");
  if (how == "Add")
  {
    return AddedTransforms<VDimension>::New(initial, own).GetPointer();
  }
  if (how != "Compose")
  {
    file.Refuse("HowToCombineTransforms is \"" + how.substr(0, 40) + "\"; \"Compose\" and \"Add\" are allowed");
  }
  const auto composite = CompositeType<VDimension>::New();
  composite->AddTransform(own);
  composite->AddTransform(initial); // the last one is applied first to a point
  return composite.GetPointer();
}

/** Returns the map from space to a space in which the axes of a grid are not rotated, or its inverse. It does not
 * change the origin, which is the point of index 0, even if the grid has no such sample. */
template <unsigned int VDimension>
typename TransformType<VDimension>::Pointer
MakeTurn(const Grid & grid, bool isBack)
{
  const auto                                                    turn = itk::AffineTransform<double, VDimension>::New();
  typename itk::AffineTransform<double, VDimension>::MatrixType matrix;
  typename itk::AffineTransform<double, VDimension>::InputPointType centre;
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    centre[row] = grid.origin[row];
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      matrix[row][column] = grid.direction[row][column];
    }
  }
  turn->SetCenter(centre);
  turn->SetMatrix(isBack ? matrix : typename itk::AffineTransform<double, VDimension>::MatrixType(matrix.GetInverse()));
  return turn.GetPointer();
}

} // namespace

template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
ReadElastixTransform(const std::string & file, const Grid & input)
{
  const ElastixFile     parameters(file);
  std::set<std::string> seen;
  const auto            transform = MakeAll<VDimension>(parameters, seen);
  if (parameters.Word("UseDirectionCosines", "true") != "false")
  {
    return transform;
  }
  const auto composite = CompositeType<VDimension>::New();
  composite->AddTransform(MakeTurn<VDimension>(input, true));
  composite->AddTransform(transform);
  composite->AddTransform(MakeTurn<VDimension>(IndexedGridOf(parameters), false));
  return composite.GetPointer();
}

template itk::Transform<double, 2, 2>::Pointer
ReadElastixTransform<2>(const std::string &, const Grid &);
template itk::Transform<double, 3, 3>::Pointer
ReadElastixTransform<3>(const std::string &, const Grid &);

} // namespace CudaSplineProgram
