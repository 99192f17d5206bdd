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
#ifndef BackendTable_h
#define BackendTable_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Reads doc/BackendTable.csv, the committed promise of which backend answers which combination.
 *
 * The file is found through the environment variable CUDASPLINE_BACKEND_TABLE, otherwise at the path that the build
 * defines. */

namespace CudaSplineTest
{

inline std::vector<std::string>
Split(const std::string & text, char separator)
{
  std::vector<std::string> parts;
  std::stringstream        stream(text);
  for (std::string part; std::getline(stream, part, separator);)
  {
    parts.push_back(part);
  }
  return parts;
}

/** The rows of the table, without its heading. */
inline std::vector<std::vector<std::string>>
ReadBackendTable()
{
  const char * const from = std::getenv("CUDASPLINE_BACKEND_TABLE");
  const std::string  path = from != nullptr ? from : CUDASPLINE_BACKEND_TABLE_PATH;
  std::ifstream      file(path);
  if (!file)
  {
    throw std::runtime_error("The backend table " + path + " cannot be read.");
  }
  std::vector<std::vector<std::string>> rows;
  std::string                           line;
  std::getline(file, line);
  while (std::getline(file, line))
  {
    rows.push_back(Split(line, ','));
    if (rows.back().size() != 7)
    {
      throw std::runtime_error("A row of the backend table has not seven fields: " + line);
    }
  }
  return rows;
}

/** \brief The backend that the table promises on this machine: its first row that matches.
 *
 * \param[in] key class, pixels, dimension, interpolator, transform, extrapolator
 * \param[in] gpuEnabled whether the object under test may use the GPU */
inline itk::CudaSpline::Backend
PromisedBackend(const std::vector<std::string> & key, bool gpuEnabled = true)
{
  for (const std::vector<std::string> & row : ReadBackendTable())
  {
    bool matches = true;
    for (std::size_t i = 0; i < key.size(); ++i)
    {
      const std::vector<std::string> allowed = Split(row[i], '|');
      matches = matches && (row[i] == "*" || std::find(allowed.begin(), allowed.end(), key[i]) != allowed.end());
    }
    if (matches)
    {
      if (row[6] == "superclass")
      {
        return itk::CudaSpline::Backend::Superclass;
      }
      return gpuEnabled && itk::CudaSpline::SelectDevice() ? itk::CudaSpline::Backend::Cuda
                                                           : itk::CudaSpline::Backend::Cpu;
    }
  }
  throw std::runtime_error("The backend table has no row for this combination.");
}

} // namespace CudaSplineTest

#endif
