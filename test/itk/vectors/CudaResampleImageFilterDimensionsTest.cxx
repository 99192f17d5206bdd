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
// CudaResampleImageFilter of an input and an output of different dimension, under inverses of transforms, and of images
// with special coordinates. Expected values: ITK's filter. Continuous indices are ITK's to the bit where dimensions
// differ; tolerance of values: 1e-9 of the range (100) for double outputs.

#include "ProjectionTransform.h"
#include "TransformTestSupport.h"

#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkPhasedArray3DSpecialCoordinatesImage.h"

#include <type_traits>

using namespace CudaSplineTest;

namespace
{

/** An affine map between spaces of different dimension. It has the category Linear, or it is bent by a sine and has
 * none. */
template <unsigned int VFrom, unsigned int VTo, bool VBent>
class Projection : public ProjectionTransform<VFrom, VTo>
{
public:
  using Self = Projection;
  using Superclass = ProjectionTransform<VFrom, VTo>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);

  typename Superclass::TransformCategoryEnum
  GetTransformCategory() const override
  {
    return VBent ? Superclass::TransformCategoryEnum::UnknownTransformCategory
                 : Superclass::TransformCategoryEnum::Linear;
  }

  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    typename Superclass::OutputPointType moved;
    for (unsigned int r = 0; r < VTo; ++r)
    {
      moved[r] = 0.3 - r;
      for (unsigned int c = 0; c < VFrom; ++c)
      {
        moved[r] += ((r == c ? 0.9 : 0.2) - 0.07 * (r + 2.0 * c)) * point[c];
      }
    }
    if (VBent)
    {
      moved[0] += 1.3 * std::sin(0.4 * point[VFrom - 1]);
    }
    return moved;
  }
};

class CudaResampleImageFilterDimensions : public OnEachBackend
{
protected:
  template <unsigned int VInput, unsigned int VOutput, bool VBent>
  void
  ExpectAgreement()
  {
    using Input = itk::Image<float, VInput>;
    using Output = itk::Image<double, VOutput>;
    using Ours = itk::CudaResampleImageFilter<Input, Output>;
    using Theirs = itk::ResampleImageFilter<Input, Output>;
    SCOPED_TRACE(std::to_string(VInput) + "D to " + std::to_string(VOutput) + "D" + (VBent ? ", bent" : ""));
    static_assert(Ours::IsAccelerated, "The kernels are for it.");
    const auto input = MakePhantom<Input>(0.0, 100.0);
    const auto transform = Projection<VOutput, VInput, VBent>::New();
    for (const bool isExtrapolated : { false, true })
    {
      for (const Interpolator & interpolator : { Interpolator{ "NearestNeighborInterpolateImageFunction", 0 },
                                                 Interpolator{ "LinearInterpolateImageFunction", 0 },
                                                 Interpolator{ "BSplineInterpolateImageFunction", 3 } })
      {
        SCOPED_TRACE(interpolator.name);
        const auto setUp = [&](auto filter, bool itkOnly) {
          using Filter = typename decltype(filter)::ObjectType;
          typename Filter::SizeType        size;
          typename Filter::IndexType       start;
          typename Filter::SpacingType     spacing;
          typename Filter::OriginPointType origin;
          for (unsigned int d = 0; d < VOutput; ++d)
          {
            size[d] = d < 2 ? 31 + 4 * d : 7 - d;
            start[d] = static_cast<itk::IndexValueType>(d) - 1;
            spacing[d] = 1.3 + 0.2 * d;
            origin[d] = d < VInput ? input->GetOrigin()[d] - 3.0 : -2.0;
          }
          filter->SetInput(input);
          filter->SetSize(size);
          filter->SetOutputStartIndex(start);
          filter->SetOutputSpacing(spacing);
          filter->SetOutputOrigin(origin);
          filter->SetTransform(transform);
          filter->SetInterpolator(MakeInterpolator<Filter>(interpolator, itkOnly));
          filter->SetDefaultPixelValue(-7.5);
          if (isExtrapolated)
          {
            filter->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<Input, double>::New());
          }
        };
        auto ours = Ours::New();
        ours->SetGPUEnabled(this->OnGpu());
        setUp(ours, false);
        ours->Update();
        auto theirs = Theirs::New();
        setUp(theirs, true);
        theirs->Update();
        ExpectPromisedBackend(ours.GetPointer(),
                              interpolator.name,
                              this->OnGpu(),
                              VBent ? "other" : "linear",
                              isExtrapolated ? "nearest" : "none");
        EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 1e-7);
        if (!isExtrapolated)
        {
          EXPECT_GT(FractionOtherThan(theirs->GetOutput(), -7.5), 0.05);
          EXPECT_LT(FractionOtherThan(theirs->GetOutput(), -7.5), 0.999);
        }

        auto region = ours->GetOutput()->GetLargestPossibleRegion();
        for (unsigned int d = 0; d < VOutput; ++d)
        {
          region.SetIndex(d, region.GetIndex(d) + 1);
          region.SetSize(d, region.GetSize(d) / 2);
        }
        auto part = Ours::New();
        part->SetGPUEnabled(this->OnGpu());
        setUp(part, false);
        part->UpdateOutputInformation();
        part->GetOutput()->SetRequestedRegion(region);
        part->GetOutput()->Update();
        for (itk::ImageRegionConstIteratorWithIndex<Output> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
        {
          ASSERT_EQ(it.Get(), ours->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
        }
      }
    }
  }

  template <unsigned int VDimension>
  void
  ExpectAgreementUnder(const itk::Transform<double, VDimension, VDimension> * transform, const std::string & kind)
  {
    using Input = itk::Image<float, VDimension>;
    using Output = itk::Image<double, VDimension>;
    const auto input = MakePhantom<Input>(0.0, 100.0);
    const auto run = [&](auto filter) {
      filter->SetInput(input);
      SetOutputGrid(filter.GetPointer(), input.GetPointer());
      filter->SetTransform(transform);
      filter->SetDefaultPixelValue(-7.5);
      filter->Update();
      return filter;
    };
    auto filter = itk::CudaResampleImageFilter<Input, Output>::New();
    filter->SetGPUEnabled(this->OnGpu());
    const auto ours = run(filter);
    const auto theirs = run(itk::ResampleImageFilter<Input, Output>::New());
    ExpectPromisedBackend(ours.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), kind);
    itk::CudaSpline::TransformChain chain;
    EXPECT_TRUE(kind == "linear" || itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(transform, chain));
    ExpectSameButForFlips(ours->GetOutput(), theirs->GetOutput(), input.GetPointer(), transform, false, 1e-7);
    EXPECT_GT(FractionOtherThan(theirs->GetOutput(), -7.5), 0.2);
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterDimensions);

} // namespace

TEST_P(CudaResampleImageFilterDimensions, OfInputAndOutputDiffer)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<2, 3, false>();
  this->ExpectAgreement<2, 3, true>();
  this->ExpectAgreement<3, 2, false>();
  this->ExpectAgreement<3, 2, true>();
  this->ExpectAgreement<3, 4, false>();
}

// Results of GetInverse() of ITK's transforms: of affine ones, of fields with an inverse, and of composites of these.
TEST_P(CudaResampleImageFilterDimensions, OfInverses)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto affine = MakeAffineTransform<2>(0.2);
  this->ExpectAgreementUnder<2>(affine->GetInverseTransform().GetPointer(), "linear");

  const auto field = MakeFieldTransform<2>(51, false);
  field->SetInverseDisplacementField(MakeFieldTransform<2>(52, false)->GetModifiableDisplacementField());
  const auto inverse = field->GetInverseTransform();
  ASSERT_TRUE(inverse.IsNotNull());
  this->ExpectAgreementUnder<2>(inverse.GetPointer(), "displacement");
  EXPECT_NE(inverse->TransformPoint(MakePhantom<itk::Image<float, 2>>(0.0, 1.0)->GetOrigin()),
            field->TransformPoint(MakePhantom<itk::Image<float, 2>>(0.0, 1.0)->GetOrigin()));

  auto composite = itk::CompositeTransform<double, 2>::New();
  composite->AddTransform(affine);
  composite->AddTransform(field);
  const auto inverseComposite = composite->GetInverseTransform();
  ASSERT_TRUE(inverseComposite.IsNotNull());
  this->ExpectAgreementUnder<2>(inverseComposite.GetPointer(), "composite");
}

TEST(CudaResampleImageFilterFallback, SpecialCoordinates)
{
  using Special = itk::PhasedArray3DSpecialCoordinatesImage<float>;
  using Plain = itk::Image<float, 3>;
  auto input = Special::New();
  input->SetRegions(Special::SizeType{ { 21, 17, 13 } });
  input->SetAzimuthAngularSeparation(0.04);
  input->SetElevationAngularSeparation(0.05);
  input->SetRadiusSampleSize(1.5);
  input->SetFirstSampleDistance(20.0);
  input->Allocate();
  for (itk::SizeValueType i = 0; i < input->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    input->GetBufferPointer()[i] = static_cast<float>(i % 97);
  }
  const auto run = [&](auto filter) {
    filter->SetInput(input);
    filter->SetSize(Plain::SizeType{ { 20, 20, 20 } });
    Plain::PointType origin;
    origin[0] = -10.0;
    origin[1] = -10.0;
    origin[2] = 20.0;
    filter->SetOutputOrigin(origin);
    filter->SetDefaultPixelValue(-1.0F);
    filter->Update();
    return filter;
  };
  const auto ours = run(itk::CudaResampleImageFilter<Special, Plain>::New());
  const auto theirs = run(itk::ResampleImageFilter<Special, Plain>::New());
  EXPECT_EQ(ours->GetLastBackend(), itk::CudaSpline::Backend::Superclass);
  EXPECT_NE(ours->GetFallbackReason().find("special coordinates"), std::string::npos);
  EXPECT_EQ(Compare(ours->GetOutput(), theirs->GetOutput()).count, 0);
  EXPECT_GT(FractionOtherThan(theirs->GetOutput(), -1.0), 0.05);
}
