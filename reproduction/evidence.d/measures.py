"""What a registration is measured by: the same functions, in NumPy and in double precision, for every method, on what each has written.

Transforms are sampled by cudaspline.Transform, as ITK samples them: fields linearly, and no displacement outside of their grid. Images are resampled by
cudaspline.resample(), linearly; labels are those of the nearest voxel.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy

import cudaspline

RADII = (4, 2)  # voxels: of the windows of the local correlation; of ITK's, and of FireANTs' metric


def transform_of(parts):
    """A transform of the parts of a method's result: names of files, [name, 1] for inverses, matrices; the first one is applied first."""
    made = [part if not isinstance(part[0], list) else numpy.array(part) for part in reversed(parts)]
    return cudaspline.Transform(made, 3)


def places(image, mask):
    """Places of the samples under a mask (mm), (n, 3)."""
    grid = image.geometry
    index = numpy.stack(numpy.nonzero(mask)[::-1], axis=-1)
    return index @ grid.index_to_point.T + grid.origin


def warped(image, transform, reference, interpolation="linear"):
    """An image on the grid of another one, as an array."""
    return cudaspline.resample(image, transform, reference, interpolation=interpolation, smooth=False, device="cpu").array


def box_of(mask, margin):
    """Slices of the least box that has all of a mask, and so many voxels about it, as far as there are any."""
    found = []
    for axis in range(mask.ndim):
        numbers = numpy.flatnonzero(mask.any(axis=tuple(other for other in range(mask.ndim) if other != axis)))
        found.append(slice(max(0, int(numbers[0]) - margin), int(numbers[-1]) + margin + 1))
    return tuple(found)


def correlation(first, second, mask):
    """Pearson's correlation of two images under a mask."""
    return float(numpy.corrcoef(first[mask].astype(float), second[mask].astype(float))[0, 1])


def local_correlation(first, second, mask, radius):
    """The mean, under a mask, of the squared correlation in windows of (2 radius + 1)^3 voxels, cut off at the image's border; 0 where a window has one value.

    Where a variance is below 1e-10 of the whole image's it is rounding: the window has one value."""
    from scipy import ndimage  # the other measures need NumPy alone

    size = 2 * radius + 1
    box = box_of(mask, radius)
    first, second, mask = (image[box] for image in (first, second, mask))
    first, second = (image.astype(float) for image in (first, second))

    def sums(values):
        return ndimage.uniform_filter(values, size, mode="constant")

    with ThreadPoolExecutor() as pool:  # SciPy filters on one thread each, without the interpreter
        share, *means = pool.map(sums, (numpy.ones(first.shape), first, second, first**2, second**2, first * second))
    means = [values / share for values in means]
    variances = means[2] - means[0] ** 2, means[3] - means[1] ** 2
    covariance = means[4] - means[0] * means[1]
    has = mask & (variances[0] > 1e-10 * first.var()) & (variances[1] > 1e-10 * second.var())
    squares = covariance[has] ** 2 / (variances[0][has] * variances[1][has])
    return float(squares.sum() / mask.sum())


def dice(first, second, labels):
    """Dice's overlap of each label, by its number as text (as JSON has it): twice the voxels that both have, by those of either."""
    count = 1 + max(int(image.max()) for image in (first, second))
    one, other, both = (numpy.bincount(image.ravel(), minlength=count) for image in (first, second, first[first == second]))
    return {str(label): float(2 * both[label] / max(1, one[label] + other[label])) for label in labels}


def determinants(field, box=(slice(None),) * 3):
    """Determinants of the derivative of x + d(x) by central differences (one-sided at the border), (nz, ny, nx); of a box of it alone: of its shape.

    field: a cudaspline.Image of displacements (mm), x first"""
    vectors = field.array[box].astype(float)
    # The derivatives of each displacement by the indices, x first, and from them those by position.
    by_place = []
    for i in range(3):
        by_index = numpy.gradient(vectors[..., i])[::-1]
        by_place.append([sum(by_index[k] * field.geometry.point_to_index[k, j] for k in range(3)) + (i == j) for j in range(3)])
    first, second, third = by_place
    return (
        first[0] * (second[1] * third[2] - second[2] * third[1])
        - first[1] * (second[0] * third[2] - second[2] * third[0])
        + first[2] * (second[0] * third[1] - second[1] * third[0])
    )


def inverse_consistency(forward, backward, image, mask):
    """Of |phi(phi^-1(x)) - x| at the samples of the moving image under its mask, mm: the mean, the 99.9th percentile, the largest."""
    start = places(image, mask)
    distance = numpy.linalg.norm(forward.apply(backward.apply(start)) - start, axis=1)
    distance = distance[numpy.isfinite(distance)]
    return {"mean": float(distance.mean()), "p99.9": float(numpy.quantile(distance, 0.999)), "largest": float(distance.max())}


def error_of(forward, truth, image, mask):
    """Distances between where two transforms send the samples under a mask, mm."""
    start = places(image, mask)
    distance = numpy.linalg.norm(forward.apply(start) - truth.apply(start), axis=1)
    median, high = numpy.quantile(distance, (0.5, 0.95))
    return {"mean": float(distance.mean()), "median": float(median), "p95": float(high), "largest": float(distance.max())}


def overlap(pair, forward):
    """Overlaps of labels, with their mean."""
    labels = warped(pair.moving_labels, forward, pair.fixed, "nearest")
    numbers = numpy.unique(pair.fixed_labels)
    found = dice(pair.fixed_labels, labels, numbers[numbers > 0])
    return {"dice": found, "mean_dice": float(numpy.mean(list(found.values())))}


def folding(pair, forward):
    """Determinants under the pair's mask: how many are 0 or less, the extreme ones, and the standard deviation of their logarithm (not below 1e-4).

    Returns (measures, determinants, field)."""
    field = forward.field(pair.fixed.geometry)
    box = box_of(pair.mask, 1)
    inside = numpy.ones(pair.mask.shape)
    inside[box] = determinants(field, box)
    under = inside[pair.mask]
    found = {"voxels": int((under <= 0).sum()), "of": int(pair.mask.sum()), "least": float(under.min()), "largest": float(under.max())}
    return {**found, "deviation": float(numpy.log(numpy.maximum(under, 1e-4)).std())}, inside, field


def measure(pair, forward, backward=None, is_linear=False):
    """All of it, of a transform from the pair's fixed image to its moving one.

    backward: the other way round; None: not measured. is_linear: there is nothing that could fold

    Returns (measures, {"warped": ..., "determinants": ..., "field": ...}), arrays for pictures."""
    image = warped(pair.moving, forward, pair.fixed)
    found = {
        "correlation": correlation(pair.fixed.array, image, pair.mask),
        **{f"local_correlation_{radius}": local_correlation(pair.fixed.array, image, pair.mask, radius) for radius in RADII},
        **overlap(pair, forward),
    }
    arrays = {"warped": image}
    if not is_linear:
        found["folding"], inside, field = folding(pair, forward)
        arrays.update(determinants=inside, field=field)
    if backward is not None:
        found["inverse"] = inverse_consistency(forward, backward, pair.moving, pair.moving_mask)
    if pair.truth is not None:
        found["error"] = error_of(forward, pair.truth, pair.fixed, pair.mask)
    return found, arrays
