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
#ifndef DicomWriter_h
#define DicomWriter_h

#include "gdcmAttribute.h"
#include "gdcmReader.h"
#include "gdcmWriter.h"

#include "itkGDCMImageIO.h"
#include "itkImage.h"
#include "itkImageFileWriter.h"
#include "itkMetaDataObject.h"

#include <cmath>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief Synthetic CT series as scanners write them, and with faults. */

/** \brief A slice to write. Axis x of the image is in the x-y plane, rotated by 20 degrees; the normal is z. */
struct DicomSliceToWrite
{
  double       position{ 0.0 }; ///< mm along z
  double       shift{ 0.0 };    ///< mm within the plane, along the image's y axis
  double       slope{ 1.0 };    ///< rescale slope
  double       intercept{ -1024.0 };
  std::string  uid{ "1.2.826.0.1.3680043.2.1125.1" }; ///< series
  std::string  tilt;                                  ///< Gantry/Detector Tilt, degrees
  unsigned int width{ 12 };
  double       angle{ 20.0 }; ///< degrees of the x axis
};

/** \brief Returns the rescaled value of a slice's pixel for slope 1. It identifies x, y and the position. */
inline double
DicomValue(double position, int x, int y)
{
  return std::round(10.0 * position) + 20.0 * x + y;
}

/** \brief Writes a slice of 12 x 10 pixels of 0.5 x 0.75 mm as a CT image. */
inline void
WriteDicomSlice(const DicomSliceToWrite & slice, const std::string & path)
{
  using ImageType = itk::Image<short, 2>;
  const auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { slice.width, 10 } });
  const double spacing[] = { 0.5, 0.75 };
  image->SetSpacing(spacing);
  image->Allocate(true);
  for (int y = 0; y < 10; ++y)
  {
    for (int x = 0; x < static_cast<int>(slice.width); ++x)
    {
      image->SetPixel({ { x, y } },
                      static_cast<short>((DicomValue(slice.position, x, y) - slice.intercept) / slice.slope));
    }
  }

  const double cosine = std::cos(slice.angle * 0.017453292519943295);
  const double sine = std::sin(slice.angle * 0.017453292519943295);
  const auto   text = [](const std::vector<double> & numbers) {
    std::ostringstream stream;
    stream << std::setprecision(9);
    for (std::size_t index = 0; index < numbers.size(); ++index)
    {
      stream << (index == 0 ? "" : "\\") << numbers[index];
    }
    return stream.str();
  };
  itk::MetaDataDictionary & dictionary = image->GetMetaDataDictionary();
  const auto                set = [&dictionary](const char * tag, const std::string & value) {
    itk::EncapsulateMetaData<std::string>(dictionary, tag, value);
  };
  set("0008|0016", "1.2.840.10008.5.1.4.1.1.2"); // CT image storage
  set("0008|0060", "CT");
  set("0010|0010", "Phantom");
  set("0020|000d", "1.2.826.0.1.3680043.2.1125.9");
  set("0020|000e", slice.uid);
  set("0020|0032", text({ 5.0 - slice.shift * sine, -7.0 + slice.shift * cosine, slice.position }));
  set("0020|0037", text({ cosine, sine, 0.0, -sine, cosine, 0.0 }));
  if (!slice.tilt.empty())
  {
    set("0018|1120", slice.tilt);
  }
  const auto io = itk::GDCMImageIO::New();
  io->KeepOriginalUIDOn();
  const auto writer = itk::ImageFileWriter<ImageType>::New();
  writer->SetImageIO(io);
  writer->SetInput(image);
  writer->SetFileName(path);
  writer->Update();

  // ITK would store other numbers, due to the inverse of the rescaling. Here the numbers above are stored.
  gdcm::Reader reader;
  reader.SetFileName(path.c_str());
  if (!reader.Read())
  {
    throw std::runtime_error("cannot read " + path);
  }
  gdcm::Attribute<0x0028, 0x1052> intercept;
  gdcm::Attribute<0x0028, 0x1053> slope;
  intercept.SetValue(slice.intercept);
  slope.SetValue(slice.slope);
  reader.GetFile().GetDataSet().Replace(intercept.GetAsDataElement());
  reader.GetFile().GetDataSet().Replace(slope.GetAsDataElement());
  gdcm::Writer rewriter;
  rewriter.CheckFileMetaInformationOff();
  rewriter.SetFile(reader.GetFile());
  rewriter.SetFileName((path + ".new").c_str());
  if (!rewriter.Write())
  {
    throw std::runtime_error("cannot write " + path);
  }
  std::filesystem::rename(path + ".new", path);
}

#endif
