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
#ifndef CudaSplineRegister_StageTransforms_h
#define CudaSplineRegister_StageTransforms_h

#include "CommandLine.h"

#include "itkCudaSpline/itk/SplineRegistrationOfImages.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkImageBase.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

/** \file
 * \brief The transforms of the stages, and what they move. */

namespace CudaSplineRegister
{

/** \brief Types of transforms by dimension. */
template <unsigned int VDimension>
struct StageTransforms
{
  using Base = itk::Transform<double, VDimension, VDimension>;
  using Linear = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
  using Rigid = std::conditional_t<VDimension == 2, itk::Euler2DTransform<double>, itk::Euler3DTransform<double>>;
  using Translation = itk::TranslationTransform<double, VDimension>;
  using Similarity =
    std::conditional_t<VDimension == 2, itk::Similarity2DTransform<double>, itk::Similarity3DTransform<double>>;
  using Affine = itk::AffineTransform<double, VDimension>;
  using Spline = itk::BSplineTransform<double, VDimension, 3>;
  using Composite = itk::CompositeTransform<double, VDimension>;
  using Field = itk::DisplacementFieldTransform<double, VDimension>;
  using Image = itk::ImageBase<VDimension>;
  using Point = typename Base::InputPointType;
  using Mesh = typename Spline::MeshSizeType;

  /** The corners of an image: the outermost voxels' centres. */
  static std::vector<Point>
  Corners(const Image * image)
  {
    const auto &       region = image->GetLargestPossibleRegion();
    std::vector<Point> corners(1U << VDimension);
    for (unsigned int corner = 0; corner < corners.size(); ++corner)
    {
      auto index = region.GetIndex();
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        index[d] += ((corner >> d) & 1U) != 0 ? static_cast<itk::IndexValueType>(region.GetSize(d)) - 1 : 0;
      }
      image->TransformIndexToPhysicalPoint(index, corners[corner]);
    }
    return corners;
  }

  /** Where a transform's parameters have places, in mm: the images of corners, or coefficients. All x, then all y. */
  static std::vector<double>
  PlacesOf(const Base * transform, const std::vector<Point> & corners)
  {
    if (!transform->IsLinear())
    {
      const auto & coefficients = transform->GetParameters();
      return { coefficients.begin(), coefficients.end() };
    }
    std::vector<double> places(VDimension * corners.size());
    for (std::size_t corner = 0; corner < corners.size(); ++corner)
    {
      const auto place = transform->TransformPoint(corners[corner]);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        places[d * corners.size() + corner] = place[d];
      }
    }
    return places;
  }

  /** How far a unit of each parameter moves corners, root mean square: what makes angles and translations alike. */
  static itk::Array<double>
  MovementsOf(const Base * transform, const std::vector<Point> & corners)
  {
    itk::Array<double> movements(transform->GetNumberOfParameters());
    movements.Fill(0.0);
    for (const Point & corner : corners)
    {
      typename Base::JacobianType jacobian;
      transform->ComputeJacobianWithRespectToParameters(corner, jacobian);
      for (unsigned int p = 0; p < movements.Size(); ++p)
      {
        movements[p] += jacobian.get_column(p).squared_magnitude() / static_cast<double>(corners.size());
      }
    }
    std::transform(
      movements.begin(), movements.end(), movements.begin(), [](double square) { return std::sqrt(square); });
    return movements;
  }

  /** A linear transform that goes on where another one ended.
   *
   * \param[in] kind of the stage, which can do what the other transform can
   * \param[in] from null: the identity, about a centre */
  static typename Base::Pointer
  MakeLinear(StageKind kind, const Base * from, const Point & centre)
  {
    const auto * const about = dynamic_cast<const Linear *>(from);
    const auto * const shift = dynamic_cast<const Translation *>(from);
    auto               translation = Translation::New()->GetOffset(); // 0
    if (about != nullptr || shift != nullptr)
    {
      translation = about != nullptr ? about->GetTranslation() : shift->GetOffset();
    }
    if (kind == StageKind::Translation)
    {
      const auto transform = Translation::New();
      transform->SetOffset(translation);
      return transform.GetPointer();
    }
    typename Linear::Pointer transform;
    if (kind == StageKind::Rigid)
    {
      transform = Rigid::New().GetPointer();
    }
    else if (kind == StageKind::Similarity)
    {
      transform = Similarity::New().GetPointer();
    }
    else
    {
      transform = Affine::New().GetPointer();
    }
    transform->SetCenter(about != nullptr ? about->GetCenter() : centre);
    if (about != nullptr)
    {
      transform->SetMatrix(about->GetMatrix());
    }
    if (from != nullptr)
    {
      transform->SetTranslation(translation);
    }
    return transform.GetPointer();
  }

  /** Extent of an image from the first voxel's centre to the last one's; at least a voxel. */
  static typename Spline::PhysicalDimensionsType
  ExtentOf(const Image * image)
  {
    typename Spline::PhysicalDimensionsType extent;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto size = image->GetLargestPossibleRegion().GetSize(d);
      extent[d] = image->GetSpacing()[d] * static_cast<double>(std::max<itk::SizeValueType>(size, 2) - 1);
    }
    return extent;
  }

  /** The cells of a B-spline at each level: of the wanted spacing at the last, half as many at each one before. */
  static std::vector<Mesh>
  MeshesOf(const StageOptions & stage, const Image * image)
  {
    constexpr double  usual = 24.0; // mm
    const auto        extent = ExtentOf(image);
    std::vector<Mesh> meshes(stage.iterations.size());
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double spacing = stage.gridSpacing.empty()       ? usual
                             : stage.gridSpacing.size() == 1 ? stage.gridSpacing.front()
                                                             : stage.gridSpacing[d];
      auto         cells = static_cast<itk::SizeValueType>(std::max(1.0, std::round(extent[d] / spacing)));
      for (std::size_t level = meshes.size(); level-- > 0; cells = (cells + 1) / 2)
      {
        meshes[level][d] = cells;
      }
    }
    return meshes;
  }

  /** A B-spline transform that moves nothing yet, on the domain of an image. */
  static typename Spline::Pointer
  MakeSpline(const Image * image, const Mesh & mesh)
  {
    const auto spline = Spline::New();
    itk::CudaSplineDetail::SetSplineGrid<VDimension>(
      spline.GetPointer(),
      itk::CudaSplineDetail::DescribeFieldGrid<VDimension>(image, image->GetLargestPossibleRegion()),
      image->GetDirection(),
      mesh);
    return spline;
  }

  /** A copy, but of a displacement field, which is large, and which no stage changes. */
  static typename Base::Pointer
  Copy(const typename Base::Pointer & transform)
  {
    return dynamic_cast<const Field *>(transform.GetPointer()) != nullptr ? transform : transform->Clone();
  }

  /** Transforms as one, the last applied first to a point; a copy, so that later stages change nothing of it. */
  static typename Base::Pointer
  Combine(const std::vector<typename Base::Pointer> & chain)
  {
    const auto composite = Composite::New();
    for (const auto & transform : chain)
    {
      composite->AddTransform(transform);
    }
    composite->FlattenTransformQueue();
    if (composite->GetNumberOfTransforms() == 0)
    {
      return Affine::New().GetPointer();
    }
    if (composite->GetNumberOfTransforms() == 1)
    {
      return Copy(composite->GetNthTransform(0));
    }
    const auto copy = Composite::New();
    for (itk::SizeValueType number = 0; number < composite->GetNumberOfTransforms(); ++number)
    {
      copy->AddTransform(Copy(composite->GetNthTransform(number)));
    }
    return copy.GetPointer();
  }
};

} // namespace CudaSplineRegister

#endif
