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
#ifndef TemporaryFolder_h
#define TemporaryFolder_h

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

/** \file
 * \brief A folder for the files of a test. */

namespace CudaSplineTest
{

/** \brief An empty folder that is gone with it. */
class TemporaryFolder
{
public:
  TemporaryFolder()
  {
    std::string pattern = (std::filesystem::temp_directory_path() / "CudaSplineTest-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
    {
      throw std::runtime_error("No folder could be made: " + pattern);
    }
    m_Path = pattern;
  }

  ~TemporaryFolder()
  {
    std::error_code error;
    std::filesystem::remove_all(m_Path, error);
  }

  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &
  operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &
  GetPath() const
  {
    return m_Path;
  }

private:
  std::filesystem::path m_Path;
};

} // namespace CudaSplineTest

#endif
