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

namespace CudaSplineResample
{

std::string
HelpSummary()
{
  return "Resamples a 2D or 3D image, or a series of volumes: turned, transformed, on another grid. On a GPU where "
         "there is one, else "
         "on all\n"
         "cores, with the results of itk::ResampleImageFilter.";
}

std::string
HelpDetails()
{
  return R"(Files
  Whatever ITK reads and writes: NIfTI, NRRD, MetaImage, PNG, TIFF, DICOM and others. Rescale slope and intercept of
  DICOM are
  applied. A DICOM folder with several series, missing or unevenly spaced slices, or gantry tilt is refused, with the
  numbers, unless --series or --force says how to go on. The output is replaced only when the new one is complete; it
  may be none of the inputs.
  Of a series (4D) every volume is resampled, one at a time, and of colours, vectors and tensors every number of a
  pixel by itself: a
  transform does not turn vectors. Files are read in a process of its own: damaged ones are an error, within limits of
  memory (4 times
  what the file can hold, 1 GB at least, or --max-memory) and of the processor's time.
  DICOM out: "ct/ new/", or --dicom with any input, writes a series into a folder that is empty or not there yet, a
  file a slice, of the study of the
  input, else of --reference, with new identifiers of series, instances and frame of reference. Whole numbers of 16
  bits are stored as
  they are, others in 65536 steps with rescale slope and intercept. A single .dcm file holds integers only.

Grid
  Without --reference it is the input's. --spacing keeps the extent (the outer faces of the outermost voxels) as
  nearly as whole
  voxels allow, and its centre; --size alone keeps the extent exactly; both together keep the centre. For
  down-sampling --smooth auto smooths first, by the ratio of the spacings; without it nothing is smoothed.

Interpolation
  linear, nearest, bspline (--order 0 to 5; 3 is cubic), catmull-rom (a cubic through the samples, without a
  prefilter). Windowed sincs with a
  --radius of 1 to 5 samples (3; SimpleITK's have 5): lanczos, hamming, cosine, welch, blackman; they are ITK's, whose
  weights do not quite sum to
  1. For labels: nearest, label-gaussian (the label whose Gaussian neighbourhood weighs most; --sigma in mm, the
  input's spacing by default; it ends at 4
  sigmas), and label-linear, label-catmull-rom, label-bspline: the label whose indicator, interpolated so, is largest.
  ANTs' and
  SimpleITK's names (LanczosWindowedSinc, MultiLabel, GenericLabel) are known.

Transforms
  A transform maps points of the output to points of the input, as everywhere in ITK. Of several, the LAST given is
  applied FIRST
  to a point of the output, the order of itk::CompositeTransform::AddTransform: "-t A -t B", or "-t A B", maps p to
  A(B(p)). (ANTs lists them
  the other way round, as --ants-order takes them.) Images of displacements behind the first of a -t count as
  transforms where input and output stand before it. Transforms within one file have that order too, and ",inverse",
  or ANTs' "[FILE,1]",
  inverts the file as a whole; displacement fields and B-splines by iteration, which tells how well. An image with a
  vector a pixel is a
  field of displacements, in mm along ITK's axes, as ANTs' 1Warp.nii.gz; "identity" is none.
  --rotate rotates the input's content about its own centre, about x, then y, then z. A positive angle rotates
  counter-clockwise as seen from the tip of an axis of physical space (ITK's: x to the patient's left, y to the back,
  z up), so that 90 about z moves the left side to the back. It comes before --transform: the transforms act on the
  rotated image.

Several images
  "a.nii b.nii folder/" writes folder/a.nii and folder/b.nii; --batch names inputs, transforms ("a.tfm;b.tfm,inverse",
  quoted) and outputs in a list (CSV); its paths are relative to it. While
  one is computed the next is read and the last is written. Outputs that a batch has made with the same options from
  the same files
  are skipped, so a batch that was interrupted goes on where it was: .CudaSplineResample.done, a small file in their
  folder, keeps what
  they were made by. Failures are named at the end, and the others are done.

Pixels
  Values are cast as ITK casts them: clamped to the output type, then truncated; --round nearest rounds them. Use
  --output-type float to keep fractions, and nearest for labels.

Environment
  CUDASPLINE_DEVICE=cpu|gpu|0|1|0,1...  device of --device auto (several share an image, or several images); without
  it the GPU
  where it is estimated to be done first, its start included, else the CPU; --verbose says why.
  CUDASPLINE_MEMORY_LIMIT=4G: the
  most of a GPU's memory that is taken; what needs more is done in pieces.
  CUDASPLINE_THREADS=8: threads of the host, without it as many as the process may use.

Exit code
  0: done. 1: an error (of several images: some failed), named in one line on stderr; the output is untouched. 2: a
  wrong command line.

Examples
  CudaSplineResample t1.nii.gz iso.nii.gz --spacing 0.8 --interpolation bspline --output-type float
  CudaSplineResample t1.nii.gz turned.nrrd --rotate 10 -5 20 -i linear --verbose
  CudaSplineResample moving.nii moved.nii -r fixed.nii -t affine.tfm -i bspline --order 5
  CudaSplineResample labels.nii.gz back.nii.gz -r t1.nii.gz -t affine.tfm,inverse -i nearest
  CudaSplineResample ct-folder/ ct.nii.gz --spacing 1 -i bspline --default-value -1024
  CudaSplineResample ct-folder/ fine/ --spacing 1 -i lanczos --round nearest --default-value -1024
  CudaSplineResample moving.nii out.nii -r fixed.nii --ants-order -t 1Warp.nii.gz 0GenericAffine.mat
  CudaSplineResample t1.nii.gz out.nii.gz --spacing 0.8 -i bspline --output-type float --compare-itk
  CudaSplineResample huge.mha out.mha --size 4000 --device 0,1 --explain
  CudaSplineResample --batch list.csv --spacing 1 -i bspline --device 0,1 --report batch.json)";
}

} // namespace CudaSplineResample
