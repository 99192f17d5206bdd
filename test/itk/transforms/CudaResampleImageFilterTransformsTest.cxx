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
// CudaResampleImageFilter under transforms that are not linear. Expected values: ITK's filter, with double output and
// double coefficients. Tolerance: 1e-9 of the range. A voxel may differ by more (it flips) only where its continuous
// index, by ITK's own functions, is within 1e-9 of the border of the image, or for nearest neighbours of a tie; flips
// are counted.

#include "TransformTestSupport.h"

using namespace CudaSplineTest;

namespace
{

const std::vector<Interpolator> TheInterpolators{ { "NearestNeighborInterpolateImageFunction", 0 },
                                                  { "LinearInterpolateImageFunction", 0 },
                                                  { "BSplineInterpolateImageFunction", 3 } };

template <unsigned int VDimension>
bool
IsDescribed(const itk::Transform<double, VDimension, VDimension> * transform)
{
  itk::CudaSpline::TransformChain chain;
  return itk::CudaSplineDetail::TransformDescriber<VDimension>::Append(transform, chain);
}

/** Returns random velocities at four times, on a grid about the position of MakePhantom(). */
template <unsigned int VDimension>
typename itk::VelocityFieldTransform<double, VDimension>::VelocityFieldType::Pointer
MakeVelocityOfTime(unsigned int seed)
{
  using Velocity = typename itk::VelocityFieldTransform<double, VDimension>::VelocityFieldType;
  const auto                     transform = MakeFieldTransform<VDimension>(seed, false);
  const auto * const             field = transform->GetDisplacementField();
  auto                           velocity = Velocity::New();
  typename Velocity::SizeType    size;
  typename Velocity::SpacingType spacing;
  auto                           origin = velocity->GetOrigin();
  auto                           direction = velocity->GetDirection();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    size[d] = field->GetBufferedRegion().GetSize(d);
    spacing[d] = field->GetSpacing()[d];
    origin[d] = field->GetOrigin()[d];
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      direction[d][c] = field->GetDirection()[d][c];
    }
  }
  size[VDimension] = 4;
  spacing[VDimension] = 1.0;
  velocity->SetRegions(size);
  velocity->SetSpacing(spacing);
  velocity->SetOrigin(origin);
  velocity->SetDirection(direction);
  velocity->Allocate();
  std::mt19937                           random(seed);
  std::uniform_real_distribution<double> uniform(-4.0, 4.0);
  for (itk::ImageRegionIteratorWithIndex<Velocity> it(velocity, velocity->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    typename Velocity::PixelType vector;
    std::generate_n(vector.Begin(), VDimension, [&] { return uniform(random); });
    it.Set(vector);
  }
  return velocity;
}

class CudaResampleImageFilterTransforms : public OnEachBackend
{
protected:
  /** Expects agreement with a transform by a displacement field, which the kernels evaluate. */
  template <unsigned int VDimension>
  void
  ExpectDescribed(const itk::DisplacementFieldTransform<double, VDimension> * transform)
  {
    SCOPED_TRACE(transform->GetNameOfClass());
    EXPECT_TRUE(IsDescribed<VDimension>(transform));
    this->ExpectAgreement<double, VDimension>(transform, "displacement");
  }

  /** Does the same for a class with a random field. */
  template <typename TTransform>
  void
  ExpectDisplacement()
  {
    const auto source = MakeFieldTransform<TTransform::Dimension>(30, false);
    auto       transform = TTransform::New();
    transform->SetDisplacementField(source->GetModifiableDisplacementField());
    transform->GetModifiableInterpolator()->SetInputImage(
      source->GetDisplacementField()); // velocity fields compute it differently
    this->ExpectDescribed<TTransform::Dimension>(transform.GetPointer());
  }

  /** Compares ITK's result with ours for the three interpolators. */
  template <typename TPrecision, unsigned int VDimension>
  void
  ExpectAgreement(const itk::Transform<TPrecision, VDimension, VDimension> * transform, const std::string & kind)
  {
    using Input = itk::Image<float, VDimension>;
    using Output = itk::Image<double, VDimension>;
    using Ours = itk::CudaResampleImageFilter<Input, Output, TPrecision, TPrecision>;
    using Theirs = itk::ResampleImageFilter<Input, Output, TPrecision, TPrecision>;
    const auto input = MakePhantom<Input>(0.0, 100.0);
    for (const Interpolator & interpolator : TheInterpolators)
    {
      SCOPED_TRACE(kind + ", " + interpolator.name + ", " + std::to_string(VDimension) + "D");
      const auto run = [&](auto filter, bool itkOnly) {
        using Filter = typename decltype(filter)::ObjectType;
        filter->SetInput(input);
        SetOutputGrid(filter.GetPointer(), input.GetPointer());
        filter->SetTransform(transform);
        filter->SetInterpolator(MakeInterpolator<Filter>(interpolator, itkOnly));
        filter->SetDefaultPixelValue(-7.5);
        filter->Update();
      };
      auto ours = Ours::New();
      ours->SetGPUEnabled(this->OnGpu());
      run(ours, false);
      auto theirs = Theirs::New();
      run(theirs, true);
      ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu(), kind);
      const bool isNearest = interpolator.name == "NearestNeighborInterpolateImageFunction";
      ExpectSameButForFlips(
        ours->GetOutput(), theirs->GetOutput(), input.GetPointer(), transform, isNearest, 100.0 * 1e-9);
      // Some inside, some outside.
      const double inside = FractionOtherThan(theirs->GetOutput(), -7.5);
      EXPECT_GT(inside, 0.2);
      EXPECT_LT(inside, 0.999);

      // A part equals the same part of the whole.
      auto region = ours->GetOutput()->GetLargestPossibleRegion();
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        region.SetIndex(d, region.GetIndex(d) + 7 + d);
        region.SetSize(d, region.GetSize(d) / 2);
      }
      auto part = Ours::New();
      part->SetGPUEnabled(this->OnGpu());
      part->SetInput(input);
      SetOutputGrid(part.GetPointer(), input.GetPointer());
      part->SetTransform(transform);
      part->SetInterpolator(MakeInterpolator<Ours>(interpolator, false));
      part->SetDefaultPixelValue(-7.5);
      part->UpdateOutputInformation();
      part->GetOutput()->SetRequestedRegion(region);
      part->GetOutput()->Update();
      EXPECT_EQ(part->GetOutput()->GetBufferedRegion(), region);
      for (itk::ImageRegionConstIteratorWithIndex<Output> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
      {
        ASSERT_EQ(it.Get(), ours->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
      }
    }
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterTransforms);

} // namespace

TEST_P(CudaResampleImageFilterTransforms, BSplineIn2D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<double, 2>(MakeSplineTransform<double, 2, 1>(1).GetPointer(), "bspline");
  this->ExpectAgreement<double, 2>(MakeSplineTransform<double, 2, 2>(2).GetPointer(), "bspline");
  this->ExpectAgreement<double, 2>(MakeSplineTransform<double, 2, 3>(3).GetPointer(), "bspline");
  EXPECT_TRUE(IsDescribed<2>(MakeSplineTransform<double, 2, 3>(3).GetPointer()));
}

TEST_P(CudaResampleImageFilterTransforms, BSplineIn3D)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<double, 3>(MakeSplineTransform<double, 3, 1>(4).GetPointer(), "bspline");
  this->ExpectAgreement<double, 3>(MakeSplineTransform<double, 3, 2>(5).GetPointer(), "bspline");
  this->ExpectAgreement<double, 3>(MakeSplineTransform<double, 3, 3>(6).GetPointer(), "bspline");
  EXPECT_TRUE(IsDescribed<3>(MakeSplineTransform<double, 3, 3>(6).GetPointer()));
}

// Samples exactly on the edges of the grid. ITK treats those at the upper edge, to some units of the last place, as
// inside.
TEST_P(CudaResampleImageFilterTransforms, EdgesOfTheGrid)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  using Image = itk::Image<double, 2>;
  auto input = Image::New();
  input->SetRegions(Image::SizeType{ { 60, 60 } });
  const double spacing[] = { 1.0, 0.1 };
  input->SetSpacing(spacing);
  input->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(input, input->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<double>(it.GetIndex()[0] * 3 + it.GetIndex()[1] * it.GetIndex()[1]));
  }
  const auto compare = [&](auto transform) {
    using Transform = typename decltype(transform)::ObjectType;
    typename Transform::MeshSizeType mesh;
    mesh.Fill(5);
    transform->SetTransformDomainMeshSize(mesh);
    transform->SetTransformDomainOrigin(input->GetOrigin());
    typename Transform::PhysicalDimensionsType size;
    size[0] = 40.0;
    size[1] = 4.7;
    transform->SetTransformDomainPhysicalDimensions(size);
    auto parameters = transform->GetParameters();
    for (unsigned int i = 0; i < parameters.Size(); ++i)
    {
      parameters[i] = 0.3 + 0.1 * std::sin(0.7 * i);
    }
    transform->SetParameters(parameters);
    ASSERT_TRUE(IsDescribed<2>(transform.GetPointer()));
    const auto run = [&](auto filter) {
      filter->SetInput(input);
      filter->SetSize(Image::SizeType{ { 60, 60 } });
      filter->SetOutputSpacing(input->GetSpacing());
      filter->SetTransform(transform);
      filter->Update();
      return filter;
    };
    auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
    filter->SetGPUEnabled(this->OnGpu());
    const auto ours = run(filter);
    const auto theirs = run(itk::ResampleImageFilter<Image, Image>::New());
    ExpectPromisedBackend(ours.GetPointer(), "LinearInterpolateImageFunction", this->OnGpu(), "bspline");
    EXPECT_LE(Compare(ours->GetOutput(), theirs->GetOutput()).maximum, 1e-8);
    // The edge is inside; points beyond it are not moved.
    EXPECT_NE(ours->GetOutput()->GetPixel({ { 40, 20 } }), input->GetPixel({ { 40, 20 } }));
    EXPECT_EQ(ours->GetOutput()->GetPixel({ { 41, 20 } }), input->GetPixel({ { 41, 20 } }));
  };
  compare(itk::BSplineTransform<double, 2, 1>::New());
  compare(itk::BSplineTransform<double, 2, 2>::New());
  compare(itk::BSplineTransform<double, 2, 3>::New());
}

TEST_P(CudaResampleImageFilterTransforms, DisplacementField)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  for (const bool nearest : { false, true })
  {
    const auto plane = MakeFieldTransform<2>(7, nearest);
    EXPECT_TRUE(IsDescribed<2>(plane.GetPointer()));
    this->ExpectAgreement<double, 2>(plane.GetPointer(), "displacement");
    const auto volume = MakeFieldTransform<3>(8, nearest);
    EXPECT_TRUE(IsDescribed<3>(volume.GetPointer()));
    this->ExpectAgreement<double, 3>(volume.GetPointer(), "displacement");
  }
}

// All of ITK's classes that move points by a displacement field, for any origin of the field.
TEST_P(CudaResampleImageFilterTransforms, SubclassesWithAFieldOfTheirOwn)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectDisplacement<itk::VelocityFieldTransform<double, 2>>();
  this->ExpectDisplacement<itk::GaussianSmoothingOnUpdateDisplacementFieldTransform<double, 2>>();
  this->ExpectDisplacement<itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<double, 3>>();
}

TEST_P(CudaResampleImageFilterTransforms, SubclassesThatExponentiateAVelocity)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto expect = [this](auto transform) {
    transform->SetConstantVelocityField(MakeFieldTransform<2>(31, false)->GetModifiableDisplacementField());
    transform->IntegrateVelocityField();
    this->ExpectDescribed(transform.GetPointer());
  };
  expect(itk::ConstantVelocityFieldTransform<double, 2>::New());
  expect(itk::GaussianExponentialDiffeomorphicTransform<double, 2>::New());
  expect(itk::BSplineExponentialDiffeomorphicTransform<double, 2>::New());
}

TEST_P(CudaResampleImageFilterTransforms, SubclassesThatIntegrateAVelocityOfTime)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto expect = [this](auto transform) {
    transform->SetVelocityField(MakeVelocityOfTime<2>(32));
    transform->IntegrateVelocityField();
    this->ExpectDescribed(transform.GetPointer());
    return transform;
  };
  expect(itk::GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<double, 2>::New());
  const auto forward = expect(itk::TimeVaryingVelocityFieldTransform<double, 2>::New());
  auto       spline = itk::TimeVaryingBSplineVelocityFieldTransform<double, 2>::New();
  const auto velocity = MakeVelocityOfTime<2>(33); // also as control points
  spline->SetVelocityFieldOrigin(velocity->GetOrigin());
  spline->SetVelocityFieldSpacing(velocity->GetSpacing());
  spline->SetVelocityFieldSize(velocity->GetBufferedRegion().GetSize());
  spline->SetVelocityFieldDirection(velocity->GetDirection());
  expect(spline);

  // An inverse may use the same interpolator as the transform, which then reads the field of the inverse (ITK 5). ITK's
  // filter does the same.
  const auto inverse = forward->GetInverseTransform();
  EXPECT_EQ(IsDescribed<2>(forward.GetPointer()),
            forward->GetInterpolator()->GetInputImage() == forward->GetDisplacementField());
  this->ExpectAgreement<double, 2>(forward.GetPointer(), "displacement");
  EXPECT_TRUE(IsDescribed<2>(inverse.GetPointer()));
  this->ExpectAgreement<double, 2>(inverse.GetPointer(), "displacement");
}

TEST_P(CudaResampleImageFilterTransforms, Composite)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = MakeCompositeTransform<2>();
  EXPECT_TRUE(IsDescribed<2>(plane.GetPointer()));
  this->ExpectAgreement<double, 2>(plane.GetPointer(), "composite");
  const auto volume = MakeCompositeTransform<3>();
  EXPECT_TRUE(IsDescribed<3>(volume.GetPointer()));
  this->ExpectAgreement<double, 3>(volume.GetPointer(), "composite");
}

TEST_P(CudaResampleImageFilterTransforms, AUsersOwn)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const auto plane = Wave<2>::New();
  EXPECT_FALSE(IsDescribed<2>(plane.GetPointer()));
  this->ExpectAgreement<double, 2>(plane.GetPointer(), "other");
  this->ExpectAgreement<double, 3>(Wave<3>::New().GetPointer(), "other");

  auto composite = itk::CompositeTransform<double, 2>::New();
  composite->AddTransform(MakeSplineTransform<double, 2, 3>(9));
  composite->AddTransform(plane);
  EXPECT_FALSE(IsDescribed<2>(composite.GetPointer()));
  this->ExpectAgreement<double, 2>(composite.GetPointer(), "composite");
}

TEST_P(CudaResampleImageFilterTransforms, AUsersLinearOneInAComposite)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  // Its matrix differs from its map.
  auto composite = itk::CompositeTransform<double, 2>::New();
  composite->AddTransform(MakeSplineTransform<double, 2, 3>(9));
  composite->AddTransform(LinearOfItsOwn<2>::New());
  EXPECT_FALSE(IsDescribed<2>(composite.GetPointer()));
  this->ExpectAgreement<double, 2>(composite.GetPointer(), "composite");
}

// The superclass uses only TransformPoint(): a transform without a matrix is not an error.
TEST_P(CudaResampleImageFilterTransforms, AUsersLinearOneWithoutAJacobian)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<double, 2>(MinimalLinear<2>::New().GetPointer(), "linear");
  auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(MakeSplineTransform<double, 3, 3>(9));
  composite->AddTransform(MinimalLinear<3>::New());
  EXPECT_FALSE(IsDescribed<3>(composite.GetPointer()));
  this->ExpectAgreement<double, 3>(composite.GetPointer(), "composite");
}

TEST_P(CudaResampleImageFilterTransforms, FloatPrecision)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<float, 2>(MakeSplineTransform<float, 2, 3>(10).GetPointer(), "bspline");
  this->ExpectAgreement<float, 3>(MakeSplineTransform<float, 3, 3>(11).GetPointer(), "bspline");
}
