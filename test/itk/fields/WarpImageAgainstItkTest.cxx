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
#include "FieldTestSupport.h"

#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

// Images under a field followed by transforms, compared with itk::ResampleImageFilter under a composite of them.

using namespace CudaSplineTest;
using namespace itk::CudaSpline;

namespace
{

class ImagesWarped : public FieldsAgainstItkOn
{};

INSTANTIATE_TEST_SUITE_P(Backend, ImagesWarped, testing::Bool(), NameOfFieldBackend);

/** Returns the image on the grid of the field by ITK's filter. */
template <typename TImage, typename TTransform>
typename TImage::Pointer
WarpByItk(const TImage * image, const TImage * grid, const TTransform * transform)
{
  auto filter = itk::ResampleImageFilter<TImage, TImage, double>::New();
  filter->SetInput(image);
  filter->SetTransform(transform);
  filter->UseReferenceImageOn();
  filter->SetReferenceImage(grid);
  filter->SetDefaultPixelValue(0);
  if (std::is_same<typename TImage::PixelType, unsigned char>::value)
  {
    filter->SetInterpolator(itk::NearestNeighborInterpolateImageFunction<TImage, double>::New());
  }
  filter->Update();
  return filter->GetOutput();
}

/** \param[in,out] inside counts pixels that are not outside */
template <typename TReal, typename TImage>
void
CheckWarp(const std::vector<std::int64_t> & size, bool hasField, const Residence & residence, std::size_t & inside)
{
  using Pixel = typename TImage::PixelType;
  constexpr unsigned int dimension = TImage::ImageDimension;
  using Field = DisplacementsOf<TReal, dimension>;
  Random     random(__LINE__ + dimension + sizeof(Pixel));
  const auto image = MakeObliqueImage<TImage>(size, true, random);
  for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    image->GetBufferPointer()[i] = static_cast<Pixel>(random.Uniform(1.0, 250.0));
  }
  auto larger = size;
  larger[0] += 5;
  const auto grid = MakeObliqueImage<TImage>(larger, true, random);
  auto       region = grid->GetLargestPossibleRegion();
  region.SetIndex(image->GetLargestPossibleRegion().GetIndex());
  grid->SetRegions(region);
  grid->SetOrigin(image->GetOrigin());
  grid->SetDirection(image->GetDirection());
  // The first sample of both is at the same point, for any spacings, so that a thin image overlaps.
  typename TImage::PointType corner;
  typename TImage::PointType first;
  image->TransformIndexToPhysicalPoint(region.GetIndex(), corner);
  grid->TransformIndexToPhysicalPoint(region.GetIndex(), first);
  grid->SetOrigin(image->GetOrigin() + (corner - first));
  auto field = Field::New();
  field->CopyInformation(grid);
  field->SetRegions(region);
  field->Allocate();
  FillField(field.GetPointer(), 2.0, true, random);
  auto doubleField = itk::DisplacementFieldTransform<double, dimension>::DisplacementFieldType::New();
  doubleField->CopyInformation(grid);
  doubleField->SetRegions(region);
  doubleField->Allocate();
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    for (unsigned int d = 0; d < dimension; ++d)
    {
      doubleField->GetBufferPointer()[i][d] = field->GetBufferPointer()[i][d];
    }
  }
  auto affine = itk::AffineTransform<double, dimension>::New();
  affine->SetCenter(corner);
  affine->Scale(0.97);
  auto turned = itk::AffineTransform<double, dimension>::New();
  turned->SetCenter(corner);
  turned->Rotate(0, 1, 0.05);
  auto transform = itk::DisplacementFieldTransform<double, dimension>::New();
  transform->SetDisplacementField(doubleField);
  auto composite = itk::CompositeTransform<double, dimension>::New();
  composite->AddTransform(turned); // the last one that is added is applied first
  composite->AddTransform(affine);
  if (hasField)
  {
    composite->AddTransform(transform);
  }
  const auto expected = WarpByItk(image.GetPointer(), grid.GetPointer(), composite.GetPointer());

  std::vector<TransformChain::Stage> stages;
  for (const auto & linear : { affine, turned })
  {
    TransformChain::Stage stage;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      stage.offset[r] = linear->GetOffset()[r];
      for (unsigned int c = 0; c < dimension; ++c)
      {
        stage.matrix[r][c] = linear->GetMatrix()[r][c];
      }
    }
    stages.push_back(stage);
  }
  const auto shape = itk::CudaSplineDetail::DescribeField(field.GetPointer());
  const auto displacements = Resident(field.GetPointer(), residence);
  ImageWarp  warp;
  warp.input = itk::CudaSplineDetail::DescribeFieldGrid<dimension>(image, image->GetBufferedRegion());
  warp.output = shape.grid;
  warp.pixel = ScalarTypeOf<Pixel>();
  warp.nearest = std::is_same<Pixel, unsigned char>::value;
  const auto pixels = Resident(image.GetPointer(), residence);
  if (hasField)
  {
    stages.insert(stages.begin(), MakeFieldStage(shape, displacements.Data()));
  }
  warp.stages = stages;
  const ResidentArray output(BytesOf(grid.GetPointer()), residence);
  WarpImage(warp, pixels.Data(), output.Data(), residence);
  std::vector<Pixel> found(region.GetNumberOfPixels());
  Download(found.data(), output.Data(), output.Bytes(), residence);
  std::size_t others = 0; // at a border of the buffer, or between two pixels of a mask
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    const double pixel = expected->GetBufferPointer()[i];
    const double bound = 250.0 * (std::is_same<Pixel, float>::value ? 0x1p-23 : 1e-11);
    inside += pixel != 0.0 ? 1 : 0;
    others += std::abs(static_cast<double>(found[i]) - pixel) <= bound ? 0 : 1;
  }
  EXPECT_LE(others, 1U); // ITK interpolates between the vectors of the field at their points: a rounding decides

  // The field of the whole chain moves each point like the transform.
  const ResidentArray moves(shape.Bytes(), residence);
  MakeField(stages, shape, moves.Data(), residence);
  auto of = LikeImage(field.GetPointer());
  Download(of->GetBufferPointer(), moves.Data(), moves.Bytes(), residence);
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); i += 7)
  {
    const auto                index = of->ComputeIndex(static_cast<itk::OffsetValueType>(i));
    typename Field::PointType place;
    of->TransformIndexToPhysicalPoint(index, place);
    const auto moved = composite->TransformPoint(place);
    for (unsigned int d = 0; d < dimension; ++d)
    {
      ASSERT_NEAR(of->GetPixel(index)[d], moved[d] - place[d], sizeof(TReal) == sizeof(float) ? 1e-5 : 1e-12);
    }
  }
}

/** With and without a field: a random one may move all points out of the grid of a thin image, the maps alone do not.
 */
template <typename TReal, typename TImage>
void
CheckWarps(const std::vector<std::int64_t> & size, const Residence & residence)
{
  std::size_t inside = 0;
  CheckWarp<TReal, TImage>(size, true, residence, inside);
  CheckWarp<TReal, TImage>(size, false, residence, inside);
  EXPECT_GT(inside, 0U);
}

} // namespace

TEST_P(ImagesWarped, AsItkDoes)
{
  const Residence residence = this->MakeResidence();
  CheckWarps<float, itk::Image<float, 2>>({ 23, 17 }, residence);
  CheckWarps<double, itk::Image<float, 3>>({ 13, 11, 7 }, residence);
  CheckWarps<double, itk::Image<double, 2>>({ 19, 31 }, residence);
  CheckWarps<float, itk::Image<double, 3>>({ 29, 19, 2 }, residence);
  CheckWarps<double, itk::Image<unsigned char, 2>>({ 23, 17 }, residence);
  CheckWarps<float, itk::Image<unsigned char, 3>>({ 13, 11, 7 }, residence);
}

// A field on another grid, twice, as stages of any kind.
TEST_P(ImagesWarped, ThroughFieldsOfOtherGrids)
{
  using Image = itk::Image<double, 3>;
  using Field = DisplacementsOf<double, 3>;
  const Residence residence = this->MakeResidence();
  Random          random(__LINE__);
  const auto      image = MakeObliqueImage<Image>({ 13, 11, 7 }, true, random);
  for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    image->GetBufferPointer()[i] = random.Uniform(1.0, 250.0);
  }
  auto field = Field::New();
  field->CopyInformation(image);
  field->SetRegions(image->GetLargestPossibleRegion());
  field->SetSpacing(image->GetSpacing() * 0.9);
  field->Allocate();
  FillField(field.GetPointer(), 2.0, true, random);
  auto transform = itk::DisplacementFieldTransform<double, 3>::New();
  transform->SetDisplacementField(field);
  auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(transform);
  composite->AddTransform(transform);
  const auto expected = WarpByItk(image.GetPointer(), image.GetPointer(), composite.GetPointer());
  const auto displacements = Resident(field.GetPointer(), residence);
  const auto pixels = Resident(image.GetPointer(), residence);
  ImageWarp  warp;
  warp.input = warp.output = itk::CudaSplineDetail::DescribeFieldGrid<3>(image, image->GetBufferedRegion());
  warp.pixel = ScalarType::Float64;
  const auto stage = MakeFieldStage(itk::CudaSplineDetail::DescribeField(field.GetPointer()), displacements.Data());
  warp.stages = { stage, stage };
  const ResidentArray output(pixels.Bytes(), residence);
  WarpImage(warp, pixels.Data(), output.Data(), residence);
  std::vector<double> found(image->GetBufferedRegion().GetNumberOfPixels());
  Download(found.data(), output.Data(), output.Bytes(), residence);
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_NEAR(found[i], expected->GetBufferPointer()[i], 1e-10) << i;
  }
}

TEST_P(ImagesWarped, RefuseWhatIsNoImage)
{
  const Residence     residence = this->MakeResidence();
  const ResidentArray output(1024, residence);
  ImageWarp           warp;
  warp.pixel = ScalarType::Int16;
  EXPECT_THROW(WarpImage(warp, output.Data(), output.Data(), residence), std::invalid_argument);
  warp.pixel = ScalarType::UInt8; // linear
  EXPECT_THROW(WarpImage(warp, output.Data(), output.Data(), residence), std::invalid_argument);
  warp.pixel = ScalarType::Float32;
  warp.input.dimension = 2;
  EXPECT_THROW(WarpImage(warp, output.Data(), output.Data(), residence), std::invalid_argument);
  warp.input.dimension = 3;
  warp.stages.resize(MaximumWarpStages + 1);
  EXPECT_THROW(WarpImage(warp, output.Data(), output.Data(), residence), std::invalid_argument);
  const FieldShape shape;
  EXPECT_THROW(MakeField(warp.stages, shape, output.Data(), residence), std::invalid_argument);
}
