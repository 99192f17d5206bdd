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
#ifndef itkCudaSpline_files_NiftiDescription_h
#define itkCudaSpline_files_NiftiDescription_h

#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

/** \brief The meaning of the components of a pixel. */
enum class NiftiPixel : unsigned char
{
  Scalar,          ///< one number
  Vector,          ///< a vector along ITK's axes (LPS), as ITK and ANTs write it, or any other list of components
  Displacement,    ///< intent 1006: in the file along NIfTI's axes (RAS), in memory along ITK's (LPS)
  SymmetricMatrix, ///< intent 1005: in the file the lower triangle, in memory the upper triangle, both row by row
  Rgb,             ///< red, green, blue
  Rgba,            ///< red, green, blue, opacity
  Complex          ///< real and imaginary part
};

/** \brief The grid of the voxels: in ITK's physical space (LPS), mm, x first. */
struct NiftiGrid
{
  unsigned int                         dimension{ 3 };           ///< 2 or 3
  std::array<std::uint64_t, 3>         size{ 1, 1, 1 };          ///< voxels; in 2 dimensions the last one is 1
  std::array<double, 3>                spacing{ 1.0, 1.0, 1.0 }; ///< mm; in 2 dimensions the last one is the thickness
  std::array<double, 3>                origin{ 0.0, 0.0, 0.0 };  ///< centre of the first voxel, mm
  std::array<std::array<double, 3>, 3> direction{ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }; ///< [row][axis]
};

/** \brief Fields that do not change the meaning or the positions of the numbers, and are copied from input to output.
 */
struct NiftiFields
{
  int                   qformCode{ 0 };  ///< 0: unknown, 1: scanner, 2: aligned, 3: Talairach, 4: MNI 152, 5: template
  int                   sformCode{ 0 };  ///< the same for the sform
  int                   intentCode{ 0 }; ///< code of nifti1.h
  std::array<double, 3> intentParameters{ 0.0, 0.0, 0.0 }; ///< intent_p1 to intent_p3
  std::string           intentName;                        ///< up to 16 bytes
  double                calMin{ 0.0 };                     ///< displayed as black
  double                calMax{ 0.0 };                     ///< displayed as white
  std::string           description;                       ///< up to 80 bytes
  std::string           auxFile;                           ///< up to 24 bytes
  int                   dimInfo{ 0 };                      ///< axes of frequency, phase and slice encoding, 2 bits each
  int                   sliceCode{ 0 };                    ///< order of the slices in time
  std::int64_t          sliceStart{ 0 };                   ///< first slice to which \c sliceCode applies
  std::int64_t          sliceEnd{ 0 };                     ///< last slice to which it applies
  double                sliceDuration{ 0.0 };              ///< in the unit of the fourth axis
  /** Bits 3 to 5 of xyzt_units: 8 if the fourth axis is a time in s (converted from ms or us), 0: unknown, 32: Hz, 40:
   * ppm, 48: rad/s. */
  int    volumeUnit{ 8 };
  double volumeSpacing{ 1.0 }; ///< spacing of the fourth axis, in that unit; 0: unknown
  double volumeOrigin{ 0.0 };  ///< toffset, in that unit
};

/** \brief The content of a NIfTI header, as defined by nifti1.h and nifti2.h. The rules are in doc/FileFormats.md. */
struct NiftiDescription
{
  int  version{ 1 };         ///< 1 or 2
  bool isSingleFile{ true }; ///< header and pixels are in one file, else in .hdr and .img
  bool isSwapped{ false };   ///< the byte order differs from this machine's
  /** Offset of the first pixel in its (uncompressed) file (bytes). */
  std::uint64_t pixelOffset{ 352 };
  NiftiGrid     grid;                        ///< grid of a volume
  std::uint64_t volumes{ 1 };                ///< size of the fourth axis
  NiftiPixel    pixel{ NiftiPixel::Scalar }; ///< meaning of its components
  std::uint32_t components{ 1 };             ///< components per pixel
  /** All volumes of a component are contiguous, those of the first one first. */
  bool                     arePlanes{ false };
  ScalarType               storedType{ ScalarType::Float32 }; ///< type of a number in the file
  ScalarType               type{ ScalarType::Float32 };       ///< type of a number in memory
  bool                     isScaled{ false };                 ///< a number is slope * stored + intercept
  double                   slope{ 1.0 };                      ///< slope of the scaling
  double                   intercept{ 0.0 };                  ///< intercept of the scaling
  NiftiFields              fields;                            ///< fields that are copied
  std::vector<std::string> warnings;                          ///< one sentence each, without the file's name

  /** Voxels of a volume. */
  std::uint64_t
  GetNumberOfVoxels() const
  {
    return grid.size[0] * grid.size[1] * grid.size[2];
  }

  /** Bytes of all stored numbers. */
  std::uint64_t
  GetStoredBytes() const
  {
    return this->GetNumberOfVoxels() * volumes * components * SizeOf(storedType);
  }
};

} // namespace itk::CudaSpline

#endif
