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
#ifndef CudaSplineRegister_MotionTable_h
#define CudaSplineRegister_MotionTable_h

#include "output/Report.h"

#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Returns the motion of a series as tab-separated values: a line with the names of columns, then one line per
 * volume. */
std::string
MakeMotionTable(const std::vector<VolumeReport> & volumes);

/** \brief Returns the description of the table and its columns, JSON as in BIDS.
 *
 * \param[in] options the options
 * \param[in] centre centre of the rotations, mm */
std::string
MakeMotionSidecar(const Options & options, const Coordinates & centre);

/** \brief Returns the name of the description: that of the table with the suffix .json. */
std::string
NameOfMotionSidecar(const std::string & table);

} // namespace CudaSplineRegister

#endif
