"""cudaspline.torch compared with torch-interpol, if that is installed: values, gradient images,
push and count, and the gradients of all."""

import itertools

import pytest

torch = pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")
interpol = pytest.importorskip("interpol", reason="torch-interpol is not installed")

import cudaspline.torch as spline  # noqa: E402

BOUNDS = {
    "mirror": "dct1",
    "reflect": "dct2",
    "grid-wrap": "dft",
    "nearest": "replicate",
    "grid-constant": "zero",
}
TOLERANCE = 1e-10


def compare(one, other, inputs, rng):
    """Values, and the gradients by all inputs of a sum with random factors."""
    assert one.shape == other.shape
    assert (one - other).abs().max() < TOLERANCE
    seed = torch.tensor(rng.uniform(-1, 1, one.shape), device=one.device)
    for a, b in zip(
        torch.autograd.grad(one, inputs, seed), torch.autograd.grad(other, inputs, seed)
    ):
        assert (a - b).abs().max() < 100 * TOLERANCE


def compare_functions(rng, mode, device):
    """All functions of a mode, in float64; test_torch_gpu.py has them on a GPU."""
    for order, size in itertools.product(range(1, 6), ((7, 5), (4, 5, 6))):
        options = {"interpolation": order, "bound": BOUNDS[mode], "extrapolate": True}
        image = torch.tensor(rng.uniform(-1, 1, (2, 2, *size)), device=device, requires_grad=True)
        # Inside for the orders whose second derivatives jump; not next to samples, where the first
        # ones do.
        grid = rng.uniform(-1.4, max(size) + 0.4, (2, *size, len(size)))
        grid = torch.tensor(grid, device=device, requires_grad=True)
        compare(
            spline.pull(image, grid, order=order, mode=mode),
            interpol.grid_pull(image, grid, prefilter=False, **options),
            (image, grid),
            rng,
        )
        compare(
            spline.push(image, grid, order=order, mode=mode),
            interpol.grid_push(image, grid, prefilter=False, **options),
            (image, grid),
            rng,
        )
        found, wanted = (
            spline.count(grid, order=order, mode=mode),
            interpol.grid_count(grid, **options),
        )
        assert (found - wanted).abs().max() < TOLERANCE
        found = spline.grad(image, grid, order=order, mode=mode)
        wanted = interpol.grid_grad(image, grid, prefilter=False, **options)
        assert (found - wanted).abs().max() < TOLERANCE


@pytest.mark.parametrize("mode", BOUNDS)
def test_values_and_gradients(rng, mode):
    compare_functions(rng, mode, "cpu")


def test_coefficients(rng):
    for order, mode in itertools.product(range(2, 6), ("mirror", "reflect", "grid-wrap")):
        image = torch.tensor(rng.uniform(-1, 1, (1, 2, 24, 21)), requires_grad=True)
        found, wanted = (
            spline.prefilter(image, order=order, mode=mode),
            interpol.spline_coeff_nd(image, order, BOUNDS[mode], 2),
        )
        assert (
            found - wanted
        ).abs().max() < 1e-6  # torch-interpol's recursions begin with truncated sums
