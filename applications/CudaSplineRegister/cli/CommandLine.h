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
#ifndef CudaSplineRegister_CommandLine_h
#define CudaSplineRegister_CommandLine_h

#include "io/volume/OutputGrid.h"
#include "io/transforms/TransformInput.h"

#include "itkCudaSpline/pipeline/SpecDocument.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

using namespace CudaSplineProgram; // common to both programs

using itk::CudaSpline::NameOf;
using itk::CudaSpline::StageKind;
using itk::CudaSpline::StageSpec;

/** \brief The image to which the volumes of a series are registered. */
enum class TargetKind : unsigned char
{
  FixedImage,
  Volume, ///< a volume of the series
  Mean    ///< the mean of its volumes
};

/** \brief Files of an additional pair of images. */
struct AdditionalFiles
{
  std::string                fixed;
  std::string                moving;
  std::optional<std::size_t> plane; ///< number of the colour plane that is compared
};

/** \brief The options of the user. */
struct Options
{
  std::string                        fixed;
  std::string                        moving;
  std::vector<AdditionalFiles>       further;                          ///< additional pairs of images
  TargetKind                         target{ TargetKind::FixedImage }; ///< of a moving series
  std::size_t                        targetVolume{ 0 };
  bool                               makesFolders{ false }; ///< whether missing folders of outputs are created
  std::string                        parameters;            ///< table (TSV) of the motion of a series; empty: none
  std::string                        specFile;              ///< file of --spec; empty: none
  std::string                        document;              ///< of the registration, JSON; see doc/RegistrationSpec.md
  itk::CudaSpline::RegistrationSpec  spec;                  ///< specification that the document describes
  std::map<std::string, std::string> written;               ///< values of its options on the command line, for messages
  std::string                        specOutput;            ///< file of the complete document; empty: none; "-": stdout
  std::string                        output;                ///< file of the transform; empty: none
  std::string                        warped;                ///< image; empty: none
  std::string                        picture;               ///< PNG; empty: none
  std::string                        report;                ///< JSON; empty: none
  std::string                        prefix;                ///< of the files with the names of ANTs; empty: none
  bool                     composite{ false }; ///< composite files with the prefix instead of matrix and fields
  std::string              field;              ///< image of displacements on the grid of the fixed image; empty: none
  std::string              inverse;  ///< image of inverse displacements on the grid of the moving image; empty: none
  std::string              jacobian; ///< image of determinants; empty: none
  bool                     logJacobian{ false }; ///< the logarithm of the determinants instead
  bool                     evaluate{ false };    ///< similarity before and after
  std::string              fixedLabels;          ///< image; empty: none
  std::string              movingLabels;         ///< image; empty: none
  std::string              fixedLandmarks;       ///< CSV; empty: none
  std::string              movingLandmarks;      ///< CSV; empty: none
  std::string              slidingRegions;       ///< image of labels; empty: none
  std::vector<std::string> fixedMasks;           ///< images: none, one, or one for each stage ("none": no mask)
  std::vector<std::string> movingMasks;          ///< like fixedMasks
  std::vector<TransformArgument> initial; ///< initial transforms; the last one is applied first to a point, as in ITK
  double                         defaultValue{ 0.0 };
  std::string                    reference;        ///< image with the grid of --warped; empty: the fixed image
  GridOptions                    grid;             ///< of --warped
  std::optional<ScalarType>      outputType;       ///< of --warped; see FindWarpedFormat()
  std::string                    device;           ///< "" (automatic), "cpu" or a number
  bool                           explain{ false }; ///< only print what would be done
  bool                           verbose{ false };
  bool                           quiet{ false }; ///< only warnings on stderr
  bool                           force{ false }; ///< read DICOM files with an irregular or unknown geometry
};

/** \brief Returns the problems of a document in one line, with the options of the program.
 *
 * \param[in] error the problems
 * \param[in] options with Options::written, and the stages of Options::spec as far as they are known */
std::string
DescribeProblems(const itk::CudaSpline::SpecError & error, const Options & options);

/** \brief Joins names: "cc, lncc and ngf". */
std::string
JoinNames(const std::vector<std::string> & names);

/** \brief Returns whether a stage finds a nonlinear transform. */
bool
IsBending(const StageSpec & stage);

/** \brief Reads the command line.
 *
 * \param[out] options the options of the user
 * \return the exit code if the program is done, after --help, --version or an error (one line on stderr); otherwise
 * empty */
std::optional<int>
ParseCommandLine(int argc, char ** argv, Options & options);

} // namespace CudaSplineRegister

#endif
