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
// The checks of ITK's itkBSplineInterpolateImageFunctionTest, made with the module's class: figures are ITK's, code is
// not.
//
// Tolerances: 1e-4 for continuous indices and derivatives, as there; for points 1e-9, and what the figures have of
// ITK's truncation near the low edge (SplineErrorBounds.h).

#include "itkCudaBSplineInterpolateImageFunction.h"

#include "ItkCheckSupport.h"
#include "SplineErrorBounds.h"

#include <vector>

using namespace CudaSplineTest;

namespace
{

/** Returns the allowed error of ITK's spline values: 1e-9, and the truncated start of ITK's recursion. */
double
SplineTolerance(unsigned int order, unsigned int dimension, double largest)
{
  const CudaSplineTest::PrefilterBounds bounds(order);
  return 1e-9 + bounds.Axes(dimension, bounds.ItkLowEdgeAxis(), largest);
}

using Image1 = itk::Image<double, 1>;
using Image2 = itk::Image<double, 2>;
using Image3 = itk::Image<double, 3>;

template <typename TImage>
void
SplinesOfAPlane()
{
  const double spacing[] = { 0.1, 0.5, 0.75 };
  const double origin[] = { 0.5, 1.0, 1.333 };
  const auto   image =
    MakeImage<TImage>({ { 80, 40, 30 } }, {}, spacing, origin, [](const auto & i) { return i[0] + i[1] + i[2]; });
  const double expected[][4] = { { 48.621593795, 48.651173138, 48.656914878, 48.662256571 },
                                 { 73.280126903, 73.280816965, 73.282780615, 73.285315943 },
                                 { 42.0, 42.0, 42.0, 42.0 },
                                 { 2.2545584407825165, 2.2722384004239382, 2.2533523347849744, 2.2516795363567588 } };
  for (unsigned int order = 2; order <= 5; ++order)
  {
    auto spline = itk::CudaBSplineInterpolateImageFunction<TImage>::New();
    spline->SetSplineOrder(order);
    spline->SetInputImage(image);
    const auto check = [&](const Index<3> & index, bool isInside, double value) {
      ExpectValue(spline.GetPointer(), index, isInside, value, 1e-4, SplineTolerance(order, 3, 147.0));
    };
    check(At(0.1, 20.1, 28.4), true, expected[0][order - 2]);
    check(At(21.58, 34.5, 17.2), true, expected[1][order - 2]);
    check(At(10, 20, 12), true, expected[2][order - 2]);
    check(At(15, 20.2, 31), false, 0.0);
    check(At(2, 0.3, -0.3), true, expected[3][order - 2]);
  }
}

} // namespace

TEST(ItksBSplineInterpolatorChecks, CubicInOneDimension)
{
  const std::vector<double> samples{ 454.0, 369.4, 295.2, 230.8, 175.6, 129.0, 90.4,   59.2,   34.8,
                                     16.6,  4.0,   -3.6,  -6.8,  -6.2,  -2.4,  4.0,    12.4,   22.2,
                                     32.8,  43.6,  54.0,  63.4,  71.2,  76.8,  79.6,   79.0,   74.4,
                                     65.2,  50.8,  30.6,  4.0,   -29.6, -70.8, -120.2, -178.4, -246.0 };
  const double              spacing[] = { 0.1 };
  const double              origin[] = { 0.5 };
  const auto                image = MakeImage<Image1>(
    { { 36 } }, {}, spacing, origin, [&](const auto & i) { return samples[static_cast<std::size_t>(i[0])]; });
  auto spline = itk::CudaBSplineInterpolateImageFunction<Image1>::New();
  spline->SetInputImage(image);
  const auto check = [&](double at, bool isInside, double value) {
    Index<1> index;
    index[0] = at;
    ExpectValue(spline.GetPointer(), index, isInside, value, 1e-4, SplineTolerance(3, 1, 454.0));
  };
  check(1.4, true, 334.41265437584);
  check(8.9, true, 18.158173426944);
  check(10.0, true, 4.0);
  check(40.0, false, 0.0);
  check(-0.3, true, 442.24157192006658);
}

TEST(ItksBSplineInterpolatorChecks, SplinesInTwoDimensions)
{
  // The table of the test is a product: of 1.5, 0.8, ... and a column.
  const double rows[] = { 103.0, 78.0, 12.0, -80.0, -183.0, -282.0, -362.0 };
  const double columns[] = { 1.5, 0.8, 0.3, 0.0, -0.1, 0.0, 0.3 };
  const double spacing[] = { 0.1, 0.5 };
  const double origin[] = { 0.5, 1.0 };
  const auto   image = MakeImage<Image2>({ { 7, 7 } }, { { 10, 10 } }, spacing, origin, [&](const auto & i) {
    return rows[i[1] - 10] * columns[i[0] - 10];
  });
  const double expected[][6] = { { 154.5, 140.14, 151.86429192392, 151.650316034, 151.865916515, 151.882483111 },
                                 { 0.0, 13.84, 22.688125812495, 22.411473093, 22.606968306, 22.908345604 },
                                 { 36.2, 36.2, 36.2, 36.2, 36.2, 36.2 } };
  for (unsigned int order = 0; order <= 5; ++order)
  {
    auto spline = itk::CudaBSplineInterpolateImageFunction<Image2>::New();
    spline->SetSplineOrder(order);
    spline->SetInputImage(image);
    const auto check = [&](double x, double y, bool isInside, double value) {
      Index<2> index;
      index[0] = x + 10.0;
      index[1] = y + 10.0;
      ExpectValue(spline.GetPointer(), index, isInside, value, 1e-4, SplineTolerance(order, 2, 543.0));
    };
    check(0.1, 0.2, true, expected[0][order]);
    check(3.4, 5.8, true, expected[1][order]);
    check(4.0, 6.0, true, expected[2][order]);
    check(2.1, 8.0, false, 0.0);
  }
}

TEST(ItksBSplineInterpolatorChecks, SplinesInThreeDimensions)
{
  SplinesOfAPlane<Image3>();
}

TEST(ItksBSplineInterpolatorChecks, SplinesOfIntegers)
{
  SplinesOfAPlane<itk::Image<unsigned int, 3>>();
}

TEST(ItksBSplineInterpolatorChecks, SplineDerivatives)
{
  const double   ones[] = { 1.0, 1.0, 1.0 };
  const double   zeros[] = { 0.0, 0.0, 0.0 };
  const auto     image = MakeImage<Image3>({ { 41, 41, 41 } }, {}, ones, zeros, [](const auto & i) {
    const double x = static_cast<double>(i[0]) - 20.0;
    const double y = static_cast<double>(i[1]) - 20.0;
    const double z = static_cast<double>(i[2]) - 20.0;
    return 0.1 * x * x * x * x - 0.5 * x * x * x + 2.0 * x - 43.0 + 5.0 * y + 7.0 - 2.0 * z * z - 6.0 * z + 10.0;
  });
  const Index<3> points[] = { At(25.3, 26.8, 24.5), At(21.0, 1.4, 0.6), At(18, 31, 10) };
  const double   expected[5][3][3] = {
      { { 23.6, 5, -24 }, { 0, 5, 72.0 }, { -3.0, 5, 32 } },
      { { 19.345, 5, -24 }, { 0.875, 4.8873, 98.6607 }, { -7.525, 5, 34 } },
      { { 19.399, 5, -24 }, { 0.9, 4.95411, 92.9006 }, { -7.2, 5, 33.9999 } },
      { { 19.4164, 5, -24 }, { 0.9, 4.9925, 94.5082 }, { -7.2, 5.00044, 33.9976 } },
      { { 19.4223, 5, -24 }, { 0.900157, 5.0544, 93.8607 }, { -7.19929, 5.00189, 33.9879 } }
  };
  for (unsigned int order = 1; order <= 5; ++order)
  {
    auto spline = itk::CudaBSplineInterpolateImageFunction<Image3>::New();
    spline->SetSplineOrder(order);
    spline->SetInputImage(image);
    for (int i = 0; i < 3; ++i)
    {
      const auto derivative = spline->EvaluateDerivativeAtContinuousIndex(points[i]);
      double     value = 0.0;
      auto       both = derivative;
      spline->EvaluateValueAndDerivativeAtContinuousIndex(points[i], value, both);
      EXPECT_EQ(both, derivative);
      for (unsigned int d = 0; d < 3; ++d)
      {
        EXPECT_NEAR(derivative[d], expected[order - 1][i][d], 1e-4) << "order " << order << ", point " << i;
      }
    }
    EXPECT_FALSE(spline->IsInsideBuffer(At(4.3, 17.9, 42)));
  }
}
