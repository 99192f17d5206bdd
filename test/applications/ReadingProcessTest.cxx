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
#include "process/ReadingProcess.h"

#include "console/Error.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Files are read in a separate process: any failure there becomes an error here. */

const char * const CudaSplineProgram::programName = "Test";

namespace
{

using namespace CudaSplineProgram;

/** Returns the error of a single step. */
std::string
ErrorOfStep(const std::function<nlohmann::json()> & step, double fileBytes = 1000.0)
{
  return ErrorOf([&] { ReadInChild("file.xyz", fileBytes, step); });
}

void
ExpectWords(const std::string & text, const std::vector<std::string> & words)
{
  EXPECT_EQ(text.find('\n'), std::string::npos);
  for (const std::string & word : words)
  {
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is missing in: " << text;
  }
}

TEST(ReadingProcess, RepliesWithWhatAStepReturns)
{
  const nlohmann::json sent{ { "number", 0.1 }, { "text", std::string("bytes \xFF\xFE") }, { "none", nullptr } };
  EXPECT_EQ(ReadInChild("file", 1.0, [&] { return sent; }), sent);
}

TEST(ReadingProcess, KeepsItsStateAndSharesMemory)
{
  int            calls = 0; // in the copy of the child
  ReadingProcess process("file", 1.0, [&](const nlohmann::json & order, SharedMemory & memory) {
    ++calls;
    const std::size_t bytes = order;
    std::memset(memory.Map(bytes).get(), 'a' + calls, bytes);
    return nlohmann::json(calls);
  });
  EXPECT_EQ(process.Ask(10), 1);
  EXPECT_EQ(process.Ask(5000000), 2);
  const auto memory = process.TakeMemory(5000000);
  EXPECT_EQ(static_cast<const char *>(memory.get())[4999999], 'c');
  EXPECT_EQ(calls, 0);
}

TEST(ReadingProcess, PassesErrorsAndWarnings)
{
  TakeWarnings();
  ExpectWords(ErrorOfStep([]() -> nlohmann::json {
                Warn("a warning");
                throw std::runtime_error("what is\nwrong");
              }),
              { "what is wrong" });
  EXPECT_EQ(TakeWarnings(), std::vector<std::string>{ "a warning" });
}

TEST(ReadingProcess, SurvivesSignals)
{
  for (const int signal : { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGKILL })
  {
    ExpectWords(ErrorOfStep([signal]() -> nlohmann::json {
                  std::fputs("first line\nlibrary: last words\n", stderr);
                  std::raise(signal);
                  return nullptr;
                }),
                { "file.xyz", "ended by a signal", strsignal(signal), "library: last words" });
  }
  ExpectWords(ErrorOfStep([]() -> nlohmann::json { std::_Exit(3); }), { "file.xyz", "ended with code 3" });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ReadingProcess, LimitsMemory)
{
  const auto take = [](double bytes) -> nlohmann::json {
    std::vector<char> memory(static_cast<std::size_t>(bytes));
    return memory[memory.size() / 2];
  };
  EXPECT_EQ(ErrorOfStep([&] { return take(0.8e9); }), "");
  ExpectWords(ErrorOfStep([&] { return take(1.2e9); }), { "file.xyz", "more memory than 1 GB", "--max-memory" });
  // A file with 0.5 GB may need four times as much.
  EXPECT_EQ(ErrorOfStep([&] {
              AllowReading(0.5e9, 0.5e9);
              return take(1.8e9);
            }),
            "");
  ExpectWords(ErrorOfStep([&] {
                AllowReading(1e15, 0.5e9); // declares more than it can contain
                return take(2.2e9);
              }),
              { "more memory than 2 GB" });
}
#endif

TEST(ReadingProcess, LimitsTime)
{
  const auto forever = []() -> nlohmann::json {
    for (volatile unsigned int number = 0;; number = number + 1)
    {}
  };
  ExpectWords(ErrorOfStep(forever, -9e6), { "file.xyz", "more than 1 s" }); // 10 s minus 1 s per MB
}

TEST(ReadingProcess, TextsAreClean)
{
  ExpectWords(ErrorOf([] { throw std::runtime_error("Reader (0x55d0c8a0): at 0x7fff12345678 it failed, code 0x1"); }),
              { "Reader: at  it failed, code 0x1" });
  EXPECT_LT(ErrorOf([] { throw std::runtime_error(std::string(5000, 'x')); }).size(), 1100u);
  // UTF-8 characters are kept (the first byte of a pound sign, U+00A3, is also that of control characters).
  EXPECT_EQ(OneLine("a\x1b[2J \xC2\x9B"
                    "b \xC2\xA3 \xC3\x9B \xC2"),
            "a?[2J ?b \xC2\xA3 \xC3\x9B \xC2");
}

} // namespace
