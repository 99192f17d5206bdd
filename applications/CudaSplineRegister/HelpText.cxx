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

namespace CudaSplineRegister
{

std::string
HelpSummary()
{
  return "Finds the transform that lays a moving image over a fixed one, 2D or 3D, in stages of growing freedom, on a "
         "GPU "
         "where there is one, else on all cores.";
}

std::string
HelpDetails()
{
  return R"(Files
  Whatever ITK reads and writes, DICOM folders too (--force reads those of an irregular or unknown geometry), of any
  scalar type; pixels are computed with in float, or double with --precision double. Outputs are replaced only when the new ones are complete. Without --output,
  --output-prefix, --warped, --parameters, --field, --inverse, --jacobian, --picture, --report or --evaluate there
  is nothing to do, which is an error. Voxels that are NaN or infinite lie outside of an image.
  Images whose largest magnitude is below 2^-7 or above 2^30 (an ADC in m^2/s) are multiplied by a power of two before
  they are compared; images that a stage compares by squared differences by the same one. --report has value_factors;
  what is written is of the images as they came.

Stages
  One --stage each, in order; rigid and affine where there is none. What a stage found is where the next one begins:
  of translation, rigid, similarity (rigid with one scale) and affine, each goes on from the matrix of one before it
  in this list; a B-spline is added to it, as is whatever follows one. Options marked * are given once, for all
  stages, or as often as there are stages, one for each in order.
  Levels go from coarse to fine: --shrink 4,2,1 samples every fourth voxel first, --sigmas 2,1,0 smooths both
  images, in voxels, or "4,2,0mm". A B-spline's cells are halved from level to level; --grid-spacing is theirs at
  the last. It moves what lies in the fixed image.
  syn (symmetric normalization, as ANTs has it) finds displacement fields with their inverses, by local correlation or
  another --metric. Its defaults are those of antsRegistrationSyN.sh: 100, 70, 50, 20 iterations at 8, 4, 2, 1; it
  interpolates linearly, and takes --gradient filter or differences.
  greedy composes one field of small updates, by the same metrics and with the defaults of syn: in about a third of
  its time, and not symmetric. demons (diffeomorphic demons, as ITK's filter) goes by squared differences: for images
  that have the same values where they show the same, as of one scanner. Of both the inverse is found by iteration.

Masks
  --fixed-mask and --moving-mask are given once, for all stages, or once for each stage; none is no mask in that stage.
  The start, and what is measured at the end, use the first ones.

Colours
  Images of red, green and blue (histology in PNG, TIFF or NIfTI) are compared by their luminance. --warped has the
  colours of the moving image, in its own type. --channels compares red, green and blue as three further pairs after
  the luminance: --stage affine --stage syn -m mattes -m cc,cc,cc,cc --channels.

Several pairs of images
  As channels of one scan (T1 and T2, or an image and its labels' edges), compared by one transform: --also-fixed and
  --also-moving name further pairs, which lie in the spaces of the first fixed and the first moving image, on grids of
  their own. --metric has an entry for each pair that a stage compares, in their order, with weights after colons:
  --metric cc:0.7,mattes:0.3 (without a weight: 1). It is ANTs' several --metric of a stage: each pair's force
  counts as its part of the sum of weights, and is as long as any other's. syn and greedy compare several; stages that
  name one metric, and all others, compare the first pair. A pair for two metrics is named twice. Values and
  convergence are of the weighted sum of the pairs' values.
  --winsorize and the masks are for all pairs, all else that is written is of the first one.

Presets (options beside one come first; * as often as it has stages)
  - standard: the stages and parameters of antsRegistrationSyN.sh: rigid, affine, SyN. Mattes with 32 bins and a
            quarter of the voxels, steps of 0.1 mm, 1000,500,250,100 iterations at 8,4,2,1; SyN as above; all with
            --sigmas 3,2,1,0 and --convergence 1e-6; --winsorize 0.005,0.995. Where the fixed image has more than 256
            voxels along an axis, and no levels are given, they are the script's for that: 12,8,4,2 with --sigmas
            4,3,2,1, and of SyN 100,100,70,50,20 iterations at 10,6,4,2,1 with 5,3,2,1,0. Not the script's: gradient
            descent where antsRegistration searches along conjugate gradients (--optimizer conjugate-gradient); affine
            continues from the rigid matrix instead of being added to it; --initialize moments weighs values above the least one;
            pixels are float where the script has double (--precision double).
  - brain: for brains of about 1 mm, faster: affine by regular steps of every voxel, SyN as above,
            --winsorize 0.005,0.995.
  - fast: for a first look: affine, SyN in windows of radius 2; the finest level takes no iterations.

Beginning
  --initialize moments lays the centres of gravity on each other: of what values are above the least one, so that
  they may be negative, as of CT, and under the masks. Masks count where they are not 0, nor NaN.
  --initialize search tries rotations about them, too: every 10 degrees in 2D, 600 in 3D, by the mutual information
  of coarse images, and goes to the best place near the best of them. A warning says where that explains little of
  the fixed image. Of 2D images that have little in common after the linear stages (Evaluation: below 6 standard
  deviations), the search runs by itself: if what it finds explains a tenth more, the stages start once more from there, and
  the better result is kept, with a warning. Not after another
  --initialize than moments and centre, nor an --initial-transform.

  --initial-transform starts with transforms in files, from fixed points to moving points. Of several, the LAST given is
  applied FIRST to a point, the order of CudaSplineResample -t and of itk::CompositeTransform; ANTs lists them the other
  way, which --ants-order takes. They come after what the stages find, and are part of all outputs.

Optimizers (ITK's)
  regular-step (for linear stages, where none is named), gradient-descent, conjugate-gradient; B-splines have lbfgs.
  --step is the longest way a point may go in the first step of a level, and of gradient-descent in
  every step: its result is, as ITK's, the place that the step from the best one leads to. A step below
  --minimum-step ends a level, but of gradient-descent and lbfgs. All take as many iterations as --iterations allows,
  which of lbfgs are evaluations. Gradients by differences are ITK's; those of --gradient analytic belong to the
  values, which lbfgs likes best.

Specification
  --dump-spec FILE writes all stages with all values of their options as JSON (- for standard output), and --spec FILE
  reads them: a registration can be repeated and published. Alone, --dump-spec registers nothing.

Transform
  Maps points of the fixed image to points of the moving one, as everywhere in ITK:
  CudaSplineResample moving.nii warped.nii -r fixed.nii -t transform.tfm
  With fields it is large: .h5 is for it, or --output-prefix P, whose P1Warp.nii.gz (displacements, mm) comes first
  to a point, then P0GenericAffine.mat: antsApplyTransforms -t P1Warp.nii.gz -t P0GenericAffine.mat; back: -t
  [P0GenericAffine.mat,1] -t P1InverseWarp.nii.gz.
  --composite writes PComposite.h5 and PInverseComposite.h5 instead, as antsRegistration --write-composite-transform.
  --field, --inverse and --jacobian are of the transform as a whole, of every kind of stage. Inverses of B-splines
  are found by iteration. Voxels that fold (a determinant of 0 or less) are counted in --report and with --verbose,
  and are warned of.

Evaluation
  --evaluate prints the correlation (its magnitude) and the mean squared local correlation before and after; with
  labels of both images, Dice's overlap of each; with landmarks, files of a point a line, x,y[,z] in ITK's mm, the
  distances: where the fixed points go from the moving ones. Before is where the first stage began.

  A warning says, with the number, where images do not seem to belong to each other: less than 10 % of the fixed image
  are inside the moving one; the moving image explains less than 3 % of the fixed one's entropy (mutual information of
  coarse images, less that of shuffled values); or it explains less than 50 %, and under the linear stages hardly more
  than if it is turned within its outline (3 standard deviations). --report has these numbers as "agreement".

  No stage ends with a worse metric than it began with, by the metric at its last level: what made it worse is undone,
  and a warning names the level if it was worse by more than 5 %. Another warning names a level that ended by its
  number of iterations while the metric still fell by more than 1 % (fields: 5 %) of its value in ten iterations.

Series
  A moving image of several volumes (4D) is laid over the fixed image volume by volume, one in memory at a time,
  each from the same beginning. --motion first, mean (of the volumes as they are) or N (a volume's number, from 0)
  lays a series over itself: motion correction, by default with --stage rigid --metric correlation --levels 2
  --initialize none. --output writes a transform a volume: "moco_%04d.tfm", a folder/, or name.tfm for
  name_0000.tfm; --warped the series; --parameters a table (TSV) of translations in mm, rotations in radians and
  framewise displacement (Power and others 2012: the sum of the magnitudes of the differences from the volume
  before, of translations and of rotations times 50 mm), with a .json file next to it that has units, reference and
  columns, as in BIDS. --report has stages, motion and agreement of each volume;
  --picture shows the volume in the middle; --output-prefix P writes P0000_0GenericAffine.mat and so on, and the
  series PWarped.nii.gz. Fields, evaluations and labels are for one moving image.

What is shown
  On a terminal a progress bar, elsewhere a line for each level, and at the end always a summary: levels with iterations
  and why they ended, similarity and overlap before and after, folds, files and times. All of it goes to standard error;
  --quiet keeps warnings and errors only. --explain prints what would be done, to standard output, and does nothing.

Picture
  --picture draws checkerboards of the middle slices, before above and after below, at least 900 pixels wide: as one
  looks at heads, whatever the axes of the image, with letters of the patient's sides (L, R, A, P, S, I).

Signals
  On SIGINT (Ctrl-C), SIGTERM and SIGHUP the best transform so far is written to --output and --output-prefix, and
  the program ends with 128 and the signal's number; before the first iteration, without either, and on a second
  signal it ends at once.

Environment
  - CUDASPLINE_DEVICE=cpu|gpu|0|1...: device of --device auto.
  - CUDASPLINE_MEMORY_LIMIT=4G: maximum memory of a GPU.
  - CUDASPLINE_THREADS=8: threads of the host; without it as many as the process may use.
  - COLUMNS=100: columns of this help.

Exit code
  0: done. 1: an error, named in one line on stderr; outputs are untouched. 2: a wrong command line. 128 + n: signal n.

Names
  Stages, metrics and other values are known in letters of any case, and metrics also by names of ANTs and elastix: MI,
  MattesMutualInformation, MSQ, GC and GlobalCorrelation (correlation).

Examples
  $ CudaSplineRegister t1.nii.gz t2.nii.gz -o rigid.tfm --stage rigid --verbose
  $ CudaSplineRegister t1.nii.gz subject.nii.gz --preset brain --output-prefix subject_ --evaluate
  $ CudaSplineRegister fixed.nii moving.nii -o t.h5 -w warped.nii --stage affine --stage bspline --grid-spacing 12
    -p checks.png
  $ CudaSplineRegister bold.nii.gz --motion mean -o motion/ --parameters motion.tsv -w corrected.nii.gz -i bspline
  $ CudaSplineRegister t1.nii s1.nii --also-fixed t2.nii --also-moving s2.nii --stage affine --stage syn
    -m mattes -m cc:0.7,cc:0.3 -o t.h5)";
}

} // namespace CudaSplineRegister
