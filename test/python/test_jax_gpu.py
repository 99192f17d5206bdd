"""cudaspline.jax on a GPU: what JAX compiles calls the library in XLA's stream, on arrays that stay
there."""

import itertools
import os

import numpy
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402

import cudaspline.jax as spline  # noqa: E402
import gradients_support as support  # noqa: E402


def gpu():
    try:
        return jax.devices("cuda")[0]
    except RuntimeError as error:  # of JAX without CUDA
        pytest.skip(f"JAX has no GPU: {error}")


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        "cuda" not in spline.ffi().platforms and os.environ.get("CUDASPLINE_REQUIRE_GPU") != "1",
        reason=f"what JAX compiles does not call the library on CUDA: {spline.ffi().reason}",
    ),
]


@pytest.fixture(autouse=True)
def in_double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def placed(device, *arrays):
    return [jax.device_put(array, device) for array in arrays]


@pytest.mark.parametrize(
    "order,mode", ((0, "nearest"), (1, "mirror"), (3, "grid-constant"), (5, "wrap"))
)
def test_values_and_gradients_are_those_of_the_host(rng, order, mode):
    device, host = gpu(), jax.devices("cpu")[0]
    image, points = rng.uniform(-1, 1, (1, 2, 9, 7, 8)), rng.uniform(-3, 11, (3, 50, 3))

    def values(image, points):
        return spline.sample(image, points, order=order, mode=mode, cval=0.3)

    def loss(image, points):
        return jnp.sum(values(image, points) ** 2)

    def pushed(numbers, points):
        return spline.push(numbers, points, (9, 7, 8), order=order, mode=mode)

    numbers = rng.uniform(-1, 1, (3, 2, 50))
    for function, given in (
        (values, (image, points)),
        (jax.grad(loss, argnums=(0, 1)), (image, points)),
        (jax.vmap(jax.grad(loss, argnums=1), in_axes=(None, 0)), (image, points[:, None])),
        (pushed, (numbers, points)),
        (jax.grad(lambda *given: jnp.sum(pushed(*given) ** 2), argnums=(0, 1)), (numbers, points)),
    ):
        text = (
            jax.jit(function)
            .trace(*placed(device, *given))
            .lower(lowering_platforms=("cuda",))
            .as_text()
        )
        assert "@cudaspline_" in text and "callback" not in text
        found = jax.tree.leaves(jax.jit(function)(*placed(device, *given)))
        wanted = jax.tree.leaves(jax.jit(function)(*placed(host, *given)))
        again = jax.tree.leaves(jax.jit(function)(*placed(device, *given)))
        for one, other, same in zip(found, wanted, again):
            assert one.devices() == {device}
            assert numpy.asarray(one).tobytes() == numpy.asarray(same).tobytes()
            # Of a cubic support a hundred products, each rounded once more or less; squares and
            # sums of 50 points behind.
            assert numpy.allclose(one, other, rtol=1e-11, atol=1e-11)


def test_local_correlation_is_that_of_the_host(rng):
    device, host = gpu(), jax.devices("cpu")[0]
    given = rng.uniform(-1, 1, (2, 1, 9, 20, 33)), rng.uniform(-1, 1, (2, 1, 9, 20, 33))
    for mask, radius in itertools.product((None, rng.random((9, 20, 33)) < 0.7), (2, (1, 3, 2), 9)):

        def loss(*images):
            return spline.local_correlation(*images, radius, mask)  # noqa: B023

        function = jax.value_and_grad(loss, argnums=(0, 1))
        text = (
            jax.jit(function)
            .trace(*placed(device, *given))
            .lower(lowering_platforms=("cuda",))
            .as_text()
        )
        # Windows of a radius above 7 may have no room in shared memory, and go by the formula.
        assert ("@cudaspline_correlate" in text) == (radius != 9) and "callback" not in text
        found = jax.tree.leaves(jax.jit(function)(*placed(device, *given)))
        wanted = jax.tree.leaves(jax.jit(function)(*placed(host, *given)))
        for one, other in zip(found, wanted):
            assert one.devices() == {device}
            assert (
                jnp.abs(numpy.asarray(one) - numpy.asarray(other)).max()
                <= (1e-10 if radius != 9 else 1e-8) * numpy.abs(numpy.asarray(other)).max()
            )


def test_fields_and_losses_are_those_of_the_host(rng):
    device, host = gpu(), jax.devices("cpu")[0]
    for name, given, options in support.calls_of_fields_and_losses(rng):

        def both(*arrays):
            found = getattr(spline, name)(*arrays, **options)  # noqa: B023
            return (found * found).sum(), found

        function = jax.jit(jax.grad(both, argnums=tuple(range(len(given))), has_aux=True))
        on_device, on_host = (
            jax.tree.leaves(function(*placed(place, *given))) for place in (device, host)
        )
        for one, other in zip(on_device, on_host):
            assert one.devices() == {device}
            assert numpy.abs(numpy.asarray(one) - numpy.asarray(other)).max() < 1e-9, (
                name
            )  # of invert, which ends at 1e-10


def test_the_order_of_the_stream(rng):
    """What JAX computes before and behind is seen, step for step, though no step waits."""
    device = gpu()
    image = rng.uniform(-1, 1, (64, 64))
    field = rng.uniform(-0.4, 0.4, (64, 64, 2))

    def steps(image, field):
        for _ in range(20):
            image = spline.warp(image, 0.5 * field + 0.5 * field, mode="reflect") + 0.0
        return image

    wanted = steps(*placed(jax.devices("cpu")[0], image, field))
    found = jax.jit(steps)(*placed(device, image, field))
    assert numpy.allclose(found, wanted, rtol=0, atol=1e-10)
    one = jax.device_put(image, device)
    for _ in range(20):  # compiled one by one
        one = jax.jit(lambda i, f: spline.warp(i, f, mode="reflect"))(
            one, jax.device_put(field, device)
        )
    assert numpy.allclose(one, wanted, rtol=0, atol=1e-10)


def test_nothing_travels(rng):
    """Between host and device, where the arrays are there."""
    device = gpu()
    image, points = placed(device, rng.uniform(-1, 1, (40, 40)), rng.uniform(0, 39, (500, 2)))
    step = jax.jit(
        jax.grad(lambda image, points: jnp.sum(spline.sample(image, points) ** 2), argnums=(0, 1))
    )
    jax.block_until_ready(step(image, points))
    with jax.transfer_guard("disallow"):
        jax.block_until_ready(step(image, points))
