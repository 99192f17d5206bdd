"""The same pair stored in other orders and directions of its axes: how far the results differ.

Both images are stored in COUNT of the 48 orientations, drawn with the seed below: their geometries place the samples, so that all show the same. The
transforms are compared with that of the first orientation at the points of the brain, in mm. Images of 4 mm have sizes that are not multiples of
the pyramid's factors.
"""

import itertools

import numpy

import cudaspline

COUNT, SEED = 8, 54
SPACING = 4.0  # mm


def orientations():
    """(order of the axes, whether each one is reversed), x first."""
    others = list(itertools.product(itertools.permutations(range(3)), itertools.product((False, True), repeat=3)))[1:]
    drawn = numpy.random.default_rng(SEED).permutation(len(others))[:COUNT]
    return [others[number] for number in drawn]


def stored(image, order, reversed_):
    """The same image with its axes in another order, some of them reversed."""
    size = numpy.array(image.geometry.size)
    corner = [size[axis] - 1 if reverse else 0 for axis, reverse in zip(order, reversed_)]
    index = numpy.zeros(3)
    index[list(order)] = corner
    array = numpy.asarray(image.array).T.transpose(order)[tuple(slice(None, None, -1 if reverse else 1) for reverse in reversed_)].T
    direction = image.geometry.direction[:, order] * numpy.where(reversed_, -1.0, 1.0)
    origin = image.geometry.origin + image.geometry.index_to_point @ index
    return cudaspline.Image(numpy.ascontiguousarray(array), numpy.asarray(image.geometry.spacing)[list(order)], origin, direction)


def make(spacing, folders):
    import images

    return images.brains(max(spacing, SPACING), folders)


def name_of(order, reversed_):
    return "".join("xyz"[axis] + "-" * reverse for axis, reverse in zip(order, reversed_))


def measure(pair, run):
    """Distances between the results of all orientations and that of the pair as it is, mm.

    run: of a pair the result of a registration"""
    from dataclasses import replace

    import measures

    points = measures.places(pair.fixed, pair.mask)
    first, seconds = run(pair)
    expected, rows = first.apply(points), {}
    for orientation in orientations():
        found, _ = run(replace(pair, fixed=stored(pair.fixed, *orientation), moving=stored(pair.moving, *orientation)))
        distance = numpy.linalg.norm(found.apply(points) - expected, axis=1)
        rows[name_of(*orientation)] = {"mean": float(distance.mean()), "p99": float(numpy.quantile(distance, 0.99)), "largest": float(distance.max())}
    worst = max(rows, key=lambda name: rows[name]["largest"])
    return {"seconds": seconds, "worst": worst, **rows[worst], "orientations": rows}
