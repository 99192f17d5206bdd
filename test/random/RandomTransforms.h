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
#ifndef RandomTransforms_h
#define RandomTransforms_h

#include "RandomDraw.h"
#include "RandomWave.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkIdentityTransform.h"
#include "itkImageRegionIterator.h"
#include "itkScaleTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVectorNearestNeighborInterpolateImageFunction.h"
#include "itkVersorRigid3DTransform.h"

#include <cmath>
#include <string>

/** \file
 * \brief Transforms of every kind, with drawn parameters, about a place. */

namespace CudaSplineTest
{

/** The region that transforms map: a box (mm). */
template <unsigned int VDimension>
struct Place
{
  itk::Point<double, VDimension>              center;
  double                                      extent{ 1.0 }; ///< of the box, about
  double                                      step{ 1.0 };   ///< of its samples, about
  itk::Matrix<double, VDimension, VDimension> axes;          ///< of the box
};

/** Draws transforms of a precision and dimension. */
template <typename T, unsigned int VDimension>
class TransformDraw
{
public:
  using TransformType = itk::Transform<T, VDimension, VDimension>;
  using Pointer = typename TransformType::Pointer;

  TransformDraw(Draw & draw, const Place<VDimension> & place)
    : m_Draw(draw)
    , m_Place(place)
  {}

  /** A transform of any kind; \p text receives its description, \p kind its name in the backend table. With a simple
   * one samples stay on whole and half indices, except for rounding. */
  Pointer
  Any(std::string & text, std::string & kind, bool simple)
  {
    Pointer   transform;
    const int number = m_Draw.Integer(0, 99);
    if (simple)
    {
      transform = number < 30   ? this->Identity(text)
                  : number < 60 ? this->HalfSteps(text)
                  : number < 80 ? this->Field(text, true)
                                : this->Spline(text, true);
    }
    else if (number < 40)
    {
      transform = this->Linear(text);
    }
    else if (number < 55)
    {
      transform = this->Spline(text);
    }
    else if (number < 70)
    {
      transform = this->Field(text);
    }
    else if (number < 92)
    {
      transform = this->Composite(text, 2);
    }
    else
    {
      transform = this->Wave(text);
    }
    using Category = typename TransformType::TransformCategoryEnum;
    const Category category = transform->GetTransformCategory();
    kind =
      category == Category::Linear
        ? "linear"
        : (text[0] == 'b' ? "bspline" : (text[0] == 'f' ? "displacement" : (text[0] == 'c' ? "composite" : "other")));
    return transform;
  }

private:
  Pointer
  Identity(std::string & text)
  {
    text = "identity";
    return itk::IdentityTransform<T, VDimension>::New().GetPointer();
  }

  /** Shifts by whole and half samples: indices are on borders and ties. */
  Pointer
  HalfSteps(std::string & text)
  {
    text = "half steps";
    auto transform = itk::TranslationTransform<T, VDimension>::New();
    typename itk::TranslationTransform<T, VDimension>::OutputVectorType offset;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      offset[d] = static_cast<T>(0.5 * m_Draw.Integer(-4, 4) * m_Place.step);
    }
    transform->Translate(offset);
    return transform.GetPointer();
  }

  template <typename TTransform>
  void
  SetCenter(TTransform * transform)
  {
    auto center = transform->GetCenter();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      center[d] = static_cast<T>(m_Place.center[d]);
    }
    transform->SetCenter(center);
  }

  template <typename TVector>
  TVector
  Shift(double steps)
  {
    TVector shift;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      shift[d] = static_cast<T>(m_Draw.Uniform(-steps, steps) * m_Place.step);
    }
    return shift;
  }

  Pointer
  Linear(std::string & text)
  {
    switch (m_Draw.Integer(0, 4))
    {
      case 0:
        return this->Identity(text);
      case 1: {
        text = "translation";
        auto transform = itk::TranslationTransform<T, VDimension>::New();
        transform->Translate(this->Shift<typename itk::TranslationTransform<T, VDimension>::OutputVectorType>(3.0));
        return transform.GetPointer();
      }
      case 2: {
        text = "scale";
        auto transform = itk::ScaleTransform<T, VDimension>::New();
        this->SetCenter(transform.GetPointer());
        auto scale = transform->GetScale();
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          scale[d] = static_cast<T>(m_Draw.Uniform(0.5, 1.7));
        }
        transform->SetScale(scale);
        return transform.GetPointer();
      }
      case 3:
        return this->Rigid(text);
      default:
        return this->Affine(text);
    }
  }

  Pointer
  Affine(std::string & text)
  {
    text = "affine";
    using Affine = itk::AffineTransform<T, VDimension>;
    auto transform = Affine::New();
    this->SetCenter(transform.GetPointer());
    typename Affine::MatrixType matrix;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        matrix[r][c] = static_cast<T>((r == c ? 1.0 : 0.0) + m_Draw.Uniform(-0.3, 0.3));
      }
    }
    transform->SetMatrix(matrix);
    transform->SetTranslation(this->Shift<typename Affine::OutputVectorType>(2.0));
    return transform.GetPointer();
  }

  Pointer
  Rigid(std::string & text)
  {
    if constexpr (VDimension == 2)
    {
      text = "similarity";
      auto transform = itk::Similarity2DTransform<T>::New();
      this->SetCenter(transform.GetPointer());
      transform->SetAngle(static_cast<T>(m_Draw.Uniform(-3.1, 3.1)));
      transform->SetScale(static_cast<T>(m_Draw.Uniform(0.6, 1.5)));
      return transform.GetPointer();
    }
    else if constexpr (VDimension == 3)
    {
      if (m_Draw.Percent(50))
      {
        text = "euler";
        auto transform = itk::Euler3DTransform<T>::New();
        this->SetCenter(transform.GetPointer());
        const auto x = static_cast<T>(m_Draw.Uniform(-3.0, 3.0));
        const auto y = static_cast<T>(m_Draw.Uniform(-1.5, 1.5));
        transform->SetRotation(x, y, static_cast<T>(m_Draw.Uniform(-3.0, 3.0)));
        return transform.GetPointer();
      }
      text = "versor";
      auto transform = itk::VersorRigid3DTransform<T>::New();
      this->SetCenter(transform.GetPointer());
      auto axis = this->Shift<itk::Vector<T, 3>>(1.0);
      axis[0] += static_cast<T>(0.1);
      transform->SetRotation(axis, static_cast<T>(m_Draw.Uniform(-3.0, 3.0)));
      return transform.GetPointer();
    }
    else
    {
      return this->Affine(text);
    }
  }

  template <unsigned int VOrder>
  Pointer
  SplineOfOrder(bool flat)
  {
    using Spline = itk::BSplineTransform<T, VDimension, VOrder>;
    auto                                    transform = Spline::New();
    typename Spline::MeshSizeType           mesh;
    typename Spline::PhysicalDimensionsType size;
    typename Spline::OriginType             origin;
    auto                                    direction = transform->GetTransformDomainDirection();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      mesh[d] = static_cast<itk::SizeValueType>(m_Draw.Integer(1, 5));
      size[d] = static_cast<T>(m_Place.extent * m_Draw.Uniform(0.6, 1.6));
    }
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      double corner = m_Place.center[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        direction[r][c] = m_Place.axes[r][c];
        corner -= m_Place.axes[r][c] * 0.5 * static_cast<double>(size[c]);
      }
      origin[r] = static_cast<T>(corner);
    }
    transform->SetTransformDomainMeshSize(mesh);
    transform->SetTransformDomainPhysicalDimensions(size);
    transform->SetTransformDomainOrigin(origin);
    transform->SetTransformDomainDirection(direction);
    auto parameters = transform->GetParameters();
    for (unsigned int i = 0; i < parameters.Size(); ++i)
    {
      parameters[i] = flat ? 0.0 : m_Draw.Uniform(-2.0, 2.0) * m_Place.step;
    }
    transform->SetParametersByValue(parameters);
    return transform.GetPointer();
  }

  /** A B-spline transform; a flat one moves nothing. */
  Pointer
  Spline(std::string & text, bool flat = false)
  {
    const int order = m_Draw.Integer(1, 3);
    text = "bspline " + std::to_string(order);
    return order == 1 ? this->template SplineOfOrder<1>(flat)
                      : (order == 2 ? this->template SplineOfOrder<2>(flat) : this->template SplineOfOrder<3>(flat));
  }

  /** A displacement field; a flat one moves everything by the same half and whole steps. */
  Pointer
  Field(std::string & text, bool flat = false)
  {
    using Transform = itk::DisplacementFieldTransform<T, VDimension>;
    using FieldType = typename Transform::DisplacementFieldType;
    auto                            field = FieldType::New();
    typename FieldType::RegionType  region;
    typename FieldType::SpacingType spacing;
    auto                            origin = field->GetOrigin();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetIndex(d, m_Draw.Integer(-3, 3));
      region.SetSize(d, static_cast<itk::SizeValueType>(m_Draw.Integer(2, 7)));
      spacing[d] = m_Place.extent * m_Draw.Uniform(0.6, 1.5) / static_cast<double>(region.GetSize(d));
    }
    const auto direction =
      m_Draw.template Rotation<typename FieldType::DirectionType>(VDimension, m_Draw.Percent(50) ? 0.0 : 3.0);
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      origin[r] = m_Place.center[r];
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        origin[r] -= direction[r][c] * spacing[c] *
                     (static_cast<double>(region.GetIndex(c)) + 0.5 * static_cast<double>(region.GetSize(c) - 1));
      }
    }
    field->SetRegions(region);
    field->SetSpacing(spacing);
    field->SetOrigin(origin);
    field->SetDirection(direction);
    field->Allocate();
    typename FieldType::PixelType same;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      same[d] = static_cast<T>(0.5 * m_Draw.Integer(-4, 4) * m_Place.step);
    }
    for (itk::ImageRegionIterator<FieldType> it(field, region); !it.IsAtEnd(); ++it)
    {
      it.Set(flat ? same : this->Shift<typename FieldType::PixelType>(2.0));
    }
    auto transform = Transform::New();
    transform->SetDisplacementField(field);
    text = "field";
    if (m_Draw.Percent(30))
    {
      text += " nearest";
      transform->SetInterpolator(itk::VectorNearestNeighborInterpolateImageFunction<FieldType, T>::New());
    }
    return transform.GetPointer();
  }

  Pointer
  Wave(std::string & text)
  {
    text = "wave";
    auto transform = RandomWave<T, VDimension>::New();
    transform->m_Amplitude = m_Draw.Uniform(0.2, 2.0) * m_Place.step;
    transform->m_Frequency = m_Draw.Uniform(0.5, 3.0) / m_Place.extent;
    return transform.GetPointer();
  }

  Pointer
  Composite(std::string & text, int depth)
  {
    auto        transform = itk::CompositeTransform<T, VDimension>::New();
    std::string parts;
    const int   count = m_Draw.Integer(1, 3);
    for (int i = 0; i < count; ++i)
    {
      std::string part;
      switch (m_Draw.Integer(0, depth > 0 ? 4 : 3))
      {
        case 0:
        case 1:
          transform->AddTransform(this->Linear(part));
          break;
        case 2:
          transform->AddTransform(this->Spline(part));
          break;
        case 3:
          transform->AddTransform(this->Field(part));
          break;
        default:
          transform->AddTransform(this->Composite(part, depth - 1));
          break;
      }
      parts += (i == 0 ? "" : " + ") + part;
    }
    text = "composite (" + parts + ")";
    return transform.GetPointer();
  }

  Draw &                    m_Draw;
  const Place<VDimension> & m_Place;
};

} // namespace CudaSplineTest

#endif
