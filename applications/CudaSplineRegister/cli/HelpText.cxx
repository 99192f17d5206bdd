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
#include "cli/HelpText.h"

namespace CudaSplineRegister
{

std::string
HelpSummary()
{
  return "Registers a moving image to a fixed image (2D or 3D) in stages, from few parameters to many. Runs on a GPU "
         "if "
         "there is one, else on all cores of the host.";
}

std::string
HelpDetails()
{
  return R"(Files
  All formats that ITK reads and writes, and folders with a DICOM series (--force reads series with an irregular or
  unknown geometry). All scalar pixel types. The program computes in float, or in double with --precision double.
  At least one output is required: --output, --output-prefix, --warped, --parameters, --field, --inverse, --jacobian,
  --picture, --report or --evaluate. An output file is replaced only when the new one is complete.
  NaN and infinite voxels are treated as outside of the image.
  Images with very small or very large values (largest magnitude below 2^-7 or above 2^30, e.g. an ADC in m^2/s) are
  multiplied by a power of two before registration; for metrics of squared differences both by the same one. --report lists it as
  value_factors. Outputs have the original values.

Stages
  One --stage for each stage, in order; default: rigid, then affine. Each stage starts from the result of the stage
  before. Of translation, rigid, similarity (rigid with one scale) and affine, a later one in this list continues from
  the matrix of an earlier one. All other stages add a transform.
  Options marked * are given once, for all stages, or once for each stage in order ("default": not set in that stage).
  Options of metrics are errors without them, as are all options that no stage uses.
  Levels run from coarse to fine: --shrink 4,2,1 uses every fourth voxel first; --sigmas 2,1,0 smooths both images, in
  voxels, or "4,2,0mm".
  - bspline: --grid-spacing is the cell size at the last level. Cells are halved from level to level.
  - syn: symmetric normalization as in ANTs: displacement fields with their inverses, by local correlation
            (cc) or another --metric. Defaults are those of antsRegistrationSyN.sh: 100, 70, 50, 20 iterations at 8, 4,
            2, 1. Linear interpolation; --gradient filter or differences.
  - greedy: one field, composed of small updates. Metrics and defaults of syn. Takes about a third of its time; not
            symmetric. The inverse is computed by iteration.
  - demons: diffeomorphic demons as in ITK, with squared differences: for images with equal values in equal tissue,
            e.g. from one scanner. The inverse is computed by iteration.
  - tvf: a velocity field that varies in time, as in ANTs (TimeVaryingVelocityField), of --time-points time points.
            Metrics and defaults of syn. Both fields are integrals of the velocity.
  - discrete: compares the self-similarity (mind) of the images under all displacements up to a maximum, at control
            points, and couples neighbours: for displacements that are too large for syn and greedy, which refine its
            result: --stage affine --stage discrete --stage greedy.

Masks
  --fixed-mask and --moving-mask are given once, for all stages, or once for each stage ("none": no mask in that
  stage). Voxels count where the mask is neither 0 nor NaN. The initial alignment and the final evaluation use the
  first masks. Masks have a position in space, like images. A mask that has the voxels of its image and no geometry
  (spacing 1, origin 0) while the image has one is refused.

Colours
  Colour images (histology in PNG, TIFF or NIfTI) are registered by their luminance. --warped keeps the colours and
  the pixel type of the moving image. --channels adds red, green and blue as three pairs after the luminance:
  --stage affine --stage syn -m mattes -m cc,cc,cc,cc --channels.

Several pairs of images
  --also-fixed and --also-moving add pairs (T1 and T2, or an image and edges of its labels) that share one transform.
  They lie in the spaces of the first fixed and the first moving image and may have other grids. syn, greedy and tvf
  compare several pairs: --metric has one entry for each pair, in order, with optional weights:
  --metric cc:0.7,mattes:0.3 (default weight: 1). As in ANTs, each pair's force is normalized and multiplied by
  its share of the weights. To compare a pair by two metrics, name it twice. Reported values and convergence use the
  weighted sum. Other stages, and stages with one metric, compare the first pair.
  --winsorize and the masks apply to all pairs. All other outputs are of the first pair.

Presets (options override a preset; options marked * need one value for each of its stages)
  - brain: the one to start with, for brains and other organs in the same contrast: affine, then SyN by lncc with cubic
            splines, momentum and limited Jacobian determinants; --winsorize 0.005,0.995.
  - multimodal: for two contrasts or modalities: affine, then SyN by mutual information with averaged gradients and
            limited Jacobian determinants; --winsorize 0.005,0.995.
  - lung: for displacements of centimetres between images in one position: a dense search, then greedy with Adam.
  - abdomen: for organs that move by centimetres in different directions, between images in one position: greedy by cc
            with momentum, smooth updates and smooth fields.
  - histology: for slices of tissue in different stains, rotated by any angle: affine by mutual information, then
            B-splines by mutual information with a penalty on folds; --winsorize 0.005,0.995.
  - syn: affine, then SyN by cc with radius 4 and steps of 0.1 voxels, 100,70,50,20 iterations at 8,4,2,1 with --sigmas
            3,2,1,0; --winsorize 0.005,0.995.
  - standard: stages and parameters of antsRegistrationSyN.sh: rigid, affine, SyN. Mattes with 32 bins and a quarter
            of the voxels, steps of 0.1 voxels, 1000,500,250,100 iterations at 8,4,2,1; SyN as in syn; all with
            --sigmas 3,2,1,0 and --convergence 1e-6; --winsorize 0.005,0.995. For fixed images with more than 256
            voxels along an axis, default levels are 12,8,4,2 with --sigmas 4,3,2,1, and for SyN 100,100,70,50,20
            iterations at 10,6,4,2,1 with 5,3,2,1,0. Differences from the script: gradient descent instead of a line
            search along conjugate gradients (--optimizer conjugate-gradient); affine continues from the rigid matrix
            instead of adding a transform; --initialize moments weighs values above the minimum; pixels are float
            (--precision double).
  - fast: for a first result: affine, SyN with radius 2 and no iterations at the finest level.

Initial alignment
  --initialize moments aligns the centres of gravity of the values above the minimum (so that they may be negative, as
  in CT), inside the masks; of the whole images if only one has a mask and it is small.
  --initialize search also tries rotations: every 10 degrees in 2D, 600 rotations in 3D. It compares coarse images by
  mutual information and optimizes the best one. A warning reports a result that explains little of the fixed image.
  If the linear stages before the first other one end with images that are not similar (see Evaluation: below 6
  standard deviations) or with a rotation of more than 20 degrees, the search runs automatically. If it explains 5 %
  more, these stages run again from there, the better result is kept, and a warning is shown. Not with
  --initial-transform, --initialize search or none, --restrict-deformation, or a single stage translation.
  As in antsRegistration, --restrict-deformation does not apply to the initial alignment, which moves along all axes. A
  warning reports by how much if the first stage is restricted; --initialize none keeps restricted axes.
  --initial-transform FILE starts from transforms in files, which map fixed points to moving points. With several, the
  LAST one is applied FIRST to a point, as in CudaSplineResample -t and itk::CompositeTransform; --ants-order reverses
  this. They are applied after the transforms of the stages, and all outputs include them.

Optimizers (of ITK)
  Linear stages: regular-step (default), gradient-descent, conjugate-gradient. B-splines: lbfgs.
  --step is the largest displacement of a point in the first step of a level, and in each step of gradient-descent.
  As in ITK, gradient-descent returns the position after the step from its best one. A step below --minimum-step ends
  a level (not with gradient-descent and lbfgs). --iterations limits the iterations; for lbfgs, the evaluations.
  --gradient differences computes gradients as ITK does; --gradient analytic computes exact derivatives of the
  interpolated values, which suit lbfgs best.

Specification
  --dump-spec FILE writes all stages and all values of their options as JSON (-: standard output). --spec FILE reads
  them, so that a registration can be repeated and published. Options that it contains cannot be given with --spec.
  With --dump-spec alone, nothing is registered.

Transform
  The transform maps points of the fixed image to points of the moving image, as everywhere in ITK:
  CudaSplineResample moving.nii warped.nii -r fixed.nii -t transform.tfm
  Transforms with fields are large: write .h5, or use --output-prefix P. P1Warp.nii.gz (displacements in mm) is applied
  first to a point, then P0GenericAffine.mat: antsApplyTransforms -t P1Warp.nii.gz -t P0GenericAffine.mat. Inverse:
  -t [P0GenericAffine.mat,1] -t P1InverseWarp.nii.gz.
  --composite writes PComposite.h5 and PInverseComposite.h5 instead, as antsRegistration --write-composite-transform.
  --field, --inverse and --jacobian describe the whole transform. Inverses of B-splines are computed by iteration.
  Folded voxels (determinant of 0 or less) are counted in --report and with --verbose, and cause a warning.

Evaluation
  --evaluate prints the magnitude of the correlation and the mean squared local correlation before and after, where
  before is the start of the first stage. With labels of both images it prints Dice's overlap of each label. With
  landmarks (files with lines x,y[,z] in mm, ITK's coordinates) it prints distances of the mapped fixed points from
  the moving points.
  A warning with the number is shown if the images do not seem to belong together: less than 10 % of the fixed image is
  inside the moving image; or the moving image explains less than 3 % of the fixed image's entropy (mutual information
  of coarse images, minus that of shuffled values); or it explains less than 50 %, and after the linear stages not
  clearly more than when it is turned within its outline (3 standard deviations). --report: "agreement".
  A stage never ends with a worse metric (of its last level) than it started with: a level that made it worse is
  undone, with a warning if it was worse by more than 5 %. Another warning names the last level of a stage that ended
  by its number of iterations, also one that was given, while the metric still fell by more than 1 % (fields: 5 %) in
  ten iterations, or in all if there were fewer.

Series
  The volumes of a 4D moving image are registered to the fixed image one by one, each from the same start. One volume
  is in memory at a time.
  --motion first, mean (of the unregistered volumes) or N (number of a volume, from 0) registers a series to itself:
  motion correction, by default with --stage rigid --metric correlation --levels 2 --initialize none.
  --output writes one transform for each volume: "moco_%04d.tfm", a folder/, or name.tfm for name_0000.tfm. --warped
  writes the series. --parameters writes a table (TSV) of translations in mm, rotations in radians and framewise
  displacement (Power and others 2012: sum of the magnitudes of the differences from the previous volume, rotations
  times 50 mm), with a .json file (units, reference, columns) as in BIDS. --report has stages, motion and agreement of
  each volume; --picture shows the middle volume; --output-prefix P writes P0000_0GenericAffine.mat and so on, and the
  series PWarped.nii.gz. Fields, evaluations and labels need a single moving image.

Messages
  Progress (a bar on a terminal, else one line for each level), then a summary: levels with iterations and why they
  ended, similarity and overlap before and after, folds, files and times. All go to standard error. --quiet shows
  warnings and errors only. --explain prints the plan to standard output and does nothing.

Picture
  --picture draws checkerboards of the middle slices, before (top) and after (bottom), at least 900 pixels wide, in
  radiological orientation whatever the axes of the image, with the patient's sides (L, R, A, P, S, I).

Signals
  On SIGINT (Ctrl-C), SIGTERM and SIGHUP the best transform so far is written to --output and --output-prefix, and the
  program ends with 128 plus the signal's number. Nothing is written before the first iteration. A second signal ends
  the program at once.

Environment
  - CUDASPLINE_DEVICE=cpu|gpu|0|1|0,1...: device of --device auto.
  - CUDASPLINE_MEMORY_LIMIT=4G: maximum memory of a GPU.
  - CUDASPLINE_THREADS=8: threads of the host; default: as many as the process may use.
  - COLUMNS=100: columns of this help.

Exit code
  0: success. 1: error, described in one line on stderr; existing outputs are unchanged. 2: invalid command line.
  128 + n: signal n.

Names
  Names of stages, metrics and other values ignore case. Names of metrics of ANTs and elastix work, too: MI,
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
