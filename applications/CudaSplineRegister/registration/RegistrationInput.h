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
#ifndef CudaSplineRegister_RegistrationInput_h
#define CudaSplineRegister_RegistrationInput_h

#include "cli/CommandLine.h"
#include "io/formats/ImageInput.h"
#include "registration/Registration.h"

#include "itkTransformBase.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace CudaSplineRegister
{

/** \brief The headers of an additional pair of images. */
struct AdditionalDescription
{
  ImageDescription fixed;
  ImageDescription moving;
};

/** \brief The inputs, with their headers. */
struct RegistrationInputs
{
  ImageDescription                             fixed;
  ImageDescription                             moving;     ///< the fixed image for motion correction
  std::vector<AdditionalDescription>           further;    ///< additional pairs
  std::vector<std::optional<ImageDescription>> fixedMasks; ///< none, one, or one for each stage
  std::vector<std::optional<ImageDescription>> movingMasks;
  std::optional<MaskList>                      masksOfFixed; ///< pixels of fixedMasks after they were read
  std::optional<MaskList>                      masksOfMoving;
  itk::TransformBase::Pointer                  initial; ///< null: none

  /** Returns whether the moving image has several volumes. */
  bool
  IsSeries() const
  {
    return moving.layout.volumes > 1;
  }
};

/** \brief Reads headers and the initial transform, checks the options that depend on them, and then starts the device.
 *
 * \param[in,out] options for a large fixed image, its stages become those of large images
 * \exception ProgramError the request is invalid, or a file cannot be read */
RegistrationInputs
DescribeInputs(Options & options);

/** \brief Returns the layout of an image that is computed on the grid of another one. It keeps its own information (the
 * description, the fourth axis of a series). The codes of NIfTI's space are those of the grid.
 *
 * \param[in] grid image with the grid
 * \param[in] image null: a computed image without a header */
ImageLayout
LayoutOnGrid(const ImageDescription & grid, const ImageDescription * image);

/** \brief Layouts of the output images. */
struct OutputLayouts
{
  ImageLayout warped;        ///< a series on the grid of the fixed image
  ImageLayout inverseWarped; ///< the fixed image on the grid of the moving one
  ImageLayout computed;      ///< images that are computed on the grid of the fixed image
};

/** \brief Returns the layouts of the outputs of a registration. */
OutputLayouts
LayoutsOf(const RegistrationInputs & inputs);

/** \brief Throws if a mask or label map has lost the geometry of its image (HasLostGeometry()).
 *
 * \param[in] name its name, for the message
 * \param[in] grid its grid
 * \param[in] image grid of its image */
void
CheckGeometry(const std::string & name, const Grid & grid, const Grid & image);

/** \brief Reads the fixed image, or the image that replaces it for a series, and its mask. */
void
ReadFixed(const Options & options, RegistrationInputs & inputs, RegistrationRequest & request);

/** \brief Reads the moving image, or a volume of it, and its mask.
 *
 * \param[in] options, inputs the options and headers
 * \param[in] volume its number, from 0
 * \param[in,out] request receives the image and the mask
 * \param[out] finite mask of the finite voxels of the moving image, if some are not finite */
void
ReadMoving(const Options &         options,
           RegistrationInputs &    inputs,
           std::size_t             volume,
           RegistrationRequest &   request,
           std::optional<Volume> & finite);

/** \brief Reads the additional pairs of images, for a single moving image. Their masks are the finite voxels of each
 * image, inside the masks of the first pair. */
void
ReadFurther(const Options & options, RegistrationInputs & inputs, RegistrationRequest & request);

} // namespace CudaSplineRegister

#endif
