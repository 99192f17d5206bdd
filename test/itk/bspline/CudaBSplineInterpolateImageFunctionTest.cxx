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
// Values and derivatives of CudaBSplineInterpolateImageFunction against those of its parent, by every entry point.
//
// Expected values: ITK's own BSplineInterpolateImageFunction on the same image (no factory is registered here).
// Tolerance, all derived in SplineErrorBounds.h: coefficients differ by at most the two bounds of the prefilter (below
// 32 samples from a low edge also by ITK's truncated start, up to 1e-9 of the range an axis), values by as much,
// because the weights are non-negative and sum to 1, and derivatives by twice that an index, because the absolute
// derivative weights sum to at most 2; rounding of the evaluation adds ValueBound() and DerivativeBound() of the
// largest coefficient. Derivatives are then divided by the spacing and turned by the direction, and the bound with
// them. Axes have 5 samples or more: on shorter ones ITK reads outside of the buffer, and another test judges.

#include "itkCudaBSplineInterpolateImageFunction.h"

#include "GpuOnAndOff.h"
#include "RandomData.h"
#include "SplineErrorBounds.h"
#include "SplineTestImages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <typeinfo>
#include <vector>

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using itk::CudaSpline::NameOf;

/** Returns a coordinate of an axis with \p size samples from \p start on: inside, on a sample, half-way, on the border
 * or its ends, depending on \p kind. */
template <typename TCoordinate>
TCoordinate
Coordinate(int kind, std::int64_t start, std::int64_t size, Random & random)
{
  const double low = static_cast<double>(start);
  const double high = static_cast<double>(start + size - 1);
  switch (kind)
  {
    case 0:
      return static_cast<TCoordinate>(random.Uniform(low, high));
    case 1:
      return static_cast<TCoordinate>(random.Integer(start, start + size - 1));
    case 2:
      return static_cast<TCoordinate>(random.Integer(start, start + size - 2)) + TCoordinate(0.5);
    case 3:
      return static_cast<TCoordinate>(random.Uniform(low - 0.5, low));
    case 4:
      return static_cast<TCoordinate>(random.Uniform(high, high + 0.5));
    case 5:
      return static_cast<TCoordinate>(low - 0.5);
    case 6:
      return static_cast<TCoordinate>(high + 0.5);
    case 7:
      return std::nextafter(static_cast<TCoordinate>(high + 0.5), static_cast<TCoordinate>(low));
    default:
      return random.Near(static_cast<TCoordinate>(random.Integer(start, start + size - 1)), 3);
  }
}

/** Allowed differences, near the low edges and away from them. */
struct Tolerance
{
  double value[2];
  double derivative[2]; ///< by the index
};

template <typename TPixel, unsigned int VDimension, typename TCoordinate, typename TCoefficient>
class Comparison
{
public:
  using ImageType = itk::Image<TPixel, VDimension>;
  using OwnType = itk::CudaBSplineInterpolateImageFunction<ImageType, TCoordinate, TCoefficient>;
  using ItkType = itk::BSplineInterpolateImageFunction<ImageType, TCoordinate, TCoefficient>;
  using IndexType = typename OwnType::ContinuousIndexType;
  using PointType = typename OwnType::PointType;
  using VectorType = typename OwnType::CovariantVectorType;

  Comparison(const std::vector<std::int64_t> & size, bool gpuEnabled, int line)
    : m_Random(static_cast<std::uint64_t>(line))
    , m_Image(NoiseImage<ImageType>(size, m_Random))
    , m_GpuEnabled(gpuEnabled)
  {}

  void
  Run(unsigned int order, Backend promised)
  {
    m_Own = OwnType::New();
    m_Own->SetGPUEnabled(m_GpuEnabled);
    m_Own->SetSplineOrder(order);
    m_Own->SetNumberOfWorkUnits(4);
    EXPECT_EQ(m_Own->GetLastBackend(), Backend::None);
    m_Own->SetInputImage(m_Image);
    EXPECT_STREQ(NameOf(m_Own->GetLastBackend()), NameOf(promised));
    EXPECT_EQ(m_Own->GetFallbackReason().empty(), promised == Backend::Cuda);
    m_Itk = ItkType::New();
    ASSERT_EQ(typeid(*m_Itk), typeid(ItkType));
    m_Itk->SetSplineOrder(order);
    m_Itk->SetNumberOfWorkUnits(4);
    m_Itk->SetInputImage(m_Image);
    m_Largest = LargestPixel(m_Own->GetCoefficients());
    this->MakeTolerance(order);

    for (int kind = 0; kind <= 8; ++kind)
    {
      // One kind for all axes, and mixed with points inside along the other axes.
      for (unsigned int repetition = 0; repetition < 10; ++repetition)
      {
        IndexType index;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          const auto start = m_Image->GetBufferedRegion().GetIndex(d);
          const auto size = static_cast<std::int64_t>(m_Image->GetBufferedRegion().GetSize(d));
          index[d] =
            Coordinate<TCoordinate>(repetition == 0 || m_Random.Integer(0, 1) == 0 ? kind : 0, start, size, m_Random);
        }
        PointType point;
        m_Image->TransformContinuousIndexToPhysicalPoint(index, point);
        for (const bool useDirection : { true, false })
        {
          m_Own->SetUseImageDirection(useDirection);
          m_Itk->SetUseImageDirection(useDirection);
          SCOPED_TRACE("order " + std::to_string(order) + ", kind " + std::to_string(kind) +
                       (useDirection ? ", turned" : ", not turned"));
          this->AtContinuousIndex(index, order);
          this->AtPoint(point, order);
        }
        EXPECT_EQ(m_Own->IsInsideBuffer(index), m_Itk->IsInsideBuffer(index));
        EXPECT_EQ(m_Own->IsInsideBuffer(point), m_Itk->IsInsideBuffer(point));
      }
    }
    this->Inside();
    this->AtIndex();
  }

private:
  void
  MakeTolerance(unsigned int order)
  {
    // ITK's poles, from its filter.
    auto filter = ItkType::CoefficientFilter::New();
    filter->SetSplineOrder(order);
    const PrefilterBounds bounds(order);
    const double axis = bounds.OwnAxis<TCoefficient>() + bounds.ItkAxis<TCoefficient>(filter->GetSplinePoles());
    const double sample = LargestPixel(m_Image.GetPointer());
    double       coordinate = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      coordinate = std::max(coordinate,
                            std::abs(static_cast<double>(m_Image->GetBufferedRegion().GetIndex(d))) +
                              static_cast<double>(m_Image->GetBufferedRegion().GetSize(d)));
    }
    for (const bool near : { false, true })
    {
      const double coefficient = bounds.Axes(VDimension, axis + (near ? bounds.ItkLowEdgeAxis() : 0.0), sample);
      m_Tolerance.value[near] = coefficient + ValueBound(order, VDimension) * m_Largest;
      m_Tolerance.derivative[near] = 2.0 * coefficient + DerivativeBound(order, VDimension, coordinate) * m_Largest;
    }
  }

  bool
  NearLowEdge(const IndexType & index, unsigned int order) const
  {
    bool near = false;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      near = near || index[d] - static_cast<double>(m_Image->GetBufferedRegion().GetIndex(d)) <
                       static_cast<double>(LowEdge + order);
    }
    return near;
  }

  void
  ExpectSameValue(double own, double itks, bool near)
  {
    EXPECT_LE(std::abs(own - itks), m_Tolerance.value[near]) << own << " " << itks;
  }

  void
  ExpectSameDerivative(const VectorType & own, const VectorType & itks, bool near)
  {
    // Each component of the derivative by the index is divided by the spacing; rounding of the division and of the
    // rotation is 2 N units.
    double component[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      component[d] =
        (m_Tolerance.derivative[near] + 4.0 * (VDimension + 2.0) * Unit<double> * m_Largest) / m_Image->GetSpacing()[d];
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      double bound = m_Own->GetUseImageDirection() ? 0.0 : component[d];
      for (unsigned int e = 0; e < VDimension && m_Own->GetUseImageDirection(); ++e)
      {
        bound += std::abs(m_Image->GetDirection()(d, e)) * component[e];
      }
      EXPECT_LE(std::abs(own[d] - itks[d]), bound) << "component " << d << " of " << own << " " << itks;
    }
  }

  void
  AtContinuousIndex(const IndexType & index, unsigned int order)
  {
    const bool       near = this->NearLowEdge(index, order);
    const double     value = m_Own->EvaluateAtContinuousIndex(index);
    const VectorType derivative = m_Own->EvaluateDerivativeAtContinuousIndex(index);
    double           bothValue = 0.0;
    VectorType       bothDerivative;
    m_Own->EvaluateValueAndDerivativeAtContinuousIndex(index, bothValue, bothDerivative);
    double     itkValue = 0.0;
    VectorType itkDerivative;
    m_Itk->EvaluateValueAndDerivativeAtContinuousIndex(index, itkValue, itkDerivative);
    this->ExpectSameValue(value, m_Itk->EvaluateAtContinuousIndex(index), near);
    this->ExpectSameValue(bothValue, itkValue, near);
    this->ExpectSameDerivative(derivative, m_Itk->EvaluateDerivativeAtContinuousIndex(index), near);
    this->ExpectSameDerivative(bothDerivative, itkDerivative, near);

    // With the base classes that ITK's filters use, and with a thread number: the same bits.
    const itk::InterpolateImageFunction<ImageType, TCoordinate> * const base = m_Own;
    const ItkType * const                                               parent = m_Own;
    EXPECT_EQ(base->EvaluateAtContinuousIndex(index), value);
    EXPECT_EQ(parent->EvaluateDerivativeAtContinuousIndex(index), derivative);
    EXPECT_EQ(m_Own->EvaluateAtContinuousIndex(index, 3), value);
    EXPECT_EQ(m_Own->EvaluateDerivativeAtContinuousIndex(index, 2), derivative);
    double     threadValue = 0.0;
    VectorType threadDerivative;
    m_Own->EvaluateValueAndDerivativeAtContinuousIndex(index, threadValue, threadDerivative, 1);
    EXPECT_EQ(threadValue, bothValue);
    EXPECT_EQ(threadDerivative, bothDerivative);
  }

  void
  AtPoint(const PointType & point, unsigned int order)
  {
    const IndexType  index = m_Image->template TransformPhysicalPointToContinuousIndex<TCoordinate>(point);
    const bool       near = this->NearLowEdge(index, order);
    const double     value = m_Own->Evaluate(point);
    const VectorType derivative = m_Own->EvaluateDerivative(point);
    double           bothValue = 0.0;
    VectorType       bothDerivative;
    m_Own->EvaluateValueAndDerivative(point, bothValue, bothDerivative);
    this->ExpectSameValue(value, m_Itk->Evaluate(point), near);
    this->ExpectSameValue(bothValue, m_Itk->Evaluate(point, 0), near);
    this->ExpectSameDerivative(derivative, m_Itk->EvaluateDerivative(point), near);
    this->ExpectSameDerivative(bothDerivative, m_Itk->EvaluateDerivative(point, 0), near);
    EXPECT_EQ(m_Own->Evaluate(point, 3), value);
    EXPECT_EQ(m_Own->EvaluateDerivative(point, 2), derivative);
    double     threadValue = 0.0;
    VectorType threadDerivative;
    m_Own->EvaluateValueAndDerivative(point, threadValue, threadDerivative, 1);
    EXPECT_EQ(threadValue, bothValue);
    EXPECT_EQ(threadDerivative, bothDerivative);
  }

  /** The pixel itself, for any spline. */
  void
  AtIndex()
  {
    for (int repetition = 0; repetition < 20; ++repetition)
    {
      const auto at = m_Random.Integer(0, static_cast<std::int64_t>(Count(m_Image.GetPointer())) - 1);
      const auto index = m_Image->ComputeIndex(at);
      EXPECT_EQ(m_Own->EvaluateAtIndex(index), static_cast<double>(m_Image->GetPixel(index)));
      EXPECT_EQ(m_Own->EvaluateAtIndex(index), m_Itk->EvaluateAtIndex(index));
    }
  }

  void
  Inside()
  {
    const auto & region = m_Image->GetBufferedRegion();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      IndexType index;
      for (unsigned int e = 0; e < VDimension; ++e)
      {
        index[e] = static_cast<TCoordinate>(region.GetIndex(e));
      }
      const double low = static_cast<double>(region.GetIndex(d)) - 0.5;
      const double high = low + static_cast<double>(region.GetSize(d));
      for (const double at : { low - 1e-3, low, high, high + 1e-3, std::numeric_limits<double>::quiet_NaN() })
      {
        index[d] = static_cast<TCoordinate>(at);
        EXPECT_EQ(m_Own->IsInsideBuffer(index), at >= low && at < high) << at;
        EXPECT_EQ(m_Own->IsInsideBuffer(index), m_Itk->IsInsideBuffer(index)) << at;
      }
      auto sample = region.GetIndex();
      EXPECT_TRUE(m_Own->IsInsideBuffer(sample));
      sample[d] -= 1;
      EXPECT_FALSE(m_Own->IsInsideBuffer(sample));
      sample[d] += static_cast<itk::IndexValueType>(region.GetSize(d)) + 1;
      EXPECT_FALSE(m_Own->IsInsideBuffer(sample));
    }
  }

  Random                      m_Random;
  typename ImageType::Pointer m_Image;
  bool                        m_GpuEnabled;
  typename OwnType::Pointer   m_Own;
  typename ItkType::Pointer   m_Itk;
  double                      m_Largest{ 0.0 };
  Tolerance                   m_Tolerance{};
};

class CudaBSplineInterpolateImageFunctionTest : public GpuOnAndOff
{
protected:
  template <typename TPixel, unsigned int VDimension, typename TCoordinate, typename TCoefficient>
  void
  Compare(const std::vector<std::int64_t> & size, int line)
  {
    SCOPED_TRACE("line " + std::to_string(line));
    Comparison<TPixel, VDimension, TCoordinate, TCoefficient> comparison(size, GetParam(), line);
    for (unsigned int order = 0; order <= 5; ++order)
    {
      comparison.Run(order, Promised("CudaBSplineInterpolateImageFunction", VDimension));
    }
  }
};

CUDASPLINE_GPU_ON_AND_OFF(CudaBSplineInterpolateImageFunctionTest);

TEST_P(CudaBSplineInterpolateImageFunctionTest, OneDimension)
{
  Compare<double, 1, double, double>({ 89 }, __LINE__);
}

TEST_P(CudaBSplineInterpolateImageFunctionTest, TwoDimensions)
{
  Compare<unsigned char, 2, double, double>({ 61, 53 }, __LINE__);
  Compare<float, 2, float, float>({ 53, 67 }, __LINE__);
}

TEST_P(CudaBSplineInterpolateImageFunctionTest, ThreeDimensions)
{
  Compare<short, 3, double, double>({ 41, 43, 47 }, __LINE__);
  Compare<float, 3, double, float>({ 47, 53, 43 }, __LINE__);
  Compare<double, 3, float, double>({ 43, 41, 59 }, __LINE__);
}

TEST_P(CudaBSplineInterpolateImageFunctionTest, FourDimensions)
{
  Compare<float, 4, double, double>({ 7, 5, 6, 11 }, __LINE__);
}

} // namespace
