"""Fields, losses and penalties of cudaspline.jax: values against plain loops, closed forms and cudaspline.torch, gradients against finite
differences, and under JAX's transforms."""

import itertools

import numpy
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

import gradients_support as support  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import cudaspline.jax as spline  # noqa: E402
from cudaspline import ndimage  # noqa: E402
from cudaspline.autodiff import _loss_formulas  # noqa: E402
from cudaspline.jax._array_operations import OPERATIONS  # noqa: E402

TOLERANCE = 1e-11


@pytest.fixture(autouse=True)
def in_double_on_the_host():
    """Hundreds of small functions are compiled, which takes XLA several times as long for a GPU; test_jax_gpu.py has what differs there."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices("cpu")[0]):
        yield
    jax.config.update("jax_enable_x64", before)


def array(rng, *shape, low=-1.0, high=1.0):
    return jnp.asarray(rng.uniform(low, high, shape))


def smooth(rng, *size):
    """A field without folds, whose linear pieces meet nowhere near its samples."""
    return array(rng, *size, len(size), low=0.02, high=0.14)


def check(function, *given, order=2):
    """Backward to that order, and forward once: mixed derivatives of the operations are those of test_jax_gradients.py. Compiled as a whole:
    one by one the small operations take longer to compile than all of them together. Differences over JAX's own distance of 1e-4 err by 2.6e-5
    for derivatives of local correlation, and by its square less over this one."""
    compiled = jax.jit(function)
    check_grads(compiled, given, order, ("rev",), eps=1e-5)
    check_grads(compiled, given, 1, ("fwd",), eps=1e-5)


def test_count_and_grad(rng):
    image, points = array(rng, 6, 5), array(rng, 9, 2, low=0.1, high=3.9)
    values = jax.vmap(jax.grad(lambda point: spline.sample(image, point, order=3, mode="mirror")))(points)
    found = spline.grad(image, points, order=3, mode="mirror", prefilter=True)
    assert found.shape == (9, 2) and jnp.abs(found - values).max() < TOLERANCE
    batch = spline.grad(image[None, None], points[None], order=2)
    assert batch.shape == (1, 1, 9, 2)
    check(lambda *given: spline.grad(*given, order=4, mode="reflect"), image, points)
    grid = spline.identity((3, 4)) + 0.25
    assert grid.dtype == jnp.float64 and grid.shape == (3, 4, 2) and grid[2, 1].tolist() == [2.25, 1.25]
    counted = spline.count(grid, (5, 5), order=3, mode="reflect")
    assert counted.shape == (5, 5) and abs(counted.sum() - 12) < TOLERANCE
    assert jnp.array_equal(spline.count(grid[None], (5, 5), order=3, mode="reflect"), counted[None, None])
    assert spline.count(grid).shape == (3, 4)
    check(lambda grid: spline.count(grid, (5, 5), order=3, mode="reflect"), grid)


def test_fields(rng):
    for size in ((7,), (6, 5), (4, 5, 4)):
        one, other = smooth(rng, *size), smooth(rng, *size)
        places = numpy.stack(numpy.meshgrid(*map(numpy.arange, size), indexing="ij")) + numpy.moveaxis(numpy.asarray(one), -1, 0)
        moved = [ndimage.map_coordinates(numpy.asarray(other)[..., d], places, order=1, mode="nearest") for d in range(len(size))]
        assert jnp.abs(spline.compose(one, other) - (one + numpy.stack(moved, -1))).max() < TOLERANCE
        inverse = jax.jit(lambda field: spline.invert(field, tolerance=1e-12, iterations=200))(one)
        assert jnp.abs(spline.compose(inverse, one)).max() < 1e-10
    one, other = smooth(rng, 5, 4), smooth(rng, 5, 4)
    check(spline.compose, one, other)
    check(lambda velocity: spline.exp(velocity, 3), one, order=1)
    check(lambda field: spline.invert(field, tolerance=1e-12, iterations=200), one)
    constant = jnp.full((5, 6, 2), 0.25)
    assert jnp.abs(spline.exp(constant) - constant).max() < TOLERANCE
    batch = jnp.stack([smooth(rng, 5, 6), smooth(rng, 5, 6)])
    for function in (lambda field: spline.compose(field, field), spline.exp, spline.invert, spline.jacobian_determinant):
        assert jnp.abs(function(batch)[1] - function(batch[1])).max() < 1e-5  # of invert: each goes on until all have ended
        assert jnp.abs(jax.vmap(function)(batch) - function(batch)).max() < 1e-5
    assert spline.invert(batch[:0]).shape == (0, 5, 6, 2)


def test_ffd(rng):
    """A spline of the coefficients of a line is the line."""
    for order, shape in itertools.product(range(1, 6), ((9, 12), (5, 1))):
        grid = [order + int(rng.integers(1, 4)) for _ in shape]
        field = spline.ffd(spline.identity(grid), shape, order)
        for axis, (m, n) in enumerate(zip(grid, shape)):
            wanted = 0.5 * (order - 1) + numpy.arange(n) * (m - order) / max(n - 1, 1)
            assert numpy.abs(numpy.moveaxis(numpy.asarray(field[..., axis]), axis, -1) - wanted).max() < 1e-10
    check(lambda coefficients: spline.ffd(coefficients, (4, 3)), array(rng, 1, 4, 5, 2))


def test_jacobian_and_penalties(rng):
    spacing = (1.5, 0.5, 2.0)
    for dimension in (1, 2, 3):
        size, steps = (4, 3, 5)[:dimension], spacing[:dimension]
        matrix = array(rng, dimension, dimension, low=-0.4, high=0.4)
        linear = jnp.einsum("...d,ed->...e", spline.identity(size), matrix)
        wanted = jnp.linalg.det(matrix + jnp.eye(dimension))
        assert jnp.abs(spline.jacobian_determinant(linear) - wanted).max() < TOLERANCE
        in_mm = spline.jacobian_determinant(linear * jnp.asarray(steps), steps)
        assert jnp.abs(in_mm - wanted).max() < TOLERANCE
        assert abs(spline.jacobian(linear) - (wanted - 1) ** 2) < TOLERANCE
        field = array(rng, *size, dimension)
        diffusion, bending = support.penalties(numpy.asarray(field), steps)
        assert abs(spline.diffusion(field, steps) - diffusion) < TOLERANCE * (1 + diffusion)
        assert abs(spline.bending(field, steps) - bending) < TOLERANCE * (1 + bending)
    for penalty in (spline.jacobian_determinant, spline.jacobian, spline.diffusion, spline.bending):
        check(lambda field: penalty(field, spacing[:2]), array(rng, 4, 3, 2))  # noqa: B023
    folded = spline.identity((4, 4)) * jnp.array([-1.5, 0.0])
    assert abs(spline.folding(folded) - 0.5) < TOLERANCE and spline.folding(0 * folded) == 0
    assert spline.bending(jnp.einsum("...d,de->...e", spline.identity((5, 6)), array(rng, 2, 2))) < 1e-20


def test_losses(rng):
    fixed, moving = array(rng, 1, 2, 4, 5), array(rng, 1, 2, 4, 5)
    mask = rng.random((4, 5)) < 0.6
    mask[0, 0] = True
    wanted = (numpy.asarray(fixed - moving) ** 2)[..., mask].mean()
    assert abs(spline.mean_squares(fixed, moving, mask) - wanted) < TOLERANCE
    check(lambda *images: spline.mean_squares(*images, mask), fixed, moving)
    for size, radius in (((9,), 2), ((6, 7), 1), ((4, 5, 4), 2), ((5, 6), (1, 3)), ((6, 5, 4), (2, 9, 1)), ((7, 6), 9)):
        one, other = support.apart(rng, *size), support.apart(rng, *size)
        mask = rng.random(size) < 0.8
        mask.flat[0] = True
        for used in (None, mask):
            found = jax.jit(lambda *given: spline.local_correlation(*given, radius, used))(one[None, None], other[None, None])  # noqa: B023
            assert abs(found - support.windowed(one, other, numpy.ones(size, bool) if used is None else used, radius)) < 1e-9
    images = [jnp.asarray(support.apart(rng, 2, 1, 5, 6)) for _ in range(2)]
    check(lambda *images: spline.local_correlation(*images, 1), *images)
    assert abs(spline.local_correlation(images[0], 2 * images[0] + 3, 1) + 1) < 1e-9
    flat = jnp.zeros((1, 1, 5, 5))
    assert spline.local_correlation(flat, flat) == -1 and not jax.grad(spline.local_correlation)(flat, flat).any()


def derivatives(function, *given):
    """The value of two images, gradients by both and by one, a derivative forward, and gradients of the second order: seven numbers or images."""
    return jax.tree.leaves(
        (
            function(*given),
            jax.grad(function, argnums=(0, 1))(*given),
            jax.grad(function, argnums=1)(*given),
            jax.jvp(function, given, tuple(one[::-1] for one in given))[1],
            jax.grad(lambda *given: (jax.grad(function, argnums=1)(*given) ** 2).sum(), argnums=(0, 1))(*given),
        )
    )


def test_local_correlation_is_its_formula(rng):
    """Values and derivatives by the library, forward and backward, for many pairs at once, and those of the second order."""
    images = [jnp.asarray(support.apart(rng, 3, 2, 1, 5, 6)) for _ in range(2)]
    mask = rng.random((5, 6)) < 0.8
    for used in (None, mask, numpy.broadcast_to(mask, (2, 1, 5, 6))):

        def loss(*pair):
            return spline.local_correlation(*pair, (1, 2), used)  # noqa: B023

        def formula(*pair):
            whole = None if used is None else jnp.broadcast_to(used, pair[0].shape)  # noqa: B023
            count = pair[0].size if used is None else whole.sum()  # noqa: B023
            return -_loss_formulas.correlation_sums(OPERATIONS, *pair, whole, (1, 2)).sum() / count

        pair = [image[0] for image in images]
        assert "cudaspline_correlate" in str(jax.make_jaxpr(jax.grad(loss))(*pair))

        found, wanted = jax.jit(lambda *given: [derivatives(f, *given) for f in (loss, formula)])(*pair)
        assert len(found) == len(wanted) == 7
        for one, other in zip(found, wanted):
            assert jnp.abs(one - other).max() < 1e-11 * jnp.abs(other).max()
        together = jax.jit(jax.vmap(jax.grad(loss, argnums=(0, 1))))(*images)
        single_gradients = jax.jit(jax.grad(loss, argnums=(0, 1)))
        one_by_one = [single_gradients(*(image[n] for image in images)) for n in range(3)]
        for place in (0, 1):
            assert jnp.array_equal(together[place], jnp.stack([one[place] for one in one_by_one]))
    single = spline.local_correlation(*(image[0].astype("float32") for image in images), (1, 2))
    assert single.dtype == jnp.float32 and abs(single - spline.local_correlation(*(image[0] for image in images), (1, 2))) < 1e-6
    with pytest.raises(ValueError, match="^radius: "):
        spline.local_correlation(*pair, (1, 2, 3))


def test_mutual_information(rng):
    fixed, moving = array(rng, 8, 9), array(rng, 8, 9)
    limits = ((-1.0, 1.0), (-1.0, 1.0))
    wanted = support.information(numpy.asarray(fixed).ravel(), numpy.asarray(moving).ravel(), 8, limits)
    assert abs(spline.mutual_information(fixed, moving, bins=8, limits=limits) - wanted) < 1e-10
    check(lambda *images: spline.mutual_information(*images, bins=8, limits=limits), fixed, moving, order=1)
    mask = rng.random((8, 9)) < 0.7
    mask[0, :2] = True
    for options in ({"bins": 8}, {"bins": 8, "limits": limits}):
        found = jax.jit(lambda *given: spline.mutual_information(*given[:2], mask=given[2], **options))(fixed, moving, mask)  # noqa: B023
        assert abs(found - spline.mutual_information(fixed[mask], moving[mask], **options)) < 1e-10
    value, gradient = jax.value_and_grad(spline.mutual_information)(jnp.ones((5, 5)), array(rng, 5, 5))
    assert abs(value) < 1e-12 and jnp.isfinite(gradient).all()
    for wrong in (jnp.nan, jnp.inf):
        value, gradient = jax.jit(jax.value_and_grad(spline.mutual_information))(fixed.at[2, 3].set(wrong), moving)
        assert jnp.isnan(value) and jnp.isnan(gradient).any()


class _Formulas(type(OPERATIONS)):
    """Histograms by the formula."""

    def of_joint_histogram(self, function, fixed, moving, mask, ends, bins, count):
        return function(_loss_formulas.joint_histogram(self, fixed, moving, mask, ends, bins), count)


def test_mutual_information_is_its_formula(rng):
    """The histogram and its derivatives by the library, forward and backward, for many pairs at once, and those of the second order."""
    images = [array(rng, 3, 7, 8) for _ in range(2)]
    mask = rng.random((7, 8)) < 0.7
    for used in (None, mask):

        def loss(*pair):
            return spline.mutual_information(*pair, 9, used)  # noqa: B023

        def formula(*pair):
            return _loss_formulas.mutual_information(_Formulas(), *pair, 9, used, None)  # noqa: B023

        pair = [image[0] for image in images]
        text = str(jax.make_jaxpr(jax.grad(loss))(*pair))
        assert "cudaspline_joint_histogram" in text and "cudaspline_joint_gradients" in text
        found, wanted = jax.jit(lambda *given: [derivatives(f, *given) for f in (loss, formula)])(*pair)
        assert len(found) == len(wanted) == 7
        for one, other in zip(found, wanted):
            # A sample's parts are rounded to 2^-56 of it, and values of some hundredths are differences of terms of about 1.
            assert jnp.abs(one - other).max() < 1e-12
        together = jax.jit(jax.vmap(jax.grad(loss, argnums=(0, 1)), in_axes=(0, None)))(images[0], pair[1])
        alone = jax.jit(jax.grad(loss, argnums=(0, 1)))
        for n in range(3):
            for one, other in zip(together, alone(images[0][n], pair[1])):
                assert jnp.array_equal(one[n], other)
    single = spline.mutual_information(*(image[0].astype("float32") for image in images), 9)
    assert single.dtype == jnp.float32 and abs(single - spline.mutual_information(*pair, 9)) < 1e-5


def test_what_is_not_finite_outside_the_mask(rng):
    fixed, moving = array(rng, 1, 1, 7, 8), array(rng, 1, 1, 7, 8)
    mask = numpy.ones((7, 8))
    mask[2:4, 3:6], mask[3, 4] = 0.0, numpy.nan
    outside = ~(mask == 1)
    spoiled = fixed.at[..., outside].set(jnp.nan), moving.at[..., outside].set(jnp.inf)
    for loss in (spline.mean_squares, spline.local_correlation, spline.mutual_information):
        both = jax.jit(jax.value_and_grad(lambda *images: loss(*images, mask=mask), argnums=(0, 1)))  # noqa: B023
        (wanted, gradients), (found, others) = both(fixed, moving), both(*spoiled)
        assert abs(found - wanted) < TOLERANCE
        for one, other in zip(others, gradients):
            assert not one[..., outside].any() and jnp.abs(one - other).max() < TOLERANCE


def test_the_same_as_in_pytorch(rng):
    """Values and gradients of one formula in two libraries."""
    torch = pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")
    import cudaspline.torch as other  # pylint: disable=import-outside-toplevel

    for name, given, options in support.calls_of_fields_and_losses(rng):
        given = [jnp.asarray(one) for one in given]
        tensors = [torch.tensor(numpy.asarray(one), requires_grad=True) for one in given]
        known = {key: torch.tensor(value) if key == "mask" else value for key, value in options.items()}
        wanted = getattr(other, name)(*tensors, **known)
        gradients = torch.autograd.grad((wanted * wanted).sum(), tensors)

        def both(*given):
            found = getattr(spline, name)(*given, **options)  # noqa: B023
            return (found * found).sum(), found

        derivative, found = jax.jit(jax.grad(both, argnums=tuple(range(len(given))), has_aux=True))(*given)
        assert numpy.abs(found - wanted.detach().numpy()).max() < TOLERANCE, name
        for one, two in zip(derivative, gradients):
            assert numpy.abs(one - two.numpy()).max() < 1e-9, name


def test_a_registration_by_gradients(rng):
    """A blob is moved onto another one, by gradient descent on the coefficients of a grid, compiled as a whole."""
    place = spline.identity((24, 20))
    centre, moved = jnp.array([12.0, 9.0]), jnp.array([13.5, 10.5]) + rng.uniform(-0.5, 0.5, 2)
    fixed, moving = (jnp.exp(-((place - at) ** 2).sum(-1) / 18)[None, None] for at in (centre, moved))

    def loss(coefficients):
        field = spline.ffd(coefficients, (24, 20))
        return spline.mean_squares(fixed, spline.warp(moving, field, mode="nearest")) + 1e-4 * spline.bending(field)

    @jax.jit
    def descend(coefficients):
        # By the sign of each coefficient's slope, a step that shrinks: no optimizer is needed.
        return jax.lax.fori_loop(0, 40, lambda i, c: c - 0.12 * 0.96**i * jnp.sign(jax.grad(loss)(c)), coefficients)

    start = jnp.zeros((1, 7, 6, 2))
    found = descend(start)
    assert loss(found) < 0.1 * loss(start)
    assert spline.folding(spline.ffd(found, (24, 20))) == 0


def test_types_and_what_is_refused(rng):
    field, image = array(rng, 7, 8, 2), array(rng, 1, 1, 7, 8)
    assert spline.compose(field.astype(jnp.bfloat16), field).dtype == jnp.bfloat16
    assert spline.compose(numpy.asarray(field, "f4"), field).dtype == jnp.float32
    assert spline.mean_squares(image.astype(jnp.float32), image).dtype == jnp.float64
    for name, call, error in (
        ("first", lambda: spline.compose(field[0], field), ValueError),
        ("second", lambda: spline.compose(field, array(rng, 7, 8, 9, 3)), ValueError),
        ("second", lambda: spline.compose(field, 3 * [1]), TypeError),
        ("steps", lambda: spline.exp(field, -1), ValueError),
        ("iterations", lambda: spline.invert(field, 0), ValueError),
        ("tolerance", lambda: spline.invert(field, tolerance=0), ValueError),
        ("coefficients", lambda: spline.ffd(field[:3], (5, 5)), ValueError),
        ("shape", lambda: spline.ffd(field, 5), TypeError),
        ("field", lambda: spline.jacobian(field[:2]), ValueError),
        ("spacing", lambda: spline.bending(field, (1, -1)), ValueError),
        ("spacing", lambda: spline.diffusion(field, 3), TypeError),
        ("least", lambda: spline.folding(field, least=numpy.nan), ValueError),
        ("moving", lambda: spline.mean_squares(image, image[0]), ValueError),
        ("mask", lambda: spline.mean_squares(image, image, image[..., :3]), ValueError),
        ("mask", lambda: spline.mean_squares(image, image, "all"), TypeError),
        ("fixed", lambda: spline.local_correlation(image[0, 0], image[0, 0]), ValueError),
        ("radius", lambda: spline.local_correlation(image, image, 0), ValueError),
        ("bins", lambda: spline.mutual_information(image, image, 4), ValueError),
        ("limits", lambda: spline.mutual_information(image, image, limits=((1, 0), (0, 1))), ValueError),
        ("limits", lambda: jax.jit(lambda end: spline.mutual_information(image, image, limits=((0, end), (0, 1))))(1.0), TypeError),
        ("points", lambda: spline.count(array(rng, 5, 4)), ValueError),
        ("points", lambda: spline.grad(image, array(rng, 5, 4)), ValueError),
        ("shape", lambda: spline.identity(()), ValueError),
        ("shape", lambda: spline.identity(3), TypeError),
    ):
        with pytest.raises(error, match=f"^{name}: "):
            call()
