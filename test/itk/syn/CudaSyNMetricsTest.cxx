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
#include "SynTrajectories.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief SyN with every metric that has forces on samples, and with several metrics on several pairs of images, takes
 * the same steps as ITK's SyN. ITK's class computes other metrics, with the reason. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;

class SynMetrics : public SynTrajectoriesOf<false>
{
protected:
  static SynCase
  Of(std::vector<SynTestPair> pairs)
  {
    SynCase what;
    what.pairs = std::move(pairs);
    what.iterations = { 6, 4 };
    return what;
  }

  /** Compares a single metric, with all options that change its input. */
  void
  CompareAlone(SynTestMetric metric)
  {
    SynCase what = Of({ { metric } });
    what.iterations = { 12, 6 };
    this->Compare<2>(what);
    what.iterations = { 4, 2 };
    this->Compare<3>(what);
    what.hasMasks = true;
    what.filtersGradients = true;
    what.isOblique = true;
    this->Compare<2>(what);
    this->Compare<3>(what);
    what.hasInitialTransforms = true;
    what.filtersGradients = false;
    this->Compare<2>(what);
    this->Compare<2>(what, true);
  }
};

TEST_P(SynMetrics, MeanSquares)
{
  this->CompareAlone(SynTestMetric::MeanSquares);
}

TEST_P(SynMetrics, Demons)
{
  this->CompareAlone(SynTestMetric::Demons);
}

TEST_P(SynMetrics, DemonsOfTheMovingImage)
{
  this->CompareAlone(SynTestMetric::DemonsOfMoving);
}

TEST_P(SynMetrics, Mattes)
{
  this->CompareAlone(SynTestMetric::Mattes);
}

TEST_P(SynMetrics, ImagesThatAreNotDownsampled)
{
  for (const SynTestMetric metric :
       { SynTestMetric::MeanSquares, SynTestMetric::Demons, SynTestMetric::DemonsOfMoving, SynTestMetric::Mattes })
  {
    SCOPED_TRACE(static_cast<int>(metric));
    SynCase what = Of({ { metric } });
    what.downsamples = false;
    what.hasMasks = true;
    this->Compare<2>(what);
    what.filtersGradients = true;
    what.iterations = { 3, 2 };
    this->Compare<3>(what);
    if (metric == SynTestMetric::MeanSquares) // ITK's demons and Mattes' metrics fail after other transforms
    {
      what.hasInitialTransforms = true;
      this->Compare<2>(what);
    }
  }
}

TEST_P(SynMetrics, SeveralPairs)
{
  SynCase what = Of({ { SynTestMetric::LocalCorrelation, 1.0 },
                      { SynTestMetric::MeanSquares, 0.5 },
                      { SynTestMetric::Demons, 0.75 },
                      { SynTestMetric::Mattes, 2.0 } });
  what.iterations = { 12, 6 };
  this->Compare<2>(what);
  what.iterations = { 3, 2 };
  this->Compare<3>(what);
  what.hasMasks = true;
  what.filtersGradients = true;
  what.isOblique = true;
  this->Compare<2>(what);
  what.hasInitialTransforms = true;
  what.averages = true;
  what.weighs = true;
  this->Compare<3>(what);
}

TEST_P(SynMetrics, SeveralPairsInAnyOrder)
{
  // The value is that of the first metric.
  this->Compare<2>(Of({ { SynTestMetric::Mattes, 0.2 }, { SynTestMetric::LocalCorrelation, 0.8 } }));
  this->Compare<2>(Of({ { SynTestMetric::DemonsOfMoving, 3.0 }, { SynTestMetric::LocalCorrelation, 1.0 } }));
  SynCase what = Of({ { SynTestMetric::MeanSquares }, { SynTestMetric::LocalCorrelation } });
  what.hasWeights = false; // ITK's own, which are equal
  this->Compare<2>(what);
  what.pairs[1].weight = 0.0; // no weight, although its length counts
  what.hasWeights = true;
  this->Compare<2>(what);
  this->Compare<2>(what, true);
}

TEST_P(SynMetrics, SeveralPairsThatAreNotDownsampled)
{
  SynCase what = Of(
    { { SynTestMetric::LocalCorrelation, 1.0 }, { SynTestMetric::Mattes, 1.0 }, { SynTestMetric::MeanSquares, 0.5 } });
  what.downsamples = false;
  what.hasMasks = true;
  this->Compare<2>(what);
  what.iterations = { 3, 2 };
  this->Compare<3>(what);
}

TEST_P(SynMetrics, OnePairInAListOfMetrics)
{
  SynCase what = Of({ { SynTestMetric::LocalCorrelation, 5.0 } });
  what.isMulti = true;
  this->Compare<2>(what);
}

// A window of convergence over the values of the first metric.
TEST_P(SynMetrics, StopsWhereItksDoes)
{
  SynCase what = Of({ { SynTestMetric::MeanSquares, 1.0 }, { SynTestMetric::Mattes, 1.0 } });
  what.iterations = { 60, 10 };
  what.threshold = 1e-2;
  this->Compare<2>(what);
}

TEST_P(SynMetrics, TheSameBitsOnAnyNumberOfThreads)
{
  SynCase what =
    Of({ { SynTestMetric::Mattes, 1.0 }, { SynTestMetric::MeanSquares, 1.0 }, { SynTestMetric::Demons, 1.0 } });
  what.iterations = { 4, 3 };
  std::vector<SynCourse<2>> courses;
  for (const unsigned int threads : { 1U, 2U, 3U })
  {
    const auto method = SynTypes<2>::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetNumberOfWorkUnits(threads);
    courses.push_back(Register<2>(method, what));
    EXPECT_EQ(courses.back().values, courses.front().values);
    const auto & field = courses.back().fields.front();
    const auto & first = courses.front().fields.front();
    EXPECT_EQ(std::memcmp(field->GetBufferPointer(),
                          first->GetBufferPointer(),
                          field->GetBufferedRegion().GetNumberOfPixels() * sizeof(SynTypes<2>::Field::PixelType)),
              0);
  }
}

// Constant images have no information, and ITK's metric divides by the width of their bins.
TEST_P(SynMetrics, ConstantImagesHaveNoInformation)
{
  SynCase what = Of({ { SynTestMetric::Mattes } });
  what.flaw = SynFlaw::Constant;
  const auto method = SynTypes<2>::Method::New();
  method->SetGPUEnabled(GetParam());
  try
  {
    Register<2>(method, what);
    FAIL() << "a value of a constant image";
  }
  catch (const itk::ExceptionObject & error)
  {
    EXPECT_NE(std::string(error.what()).find("has only one"), std::string::npos) << error.what();
  }
}

TEST_P(SynMetrics, OthersAreItks)
{
  struct Other
  {
    std::vector<SynTestPair> pairs;
    std::string              reason;
  };
  for (const Other & other :
       { Other{ { { SynTestMetric::LocalCorrelation }, { SynTestMetric::Points, 0.5 } }, "point sets" },
         Other{ { { SynTestMetric::LocalCorrelation }, { SynTestMetric::OwnClass } }, "not MeanSquares" },
         Other{ { { SynTestMetric::OwnClass } }, "not MeanSquares" } })
  {
    SCOPED_TRACE(other.reason);
    SynCase what = Of(other.pairs);
    what.iterations = { 3, 2 };
    const OneItkThread oneThread;
    const auto         expected = Register<2>(SynTypes<2>::Reference::New(), what);
    const auto         method = SynTypes<2>::Method::New();
    method->SetGPUEnabled(GetParam());
    const auto found = Register<2>(method, what);
    EXPECT_EQ(method->GetLastBackend(), Backend::Superclass);
    EXPECT_NE(method->GetFallbackReason().find(other.reason), std::string::npos) << method->GetFallbackReason();
    EXPECT_EQ(found.values, expected.values);
  }
}

// Weights that ITK rejects are still rejected.
TEST_P(SynMetrics, WeightsThatAreNoneAreRefused)
{
  SynCase what = Of({ { SynTestMetric::MeanSquares, 0.0 }, { SynTestMetric::LocalCorrelation, 0.0 } });
  EXPECT_THROW(Register<2>(SynTypes<2>::Reference::New(), what), itk::ExceptionObject);
  const auto method = SynTypes<2>::Method::New();
  method->SetGPUEnabled(GetParam());
  EXPECT_THROW(Register<2>(method, what), itk::ExceptionObject);
}

CUDASPLINE_GPU_ON_AND_OFF(SynMetrics);

} // namespace
