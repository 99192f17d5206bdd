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
#include "io/formats/DicomPixels.h"

#include "io/formats/DicomHeader.h"
#include "console/Error.h"
#include "process/LibraryMessages.h"
#include "io/volume/PixelType.h"

#include "gdcmImageReader.h"
#include "itkGDCMImageIO.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace CudaSplineProgram
{

namespace
{

/** The stored numbers of a DICOM file. */
class StoredFrames
{
public:
  explicit StoredFrames(const std::string & file)
    : m_File(file)
  {
    gdcm::ImageReader reader;
    reader.SetFileName(file.c_str());
    const bool isRead = reader.Read();
    if (isRead)
    {
      m_Numbers.resize(reader.GetImage().GetBufferLength());
    }
    if (!isRead || !reader.GetImage().GetBuffer(m_Numbers.data()))
    {
      throw ProgramError("cannot read the pixels of the DICOM file \"" + file + "\"");
    }
    static const std::map<gdcm::PixelFormat::ScalarType, ScalarType> types{
      { gdcm::PixelFormat::UINT8, ScalarType::UInt8 },     { gdcm::PixelFormat::INT8, ScalarType::Int8 },
      { gdcm::PixelFormat::UINT16, ScalarType::UInt16 },   { gdcm::PixelFormat::INT16, ScalarType::Int16 },
      { gdcm::PixelFormat::UINT32, ScalarType::UInt32 },   { gdcm::PixelFormat::INT32, ScalarType::Int32 },
      { gdcm::PixelFormat::FLOAT32, ScalarType::Float32 }, { gdcm::PixelFormat::FLOAT64, ScalarType::Float64 }
    };
    const gdcm::PixelFormat & format = reader.GetImage().GetPixelFormat();
    if (format.GetScalarType() == gdcm::PixelFormat::SINGLEBIT)
    {
      this->UnpackBits();
      return;
    }
    const auto type = types.find(format.GetScalarType());
    if (type == types.end())
    {
      throw ProgramError("the DICOM file \"" + file + "\" has pixels of " + format.GetScalarTypeAsString() +
                         "; frames that are rescaled must have integers of 8 to 32 bits, float or double");
    }
    m_Type = type->second;
  }

  /** Copies a frame of bits as bytes.
   *
   * \exception ProgramError there are fewer numbers */
  void
  CopyMask(std::size_t number, std::size_t voxels, std::uint8_t * to) const
  {
    this->CheckNumbers(number, voxels);
    std::memcpy(to, m_Numbers.data() + number * voxels, voxels);
  }

  /** Copies a frame and rescales it.
   *
   * \exception ProgramError there are fewer numbers */
  void
  Rescale(std::size_t number, std::size_t voxels, const DicomRescale & rescale, double * to) const
  {
    this->CheckNumbers(number, voxels);
    for (std::size_t voxel = 0; voxel < voxels; ++voxel)
    {
      const auto value = itk::CudaSpline::LoadScalar<double>(
        m_Numbers.data(), m_Type, static_cast<std::int64_t>(number * voxels + voxel));
      to[voxel] = rescale.slope * value + rescale.intercept;
    }
  }

private:
  void
  CheckNumbers(std::size_t number, std::size_t voxels) const
  {
    if (m_Numbers.size() < (number + 1) * voxels * itk::CudaSpline::SizeOf(m_Type))
    {
      throw ProgramError("the DICOM file \"" + m_File + "\" is damaged or truncated: it contains " +
                         std::to_string(m_Numbers.size()) + " bytes of pixels, but its header requires more");
    }
  }

  /** Converts each bit to a byte, the least significant bit first. Frames follow each other without padding. */
  void
  UnpackBits()
  {
    std::vector<char> bytes(8 * m_Numbers.size());
    for (std::size_t bit = 0; bit < bytes.size(); ++bit)
    {
      bytes[bit] = static_cast<char>(static_cast<unsigned char>(m_Numbers[bit / 8]) >> bit % 8 & 1U);
    }
    m_Numbers = std::move(bytes);
    m_Type = ScalarType::UInt8;
  }

  std::string       m_File;
  ScalarType        m_Type{ ScalarType::Int16 };
  std::vector<char> m_Numbers;
};

} // namespace

void
ReadDicomFrames(const OpenedImage & image, void * pixels)
{
  LibraryMessages   messages;
  const std::size_t frameBytes = BytesOfVolume(image) / image.frames.size();
  if (image.frames.front().rescale || image.frames.front().isMask)
  {
    const StoredFrames stored(image.slices.empty() ? image.path : image.slices.front());
    const std::size_t  voxels = image.grid.size[0] * image.grid.size[1];
    auto *             to = static_cast<char *>(pixels);
    for (const DicomFrame & frame : image.frames)
    {
      frame.rescale ? stored.Rescale(frame.number, voxels, *frame.rescale, reinterpret_cast<double *>(to))
                    : stored.CopyMask(frame.number, voxels, reinterpret_cast<std::uint8_t *>(to));
      to += frameBytes;
    }
  }
  else
  {
    bool isInOrder = true;
    for (std::size_t frame = 0; frame < image.frames.size(); ++frame)
    {
      isInOrder = isInOrder && image.frames[frame].number == frame;
    }
    std::vector<char> stored(isInOrder ? 0 : BytesOfVolume(image));
    try
    {
      image.io->Read(isInOrder ? pixels : stored.data());
    }
    catch (const itk::ExceptionObject & exception)
    {
      throw ProgramError("cannot read the pixels of \"" + image.path + "\": " + TextOf(exception));
    }
    for (std::size_t frame = 0; !isInOrder && frame < image.frames.size(); ++frame)
    {
      std::memcpy(static_cast<char *>(pixels) + frame * frameBytes,
                  stored.data() + image.frames[frame].number * frameBytes,
                  frameBytes);
    }
  }
  CheckComplete(messages.Take(), image.path);
}

void
ReadDicomSlices(const OpenedImage & description, const Volume & volume)
{
  Grid              sliceGrid = description.grid;
  const std::size_t count = description.slices.size();
  sliceGrid.size[2] = 1;
  const std::size_t bytes = volume.GetNumberOfBytes() / count;
  LibraryMessages   messages;
  for (std::size_t slice = 0; slice < count; ++slice)
  {
    const auto         io = itk::GDCMImageIO::New();
    const DicomFrame & frame = description.frames[slice];
    try
    {
      Volume            pixels;
      const std::size_t voxels = sliceGrid.GetNumberOfVoxels();
      if (frame.rescale)
      {
        pixels = Volume::Allocate(sliceGrid, ScalarType::Float64);
        StoredFrames(description.slices[slice])
          .Rescale(0, voxels, *frame.rescale, static_cast<double *>(pixels.pixels.get()));
      }
      else if (frame.isMask)
      {
        pixels = Volume::Allocate(sliceGrid, ScalarType::UInt8);
        StoredFrames(description.slices[slice]).CopyMask(0, voxels, static_cast<std::uint8_t *>(pixels.pixels.get()));
      }
      else
      {
        io->SetFileName(description.slices[slice]);
        io->ReadImageInformation();
        pixels = Volume::Allocate(sliceGrid, TypeOfHeader(*io, description.slices[slice]));
        io->Read(pixels.pixels.get());
      }
      pixels = pixels.type == volume.type ? pixels : CastVolume(pixels, volume.type);
      std::memcpy(static_cast<char *>(volume.pixels.get()) + slice * bytes, pixels.pixels.get(), bytes);
    }
    catch (const itk::ExceptionObject & exception)
    {
      throw ProgramError("cannot read the DICOM file \"" + description.slices[slice] + "\": " + TextOf(exception));
    }
  }
  CheckComplete(messages.Take(), description.path);
}

} // namespace CudaSplineProgram
