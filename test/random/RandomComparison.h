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
// output. Transforms that are not linear may have errors of 1e-9 of a sample, which changes a value by at most 1e-9 of
// its largest slope; and a sample that is that close to a border or tie may flip. The bound of windowed sincs is that
// of CudaInterpolatorsAgainstItkTest.

#include "RandomCase.h"
#include "RandomTransforms.h"

#include "BackendTable.h"
#include "DerivedBounds.h"

#include "itkCudaBSplineInterpolateImageFunction.h"
#include "itkCudaLinearInterpolateImageFunction.h"
#include "itkCudaNearestNeighborInterpolateImageFunction.h"
#include "itkCudaResampleImageFilter.h"

#include "itkBSplineResampleImageFunction.h"
#include "itkLabelImageGaussianInterpolateImageFunction.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkVectorImage.h"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace CudaSplineTest
{

/** A user's interpolator, derived from ITK's: it may compute other values, so ITK's own code runs it. (ITK's
 * Gaussian would be another example, but it reads the wrong samples if an image does not begin at index 0.) */
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

/** The type of images of a pixel; lists of numbers have a length at run time. */
template <typename TPixel, unsigned int VDimension>
struct ImageOf
{
  using Type = itk::Image<TPixel, VDimension>;
};
template <typename T, unsigned int VDimension>
struct ImageOf<itk::VariableLengthVector<T>, VDimension>
{
  using Type = itk::VectorImage<T, VDimension>;
};

/** \brief Compares one case.
 *
 * \tparam TIn, TOut pixel types
 * \tparam VDimension dimension
 * \tparam TReal coordinates of interpolator and transform
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
    const std::size_t planned = this->Limit(ours.GetPointer());
    this->ExpectWay(this->PlanOf(ours.GetPointer()), kind);
    this->Update(ours.GetPointer());
    m_Outcome.pieces = ours->GetNumberOfPieces();
    if (planned > 0 && planned != m_Outcome.pieces)
    {
      m_Outcome.failure =
        "done in " + std::to_string(m_Outcome.pieces) + " pieces, planned were " + std::to_string(planned);
    }

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
      if (m_Method == Method::BSpline && m_Order >= 2 &&
          !ours->GetSourceReused()) // the image itself is not a computed source
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
  using Input = typename ImageOf<TIn, VDimension>::Type;
  using Output = typename ImageOf<TOut, VDimension>::Type;
  using Ours = itk::CudaResampleImageFilter<Input, Output, TReal, TReal>;
  using Theirs = itk::ResampleImageFilter<Input, Output, TReal, TReal>;
  using InputNumber = typename itk::CudaSplineDetail::ImageTraits<Input>::ComponentType;
  using OutputNumber = typename itk::CudaSplineDetail::ImageTraits<Output>::ComponentType;
  using InterpolatorPointer = typename Ours::InterpolatorType::Pointer;
  static constexpr bool IsScalar = std::is_arithmetic<TIn>::value;
  static constexpr bool IsLists = itk::CudaSplineDetail::ImageTraits<Output>::IsVectorImage;
  /** Pixels for which ITK's Gaussian of labels, and its B-splines of given coefficients, are drawn. */
  ///@{
  static constexpr bool HasLabels = std::is_integral<TIn>::value && sizeof(TIn) <= 2;
  static constexpr bool HasReady = std::is_floating_point<TIn>::value;
  ///@}

  enum class Method : unsigned char
  {
    Nearest,
    Linear,
    BSpline,
    Sinc,
    Ready,
    Labels,
    Users
  };

  InputNumber
  DrawNumber()
  {
    if (std::is_floating_point<InputNumber>::value)
    {
      return static_cast<InputNumber>(m_Draw.Uniform(-1000.0, 1500.0));
    }
    using Limits = std::numeric_limits<InputNumber>;
    const double most = sizeof(InputNumber) > 4 ? 1e12 : (sizeof(InputNumber) == 4 ? 1e6 : 1e300);
    const double low = std::max(-most, static_cast<double>(Limits::lowest()));
    const double high = std::min(most, static_cast<double>(Limits::max()));
    return static_cast<InputNumber>(m_Draw.Uniform(low / 4.0, high / 4.0)); // so that splines overshoot without a clamp
  }

  void
  MakeInput();

  void
  DrawMethod();

  template <typename TFunction>
  static InterpolatorPointer
  Made()
  {
    return TFunction::New().GetPointer();
  }

  InterpolatorPointer
  MakeInterpolator(bool itkOnly) const;

  bool
  IsSpline() const
  {
    return m_Method == Method::BSpline || m_Method == Method::Ready;
  }

  void
  DrawOutput();

  void
  DrawOptions()
  {
    m_Extrapolated = m_Draw.Percent(20);
    m_Reference = m_Draw.Percent(25);
    m_Twice = m_Draw.Percent(10) && !m_Draw.InPieces(); // pieces are not kept
    m_Threads = m_Draw.Integer(1, 3);
    for (double & number : m_Defaults)
    {
      number = m_Draw.Integer(0, 100);
    }
    const int precision = m_Draw.Integer(0, 9);
    m_Precision = precision < 2 ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Automatic;
  }

  void
  Describe(const std::string & transform);

  template <typename TFilter>
  void
  Prepare(TFilter * filter, typename TFilter::InterpolatorType * interpolator) const
  {
    using Pixel = typename TFilter::PixelType;
    filter->SetInput(m_Input);
    filter->SetInterpolator(interpolator);
    filter->SetTransform(m_Transform);
    filter->SetNumberOfWorkUnits(static_cast<itk::ThreadIdType>(m_Threads));
    Pixel pixel{};
    if constexpr (IsScalar)
    {
      pixel = static_cast<Pixel>(m_Defaults[0]);
    }
    else
    {
      using Traits = itk::DefaultConvertPixelTraits<Pixel>;
      if constexpr (IsLists)
      {
        pixel.SetSize(m_Components);
      }
      for (unsigned int c = 0; c < m_Components; ++c)
      {
        Traits::SetNthComponent(static_cast<int>(c), pixel, static_cast<typename Traits::ComponentType>(m_Defaults[c]));
      }
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

  itk::CudaSplineResamplePlan
  PlanOf(Ours * filter) const
  {
    filter->UpdateOutputInformation();
    filter->GetOutput()->SetRequestedRegion(m_Wanted);
    return filter->GetPlan();
  }

  /** Expects the kernels to evaluate the transforms that they support, and ITK to transform no other points than
   * necessary. */
  void
  ExpectWay(const itk::CudaSplineResamplePlan & plan, const std::string & kind)
  {
    const bool        isWalked = kind != "other" && sizeof(TReal) == sizeof(double);
    const std::string way = kind == "linear" ? ", linear" : (isWalked ? ", chain of " : ", points by ITK's transform");
    if (plan.backend != Backend::Superclass && plan.operation.find(way) == std::string::npos)
    {
      m_Outcome.failure = "planned is \"" + plan.operation + "\", expected" + way;
    }
    m_Outcome.isChain = plan.operation.find(", chain of ") != std::string::npos;
  }

  /** Halves the memory until an update is divided into pieces, then one to four times more, as long as it can be
   * divided.
   *
   * \return the pieces that are planned; 0 where there is no limit */
  std::size_t
  Limit(Ours * filter);

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

  /** The maximum difference of a value from ITK's real value. */
  double
  Bound() const;

  /** Whether a sample is within 1e-9 of a point where its value jumps. */
  bool
  MayFlip(const typename Output::IndexType & index) const;

  void
  Compare(const Output * ours, const Output * theirs);

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
  double                                             m_Width{ 1.0 }; ///< sigma of the Gaussian of labels, samples
  bool                                               m_Own{ false }; ///< the module's interpolator
  bool                                               m_Simple{ false };
  bool                                               m_IsLinear{ true };
  bool                                               m_Extrapolated{ false };
  bool                                               m_Reference{ false };
  bool                                               m_Twice{ false };
  int                                                m_Threads{ 1 };
  std::array<double, 5>                              m_Defaults{}; ///< of the components
  unsigned int                                       m_Components{ 1 };
  double                                             m_Largest{ 0.0 };
  itk::CudaSplinePrecision                           m_Precision{ itk::CudaSplinePrecision::Automatic };
};

} // namespace CudaSplineTest

#include "RandomComparisonBounds.hxx"
#include "RandomComparisonDraw.hxx"

#endif
