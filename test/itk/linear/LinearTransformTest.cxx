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
#include "LinearTestSupport.h"
#include "RandomData.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

/** \file
 * \brief Compares CudaSpline::LinearTransform with ITK's classes: the same parameters in the same order give the same
 * map, the same Jacobian and the same step. Points are within 100 mm, so a few roundings are below 1e-12 of that. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::LinearTransform;

constexpr double Tolerance = 1e-11; // mm: roundings of points of some 100 mm

template <unsigned int VDimension>
class BesideItk
{
public:
  using Base = typename LinearTypes<VDimension>::Base;
  using Point = itk::Point<double, VDimension>;

  explicit BesideItk(LinearKind kind)
    : m_Centre(this->RandomPlace())
    , m_Own(MakeLinear<VDimension>(kind, m_Centre))
    , m_Itk(MakeItkLinear<VDimension>(kind, m_Centre))
  {}

  Point
  RandomPlace()
  {
    Point place;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] = m_Random.Uniform(-100.0, 100.0);
    }
    return place;
  }

  /** Returns random changes of all parameters of up to a size; translations are larger. */
  LinearTransform::Parameters
  RandomChange(double size)
  {
    LinearTransform::Parameters change{};
    for (std::size_t p = 0; p < m_Own.CountParameters(); ++p)
    {
      change[p] = m_Random.Uniform(-size, size);
    }
    return change;
  }

  void
  SetRandomParameters()
  {
    auto       parameters = m_Own.GetParameters();
    const auto change = this->RandomChange(0.4);
    ASSERT_EQ(m_Own.CountParameters(), m_Itk->GetNumberOfParameters());
    typename Base::ParametersType ofItk(m_Itk->GetNumberOfParameters());
    for (std::size_t p = 0; p < m_Own.CountParameters(); ++p)
    {
      parameters[p] += change[p];
      ofItk[static_cast<unsigned int>(p)] = parameters[p];
    }
    m_Own.SetParameters(parameters);
    m_Itk->SetParameters(ofItk);
  }

  void
  ExpectSameMap(const char * when)
  {
    SCOPED_TRACE(std::string(NameOf(m_Own.GetKind())) + ' ' + when);
    const auto & ofItk = m_Itk->GetParameters();
    for (std::size_t p = 0; p < m_Own.CountParameters(); ++p)
    {
      EXPECT_NEAR(m_Own.GetParameters()[p], ofItk[static_cast<unsigned int>(p)], 1e-13) << "parameter " << p;
    }
    for (int n = 0; n < 10; ++n)
    {
      const Point             place = this->RandomPlace();
      LinearTransform::Vector from{};
      std::copy(place.Begin(), place.End(), from.begin());
      const Point                 expected = m_Itk->TransformPoint(place);
      const auto                  found = m_Own.Apply(from);
      const auto                  stage = m_Own.MakeStage();
      typename Base::JacobianType jacobian;
      m_Itk->ComputeJacobianWithRespectToParameters(place, jacobian);
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        EXPECT_NEAR(found[r], expected[r], Tolerance);
        double ofStage = stage.offset[r];
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          ofStage += stage.matrix[r][c] * place[c];
        }
        EXPECT_NEAR(ofStage, expected[r], Tolerance);
        for (std::size_t p = 0; p < m_Own.CountParameters(); ++p)
        {
          const auto slope = m_Own.GetSlope(p);
          double     value = slope.shift[r];
          for (unsigned int c = 0; c < VDimension; ++c)
          {
            value += slope.matrix[r][c] * (place[c] - m_Centre[c]);
          }
          EXPECT_NEAR(value, jacobian(r, static_cast<unsigned int>(p)), 1e-10) << r << ", parameter " << p;
        }
      }
    }
  }

  void
  Update(double factor)
  {
    const auto                    change = this->RandomChange(0.1);
    typename Base::DerivativeType ofItk(m_Itk->GetNumberOfParameters());
    std::copy_n(change.begin(), m_Own.CountParameters(), ofItk.begin());
    m_Own.Update(change, factor);
    m_Itk->UpdateTransformParameters(ofItk, factor);
  }

  /** Expects that a transform that continues from another one has its matrix and translation. */
  void
  ExpectGoesOn(LinearKind kind)
  {
    const LinearTransform other = m_Own.As(kind);
    SCOPED_TRACE(std::string(NameOf(m_Own.GetKind())) + " as " + NameOf(kind));
    EXPECT_EQ(other.GetKind(), kind);
    for (int n = 0; n < 10; ++n)
    {
      const Point             place = this->RandomPlace();
      LinearTransform::Vector from{};
      std::copy(place.Begin(), place.End(), from.begin());
      const auto expected = m_Own.Apply(from);
      const auto found = other.Apply(from);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        EXPECT_NEAR(found[d], expected[d], Tolerance);
      }
    }
  }

private:
  Random                 m_Random{ 1 };
  Point                  m_Centre;
  LinearTransform        m_Own;
  typename Base::Pointer m_Itk;
};

constexpr LinearKind AllKinds[] = { LinearKind::Translation,
                                    LinearKind::Rigid,
                                    LinearKind::Similarity,
                                    LinearKind::Affine };

template <unsigned int VDimension>
void
CompareAllKinds()
{
  for (const LinearKind kind : AllKinds)
  {
    BesideItk<VDimension> both(kind);
    both.ExpectSameMap("at the beginning");
    both.SetRandomParameters();
    both.ExpectSameMap("anywhere");
    both.Update(1.0);
    both.ExpectSameMap("a step further");
    both.Update(0.3);
    both.ExpectSameMap("a part of a step further");
    for (const LinearKind next : AllKinds)
    {
      if (next >= kind)
      {
        both.ExpectGoesOn(next);
      }
      else
      {
        EXPECT_THROW(both.ExpectGoesOn(next), std::invalid_argument);
      }
    }
  }
}

TEST(LinearTransform, IsItksInThePlane)
{
  CompareAllKinds<2>();
}

TEST(LinearTransform, IsItksInSpace)
{
  CompareAllKinds<3>();
}

TEST(LinearTransform, KeepsHalfATurnAsSimilarity)
{
  // Each component is once the largest of the quaternion. A rotation slightly below 180 degrees loses no digits.
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    LinearTransform             rigid(LinearKind::Rigid, 3, { 1.0, 2.0, 3.0 });
    LinearTransform::Parameters parameters{};
    parameters[axis] = 3.0;
    parameters[(axis + 1) % 3] = 0.2;
    rigid.SetParameters(parameters);
    const LinearTransform similarity = rigid.As(LinearKind::Similarity);
    for (unsigned int r = 0; r < 3; ++r)
    {
      for (unsigned int c = 0; c < 3; ++c)
      {
        EXPECT_NEAR(similarity.GetMatrix()[r][c], rigid.GetMatrix()[r][c], 1e-13) << axis;
      }
    }
  }
}

TEST(LinearTransform, RefusesOtherDimensions)
{
  EXPECT_THROW(LinearTransform(LinearKind::Rigid, 1), std::invalid_argument);
  EXPECT_THROW(LinearTransform(LinearKind::Rigid, 4), std::invalid_argument);
}

} // namespace
