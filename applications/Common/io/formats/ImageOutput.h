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

/** \brief Writes an image with ITK's IO, reads it back, and compares.
 *
 * Some of the libraries of ITK's IO do not detect a full disk, and some formats drop information that they cannot
 * store. Reading back detects both before an older file is replaced. Lossy compression (JPEG) is not compared. Several
 * threads may write different files at the same time.
 *
 * \param[in] volume the image; its pixels are those of all volumes and components of the layout, and the components of
 * a pixel are consecutive
 * \param[in] file the file
 * \param[in] layout volumes, components and notes
 * \return the parts of geometry and meaning that the format did not keep ("origin, direction"); empty if it kept all
 * \exception ProgramError unknown format, or the file is incomplete */
std::string
WriteImage(const Volume & volume, const std::string & file, const ImageLayout & layout = {});

/** \brief Same as WriteImage() for a series, or for several numbers per pixel. NIfTI, NRRD and MetaImage are written
 * volume by volume, with one of them in memory. Other formats are written by ITK at once. */
std::string
WriteSeries(const VolumeStore & store, const std::string & file, const ImageLayout & layout);

/** \brief Checks quickly, before the computation, whether an image can be written. It writes an image with at most 2
 * voxels per axis.
 *
 * Parameters and results are as for WriteImage(). */
std::string
ProbeOutput(const Grid & grid, ScalarType type, const std::string & file, const ImageLayout & layout = {});

/** \brief ProbeOutput() for an output file, with a warning if its format does not keep everything.
 *
 * \param[in,out] file the output, which is cleared
 * \param[in] name name as specified by the user */
void
ProbeOutput(AtomicOutput &      file,
            const std::string & name,
            const Grid &        grid,
            ScalarType          type,
            const ImageLayout & layout = {});

} // namespace CudaSplineProgram

#endif
