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
// CudaResampleImageFilter of complex pixels, for which ITK's filter compiles with itkCudaSplineComplexPixels.h.
// Expected values: of nearest neighbours and linear interpolation ITK's filter, of B-splines ITK's of each part.
// Tolerance as in CudaResampleImageFilterVectorTest.

#include "itkCudaSplineComplexPixels.h"

#include "VectorTestSupport.h"

#include "itkCudaVectorBSplineInterpolateImageFunction.h"

using namespace CudaSplineTest;

namespace
{

class CudaResampleImageFilterComplex : public OnEachBackend
{
protected:
  template <typename TReal>
  void
  ExpectAgreement(double tolerance)
  {
    using Image = itk::Image<std::complex<TReal>, 2>;
    using Parts = itk::Image<TReal, 2>;
    const auto input = MakeVectors<Image>(2);
    const auto transform = MakeAffineTransform<2>(0.2);
    const auto run = [&](auto filter, auto image, auto interpolator, auto outside) {
      filter->SetInput(image);
      SetOutputGrid(filter.GetPointer(), image.GetPointer());
      filter->SetTransform(transform);
      filter->SetInterpolator(interpolator);
      filter->SetDefaultPixelValue(outside);
      filter->Update();
      return filter;
    };
    const auto ours = [&](auto interpolator, const std::string & name) {
      auto filter = itk::CudaResampleImageFilter<Image, Image>::New();
      filter->SetGPUEnabled(this->OnGpu());
      run(filter, input, interpolator, std::complex<TReal>(3, -4));
      ExpectPromisedBackend(filter.GetPointer(), name, this->OnGpu());
      return Numbers(filter->GetOutput());
    };
    const auto theirs = [&](auto interpolator) {
      const auto filter =
        run(itk::ResampleImageFilter<Image, Image>::New(), input, interpolator, std::complex<TReal>(3, -4));
      return Numbers(filter->GetOutput());
    };
    const auto expectNear = [](const std::vector<TReal> & a, const std::vector<TReal> & b, double bound) {
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i)
      {
        ASSERT_NEAR(a[i], b[i], bound) << i;
      }
    };
    using Nearest = itk::NearestNeighborInterpolateImageFunction<Image>;
    using Linear = itk::LinearInterpolateImageFunction<Image>;
    expectNear(ours(Nearest::New(), "NearestNeighborInterpolateImageFunction"), theirs(Nearest::New()), 0.0);
    expectNear(ours(Linear::New(), "LinearInterpolateImageFunction"), theirs(Linear::New()), tolerance);
    const auto splines =
      ours(itk::CudaVectorBSplineInterpolateImageFunction<Image>::New(), "CudaVectorBSplineInterpolateImageFunction");
    for (unsigned int part = 0; part < 2; ++part)
    {
      const auto         filter = run(itk::ResampleImageFilter<Parts, Parts>::New(),
                              ComponentOf(input.GetPointer(), part),
                              itk::BSplineInterpolateImageFunction<Parts>::New(),
                              static_cast<TReal>(part == 0 ? 3 : -4));
      std::vector<TReal> mine;
      for (std::size_t i = part; i < splines.size(); i += 2)
      {
        mine.push_back(splines[i]);
      }
      expectNear(mine, Numbers(filter->GetOutput()), tolerance);
    }
  }
};

CUDASPLINE_ON_EACH_BACKEND(CudaResampleImageFilterComplex);

} // namespace

TEST_P(CudaResampleImageFilterComplex, Float)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<float>(1.3e-4);
}

TEST_P(CudaResampleImageFilterComplex, Double)
{
  CUDASPLINE_NEEDS_ITS_BACKEND();
  this->ExpectAgreement<double>(1.3e-7);
}
