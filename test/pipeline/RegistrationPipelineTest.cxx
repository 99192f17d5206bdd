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
#include "itkCudaSpline/pipeline/RegistrationPipeline.h"
#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

/** \file
 * \brief Registrations of several stages on the host: transforms, callbacks, starts, masks and errors. */

namespace
{

using namespace itk::CudaSpline;
using Json = nlohmann::ordered_json;

constexpr std::array<double, 2> shift{ { 1.25, -0.75 } }; // mm, from the fixed to the moving image

/** Two images, of which the second one shows the first one's content at places moved by a shift. */
class PipelinePair : public ::testing::Test
{
protected:
  PipelinePair()
  {
    m_Input.pairs.resize(1);
    Fill(m_Input.pairs[0].fixed, m_Fixed, { { 0.0, 0.0 } });
    Fill(m_Input.pairs[0].moving, m_Moving, shift);
    m_Callbacks.iteration = [this](const PipelineIteration & iteration) {
      m_Iterations.push_back(iteration);
      return m_Iterations.size() != m_StopAt;
    };
    m_Callbacks.warning = [this](const PipelineWarning & warning) { m_Warnings.push_back(warning); };
    m_Callbacks.allocate = [this](const ResultArray & array) {
      auto & memory = m_Arrays[{ array.stage, static_cast<int>(array.kind) }];
      memory.assign(static_cast<std::size_t>(array.count), 0.0);
      return ResultMemory{ memory.data(), ScalarType::Float64 };
    };
  }

  static void
  Fill(MaskedImage & image, std::vector<float> & pixels, const std::array<double, 2> & by)
  {
    image.grid.dimension = 2;
    image.grid.size = { { 40, 36, 1 } };
    image.grid.spacing = { { 1.5, 1.25, 1.0 } };
    image.grid.origin = { { -20.0, 5.0, 0.0 } };
    for (unsigned int d = 0; d < 2; ++d)
    {
      image.grid.indexToPoint[d][d] = image.grid.spacing[d];
      image.grid.pointToIndex[d][d] = 1.0 / image.grid.spacing[d];
    }
    for (int y = 0; y < 36; ++y)
    {
      for (int x = 0; x < 40; ++x)
      {
        const double px = image.grid.origin[0] + 1.5 * x - by[0];
        const double py = image.grid.origin[1] + 1.25 * y - by[1];
        pixels.push_back(static_cast<float>(100.0 * std::exp(-(px - 9.0) * (px - 9.0) / 120.0 - (py - 26.0) * (py - 26.0) / 80.0) +
                                            30.0 * std::exp(-(px - 2.0) * (px - 2.0) / 30.0 - (py - 33.0) * (py - 33.0) / 40.0)));
      }
    }
    image.pixels = pixels.data();
  }

  RegistrationOutcome
  Run(const Json & stages, const Json & more = Json::object())
  {
    Json document{ { "cudaspline_registration", 1 }, { "initial", "none" }, { "stages", stages } };
    document.update(more);
    m_Iterations.clear();
    m_Warnings.clear();
    return RunRegistration(m_Input, ReadSpec(document.dump()), m_Callbacks, "cpu", ExecutionContext());
  }

  RegistrationInput                                   m_Input;
  std::vector<float>                                  m_Fixed;
  std::vector<float>                                  m_Moving;
  PipelineCallbacks                                   m_Callbacks;
  std::vector<PipelineIteration>                      m_Iterations;
  std::vector<PipelineWarning>                        m_Warnings;
  std::map<std::pair<std::size_t, int>, std::vector<double>> m_Arrays;
  std::size_t                                         m_StopAt{ 0 };
};

TEST_F(PipelinePair, LinearStagesContinueInOneTransform)
{
  const Json                more{ { "options", { { "metric", "meansquares" }, { "shrink", { 2, 1 } } } } };
  const RegistrationOutcome outcome = this->Run({ "translation", "rigid", "affine" }, more);
  ASSERT_EQ(outcome.stages.size(), 3u);
  EXPECT_FALSE(outcome.stages[0].replacesPrevious);
  EXPECT_TRUE(outcome.stages[1].replacesPrevious && outcome.stages[2].replacesPrevious);
  ASSERT_EQ(outcome.GetChain().size(), 1u);
  const LinearTransform found = std::get<LinearTransform>(outcome.GetChain().front());
  const auto            moved = found.Apply({ { 9.0, 26.0, 0.0 } });
  EXPECT_NEAR(moved[0] - 9.0, shift[0], 0.05);
  EXPECT_NEAR(moved[1] - 26.0, shift[1], 0.05);
  EXPECT_EQ(outcome.stages[2].run.backend, Backend::Cpu);
  for (std::size_t i = 1; i < m_Iterations.size(); ++i)
  {
    EXPECT_GE(m_Iterations[i].progress, m_Iterations[i - 1].progress);
  }
  EXPECT_LE(m_Iterations.back().progress, 1.0);
}

TEST_F(PipelinePair, SplinesAndFieldsAreAddedToWhatWasFound)
{
  const RegistrationOutcome outcome =
    this->Run({ { { "kind", "affine" }, { "iterations", 2 } },
                { { "kind", "bspline" }, { "grid_spacing", 20 }, { "iterations", 3 } },
                { { "kind", "greedy" }, { "iterations", 3 }, { "radius", 2 } } });
  const auto chain = outcome.GetChain();
  ASSERT_EQ(chain.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<FoundFields>(chain[0]));
  EXPECT_TRUE(std::holds_alternative<FoundSpline>(chain[1]));
  EXPECT_TRUE(std::holds_alternative<LinearTransform>(chain[2]));
  EXPECT_EQ((m_Arrays[{ 2, 0 }].size()), 2u * 40 * 36);
  EXPECT_EQ((m_Arrays[{ 1, 2 }].size()), 2u * (3 + 3) * (2 + 3)); // 58.5 by 43.75 mm
  EXPECT_EQ(std::get<FoundFields>(chain[0]).forward, (m_Arrays[{ 2, 0 }].data()));
}

/** A shrunk field, a start that is given, and one that is found. */
TEST_F(PipelinePair, Starts)
{
  const Json none{ { "options", { { "iterations", 0 } } } };
  EXPECT_FALSE(this->Run({ "rigid" }, none).start);
  const RegistrationOutcome moments = this->Run({ "rigid" }, { { "initial", "moments" }, { "options", none["options"] } });
  ASSERT_TRUE(moments.start);
  EXPECT_NEAR(moments.start->GetTranslation()[0], shift[0], 0.3);
  EXPECT_EQ(moments.GetChain().size(), 1u); // a rigid transform represents a shift
  LinearTransform given(LinearKind::Translation, 2);
  given.SetParameters({ { shift[0], shift[1] } });
  m_Input.initial = { given.MakeStage() };
  const RegistrationOutcome outcome = this->Run({ { { "kind", "translation" }, { "metric", "meansquares" } } });
  ASSERT_EQ(outcome.GetChain().size(), 1u); // without the given one
  const LinearTransform found = std::get<LinearTransform>(outcome.GetChain().front());
  EXPECT_NEAR(found.GetTranslation()[0], 0.0, 0.02);
  EXPECT_NEAR(found.GetTranslation()[1], 0.0, 0.02);
}

TEST_F(PipelinePair, EndsWhereItIsTold)
{
  m_StopAt = 3;
  const RegistrationOutcome outcome = this->Run({ "rigid", "syn" });
  EXPECT_TRUE(outcome.isStopped);
  ASSERT_EQ(outcome.stages.size(), 1u);
  EXPECT_EQ(outcome.stages[0].levels.size(), 3u);
  EXPECT_EQ(outcome.stages[0].levels.front().end, LevelEnd::Stopped);
  EXPECT_EQ(outcome.stages[0].levels.back().end, LevelEnd::Stopped);
  EXPECT_EQ(m_Iterations.size(), 3u);
}

TEST_F(PipelinePair, ValuesAreClippedAndRescaled)
{
  for (float & value : m_Moving)
  {
    value *= 1e-12F;
  }
  const RegistrationOutcome outcome =
    this->Run({ { { "kind", "translation" }, { "metric", "correlation" } } }, { { "winsorize", { 0.0, 0.999 } } });
  EXPECT_EQ(outcome.valueFactors.at(0)[0], 1.0);
  EXPECT_GT(outcome.valueFactors.at(0)[1], 1e9);
  EXPECT_NEAR(std::get<LinearTransform>(outcome.GetChain().front()).GetTranslation()[0], shift[0], 0.1);
  EXPECT_EQ(m_Moving[18 * 40 + 20] < 1e-6F, true); // the caller's pixels stay
  this->Run({ { { "kind", "translation" }, { "metric", "meansquares" }, { "iterations", 1 } } });
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::FaintValues);
}

TEST_F(PipelinePair, ImagesThatDoNotOverlap)
{
  m_Input.pairs[0].moving.grid.origin[0] += 1000.0;
  try
  {
    this->Run({ "rigid" });
    FAIL() << "nothing overlaps";
  }
  catch (const OverlapError & error)
  {
    EXPECT_NE(std::string(error.what()).find(": 0 % of the fixed image"), std::string::npos) << error.what();
  }
  m_Input.pairs[0].moving.grid.origin[0] -= 1000.0;
  // One voxel under a mask, which lies between coarse samples.
  std::vector<std::uint8_t> mask(40 * 36, 0);
  mask[17 * 40 + 21] = 1;
  m_Input.pairs[0].fixed.mask = mask.data();
  m_Input.pairs[0].fixed.maskGrid = m_Input.pairs[0].fixed.grid;
  EXPECT_NO_THROW(this->Run({ { { "kind", "translation" }, { "metric", "meansquares" }, { "shrink", { 1 } } } }));
  m_Input.pairs[0].moving.mask = mask.data() + 1; // the voxel before it
  m_Input.pairs[0].moving.maskGrid = m_Input.pairs[0].moving.grid;
  m_Input.pairs[0].moving.maskGrid.size[1] = 35;
  EXPECT_THROW(this->Run({ { { "kind", "translation" }, { "metric", "meansquares" }, { "shrink", { 1 } } } }),
               std::invalid_argument);
}

TEST_F(PipelinePair, Similarity)
{
  const auto       context = ExecutionContext();
  LinearTransform  known(LinearKind::Translation, 2);
  known.SetParameters({ { shift[0], shift[1] } });
  const auto before = MeasureSimilarity(m_Input.pairs[0], {}, context);
  const auto after = MeasureSimilarity(m_Input.pairs[0], { known.MakeStage() }, context);
  EXPECT_LT(before.correlation, 0.99);
  EXPECT_GT(after.correlation, 0.999);
  EXPECT_GT(after.localCorrelation, before.localCorrelation);
}

/** Levels at which the ends of axes, which stay, are all that there is. */
TEST_F(PipelinePair, StillLevels)
{
  this->Run({ { { "kind", "syn" }, { "shrink", { 18, 1 } }, { "sigmas", { 0, 0 } }, { "iterations", 1 }, { "radius", 1 } } });
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::StillLevels);
  EXPECT_EQ(m_Warnings[0].stage, 0);
}

} // namespace
