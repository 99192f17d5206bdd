#!/usr/bin/env python3
"""Pictures of two slices of tissue in different stains, rotated by a known angle and bent by a known field, and the errors of registrations.

usage: reproduction/evidence.d/histology.py [--methods NAME,NAME] [--stages FILE] [--angles DEGREES,...] [--seeds N,...] [--device NAME] [--threads N]
       [--size N] [--json FILE]

Everything is a formula with random numbers of the seed, which is the first of a generator. Pictures are RGB, 8 bits, SIZE x SIZE pixels of 8 um. Points
are in units of half the picture's width, from its centre.

* The tissue is where a smooth function of the direction is above the radius: between 0.5 and 0.7, with a notch (the tear) on one side. It has an outer layer, an
  inner one and islands, where smooth random functions are above thresholds, and texture: cells are dark dots of the product of two waves, whose
  wave vectors vary smoothly.
* Tissue, layers and cells have densities of two dyes (hematoxylin, and eosin or DAB). Stain 1 maps densities to colours by Beer and Lambert's law. Stain 2
  has other densities for each class (not a function of the first brightness alone: layers swap their order), other colours and the law's power of 0.8.
* The ground truth maps a point x of the fixed picture to R(x + d(x)), with R a rotation by the angle about the centre and a shift of 0.04, and d a sum of WAVES
  sine waves with at most 1.5 periods per picture, scaled to a longest displacement of BEND. The moving picture is sampled at its inverse, which
  is iterated to 1e-10. A second tear is in the moving picture alone: a wedge of background of 3 degrees.
* Both pictures have Gaussian noise of 8 of 255, of their own.
* The error is the distance between the found and the true point, in pixels, at the tissue of the fixed picture.
"""

import argparse
import json
import pathlib
import sys
import time

import numpy

import cudaspline

SIZE, PIXEL, BEND, SHIFT, NOISE, WAVES = 512, 0.008, 0.08, (0.04, -0.03), 8.0, 6
#: Optical densities in red, green and blue: hematoxylin, eosin, DAB.
HEMATOXYLIN, EOSIN, DAB = (numpy.array(colour) for colour in ((0.65, 0.70, 0.29), (0.07, 0.99, 0.11), (0.27, 0.57, 0.78)))
#: Densities of both dyes by class: background, stroma, outer layer, inner layer, islands, cells.
FIRST = numpy.array([(0.0, 0.0), (0.15, 0.35), (0.55, 0.25), (0.30, 0.55), (0.75, 0.15), (1.1, 0.2)])
SECOND = numpy.array([(0.0, 0.0), (0.20, 0.10), (0.15, 0.75), (0.35, 0.15), (0.30, 0.40), (0.9, 0.1)])


class Waves:
    """A smooth random function of points, of mean 0 and variance 1."""

    def __init__(self, random, scale, count=12):
        self.vectors, self.phases = random.standard_normal((count, 2)) / scale, random.uniform(0, 2 * numpy.pi, count)

    def __call__(self, points):
        return numpy.sqrt(2 / len(self.phases)) * sum(numpy.cos(points @ vector + phase) for vector, phase in zip(self.vectors, self.phases))


class Tissue:
    """Classes of points, from 0 (background) to 5 (cells)."""

    def __init__(self, seed):
        random = numpy.random.default_rng(seed)
        self.border, self.layers, self.islands = Waves(random, 0.35), Waves(random, 0.20), Waves(random, 0.08)
        self.warp = [Waves(random, 0.10) for _ in range(2)]
        self.tear = random.uniform(0, 2 * numpy.pi)

    def depth(self, points):
        """How far points are inside of the tissue, about."""
        angle = numpy.arctan2(points[:, 1], points[:, 0])
        on_circle = numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)
        away = numpy.abs((angle - self.tear + numpy.pi) % (2 * numpy.pi) - numpy.pi)
        return 0.6 + 0.07 * self.border(on_circle) - 0.22 * numpy.exp(-((away / 0.15) ** 2)) - numpy.hypot(*points.T)

    def __call__(self, points):
        depth = self.depth(points)
        classes = numpy.where(depth > 0, 1, 0)
        layers = self.layers(points)
        classes[(depth > 0) & (depth < 0.10 + 0.02 * layers)] = 2
        classes[(depth > 0.25) & (layers > 0.3)] = 3
        classes[(depth > 0.06) & (self.islands(points) > 1.1)] = 4
        bent = points + 0.01 * numpy.stack([warp(points) for warp in self.warp], axis=1)
        cells = numpy.cos(2 * numpy.pi * bent[:, 0] / 0.035) * numpy.cos(2 * numpy.pi * bent[:, 1] / 0.041)
        classes[(depth > 0.01) & (cells > 0.75)] = 5
        return classes


class Truth:
    """The map, and its inverse. Points are (n, 2)."""

    def __init__(self, angle, seed):
        random = numpy.random.default_rng(seed + 1000)
        self.vectors, self.phases = random.uniform(-1.5, 1.5, (2, WAVES, 2)) * numpy.pi, random.uniform(0, 2 * numpy.pi, (2, WAVES))
        self.scale = 1.0
        self.scale = BEND / numpy.linalg.norm(self.bend(grid(64)), axis=1).max()
        radians = numpy.radians(angle)
        self.rotation = numpy.array([[numpy.cos(radians), -numpy.sin(radians)], [numpy.sin(radians), numpy.cos(radians)]])

    def bend(self, points):
        parts = [sum(numpy.sin(points @ v + p) for v, p in zip(vectors, phases)) for vectors, phases in zip(self.vectors, self.phases)]
        return self.scale * numpy.stack(parts, axis=1)

    def forward(self, points):
        return (points + self.bend(points)) @ self.rotation.T + SHIFT

    def backward(self, points):
        straight = (points - SHIFT) @ self.rotation
        found = straight
        while True:
            step = straight - self.bend(found) - found
            found = found + step
            if numpy.abs(step).max() < 1e-10:
                return found


def grid(size):
    """Points of the pixels, (size^2, 2), x first."""
    return (numpy.indices((size, size)).reshape(2, -1).T[:, ::-1] + 0.5) * (2 / size) - 1


def stain(densities, dyes, power, random, size):
    """A picture of 8 bits from densities (n, 2)."""
    colours = 255 * numpy.exp(-2.0 * (densities @ numpy.stack(dyes)) ** power) - 10
    colours = colours + random.normal(0, NOISE, colours.shape)
    return numpy.clip(numpy.rint(colours), 0, 255).astype(numpy.uint8).reshape(size, size, 3)


def image(picture):
    spacing = PIXEL * SIZE / picture.shape[0]
    return cudaspline.Image(picture, (spacing, spacing), (0, 0), numpy.eye(2), channels=True)


def densities_of(tissue, densities, points, size):
    """Means of 2 x 2 samples of each pixel."""
    offsets = numpy.array([(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) / size
    return [densities[tissue(points(offset))] for offset in offsets]


def make(angle, seed, size):
    """(fixed, moving, truth, points of the tissue)."""
    tissue, truth, places = Tissue(seed), Truth(angle, seed), grid(size)
    random = numpy.random.default_rng(seed + 2000)
    tear = random.uniform(0, 2 * numpy.pi)

    def torn(offset):
        """Where samples of the moving picture are in the tissue; the wedge is far outside."""
        points = truth.backward(places + offset)
        away = numpy.abs((numpy.arctan2(points[:, 1], points[:, 0]) - tear + numpy.pi) % (2 * numpy.pi) - numpy.pi)
        return numpy.where(((away < numpy.radians(1.5)) & (numpy.hypot(*points.T) > 0.2))[:, None], 9.0, points)

    fixed = stain(numpy.mean(densities_of(tissue, FIRST, lambda offset: places + offset, size), axis=0), (HEMATOXYLIN, EOSIN), 1.0, random, size)
    moving = stain(numpy.mean(densities_of(tissue, SECOND, torn, size), axis=0), (HEMATOXYLIN, DAB), 0.8, random, size)
    return image(fixed), image(moving), truth, places[tissue.depth(places) > 0]


def errors_of(transform, truth, places, size):
    """Distances in pixels, and the folded ones among the tissue's."""
    half = 0.5 * size
    spacing = PIXEL * SIZE / size

    def to_space(points):
        return ((points + 1) * half - 0.5) * spacing

    distance = numpy.linalg.norm(numpy.asarray(transform.apply(to_space(places))) - to_space(truth.forward(places)), axis=1) / spacing
    h = 1 / size
    columns = [numpy.asarray(transform.apply(to_space(places + step))) - numpy.asarray(transform.apply(to_space(places - step))) for step in ((h, 0), (0, h))]
    determinants = (columns[0][:, 0] * columns[1][:, 1] - columns[0][:, 1] * columns[1][:, 0]) / spacing**2
    return {
        "mean": float(distance.mean()), "median": float(numpy.median(distance)), "p95": float(numpy.quantile(distance, 0.95)),
        "largest": float(distance.max()), "folded": int((determinants <= 0).sum()),
    }  # fmt: skip


METHODS = {"none": None, **{name: {"preset": name} for name in ("histology", "multimodal", "brain", "syn")}}


def register(fixed, moving, options, arguments):
    options = dict(options)
    if "stages" in options:
        options["stages"] = [cudaspline.Stage(**stage) for stage in options["stages"]]
    return cudaspline.register(fixed, moving, device=arguments.device, threads=arguments.threads, **options).transform


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--stages", type=pathlib.Path)
    parser.add_argument("--angles", default="0,25,75,130,180")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--device", default=None)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args(words)
    more = json.loads(arguments.stages.read_text()) if arguments.stages else {}
    methods = {**{name: METHODS[name] for name in arguments.methods.split(",") if name}, **more}
    results = {}
    for seed in map(int, arguments.seeds.split(",")):
        for angle in map(float, arguments.angles.split(",")):
            fixed, moving, truth, places = make(angle, seed, arguments.size)
            for name, options in methods.items():
                begin = time.monotonic()
                transform = cudaspline.Transform(numpy.eye(3), 2) if options is None else register(fixed, moving, options, arguments)
                row = {**errors_of(transform, truth, places, arguments.size), "seconds": time.monotonic() - begin}
                results.setdefault(name, {})[f"{seed}, {angle:g}"] = row
                print(f"seed {seed}, {angle:g} degrees, {name}: {json.dumps({key: round(value, 3) for key, value in row.items()})}", flush=True)
                if arguments.json:
                    arguments.json.write_text(json.dumps({"version": cudaspline.__version__, "size": arguments.size, "errors": results}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
