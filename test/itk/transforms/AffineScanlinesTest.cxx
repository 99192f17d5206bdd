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
// Scanlines that a device makes of the description of a linear transform. Expected: the points of ITK's own functions,
// to the bit, on the host; the kernels run the same functions.

#include "../math/itk/RandomGeometry.h"

#include "TransformTestSupport.h"

#include "itkCudaSpline/itk/ScanlineMapper.h"

#include "itkCenteredAffineTransform.h"
#include "itkCenteredEuler3DTransform.h"
#include "itkCenteredRigid2DTransform.h"
#include "itkCenteredSimilarity2DTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkIdentityTransform.h"
#include "itkQuaternionRigidTransform.h"
#include "itkRigid2DTransform.h"
#include "itkScaleSkewVersor3DTransform.h"
#include "itkScaleTransform.h"
#include "itkScaleVersor3DTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkVersorRigid3DTransform.h"
#include "itkVersorTransform.h"

using namespace CudaSplineTest;
using itk::CudaSpline::ScanlineEnds;

namespace
{

template <unsigned int VDimension>
using LinearTransform = itk::Transform<double, VDimension, VDimension>;

template <unsigned int VDimension>
using Describer = itk::CudaSplineDetail::TransformDescriber<VDimension>;

/** Returns a transform with parameters near the identity, about a random centre. */
template <typename TTransform>
typename TTransform::Pointer
MakeRandom(Random & random)
{
  const auto transform = TTransform::New();
  auto       parameters = transform->GetParameters();
  auto       fixed = transform->GetFixedParameters();
  if (parameters.Size() == 0)
  {
    return transform; // the identity
  }
  for (unsigned int k = 0; k < fixed.Size(); ++k)
  {
    fixed[k] = k < TTransform::InputSpaceDimension ? random.Uniform(-80.0, 80.0) : 0.0;
  }
  transform->SetFixedParameters(fixed);
  for (unsigned int k = 0; k < parameters.Size(); ++k)
  {
    parameters[k] += random.Uniform(-0.3, 0.3);
  }
  transform->SetParameters(parameters);
  return transform;
}

template <unsigned int VDimension>
void
ExpectScanlinesOfItk(const LinearTransform<VDimension> * transform, Random & random)
{
  using Image = itk::Image<float, VDimension>;
  SCOPED_TRACE(std::string(transform->GetNameOfClass()) + ", " + std::to_string(VDimension) + "D");
  const auto input = Image::New();
  const auto output = Image::New();
  SetRandomGeometry(input.GetPointer(), random);
  SetRandomGeometry(output.GetPointer(), random);
  output->SetRequestedRegionToLargestPossibleRegion();

  itk::CudaSpline::TransformChain chain;
  ASSERT_TRUE(Describer<VDimension>::AppendScanlines(transform, chain));
  itk::CudaSpline::TransformChain::Matrix unused{};
  itk::CudaSplineDetail::DescribeAxes<VDimension>(input.GetPointer(), chain.inputOrigin, unused, chain.pointToIndex);
  itk::CudaSplineDetail::DescribeAxes<VDimension>(output.GetPointer(), chain.outputOrigin, chain.indexToPoint, unused);
  const auto & region = output->GetLargestPossibleRegion();
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    chain.regionStart[d] = region.GetIndex(d);
    chain.regionSize[d] = static_cast<std::int64_t>(region.GetSize(d));
  }
  const auto scanlines = itk::CudaSpline::ScanlinesOf<VDimension>(chain);

  const itk::CudaSplineDetail::ScanlineMapper<Image, Image, double, double> mapper(input, output, transform);
  const auto expected = mapper.MapScanlines(itk::CudaSpline::ExecutionContext());
  const auto lines = static_cast<std::int64_t>(region.GetNumberOfPixels() / region.GetSize(0));
  for (std::int64_t line = 0; line < lines; ++line)
  {
    ScanlineEnds<VDimension> indices;
    ScanlineEnds<VDimension> displacements;
    scanlines.EndsOf(line, indices);
    scanlines.DisplacementsOf(line, displacements);
    auto at = itk::CudaSplineDetail::StartOfLine(region, line);
    for (const bool isEnd : { false, true })
    {
      at[0] += isEnd ? static_cast<itk::IndexValueType>(region.GetSize(0)) : 0;
      typename Image::PointType point;
      output->TransformIndexToPhysicalPoint(at, point);
      const auto displacement = transform->TransformPoint(point) - point;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        ASSERT_EQ((isEnd ? indices.end : indices.start)[d],
                  expected[(line * 2 + (isEnd ? 1 : 0)) * std::int64_t{ VDimension } + d])
          << line;
        ASSERT_EQ((isEnd ? displacements.end : displacements.start)[d], displacement[d]) << line;
      }
    }
  }
}

template <typename... TTransforms>
void
ExpectScanlinesOfItks(Random & random)
{
  for (int trial = 0; trial < 10; ++trial)
  {
    (ExpectScanlinesOfItk<TTransforms::InputSpaceDimension>(MakeRandom<TTransforms>(random).GetPointer(), random), ...);
  }
}

template <unsigned int VDimension>
bool
HasScanlines(const LinearTransform<VDimension> * transform)
{
  itk::CudaSpline::TransformChain chain;
  return Describer<VDimension>::AppendScanlines(transform, chain);
}

template <unsigned int VDimension>
void
ExpectOthersHaveNone(Random & random)
{
  using Composite = itk::CompositeTransform<double, VDimension>;
  const auto scale = MakeRandom<itk::ScaleTransform<double, VDimension>>(random);
  const auto affine = MakeRandom<itk::AffineTransform<double, VDimension>>(random);
  EXPECT_FALSE(HasScanlines<VDimension>(scale)) << "it subtracts its centre";
  EXPECT_FALSE(HasScanlines<VDimension>(LinearOfItsOwn<VDimension>::New()));
  EXPECT_FALSE(HasScanlines<VDimension>(MinimalLinear<VDimension>::New()));
  EXPECT_FALSE(HasScanlines<VDimension>(MakeFieldTransform<VDimension>(3, false)));
  const auto mixed = Composite::New();
  mixed->AddTransform(affine);
  mixed->AddTransform(scale);
  EXPECT_FALSE(HasScanlines<VDimension>(mixed));
  const auto many = Composite::New();
  for (int n = 0; n <= itk::CudaSpline::MaxAffineStages; ++n)
  {
    many->AddTransform(affine);
  }
  EXPECT_FALSE(HasScanlines<VDimension>(many)) << "too many stages";
}

template <unsigned int VDimension>
void
ExpectComposites(Random & random)
{
  using Composite = itk::CompositeTransform<double, VDimension>;
  const auto inner = Composite::New();
  inner->AddTransform(MakeRandom<itk::TranslationTransform<double, VDimension>>(random));
  inner->AddTransform(MakeRandom<itk::AffineTransform<double, VDimension>>(random));
  const auto outer = Composite::New();
  outer->AddTransform(MakeRandom<itk::AffineTransform<double, VDimension>>(random));
  outer->AddTransform(inner);
  outer->AddTransform(MakeRandom<itk::IdentityTransform<double, VDimension>>(random));
  ExpectScanlinesOfItk<VDimension>(outer, random);
}

} // namespace

TEST(AffineScanlines, AreItks)
{
  Random random(__LINE__);
  ExpectScanlinesOfItks<itk::AffineTransform<double, 2>,
                        itk::CenteredAffineTransform<double, 2>,
                        itk::CenteredRigid2DTransform<double>,
                        itk::CenteredSimilarity2DTransform<double>,
                        itk::Euler2DTransform<double>,
                        itk::IdentityTransform<double, 2>,
                        itk::MatrixOffsetTransformBase<double, 2, 2>,
                        itk::Rigid2DTransform<double>,
                        itk::Similarity2DTransform<double>,
                        itk::TranslationTransform<double, 2>>(random);
  ExpectScanlinesOfItks<itk::AffineTransform<double, 3>,
                        itk::CenteredAffineTransform<double, 3>,
                        itk::CenteredEuler3DTransform<double>,
                        itk::Euler3DTransform<double>,
                        itk::IdentityTransform<double, 3>,
                        itk::MatrixOffsetTransformBase<double, 3, 3>,
                        itk::QuaternionRigidTransform<double>,
                        itk::ScaleSkewVersor3DTransform<double>,
                        itk::ScaleVersor3DTransform<double>,
                        itk::Similarity3DTransform<double>,
                        itk::TranslationTransform<double, 3>,
                        itk::VersorRigid3DTransform<double>,
                        itk::VersorTransform<double>>(random);
}

TEST(AffineScanlines, OfComposites)
{
  Random random(__LINE__);
  ExpectComposites<2>(random);
  ExpectComposites<3>(random);
}

TEST(AffineScanlines, OtherTransformsHaveNone)
{
  Random random(__LINE__);
  ExpectOthersHaveNone<2>(random);
  ExpectOthersHaveNone<3>(random);
}
