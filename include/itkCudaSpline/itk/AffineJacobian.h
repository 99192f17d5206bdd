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
#ifndef itkCudaSpline_itk_AffineJacobian_h
#define itkCudaSpline_itk_AffineJacobian_h

#include "itkCudaSpline/itk/DoubleTransform.h"

#include "itkCompositeTransform.h"
#include "itkTransform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief The Jacobian of a linear transform with respect to its parameters, as an affine function of the point.
 *
 * J(x) = J(c) + sum_j (x_j - c_j) S_j. It is computed from the transform's own Jacobian at D + 1 points. Composites of
 * linear transforms have this form too, for any choice of the transforms to optimize.
 *
 * \tparam VDimension dimension D */
template <unsigned int VDimension>
class AffineJacobian
{
public:
  /** A transform between spaces of that dimension. */
  using TransformType = Transform<double, VDimension, VDimension>;
  /** Type of a Jacobian: one row per axis, one column per parameter. */
  using JacobianType = typename TransformType::JacobianType;
  /** D rows of a sum of w g_i, followed by D sums of w g_i (x_j - c_j); see CudaSpline::MetricSums. */
  using Moments = std::vector<double>;

  /** \brief Computes J(c) and S from a transform.
   *
   * \param[in] transform the transform
   * \param[in] centre c (mm)
   * \param[in] extent approximate distance of the samples from \p centre (mm)
   * \return false if the Jacobian is not an affine function of the point, which is checked at one additional point */
  bool
  Set(const TransformType * transform, const std::array<double, 3> & centre, double extent)
  {
    // A power of 2: division of the differences by it is exact.
    const double                           step = std::exp2(std::round(std::log2(extent > 0.0 ? extent : 1.0)));
    typename TransformType::InputPointType place;
    const auto                             moveTo = [&](double distance) {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] = centre[d] + distance;
      }
    };
    moveTo(0.0);
    transform->ComputeJacobianWithRespectToParameters(place, m_AtCentre);
    for (unsigned int j = 0; j < VDimension; ++j)
    {
      moveTo(0.0);
      place[j] += step;
      transform->ComputeJacobianWithRespectToParameters(place, m_Slopes[j]);
      m_Slopes[j] -= m_AtCentre;
      m_Slopes[j] /= step;
    }
    JacobianType elsewhere;
    moveTo(-0.75 * step);
    transform->ComputeJacobianWithRespectToParameters(place, elsewhere);
    // Relative to the largest magnitude of a parameter. It allows some roundings, also those of a composite's products
    // that cancel.
    constexpr double tolerance = 1e-9;
    for (unsigned int p = 0; p < m_AtCentre.cols(); ++p)
    {
      double distance = 0.0;
      double largest = 0.0;
      for (unsigned int i = 0; i < m_AtCentre.rows(); ++i)
      {
        double value = m_AtCentre(i, p);
        double scale = std::abs(value);
        for (unsigned int j = 0; j < VDimension; ++j)
        {
          value -= 0.75 * step * m_Slopes[j](i, p);
          scale += step * std::abs(m_Slopes[j](i, p));
        }
        distance += std::abs(value - elsewhere(i, p)); // also false for NaN
        largest = std::max(largest, scale);
      }
      if (!(distance <= tolerance * largest))
      {
        return false;
      }
    }
    return true;
  }

  /** Number of parameters. */
  unsigned int
  GetNumberOfParameters() const
  {
    return static_cast<unsigned int>(m_AtCentre.cols());
  }

  /** \brief The sum of w J(x)' g over the samples, for one parameter.
   *
   * \param[in] moments moments of the samples
   * \param[in] parameter index of the parameter */
  double
  Contract(const Moments & moments, unsigned int parameter) const
  {
    double sum = 0.0;
    for (unsigned int i = 0; i < VDimension; ++i)
    {
      const double * const row = moments.data() + std::size_t{ i } * (VDimension + 1);
      sum += row[0] * m_AtCentre(i, parameter);
      for (unsigned int j = 0; j < VDimension; ++j)
      {
        sum += row[1 + j] * m_Slopes[j](i, parameter);
      }
    }
    return sum;
  }

private:
  JacobianType                         m_AtCentre;
  std::array<JacobianType, VDimension> m_Slopes;
};

/** \brief Copies the leading linear transforms of a composite to a new composite, with the same choice of transforms to
 * optimize.
 *
 * A point is mapped by the leading transforms first. Transforms after the first one that is not linear are left out.
 *
 * \param[in] transform a composite transform, nested to any depth; its linear transforms of double are shared, those of
 * float are converted to double
 * \return the composite of the leading linear transforms
 * \exception ExceptionObject a linear transform of float has a class without a counterpart of double
 * (InDoublePrecision())
 * \ingroup CudaSpline */
template <typename TParameter, unsigned int VDimension>
typename CompositeTransform<double, VDimension>::Pointer
FirstLinearOnes(const Transform<TParameter, VDimension, VDimension> * transform)
{
  using Composite = CompositeTransform<TParameter, VDimension>;
  using Part = Transform<TParameter, VDimension, VDimension>;
  using DoublePart = Transform<double, VDimension, VDimension>;
  std::vector<std::pair<const Part *, bool>> parts; // in the order in which they map a point
  // Returns whether the next transform is to be visited.
  const std::function<bool(const Part *, bool)> add = [&](const Part * part, bool isOptimized) {
    if (const auto * const composite = dynamic_cast<const Composite *>(part))
    {
      bool goesOn = true;
      for (SizeValueType n = composite->GetNumberOfTransforms(); goesOn && n-- > 0;)
      {
        goesOn = add(composite->GetNthTransformConstPointer(n), isOptimized && composite->GetNthTransformToOptimize(n));
      }
      return goesOn;
    }
    const bool isLinear = part->GetTransformCategory() == Part::TransformCategoryEnum::Linear;
    if (isLinear)
    {
      parts.emplace_back(part, isOptimized);
    }
    return isLinear;
  };
  add(transform, true);
  const auto first = CompositeTransform<double, VDimension>::New();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
  {
    const auto inDouble = InDoublePrecision(part->first);
    if (inDouble.IsNull())
    {
      itkGenericExceptionMacro(<< "A " << part->first->GetNameOfClass() << " of float cannot be converted to double.");
    }
    first->AddTransform(const_cast<DoublePart *>(inDouble.GetPointer())); // only its Jacobian is read
    first->SetNthTransformToOptimize(first->GetNumberOfTransforms() - 1, part->second);
  }
  return first;
}

/** @} */
} // namespace itk::CudaSplineDetail

#endif
