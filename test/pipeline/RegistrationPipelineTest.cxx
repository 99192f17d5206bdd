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

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Registrations of several stages on the host: transforms, callbacks, starts, masks and errors. */

namespace
{

using namespace itk::CudaSpline;
using Json = nlohmann::ordered_json;

constexpr std::array<double, 2> shift{ { 1.25, -0.75 } }; // mm, from the fixed to the moving image

/** Two images; the second one has the content of the first one, shifted. */
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
        pixels.push_back(
          static_cast<float>(100.0 * std::exp(-(px - 9.0) * (px - 9.0) / 120.0 - (py - 26.0) * (py - 26.0) / 80.0) +
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

  RegistrationInput                                          m_Input;
  std::vector<float>                                         m_Fixed;
  std::vector<float>                                         m_Moving;
  PipelineCallbacks                                          m_Callbacks;
  std::vector<PipelineIteration>                             m_Iterations;
  std::vector<PipelineWarning>                               m_Warnings;
  std::map<std::pair<std::size_t, int>, std::vector<double>> m_Arrays;
  std::size_t                                                m_StopAt{ 0 };
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

/** A displacement that is longer than the structures: the dense search finds it, and a greedy stage refines it. */
TEST_F(PipelinePair, DenseSearchesFindLargeDisplacements)
{
  constexpr std::array<double, 2> far{ { 9.0, -7.5 } };
  m_Moving.clear();
  Fill(m_Input.pairs[0].moving, m_Moving, far);
  const RegistrationOutcome outcome = this->Run(
    { { { "kind", "discrete" }, { "search_step", 1 } }, { { "kind", "greedy" }, { "metric", "meansquares" } } });
  ASSERT_EQ(outcome.GetChain().size(), 2u);
  EXPECT_EQ(outcome.stages[0].levels.at(0).iterations, 6u);
  const auto errorOf = [&](std::size_t stage, int kind, double sign) {
    const std::vector<double> & field = m_Arrays[{ stage, kind }];
    const std::size_t           voxel = (17 * 40 + 19) * 2; // of the larger spot
    return std::hypot(field[voxel] - sign * far[0], field[voxel + 1] - sign * far[1]);
  };
  EXPECT_LT(errorOf(0, 0, 1.0), 2.0);
  EXPECT_LT(errorOf(0, 1, -1.0), 3.0);
  EXPECT_EQ(std::get<FoundFields>(outcome.GetChain()[1]).backward, (m_Arrays[{ 0, 1 }].data()));
}

TEST_F(PipelinePair, DenseSearchesNeedAValidCell)
{
  const std::vector<std::uint8_t> mask(40 * 36, 0);
  m_Input.pairs[0].moving.mask = mask.data();
  m_Input.pairs[0].moving.maskGrid = m_Input.pairs[0].moving.grid;
  EXPECT_THROW(this->Run({ "discrete" }), std::invalid_argument);
}

/** A shrunk field, a start that is given, and one that is found. */
TEST_F(PipelinePair, Starts)
{
  const Json none{ { "options", { { "iterations", 0 } } } };
  EXPECT_FALSE(this->Run({ "rigid" }, none).start);
  const RegistrationOutcome moments =
    this->Run({ "rigid" }, { { "initial", "moments" }, { "options", none["options"] } });
  ASSERT_TRUE(moments.start);
  EXPECT_NEAR(moments.start->GetTranslation()[0], shift[0], 0.3);
  EXPECT_EQ(moments.GetChain().size(), 1u); // a rigid transform represents a shift
  // With a small mask of only one image, the centres of the two images differ.
  std::vector<std::uint8_t> mask(40 * 36, 0);
  for (std::ptrdiff_t row = 0; row < 12; ++row)
  {
    std::fill_n(mask.begin() + 40 * row, 15, 1);
  }
  MaskedImage & fixed = m_Input.pairs[0].fixed;
  fixed.mask = mask.data();
  fixed.maskGrid = fixed.grid;
  const RegistrationOutcome masked =
    this->Run({ "rigid" }, { { "initial", "moments" }, { "options", none["options"] } });
  EXPECT_EQ(masked.start->GetTranslation(), moments.start->GetTranslation());
  fixed.mask = nullptr;
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
  ASSERT_FALSE(m_Warnings.empty());
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
  // Two voxels under a mask, between the samples of the coarse level, do not determine a shift.
  std::vector<std::uint8_t> mask(40 * 36, 0);
  mask[17 * 40 + 21] = 1;
  mask[17 * 40 + 22] = 1;
  m_Input.pairs[0].fixed.mask = mask.data();
  m_Input.pairs[0].fixed.maskGrid = m_Input.pairs[0].fixed.grid;
  const Json stage{ { "kind", "translation" }, { "metric", "meansquares" }, { "shrink", { 1 } } };
  const auto skipped = this->Run({ stage });
  EXPECT_EQ(skipped.stages[0].levels[0].iterations, 0u);
  EXPECT_EQ(skipped.stages[0].fractions[0], 0.0);
  ASSERT_EQ(m_Warnings.size(), 2u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::SkippedLevel);
  EXPECT_EQ(m_Warnings[1].kind, PipelineWarning::Kind::PoorAgreement); // it is not known
  // Masks that do not overlap.
  std::vector<std::uint8_t> other(40 * 36, 0);
  for (std::size_t n = 0; n < mask.size(); ++n)
  {
    mask[n] = n % 40 < 15 ? 1 : 0;
    other[n] = n % 40 > 30 ? 1 : 0;
  }
  m_Input.pairs[0].moving.mask = other.data();
  m_Input.pairs[0].moving.maskGrid = m_Input.pairs[0].moving.grid;
  EXPECT_THROW(this->Run({ stage }), std::invalid_argument);
}

/** Images with only one value are refused before anything runs, by the masks of each stage. */
TEST_F(PipelinePair, ConstantImages)
{
  const auto expectProblem = [&](const Json & stages, const std::string & wanted) {
    try
    {
      this->Run(stages);
      FAIL() << wanted;
    }
    catch (const std::invalid_argument & error)
    {
      EXPECT_EQ(std::string(error.what()), wanted);
    }
  };
  ImagePair &              pair = m_Input.pairs[0];
  const std::vector<float> flat(40 * 36, 7.0F);
  const void * const       moving = std::exchange(pair.moving.pixels, flat.data());
  for (const std::string kind : { "rigid", "bspline", "syn", "demons", "discrete" })
  {
    expectProblem({ kind },
                  "the moving image has only one value (7); stage 1 (" + kind + ", metric " +
                    (kind == "syn"        ? "cc"
                     : kind == "demons"   ? "meansquares"
                     : kind == "discrete" ? "mind"
                                          : "mattes") +
                    ") needs at least 2 different values");
  }
  // With the mask of a later stage.
  pair.moving.pixels = moving;
  std::vector<float>        hole(static_cast<const float *>(moving), static_cast<const float *>(moving) + flat.size());
  std::vector<std::uint8_t> mask(flat.size(), 0);
  for (std::size_t n = 15 * 40; n < 20 * 40; ++n)
  {
    mask[n] = 1;
    hole[n] = -3.5F;
  }
  pair.moving.pixels = hole.data();
  m_Input.stageMasks.assign(2, m_Input.pairs);
  m_Input.stageMasks[1][0].moving.mask = mask.data();
  m_Input.stageMasks[1][0].moving.maskGrid = pair.moving.grid;
  expectProblem({ "rigid", "syn" },
                "the moving image has only one value (-3.5) under its mask; stage 2 (syn, metric cc) needs at least 2 "
                "different values");
}

/** A histogram needs more samples than the fraction gives: more are drawn. */
TEST_F(PipelinePair, FractionsOfSamples)
{
  const Json stage{
    { "kind", "rigid" }, { "sampling", "random" }, { "fraction", 0.1 }, { "shrink", { 2, 1 } }, { "iterations", 1 }
  };
  const auto few = this->Run({ stage }).stages[0].fractions; // 50 bins need 2500 samples
  EXPECT_EQ(few, (std::vector<double>{ 1.0, 1.0 }));
  Json squares = stage;
  squares["metric"] = "meansquares"; // three parameters need 60
  const auto more = this->Run({ squares }).stages[0].fractions;
  EXPECT_EQ(more[0], 60.0 / (20 * 18));
  EXPECT_EQ(more[1], 0.1);
}

TEST_F(PipelinePair, Similarity)
{
  const auto      context = ExecutionContext();
  LinearTransform known(LinearKind::Translation, 2);
  known.SetParameters({ { shift[0], shift[1] } });
  const auto before = MeasureSimilarity(m_Input.pairs[0], {}, context);
  const auto after = MeasureSimilarity(m_Input.pairs[0], { known.MakeStage() }, context);
  EXPECT_LT(before.correlation, 0.99);
  EXPECT_GT(after.correlation, 0.999);
  EXPECT_GT(after.localCorrelation, before.localCorrelation);
}

/** Levels whose grids consist only of the ends of the axes, which do not move. */
TEST_F(PipelinePair, StillLevels)
{
  this->Run(
    { { { "kind", "syn" }, { "shrink", { 18, 1 } }, { "sigmas", { 0, 0 } }, { "iterations", 1 }, { "radius", 1 } } });
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::StillLevels);
  EXPECT_EQ(m_Warnings[0].stage, 0);
}

/** Restricted parameters and axes do not change. */
TEST_F(PipelinePair, Restrictions)
{
  const RegistrationOutcome linear = this->Run({ { { "kind", "rigid" },
                                                   { "metric", "meansquares" },
                                                   { "shrink", { 2, 1 } },
                                                   { "restrict_deformation", { 0, 1, 0 } } } });
  const LinearTransform     found = std::get<LinearTransform>(linear.GetChain().front());
  EXPECT_EQ(found.GetParameters()[0], 0.0);
  EXPECT_NEAR(found.GetParameters()[1], shift[0], 0.15);
  EXPECT_EQ(found.GetParameters()[2], 0.0);
  for (const char * const kind : { "syn", "greedy" })
  {
    this->Run({ { { "kind", kind },
                  { "radius", 2 },
                  { "iterations", 30 },
                  { "shrink", { 2, 1 } },
                  { "restrict_deformation", { 0, 1 } } } });
    const std::vector<double> & forward = m_Arrays[{ 0, 0 }];
    double                      along = 0.0;
    for (std::size_t i = 0; i < forward.size(); i += 2)
    {
      EXPECT_EQ(forward[i], 0.0) << kind;
      along = std::max(along, std::abs(forward[i + 1]));
    }
    EXPECT_GT(along, 0.4) << kind;
  }
  EXPECT_THROW(this->Run({ { { "kind", "rigid" }, { "restrict_deformation", { 1, 1 } } } }), SpecError);
}

/** A start that moves along axes that the first stage keeps gives a warning. */
TEST_F(PipelinePair, RestrictedStarts)
{
  const auto warningsOf = [this](const std::string & kind, const Json & factors, const Json & before = Json::array()) {
    Json stages = before;
    stages.push_back({ { "kind", kind }, { "restrict_deformation", factors }, { "iterations", 0 } });
    this->Run(stages, { { "initial", "moments" } });
    std::vector<std::string> texts;
    for (const PipelineWarning & warning : m_Warnings)
    {
      if (warning.kind == PipelineWarning::Kind::RestrictedStart)
      {
        texts.push_back(warning.text);
      }
    }
    return texts;
  };
  for (const auto & [kind, factors] : { std::pair<std::string, Json>{ "translation", { 0, 1 } },
                                        { "rigid", { 1, 0, 0.5 } },
                                        { "similarity", { 1, 1, 0, 1 } },
                                        { "affine", { 1, 1, 1, 1, 0, 1 } },
                                        { "syn", { 0, 1 } } })
  {
    const std::vector<std::string> texts = warningsOf(kind, factors);
    ASSERT_EQ(texts.size(), 1u) << kind;
    EXPECT_NE(texts[0].find("mm along x;"), std::string::npos) << texts[0];
    EXPECT_EQ(texts[0].find("along y"), std::string::npos) << texts[0];
  }
  EXPECT_NE(warningsOf("translation", { 0, 0 })[0].find("mm along x, "), std::string::npos);
  EXPECT_TRUE(warningsOf("rigid", { 0, 1, 1 }).empty()); // a rotation
  EXPECT_TRUE(warningsOf("syn", { 0, 1 }, { { { "kind", "rigid" }, { "iterations", 0 } } }).empty());
  std::copy(m_Fixed.begin(), m_Fixed.end(), m_Moving.begin());
  EXPECT_TRUE(warningsOf("translation", { 0, 1 }).empty()); // the start does not move
}

/** Masks and label maps that have the size of their image but not its geometry are refused. */
TEST_F(PipelinePair, LostGeometries)
{
  const Json                      none{ { { "kind", "translation" }, { "iterations", 0 } } };
  const std::vector<std::uint8_t> mask(40 * 36, 1);
  FieldGrid                       lost = m_Input.pairs[0].fixed.grid;
  lost.origin = {};
  lost.spacing.fill(1.0);
  const auto setAxes = [&lost](double x, double y) {
    lost.indexToPoint[0][0] = lost.pointToIndex[0][0] = x;
    lost.indexToPoint[1][1] = lost.pointToIndex[1][1] = y;
  };
  const auto expect = [&](const std::string & name) {
    try
    {
      this->Run(none);
      FAIL() << name << " is accepted.";
    }
    catch (const std::invalid_argument & error)
    {
      EXPECT_EQ(std::string(error.what()).find(name + " has no geometry"), 0u) << error.what();
    }
  };
  MaskedImage & fixed = m_Input.pairs[0].fixed;
  fixed.mask = mask.data();
  for (const double sign : { 1.0, -1.0 }) // of ITK, and of a NIfTI file with an identity matrix
  {
    setAxes(sign, sign);
    fixed.maskGrid = lost;
    expect("the mask of the fixed image");
  }
  std::swap(fixed.mask, m_Input.pairs[0].moving.mask);
  std::swap(fixed.maskGrid, m_Input.pairs[0].moving.maskGrid);
  expect("the mask of the moving image");
  m_Input.pairs[0].moving.mask = nullptr;

  fixed.mask = mask.data();
  fixed.maskGrid = fixed.grid;
  EXPECT_NO_THROW(this->Run(none));
  m_Input.stageMasks = { m_Input.pairs };
  m_Input.stageMasks[0][0].fixed.maskGrid = lost;
  expect("the mask of the fixed image");
  m_Input.stageMasks.clear();
  fixed.maskGrid = lost;
  fixed.maskGrid.size[0] = 39; // its own grid
  fixed.maskGrid.size[1] = 35;
  EXPECT_FALSE(HasLostGeometry(fixed.maskGrid, fixed.grid));
  EXPECT_FALSE(HasLostGeometry(lost, lost)); // the message names the image, too
  fixed.mask = nullptr;

  const std::vector<std::int32_t> labels(40 * 36, 1);
  m_Input.labels = { { lost, labels.data() }, { m_Input.pairs[0].moving.grid, labels.data() } };
  Json weighted = none;
  weighted[0]["label_weight"] = 1.0;
  EXPECT_THROW(this->Run(weighted), std::invalid_argument);
}

/** Images that are constant along y determine no translation along it, which stays; the other parameters are found. */
TEST_F(PipelinePair, UndeterminedParametersStay)
{
  for (std::vector<float> * const pixels : { &m_Fixed, &m_Moving })
  {
    for (std::size_t y = 1; y < 36; ++y)
    {
      std::copy_n(pixels->begin(), 40, pixels->begin() + static_cast<std::ptrdiff_t>(40 * y));
    }
  }
  const RegistrationOutcome outcome =
    this->Run({ { { "kind", "rigid" }, { "metric", "meansquares" }, { "shrink", { 2, 1 } } } });
  const LinearTransform found = std::get<LinearTransform>(outcome.GetChain().front());
  EXPECT_NEAR(found.GetParameters()[1], shift[0], 0.15);
  EXPECT_EQ(found.GetParameters()[2], 0.0);
  ASSERT_FALSE(m_Warnings.empty());
  EXPECT_EQ(m_Warnings.front().kind, PipelineWarning::Kind::Undetermined);
  EXPECT_EQ(m_Warnings.front().text,
            "the images do not determine these parameters, which keep their initial values: translation along y");
}

/** Steps and cells in voxels: the same images in other units of length have the same results in voxels. */
TEST_F(PipelinePair, UnitsOfLength)
{
  const auto run = [this](double unit) {
    for (MaskedImage * const image : { &m_Input.pairs[0].fixed, &m_Input.pairs[0].moving })
    {
      for (unsigned int d = 0; d < 2; ++d)
      {
        image->grid.origin[d] *= unit;
        image->grid.spacing[d] *= unit;
        image->grid.indexToPoint[d][d] *= unit;
        image->grid.pointToIndex[d][d] /= unit;
      }
    }
    const Json rigid{
      { "kind", "rigid" }, { "optimizer", "gradient-descent" }, { "step", 0.1 }, { "step_in_voxels", true }
    };
    const RegistrationOutcome outcome = this->Run({ rigid, { { "kind", "bspline" }, { "iterations", 5 } } });
    const auto                chain = outcome.GetChain();
    EXPECT_EQ(std::get<FoundSpline>(chain[0]).grid.size[0], 2 + 3); // 58.5 mm by 24 voxels of 1.37 mm
    return std::get<LinearTransform>(chain[1]).GetTranslation()[0];
  };
  const double before = run(1.0);
  EXPECT_NEAR(before, shift[0], 0.1);
  EXPECT_NEAR(run(0x1p-10) * 0x1p10, before, 1e-3);
  EXPECT_NEAR(run(0x1p18) * 0x1p-8, before, 1e-3);
}

/** Axes with wide spacing are shrunk less. */
TEST_F(PipelinePair, ShrinksByAxis)
{
  for (MaskedImage * const image : { &m_Input.pairs[0].fixed, &m_Input.pairs[0].moving })
  {
    image->grid.spacing[1] = image->grid.indexToPoint[1][1] = 5.0;
    image->grid.pointToIndex[1][1] = 0.2;
  }
  this->Run(
    { { { "kind", "greedy" }, { "radius", 1 }, { "iterations", 1 }, { "shrink", { 4 } }, { "sigmas", { 0 } } } });
  EXPECT_EQ((m_Arrays[{ 0, 0 }].size()), 2u * (40 / 4) * 36); // 6 mm by 5 mm
}

/** Steps that are too long make the metric worse: the start is restored, and a warning names the level. */
TEST_F(PipelinePair, LevelsThatMakeTheMetricWorseAreUndone)
{
  m_Moving = m_Fixed;
  m_Moving[700] += 1.0F; // not quite the same
  const Json stages{
    { { "kind", "rigid" }, { "optimizer", "gradient-descent" }, { "step", 20 }, { "metric", "meansquares" } },
    { { "kind", "syn" }, { "learning_rate", 4 }, { "radius", 2 } },
    { { "kind", "greedy" }, { "learning_rate", 6 }, { "radius", 2 } }
  };
  for (const Json & stage : stages)
  {
    const RegistrationOutcome outcome = this->Run(
      { stage }, { { "options", { { "iterations", { 3, 3 } }, { "shrink", { 2, 1 } }, { "sigmas", { 1, 0 } } } } });
    EXPECT_EQ(outcome.stages[0].levels.back().end, LevelEnd::Undone) << stage;
    EXPECT_GT(outcome.stages[0].levels.back().loss, 0.01) << stage;
    const auto warned = std::find_if(m_Warnings.begin(), m_Warnings.end(), [](const PipelineWarning & warning) {
      return warning.kind == PipelineWarning::Kind::UndoneLevels;
    });
    ASSERT_NE(warned, m_Warnings.end()) << stage;
    EXPECT_EQ(warned->stage, 0);
    EXPECT_NE(warned->text.find("level 1 of 2 and later levels were undone"), std::string::npos) << warned->text;
    if (const auto * const linear = std::get_if<LinearTransform>(&outcome.stages[0].transform))
    {
      EXPECT_EQ(linear->Apply({ { 9.0, 26.0, 0.0 } })[0], 9.0);
      continue;
    }
    for (const double displacement : m_Arrays[{ 0, 0 }])
    {
      ASSERT_EQ(displacement, 0.0) << stage;
    }
  }
}

/** A level with too few iterations gives a warning. With a limit it continues, and enough iterations give no warning.
 */
TEST_F(PipelinePair, LevelsThatNeedMoreIterations)
{
  const auto run = [this](const Json & more) {
    Json stage{ { "kind", "translation" }, { "optimizer", "gradient-descent" },
                { "step", 0.05 },          { "metric", "meansquares" },
                { "shrink", { 1 } },       { "sigmas", { 0 } } };
    stage.update(more);
    return this->Run({ stage }).stages[0].levels[0];
  };
  EXPECT_EQ(run({ { "iterations", 15 } }).iterations, 15u);
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::FewIterations);
  EXPECT_NE(m_Warnings[0].text.find("level 1 of 1 ended after 15 iterations"), std::string::npos);
  // Fewer than ten iterations, from which no rate is computed, give a warning, too.
  EXPECT_EQ(run({ { "iterations", 3 } }).iterations, 3u);
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_NE(m_Warnings[0].text.find("ended after 3 iterations while the metric still fell by"), std::string::npos);
  EXPECT_NE(m_Warnings[0].text.find("in the last 2; more"), std::string::npos) << m_Warnings[0].text;
  EXPECT_GT(run({ { "iterations", 3 }, { "iteration_limit", 300 } }).iterations, 20u);
  EXPECT_TRUE(m_Warnings.empty());
  const LevelRecord limited = run({ { "iterations", 15 }, { "iteration_limit", 300 } });
  EXPECT_GT(limited.iterations, 20u);
  EXPECT_LE(limited.fallRate, 0.01);
  EXPECT_TRUE(m_Warnings.empty());
}

/** A slice that is rotated by 180 degrees. */
TEST_F(PipelinePair, TurnedSlicesAreFound)
{
  const auto &       grid = m_Input.pairs[0].fixed.grid;
  std::vector<float> other(m_Fixed.rbegin(), m_Fixed.rend());
  m_Moving = other;
  m_Input.pairs[0].moving.pixels = m_Moving.data();
  const RegistrationOutcome outcome = this->Run({ "rigid" }, { { "initial", "moments" } });
  const LinearTransform     found = std::get<LinearTransform>(outcome.GetChain().front());
  const auto                moved = found.Apply({ { grid.origin[0], grid.origin[1], 0.0 } });
  EXPECT_NEAR(moved[0], grid.origin[0] + 39 * 1.5, 1.0);
  EXPECT_NEAR(moved[1], grid.origin[1] + 35 * 1.25, 1.0);
  ASSERT_TRUE(outcome.agreement);
  EXPECT_GT(outcome.agreement->explained, 0.5);
  ASSERT_EQ(m_Warnings.size(), 1u);
  EXPECT_EQ(m_Warnings[0].kind, PipelineWarning::Kind::FoundRotation);
  EXPECT_LE(m_Iterations.back().progress, 1.0);
}

} // namespace
