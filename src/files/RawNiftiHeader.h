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
#ifndef RawNiftiHeader_h
#define RawNiftiHeader_h

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace itk::CudaSpline
{

/** \brief The fields of a header of either version as numbers, without interpretation. Names are those of nifti1.h.
 */
struct RawNiftiHeader
{
  int                         version{ 1 };
  bool                        isSwapped{ false };
  std::string                 magic;
  std::string                 magicEnding; ///< for NIfTI-2: bytes that a transfer as text changes
  std::int32_t                sizeofHdr{ 348 };
  std::array<std::int64_t, 8> dim{ { 0, 1, 1, 1, 1, 1, 1, 1 } };
  std::array<double, 8>       pixdim{ { 1, 1, 1, 1, 1, 1, 1, 1 } };
  std::array<double, 3>       intentP{};
  std::int32_t                intentCode{ 0 };
  std::int32_t                datatype{ 0 };
  std::int32_t                bitpix{ 0 };
  double                      voxOffset{ 0.0 };
  double                      sclSlope{ 1.0 };
  double                      sclInter{ 0.0 };
  double                      calMax{ 0.0 };
  double                      calMin{ 0.0 };
  double                      sliceDuration{ 0.0 };
  double                      toffset{ 0.0 };
  std::int64_t                sliceStart{ 0 };
  std::int64_t                sliceEnd{ 0 };
  std::int32_t                sliceCode{ 0 };
  std::int32_t                xyztUnits{ 0 };
  std::int32_t                dimInfo{ 0 };
  std::int32_t                qformCode{ 0 };
  std::int32_t                sformCode{ 0 };
  std::array<double, 3>       quatern{}; ///< b, c, d
  std::array<double, 3>       qoffset{};
  std::array<double, 12>      srow{}; ///< three rows of four
  std::string                 descrip;
  std::string                 auxFile;
  std::string                 intentName;
};

/** \brief Bytes of a header. */
constexpr std::size_t
SizeOfNiftiHeader(int version)
{
  return version == 2 ? 540 : 348;
}

/** \brief Whether there is a header of NIfTI or Analyze, from the field sizeof_hdr in either byte order.
 * \return 1 or 2; 0: no header */
int
FindNiftiVersion(const void * bytes, std::size_t count, bool & isSwapped);

/** \brief Reads the fields. \exception std::invalid_argument there are too few bytes, or there is no header */
RawNiftiHeader
ReadRawNiftiHeader(const void * bytes, std::size_t count);

/** \brief Writes a header of SizeOfNiftiHeader() bytes in this machine's byte order. */
std::string
WriteRawNiftiHeader(const RawNiftiHeader & header);

} // namespace itk::CudaSpline

#endif
