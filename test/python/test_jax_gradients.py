"""cudaspline.jax: values against SciPy's modes, gradients against finite differences, and JAX's
transforms."""

import functools
import itertools
import os
import re
import subprocess
import sys

import numpy
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import cudaspline  # noqa: E402
import cudaspline.jax as spline  # noqa: E402
import gradients_support as support  # noqa: E402
from conftest import SEED  # noqa: E402
from cudaspline import ndimage  # noqa: E402
from cudaspline.core import _library  # noqa: E402
from cudaspline.jax import _ffi  # noqa: E402

MODES = ("mirror", "reflect", "grid-wrap", "nearest", "grid-constant", "constant", "wrap")
TOLERANCE = 1e-11


@pytest.fixture(autouse=True)
def in_double_on_the_host():
    """Hundreds of small functions are compiled, which takes XLA several times as long for a GPU;
    test_jax_gpu.py has what differs there."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices("cpu")[0]):
        yield
    jax.config.update("jax_enable_x64", before)


def places(rng, size, *shape):
    """Points, none of them where a derivative of a low order jumps."""
    length = numpy.array(size)
    points = rng.uniform(-0.7 * length, 1.7 * length, (*shape, len(size)))
    return jnp.array(
        numpy.floor(2 * points) / 2 + 0.5 * numpy.clip(numpy.mod(2 * points, 1.0), 0.05, 0.95)
    )


def check(function, given, order=2, modes=("rev",), eps=None):
    """Compiled as a whole: one by one the small operations take longer to compile than all of them
    together."""
    check_grads(jax.jit(function), given, order, modes, eps=eps)


def test_values_are_those_of_ndimage(rng):
    for mode, order in itertools.product(MODES, range(6)):
        image, points = rng.uniform(-1, 1, (7, 5)), rng.uniform(-5, 12, (20, 2))
        wanted = ndimage.map_coordinates(image, points.T, order=order, mode=mode, cval=0.75)
        found = spline.sample(
            jnp.array(image), jnp.array(points), order=order, mode=mode, cval=0.75
        )
        assert numpy.abs(numpy.asarray(found) - wanted).max() < TOLERANCE, (mode, order)


@pytest.mark.parametrize("mode", MODES)
def test_gradients(rng, mode):
    """A run has every order and every number of axes; which mode has which differs from run to
    run."""
    turn = MODES.index(mode) + SEED
    order, size = turn % 6, [(4,), (3, 4), (3, 2, 3)][(turn + SEED // 6) % 3]
    image, points = jnp.array(rng.uniform(-1, 1, (2, 2, *size))), places(rng, size, 2, 3)
    check(lambda *given: spline.sample(*given, order=order, mode=mode, cval=0.5), (image, points))
    numbers = jnp.array(rng.uniform(-1, 1, (2, 2, 3)))
    check(lambda *given: spline.push(*given, size, order=order, mode=mode), (numbers, points))
    check(lambda image: spline.prefilter(image, order=order, mode=mode), (image,))


def third(f):
    """All third derivatives of a function, forward and backward in every order."""
    both = (jax.jacfwd, jax.jacrev)
    return [jax.jit(one(two(three(f)))) for one in both for two in both for three in both]


@pytest.mark.parametrize("mode", ("mirror", "grid-constant"))
def test_forward_mode(rng, mode):
    """Derivatives of each function, and of its derivatives: tangents are those of finite
    differences, and gradients their transpose."""
    order, size = int(rng.integers(2, 6)), (3, 4)
    image, points = (
        jnp.array(rng.uniform(-1, 1, (1, 2, *size))),
        places(rng, size, 2, 3),
    )  # one image, two lists of points
    check(
        lambda *given: spline.sample(*given, order=order, mode=mode, cval=0.5),
        (image, points),
        modes=("fwd", "rev"),
    )
    numbers = jnp.array(rng.uniform(-1, 1, (2, 2, 3)))
    check(
        lambda *given: spline.push(*given, size, order=order, mode=mode),
        (numbers, points[:1]),
        modes=("fwd", "rev"),
    )


def test_forward_mode_of_all_functions(rng):
    image, field = (
        jnp.array(rng.uniform(-1, 1, (5, 4))),
        jnp.array(rng.uniform(0.1, 0.4, (5, 4, 2))),
    )
    matrix, offset = jnp.array([[0.81, 0.12], [-0.11, 0.93]]), jnp.array([0.3, -0.2])
    for function, given in (
        (lambda *given: spline.warp(*given, mode="mirror"), (image, field)),
        (lambda *given: spline.affine(*given, (3, 4), mode="reflect"), (image, matrix, offset)),
        (lambda image: spline.prefilter(image, order=5), (image,)),
    ):
        check(function, given, 1, ["fwd"])
    value, tangent = jax.jit(lambda v: jax.jvp(lambda f: spline.warp(image, f), (field,), (v,)))(
        jnp.ones_like(field)
    )
    assert value.shape == tangent.shape == image.shape
    each = jax.vmap(lambda v: jax.jvp(lambda f: spline.warp(image, f), (field,), (v,))[1])(
        jnp.stack([jnp.ones_like(field), field])
    )
    assert numpy.allclose(each[0], tangent, rtol=0, atol=TOLERANCE)


def test_higher_derivatives(rng):
    """Forward and backward, mixed: all third ones agree with those of the polynomial, and
    operations that require a fourth one raise an error."""
    image, point = jnp.array(rng.uniform(-1, 1, 6)), jnp.array([2.3])

    def value(point):
        return spline.sample(image, point, order=3, mode="mirror", prefilter=False)

    wanted = -image[1] + 3 * image[2] - 3 * image[3] + image[4]
    for found in third(value):
        assert abs(found(point).item() - wanted) < TOLERANCE
    for again in (jax.jacfwd, jax.jacrev):
        with pytest.raises(NotImplementedError, match="at most 3 times"):
            again(third(value)[0])(point)

    def plane(point):
        return jnp.sum(
            spline.sample(images, point[None], order=4, mode="reflect")
            * jnp.array([1.0, -2.0])[None, :, None]
        )

    images, place = jnp.array(rng.uniform(-1, 1, (1, 2, 5, 4))), jnp.array([[1.3, 2.1]])
    first, *others = (found(place) for found in third(plane)[::3])
    assert jnp.abs(first).max() > 1e-3
    for found in others:
        assert numpy.allclose(found, first, rtol=0, atol=100 * TOLERANCE)


def test_gradients_of_warp_and_affine(rng):
    image = jnp.array(rng.uniform(-1, 1, (5, 4)))
    field = jnp.array(rng.uniform(0.1, 0.4, (5, 4, 2)))
    check(lambda *given: spline.warp(*given, mode="mirror"), (image, field))
    matrix, offset = jnp.array([[0.81, 0.12], [-0.11, 0.93]]), jnp.array([0.3, -0.2])
    check(lambda *given: spline.affine(*given, (3, 4), mode="reflect"), (image, matrix, offset))
    found = spline.affine(image, matrix, offset, (3, 4), mode="reflect")
    assert (
        numpy.abs(
            found
            - ndimage.affine_transform(numpy.asarray(image), matrix, offset, (3, 4), mode="reflect")
        ).max()
        < TOLERANCE
    )


def test_resample_is_that_of_the_package(rng):
    matrix = numpy.hstack(
        [numpy.eye(3) + rng.uniform(-0.1, 0.1, (3, 3)), rng.uniform(-1, 1, (3, 1))]
    )
    source = cudaspline.Image(
        rng.uniform(-1, 1, (7, 8, 6)), spacing=(1.5, 0.7, 2.0), origin=(3.0, -4.0, 5.0)
    )
    target = cudaspline.Image(
        numpy.zeros((6, 5, 8)), spacing=(1.1, 1.2, 1.3), origin=(2.5, -4.5, 6.0)
    )
    wanted = cudaspline.resample(
        source, matrix, target, interpolation="bspline", boundary="mirror", smooth=False
    ).array

    def moved(image, transform):
        return spline.resample(
            image, transform, source=source.geometry, target=target.geometry, mode="mirror"
        )

    assert numpy.abs(moved(source.array, matrix) - wanted).max() < TOLERANCE
    assert (
        numpy.abs(moved(source.array, numpy.vstack([matrix, [0, 0, 0, 1]])) - wanted).max()
        < TOLERANCE
    )
    assert numpy.array_equal(spline.resample(source.array, order=1), source.array)
    # A matrix moves places by some ten of its own steps: the third derivative's part of a
    # difference is the third power of that.
    check(moved, (jnp.asarray(source.array), jnp.asarray(matrix)), 1, ("fwd", "rev"), eps=1e-5)
    for name, options, error in (
        ("transform", {"transform": numpy.eye(2)}, ValueError),
        ("source", {"source": target.geometry}, ValueError),
        ("target", {"target": target}, TypeError),
    ):
        with pytest.raises(error, match=f"^{name}: "):
            spline.resample(source.array, **options)


def test_transforms_of_jax(rng):
    size = (5, 6)
    images, points = jnp.array(rng.uniform(-1, 1, (4, *size))), places(rng, size, 4, 3)

    def loss(image, points):
        return jnp.sum(spline.sample(image, points, mode="mirror") ** 2)

    wanted = [loss(image, point) for image, point in zip(images, points)]
    assert numpy.allclose(jax.jit(jax.vmap(loss))(images, points), wanted, rtol=0, atol=TOLERANCE)
    one = jax.vmap(loss, in_axes=(None, 0))(images[0], points)
    assert numpy.allclose(one, [loss(images[0], point) for point in points], rtol=0, atol=TOLERANCE)
    each = jax.jit(jax.vmap(jax.grad(loss, argnums=(0, 1))))(images, points)
    for i, (image, point) in enumerate(zip(images, points)):
        for found, wanted in zip(each, jax.grad(loss, argnums=(0, 1))(image, point)):
            assert numpy.allclose(found[i], wanted, rtol=0, atol=TOLERANCE)
    hessian = jax.jacrev(jax.grad(loss, argnums=1), argnums=1)(images[0], points[0])
    assert numpy.allclose(hessian.reshape(6, 6), hessian.reshape(6, 6).T, rtol=0, atol=TOLERANCE)
    assert numpy.allclose(
        jax.hessian(loss, argnums=1)(images[0], points[0]), hessian, rtol=0, atol=TOLERANCE
    )
    # Many images at one list of points, along an axis that is not the first one.
    each = jax.vmap(jax.grad(loss), in_axes=(2, None))(jnp.moveaxis(images, 0, 2), points[0])
    for found, image in zip(each, images):
        assert numpy.allclose(found, jax.grad(loss)(image, points[0]), rtol=0, atol=TOLERANCE)


def test_nan_empty_and_what_is_refused(rng):
    image, points = (
        jnp.array(rng.uniform(-1, 1, (1, 2, 8, 8))),
        places(rng, (8, 8), 1, 5).at[0, 2, 1].set(jnp.nan),
    )
    values, pull_back = jax.vjp(spline.sample, image, points)
    assert jnp.isnan(values).sum() == 2
    of_image, of_points = pull_back(jnp.ones_like(values))
    assert not jnp.isnan(of_image).any() and jnp.isnan(of_points).sum() == 2
    assert spline.sample(image[:0], points[:0]).shape == (0, 2, 5)
    assert spline.sample(image, points[:, :0]).shape == (1, 2, 0)
    for error, start, arguments, options in (
        (TypeError, "image: elements of type int", (jnp.zeros((3, 3), int), points[0]), {}),
        (ValueError, "points: the shape is (5, 4)", (image, jnp.zeros((5, 4))), {}),
        (ValueError, "order: 6", (image, points), {"order": 6}),
        (ValueError, "mode: 'zero'", (image, points), {"mode": "zero"}),
        (TypeError, "prefilter: 'no' must be True or False", (image, points), {"prefilter": "no"}),
        (ValueError, "cval: nan", (image, points), {"cval": numpy.nan}),
        (
            TypeError,
            "image: elements of type float8",
            (image.astype(jnp.float8_e4m3fn), points),
            {},
        ),
        (TypeError, "image: str is not an array", ("image", points), {}),
    ):
        with pytest.raises(error) as caught:
            spline.sample(*arguments, **options)
        assert str(caught.value).startswith(start), caught.value
    with pytest.raises(TypeError, match="^cval: JAX traces it"):
        jax.grad(lambda cval: spline.sample(image, points, cval=cval).sum())(1.0)
    for shape, error in (
        (3, TypeError), ("ab", TypeError), ((2.5, 3), TypeError), ((True, 3), TypeError), ((0, 3), ValueError), ((2**31, 2**31), ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match="^shape: "):
            spline.push(jnp.ones(5), points[0], shape)
        with pytest.raises(error, match="^shape: "):
            spline.affine(image, jnp.eye(2), shape=shape)
    with pytest.raises(ValueError, match=r"^image: its shape is \(0,\)"):
        spline.prefilter(jnp.zeros(0))
    for array in (image[:0], image[:, :0]):
        assert spline.prefilter(array).shape == array.shape


def test_halves(rng):
    """Values and gradients are those in float32, rounded. All calls are compiled as one, each in a
    half of its own: a run has one of the two types of each, which differs from run to run."""
    calls = [
        (getattr(spline, name), arrays, options)
        for name, arrays, options in support.calls_in_halves(rng)
        if "mask" not in options
    ]
    names = [function.__name__ for function, _, _ in calls]
    shapes = [
        jax.eval_shape(functools.partial(function, **options), *arrays).shape
        for function, arrays, options in calls
    ]
    seeds = [support.eighths(rng, shape) for shape in shapes]

    def values_and_gradients(given):
        found = []
        for (function, _, options), arrays, seed in zip(calls, given, seeds):
            value, pull_back = jax.vjp(functools.partial(function, **options), *arrays)
            found.append((value, *pull_back(jnp.asarray(seed, value.dtype))))
        return found

    compiled = jax.jit(values_and_gradients)
    types = [
        ((jnp.float16, 11), (jnp.bfloat16, 8))[(number + SEED) % 2] for number in range(len(calls))
    ]
    halves = [
        [jnp.asarray(array, dtype) for array in arrays]
        for (_, arrays, _), (dtype, _) in zip(calls, types)
    ]
    floats = [[half.astype(jnp.float32) for half in arrays] for arrays in halves]
    for name, (dtype, digits), found, wanted in zip(
        names, types, compiled(halves), compiled(floats)
    ):
        assert found[0].dtype == (jnp.float32 if name in support.SUMS else dtype), name
        assert all(one.dtype == dtype for one in found[1:]), name
        assert all(
            support.nearly_rounded(one, other, digits) for one, other in zip(found, wanted)
        ), name


def test_indices_have_more_digits_than_half_precision():
    image = jnp.linspace(0.0, 1.0, 1500, dtype="float32")
    field = jnp.full((1500, 1), 0.25, "bfloat16")
    assert numpy.array_equal(
        spline.warp(image, field, order=1, mode="nearest"),
        spline.warp(image, field.astype("float32"), order=1, mode="nearest"),
    )


needs_ffi = pytest.mark.skipif(
    not spline.ffi().platforms, reason=f"what JAX compiles calls Python: {spline.ffi().reason}"
)

# Under jit, grad and vmap, with a border, a margin, one image for many lists of points, and what is
# empty.
COMPILED = """
import sys
import jax, jax.numpy as jnp, numpy
import cudaspline.jax as spline
jax.config.update("jax_enable_x64", True)
rng = numpy.random.default_rng(int(sys.argv[1]))
found = []
for dtype in ("float32", "float64"):
    image = jnp.asarray(rng.uniform(-1, 1, (1, 2, 6, 7, 5)), dtype)
    points = jnp.asarray(rng.uniform(-3, 9, (3, 11, 3)), dtype)
    points = points.at[1, 2, 0].set(jnp.nan)
    for order, mode in ((0, "nearest"), (1, "mirror"), (3, "grid-constant"), (4, "wrap"), (5, "nearest")):
        def loss(image, points):
            return jnp.nansum(spline.sample(image, points, order=order, mode=mode, cval=0.3) ** 2)
        def pushed(values, points):
            return spline.push(values, points, (4, 5, 6), order=order, mode=mode)
        found.append(jax.jit(lambda *given: spline.sample(*given, order=order, mode=mode, cval=0.3))(image, points))
        found += jax.jit(jax.grad(loss, argnums=(0, 1)))(image, points)
        found.append(jax.jit(jax.vmap(jax.grad(loss, argnums=1), in_axes=(None, 0)))(image, points[:, None]))
        found.append(jax.jit(jax.vmap(pushed, in_axes=(1, None)))(jnp.ones((3, 2, 2, 11), dtype), points))
        found.append(jax.jit(lambda image: jax.vjp(lambda i: spline.prefilter(i, order=order, mode=mode), image)[1](image)[0])(image))
    found.append(jax.jit(lambda p: spline.push(jnp.ones((2, 0), dtype), p, (4,)))(jnp.zeros((2, 0, 1), dtype)))
    other = jnp.asarray(rng.uniform(-1, 1, image.shape), dtype)
    for mask in (None, rng.random((6, 7, 5)) < 0.7, rng.random(image.shape) < 0.7):
        def correlation(*images):
            return spline.local_correlation(*images, (1, 2, 1), mask)
        found.append(jax.jit(correlation)(image, other))
        found += jax.jit(jax.grad(correlation, argnums=(0, 1)))(image, other)
        found.append(jax.jit(jax.grad(correlation, argnums=1))(image, other))
        pairs = jnp.stack([image, other, image + other]), jnp.stack([other, other, image])
        found += jax.jit(jax.vmap(jax.grad(correlation, argnums=(0, 1)), in_axes=(0, 0)))(*pairs)
        found.append(jax.jit(jax.vmap(jax.grad(correlation), in_axes=(None, 1)))(image, jnp.moveaxis(pairs[1], 0, 1)))
    for mask in (None, rng.random(image.shape) < 0.7):
        def information(*images):
            return spline.mutual_information(*images, 9, mask)
        found.append(jax.jit(information)(image, other))
        found += jax.jit(jax.grad(information, argnums=(0, 1)))(image, other)
        found.append(jax.jit(jax.grad(information, argnums=1))(image, other))
        found += jax.jit(jax.vmap(jax.grad(information, argnums=(0, 1)), in_axes=(0, None)))(jnp.stack([image, image + other]), other)
numpy.savez(sys.argv[2], ffi=numpy.array(spline.ffi().platforms, "U8"), **{f"found{i}": one for i, one in enumerate(found)})
"""


@needs_ffi
def test_compiled_functions_have_the_bits_of_the_callback(tmp_path, rng):
    seed, found = str(rng.integers(1 << 30)), []
    for name, switch in (("ffi", "1"), ("callback", "0")):
        # On the host: a GPU, which what calls Python never uses, rounds otherwise.
        environment = {**os.environ, "CUDASPLINE_JAX_FFI": switch, "JAX_PLATFORMS": "cpu"}
        subprocess.run(
            [sys.executable, "-c", COMPILED, seed, str(tmp_path / name)],
            env=environment,
            check=True,
        )
        found.append(numpy.load(tmp_path / f"{name}.npz"))
    one, other = found
    assert (
        "cpu" in one["ffi"] and len(other["ffi"]) == 0 and set(one) == set(other) and len(one) > 50
    )
    for name in set(one) - {"ffi"}:
        assert one[name].dtype == other[name].dtype and one[name].shape == other[name].shape, name
        assert one[name].tobytes() == other[name].tobytes(), name


@needs_ffi
def test_compiled_functions_call_no_python(rng):
    image, points = jnp.array(rng.uniform(-1, 1, (2, 1, 7, 5))), places(rng, (7, 5), 2, 3)

    def loss(image, points):
        return jnp.sum(spline.sample(image, points, mode="grid-constant", cval=0.5) ** 2)

    def pushed(points):
        return spline.push(jnp.ones(points.shape[:-1]), points, (7, 5), order=3).sum()

    functions = [
        (loss, (image, points)),
        (jax.grad(loss, argnums=(0, 1)), (image, points)),
        (jax.hessian(pushed), (points[0],)),
    ]
    functions.append((jax.vmap(jax.grad(loss), in_axes=(None, 0)), (image, points[:, None])))
    functions.append(
        (
            jax.grad(lambda *pair: spline.local_correlation(*pair, 1), argnums=(0, 1)),
            (image, image[::-1]),
        )
    )
    functions.append((jax.grad(spline.mutual_information, argnums=(0, 1)), (image, image[::-1])))
    for platform, (function, given) in itertools.product(spline.ffi().platforms, functions):
        text = jax.jit(function).trace(*given).lower(lowering_platforms=(platform,)).as_text()
        assert "@cudaspline_" in text and "callback" not in text, (platform, text)


@needs_ffi
def test_errors_of_compiled_functions(rng):
    image, points = jnp.zeros((1, 1, 5)), jnp.zeros((1, 2, 1))
    wrong = cudaspline.autodiff._gradients.Spline(9, 0, 0.0)  # what the functions refuse before
    with pytest.raises(Exception, match="points: order is 9; 0 to 5 are supported"):
        jax.block_until_ready(
            jax.jit(lambda *given: _ffi.run_points("evaluate", (1, 1, 2, 1), given, wrong, 0))(
                image, points
            )
        )


def test_one_by_one(rng):
    """Without jit, and with jit switched off."""
    image, points = jnp.array(rng.uniform(-1, 1, (7, 5))), places(rng, (7, 5), 3)
    wanted = jax.jit(spline.sample)(image, points)
    assert numpy.array_equal(spline.sample(image, points), wanted)
    with jax.disable_jit():
        assert numpy.array_equal(spline.sample(image, points), wanted)


def test_threads_are_those_of_the_trace(rng):
    """use_threads(), forward and backward: each number is compiled by itself."""
    image, points = (
        jnp.asarray(rng.normal(size=(1, 1, 5, 4))),
        jnp.asarray(rng.uniform(0.1, 2.9, (1, 3, 2))),
    )

    def loss(image, points):
        return spline.sample(image, points, mode="mirror").sum() + spline.local_correlation(
            image, image, 1
        )

    for threads in (2, 3):
        with cudaspline.use_threads(threads):
            program = str(jax.make_jaxpr(jax.grad(loss, (0, 1)))(image, points))
        assert set(re.findall(r"threads=(\d+)", program)) == {str(threads)}
        assert all(
            f"cudaspline_{name}" in program
            for name in ("evaluate", "scatter", "contract", "filter", "correlate")
        )
    with cudaspline.use_threads(2):
        found = jax.grad(loss, (0, 1))(image, points)
    for one, other in zip(found, jax.grad(loss, (0, 1))(image, points)):
        assert jnp.array_equal(one, other)


def test_threads_of_each_function(rng):
    """threads=, and those of derivatives: also of functions that are compiled before."""
    calls = {name: (arrays, options) for name, arrays, options in support.calls_in_halves(rng)}
    for name, (arrays, options) in calls.items():
        call, numbers = (
            functools.partial(getattr(spline, name), threads=3, **options),
            tuple(range(len(arrays))),
        )
        slope = jax.grad(jax.jit(lambda *given: (call(*given) ** 2).sum()), numbers)  # noqa: B023
        program = str(jax.make_jaxpr(slope)(*map(jnp.asarray, arrays)))
        assert set(re.findall(r"threads=(\d+)", program)) == (
            set() if name in support.WITHOUT_LIBRARY else {"3"}
        ), name
    assert {*calls, "identity", "ffi"} == set(spline.__all__)
    assert spline.identity((1, 2), threads=3).shape == (1, 2, 2)
    second = jax.hessian(lambda field: (spline.invert(field, threads=3) ** 2).sum())
    assert set(
        re.findall(r"threads=(\d+)", str(jax.make_jaxpr(second)(jnp.full((4, 1), 0.25))))
    ) == {"3"}


def test_threads_arrive(rng, monkeypatch):
    """In the operations of XLA, and in the library by Python's calls."""
    image, points = jnp.asarray(rng.normal(size=(5, 4))), jnp.asarray(rng.uniform(0.1, 2.9, (3, 2)))

    def slope(image, points, threads):
        def loss(image):
            return spline.sample(
                image, points, mode="mirror", threads=threads
            ).sum() + spline.mutual_information(image, image**2, 9, threads=threads)

        return jax.grad(loss)(image)

    compiled = jax.jit(slope, static_argnames="threads")
    if "cpu" in _ffi.ffi().platforms:
        program = compiled.lower(image, points, threads=3).as_text()
        assert (
            re.findall(r"threads = (\d+)", program)
            == ["3"] * program.count("stablehlo.custom_call @cudaspline_")
            and "threads = 3" in program
        )
    wanted, asked = compiled(image, points, threads=3), []

    class Call(_library.Call):
        def run(self, name, *arguments):
            asked.append(self.execution.threads)
            super().run(name, *arguments)

    monkeypatch.setattr(_library, "Call", Call)
    monkeypatch.setattr(_ffi, "ffi", lambda: _ffi.Ffi((), "of this test"))
    found = compiled(
        image, points, threads=5
    )  # by Python's calls, as no other number of threads was compiled
    assert asked == [5] * len(asked) and len(asked) >= 4
    assert jnp.allclose(found, wanted, rtol=0, atol=TOLERANCE)


def test_threads_that_are_none():
    image = jnp.zeros(4)
    for wrong, error in (
        (-1, ValueError),
        (2**31, ValueError),
        (2.5, TypeError),
        (True, TypeError),
        ("2", TypeError),
        (None, TypeError),
    ):
        for call in (
            lambda n: spline.sample(image, image[:, None], threads=n),
            lambda n: spline.mean_squares(image, image, threads=n),
        ):
            with pytest.raises(error, match="^threads: "):
                call(wrong)
    with pytest.raises(TypeError, match="^threads: "):  # traced: static_argnames make it a number
        jax.jit(spline.sample)(image, image[:, None], threads=2)
