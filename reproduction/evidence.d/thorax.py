#!/usr/bin/env python3
"""A thorax CT with a known breathing motion that slides along the chest wall, and the errors of registrations in its lungs.

usage: reproduction/evidence.d/thorax.py CT LUNGS FOLDER [--methods NAME,NAME] [--device NAME] [--threads N] [--shrink N]

CT and LUNGS are `Testing/Baselines/3DCT_lung.mha` and `Testing/Data/3DCT_lung_baseline_mask.mha` of SuperElastix/elastix (Apache-2.0); their SHA-256
are in FILES. FOLDER gets fixed.nii.gz, moving.nii.gz, pair.npz (with the true displacements in mm in the lungs; made once) and errors.json.

The truth maps a point x of the fixed image to E(S(x)) of the moving one (mm, LPS):

* The chest wall is the boundary of C: in each axial slice the convex hull of the lungs of this slice and all above it. phi is the signed
  distance to it, positive inside, smoothed by a Gaussian of 4 mm; n is the direction of its gradient.
* S is the flow of the velocity v for the time 1 inside of C, and the identity outside. v = -a (z - w (n.z) n), with w = exp(-(phi/12 mm)^2):
  downwards, and tangential at the wall, which it never crosses. So tissue slides along the wall by up to the amplitude.
* a = 20 mm p (1 + 0.15 r): p rises from 0 at the top of the lungs to 1 at their base, and is 1 below. r is smooth noise of the seed,
  from -1 to 1, with a correlation length of 40 mm.
* E is an expansion of the whole chest to the front: by 6 mm times a smooth step from the back to the front of the lungs.

The moving image is the fixed one at the inverse of this map (cubic), with Gaussian noise of 15 HU. With --shrink the CT is replaced first
with its means of blocks of N x N x N voxels, for machines on which registrations of all voxels take too long. A block is in the lungs if all
of its voxels are.

Methods whose names end with -cavity or -lungs have sliding regions: C, where the motion slides, or the lungs.
"""

import argparse
import hashlib
import json
import pathlib
import sys

import nibabel
import numpy
import SimpleITK
from scipy import ndimage, spatial

FILES = {
    "ct": "7291d1f5c3755b4e9df5852edc03be2a633658d6121c8b39488d3b758ff1c31a",
    "lungs": "2ab6b21dbf45904933e26c5f19af73f4e97af2df40fb09497a52f9b9659d692d",
}
AMPLITUDE, EXPANSION, WALL, NOISE, SEED = 20.0, 6.0, 12.0, 15.0, 54
STEPS = 8  # of the flow, by Runge and Kutta's method of the fourth order


def read(path, name):
    """(array (nz, ny, nx), spacing, origin) of one of FILES."""
    if hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() != FILES[name]:
        raise SystemExit(f"{path} is not the file that this script is for")
    image = SimpleITK.ReadImage(str(path))
    return SimpleITK.GetArrayFromImage(image), numpy.array(image.GetSpacing()), numpy.array(image.GetOrigin())


def fill_hull(points, shape):
    """The pixels of a slice inside of the convex hull of some of them."""
    sides = spatial.ConvexHull(points).equations  # distances outwards
    pixels = numpy.argwhere(numpy.ones(shape, bool))
    return ((pixels @ sides[:, :2].T + sides[:, 2]).max(axis=1) < 1e-9).reshape(shape)


def cavity_of(lungs):
    """What is inside of the chest wall."""
    cavity = numpy.zeros(lungs.shape, bool)
    above = numpy.zeros(lungs.shape[1:], bool)
    for z in range(lungs.shape[0] - 1, -1, -1):  # z goes up
        above |= lungs[z]
        if above.sum() > 8:
            cavity[z] = fill_hull(numpy.argwhere(above), above.shape)
    return cavity


def smooth_step(x):
    x = numpy.clip(x, 0.0, 1.0)
    return x * x * (3.0 - 2.0 * x)


class Breathing:
    """The map, and its inverse. Points are (n, 3), in mm from the first voxel, x first."""

    def __init__(self, lungs, spacing):
        self.spacing = spacing
        steps = spacing[::-1]
        cavity = cavity_of(lungs)
        distance = ndimage.distance_transform_edt(cavity, steps) - ndimage.distance_transform_edt(~cavity, steps)
        self.phi = ndimage.gaussian_filter(distance, 4.0 / steps, mode="nearest")
        normal = numpy.stack(numpy.gradient(self.phi, *steps)[::-1])  # x first
        normal /= numpy.maximum(numpy.linalg.norm(normal, axis=0), 1e-6)
        random = numpy.random.default_rng(SEED)
        noise = ndimage.gaussian_filter(random.standard_normal(lungs.shape), 40.0 / steps, mode="nearest")
        slices = numpy.flatnonzero(lungs.any(axis=(1, 2)))
        rows = numpy.flatnonzero(lungs.any(axis=(0, 2)))
        self.back, self.front = rows[-1] * spacing[1], rows[0] * spacing[1]
        height = (slices[-1] - numpy.arange(lungs.shape[0])) / (slices[-1] - slices[0])
        amplitude = AMPLITUDE * numpy.clip(height, 0, 1)[:, None, None] * (1 + 0.15 * noise / abs(noise).max())
        weight = numpy.exp(-((numpy.maximum(self.phi, 0.0) / WALL) ** 2))
        velocity = weight * normal[2] * normal
        velocity[2] -= 1.0
        self.velocity = amplitude * velocity

    def sample(self, array, points):
        return ndimage.map_coordinates(array, (points / self.spacing).T[::-1], order=1, mode="nearest")

    def velocity_at(self, points):
        return numpy.stack([self.sample(part, points) for part in self.velocity], axis=1)

    def flow(self, points, sign):
        """Where points inside of the chest wall are after the time 1, or before it."""
        moved = points.copy()
        inside = self.sample(self.phi, points) > 0
        x, h = points[inside], sign / STEPS
        for _ in range(STEPS):
            k1 = self.velocity_at(x)
            k2 = self.velocity_at(x + 0.5 * h * k1)
            k3 = self.velocity_at(x + 0.5 * h * k2)
            k4 = self.velocity_at(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        moved[inside] = x
        return moved

    def expansion(self, y):
        return -EXPANSION * smooth_step((self.back - y) / (self.back - self.front))

    def forward(self, points):
        moved = self.flow(points, 1.0)
        moved[:, 1] += self.expansion(moved[:, 1])
        return moved

    def backward(self, points):
        moved = points.copy()
        for _ in range(50):
            moved[:, 1] = points[:, 1] - self.expansion(moved[:, 1])
        return self.flow(moved, -1.0)


def make_pair(ct, lungs, spacing):
    """(moving image, displacement (nz, ny, nx, 3) in mm)."""
    breathing = Breathing(lungs, spacing)
    index = numpy.moveaxis(numpy.indices(ct.shape), 0, -1).reshape(-1, 3)[:, ::-1]
    points = index * spacing
    back = breathing.backward(points)
    moving = ndimage.map_coordinates(ct.astype(float), (back / spacing).T[::-1], order=3, mode="nearest")
    noise = numpy.random.default_rng(SEED + 1).normal(0.0, NOISE, moving.shape)
    moving = numpy.clip(moving, ct.min(), ct.max()) + noise
    truth = numpy.full((*ct.shape, 3), numpy.nan)
    truth[lungs] = breathing.forward(points[lungs.ravel()]) - points[lungs.ravel()]
    return moving.reshape(ct.shape).astype(numpy.float32), truth


def errors_of(found, truth, lungs):
    """Errors of displacements in the lungs, in mm; near the wall: within 10 mm of the lungs' surface."""
    distance = numpy.linalg.norm(found[lungs] - truth[lungs], axis=1)
    far = numpy.linalg.norm(truth[lungs], axis=1) > 10.0
    return {
        "mean": float(distance.mean()), "median": float(numpy.median(distance)), "p95": float(numpy.quantile(distance, 0.95)),
        "mean_beyond_10mm": float(distance[far].mean()),
    }  # fmt: skip


def shrink(array, factor):
    """Means of blocks of factor voxels along the first three axes."""
    size = [count // factor for count in array.shape]
    blocks = array[tuple(slice(0, count * factor) for count in size)].reshape(
        size[0], factor, size[1], factor, size[2], factor
    )
    return blocks.mean(axis=(1, 3, 5))


def still(fixed, moving, spacing, arguments):
    return numpy.zeros((*fixed.shape, 3)), None


def package(*stages, sliding=None, **options):
    """A method of this package: its stages, or those of a preset, from the identity.

    sliding: the region that slides, "cavity" (inside of the chest wall, the true one) or "lungs" (their mask)"""

    def run(fixed, moving, spacing, arguments):
        import cudaspline

        images = [cudaspline.Image(image.astype(numpy.float32), spacing, (0, 0, 0), numpy.eye(3)) for image in (fixed, moving)]
        made = [stage if isinstance(stage, str) else cudaspline.Stage(**stage) for stage in stages] or None
        regions = None if sliding is None else getattr(arguments, sliding).astype(numpy.int16)
        regions = regions if regions is None else cudaspline.Image(regions, spacing, (0, 0, 0), numpy.eye(3))
        found = cudaspline.register(*images, made, initial="none", sliding_regions=regions, device=arguments.device, threads=arguments.threads, **options)
        index = numpy.moveaxis(numpy.indices(fixed.shape), 0, -1).reshape(-1, 3)[:, ::-1]
        points = index * spacing
        seconds = sum(level.seconds for stage in found.report.stages for level in stage.levels)
        return (numpy.asarray(found.transform.apply(points)) - points).reshape(*fixed.shape, 3), seconds

    return run


def peer(name):
    """A method of peers.py, with its defaults, on the processor. ConvexAdam gets values of the range that it documents."""

    def run(fixed, moving, spacing, arguments):
        import cudaspline
        import pairs
        import peers

        values = [numpy.clip(image, -1000, 1000).astype(numpy.float32) for image in (fixed, moving)]
        images = [cudaspline.Image(image, spacing, (0, 0, 0), numpy.eye(3)) for image in values]
        transform, seconds = peers.register(name, pairs.Pair("thorax", "thorax", *images, None, None), arguments.threads)
        return transform.field(images[0]).array, seconds

    return run


WINSORIZE = (0.0, 0.999)
LEVELS = {"iterations": (100, 70, 50, 20)}
METHODS = {
    "none": still,
    "syn": package({"kind": "syn", **LEVELS}),
    "syn-lncc": package({"kind": "syn", "metric": "lncc", "radius": 2, "learning_rate": 0.25, **LEVELS}),
    "greedy": package({"kind": "greedy", "learning_rate": 0.25, "radius": 2, **LEVELS}),
    "bspline": package({"kind": "bspline", "metric": "meansquares", "grid_spacing": 20}),
    "discrete": package("discrete"),
    "discrete+greedy": package("discrete", {"kind": "greedy", "learning_rate": 0.25, "radius": 2, "iterations": (50, 20), "shrink": (2, 1), "sigmas": (1, 0)}),
    "lung": package(preset="lung"),
    "abdomen": package(preset="abdomen"),
    **{
        f"{name}-{region}": package(*stages, sliding=region, **options)
        for region in ("cavity", "lungs")
        for name, stages, options in (
            ("greedy", [{"kind": "greedy", "learning_rate": 0.25, "radius": 2, **LEVELS}], {}),
            ("lung", [], {"preset": "lung"}),
        )
    },
    **{name: peer(name) for name in ("convexadam", "deeds", "picsl")},
}


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ct")
    parser.add_argument("lungs")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--device", default=None)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--shrink", type=int, default=1)
    arguments = parser.parse_args(words)
    ct, spacing, origin = read(arguments.ct, "ct")
    lungs = read(arguments.lungs, "lungs")[0] > 0
    if arguments.shrink > 1:
        ct, lungs = shrink(ct.astype(float), arguments.shrink), shrink(lungs.astype(float), arguments.shrink) == 1
        origin, spacing = origin + 0.5 * (arguments.shrink - 1) * spacing, arguments.shrink * spacing
    arguments.lungs, arguments.cavity = lungs, cavity_of(lungs)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    pair = arguments.folder / "pair.npz"
    if not pair.exists():
        moving, truth = make_pair(ct, lungs, spacing)
        numpy.savez(pair, moving=moving, truth=truth.astype(numpy.float32))
    moving, truth = (numpy.load(pair)[name] for name in ("moving", "truth"))
    affine = numpy.diag([-1.0, -1.0, 1.0, 1.0]) @ numpy.block([[numpy.diag(spacing), origin[:, None]], [numpy.zeros((1, 3)), numpy.ones((1, 1))]])
    for name, image in (("fixed", ct.astype(numpy.float32)), ("moving", moving)):
        nibabel.save(nibabel.Nifti1Image(image.T, affine), arguments.folder / f"{name}.nii.gz")
    path = arguments.folder / "errors.json"
    errors = json.loads(path.read_text()) if path.exists() else {}
    for name in arguments.methods.split(","):
        found, seconds = METHODS[name](ct.astype(numpy.float32), moving, spacing, arguments)
        errors[name] = {**errors_of(found, truth, lungs), "seconds": seconds}
        print(name, json.dumps(errors[name]), flush=True)
        path.write_text(json.dumps(errors, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
