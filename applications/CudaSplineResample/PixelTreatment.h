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
#ifndef CudaSplineResample_PixelTreatment_h
#define CudaSplineResample_PixelTreatment_h

#include "io/volume/Volume.h"

namespace CudaSplineResample
{

using namespace CudaSplineProgram; // common to both programs

/** \brief Treatment of values before and after the resampling. */
struct PixelTreatment
{
  bool rounds{ true };   ///< integers of the output are rounded half to even; otherwise they are truncated, as in ITK
  bool smooths{ false }; ///< before down-sampling
};

/** \brief Returns the treatment of this process and its children, which the command line sets. */
PixelTreatment &
GetPixelTreatment();

/** \brief Returns whether all pixels have a value. */
bool
IsAll(const Volume & volume, double value);

/** \brief Returns whether SmoothForSampling() smooths along an axis. */
bool
IsSmoothed(const Volume & volume, const Coordinates & steps);

/** \brief Smooths an image before it is sampled more coarsely.
 *
 * Along each axis a recursive Gaussian converts the point spread of an input voxel to that of an output voxel. Both are
 * modelled as Gaussians whose full width at half maximum is the spacing (Cardoso and others, MICCAI 2015): the variance
 * is (steps^2 - 1) / (8 ln 2) in squares of input voxels. Axes of fewer than 4 samples, and steps up to 1.1, are not
 * smoothed.
 *
 * \param[in] volume the image
 * \param[in] steps input voxels between output samples, by axis of the input
 * \return an image of float, or of double for input types that need it */
Volume
SmoothForSampling(const Volume & volume, const Coordinates & steps);

} // namespace CudaSplineResample

#endif
