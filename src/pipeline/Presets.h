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
#ifndef pipeline_Presets_h
#define pipeline_Presets_h

#include <string>
#include <utility>
#include <vector>

namespace itk::CudaSpline
{

/** \brief The presets of src/pipeline/presets: names and JSON texts. */
const std::vector<std::pair<std::string, std::string>> &
GetPresets();

} // namespace itk::CudaSpline

#endif
