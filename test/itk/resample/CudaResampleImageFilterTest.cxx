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
// CudaResampleImageFilter against ResampleImageFilter on the same input: interpolators, transforms, geometry.
//
// Expected values: ITK's filter with double output and double coefficients. Tolerances (doc/Accuracy.md): nearest
// neighbours exactly; in double 1e-12 of the range, and 1e-9 for splines, whose first samples are truncated in ITK
// (checked apart, away from the low edge); in float 1e-6 of the range for linear and splines up to order 3, 2e-6 for
// orders 4 and 5 (float storage on a noisy phantom).

#include "ResampleTestSupport.h"
#include "StreamingSource.h"

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkIdentityTransform.h"
#include "itkScaleTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVersorRigid3DTransform.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

template <unsigned int D>
using TransformPointer = typename itk::Transform<double, D, D>::Pointer;

/** A user's own transform of the category Linear: an affine map that no ITK class computes in this way. */
template <unsigned int D>
class OwnLinearTransform : public itk::AffineTransform<double, D>
{
public:
  using Self = OwnLinearTransform;
  using Superclass = itk::AffineTransform<double, D>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    auto result = point;
    for (unsigned int d = 0; d < D; ++d)
    {
      result[d] = 0.93 * point[d] + 0.11 * point[(d + 1) % D] - 1.7;
    }
    return result;
  }
};

/** Returns linear transforms of every kind, with arbitrary parameters. */
template <unsigned int D>
std::vector<std::pair<std::string, TransformPointer<D>>>
EveryLinearTransform()
{
  std::vector<std::pair<std::string, TransformPointer<D>>> transforms;
  transforms.emplace_back("identity", itk::IdentityTransform<double, D>::New().GetPointer());

  auto translation = itk::TranslationTransform<double, D>::New();
  typename itk::TranslationTransform<double, D>::OutputVectorType offset;
  for (unsigned int d = 0; d < D; ++d)
  {
    offset[d] = 1.234 - 2.1 * d;
  }
  translation->SetOffset(offset);
  transforms.emplace_back("translation", translation.GetPointer());

  auto                                                    scale = itk::ScaleTransform<double, D>::New();
  typename itk::ScaleTransform<double, D>::ScaleType      factors;
  typename itk::ScaleTransform<double, D>::InputPointType centre;
  for (unsigned int d = 0; d < D; ++d)
  {
    factors[d] = 0.81 + 0.17 * d;
    centre[d] = 3.3 - 7.0 * d;
  }
  scale->SetScale(factors);
  scale->SetCenter(centre);
  transforms.emplace_back("scale", scale.GetPointer());

  auto affine = itk::AffineTransform<double, D>::New();
  affine->Shear(0, 1, 0.13);
  affine->Rotate(0, D - 1, -0.21);
  affine->Scale(1.07);
  affine->Translate(offset);
  transforms.emplace_back("affine", affine.GetPointer());

  if constexpr (D == 2)
  {
    auto euler = itk::Euler2DTransform<double>::New();
    euler->SetAngle(0.37);
    euler->SetTranslation(offset);
    transforms.emplace_back("euler", euler.GetPointer());
    auto similarity = itk::Similarity2DTransform<double>::New();
    similarity->SetAngle(-0.2);
    similarity->SetScale(1.13);
    transforms.emplace_back("similarity", similarity.GetPointer());
  }
  else
  {
    auto euler = itk::Euler3DTransform<double>::New();
    euler->SetRotation(0.17, -0.26, 0.35);
    euler->SetTranslation(offset);
    transforms.emplace_back("euler", euler.GetPointer());
    auto                                          versor = itk::VersorRigid3DTransform<double>::New();
    itk::VersorRigid3DTransform<double>::AxisType axis;
    axis[0] = 1.0;
    axis[1] = 2.0;
    axis[2] = -0.5;
    versor->SetRotation(axis, 0.3);
    transforms.emplace_back("versor", versor.GetPointer());
    auto similarity = itk::Similarity3DTransform<double>::New();
    similarity->SetRotation(axis, -0.15);
    similarity->SetScale(0.91);
    transforms.emplace_back("similarity", similarity.GetPointer());
  }

  auto inner = itk::CompositeTransform<double, D>::New();
  inner->AddTransform(scale);
  inner->AddTransform(translation);
  auto composite = itk::CompositeTransform<double, D>::New();
  composite->AddTransform(affine);
  composite->AddTransform(inner);
  transforms.emplace_back("composite of composites", composite.GetPointer());
  transforms.emplace_back("own class", OwnLinearTransform<D>::New().GetPointer());
  return transforms;
}

template <typename TFilter, typename TInput>
typename TFilter::Pointer
MakeFilter(const TInput *                                                                             input,
           const itk::Transform<double, TFilter::InputImageDimension, TFilter::InputImageDimension> * transform,
           const Interpolator &                                                                       interpolator,
           bool                                                                                       itkOnly)
{
  auto filter = TFilter::New();
  filter->SetInput(input);
  filter->SetTransform(transform);
  filter->SetInterpolator(MakeInterpolator<TFilter>(interpolator, itkOnly));
  SetOutputGrid(filter.GetPointer(), input);
  filter->SetDefaultPixelValue(-12.5);
  return filter;
}

/** Checks every interpolator with every transform. */
template <unsigned int D, typename TPixel>
void
CompareAll(bool onGpu)
{
  using Image = itk::Image<TPixel, D>;
  using Exact = itk::Image<double, D>;
  constexpr double range = 3000.0;
  const auto       input = MakePhantom<Image>(-1000.0, 2000.0);
  for (const auto & transform : EveryLinearTransform<D>())
  {
    for (const Interpolator & interpolator : EveryInterpolator)
    {
      const auto ours = MakeFilter<itk::CudaResampleImageFilter<Image, Image>>(
        input.GetPointer(), transform.second.GetPointer(), interpolator, false);
      ours->SetGPUEnabled(onGpu);
      ours->Update();
      ExpectPromisedBackend(ours.GetPointer(), interpolator.name, onGpu);

      const auto theirs = MakeFilter<itk::ResampleImageFilter<Image, Exact>>(
        input.GetPointer(), transform.second.GetPointer(), interpolator, true);
      theirs->Update();

      const bool       exact = interpolator.name[0] == 'N' || (interpolator.order == 0 && interpolator.name[0] != 'L');
      const bool       spline = interpolator.order >= 2;
      const double     relative = exact ? 0.0
                                        : (std::is_same<TPixel, double>::value ? (spline ? 1e-9 : 1e-12)
                                                                               : (interpolator.order > 3 ? 2e-6 : 1e-6));
      const Difference difference = Compare(ours->GetOutput(), theirs->GetOutput());
      EXPECT_LE(difference.maximum, relative * range)
        << D << "D, " << transform.first << ", " << interpolator.name << " of order " << interpolator.order;
      // Neither all inside nor all outside, so that the comparison is significant.
      const double inside = FractionOtherThan(theirs->GetOutput(), -12.5);
      EXPECT_GT(inside, 0.05) << transform.first;
      EXPECT_LT(inside, 0.99) << transform.first;
      EXPECT_EQ(ours->GetOutput()->GetSpacing(), theirs->GetOutput()->GetSpacing());
      EXPECT_EQ(ours->GetOutput()->GetOrigin(), theirs->GetOutput()->GetOrigin());
      EXPECT_EQ(ours->GetOutput()->GetDirection(), theirs->GetOutput()->GetDirection());
    }
  }
}

class CudaResampleImageFilterTest : public OnEachBackend
{};

} // namespace

TEST_P(CudaResampleImageFilterTest, FloatIn2D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  CompareAll<2, float>(this->OnGpu());
}

TEST_P(CudaResampleImageFilterTest, FloatIn3D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  CompareAll<3, float>(this->OnGpu());
}

TEST_P(CudaResampleImageFilterTest, DoubleIn2D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  CompareAll<2, double>(this->OnGpu());
}

TEST_P(CudaResampleImageFilterTest, DoubleIn3D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  CompareAll<3, double>(this->OnGpu());
}

// Away from the samples that ITK truncates (0.268^32 = 5e-19), the cubic agrees to rounding.
TEST_P(CudaResampleImageFilterTest, CubicInDoubleIsExactAwayFromTheLowEdge)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<double, 2>;
  const auto input = MakePhantom<Image>(-1000.0, 2000.0);
  using Ours = itk::CudaResampleImageFilter<Image, Image>;
  using Theirs = itk::ResampleImageFilter<Image, Image>;
  const auto ours = Ours::New();
  const auto theirs = Theirs::New();
  const auto setUp = [&input](auto filter, const auto & interpolator) {
    filter->SetInput(input);
    filter->SetInterpolator(interpolator);
    filter->SetOutputParametersFromImage(input);
    auto origin = input->GetOrigin();
    origin[0] += 0.123;
    origin[1] += 0.234;
    filter->SetOutputOrigin(origin);
    filter->Update();
  };
  ours->SetGPUEnabled(this->OnGpu());
  setUp(ours, MakeInterpolator<Ours>(EveryInterpolator[5], false));
  setUp(theirs, MakeInterpolator<Theirs>(EveryInterpolator[5], true));
  double     worst = 0.0;
  const auto first = input->GetBufferedRegion().GetIndex();
  for (itk::ImageRegionIteratorWithIndex<Image> it(ours->GetOutput(), ours->GetOutput()->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    if (it.GetIndex()[0] - first[0] > 34 && it.GetIndex()[1] - first[1] > 34)
    {
      worst = std::max(worst, std::abs(it.Get() - theirs->GetOutput()->GetPixel(it.GetIndex())));
    }
  }
  EXPECT_LE(worst, 1e-12 * 3000.0);
}

TEST_P(CudaResampleImageFilterTest, FloatCoordinates)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 3>;
  const auto input = MakePhantom<Image>(-1000.0, 2000.0);
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    using Ours = itk::CudaResampleImageFilter<Image, Image, float, double>;
    using Theirs = itk::ResampleImageFilter<Image, itk::Image<double, 3>, float, double>;
    auto euler = itk::Euler3DTransform<double>::New();
    euler->SetRotation(0.1, 0.2, -0.3);
    const auto ours = MakeFilter<Ours>(input.GetPointer(), euler.GetPointer(), interpolator, false);
    ours->SetGPUEnabled(this->OnGpu());
    ours->Update();
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu());
    const auto theirs = MakeFilter<Theirs>(input.GetPointer(), euler.GetPointer(), interpolator, true);
    theirs->Update();
    const bool exact = interpolator.name[0] == 'N' || (interpolator.order == 0 && interpolator.name[0] != 'L');
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, exact ? 0.0 : 2e-6 * 3000.0)
      << interpolator.name << " of order " << interpolator.order;
  }
}

TEST_P(CudaResampleImageFilterTest, ReferenceImage)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 3>;
  const auto input = MakePhantom<Image>(0.0, 1.0);
  const auto reference = MakePhantom<itk::Image<unsigned char, 3>>(0.0, 255.0);
  reference->SetSpacing(input->GetSpacing() * 1.3);
  const auto run = [&](auto filter) {
    filter->SetInput(input);
    filter->SetReferenceImage(reference);
    filter->UseReferenceImageOn();
    filter->Update();
    return filter;
  };
  auto ours = itk::CudaResampleImageFilter<Image, Image>::New();
  ours->SetGPUEnabled(this->OnGpu());
  run(ours);
  const auto theirs = run(itk::ResampleImageFilter<Image, Image>::New());
  ExpectPromisedBackend(ours.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu());
  EXPECT_EQ(ours->GetOutput()->GetBufferedRegion(), reference->GetBufferedRegion());
  EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 1e-6);
}

TEST_P(CudaResampleImageFilterTest, OneDimension)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 1>;
  auto              input = Image::New();
  Image::RegionType region;
  region.SetSize(0, 101);
  region.SetIndex(0, -3);
  input->SetRegions(region);
  input->Allocate();
  std::mt19937 random(std::random_device{}());
  for (itk::ImageRegionIteratorWithIndex<Image> it(input, region); !it.IsAtEnd(); ++it)
  {
    it.Set(std::uniform_real_distribution<float>(0.0F, 1.0F)(random));
  }
  for (const Interpolator & interpolator : EveryInterpolator)
  {
    const auto run = [&](auto filter, const auto & function) {
      filter->SetInput(input);
      filter->SetInterpolator(function);
      filter->SetSize(Image::SizeType{ { 250 } });
      filter->SetOutputSpacing(Image::SpacingType(0.43));
      Image::PointType origin;
      origin[0] = -4.1;
      filter->SetOutputOrigin(origin);
      filter->Update();
    };
    using Ours = itk::CudaResampleImageFilter<Image, Image>;
    using Theirs = itk::ResampleImageFilter<Image, itk::Image<double, 1>>;
    const auto ours = Ours::New();
    ours->SetGPUEnabled(this->OnGpu());
    const auto theirs = Theirs::New();
    run(ours, MakeInterpolator<Ours>(interpolator, false));
    run(theirs, MakeInterpolator<Theirs>(interpolator, true));
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu());
    // Noise of range 1: float coefficients of order 5 reach 7.5, with 8 units of rounding.
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, interpolator.order > 3 ? 4e-6 : 1e-6)
      << interpolator.name << " of order " << interpolator.order;
  }
}

// ITK requests too small a region of its input if the output region ends below index 0
// (itk::ImageAlgorithm::EnlargeRegionOverBox). The reference is therefore the same filter with the whole input in
// memory.
TEST_P(CudaResampleImageFilterTest, OutputThatEndsBelowIndexZeroOfAStreamingInput)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<float, 3>;
  const auto input = MakePhantom<Image>(0.0, 100.0);
  auto       source = CudaSplineTest::StreamingSource<Image>::New();
  source->SetImage(input);
  const auto run = [&](const Image * image) {
    auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
    filter->SetGPUEnabled(this->OnGpu());
    filter->SetInput(image);
    filter->SetOutputParametersFromImage(input);
    auto       start = input->GetLargestPossibleRegion().GetIndex();
    const auto offset = Image::OffsetType{ { 90, 90, 90 } };
    start -= offset;
    filter->SetOutputStartIndex(start);
    Image::PointType origin;
    input->TransformIndexToPhysicalPoint(Image::IndexType() + offset,
                                         origin); // the same points for the shifted indices
    filter->SetOutputOrigin(origin);
    filter->SetDefaultPixelValue(-1.0F);
    filter->Update();
    return filter;
  };
  const auto whole = run(input);
  const auto streamed = run(source->GetOutput());
  EXPECT_EQ(Compare(streamed->GetOutput(), whole->GetOutput()).count, 0);
  EXPECT_GT(FractionOtherThan(whole->GetOutput(), -1.0), 0.9);
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterTest);
