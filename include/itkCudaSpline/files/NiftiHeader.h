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
 * \brief Headers of NIfTI-1 and NIfTI-2 files, from and to bytes in memory. Nothing else interprets them. */

namespace itk::CudaSpline
{

/** \brief Bytes that DescribeNifti() needs at most. */
constexpr std::size_t maxNiftiHeaderBytes = 540;

/** \brief Shear of a matrix up to which its columns are the axes of the image as they are: float32 and texts of six
 * digits round by less. Radian. */
constexpr double negligibleNiftiShear = 1e-5;
/** \brief Shear above which a warning says that the nearest orthonormal matrix is taken. Two unit vectors rounded to
 * three digits lack 2 sqrt(3) 0.0005 to a right angle at most. Radian. */
constexpr double silentNiftiShear = 1.8e-3;
/** \brief Shear above which a file is refused: 0.5 degrees. At 100 mm from the centre it moves a voxel by 0.4 mm. */
constexpr double maxNiftiShear = 8.7266462599716477e-3;

/** \brief Whether bytes are the beginning of a NIfTI-1 or NIfTI-2 header, or of one of Analyze 7.5, which
 * DescribeNifti() refuses. */
bool
IsNiftiHeader(const void * bytes, std::size_t count);

/** \brief Interprets a header.
 *
 * The matrix is the sform if its code is above 0, else the qform if its code is above 0, else method 1 of nifti1.h: the
 * spacings alone. Scaling, units and intents are applied. The sign of pixdim[1] to pixdim[7] has no meaning.
 *
 * \param[in] bytes the beginning of the uncompressed file with the header; extensions after the header are recognised
 * as far as they are within it
 * \param[in] count how many, at least 348 of NIfTI-1 or 540 of NIfTI-2
 * \exception std::invalid_argument the field, its value, and what is allowed */
NiftiDescription
DescribeNifti(const void * bytes, std::size_t count);

/** \brief Makes the bytes of a header in this machine's order, up to the first pixel of a single file.
 *
 * Both matrices are written: the sform with all digits of the format, and the qform, whose quaternion and spacings are
 * rounded by themselves. Codes are those of the fields; where one is 0 it is that of the other matrix, where both are
 * it is 1. Numbers are stored in \c type, without scaling. Sizes above 32767 make it NIfTI-2.
 *
 * \param[in,out] description what to write; \c version, \c pixelOffset, \c isSwapped, \c arePlanes, \c storedType and
 * scaling are set to those of the file
 * \exception std::invalid_argument NIfTI does not hold such an image */
std::string
MakeNiftiHeader(NiftiDescription & description);

/** \brief What keeps an image from being a displacement field along ITK's axes, although it has the numbers of one: it
 * is of FSL, SPM or NiftyReg, or AFNI wrote it.
 *
 * \param[in] bytes as those of DescribeNifti(), with the header's extensions
 * \param[in] count how many
 * \return a text that names the program and a converter; empty for other images */
std::string
GetForeignWarpReason(const void * bytes, std::size_t count);

} // namespace itk::CudaSpline

#endif
