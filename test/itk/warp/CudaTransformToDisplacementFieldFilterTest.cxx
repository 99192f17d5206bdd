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
// CudaTransformToDisplacementFieldFilter. Expected values: ITK's filter. Linear transforms the same to the bit; others
// to 1e-12 of the coordinates (100 mm), and once rounded to float to one unit of the last place, but at samples within
// 1e-9 of a border of the transform's grid, beyond which it does not move them: none is that close here.

#include "TransformTestSupport.h"
#include "WarpTestSupport.h"

#include "itkCudaTransformToDisplacementFieldFilter.h"

#include "itkTranslationTransform.h"

#include <algorithm>

using namespace CudaSplineTest;

namespace
{

template <typename TPrecision, unsigned int VDimension>
using TransformOf = itk::Transform<TPrecision, VDimension, VDimension>;

/** Returns the largest difference of two fields; infinity if their regions differ. */
template <typename TField>
double
LargestDifference(const TField * a, const TField * b)
{
  if (a->GetBufferedRegion() != b->GetBufferedRegion())
  {
    return std::numeric_limits<double>::infinity();
  }
  double                                         largest = 0.0;
  itk::ImageRegionConstIteratorWithIndex<TField> itB(b, b->GetBufferedRegion());
  for (itk::ImageRegionConstIteratorWithIndex<TField> it(a, a->GetBufferedRegion()); !it.IsAtEnd(); ++it, ++itB)
  {
    for (unsigned int d = 0; d < TField::ImageDimension; ++d)
    {
      const double difference = std::abs(static_cast<double>(it.Get()[d]) - static_cast<double>(itB.Get()[d]));
      largest = std::max(largest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
    }
  }
  return largest;
}

class CudaTransformToDisplacementFieldFilter : public OnEachBackend
{
protected:
  template <typename TField, typename TPrecision>
  void
  ExpectAgreement(const TransformOf<TPrecision, TField::ImageDimension> * transform,
                  const std::string &                                     kind,
                  double                                                  tolerance)
  {
    constexpr unsigned int VDimension = TField::ImageDimension;
    using Ours = itk::CudaTransformToDisplacementFieldFilter<TField, TPrecision>;
    using Theirs = itk::TransformToDisplacementFieldFilter<TField, TPrecision>;
    using Phantom = itk::Image<float, VDimension>;
    SCOPED_TRACE(kind + ", " + std::to_string(VDimension) + "D");
    const auto phantom = MakePhantom<Phantom>(0.0, 1.0);
    auto       grid = itk::ResampleImageFilter<Phantom, Phantom>::New();
    grid->SetInput(phantom);
    SetOutputGrid(grid.GetPointer(), phantom.GetPointer());
    grid->UpdateOutputInformation();
    const auto setUp = [&](auto filter) {
      filter->SetTransform(transform);
      filter->SetSize(grid->GetSize());
      filter->SetOutputStartIndex(grid->GetOutputStartIndex());
      filter->SetOutputSpacing(grid->GetOutputSpacing());
      filter->SetOutputOrigin(grid->GetOutputOrigin());
      filter->SetOutputDirection(grid->GetOutputDirection());
    };
    auto ours = Ours::New();
    ours->SetGPUEnabled(this->OnGpu());
    setUp(ours);
    ours->Update();
    auto theirs = Theirs::New();
    setUp(theirs);
    theirs->Update();
    EXPECT_EQ(ours->GetLastBackend(),
              PromisedBackend({ "CudaTransformToDisplacementFieldFilter",
                                "vector",
                                std::to_string(VDimension),
                                "-",
                                std::is_same<TPrecision, float>::value && kind != "linear" ? kind + " of float" : kind,
                                "-" },
                              this->OnGpu()))
      << ours->GetFallbackReason();
    EXPECT_LE(LargestDifference(ours->GetOutput(), theirs->GetOutput()), tolerance);

    // A part equals the same part of the whole.
    auto region = ours->GetOutput()->GetLargestPossibleRegion();
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      region.SetIndex(d, region.GetIndex(d) + 7 + d);
      region.SetSize(d, region.GetSize(d) / 2);
    }
    auto part = Ours::New();
    part->SetGPUEnabled(this->OnGpu());
    setUp(part);
    part->UpdateOutputInformation();
    part->GetOutput()->SetRequestedRegion(region);
    part->GetOutput()->Update();
    EXPECT_EQ(part->GetOutput()->GetBufferedRegion(), region);
    for (itk::ImageRegionConstIteratorWithIndex<TField> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
    {
      ASSERT_EQ(it.Get(), ours->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
    }
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaTransformToDisplacementFieldFilter);

/** A user's own transform that reports that it is not linear. Wave does not override this of its base class. */
template <unsigned int VDimension>
class BentWave : public Wave<VDimension>
{
public:
  using Self = BentWave;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);
  bool
  IsLinear() const override
  {
    return false;
  }
};

constexpr double PreciseTolerance = 1e-10;
constexpr double SingleTolerance = 2.4e-7 * 4.0; // a unit of the last place of displacements of up to 8 mm

} // namespace

TEST_P(CudaTransformToDisplacementFieldFilter, Linear)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<double, 2>, double>(MakeAffineTransform<2>(0.3).GetPointer(), "linear", 0.0);
  this->ExpectAgreement<FieldOf<float, 3>, double>(MakeAffineTransform<3>(0.3).GetPointer(), "linear", 0.0);
  auto translation = itk::TranslationTransform<float, 2>::New();
  auto offset = translation->GetOffset();
  offset[0] = 0.3F;
  offset[1] = -2.1F;
  translation->SetOffset(offset);
  this->ExpectAgreement<FieldOf<double, 2>, float>(translation.GetPointer(), "linear", 0.0);
  // A composite of linear transforms is linear, and a user's own transform computes its own map.
  auto composite = itk::CompositeTransform<double, 2>::New();
  composite->AddTransform(MakeAffineTransform<2>(0.2));
  composite->AddTransform(MakeAffineTransform<2>(-0.7));
  this->ExpectAgreement<FieldOf<double, 2>, double>(composite.GetPointer(), "linear", 0.0);
  this->ExpectAgreement<FieldOf<double, 2>, double>(LinearOfItsOwn<2>::New().GetPointer(), "linear", 0.0);
}

TEST_P(CudaTransformToDisplacementFieldFilter, BSplines)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<double, 2>, double>(
    MakeSplineTransform<double, 2, 1>(1).GetPointer(), "bspline", PreciseTolerance);
  this->ExpectAgreement<FieldOf<double, 2>, double>(
    MakeSplineTransform<double, 2, 3>(2).GetPointer(), "bspline", PreciseTolerance);
  this->ExpectAgreement<FieldOf<double, 3>, double>(
    MakeSplineTransform<double, 3, 3>(3).GetPointer(), "bspline", PreciseTolerance);
  this->ExpectAgreement<FieldOf<float, 3>, double>(
    MakeSplineTransform<double, 3, 2>(4).GetPointer(), "bspline", SingleTolerance);
}

TEST_P(CudaTransformToDisplacementFieldFilter, FieldsAndComposites)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<double, 2>, double>(
    MakeFieldTransform<2>(5, false).GetPointer(), "displacement", PreciseTolerance);
  this->ExpectAgreement<FieldOf<double, 3>, double>(
    MakeFieldTransform<3>(6, true).GetPointer(), "displacement", PreciseTolerance);
  this->ExpectAgreement<FieldOf<double, 3>, double>(
    MakeCompositeTransform<3>().GetPointer(), "composite", PreciseTolerance);
  this->ExpectAgreement<FieldOf<float, 2>, double>(
    MakeCompositeTransform<2>().GetPointer(), "composite", SingleTolerance);
}

TEST_P(CudaTransformToDisplacementFieldFilter, OthersAreItks)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<FieldOf<double, 2>, double>(BentWave<2>::New().GetPointer(), "other", 0.0);
  this->ExpectAgreement<FieldOf<double, 2>, float>(MakeSplineTransform<float, 2, 3>(7).GetPointer(), "bspline", 0.0);
}

// A field that was made from a transform has the same displacements on its grid.
TEST_P(CudaTransformToDisplacementFieldFilter, ReferenceImage)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Field = FieldOf<double, 2>;
  const auto phantom = MakePhantom<itk::Image<float, 2>>(0.0, 1.0);
  const auto transform = MakeSplineTransform<double, 2, 3>(8);
  const auto affine = MakeAffineTransform<2>(0.1);
  auto       filter = itk::CudaTransformToDisplacementFieldFilter<Field>::New();
  filter->SetGPUEnabled(this->OnGpu());
  filter->SetTransform(transform);
  filter->SetReferenceImage(phantom);
  filter->UseReferenceImageOn();
  filter->Update();
  EXPECT_NE(filter->GetLastBackend(), itk::CudaSpline::Backend::Superclass) << filter->GetFallbackReason();
  EXPECT_EQ(filter->GetOutput()->GetLargestPossibleRegion(), phantom->GetLargestPossibleRegion());
  double moved = 0.0;
  for (itk::ImageRegionConstIteratorWithIndex<Field> it(filter->GetOutput(), phantom->GetLargestPossibleRegion());
       !it.IsAtEnd();
       ++it)
  {
    Field::PointType point;
    phantom->TransformIndexToPhysicalPoint(it.GetIndex(), point);
    ASSERT_LE((transform->TransformPoint(point) - (point + it.Get())).GetNorm(), PreciseTolerance);
    moved = std::max(moved, it.Get().GetNorm());
  }
  EXPECT_GT(moved, 1.0);

  // Nothing is computed.
  for (const TransformOf<double, 2> * const any :
       { static_cast<const TransformOf<double, 2> *>(transform), static_cast<const TransformOf<double, 2> *>(affine) })
  {
    auto empty = itk::CudaTransformToDisplacementFieldFilter<Field>::New();
    empty->SetGPUEnabled(this->OnGpu());
    empty->SetTransform(any);
    empty->Update();
    EXPECT_EQ(empty->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
  }
}
