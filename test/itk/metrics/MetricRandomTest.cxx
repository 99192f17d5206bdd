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
#include "MetricTestMatrix.h"
#include "TestCases.h"

#include "itkCudaANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkCudaDemonsImageToImageMetricv4.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Local correlation and demons, compared with ITK's in random cases: sizes (primes, thin ones), geometry, radii
 * by axis, masks, offsets, pixels, precision, transforms. The numbers of a case follow from the seed and its own
 * number. CUDASPLINE_TEST_CASES draws more of them. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class MetricRandom : public GpuOnAndOff
{};

INSTANTIATE_TEST_SUITE_P(Backends, MetricRandom, testing::Bool(), GpuOrHost);

/** Returns an element of a list. */
template <typename T>
T
OneOf(Random & random, const std::vector<T> & list)
{
  return list[static_cast<std::size_t>(random.Integer(0, static_cast<std::int64_t>(list.size()) - 1))];
}

bool
Percent(Random & random, int percent)
{
  return random.Integer(1, 100) <= percent;
}

/** Returns primes, and sometimes an axis of one to three samples: at most one, because all sums need some samples. */
std::vector<unsigned int>
DrawSize(Random & random, unsigned int dimension)
{
  const std::vector<unsigned int> lengths = dimension == 2 ? std::vector<unsigned int>{ 11, 13, 17, 23, 29, 31, 37, 41 }
                                                           : std::vector<unsigned int>{ 5, 7, 11, 13, 17, 19 };
  std::vector<unsigned int>       size;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    size.push_back(OneOf(random, lengths));
  }
  if (Percent(random, 25))
  {
    size[static_cast<std::size_t>(random.Integer(0, dimension - 1))] = OneOf<unsigned int>(random, { 1, 1, 2, 3 });
  }
  return size;
}

/** Returns a mask of samples with a given probability. */
template <typename TImage>
typename itk::ImageMaskSpatialObject<TImage::ImageDimension>::Pointer
SpeckledMask(const TImage * image, double likelihood, Random & random)
{
  using MaskImage = itk::Image<unsigned char, TImage::ImageDimension>;
  auto mask = MaskImage::New();
  mask->CopyInformation(image);
  mask->SetRegions(image->GetBufferedRegion());
  mask->Allocate();
  for (itk::SizeValueType n = 0; n < mask->GetBufferedRegion().GetNumberOfPixels(); ++n)
  {
    mask->GetBufferPointer()[n] = random.Uniform(0.0, 1.0) < likelihood ? 1 : 0;
  }
  auto object = itk::ImageMaskSpatialObject<TImage::ImageDimension>::New();
  object->SetImage(mask);
  object->Update();
  return object;
}

/** A case: images of noise about an offset, the second one correlated with the first one, masks and a transform. */
template <typename TImage>
class DrawnCase
{
public:
  static constexpr unsigned int Dimension = TImage::ImageDimension;
  static constexpr double       Variance = 30.0 * 30.0 / 3.0; ///< minimum variance of the noise of the fixed image
  using Field = itk::DisplacementFieldTransform<double, Dimension>;

  DrawnCase(Random & random, bool isField)
  {
    const auto size = DrawSize(random, Dimension);
    m_Offset = OneOf<double>(random, { 0.0, 0.0, 100.0, 1000.0, -3000.0 });
    m_IsDouble = Percent(random, 60);
    const double scale = random.Uniform(0.5, 2.0);
    m_IsOneGrid = Percent(random, 60);
    m_Images.fixed = BlobImage<TImage>(size, scale, 0.0);
    m_Images.moving = m_IsOneGrid
                        ? BlobImage<TImage>(size, scale, 0.0)
                        : BlobImage<TImage>(DrawSize(random, Dimension), random.Uniform(0.7, 1.5) * scale, 1.1);
    if (Percent(random, 50)) // axes along those of space, or rotated
    {
      typename TImage::DirectionType axes;
      axes.SetIdentity();
      axes[0][0] = random.Sign();
      axes[1][1] = random.Sign();
      m_Images.fixed->SetDirection(axes);
      if (m_IsOneGrid)
      {
        m_Images.moving->SetDirection(axes);
      }
      this->Centre(m_Images.fixed.GetPointer(), 0.0);
      this->Centre(m_Images.moving.GetPointer(), m_IsOneGrid ? 0.0 : 1.1);
    }
    this->AddNoise(random);

    m_What.transform = isField || Percent(random, 60)
                         ? "field"
                         : OneOf<std::string>(random, { "translation", "rigid", "affine", "composite", "B-spline" });
    m_Amplitude = Percent(random, 50) ? 0.0 : random.Uniform(0.1, 2.0) * scale;
    m_What.centralDifferences = Percent(random, 70) || *std::min_element(size.begin(), size.end()) < 4;
    m_What.splineOrder = OneOf<int>(random, { -1, -1, -1, -1, -2 });
    m_What.fixedMask = Percent(random, 15);
    m_What.movingMask = Percent(random, 15);
    m_What.ownDomain = !m_What.IsByField() && Percent(random, 15);
    m_What.fixedMoves = !m_What.IsByField() && Percent(random, 15);
    m_What.isDouble = m_IsDouble;
    m_Speckle = OneOf<double>(random, { 1.0, 1.0, 1.0, 0.8, 0.05 });
    if (m_Speckle < 1.0)
    {
      m_Mask = SpeckledMask(m_Images.fixed.GetPointer(), m_Speckle, random);
    }
    for (auto & radius : m_Radius)
    {
      radius = static_cast<unsigned int>(random.Integer(0, 5));
    }
    m_Radius[0] = std::max(m_Radius[0], 1U);
    m_Samples = 1;
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      m_Samples *= std::min<std::size_t>(size[d], m_Radius[d] + 1);
    }
  }

  /** Configures ITK's metric or the module's. The caller sets options that only one of them has. */
  template <typename TMetric>
  void
  SetUp(TMetric * metric) const
  {
    SetUpMetric(metric, m_What, m_Images);
    if (m_What.IsByField())
    {
      metric->SetMovingTransform(WavyField<Field>(m_Images.fixed.GetPointer(), m_Amplitude));
    }
    if (m_Mask)
    {
      metric->SetFixedImageMask(m_Mask);
    }
  }

  std::string
  Text() const
  {
    std::ostringstream text;
    text << Dimension << "D, " << sizeof(typename TImage::PixelType) << " bytes, " << m_What.Text() << ", size "
         << m_Images.fixed->GetBufferedRegion().GetSize() << ", moving "
         << m_Images.moving->GetBufferedRegion().GetSize() << (m_IsOneGrid ? ", one grid" : "") << ", offset "
         << m_Offset << ", speckle " << m_Speckle << ", amplitude " << m_Amplitude << ", radius " << m_Radius[0] << ' '
         << m_Radius[1] << ' ' << m_Radius[2];
    return text.str();
  }

  MetricImages<TImage>        m_Images;
  MetricCase                  m_What;
  std::array<unsigned int, 3> m_Radius{};
  std::size_t                 m_Samples{ 1 };   ///< of the smallest window, if all are valid
  double                      m_Offset{ 0.0 };  ///< of both images
  double                      m_Speckle{ 1.0 }; ///< probability of samples of the fixed image
  bool                        m_IsDouble{ true };

private:
  /** Moves the middle of an image to a point. */
  static void
  Centre(TImage * image, double shift)
  {
    itk::ContinuousIndex<double, Dimension> middle;
    typename TImage::PointType              origin(0.0);
    typename TImage::PointType              centre;
    const auto                              region = image->GetBufferedRegion();
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      middle[d] = static_cast<double>(region.GetIndex(d)) + 0.5 * (static_cast<double>(region.GetSize(d)) - 1.0);
    }
    image->SetOrigin(origin);
    image->TransformContinuousIndexToPhysicalPoint(middle, centre);
    for (unsigned int d = 0; d < Dimension; ++d)
    {
      origin[d] = shift - centre[d];
    }
    image->SetOrigin(origin);
  }

  void
  AddNoise(Random & random)
  {
    using Pixel = typename TImage::PixelType;
    auto * const f = m_Images.fixed->GetBufferPointer();
    auto * const m = m_Images.moving->GetBufferPointer();
    for (itk::SizeValueType n = 0; n < m_Images.fixed->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      f[n] = static_cast<Pixel>(m_Offset + static_cast<double>(f[n]) + random.Uniform(-30.0, 30.0));
    }
    for (itk::SizeValueType n = 0; n < m_Images.moving->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      const double common = m_IsOneGrid ? 0.6 * static_cast<double>(f[n]) : m_Offset + static_cast<double>(m[n]);
      m[n] = static_cast<Pixel>(common + random.Uniform(-20.0, 20.0));
    }
  }

  typename itk::ImageMaskSpatialObject<Dimension>::Pointer m_Mask;
  double                                                   m_Amplitude{ 0.0 }; ///< of the field (mm)
  bool                                                     m_IsOneGrid{ true };
};

/** Results of a metric. */
template <typename TMetric>
struct Found
{
  double                           value{ 0.0 };
  typename TMetric::DerivativeType derivative;
  bool                             throws{ false };

  explicit Found(TMetric * metric)
  {
    try
    {
      metric->Initialize();
      metric->GetValueAndDerivative(value, derivative);
    }
    catch (const itk::ExceptionObject &)
    {
      throws = true;
    }
  }
};

/** Summary of the cases. */
struct Tally
{
  int cases{ 0 };
  int compared{ 0 };
};

/** Results of both metrics for a case. */
template <typename TReference, typename TOurs>
struct FoundByBoth
{
  Found<TReference> expected;
  Found<TOurs>      found;
};

/** Evaluates ITK's metric and ours, both configured: they throw, or have the same valid points.
 *
 * \param[out] both set if there are results of the kernels to compare */
template <typename TImage, typename TReference, typename TOurs>
void
AskBoth(const DrawnCase<TImage> &                       drawn,
        TReference *                                    reference,
        TOurs *                                         metric,
        bool                                            onGpu,
        Tally &                                         tally,
        std::optional<FoundByBoth<TReference, TOurs>> & both)
{
  reference->SetMaximumNumberOfWorkUnits(1);
  metric->SetGPUEnabled(onGpu);
  metric->SetPrecision(drawn.m_IsDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
  const Found<TReference> expected(reference);
  const Found<TOurs>      found(metric);
  ++tally.cases;
  ASSERT_EQ(found.throws, expected.throws);
  if (found.throws)
  {
    return;
  }
  ASSERT_EQ(metric->GetNumberOfValidPoints(), reference->GetNumberOfValidPoints());
  ASSERT_EQ(found.derivative.Size(), expected.derivative.Size());
  if (reference->GetNumberOfValidPoints() == 0) // if no sample is in the fixed image, ITK's class computes the result
  {
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.derivative, expected.derivative);
    return;
  }
  ASSERT_EQ(metric->GetLastBackend(), onGpu ? Backend::Cuda : Backend::Cpu) << metric->GetFallbackReason();
  both = FoundByBoth<TReference, TOurs>{ expected, found };
}

template <typename TImage>
void
CompareCorrelation(Random & random, bool onGpu, Tally & tally)
{
  using Reference = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;
  using Ours = itk::CudaANTSNeighborhoodCorrelationImageToImageMetricv4<TImage, TImage>;
  const DrawnCase<TImage>        drawn(random, false);
  const testing::ScopedTrace     trace(__FILE__, __LINE__, drawn.Text());
  typename Reference::RadiusType radius;
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    radius[d] = drawn.m_Radius[d];
  }
  const auto reference = Reference::New();
  const auto metric = Ours::New();
  drawn.SetUp(reference.GetPointer());
  drawn.SetUp(metric.GetPointer());
  reference->SetRadius(radius);
  metric->SetRadius(radius);
  std::optional<FoundByBoth<Reference, Ours>> both;
  AskBoth(drawn, reference.GetPointer(), metric.GetPointer(), onGpu, tally, both);
  if (!both)
  {
    return;
  }
  const Found<Reference> & expected = both->expected;
  const Found<Ours> &      found = both->found;
  // Windows with few valid samples, at masks and borders. With two samples the derivative is only a rounding error.
  const auto valid = reference->GetNumberOfValidPoints();
  const bool isFew = valid < reference->GetVirtualRegion().GetNumberOfPixels() || drawn.m_Samples < 9;
  const bool isNoise = valid < 40 || drawn.m_Speckle < 0.5;
  // Single precision: ITK rounds pixels and products to floats. Relative to a variance, this is the ratio of their
  // square to it. In double the rounding is some 1e-16 of the same. In windows with few samples, some variances are
  // small by chance.
  const double                       share = (drawn.m_Offset * drawn.m_Offset + 1e4) / DrawnCase<TImage>::Variance;
  const double                       single = 8.0 * 0x1p-24 * share;
  const double                       value = drawn.m_IsDouble ? 1e-10 : 1e-5 + single;
  const double                       derivative = drawn.m_IsDouble ? 1e-8 : 1e-4 + single;
  const double                       factor = isFew ? 1e3 : 1.0;
  typename Reference::DerivativeType theirs = expected.derivative;
  if (metric->GetNumberOfFlatWindows() == 0)
  {
    EXPECT_NEAR(found.value, expected.value, value * factor);
  }
  else if (drawn.m_What.IsByField())
  {
    for (unsigned int p = 0; p < theirs.Size(); ++p) // for flat windows ITK's is noise, and ours 0
    {
      theirs[p] = found.derivative[p] == 0.0 ? 0.0 : theirs[p];
    }
  }
  else
  {
    return;
  }
  ++tally.compared;
  if (theirs.two_norm() > 0.0 && !isNoise && (drawn.m_IsDouble || !isFew))
  {
    EXPECT_LE(RelativeDistance(theirs, found.derivative), derivative * factor);
  }
}

template <typename TImage>
void
CompareDemons(Random & random, bool onGpu, Tally & tally)
{
  using Reference = itk::DemonsImageToImageMetricv4<TImage, TImage>;
  using Ours = itk::CudaDemonsImageToImageMetricv4<TImage, TImage>;
  using DemonsSource = itk::ObjectToObjectMetricBaseTemplateEnums::GradientSource;
  const DrawnCase<TImage> drawn(random, true);
  const DemonsSource      source =
    Percent(random, 50) ? DemonsSource::GRADIENT_SOURCE_FIXED : DemonsSource::GRADIENT_SOURCE_MOVING;
  const testing::ScopedTrace trace(
    __FILE__, __LINE__, drawn.Text() + (source == DemonsSource::GRADIENT_SOURCE_FIXED ? ", of fixed" : ", of moving"));
  const auto reference = Reference::New();
  const auto metric = Ours::New();
  drawn.SetUp(reference.GetPointer());
  drawn.SetUp(metric.GetPointer());
  reference->SetGradientSource(source);
  metric->SetGradientSource(source);
  std::optional<FoundByBoth<Reference, Ours>> both;
  AskBoth(drawn, reference.GetPointer(), metric.GetPointer(), onGpu, tally, both);
  if (!both)
  {
    return;
  }
  const Found<Reference> & expected = both->expected;
  const Found<Ours> &      found = both->found;
  ++tally.compared;
  // Single precision: differences of floats with an offset.
  const double single = 1.0 + std::abs(drawn.m_Offset) / 10.0;
  EXPECT_NEAR(found.value, expected.value, (drawn.m_IsDouble ? 1e-12 : 1e-5 * single) * expected.value);
  if (expected.derivative.two_norm() > 0.0)
  {
    EXPECT_LE(RelativeDistance(expected.derivative, found.derivative), drawn.m_IsDouble ? 1e-10 : 1e-4 * single);
  }
}

} // namespace

TEST_P(MetricRandom, LocalCorrelation)
{
  Tally     tally;
  const int cases = TestCases(60);
  for (int number = 0; number < cases && !HasFatalFailure(); ++number)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, number);
    Random                     random(1000U + static_cast<unsigned int>(number));
    switch (number % 3)
    {
      case 0:
        CompareCorrelation<Image2D>(random, GetParam(), tally);
        break;
      case 1:
        CompareCorrelation<Image3D>(random, GetParam(), tally);
        break;
      default:
        CompareCorrelation<DoubleImage3D>(random, GetParam(), tally);
    }
  }
  EXPECT_GT(2 * tally.compared, tally.cases);
}

TEST_P(MetricRandom, Demons)
{
  Tally     tally;
  const int cases = TestCases(40);
  for (int number = 0; number < cases && !HasFatalFailure(); ++number)
  {
    const testing::ScopedTrace trace(__FILE__, __LINE__, number);
    Random                     random(2000U + static_cast<unsigned int>(number));
    number % 2 == 0 ? CompareDemons<Image2D>(random, GetParam(), tally)
                                        : CompareDemons<DoubleImage3D>(random, GetParam(), tally);
  }
  EXPECT_GT(2 * tally.compared, tally.cases);
}
