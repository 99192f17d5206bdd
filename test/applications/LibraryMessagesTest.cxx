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
#include "process/LibraryMessages.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

/** \file
 * \brief Messages of libraries are collected by several objects at the same time, and the standard error is restored
 * afterwards. */

namespace
{

using CudaSplineProgram::LibraryMessages;

/** Returns which file the standard error is. */
std::pair<dev_t, ino_t>
StandardError()
{
  struct stat status = {};
  EXPECT_EQ(fstat(STDERR_FILENO, &status), 0);
  return { status.st_dev, status.st_ino };
}

} // namespace

/** The first collection ends first, as for files that are written at the same time. */
TEST(LibraryMessagesTest, Overlapping)
{
  const auto before = StandardError();
  auto       first = std::make_unique<LibraryMessages>();
  std::fputs("one\n", stderr);
  LibraryMessages second;
  std::fputs("two\n", stderr);
  EXPECT_EQ(first->Take(), "one\ntwo\n");
  first.reset();
  EXPECT_NE(StandardError(), before);
  std::fputs("three\n", stderr);
  EXPECT_EQ(second.Take(), "two\nthree\n");
  EXPECT_EQ(StandardError(), before);
  EXPECT_EQ(second.Take(), "");
  EXPECT_EQ(StandardError(), before);
}

TEST(LibraryMessagesTest, Threads)
{
  const auto               before = StandardError();
  std::vector<std::thread> threads;
  std::vector<int>         missed(4, 0);
  for (int & own : missed)
  {
    const std::string word = "<" + std::to_string(&own - missed.data()) + ">";
    threads.emplace_back([&own, word] {
      for (int time = 0; time < 200; ++time)
      {
        LibraryMessages messages;
        std::fputs(word.c_str(), stderr);
        own += messages.Take().find(word) == std::string::npos ? 1 : 0;
      }
    });
  }
  for (std::thread & thread : threads)
  {
    thread.join();
  }
  EXPECT_EQ(missed, std::vector<int>(4, 0));
  EXPECT_EQ(StandardError(), before);
}
