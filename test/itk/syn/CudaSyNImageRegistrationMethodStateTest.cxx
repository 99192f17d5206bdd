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
#include "GpuOnAndOff.h"
#include "SynTestSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

/** \file
 * \brief SyN apart from its trajectory: the same bits each time, fields for observers of an iteration, the result of a
 * stopped registration, a state that is restored, and the cases that ITK's class computes, with the reason. */

namespace
{

using namespace CudaSplineTest;
using itk::CudaSpline::Backend;
using Types = SynTypes<2>;

class SynStates : public GpuOnAndOff
{
protected:
  Types::Method::Pointer
  Make() const
  {
    auto method = Types::Method::New();
    method->SetGPUEnabled(GetParam());
    method->SetPrecision(itk::CudaSplinePrecision::Double);
    return method;
  }
  Backend
  Expected() const
  {
    return GetParam() ? Backend::Cuda : Backend::Cpu;
  }
};

bool
AreSame(const Types::Field * one, const Types::Field * other)
{
  return one->GetBufferedRegion() == other->GetBufferedRegion() &&
         std::memcmp(one->GetBufferPointer(),
                     other->GetBufferPointer(),
                     one->GetBufferedRegion().GetNumberOfPixels() * sizeof(Types::Field::PixelType)) == 0;
}

SynCase
Short()
{
  SynCase what;
  what.iterations = { 4, 3 };
  return what;
}

TEST_P(SynStates, HasTheSameBitsEachTimeAndOnAnyNumberOfThreads)
{
  const auto first = Register<2>(this->Make(), Short());
  for (const unsigned int threads : { 1U, 3U })
  {
    const auto method = this->Make();
    method->SetNumberOfWorkUnits(threads);
    const auto again = Register<2>(method, Short());
    EXPECT_EQ(again.values, first.values);
    for (std::size_t n = 0; n < first.fields.size(); ++n)
    {
      EXPECT_TRUE(AreSame(again.fields[n], first.fields[n])) << "field " << n << ", " << threads << " threads";
    }
  }
}

TEST_P(SynStates, GivesItsFieldsToWhoAsksAtAnIteration)
{
  const auto   method = this->Make();
  unsigned int asked = 0;
  double       largest = 0.0;
  const auto   course = Register<2>(method, Short(), [&] {
    ++asked;
    if (method->GetModifiableFixedToMiddleTransform() == nullptr)
    {
      return; // the event of the first level, before it is prepared
    }
    const auto * const field = method->GetModifiableFixedToMiddleTransform()->GetDisplacementField();
    EXPECT_EQ(
      field->GetBufferedRegion().GetSize(),
      method->GetModifiableMovingToMiddleTransform()->GetInverseDisplacementField()->GetBufferedRegion().GetSize());
    for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
    {
      largest = std::max(largest, field->GetBufferPointer()[n].GetNorm());
    }
  });
  EXPECT_EQ(asked, course.values.size());
  EXPECT_GT(largest, 0.1);
  const auto undisturbed = Register<2>(this->Make(), Short());
  EXPECT_EQ(course.values, undisturbed.values);
}

TEST_P(SynStates, HasItksFieldsAtEachIteration)
{
  const auto fieldsOf = [](Types::Reference * method) {
    std::vector<Types::Field::Pointer> fields;
    Register<2>(method, Short(), [&] {
      if (method->GetModifiableFixedToMiddleTransform() == nullptr)
      {
        return; // the event of the first level, before it is prepared
      }
      for (auto * const transform :
           { method->GetModifiableFixedToMiddleTransform(), method->GetModifiableMovingToMiddleTransform() })
      {
        fields.emplace_back(transform->GetModifiableDisplacementField());
        fields.emplace_back(transform->GetModifiableInverseDisplacementField());
      }
    });
    return fields;
  };
  const OneItkThread oneThread;
  const auto         expected = fieldsOf(Types::Reference::New());
  const auto         method = this->Make();
  const auto         found = fieldsOf(method);
  EXPECT_EQ(method->GetLastBackend(), this->Expected()) << method->GetFallbackReason();
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_GE(found.size(), 4U * 7U);
  for (std::size_t n = 0; n < expected.size(); ++n)
  {
    ASSERT_EQ(found[n]->GetBufferedRegion(), expected[n]->GetBufferedRegion()) << "field " << n;
    EXPECT_LE(Differences(found[n].GetPointer(), expected[n].GetPointer()).back(), 1e-6) << "field " << n;
  }
}

TEST_P(SynStates, KeepsWhatWasReachedWhenItIsStopped)
{
  const auto   method = this->Make();
  unsigned int iterations = 0;
  EXPECT_THROW(Register<2>(method,
                           Short(),
                           [&] {
                             if (++iterations == 3)
                             {
                               method->AbortGenerateDataOn();
                             }
                           }),
               itk::ProcessAborted);
  const auto * const field = method->GetModifiableFixedToMiddleTransform()->GetDisplacementField();
  double             largest = 0.0;
  for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
  {
    largest = std::max(largest, field->GetBufferPointer()[n].GetNorm());
  }
  EXPECT_GT(largest, 0.1);
}

TEST_P(SynStates, GoesOnFromARestoredState)
{
  for (const std::vector<itk::SizeValueType> & iterations :
       { std::vector<itk::SizeValueType>{ 3 }, std::vector<itk::SizeValueType>{ 4, 3 } })
  {
    SCOPED_TRACE(iterations.size());
    SynCase half = Short();
    half.iterations = iterations;
    const auto go = [&](Types::Reference * before, Types::Reference * after) {
      Register<2>(before, half);
      after->SetFixedToMiddleTransform(before->GetModifiableFixedToMiddleTransform());
      after->SetMovingToMiddleTransform(before->GetModifiableMovingToMiddleTransform());
      return Register<2>(after, half);
    };
    const OneItkThread oneThread;
    const auto         expected = go(Types::Reference::New(), Types::Reference::New());
    const auto         method = this->Make();
    const auto         found = go(this->Make(), method);
    EXPECT_EQ(method->GetLastBackend(), this->Expected()) << method->GetFallbackReason();
    ExpectSameValues(found, expected);
  }
}

TEST_P(SynStates, RegistersAgain)
{
  const auto method = this->Make();
  const auto first = Register<2>(method, Short());
  method->SetFixedToMiddleTransform(nullptr);
  method->SetMovingToMiddleTransform(nullptr);
  const auto second = Register<2>(method, Short());
  EXPECT_EQ(first.values, second.values);
}

TEST_P(SynStates, LeavesToItkWhatItDoesNotKnow)
{
  SynCase what = Short();
  what.hasBothGradients = true;
  const auto expected = Register<2>(Types::Reference::New(), what);
  const auto method = this->Make();
  const auto found = Register<2>(method, what);
  EXPECT_EQ(method->GetLastBackend(), Backend::Superclass);
  EXPECT_NE(method->GetFallbackReason().find("in addition to"), std::string::npos) << method->GetFallbackReason();
  EXPECT_EQ(found.values, expected.values);
  for (std::size_t n = 0; n < expected.fields.size(); ++n)
  {
    EXPECT_TRUE(AreSame(found.fields[n], expected.fields[n])) << "field " << n;
  }
}

TEST_P(SynStates, IteratesNotAtAllWhereNoneIsWanted)
{
  SynCase what = Short();
  what.iterations = { 0, 2 };
  const auto expected = Register<2>(Types::Reference::New(), what);
  const auto found = Register<2>(this->Make(), what);
  ExpectSameValues(found, expected);
}

TEST_P(SynStates, PrintsItself)
{
  const auto method = this->Make();
  Register<2>(method, Short());
  std::ostringstream text;
  method->Print(text);
  EXPECT_NE(text.str().find("Precision: Double"), std::string::npos);
  EXPECT_NE(text.str().find("LearningRate"), std::string::npos);
}

/** Runs a 3D case with little or no information. The result is finite fields of the module, or an error.
 *
 * \return the text of the error; empty: there is none */
template <bool VSplines>
std::string
ErrorOf(const SynCase & what, bool isGpuEnabled, Backend expected)
{
  const auto method = SynTypes<3, VSplines>::Method::New();
  method->SetGPUEnabled(isGpuEnabled);
  try
  {
    const auto course = Register<3, VSplines>(method, what);
    EXPECT_EQ(method->GetLastBackend(), expected) << method->GetFallbackReason();
    for (const auto & field : course.fields)
    {
      for (itk::SizeValueType n = 0; n < field->GetBufferedRegion().GetNumberOfPixels(); ++n)
      {
        EXPECT_TRUE(std::isfinite(field->GetBufferPointer()[n].GetNorm())) << n;
      }
    }
  }
  catch (const itk::ExceptionObject & error)
  {
    std::string text = error.GetDescription();
    EXPECT_FALSE(text.empty());
    return text;
  }
  return std::string();
}

TEST_P(SynStates, TakesImagesInSpaceThatTellLittle)
{
  const auto expect = [this](SynCase what, SynTestMetric metric, const std::string & words) {
    what.cube = 11;
    what.pairs = { { metric } };
    for (const std::string & error :
         { ErrorOf<false>(what, GetParam(), this->Expected()), ErrorOf<true>(what, GetParam(), this->Expected()) })
    {
      EXPECT_EQ(error.empty(), words.empty()) << error;
      EXPECT_NE(error.find(words), std::string::npos) << error;
    }
  };
  for (const SynTestMetric metric :
       { SynTestMetric::LocalCorrelation, SynTestMetric::MeanSquares, SynTestMetric::Mattes })
  {
    for (const SynFlaw flaw : { SynFlaw::Apart, SynFlaw::Slice, SynFlaw::Constant, SynFlaw::Nan, SynFlaw::EmptyMasks })
    {
      SCOPED_TRACE(std::to_string(static_cast<int>(metric)) + ' ' + std::to_string(static_cast<int>(flaw)));
      if (flaw == SynFlaw::Nan && metric == SynTestMetric::MeanSquares)
      {
        continue; // a difference from NaN is NaN, as in ITK
      }
      SynCase what;
      what.flaw = flaw;
      what.iterations = { 2, 1 };
      what.hasMasks = flaw == SynFlaw::EmptyMasks;
      expect(what,
             metric,
             flaw == SynFlaw::Slice            ? "less than 4"
             : metric == SynTestMetric::Mattes ? "has only one"
                                               : "");
    }
    SynCase what; // no smoothing, long steps, and levels of two and three samples per axis
    what.iterations = { 1, 1, 1, 4 };
    what.updateVariance = 0.0;
    what.totalVariance = 0.0;
    what.learningRate = 3.0;
    expect(what, metric, "");
  }
}

CUDASPLINE_GPU_ON_AND_OFF(SynStates);

} // namespace
