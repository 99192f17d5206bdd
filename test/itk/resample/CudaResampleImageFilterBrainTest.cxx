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
// A real brain. Input: ch2.nii.gz of Debian's package mricron-data (181 x 217 x 181, 1 mm), found in the folder
// CUDASPLINE_DATA or where the package puts it. Expected: ITK's filter in double; nearest neighbours exactly, the
// others within 1e-6 of the range.

#include "ResampleTestSupport.h"

#include "itkEuler3DTransform.h"
#include "itkMinimumMaximumImageCalculator.h"
#include "itkNiftiImageIO.h"
#include "itkImageFileReader.h"

#include <algorithm>
#include <fstream>

using namespace CudaSplineTest;

namespace
{
class CudaResampleImageFilterBrainTest : public OnEachBackend
{};
} // namespace

TEST_P(CudaResampleImageFilterBrainTest, RotatedAboutThreeAxes)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  const char * const folder = std::getenv("CUDASPLINE_DATA");
  const std::string  path = std::string(folder != nullptr ? folder : "/usr/share/mricron/templates") + "/ch2.nii.gz";
  if (!std::ifstream(path))
  {
    GTEST_SKIP() << "There is no " << path << " (Debian's package mricron-data).";
  }
  using Image = itk::Image<float, 3>;
  using Exact = itk::Image<double, 3>;
  auto reader = itk::ImageFileReader<Image>::New();
  reader->SetImageIO(itk::NiftiImageIO::New());
  reader->SetFileName(path);
  reader->Update();
  const Image::Pointer brain = reader->GetOutput();
  ASSERT_EQ(brain->GetBufferedRegion().GetSize(), (Image::SizeType{ { 181, 217, 181 } }));
  auto range = itk::MinimumMaximumImageCalculator<Image>::New();
  range->SetImage(brain);
  range->Compute();
  const double width = range->GetMaximum() - range->GetMinimum();
  EXPECT_GT(width, 100.0);

  // A slab through the middle of the head at 0.8 mm, so that ITK in double takes seconds.
  const auto setUp = [&brain](auto filter, const auto & interpolator) {
    filter->SetInput(brain);
    filter->SetInterpolator(interpolator);
    auto euler = itk::Euler3DTransform<double>::New();
    auto middle = brain->GetBufferedRegion().GetIndex();
    for (unsigned int d = 0; d < 3; ++d)
    {
      middle[d] += static_cast<itk::IndexValueType>(brain->GetBufferedRegion().GetSize(d) / 2);
    }
    itk::Point<double, 3> centre;
    brain->TransformIndexToPhysicalPoint(middle, centre);
    euler->SetCenter(centre);
    euler->SetRotation(0.17, 0.26, 0.35);
    filter->SetTransform(euler);
    filter->SetOutputDirection(brain->GetDirection());
    filter->SetOutputSpacing(Image::SpacingType(0.8));
    filter->SetSize(Image::SizeType{ { 226, 271, 20 } });
    auto origin = brain->GetOrigin();
    for (unsigned int d = 0; d < 3; ++d)
    {
      origin[d] += brain->GetDirection()[d][2] * 80.0;
    }
    filter->SetOutputOrigin(origin);
    filter->Update();
  };
  const std::vector<Interpolator> interpolators{ { "NearestNeighborInterpolateImageFunction", 0 },
                                                 { "LinearInterpolateImageFunction", 0 },
                                                 { "BSplineInterpolateImageFunction", 3 } };
  for (const Interpolator & interpolator : interpolators)
  {
    using Ours = itk::CudaResampleImageFilter<Image, Image>;
    using Theirs = itk::ResampleImageFilter<Image, Exact>;
    const auto ours = Ours::New();
    ours->SetGPUEnabled(this->OnGpu());
    const auto theirs = Theirs::New();
    setUp(ours, MakeInterpolator<Ours>(interpolator, false));
    setUp(theirs, MakeInterpolator<Theirs>(interpolator, true));
    ExpectPromisedBackend(ours.GetPointer(), interpolator.name, this->OnGpu());
    EXPECT_GT(FractionOtherThan(theirs->GetOutput(), 0.0), 0.2);
    const Difference difference = Compare(ours->GetOutput(), theirs->GetOutput());
    EXPECT_LE(difference.maximum, interpolator.name[0] == 'N' ? 0.0 : 1e-6 * width) << interpolator.name;
    this->RecordProperty("maximum_error_of_range_1e9_" + interpolator.name,
                         static_cast<int>(difference.maximum / width * 1e9));

    // In double: rounding, and for the cubic near the low edges ITK's own truncation (1.2e-10 per axis of the largest
    // coefficient).
    using OursInDouble = itk::CudaResampleImageFilter<Image, Exact>;
    const auto inDouble = OursInDouble::New();
    inDouble->SetGPUEnabled(this->OnGpu());
    setUp(inDouble, MakeInterpolator<OursInDouble>(interpolator, false));
    const bool spline = interpolator.order == 3;
    EXPECT_LE(Compare(inDouble->GetOutput(), theirs->GetOutput()).maximum, (spline ? 1e-9 : 1e-12) * width)
      << interpolator.name;
    if (spline)
    {
      double worst = 0.0;
      long   count = 0;
      for (itk::ImageRegionIteratorWithIndex<Exact> it(inDouble->GetOutput(),
                                                       inDouble->GetOutput()->GetBufferedRegion());
           !it.IsAtEnd();
           ++it)
      {
        itk::Point<double, 3> point;
        inDouble->GetOutput()->TransformIndexToPhysicalPoint(it.GetIndex(), point);
        const auto index = brain->template TransformPhysicalPointToContinuousIndex<double>(
          inDouble->GetTransform()->TransformPoint(point));
        if (brain->GetBufferedRegion().IsInside(index) && index[0] > 34.0 && index[1] > 34.0 && index[2] > 34.0)
        {
          ++count;
          worst = std::max(worst, std::abs(it.Get() - theirs->GetOutput()->GetPixel(it.GetIndex())));
        }
      }
      EXPECT_GT(count, 100000);
      EXPECT_LE(worst, 1e-12 * width);
    }
  }
}

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterBrainTest);
