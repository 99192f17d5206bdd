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
#ifndef DerivativeTestSupport_h
#define DerivativeTestSupport_h

#include "InterpolationTestSupport.h"

#include <algorithm>
#include <cmath>
#include <vector>

/** \file
 * \brief Derivatives of the module's interpolators: batches are compared with single evaluations, and both with
 * differences. */

namespace CudaSplineTest
{

/** \brief Compares values, gradients and Hessians of a batch with single evaluations.
 *
 * \param[in] function the interpolator, which has an image
 * \param[in] indices continuous indices
 * \param[in] tolerance tolerance of values
 * \param[in] growth factor of the error for each order of derivative, by the index; spacing and rotation are added here
 */
template <typename TFunction>
void
ExpectDerivativeBatchesAreSingle(const TFunction *                                            function,
                                 const std::vector<typename TFunction::ContinuousIndexType> & indices,
                                 double                                                       tolerance,
                                 double                                                       growth)
{
  using Index = typename TFunction::ContinuousIndexType;
  constexpr unsigned int D = Index::Dimension;
  constexpr unsigned int entries = D * (D + 1) / 2;
  const std::size_t      n = indices.size();
  std::vector<double>    flat;
  double                 smallest = 1e300;
  for (unsigned int d = 0; d < D; ++d)
  {
    smallest = std::min(smallest, function->GetInputImage()->GetSpacing()[d]);
  }
  for (const auto & index : indices)
  {
    flat.insert(flat.end(), index.Begin(), index.End());
  }
  for (const bool withHessians : { false, true })
  {
    std::vector<double>                 values(n, 1e300);
    std::vector<double>                 gradients(n * D, 1e300);
    std::vector<double>                 hessians(n * entries, 1e300);
    std::vector<unsigned char>          inside(n, 2);
    itk::CudaSplineBatchResults<double> results;
    results.values = values.data();
    results.gradients = gradients.data();
    results.hessians = withHessians ? hessians.data() : nullptr;
    results.inside = inside.data();
    results.defaultValue = -3.0;
    function->EvaluateAtContinuousIndices(flat.data(), n, results);
    // Without the values: the same derivatives.
    std::vector<double> alone(n * D);
    results.values = nullptr;
    results.inside = nullptr;
    results.gradients = alone.data();
    results.hessians = nullptr;
    function->EvaluateAtContinuousIndices(flat.data(), n, results);
    for (std::size_t i = 0; i < n; ++i)
    {
      const bool isInside = function->IsInsideBuffer(indices[i]);
      ASSERT_EQ(inside[i], isInside ? 1 : 0);
      const double value = isInside ? function->EvaluateAtContinuousIndex(indices[i]) : -3.0;
      ASSERT_LE(std::abs(values[i] - value), tolerance) << indices[i];
      const auto   gradient = function->EvaluateDerivativeAtContinuousIndex(indices[i]);
      const auto   hessian = function->EvaluateHessianAtContinuousIndex(indices[i]);
      const double first = D * growth * tolerance / smallest;
      const double second = D * growth * first / smallest;
      for (unsigned int r = 0; r < D; ++r)
      {
        ASSERT_LE(std::abs(gradients[i * D + r] - (isInside ? gradient[r] : 0.0)), first) << indices[i];
        ASSERT_LE(std::abs(alone[i * D + r] - gradients[i * D + r]), first) << indices[i];
        for (unsigned int c = r; c < D && withHessians; ++c)
        {
          const std::size_t at = i * entries + itk::CudaSpline::SymmetricEntry(r, c, D);
          ASSERT_LE(std::abs(hessians[at] - (isInside ? hessian(r, c) : 0.0)), second) << indices[i];
        }
      }
    }
  }
}

/** \brief Compares gradient and Hessian with central differences, and tests the rotation by the direction of the image.
 *
 * Steps are h = 2^-10 samples. The pieces of the function are polynomials, and their derivatives of order k + 2 per
 * sample are at most 24 times 4 times the largest coefficient c. The differences have an error of h^2 / 6 of that (of
 * the gradient for Hessians), 2e-5 c, and a rounding error of 1e-15 c / h.
 *
 * \param[in] function double, with an image; UseImageDirection is set here
 * \param[in] random draws points
 * \param[in] knot position of the ends of pieces: 0 at the samples, 0.5 between; points are away from them
 * \param[in] largest largest coefficient */
template <typename TFunction>
void
ExpectDerivativesAreDifferences(TFunction * function, Random & random, double knot, double largest)
{
  using Index = typename TFunction::ContinuousIndexType;
  constexpr unsigned int D = Index::Dimension;
  constexpr double       h = 0x1p-10;
  const double           tolerance = 4e-5 * largest;
  const auto *           image = function->GetInputImage();
  const auto &           region = image->GetBufferedRegion();
  for (int repetition = 0; repetition < 50; ++repetition)
  {
    Index index;
    for (unsigned int d = 0; d < D; ++d)
    {
      index[d] =
        static_cast<double>(region.GetIndex(d) + random.Integer(0, static_cast<std::int64_t>(region.GetSize(d)) - 2)) +
        random.Uniform(0.05, 0.45) + knot * random.Integer(0, 1);
    }
    function->UseImageDirectionOff();
    const auto gradient = function->EvaluateDerivativeAtContinuousIndex(index);
    const auto hessian = function->EvaluateHessianAtContinuousIndex(index);
    for (unsigned int r = 0; r < D; ++r)
    {
      Index above = index;
      Index below = index;
      above[r] += h;
      below[r] -= h;
      const double step = 2.0 * h * image->GetSpacing()[r];
      const double difference =
        (function->EvaluateAtContinuousIndex(above) - function->EvaluateAtContinuousIndex(below)) / step;
      ASSERT_LE(std::abs(gradient[r] - difference), tolerance / image->GetSpacing()[r]) << index;
      const auto second =
        (function->EvaluateDerivativeAtContinuousIndex(above) - function->EvaluateDerivativeAtContinuousIndex(below)) /
        step;
      for (unsigned int c = 0; c < D; ++c)
      {
        ASSERT_LE(std::abs(hessian(r, c) - second[c]), tolerance / (image->GetSpacing()[r] * image->GetSpacing()[c]))
          << index;
      }
    }
    // In physical space: D g, and D H D^T.
    function->UseImageDirectionOn();
    const auto   turned = function->EvaluateDerivativeAtContinuousIndex(index);
    const auto   turnedHessian = function->EvaluateHessianAtContinuousIndex(index);
    const auto & direction = image->GetDirection();
    double       size = 0.0;
    for (unsigned int r = 0; r < D; ++r)
    {
      for (unsigned int c = 0; c < D; ++c)
      {
        size += std::abs(hessian(r, c)) + std::abs(gradient[c]);
      }
    }
    typename TFunction::PointType point;
    image->TransformContinuousIndexToPhysicalPoint(index, point);
    const auto atPoint = function->EvaluateHessian(point);
    for (unsigned int r = 0; r < D; ++r)
    {
      double expected = 0.0;
      for (unsigned int c = 0; c < D; ++c)
      {
        expected += direction(r, c) * gradient[c];
        double sum = 0.0;
        for (unsigned int i = 0; i < D; ++i)
        {
          for (unsigned int k = 0; k < D; ++k)
          {
            sum += direction(r, i) * hessian(i, k) * direction(c, k);
          }
        }
        ASSERT_LE(std::abs(turnedHessian(r, c) - sum), 1e-14 * size);
        // The point is rounded: 1e-13 of a sample at 100 mm.
        ASSERT_LE(std::abs(atPoint(r, c) - sum), 1e-8 * (size + largest));
      }
      ASSERT_LE(std::abs(turned[r] - expected), 1e-14 * size);
    }
  }
}

} // namespace CudaSplineTest

#endif
