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
#ifndef itkCudaSpline_files_NiftiPixels_h
#define itkCudaSpline_files_NiftiPixels_h

#include "itkCudaSpline/files/NiftiDescription.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

/** \file
 * \brief Converts numbers of NIfTI files in memory. */

namespace itk::CudaSpline
{

/** \brief The location of the numbers of a component of a volume in the file. */
struct NiftiPlane
{
  std::uint64_t offset{ 0 };    ///< byte of the first number in the (uncompressed) file with the pixels
  std::uint64_t count{ 0 };     ///< contiguous numbers: of one component, or of all components
  std::uint32_t component{ 0 }; ///< component in memory; 0 if all components are together
};

/** \brief Planes of a volume: one for each component, in the order of the file, or one with all components together.
 *
 * \param[in] description description of the file
 * \param[in] index number of the plane, below the number of planes of the volume
 * \param[in] volume number of the volume, below the number of volumes */
NiftiPlane
GetNiftiPlane(const NiftiDescription & description, std::uint64_t volume, std::uint32_t index);

/** \brief Number of planes of a volume: the number of components, or 1 if they are together. */
std::uint32_t
GetNumberOfNiftiPlanes(const NiftiDescription & description);

/** \brief The type of scaled numbers. Stored real numbers keep their type. Integers of up to 16 bits become float32 if
 * it represents all of their scaled numbers, others float64. */
ScalarType
GetScaledNiftiType(const NiftiDescription & description);

/** \brief Whether the bytes of the numbers in memory differ from those of the file. */
bool
NeedsNiftiConversion(const NiftiDescription & description, std::uint32_t component);

/** \brief Converts stored bytes to numbers: byte order, slope and intercept, and the sign of displacements.
 *
 * \param[in] description description of the file
 * \param[in] component component of the plane, in memory
 * \param[in] stored bytes of the file; may be the memory of \p numbers if these have the same size
 * \param[in] count number of numbers
 * \param[out] numbers numbers of the description's \c type
 * \param[in] stride distance of the numbers in memory, in numbers
 * \exception std::invalid_argument a number with slope and intercept is outside the range of the type */
void
ConvertNiftiNumbers(const NiftiDescription & description,
                    std::uint32_t            component,
                    const void *             stored,
                    std::size_t              count,
                    void *                   numbers,
                    std::size_t              stride = 1);

/** \brief The bytes of a NIfTI file for an image; they are converted in parts, and need not all be in memory. */
class NiftiFileBytes
{
public:
  /** \brief Copies bytes of the pixels of all volumes, the components of a pixel contiguous. Several threads call it.
   */
  using ReadPixels = std::function<void(std::uint64_t begin, std::size_t bytes, char * to)>;

  /** \param[in] description description of the image; sizes, components and types are those in memory
   * \param[in] pixels pixels of all volumes, the components of a pixel contiguous; they are used, not copied
   * \exception std::invalid_argument as for MakeNiftiHeader() */
  NiftiFileBytes(const NiftiDescription & description, const void * pixels);

  /** \brief The same for pixels that are not in memory. */
  NiftiFileBytes(const NiftiDescription & description, ReadPixels read);

  /** \brief Description of the file. */
  const NiftiDescription &
  GetDescription() const
  {
    return m_Description;
  }

  /** \brief The header with all bytes before the pixels of a single file; for a pair of files the whole .hdr file. */
  const std::string &
  GetHeader() const
  {
    return m_Header;
  }

  /** \brief Bytes of the file with the pixels. */
  std::uint64_t
  GetSize() const;

  /** \brief Copies bytes of the file with the pixels. It is thread-safe. */
  void
  Read(std::uint64_t begin, std::size_t bytes, char * to) const;

private:
  /** Copies numbers in the order of the file. */
  void
  ReadNumbers(std::uint64_t first, std::size_t count, char * to) const;

  NiftiDescription m_Description;
  std::string      m_Header;
  const char *     m_Pixels{ nullptr };
  ReadPixels       m_Read; ///< used if there is no pointer
};

} // namespace itk::CudaSpline

#endif
