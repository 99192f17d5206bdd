"""Plain loops that the losses of cudaspline.torch and cudaspline.jax are compared with."""

import numpy


def windowed(fixed, moving, mask, radius):
    """Minus the mean squared correlation in windows of two images, over a mask. radius: of all
    axes, or one each"""
    reach = numpy.broadcast_to(radius, fixed.ndim).tolist()
    total, count = 0.0, 0
    for place in numpy.ndindex(fixed.shape):
        if not mask[place]:
            continue
        window = tuple(slice(max(0, i - r), i + r + 1) for i, r in zip(place, reach))
        a, b = fixed[window][mask[window]], moving[window][mask[window]]
        a, b = a - a.mean(), b - b.mean()
        flat = (a * a).sum() < 1e-20 or (b * b).sum() < 1e-20
        total += 1.0 if flat else (a * b).sum() ** 2 / ((a * a).sum() * (b * b).sum())
        count += 1
    return -total / count


def information(fixed, moving, bins, limits):
    """Minus the mutual information of two lists of numbers, by a histogram that is added up point
    by point."""
    from scipy.interpolate import BSpline  # pylint: disable=import-outside-toplevel

    basis = BSpline.basis_element(numpy.arange(-2, 3), extrapolate=False)
    places = [
        (numpy.clip(image, low, high) - low) * (bins - 5) / (high - low) + 2
        for image, (low, high) in zip((fixed, moving), limits)
    ]
    weights = [numpy.nan_to_num(basis(place[:, None] - numpy.arange(bins))) for place in places]
    joint = weights[0].T @ weights[1] / fixed.size
    product = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    return -(joint[joint > 0] * numpy.log(joint[joint > 0] / product[joint > 0])).sum()


def penalties(field, steps):
    """(diffusion, bending) of a field (*size, D)."""
    axes = range(field.shape[-1])
    diffusion = sum((numpy.diff(field, axis=a) ** 2).sum(-1).mean() / steps[a] ** 2 for a in axes)
    pairs = [(a, b) for a in axes for b in axes]
    bending = sum(
        (numpy.diff(numpy.diff(field, axis=a), axis=b) ** 2).sum(-1).mean()
        / (steps[a] * steps[b]) ** 2
        for a, b in pairs
    )
    return diffusion, bending


def apart(rng, *size):
    """Numbers of which no two are much alike: what is nearly constant in a window of few samples
    has no certain correlation."""
    count = int(numpy.prod(size))
    return (rng.permutation(count) + 0.5 * rng.random(count)).reshape(size) / count


def calls_of_fields_and_losses(rng):
    """(name, arrays with gradients, options) of functions that cudaspline.torch and cudaspline.jax
    both have."""
    # Fields without folds, whose linear pieces meet nowhere near their samples.
    field, second = (rng.uniform(0.02, 0.14, (5, 6, 4, 3)) for _ in range(2))
    images = [rng.uniform(-1, 1, (1, 2, 5, 6, 4)) for _ in range(2)]
    mask = rng.random((5, 6, 4)) < 0.8
    places = (
        numpy.stack(numpy.meshgrid(*map(numpy.arange, (3, 4, 2)), indexing="ij"), -1)
        + field[:3, :4, :2]
    )
    return (
        ("count", (places,), {"shape": (6, 5, 4), "order": 3}), ("grad", (images[0], places[None]), {"order": 3, "mode": "mirror"}),
        ("compose", (field, second), {}), ("exp", (field,), {}), ("invert", (field,), {"tolerance": 1e-10}), ("ffd", (field,), {"shape": (9, 4, 3)}),
        ("jacobian_determinant", (field,), {"spacing": (1, 2, 0.5)}), ("diffusion", (field,), {}), ("bending", (field,), {"spacing": (1, 2, 0.5)}),
        ("jacobian", (field,), {}), ("folding", (field,), {"least": 1.05}), ("mean_squares", images, {}), ("local_correlation", images, {"radius": 1}),
        ("mutual_information", images, {"bins": 9}), ("mean_squares", images, {"mask": mask}), ("local_correlation", images, {"mask": mask}),
        ("mutual_information", images, {"mask": mask}),
    )  # fmt: skip


def calls_in_halves(rng):
    """(name, arrays with gradients, options) of all functions whose values and gradients in float16
    and bfloat16 are those in float32."""
    size = (5, 6, 4)
    image, numbers = rng.uniform(-1, 1, (1, 2, *size)), rng.uniform(-1, 1, (1, 2, 7))
    points, field = rng.uniform(-2, 6, (1, 7, 3)), rng.uniform(-0.7, 0.7, (*size, 3))
    matrix = numpy.eye(3) + rng.uniform(-0.2, 0.2, (3, 3))
    return (
        ("sample", (image, points), {"mode": "nearest"}), ("sample", (image, points), {"order": 1, "mode": "grid-constant", "cval": 0.5}),
        ("push", (numbers, points), {"shape": size, "order": 3, "mode": "reflect"}),
        ("grad", (image, points), {"order": 3, "mode": "nearest", "prefilter": True}), ("warp", (image, field), {"mode": "mirror"}),
        ("affine", (image, matrix, rng.uniform(-1, 1, 3)), {"mode": "reflect"}),
        ("resample", (image, numpy.hstack([matrix, rng.uniform(-1, 1, (3, 1))])), {"mode": "mirror"}),
        ("prefilter", (image,), {"order": 5, "mode": "reflect"}),
        *((name, arrays, {"steps": 2} if name == "exp" else options) for name, arrays, options in calls_of_fields_and_losses(rng)),
    )  # fmt: skip


#: Functions whose results are float32 in halves too: sums of many samples.
SUMS = {
    "diffusion",
    "bending",
    "jacobian",
    "folding",
    "mean_squares",
    "local_correlation",
    "mutual_information",
}


def eighths(rng, shape):
    """Odd eighths below 1, which all types have."""
    return (2 * rng.integers(-4, 4, shape) + 1) / 8


#: Functions that the library has no part in, and one whose first derivatives it makes with the
#: values.
WITHOUT_LIBRARY = {
    "jacobian_determinant",
    "diffusion",
    "bending",
    "jacobian",
    "folding",
    "mean_squares",
}
MADE_FORWARD = {"local_correlation"}


def nearly_rounded(found, wanted, digits):
    """Whether results in half precision are those of float32, except for the rounding of arguments
    and results."""
    found, wanted = numpy.asarray(found, "f8"), numpy.asarray(wanted, "f8")
    return (
        found.shape == wanted.shape
        and numpy.abs(found - wanted).max() <= 1.5 * 2.0**-digits * numpy.abs(wanted).max()
    )
