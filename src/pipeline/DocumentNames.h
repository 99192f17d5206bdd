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
#ifndef pipeline_DocumentNames_h
#define pipeline_DocumentNames_h

#include <string>
#include <vector>

/** \file
 * \brief Names that the reader and the writer of documents share. */

namespace itk::CudaSpline
{

/** \brief The member with the version of a document. */
inline constexpr const char * VersionKey = "cudaspline_registration";

/** \brief Precisions: those of documents, and those of the interface in C. */
inline const std::vector<std::string> PrecisionNames{ "float32", "float64", "float", "double" };

} // namespace itk::CudaSpline

#endif
