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
#ifndef CudaSplineRegister_Summary_h
#define CudaSplineRegister_Summary_h

#include "output/Report.h"

#include <cstddef>
#include <string>

namespace CudaSplineRegister
{

/** \brief Returns the summary of a registration for users: stages with iterations and why they ended, similarity before
 * and after, overlap, folds, files and times.
 *
 * \param[in] report, options the registration
 * \param[in] width maximum length of lines, except names of files */
std::string
MakeSummary(const Report & report, const Options & options, std::size_t width);

/** \brief Returns the summary of a series: volumes, motion, overlap, files and time. */
std::string
MakeSummary(const SeriesReport & report, std::size_t width);

} // namespace CudaSplineRegister

#endif
