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
#ifndef RandomComparison_h
#define RandomComparison_h

// Expected values: ITK's ResampleImageFilter with ITK's own interpolator (B-splines with double coefficients), and for
// integer outputs also with double output, which is the real value before ITK truncates it. Bounds as in
// CudaResampleImageFilterPixelTest: rounding (DerivedBounds.h), the truncation of either prefilter, rounding of the
// output. Transforms that are not linear may be off by 1e-9 of a sample, which changes a value by at most 1e-9 of its
// largest slope; and a sample that is that close to a border or tie may flip. Of windowed sincs the bound is that of
// CudaInterpolatorsAgainstItkTest.

#include "RandomCase.h"
#include "RandomTransforms.h"

#include "BackendTable.h"
#include "DerivedBounds.h"

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "itkNearestNeighborExtrapolateImageFunction.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace CudaSplineTest
{

/** A user's interpolator, derived from ITK's: it may evaluate otherwise, so ITK's own code runs it. (ITK's Gaussian
 * would be another; but that looks for its samples in the wrong place where an image does not begin at index 0.) */
template <typename TImage, typename TCoordinate>
class UsersInterpolator : public itk::LinearInterpolateImageFunction<TImage, TCoordinate>
{
public:
  using Self = UsersInterpolator;
  using Superclass = itk::LinearInterpolateImageFunction<TImage, TCoordinate>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);

  typename Superclass::OutputType
  EvaluateAtContinuousIndex(const typename Superclass::ContinuousIndexType & index) const override
  {
    return 2.0 * Superclass::EvaluateAtContinuousIndex(index);
  }
};

/** \brief Compares one case.
 *
 * \tparam TIn, TOut pixel types, \tparam VDimension dimension, \tparam TReal coordinates of interpolator and transform
 */
template <typename TIn, typename TOut, unsigned int VDimension, typename TReal = double>
class RandomComparison
{
public:
  RandomComparison(Draw & draw, bool gpu)
    : m_Draw(draw)
    , m_Gpu(gpu)
  {}

  Outcome
  Run()
  {
    this->MakeInput();
    this->DrawMethod();
    this->DrawOutput();
    std::string kind;
    std::string text;
    m_Transform = TransformDraw<TReal, VDimension>(m_Draw, m_Place).Any(text, kind, m_Simple);
    m_IsLinear = kind == "linear";
    m_Outcome.isLinear = m_IsLinear;
    m_Outcome.isSimple = m_Simple;
    this->DrawOptions();
    this->Describe(text);

    auto ours = Ours::New();
    this->Prepare(ours.GetPointer(), this->MakeInterpolator(false));
    ours->SetGPUEnabled(m_Gpu);
    ours->SetPrecision(m_Precision);
    ours->SetKeepSource(m_Twice);
    this->Update(ours.GetPointer());

    auto theirs = Theirs::New();
    this->Prepare(theirs.GetPointer(), this->MakeInterpolator(true));
    this->Update(theirs.GetPointer());

    m_Outcome.backend = ours->GetLastBackend();
    m_Outcome.reason = ours->GetFallbackReason();
    const auto promised = PromisedBackend({ "CudaResampleImageFilter",
                                            IsScalar ? "scalar" : "vector",
                                            std::to_string(VDimension),
                                            m_Name,
                                            kind,
                                            m_Extrapolated ? "nearest" : "none" },
                                          m_Gpu);
    if (promised != m_Outcome.backend)
    {
      m_Outcome.failure = std::string("answered by ") + NameOf(m_Outcome.backend) + ", promised is " +
                          NameOf(promised) + " (" + m_Outcome.reason + ")";
    }
    this->Compare(ours->GetOutput(), theirs->GetOutput());

    if (m_Twice && m_Outcome.failure.empty())
    {
      const std::vector<double> first = Numbers(ours->GetOutput());
      ours->Modified();
      this->Update(ours.GetPointer());
      if (m_Order >= 2 && !ours->GetSourceReused()) // the image itself is no source that is made
      {
        m_Outcome.failure = "the coefficients were made anew though they are kept";
      }
      if (!Same(first, Numbers(ours->GetOutput())))
      {
        m_Outcome.failure = "another result of the same filter";
      }
    }
    return m_Outcome;
  }

private:
  using Input = itk::Image<TIn, VDimension>;
  using Output = itk::Image<TOut, VDimension>;
  using Ours = itk::CudaResampleImageFilter<Input, Output, TReal, TReal>;
  using Theirs = itk::ResampleImageFilter<Input, Output, TReal, TReal>;
  using InputNumber = typename itk::CudaSplineDetail::PixelTraits<TIn>::ComponentType;
  using OutputNumber = typename itk::CudaSplineDetail::PixelTraits<TOut>::ComponentType;
  using InterpolatorPointer = typename Ours::InterpolatorType::Pointer;
  static constexpr bool         IsScalar = std::is_arithmetic<TIn>::value;
  static constexpr unsigned int Components = itk::CudaSplineDetail::PixelTraits<TOut>::Components;

  enum class Method : unsigned char
  {
    Nearest,
    Linear,
    BSpline,
    Sinc,
    Users
  };

  InputNumber
  DrawNumber()
  {
    if (std::is_floating_point<InputNumber>::value)
    {
      return static_cast<InputNumber>(m_Draw.Uniform(-1000.0, 1500.0));
    }
    const double low =
      sizeof(InputNumber) == 4 ? -1e6 : static_cast<double>(std::numeric_limits<InputNumber>::lowest());
    const double high = sizeof(InputNumber) == 4 ? 1e6 : static_cast<double>(std::numeric_limits<InputNumber>::max());
    return static_cast<InputNumber>(m_Draw.Uniform(low / 4.0, high / 4.0)); // so that splines overshoot without a clamp
  }

  void
  MakeInput()
  {
    m_Simple = m_Draw.Percent(12);
    const double step = m_Draw.Percent(50) ? 0.5 : 0.1; // exact numbers, and rounded ones
    m_Input = Input::New();
    typename Input::RegionType  region;
    typename Input::SpacingType spacing;
    typename Input::PointType   origin;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetSize(
        d, static_cast<itk::SizeValueType>(m_Draw.Integer(m_Draw.Percent(20) ? 1 : 4, VDimension == 1 ? 60 : 14)));
      region.SetIndex(d, m_Draw.Integer(-20, 20));
      spacing[d] = m_Simple ? step : m_Draw.Uniform(0.3, 3.0);
      origin[d] = m_Simple ? step * m_Draw.Integer(-9, 9) : m_Draw.Uniform(-200.0, 200.0);
    }
    m_Input->SetRegions(region);
    m_Input->SetSpacing(spacing);
    m_Input->SetOrigin(origin);
    if (!m_Simple && m_Draw.Percent(80))
    {
      m_Input->SetDirection(m_Draw.template Rotation<typename Input::DirectionType>(VDimension, 3.1));
    }
    m_Input->Allocate();
    auto * const numbers = reinterpret_cast<InputNumber *>(m_Input->GetBufferPointer());
    const auto   count = region.GetNumberOfPixels() * Components;
    for (itk::SizeValueType i = 0; i < count; ++i)
    {
      numbers[i] = this->DrawNumber();
      m_Largest = std::max(m_Largest, std::abs(static_cast<double>(numbers[i])));
    }

    itk::ContinuousIndex<double, VDimension> middle;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      middle[d] = static_cast<double>(region.GetIndex(d)) + 0.5 * (static_cast<double>(region.GetSize(d)) - 1.0);
      const double extent = spacing[d] * static_cast<double>(region.GetSize(d));
      m_Place.extent = d == 0 ? extent : std::min(m_Place.extent, extent);
      m_Place.step = d == 0 ? spacing[d] : std::min(m_Place.step, spacing[d]);
    }
    m_Input->TransformContinuousIndexToPhysicalPoint(middle, m_Place.center);
    m_Place.axes = m_Input->GetDirection();
  }

  void
  DrawMethod()
  {
    const int number = m_Draw.Integer(0, 99);
    m_Method = !IsScalar ? (number < 40 ? Method::Nearest : Method::Linear)
                         : (number < 18   ? Method::Nearest
                            : number < 38 ? Method::Linear
                            : number < 84 ? Method::BSpline
                            : number < 95 ? Method::Sinc
                                          : Method::Users);
    m_Own = m_Draw.Percent(20);
    m_Order = static_cast<unsigned int>(m_Draw.Integer(0, 5));
    m_Radius = m_Draw.Integer(2, 3);
    if (m_Method == Method::BSpline)
    {
      // Where ITK folds its support once only and reads beside the buffer it is no judge.
      const auto & region = m_Input->GetBufferedRegion();
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const auto size = static_cast<unsigned int>(region.GetSize(d));
        if (size == 1 && region.GetIndex(d) != 0)
        {
          m_Method = Method::Linear;
        }
        m_Order = size > 1 ? std::min(m_Order, size) : m_Order;
      }
    }
    m_Order = m_Method == Method::BSpline ? m_Order : 0;
    const char * names[] = { "NearestNeighborInterpolateImageFunction",
                             "LinearInterpolateImageFunction",
                             "BSplineInterpolateImageFunction",
                             "WindowedSincInterpolateImageFunction",
                             "UsersInterpolator" };
    m_Own = m_Own && m_Method != Method::Sinc && m_Method != Method::Users;
    m_Name = std::string(m_Own ? "Cuda" : "") + names[static_cast<int>(m_Method)];
  }

  template <typename TFunction>
  static InterpolatorPointer
  Made()
  {
    return TFunction::New().GetPointer();
  }

  InterpolatorPointer
  MakeInterpolator(bool itkOnly) const
  {
    const bool own = m_Own && !itkOnly;
    if (m_Method == Method::Nearest)
    {
      return own ? Made<itk::CudaNearestNeighborInterpolateImageFunction<Input, TReal>>()
                 : Made<itk::NearestNeighborInterpolateImageFunction<Input, TReal>>();
    }
    if constexpr (IsScalar)
    {
      if (m_Method == Method::BSpline && own)
      {
        auto spline = itk::CudaBSplineInterpolateImageFunction<Input, TReal, double>::New();
        spline->SetSplineOrder(m_Order);
        return spline.GetPointer();
      }
      if (m_Method == Method::BSpline)
      {
        auto spline = itk::BSplineInterpolateImageFunction<Input, TReal, double>::New();
        spline->SetSplineOrder(m_Order);
        return spline.GetPointer();
      }
      if (m_Method == Method::Sinc)
      {
        using Hamming = itk::Function::HammingWindowFunction<3>;
        using Lanczos = itk::Function::LanczosWindowFunction<2>;
        return m_Radius == 3
                 ? Made<itk::WindowedSincInterpolateImageFunction<Input,
                                                                  3,
                                                                  Hamming,
                                                                  itk::ZeroFluxNeumannBoundaryCondition<Input, Input>,
                                                                  TReal>>()
                 : Made<itk::WindowedSincInterpolateImageFunction<Input,
                                                                  2,
                                                                  Lanczos,
                                                                  itk::ZeroFluxNeumannBoundaryCondition<Input, Input>,
                                                                  TReal>>();
      }
      if (m_Method == Method::Users)
      {
        return Made<UsersInterpolator<Input, TReal>>();
      }
    }
    return own ? Made<itk::CudaLinearInterpolateImageFunction<Input, TReal>>()
               : Made<itk::LinearInterpolateImageFunction<Input, TReal>>();
  }

  void
  DrawOutput()
  {
    m_Grid = Output::New();
    typename Output::RegionType  region;
    typename Output::SpacingType spacing;
    auto                         origin = m_Place.center;
    auto                         direction = m_Input->GetDirection();
    if (!m_Simple && m_Draw.Percent(70))
    {
      direction = m_Draw.template Rotation<typename Output::DirectionType>(VDimension, 3.1);
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetSize(d, static_cast<itk::SizeValueType>(m_Draw.Integer(1, VDimension == 1 ? 80 : 13)));
      region.SetIndex(d, m_Draw.Integer(-15, 15));
      spacing[d] = m_Simple ? m_Input->GetSpacing()[d]
                            : m_Place.extent * m_Draw.Uniform(0.2, 0.9) / static_cast<double>(region.GetSize(d));
    }
    if (m_Simple)
    {
      origin = m_Input->GetOrigin();
    }
    else
    {
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          origin[r] -= direction[r][c] * spacing[c] *
                       (static_cast<double>(region.GetIndex(c)) +
                        m_Draw.Uniform(0.3, 0.7) * static_cast<double>(region.GetSize(c)));
        }
      }
    }
    if (m_Simple) // about where the input is
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        region.SetIndex(d, m_Input->GetBufferedRegion().GetIndex(d) + m_Draw.Integer(-3, 3));
      }
    }
    m_Grid->SetRegions(region);
    m_Grid->SetSpacing(spacing);
    m_Grid->SetOrigin(origin);
    m_Grid->SetDirection(direction);
    m_Wanted = region;
    if (m_Draw.Percent(30))
    {
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const int size = static_cast<int>(region.GetSize(d));
        const int first = m_Draw.Integer(0, size - 1);
        m_Wanted.SetIndex(d, region.GetIndex(d) + first);
        m_Wanted.SetSize(d, static_cast<itk::SizeValueType>(m_Draw.Integer(1, size - first)));
      }
    }
  }

  void
  DrawOptions()
  {
    m_Extrapolated = m_Draw.Percent(20);
    m_Reference = m_Draw.Percent(25);
    m_Twice = m_Draw.Percent(10);
    m_Threads = m_Draw.Integer(1, 3);
    m_Default = m_Draw.Integer(0, 100);
    const int precision = m_Draw.Integer(0, 9);
    m_Precision = precision < 2 ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Automatic;
  }

  void
  Describe(const std::string & transform)
  {
    std::ostringstream text;
    text << NameOf(ScalarTypeOf<InputNumber>()) << " to " << NameOf(ScalarTypeOf<OutputNumber>())
         << (Components > 1 ? " x " + std::to_string(Components) : std::string())
         << (sizeof(TReal) == 4 ? ", float coordinates" : "") << ", " << m_Name;
    if (m_Method == Method::BSpline)
    {
      text << ' ' << m_Order;
    }
    if (m_Method == Method::Sinc)
    {
      text << ' ' << m_Radius;
    }
    text << ", " << transform << ", " << m_Input->GetBufferedRegion().GetSize() << " to " << m_Wanted.GetSize()
         << " of " << m_Grid->GetLargestPossibleRegion().GetSize() << (m_Extrapolated ? ", extrapolated" : "")
         << (m_Reference ? ", reference" : "") << (m_Twice ? ", twice" : "")
         << (m_Precision == itk::CudaSplinePrecision::Double ? ", in double" : "")
         << (m_Simple ? ", whole and half indices" : "");
    m_Outcome.description = text.str();
  }

  template <typename TFilter>
  void
  Prepare(TFilter * filter, typename TFilter::InterpolatorType * interpolator) const
  {
    using Pixel = typename TFilter::PixelType;
    filter->SetInput(m_Input);
    filter->SetInterpolator(interpolator);
    filter->SetTransform(m_Transform);
    filter->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(m_Threads));
    Pixel pixel;
    if constexpr (IsScalar)
    {
      pixel = static_cast<Pixel>(m_Default);
    }
    else
    {
      pixel.Fill(static_cast<typename Pixel::ValueType>(m_Default));
    }
    filter->SetDefaultPixelValue(pixel);
    if (m_Extrapolated)
    {
      filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Input, TReal>::New());
    }
    if (m_Reference)
    {
      filter->SetReferenceImage(m_Grid);
      filter->UseReferenceImageOn();
    }
    else
    {
      filter->SetSize(m_Grid->GetLargestPossibleRegion().GetSize());
      filter->SetOutputStartIndex(m_Grid->GetLargestPossibleRegion().GetIndex());
      filter->SetOutputSpacing(m_Grid->GetSpacing());
      filter->SetOutputOrigin(m_Grid->GetOrigin());
      filter->SetOutputDirection(m_Grid->GetDirection());
    }
  }

  template <typename TFilter>
  void
  Update(TFilter * filter) const
  {
    filter->UpdateOutputInformation();
    filter->GetOutput()->SetRequestedRegion(m_Wanted);
    filter->GetOutput()->Update();
  }

  template <typename TImage>
  static std::vector<double>
  Numbers(const TImage * image)
  {
    using Number = typename itk::CudaSplineDetail::ImageTraits<TImage>::ComponentType;
    const auto * const first = reinterpret_cast<const Number *>(image->GetBufferPointer());
    return std::vector<double>(
      first, first + image->GetBufferedRegion().GetNumberOfPixels() * image->GetNumberOfComponentsPerPixel());
  }

  static bool
  Same(const std::vector<double> & a, const std::vector<double> & b)
  {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x == y || (x != x && y != y); });
  }

  /** How far a value may be from ITK's real one. */
  double
  Bound() const
  {
    if (m_Method == Method::Nearest || m_Outcome.backend == Backend::Superclass)
    {
      return 0.0;
    }
    const bool isDouble = m_Precision == itk::CudaSplinePrecision::Double ||
                          NeedsDoublePrecision(ScalarTypeOf<InputNumber>()) ||
                          NeedsDoublePrecision(ScalarTypeOf<OutputNumber>());
    double slope = 0.0; // a sample
    double bound = 0.0;
    if (m_Method == Method::Sinc)
    {
      const double norm = std::pow(2.28, VDimension) * m_Largest;
      bound = 0x1p-53 * norm * (2.0 * VDimension * (66.0 * m_Radius + 1.0) + std::pow(2.0 * m_Radius, VDimension)) +
              (isDouble ? 0.0 : 0x1p-24 * norm);
      slope = 4.0 * norm; // a window's lobes are wider than a quarter of a sample
    }
    else
    {
      SourceDescriptor descriptor;
      descriptor.dimension = VDimension;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        descriptor.size[d] = static_cast<std::int64_t>(m_Input->GetBufferedRegion().GetSize(d));
      }
      descriptor.order = m_Order;
      descriptor.element = isDouble ? ScalarType::Float64 : ScalarType::Float32;
      const double coefficient = LargestCoefficient(descriptor, m_Largest);
      // ITK starts its recursion up to 3.7e-10 (order 5) off, an axis.
      bound = CoefficientAgreement(descriptor, m_Largest) +
              ValueAgreement(descriptor, std::max(1U, m_Order), coefficient) +
              (m_Order >= 2 ? VDimension * ((isDouble ? 1.1e-16 : 6e-8) + 3.7e-10) * coefficient : 0.0);
      slope = 2.0 * coefficient;
    }
    return bound + (m_IsLinear ? 0.0 : 1e-9 * VDimension * slope);
  }

  /** Whether a sample is within 1e-9 of a place where its value jumps. */
  bool
  MayFlip(const typename Output::IndexType & index) const
  {
    typename Output::PointType point;
    m_Grid->TransformIndexToPhysicalPoint(index, point);
    typename TransformDraw<TReal, VDimension>::TransformType::InputPointType from;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      from[d] = static_cast<TReal>(point[d]);
    }
    const auto   mapped = m_Transform->TransformPoint(from);
    const auto   at = m_Input->template TransformPhysicalPointToContinuousIndex<double>(mapped);
    const auto & region = m_Input->GetBufferedRegion();
    bool         flips = false;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double lower = static_cast<double>(region.GetIndex(d)) - 0.5;
      const double upper = lower + static_cast<double>(region.GetSize(d));
      const auto   decisions = [&](double x) {
        std::vector<double> made{ x >= lower ? 1.0 : 0.0, x < upper ? 1.0 : 0.0 };
        if (m_Method == Method::Nearest || m_Extrapolated)
        {
          made.push_back(std::floor(x + 0.5));
        }
        if (m_Method == Method::BSpline)
        {
          // ITK finds the support in single precision.
          made.push_back(std::floor(static_cast<float>(x) + (m_Order % 2 == 0 ? 0.5F : 0.0F)));
        }
        return made;
      };
      flips = flips || decisions(at[d] - 1e-9) != decisions(at[d] + 1e-9);
    }
    return flips;
  }

  void
  Compare(const Output * ours, const Output * theirs)
  {
    if (ours->GetBufferedRegion() != theirs->GetBufferedRegion() || ours->GetBufferedRegion() != m_Wanted ||
        ours->GetOrigin() != theirs->GetOrigin() || ours->GetDirection() != theirs->GetDirection())
    {
      m_Outcome.failure = "another region or geometry";
      return;
    }
    const std::vector<double> a = Numbers(ours);
    const std::vector<double> b = Numbers(theirs);
    std::vector<double>       real; // before truncation
    const double              bound = this->Bound();
    constexpr bool            isInteger = std::is_integral<OutputNumber>::value;
    if constexpr (isInteger)
    {
      using Real = itk::ResampleImageFilter<Input, itk::Image<double, VDimension>, TReal, TReal>;
      if (bound > 0.0)
      {
        auto judge = Real::New();
        this->Prepare(judge.GetPointer(), this->MakeInterpolator(true));
        this->Update(judge.GetPointer());
        real = Numbers(judge->GetOutput());
      }
    }
    m_Outcome.samples = static_cast<long>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
    {
      m_Outcome.inside += b[i] != m_Default ? 1 : 0;
      if (a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))
      {
        continue;
      }
      ++m_Outcome.differing;
      const double difference = std::abs(a[i] - b[i]);
      bool         allowed = false;
      if (isInteger)
      {
        allowed =
          !real.empty() && (bound > 0.5 ? difference <= bound + 1.0
                                        : difference == 1.0 && std::abs(real[i] - std::round(real[i])) <= bound);
      }
      else
      {
        const double rounding =
          bound > 0.0 ? 2.0 * UnitOf(ScalarTypeOf<OutputNumber>()) * std::max(std::abs(a[i]), std::abs(b[i])) : 0.0;
        allowed = difference <= bound + rounding;
        m_Outcome.worst = std::max(m_Outcome.worst, allowed ? difference / (bound + rounding) : 0.0);
      }
      if (allowed)
      {
        continue;
      }
      const auto index = ours->ComputeIndex(static_cast<itk::OffsetValueType>(i / Components));
      if (!m_IsLinear && m_Outcome.backend != Backend::Superclass && this->MayFlip(index))
      {
        ++m_Outcome.flips;
        continue;
      }
      if (m_Outcome.failure.empty())
      {
        std::ostringstream text;
        text.precision(17);
        text << "at " << index << " " << a[i] << " and ITK's " << b[i] << " differ by " << difference << ", allowed is "
             << bound;
        m_Outcome.failure = text.str();
      }
    }
  }

  Draw &                                             m_Draw;
  bool                                               m_Gpu;
  Outcome                                            m_Outcome;
  typename Input::Pointer                            m_Input;
  typename Output::Pointer                           m_Grid;   ///< of the output; no pixels
  typename Output::RegionType                        m_Wanted; ///< of it
  typename TransformDraw<TReal, VDimension>::Pointer m_Transform;
  Place<VDimension>                                  m_Place;
  Method                                             m_Method{ Method::Linear };
  std::string                                        m_Name; ///< of the interpolator in the backend table
  unsigned int                                       m_Order{ 0 };
  int                                                m_Radius{ 2 };
  bool                                               m_Own{ false }; ///< the module's interpolator
  bool                                               m_Simple{ false };
  bool                                               m_IsLinear{ true };
  bool                                               m_Extrapolated{ false };
  bool                                               m_Reference{ false };
  bool                                               m_Twice{ false };
  int                                                m_Threads{ 1 };
  double                                             m_Default{ 0.0 };
  double                                             m_Largest{ 0.0 };
  itk::CudaSplinePrecision                           m_Precision{ itk::CudaSplinePrecision::Automatic };
};

} // namespace CudaSplineTest

#endif
