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
#ifndef itkCudaSpline_files_NiftiHeader_h
#define itkCudaSpline_files_NiftiHeader_h

#include "itkCudaSpline/files/NiftiDescription.h"

#include <cstddef>
#include <string>

/** \file
 * \brief Reads and writes headers of NIfTI-1 and NIfTI-2 in memory. No other code interprets them. */

namespace itk::CudaSpline
{

/** \brief Maximum number of bytes that DescribeNifti() needs. */
constexpr std::size_t maxNiftiHeaderBytes = 540;

/** \brief Shear of a matrix up to which its columns are used unchanged as the axes of the image: rounding to float32 or
 * to texts of six digits causes less. Radian. */
constexpr double negligibleNiftiShear = 1e-5;
/** \brief Shear above which a warning reports that the nearest orthonormal matrix is used. The angle of two unit
 * vectors rounded to three digits differs from a right angle by at most 2 sqrt(3) 0.0005. Radian. */
constexpr double silentNiftiShear = 1.8e-3;
/** \brief Shear above which a file is rejected: 0.5 degrees. At 100 mm from the centre it moves a voxel by 0.4 mm. */
constexpr double maxNiftiShear = 8.7266462599716477e-3;

/** \brief Whether bytes are the beginning of a NIfTI-1 or NIfTI-2 header, or of an Analyze 7.5 header, which
 * DescribeNifti() rejects. */
bool
IsNiftiHeader(const void * bytes, std::size_t count);

/** \brief Interprets a header.
 *
 * The matrix is the sform if its code is above 0, else the qform if its code is above 0, else method 1 of nifti1.h:
 * only the spacings. Scaling, units and intents are applied. The sign of pixdim[1] to pixdim[7] has no meaning.
 *
 * \param[in] bytes the beginning of the uncompressed file with the header; extensions after the header are recognised
 * if they are included
 * \param[in] count number of bytes, at least 348 for NIfTI-1 or 540 for NIfTI-2
 * \exception std::invalid_argument the message names the field, its value, and the allowed values */
NiftiDescription
DescribeNifti(const void * bytes, std::size_t count);

/** \brief Writes a header in this machine's byte order, with all bytes before the first pixel of a single file.
 *
 * Both matrices are written: the sform with all digits of the format, and the qform, whose quaternion and spacings are
 * rounded separately. Codes are those of the fields. If one code is 0 that of the other matrix is written; if both are
 * 0 the code is 1. Numbers are stored in \c type, without scaling. Sizes above 32767 need NIfTI-2.
 *
 * \param[in,out] description the image to describe; \c version, \c pixelOffset, \c isSwapped, \c arePlanes, \c
 * storedType and scaling are set to those of the file
 * \exception std::invalid_argument NIfTI does not support such an image */
std::string
MakeNiftiHeader(NiftiDescription & description);

/** \brief Returns why an image is not a displacement field along ITK's axes although it has the components of one: FSL,
 * SPM, NiftyReg or AFNI wrote it.
 *
 * \param[in] bytes as for DescribeNifti(), with the header's extensions
 * \param[in] count number of bytes
 * \return a text that names the program and a converter; empty for other images */
std::string
GetForeignWarpReason(const void * bytes, std::size_t count);

} // namespace itk::CudaSpline

#endif
