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
#include "HelpText.h"

#include "Interpolations.h"

namespace CudaSplineResample
{

std::string
HelpSummary()
{
  return "Resamples a 2D or 3D image, or a series of volumes: rotated, transformed, on another grid. On a GPU where "
         "there is one, else on all cores, with the results of itk::ResampleImageFilter.";
}

std::string
HelpDetails()
{
  return std::string(R"(Files
  Whatever ITK reads and writes: NIfTI, NRRD, MetaImage, PNG, TIFF, DICOM and others. Rescale slope and intercept of
  DICOM are applied. Slices of a DICOM folder, and frames of a file, are put in the order of their positions. Several
  series, missing, shifted or unevenly spaced slices, gantry tilt, mosaics, and files without PixelSpacing,
  ImageOrientationPatient or ImagePositionPatient are refused, with the numbers, unless --series or --force is given. The output is replaced only
  when the new one is complete; it must not be one of the inputs.
  - Series (4D): every volume is resampled, one at a time; of colours, vectors and tensors every component. A transform
    does not rotate vectors.
  - Damaged files are an error. Files are read in a process of its own, within limits of memory (4 times what the file
    can hold, 1 GB at least, or --max-memory) and of the processor's time.
  - DICOM output: "ct/ new/", or --dicom with any input, writes a series into a folder that is empty or does not exist,
    one file per slice, of the study of the input, else of --reference, with new identifiers of series, instances and
    frame of reference. Whole numbers of 16 bits are stored as they are, others in 65536 steps with rescale slope and
    intercept. A single .dcm file holds integers only.

Output grid
  Without --reference it is the input's. --crop keeps a part of that grid. --spacing then keeps the extent (the outer
  faces of the outermost voxels) as nearly as whole voxels allow, and its centre; --size alone keeps the extent exactly;
  both together keep the centre. --origin and --direction replace those of the grid; with --origin, --size alone keeps
  the spacing (a region). Positions are in mm along the axes of ITK and DICOM (LPS: x to the patient's left, y to the
  back, z to the head). For down-sampling --smooth auto smooths first, by the ratio of the spacings; without it nothing
  is smoothed.

Interpolation
)") + InterpolationTable() +
         R"(
  Windowed sincs have a --radius of 3 voxels by default (SimpleITK's have 5); they are ITK's, whose weights do not quite
  sum to 1. The label Gaussian has a --sigma in mm, the input's spacing by default, and ends at 4 sigmas. ANTs' and
  SimpleITK's names (BSpline[3], LanczosWindowedSinc, MultiLabel, GenericLabel) are known, in letters of any case.

Transforms
  A transform maps points of the output to points of the input, as everywhere in ITK. Of several, the LAST given is
  applied FIRST to a point of the output, the order of itk::CompositeTransform::AddTransform: "-t A -t B", or "-t A B",
  maps p to A(B(p)). ANTs lists them in the other order, which --ants-order takes. Images of displacements that follow
  the first file of a -t count as transforms where input and output are named before it. Transforms within one file
  have that order, too, and ",inverse", or ANTs' "[FILE,1]", inverts the file as a whole; displacement fields and
  B-splines by iteration, with a warning if more than 0.1 mm remain. An image of vectors is a field of displacements, in mm
  along ITK's axes, as ANTs' 1Warp.nii.gz; "identity" does nothing.
  A file with several transforms and no composite, as of head motion, has one for each volume of a series with
  --transform-per-volume; without it all are applied to every volume, with a warning. "moco_%04d.tfm" names a file for
  each volume, as CudaSplineRegister --motion writes them. Transforms of other files are composed with them, and each
  volume is interpolated once. FSL's, AFNI's, MINC's and FreeSurfer's transforms are refused, with a program that converts them.
  --rotate rotates the input's content about its own centre, about x, then y, then z. A positive angle rotates
  counter-clockwise as seen from the tip of an axis of physical space (ITK's: x to the patient's left, y to the back,
  z up), so that 90 about z moves the left side to the back. It is applied before --transform: the transforms act on
  the rotated image.

Points
  --points in.csv out.csv -t T maps points p, in mm (LPS), of the output's (fixed) space to T(p) in the input's (moving)
  space: the direction in which transforms are stored, and that of antsApplyTransformsToPoints. Points go by the
  transform itself. Images go the other way: the transform says, for each point of the output, where the value is in
  the input, so that an image of the moving space is moved to the fixed space. Points of the moving
  image are mapped to the fixed one with the inverse: -t T,inverse; with several transforms, the inverses in the opposite
  order. The columns x, y and z are named by the first line, or are the first two or three; all others stay.

Composed transforms
  --compose all.h5 -t A -t B writes the composite of all transforms in their order, inverses included, to one file for
  any program of ITK. With the name of an image (all.nii.gz, .nrrd, .mha) it writes displacements in mm on the grid of
  --reference, with --crop, --spacing and the like, or on that of the first field that a point goes through.

Several images
  "a.nii b.nii folder/" writes folder/a.nii and folder/b.nii; --batch names inputs, transforms ("a.tfm;b.tfm,inverse",
  quoted) and outputs in a list (CSV); its paths are relative to it. While one image is computed, the next is read and
  the last is written. Outputs that a batch has made with the same options from the same files are skipped, so a batch
  that was interrupted continues: .CudaSplineResample.done, a small file in their folder, has what they were made from.
  Failures are listed at the end, and the other images are processed.

Pixels
  Values are rounded to the nearest integer of the output type, half to even, and clamped to its range;
  --round itk truncates towards 0, as ITK's filters do. --output-type float keeps fractions.
  An image of whole numbers with few distinct values (at most 128, with 16 voxels for each on average; of a real type
  at least 3, so that masks of 0 and 1 may become soft) looks like labels: a warning names label-linear where an
  interpolation would mix them, unless --output-type is float or double.
  NaN and infinite voxels make their neighbours NaN. B-splines of order 2 and more, and --smooth auto, filter whole
  lines and spread them over the image; a warning has their number.

Environment
  - CUDASPLINE_DEVICE=cpu|gpu|0|1|0,1...: device of --device auto (several share an image, or several images); without
    it the GPU where it is estimated to be faster, its start included, else the CPU; --verbose says why.
  - CUDASPLINE_MEMORY_LIMIT=4G: maximum memory of a GPU; what needs more is done in pieces.
  - CUDASPLINE_THREADS=8: threads of the host; without it as many as the process may use.
  - COLUMNS=100: columns of this help.

Exit code
  0: done. 1: an error (of several images: some failed), in one line on stderr; the output is untouched. 2: a wrong
  command line.

Examples
  $ CudaSplineResample t1.nii.gz iso.nii.gz --spacing 0.8 --interpolation bspline
  $ CudaSplineResample moving.nii out.nii -r fixed.nii --ants-order -t 1Warp.nii.gz 0GenericAffine.mat
  $ CudaSplineResample labels.nii.gz back.nii.gz -r t1.nii.gz -t affine.tfm,inverse -i label-linear
  $ CudaSplineResample bold.nii.gz still.nii.gz -r t1.nii.gz -t moco_%04d.tfm to-t1.tfm --transform-per-volume
  $ CudaSplineResample --batch list.csv --spacing 1 -i bspline --device 0,1 --report batch.json)";
}

} // namespace CudaSplineResample
