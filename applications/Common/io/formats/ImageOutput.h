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
#ifndef CudaSplineProgram_ImageOutput_h
#define CudaSplineProgram_ImageOutput_h

#include "io/files/AtomicOutput.h"
#include "io/formats/ImageInput.h"
#include "io/volume/Volume.h"
#include "io/formats/VolumeStore.h"

#include <string>

namespace CudaSplineProgram
{

/** \brief Writes an image by ITK's IO, reads it back, and compares.
 *
 * Not every library behind ITK's IO notices a full disk, and some formats drop what they cannot hold; reading back
 * finds both before an older file is replaced. Compression that loses pixels (JPEG) is not compared. Several threads
 * may write files of their own at the same time.
 * \param[in] volume the image; its pixels are those of all volumes and components of the layout, components one after
 * the other in a pixel
 * \param[in] file where to write
 * \param[in] layout volumes, components and notes
 * \return what the format did not keep of geometry and meaning ("origin, direction"); empty where it kept all
 * \exception ProgramError unknown format, or not written in full */
std::string
WriteImage(const Volume & volume, const std::string & file, const ImageLayout & layout = {});

/** \brief WriteImage() of a series, or of several numbers a pixel. NIfTI, NRRD and MetaImage are written volume by
 * volume, of which one is in memory; other formats by ITK at once. */
std::string
WriteSeries(const VolumeStore & store, const std::string & file, const ImageLayout & layout);

/** \brief Finds out in no time, before the work, whether an image can be written: writes one of at most 2 voxels an
 * axis.
 *
 * Parameters and results as WriteImage(). */
std::string
ProbeOutput(const Grid & grid, ScalarType type, const std::string & file, const ImageLayout & layout = {});

/** \brief ProbeOutput() of a file that will be written, with a warning where its format does not keep all.
 *
 * \param[in,out] file the output, which is cleared
 * \param[in] name as the user named it */
void
ProbeOutput(AtomicOutput &      file,
            const std::string & name,
            const Grid &        grid,
            ScalarType          type,
            const ImageLayout & layout = {});

} // namespace CudaSplineProgram

#endif
