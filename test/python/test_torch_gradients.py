"""cudaspline.torch: values against SciPy's modes, gradients against finite differences, PyTorch's
grid_sample, and transforms of PyTorch."""

import concurrent.futures
import contextlib
import functools
import itertools
import os
import shutil
import sysconfig

import numpy
import pytest

torch = pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")

import cudaspline  # noqa: E402
import cudaspline.torch as spline  # noqa: E402
import gradients_support as support  # noqa: E402
from cudaspline import ndimage  # noqa: E402
from cudaspline.core import _library  # noqa: E402

MODES = ("mirror", "reflect", "grid-wrap", "nearest", "grid-constant", "constant", "wrap")
ORDERS = range(6)
TOLERANCE = 1e-11  # of numbers up to 1: 2^-53 times the norms of the prefilters, of derivatives and some hundreds of sums


def tensor(rng, *shape, grad=True, dtype=torch.float64):
    return torch.tensor(rng.uniform(-1, 1, shape), dtype=dtype, requires_grad=grad)


def places(rng, size, *shape, inside=False):
    """Points, none of them where a derivative of a low order jumps."""
    length = numpy.array(size)
    low, high = (0.0, length - 1.0) if inside else (-0.7 * length, 1.7 * length)
    points = rng.uniform(low, high, (*shape, len(size)))
    fraction = numpy.mod(2 * points, 1.0)
    points = numpy.floor(2 * points) / 2 + 0.5 * numpy.clip(
        fraction, 0.05, 0.95
    )  # not next to half samples
    return torch.tensor(points, requires_grad=True)


def check(function, *inputs):
    """Both by random projections of the Jacobians (fast_mode): a second each, not a minute."""
    assert torch.autograd.gradcheck(function, inputs, eps=1e-6, atol=1e-5, fast_mode=True)
    assert torch.autograd.gradgradcheck(function, inputs, eps=1e-6, atol=1e-4, fast_mode=True)


@pytest.mark.parametrize("mode", MODES)
def test_values_are_those_of_ndimage(rng, mode):
    for size, order in itertools.product([(9,), (6, 1), (7, 5), (4, 6, 5)], ORDERS):
        image = rng.uniform(-1, 1, size)
        points = rng.uniform(-0.7 * numpy.array(size), 1.7 * numpy.array(size), (40, len(size)))
        wanted = ndimage.map_coordinates(image, points.T, order=order, mode=mode, cval=0.75)
        found = spline.sample(
            torch.tensor(image), torch.tensor(points), order=order, mode=mode, cval=0.75
        )
        assert numpy.abs(found.numpy() - wanted).max() < TOLERANCE, (size, order)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_sample(rng, mode):
    for order, size in zip(ORDERS, [(4,), (5,), (3, 4), (4, 3), (5, 2), (3, 2, 4)]):
        image, points = tensor(rng, 2, 2, *size), places(rng, size, 2, 3)
        for prefilter in (True, False):
            check(
                lambda image, points: spline.sample(
                    image, points, order=order, mode=mode, cval=0.5, prefilter=prefilter
                ),
                image,
                points,
            )  # noqa: B023


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_push_and_grad(rng, mode):
    for order, size in zip(ORDERS, [(4,), (3, 2, 4), (3, 4), (5,), (5, 2), (4, 3)]):
        numbers, points = tensor(rng, 2, 2, 3), places(rng, size, 2, 3)
        for prefilter in (True, False):
            check(
                lambda numbers, points: spline.push(
                    numbers, points, size, order=order, mode=mode, prefilter=prefilter
                ),
                numbers,
                points,
            )  # noqa: B023
        check(
            lambda points: spline.count(points, size, order=order, mode=mode), places(rng, size, 3)
        )  # noqa: B023
        check(
            lambda image, points: spline.grad(image, points, order=order, mode=mode, cval=0.5),
            tensor(rng, 2, 2, *size),
            points,
        )  # noqa: B023


def test_gradients_of_one_image_for_many_points_and_the_other_way_round(rng):
    size = (4, 5)
    check(
        lambda image, points: spline.sample(image, points),
        tensor(rng, 1, 2, *size),
        places(rng, size, 3, 2),
    )
    check(
        lambda image, points: spline.sample(image, points),
        tensor(rng, 3, 2, *size),
        places(rng, size, 1, 2),
    )
    check(
        lambda image, points: spline.sample(image, points),
        tensor(rng, *size),
        places(rng, size, 2, 3),
    )


def test_gradients_of_warp_affine_and_resample(rng):
    size = (5, 4)
    field = torch.tensor(rng.uniform(0.1, 0.4, (2, *size, 2)), requires_grad=True)
    check(
        lambda image, field: spline.warp(image, field, mode="reflect"),
        tensor(rng, 2, 1, *size),
        field,
    )
    one = field[0].detach().requires_grad_()
    check(
        lambda image, field: spline.warp(image, field, mode="mirror"), tensor(rng, 2, 1, *size), one
    )
    images = tensor(rng, 2, 1, *size)
    assert torch.equal(spline.warp(images, one), spline.warp(images, one.expand(2, *one.shape)))
    matrix = torch.tensor([[0.81, 0.12], [-0.11, 0.93]], dtype=torch.float64, requires_grad=True)
    offset = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    check(
        lambda *given: spline.affine(*given, (3, 4), mode="mirror", order=2),
        tensor(rng, *size),
        matrix,
        offset,
    )
    batch = torch.stack([matrix, matrix.mT]).detach().requires_grad_()
    check(
        lambda *given: spline.affine(*given, (2, 3), mode="nearest"),
        tensor(rng, 1, 2, *size),
        batch,
        tensor(rng, 2, 2),
    )
    check(
        lambda *given: spline.resample(*given, mode="mirror"),
        tensor(rng, *size),
        torch.cat([matrix, offset[:, None]], 1).detach().requires_grad_(),
    )


def test_gradients_of_prefilter(rng):
    for order, mode in itertools.product(range(2, 6), MODES):
        check(
            lambda image: spline.prefilter(image, order=order, mode=mode),
            tensor(rng, 1, 2, 5, 1, 3),
        )  # noqa: B023
        check(lambda image: spline.spline_coeff(image, order, mode, 0), tensor(rng, 4, 3))  # noqa: B023
    image = tensor(rng, 12, 9, grad=False)
    for order, mode in itertools.product(ORDERS, ("mirror", "reflect", "grid-wrap")):
        wanted = (
            ndimage.spline_filter(image.numpy(), order=order, mode=mode)
            if order > 1
            else image.numpy()
        )
        assert (
            numpy.abs(spline.spline_coeff_nd(image, order, mode).numpy() - wanted).max() < TOLERANCE
        )


def test_affine_and_resample_are_those_of_the_package(rng):
    image = tensor(rng, 7, 8, 6, grad=False)
    matrix, offset = numpy.eye(3) + rng.uniform(-0.1, 0.1, (3, 3)), rng.uniform(-1, 1, 3)
    found = spline.affine(
        image, torch.tensor(matrix), torch.tensor(offset), (5, 6, 7), mode="reflect"
    )
    wanted = ndimage.affine_transform(image.numpy(), matrix, offset, (5, 6, 7), mode="reflect")
    assert numpy.abs(found.numpy() - wanted).max() < TOLERANCE

    source = cudaspline.Image(image.numpy(), spacing=(1.5, 0.7, 2.0), origin=(3.0, -4.0, 5.0))
    target = cudaspline.Image(
        numpy.zeros((6, 5, 8)), spacing=(1.1, 1.2, 1.3), origin=(2.5, -4.5, 6.0)
    )
    transform = numpy.concatenate([matrix, offset[:, None]], 1)
    wanted = cudaspline.resample(source, transform, target, order=3, boundary="mirror")
    found = spline.resample(
        image,
        torch.tensor(transform),
        source=source.geometry,
        target=target.geometry,
        mode="mirror",
    )
    assert numpy.abs(found.numpy() - wanted.array).max() < TOLERANCE


@pytest.mark.parametrize("align", (True, False))
def test_grid_sample(rng, align):
    for size in ((5, 7), (4, 5, 6)):
        image, grid = tensor(rng, 2, 3, *size), tensor(rng, 2, *size[::-1], len(size))
        wide = grid.detach().mul(1.4).requires_grad_()
        for padding, mode in (
            ("zeros", "grid-constant"),
            ("border", "nearest"),
            ("reflection", "mirror" if align else "reflect"),
        ):
            wanted = torch.nn.functional.grid_sample(
                image, wide, padding_mode=padding, align_corners=align
            )
            found = spline.sample(
                image, wide, order=1, mode=mode, convention="grid_sample", align_corners=align
            )
            assert (found - wanted).abs().max() < TOLERANCE, (size, padding)
            seed = tensor(rng, *found.shape, grad=False)
            for one, other in zip(
                torch.autograd.grad(found, (image, wide), seed),
                torch.autograd.grad(wanted, (image, wide), seed),
            ):
                assert (one - other).abs().max() < 100 * TOLERANCE, (size, padding)


def functions(rng):
    """(name, function, tensors) of each one with gradients."""
    size = (4, 5)
    image, points = tensor(rng, 1, 2, *size), places(rng, size, 2, 3)
    field = torch.tensor(rng.uniform(0.1, 0.4, (2, *size, 2)), requires_grad=True)
    matrix = torch.tensor([[0.81, 0.12], [-0.11, 0.93]], dtype=torch.float64, requires_grad=True)
    offset = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    whole = torch.cat([matrix, offset[:, None]], 1).detach().requires_grad_()
    return [
        ("sample", lambda *given: spline.sample(*given, order=4, mode="nearest"), (image, points)),
        (
            "grad",
            lambda *given: spline.grad(*given, order=4, mode="grid-constant", cval=0.5),
            (image, points),
        ),
        (
            "push",
            lambda *given: spline.push(*given, size, order=3, mode="reflect", prefilter=True),
            (tensor(rng, 2, 2, 3), points),
        ),
        ("count", lambda points: spline.count(points[:, None], size, order=3), (points,)),
        ("warp", lambda *given: spline.warp(*given, mode="mirror"), (image, field)),
        (
            "affine",
            lambda *given: spline.affine(*given, (3, 4), mode="mirror"),
            (tensor(rng, *size), matrix, offset),
        ),
        ("resample", lambda *given: spline.resample(*given, mode="mirror"), (image, whole)),
        ("prefilter", lambda image: spline.prefilter(image, order=5, mode="grid-wrap"), (image,)),
    ]


@pytest.mark.parametrize("number", range(8))
def test_forward_mode(rng, number):
    """Tangents against finite differences, and those of the gradients; torch.func.jvp has the
    transpose of what goes backward."""
    _, function, given = functions(rng)[number]
    assert torch.autograd.gradcheck(
        function, given, eps=1e-6, atol=1e-5, check_forward_ad=True, check_backward_ad=False
    )
    assert torch.autograd.gradgradcheck(
        function, given, eps=1e-6, atol=1e-4, check_fwd_over_rev=True, fast_mode=True
    )
    tangents = tuple(torch.tensor(rng.uniform(-1, 1, one.shape)) for one in given)
    values = tuple(one.detach() for one in given)
    found, tangent = torch.func.jvp(function, values, tangents)
    assert torch.allclose(found, function(*values), rtol=0, atol=TOLERANCE)
    many = torch.vmap(lambda *tangents: torch.func.jvp(function, values, tangents)[1])(
        *(torch.stack([one, -2 * one]) for one in tangents)
    )
    assert torch.allclose(many, torch.stack([tangent, -2 * tangent]), rtol=0, atol=1000 * TOLERANCE)
    # Backward, of which it is the transpose: g . (J t) = (J^T g) . t.
    seed = torch.tensor(rng.uniform(-1, 1, found.shape))
    pulled = torch.autograd.grad(function(*given), given, seed)
    assert (
        abs(
            (seed * tangent).sum()
            - sum((one * other).sum() for one, other in zip(pulled, tangents))
        )
        < 1000 * TOLERANCE
    )


def test_forward_mode_of_fields_and_losses(rng):
    size = (5, 6)
    one, other = (torch.tensor(rng.uniform(0.02, 0.14, (*size, 2))) for _ in range(2))
    images = tuple(torch.tensor(rng.uniform(-1, 1, (1, 1, *size))) for _ in range(2))
    for function, given in (
        (spline.compose, (one, other)),
        (spline.exp, (one,)),
        (lambda field: spline.invert(field, tolerance=1e-12, iterations=200), (one,)),
        (lambda grid: spline.ffd(grid, (3, 4)), (torch.tensor(rng.uniform(-1, 1, (5, 5, 2))),)),
        (spline.jacobian_determinant, (one,)),
        (spline.bending, (one,)),
        (spline.diffusion, (one,)),
        (lambda field: spline.folding(field, least=1.0), (one,)),
        (spline.mean_squares, images),
        (spline.local_correlation, images),
        (
            lambda *given: spline.mutual_information(
                *given, bins=8, limits=((-1.5, 1.5), (-1.5, 1.5))
            ),
            images,
        ),
    ):
        tangents = tuple(torch.tensor(rng.uniform(-1, 1, value.shape)) for value in given)
        _, found = torch.func.jvp(function, given, tangents)
        step = 1e-6
        ends = [
            function(*(value + sign * step * tangent for value, tangent in zip(given, tangents)))
            for sign in (1, -1)
        ]
        wanted = (ends[0] - ends[1]) / (2 * step)
        assert (found - wanted).abs().max() < 1e-6 * (1 + wanted.abs().max())


def test_higher_derivatives_forward_and_backward(rng):
    """All of one order agree, whichever is forward; operations that require a fourth one raise an
    error."""
    image, points = tensor(rng, 1, 2, 5, 4, grad=False), places(rng, (5, 4), 1, 1).detach()
    both = (torch.func.jacfwd, torch.func.jacrev)

    def value(points):
        return (
            spline.sample(image, points, order=5, mode="mirror")
            * torch.tensor([1.0, -2.0])[None, :, None]
        ).sum()

    for order in (2, 3):
        first, *others = (
            functools.reduce(lambda f, of: of(f), ways, value)(points)
            for ways in itertools.product(both, repeat=order)
        )
        assert first.abs().max() > 1e-3
        for found in others:
            assert torch.allclose(found, first, rtol=0, atol=1000 * TOLERANCE)
    assert torch.allclose(
        torch.func.hessian(value)(points),
        torch.autograd.functional.hessian(value, points),
        rtol=0,
        atol=100 * TOLERANCE,
    )
    for again in both:
        with pytest.raises(NotImplementedError, match="at most 3 times"):
            again(torch.func.jacfwd(torch.func.jacfwd(torch.func.jacfwd(value))))(points)


@pytest.mark.parametrize("number", range(8))
def test_batching(rng, number):
    """torch.vmap over each tensor alone and over all, along axes that are not the first ones, with
    gradients: what a loop makes."""
    _, function, given = functions(rng)[number]
    values = tuple(one.detach() for one in given)
    many = tuple(torch.stack([one, 0.9 * one, one + 0.01]) for one in values)
    ways = [
        tuple(0 if i == k else None for i in range(len(values))) for k in range(len(values))
    ] + [(0,) * len(values)]
    for in_dims in dict.fromkeys(ways):
        moved = tuple(
            values[i] if axis is None else many[i].movedim(0, -1) for i, axis in enumerate(in_dims)
        )
        axes = tuple(None if axis is None else -1 for axis in in_dims)
        each = [
            tuple(values[i] if axis is None else many[i][k] for i, axis in enumerate(in_dims))
            for k in range(3)
        ]
        found = torch.vmap(function, axes)(*moved)
        for one, own in zip(found, each):
            assert torch.allclose(
                one, function(*own), rtol=0, atol=TOLERANCE
            )  # a batch is filtered in another order of the axes
        numbers = tuple(range(len(values)))

        def loss(*given):
            return function(*given).square().sum()

        for one, own in zip(zip(*torch.vmap(torch.func.grad(loss, numbers), axes)(*moved)), each):
            for gradient, wanted in zip(one, torch.func.grad(loss, numbers)(*own)):
                assert torch.allclose(gradient, wanted, rtol=0, atol=100 * TOLERANCE)


def test_transforms_of_pytorch(rng):
    size = (5, 6)
    images, points = tensor(rng, 4, *size), places(rng, size, 4, 3)
    found = torch.vmap(spline.sample)(images, points)
    wanted = torch.stack([spline.sample(image, point) for image, point in zip(images, points)])
    assert torch.allclose(
        found, wanted, rtol=0, atol=TOLERANCE
    )  # a batch is filtered in another order of the axes
    found = torch.vmap(spline.sample, in_dims=(None, 0))(images[0], points)
    wanted = torch.stack([spline.sample(images[0], point) for point in points])
    assert torch.allclose(found, wanted, rtol=0, atol=TOLERANCE)
    found = torch.vmap(lambda numbers, points: spline.push(numbers, points, size))(
        tensor(rng, 4, 3), points
    )
    assert found.shape == (4, *size)

    def loss(points):
        return spline.sample(images[0], points).square().sum()

    gradient = torch.func.grad(loss)(points[0])
    assert torch.allclose(gradient, torch.autograd.grad(loss(points[0]), points)[0][0])
    each = torch.vmap(torch.func.grad(loss))(points)
    assert torch.allclose(each[0], gradient, rtol=0, atol=TOLERANCE)
    hessian = torch.func.jacrev(torch.func.grad(loss))(points[0])
    assert torch.allclose(
        hessian, torch.autograd.functional.hessian(loss, points[0].detach()), rtol=0, atol=TOLERANCE
    )
    torch.library.opcheck(
        torch.ops.cudaspline.evaluate.default, (images[:, None], points, 3, 0, 0.0, 1)
    )
    torch.library.opcheck(
        torch.ops.cudaspline.contract.default,
        (images[:, None], points, tensor(rng, 4, 1, 3, 1), 3, 0, 0.0, 0),
    )
    torch.library.opcheck(
        torch.ops.cudaspline.scatter.default, (tensor(rng, 4, 1, 3, 1), points, size, 3, 0, 0)
    )
    torch.library.opcheck(torch.ops.cudaspline.filter.default, (images, [1, 2], 3, 0, False))


@pytest.mark.parametrize("number", range(8))
def test_compile(rng, number):
    """Without a break of the graph, by the shapes that fake kernels tell: values and gradients are
    those of the plain call. Shapes that change are compiled as symbols."""
    _, function, given = functions(rng)[number]
    torch.compiler.reset()

    def loss(*given):
        return function(*given).square().mean()

    wanted = torch.autograd.grad(loss(*given), given)
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for one, other in zip(torch.autograd.grad(compiled(*given), given), wanted):
        assert torch.allclose(one, other, rtol=0, atol=TOLERANCE)


def test_compile_between_geometries(rng):
    torch.compiler.reset()
    source = cudaspline.Image(numpy.zeros((4, 5)), spacing=(1.5, 0.7), origin=(3.0, -4.0)).geometry
    target = cudaspline.Image(numpy.zeros((6, 3)), spacing=(1.1, 1.2), origin=(2.5, -4.5)).geometry
    image, transform = (
        tensor(rng, 4, 5),
        torch.tensor([[0.9, 0.1, 0.2], [-0.1, 1.0, 0.3]], dtype=torch.float64, requires_grad=True),
    )

    def moved(image, transform):
        return spline.resample(image, transform, source=source, target=target, mode="mirror")

    wanted = moved(image, transform)
    found = torch.compile(moved, backend="aot_eager", fullgraph=True)(image, transform)
    assert torch.allclose(found, wanted, rtol=0, atol=TOLERANCE)
    for one, other in zip(
        torch.autograd.grad(found.sum(), (image, transform)),
        torch.autograd.grad(wanted.sum(), (image, transform)),
    ):
        assert torch.allclose(one, other, rtol=0, atol=100 * TOLERANCE)


def needed_by_inductor():
    """What is missing to compile for the host; empty where nothing is."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("g++", "c++", "clang++")), "")
    if not shutil.which(compiler):
        return "there is no C++ compiler"
    return (
        ""
        if os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
        else "there is no Python.h"
    )


def test_compile_by_default(rng, tmp_path, monkeypatch):
    """By inductor, which compiles the code around the operators: the numbers of the plain call,
    forward and backward."""
    if missing := needed_by_inductor():
        pytest.skip(f"{missing}, which torch.compile's default backend needs")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))  # nothing is there of another run
    torch.compiler.reset()
    image, points = tensor(rng, 1, 2, 5, 4), places(rng, (5, 4), 1, 3)
    field = torch.tensor(rng.uniform(0.1, 0.4, (5, 4, 2)), requires_grad=True)

    def loss(image, points, field):
        return (
            spline.sample(spline.warp(image, field, mode="mirror"), points, order=2, mode="reflect")
            .square()
            .mean()
        )

    wanted = loss(image, points, field)
    found = torch.compile(loss, fullgraph=True, options={"compile_threads": 1})(
        image, points, field
    )
    assert any(tmp_path.rglob("*.so")), "nothing was compiled"
    assert abs(found - wanted) < TOLERANCE
    given = image, points, field
    for one, other in zip(torch.autograd.grad(found, given), torch.autograd.grad(wanted, given)):
        assert torch.allclose(one, other, rtol=0, atol=TOLERANCE)


def test_numbers_that_pytorch_has_not_written_yet(rng):
    """The sign of an imaginary part, and zeros of derivatives, which are flags and not in the
    memory."""
    image = torch.complex(*(tensor(rng, 5, 6, grad=False) for _ in range(2))).conj().imag
    assert image.is_neg()
    points = places(rng, (5, 6), 9).detach()
    assert torch.equal(
        spline.sample(image, points), spline.sample(image.resolve_neg().clone(), points)
    )
    assert torch.equal(spline.prefilter(image), spline.prefilter(image.resolve_neg().clone()))
    numbers = torch.complex(*(tensor(rng, 9, grad=False) for _ in range(2))).conj().imag
    assert torch.equal(
        spline.push(numbers, points, (5, 6)),
        spline.push(numbers.resolve_neg().clone(), points, (5, 6)),
    )
    zero = torch._efficientzerotensor((9,), dtype=torch.float64)
    assert not spline.push(zero, points, (5, 6)).any()


def test_compile_with_shapes_as_symbols(rng):
    torch.compiler.reset()
    compiled = torch.compile(
        lambda image, points: spline.sample(image, points, mode="mirror"),
        backend="aot_eager",
        fullgraph=True,
        dynamic=True,
    )
    for size, count in (((5, 6), 7), ((8, 9), 11), ((6, 5), 3)):
        image, points = tensor(rng, 2, 3, *size), places(rng, size, 2, count)
        wanted = spline.sample(image, points, mode="mirror")
        found = compiled(image, points)
        assert torch.allclose(found, wanted, rtol=0, atol=TOLERANCE)
        for one, other in zip(
            torch.autograd.grad(found.sum(), (image, points)),
            torch.autograd.grad(wanted.sum(), (image, points)),
        ):
            assert torch.allclose(one, other, rtol=0, atol=TOLERANCE)


def test_the_same_bits_at_every_call(rng):
    size = (9, 8, 7)
    image, points = (
        tensor(rng, 1, 2, *size, dtype=torch.float32),
        places(rng, size, 1, 5000).detach().float().requires_grad_(),
    )
    seed = tensor(rng, 1, 2, 5000, grad=False, dtype=torch.float32)
    first = torch.autograd.grad(spline.sample(image, points), (image, points), seed)
    for _ in range(3):
        for one, other in zip(
            torch.autograd.grad(spline.sample(image, points), (image, points), seed), first
        ):
            assert torch.equal(one, other)


def apart(tensor):
    """The same numbers, a gap between any two: which is not how the library takes them."""
    return torch.stack([tensor.detach(), torch.zeros_like(tensor)], -1)[..., 0].requires_grad_(
        tensor.requires_grad
    )


@pytest.mark.parametrize(
    "order, mode",
    [(1, "constant"), (2, "mirror"), (3, "grid-wrap"), (3, "nearest"), (5, "reflect")],
)
def test_calls_that_are_done_at_once_have_the_same_bits(rng, order, mode):
    """Where nothing has to be copied a call and its backward are a call of the library each: with
    the bits of the operators that others take."""
    size = (5, 4, 6)
    for batch, dtype in itertools.product(((), (2, 3)), (torch.float32, torch.float64)):
        image = tensor(rng, *batch, *size, dtype=dtype)
        points = places(rng, size, *batch[:1], 7, 3).detach().to(dtype).requires_grad_()
        for function, options in (
            (spline.sample, {}),
            (spline.sample, {"prefilter": False}),
            (spline.grad, {"prefilter": True}),
        ):
            found = []
            for given in ((image, points), (apart(image), apart(points))):
                values = function(*given, order=order, mode=mode, cval=0.5, **options)
                seed = torch.linspace(-1, 1, values.numel(), dtype=dtype).reshape(values.shape)
                first = torch.autograd.grad(values, given, seed, create_graph=True)
                with torch.no_grad():
                    plain = function(*given, order=order, mode=mode, cval=0.5, **options)
                again = torch.autograd.grad(
                    function(*given, order=order, mode=mode, cval=0.5, **options), given, seed
                )
                second = torch.autograd.grad(sum(one.square().sum() for one in first), given)
                assert torch.equal(plain, values) and all(
                    torch.equal(one, other) for one, other in zip(first, again)
                )
                found.append((values, *first, *second))
            assert all(torch.equal(one, other) for one, other in zip(*found))


def test_calls_that_are_alike_are_refused_as_before(rng):
    """An accepted call does not imply that numbers of another type are accepted, which compare
    equal."""
    image, points = tensor(rng, 6, 5, grad=False), torch.rand(4, 2, dtype=torch.float64)
    spline.sample(image, points, order=1, prefilter=True, cval=0)
    for options, name in (
        ({"order": True}, "order"),
        ({"order": 1.0}, "order"),
        ({"prefilter": 1}, "prefilter"),
        ({"align_corners": 0}, "align"),
    ):
        with pytest.raises(TypeError, match=name):
            spline.sample(image, points, **{"order": 1, **options})
    for cval in (numpy.inf, numpy.nan):
        with pytest.raises(ValueError, match="cval"):
            spline.sample(image, points, order=1, cval=cval)
    with pytest.raises(ValueError, match="^input: "):
        spline.grad(image[0], points)


def test_types(rng):
    size = (6, 7)
    exact, points = tensor(rng, 1, 1, *size), places(rng, size, 1, 9)
    wanted = spline.sample(exact, points)
    for dtype, digits in ((torch.float32, 24), (torch.bfloat16, 8), (torch.float16, 11)):
        image = exact.detach().to(dtype).requires_grad_()
        found = spline.sample(image, points.detach().to(torch.float32))
        assert found.dtype == dtype
        assert (
            found.double() - spline.sample(image.double(), points.detach().float().double())
        ).abs().max() < 20 * 2.0**-digits
        found.sum().backward()
        assert image.grad.dtype == dtype
    assert wanted.dtype == torch.float64
    assert spline.sample(exact.float(), points).dtype == torch.float32


@pytest.mark.parametrize("dtype, digits", [(torch.float16, 11), (torch.bfloat16, 8)])
def test_halves(rng, dtype, digits):
    """Values and gradients are those in float32, rounded."""
    calls = support.calls_in_halves(rng)
    transposed = [
        (name, arrays, {**options, "prefilter": True})
        for name, arrays, options in calls
        if name == "push"
    ]
    for name, arrays, options in (*calls, *transposed):
        known = {
            key: torch.tensor(value) if key == "mask" else value for key, value in options.items()
        }
        halves = [torch.tensor(array, dtype=dtype, requires_grad=True) for array in arrays]
        floats = [half.detach().float().requires_grad_() for half in halves]
        found, wanted = (
            getattr(spline, name)(*halves, **known),
            getattr(spline, name)(*floats, **known),
        )
        assert found.dtype == (torch.float32 if name in support.SUMS else dtype), name
        seed = torch.tensor(support.eighths(rng, wanted.shape), dtype=torch.float32)
        assert support.nearly_rounded(found.detach().float(), wanted.detach(), digits), name
        of_halves, of_floats = (
            torch.autograd.grad(found, halves, seed.to(found.dtype)),
            torch.autograd.grad(wanted, floats, seed),
        )
        for one, other in zip(of_halves, of_floats):
            assert one.dtype == dtype and support.nearly_rounded(one.float(), other, digits), name


def test_indices_have_more_digits_than_half_precision(rng):
    """Small displacements, and matrices near 1, of images of many samples: places are float32."""
    count = 1500
    image = torch.linspace(0.0, 1.0, count)
    for dtype, step in ((torch.float16, 2.0**-11), (torch.bfloat16, 2.0**-8)):
        field = torch.full((count, 1), 0.25, dtype=dtype)
        found = spline.warp(image, field, order=1, mode="nearest")
        assert found.dtype == torch.float32
        wanted = spline.warp(image, field.float(), order=1, mode="nearest")
        assert torch.equal(found, wanted)
        assert torch.equal(
            spline.affine(image, torch.tensor([[1.0, 0.25]], dtype=dtype), order=1, mode="nearest"),
            wanted,
        )
        twice = spline.compose(field, field)
        assert twice.dtype == dtype and (twice[:-2] - 0.5).abs().max() <= step
        assert (
            spline.exp(field).dtype
            == spline.invert(field).dtype
            == spline.jacobian_determinant(field).dtype
            == dtype
        )
        # Sums of many samples are beyond what these types have.
        assert (
            spline.bending(field).dtype
            == spline.folding(field).dtype
            == spline.jacobian(field).dtype
            == torch.float32
        )


def test_places_are_exact_whatever_products_of_matrices_are(rng):
    image, matrix = torch.rand(300, 2), torch.tensor([[1.001, 0.003], [0.0005, 1.0]])
    wanted = spline.affine(image.double(), matrix.double(), order=1, mode="nearest")
    before = torch.get_float32_matmul_precision()
    try:
        for precision in ("highest", "medium"):
            torch.set_float32_matmul_precision(precision)
            # Indices to 300 have an error of 2^-16 or less by the rounding of two products and
            # sums.
            assert (
                spline.affine(image, matrix, order=1, mode="nearest").double() - wanted
            ).abs().max() < 2.0**-14
    finally:
        torch.set_float32_matmul_precision(before)


def test_nan_and_empty(rng):
    image, points = tensor(rng, 1, 2, 8, 8), places(rng, (8, 8), 1, 5)
    with torch.no_grad():
        points[0, 2, 1] = torch.nan
    points.requires_grad_()
    for mode in MODES:
        values = spline.sample(image, points, mode=mode)
        assert torch.isnan(values).sum() == 2 and torch.isnan(values[..., 2]).all()
        of_image, of_points = torch.autograd.grad(values, (image, points), torch.ones_like(values))
        assert not torch.isnan(of_image).any()
        assert torch.isnan(of_points[0, 2]).all() and torch.isnan(of_points).sum() == 2
    for n, c, count in ((0, 2, 5), (2, 0, 5), (2, 2, 0), (0, 0, 0)):
        image, points = tensor(rng, n, c, 4, 5), tensor(rng, n, count, 2)
        values = spline.sample(image, points)
        assert values.shape == (n, c, count)
        of_image, of_points = torch.autograd.grad(values.sum(), (image, points))
        assert of_image.shape == image.shape and not of_image.any()
        assert of_points.shape == points.shape and not of_points.any()
        assert spline.push(values, points, (4, 5)).shape == (n, c, 4, 5)
        assert spline.grad(image, points).shape == (n, c, count, 2)
        assert spline.prefilter(image).shape == image.shape
        assert (
            spline.affine(image, torch.eye(2)).shape == spline.resample(image).shape == (n, c, 4, 5)
        )
        assert spline.warp(image, image.new_zeros((n, 4, 5, 2))).shape == (n, c, 4, 5)
    fields = torch.zeros(0, 4, 5, 2, requires_grad=True)
    for function in (
        spline.exp,
        spline.invert,
        spline.jacobian_determinant,
        lambda field: spline.compose(field, field),
    ):
        assert function(fields).shape[:3] == (0, 4, 5)
    for function in (spline.bending, spline.diffusion, spline.jacobian, spline.folding):
        assert function(fields).item() == 0
    for function in (spline.mean_squares, spline.local_correlation, spline.mutual_information):
        assert function(torch.zeros(0, 1, 4, 5), torch.zeros(0, 1, 4, 5)).item() == 0


def test_what_is_refused(rng):
    image, points = tensor(rng, 2, 1, 4, 5), tensor(rng, 2, 3, 2)

    def refuses(error, start, function, *arguments, **options):
        with pytest.raises(error) as caught:
            function(*arguments, **options)
        assert str(caught.value).startswith(start), caught.value

    refuses(TypeError, "image: ndarray is no", spline.sample, image.detach().numpy(), points)
    refuses(TypeError, "image: elements of type torch.int32", spline.sample, image.int(), points)
    refuses(ValueError, "image: its shape is (1, 4, 5)", spline.sample, image[0], points)
    refuses(
        ValueError, "points: the shape is (2, 3, 4)", spline.sample, image, tensor(rng, 2, 3, 4)
    )
    refuses(
        ValueError,
        "points: the batch has 3 entries, but there are 2 images",
        spline.sample,
        image,
        tensor(rng, 3, 3, 2),
    )
    refuses(ValueError, "order: 6", spline.sample, image, points, order=6)
    refuses(TypeError, "order: 2.5", spline.sample, image, points, order=2.5)
    refuses(ValueError, "mode: 'zero'", spline.sample, image, points, mode="zero")
    refuses(TypeError, "cval: 'a'", spline.sample, image, points, cval="a")
    refuses(ValueError, "convention: 'torch'", spline.sample, image, points, convention="torch")
    refuses(
        ValueError,
        "input: its shape is (2, 1, 4)",
        spline.push,
        tensor(rng, 2, 1, 4),
        points,
        (4, 5),
    )
    refuses(ValueError, "shape: (4,)", spline.push, tensor(rng, 2, 1, 3), points, (4,))
    for shape, error in (
        (3, TypeError), ("ab", TypeError), ((2.5, 3), TypeError), ((True, 3), TypeError), ((0, 3), ValueError), ((2**31, 2**31), ValueError),
    ):  # fmt: skip
        refuses(error, "shape: ", spline.push, tensor(rng, 2, 1, 3), points, shape)
        refuses(error, "shape: ", spline.affine, image, tensor(rng, 2, 2), shape=shape)
        refuses(error, "shape: ", spline.ffd, tensor(rng, 5, 5, 2), shape)
    for shape in (3, "ab", (2.5,), torch.tensor(3.0)):
        refuses(TypeError, "shape: ", spline.identity, shape)
    refuses(
        TypeError,
        "prefilter: 'no' must be True or False",
        spline.sample,
        image,
        points,
        prefilter="no",
    )
    refuses(TypeError, "align_corners: None", spline.sample, image, points, align_corners=None)
    refuses(
        ValueError,
        "cval: the tensor requires a gradient",
        spline.sample,
        image,
        points,
        cval=torch.tensor(1.0, requires_grad=True),
    )
    refuses(ValueError, "cval: nan", spline.sample, image, points, cval=float("nan"))
    refuses(
        TypeError,
        "source: ndarray is not a cudaspline.Geometry",
        spline.resample,
        image,
        source=numpy.zeros(3),
    )
    refuses(
        TypeError,
        "target: Image is not a cudaspline.Geometry",
        spline.resample,
        image,
        target=cudaspline.Image(numpy.zeros((4, 5))),
    )
    refuses(ValueError, "source: its size is (4, 5) and that of the image (5, 4) (x first)", spline.resample, image,
            source=cudaspline.Image(numpy.zeros((5, 4))).geometry)  # fmt: skip
    refuses(ValueError, "image: its shape is (0,)", spline.prefilter, image.new_zeros(0))
    # Tensors that are elsewhere, or not as they are computed with: "meta" is a device that every
    # machine has.
    for name, function, given in (
        ("points", spline.sample, (image, points)),
        ("grid", spline.push, (tensor(rng, 2, 1, 3), points, (4, 5))),
        ("field", spline.warp, (image, tensor(rng, 2, 4, 5, 2))),
        ("matrix", spline.affine, (image, tensor(rng, 2, 2))),
        ("offset", spline.affine, (image, tensor(rng, 2, 2), tensor(rng, 2))),
        ("transform", spline.resample, (image, tensor(rng, 2, 2))),
        ("second", spline.compose, (tensor(rng, 4, 5, 2), tensor(rng, 4, 5, 2))),
        ("moving", spline.mean_squares, (image, image)),
        ("mask", spline.local_correlation, (image, image, 2, image)),
    ):
        given = list(given)
        place = max(i for i, one in enumerate(given) if isinstance(one, torch.Tensor))
        one = given[place].detach()
        given[place] = one.to("meta")
        refuses(ValueError, f"{name}: it is on meta, but ", function, *given)
        if name != "mask":
            for wrong in (
                one.to(torch.float8_e4m3fn),
                one.to(torch.complex64),
                one.to_sparse(),
                one.bool(),
                one.numpy(),
            ):
                given[place] = wrong
                refuses(TypeError, f"{name}: ", function, *given)
    refuses(ValueError, "field: its shape", spline.warp, image, tensor(rng, 3, 2))
    refuses(
        ValueError, "field: the batch has 3 entries", spline.warp, image, tensor(rng, 3, 4, 5, 2)
    )
    refuses(ValueError, "matrix: its shape is (3, 5)", spline.affine, image, tensor(rng, 3, 5))
    refuses(
        ValueError,
        "offset: its shape is (3,)",
        spline.affine,
        image,
        tensor(rng, 2, 2),
        tensor(rng, 3),
    )
    refuses(
        ValueError,
        "offset: its shape is (4, 2)",
        spline.affine,
        image[0, 0],
        tensor(rng, 2, 2),
        tensor(rng, 4, 2),
    )
    refuses(ValueError, "transform: its shape is (3, 2)", spline.resample, image, tensor(rng, 3, 2))
    refuses(ValueError, "dim: 4", spline.prefilter, image, dim=4)
    refuses(ValueError, "image: its shape is (2, 1, 4, 0)", spline.sample, image[..., :0], points)


def test_orders_of_derivatives(rng):
    """The third derivatives have values; operations that require a fourth one raise an error."""
    image, point = (
        tensor(rng, 6, grad=False),
        torch.tensor([[2.3]], dtype=torch.float64, requires_grad=True),
    )
    value = spline.sample(image, point, order=3, mode="mirror", prefilter=False)
    for _ in range(3):
        (value,) = torch.autograd.grad(value.sum(), point, create_graph=True)
    c = image.numpy()
    assert abs(value.item() - (-c[1] + 3 * c[2] - 3 * c[3] + c[4])) < TOLERANCE
    with pytest.raises(NotImplementedError, match="at most 3 times"):
        torch.autograd.grad(value.sum(), point)


def test_other_functions_refuse_tensors_that_want_gradients():
    image = torch.zeros(4, 5, dtype=torch.float64)
    matrix = torch.eye(2, dtype=torch.float64, requires_grad=True)
    vector = torch.ones(2, dtype=torch.float64, requires_grad=True)
    number = torch.tensor(1.5, requires_grad=True)
    for name, call in {
        "transform": lambda: cudaspline.resample(image, matrix),
        "transform ": lambda: cudaspline.resample(image, [matrix, matrix]),
        "spacing": lambda: cudaspline.resample(image, spacing=vector),
        "border": lambda: cudaspline.resample(image, border=number),
        "image": lambda: cudaspline.prefilter(matrix),
        "zoom": lambda: cudaspline.zoom(image, vector),
        "points": lambda: cudaspline.sample(image, matrix),
        "matrix": lambda: ndimage.affine_transform(image, matrix),
        "offset": lambda: ndimage.affine_transform(image, matrix.detach(), vector),
        "shift": lambda: ndimage.shift(image, vector),
        "zoom ": lambda: ndimage.zoom(image, [number, number]),
        "angle": lambda: ndimage.rotate(image, number),
        "cval": lambda: ndimage.shift(image, 1.0, cval=number),
        "coordinates": lambda: ndimage.map_coordinates(image.numpy(), list(matrix)),
        "input": lambda: ndimage.spline_filter(matrix),
    }.items():
        with pytest.raises(
            ValueError, match=f"^{name.strip()}: the tensor requires a gradient.*cudaspline.torch"
        ):
            call()
    with torch.no_grad():
        assert ndimage.shift(image, [1.0, 1.0]).shape == (4, 5)


@pytest.fixture
def asked(monkeypatch):
    """Threads of the host that the library was asked for, call by call."""
    threads = []

    class Call(_library.Call):
        def run(self, name, *arguments):
            threads.append(self.execution.threads)
            super().run(name, *arguments)

    monkeypatch.setattr(_library, "Call", Call)
    return threads


def in_another_thread(function, *arguments, **options):
    """As autograd has them, where no with statement of this one holds."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments, **options).result()


def test_threads_of_calls_and_of_their_gradients(rng, asked):
    """threads=, forward and backward, of each function: of derivatives of derivatives and in
    another thread too."""
    image, given = (
        rng.uniform(-1, 1, (4, 5)),
        (rng.uniform(-1, 1, (4, 5)), rng.uniform(0.1, 2.9, (3, 2))),
    )
    calls = [
        *support.calls_in_halves(rng),
        ("pull", given, {"order": 3}),
        ("spline_coeff", (image,), {}),
        ("spline_coeff_nd", (image,), {}),
    ]
    for name, arrays, options in calls:
        function, tensors = (
            getattr(spline, name),
            [torch.tensor(array, requires_grad=True) for array in arrays],
        )
        options = {
            option: torch.tensor(value) if option == "mask" else value
            for option, value in options.items()
        }
        asked.clear()
        value = function(*tensors, threads=3, **options)
        assert bool(asked) != (name in support.WITHOUT_LIBRARY), name
        forward = len(asked)
        slopes = in_another_thread(
            torch.autograd.grad, value.square().sum(), tensors, create_graph=True
        )
        in_another_thread(torch.autograd.grad, value.sum(), tensors, retain_graph=True)
        with cudaspline.use_threads(2):
            torch.autograd.grad(
                sum(slope.square().sum() for slope in slopes), tensors, allow_unused=True
            )
        assert len(asked) > forward or name in support.WITHOUT_LIBRARY | support.MADE_FORWARD, name
        assert set(asked) <= {3}, (name, asked)
    assert {name for name, *_ in calls} | {"identity"} == set(spline.__all__)
    assert spline.identity((1, 2), threads=3).shape == (1, 2, 2)


def test_threads_of_with_statements(rng, asked):
    """Those of the values are those of the gradients; where there are none, those about the
    gradients."""
    image, points = tensor(rng, 5, 4), places(rng, (5, 4), 3)
    for forward, backward, wanted in ((2, 3, {2}), (None, 3, {3}), (None, None, {0})):
        asked.clear()
        with cudaspline.use_threads(forward) if forward else contextlib.nullcontext():
            value = spline.sample(image, points, mode="mirror")
        count = len(asked)
        with cudaspline.use_threads(backward) if backward else contextlib.nullcontext():
            value.sum().backward()
        assert count == 2 and len(asked) == 5 and set(asked[count:]) == wanted


def test_threads_under_transforms(rng, asked):
    """Those of torch.func, and what is compiled: the number is a constant of it, of which backward
    passes know."""
    image, points, tangent = (
        tensor(rng, 1, 1, 5, 4),
        places(rng, (5, 4), 1, 3),
        torch.ones(1, 3, 2, dtype=torch.float64),
    )

    def loss(image, points):
        value = spline.sample(image, points, mode="mirror", threads=3).square().sum()
        return (
            value
            + spline.local_correlation(image, image, 1, threads=3)
            + spline.mutual_information(image, image.square(), 9, threads=3)
        )

    torch.func.jvp(
        lambda points: torch.func.grad(loss)(image.detach(), points), (points.detach(),), (tangent,)
    )
    torch.vmap(torch.func.grad(loss), (None, 0))(image.detach(), points.detach()[None])
    assert set(asked) == {3}
    torch.compiler.reset()
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    value = torch.empty(0)
    for name in ("forward", "backward"):
        asked.clear()
        value = (
            compiled(image, points)
            if name == "forward"
            else in_another_thread(torch.autograd.grad, value, (image, points))
        )
        assert set(asked) == {3} and len(asked) > 3
    compiled = torch.compile(
        lambda points: spline.sample(image.detach(), points).sum(),
        backend="aot_eager",
        fullgraph=True,
    )
    for threads in (2, 4):
        asked.clear()
        with cudaspline.use_threads(threads):
            value = compiled(points)
        in_another_thread(value.backward)
        assert set(asked) == {threads}


def test_threads_that_are_none():
    image = torch.zeros(4)
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
    assert spline.sample(image, image[:, None], threads=numpy.int64(1)).shape == (4,)
