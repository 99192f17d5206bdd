"""Fields, losses and penalties of cudaspline.torch: values against plain loops and closed forms,
gradients against finite differences."""

import functools
import itertools

import numpy
import pytest

torch = pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")

import cudaspline.torch as spline  # noqa: E402
import gradients_support as support  # noqa: E402
from cudaspline import ndimage  # noqa: E402
from cudaspline.autodiff import _loss_formulas  # noqa: E402
from cudaspline.torch._array_operations import OPERATIONS  # noqa: E402

TOLERANCE = 1e-11


def tensor(rng, *shape, low=-1.0, high=1.0, grad=True):
    return torch.tensor(rng.uniform(low, high, shape), requires_grad=grad)


def smooth(rng, size, amount=0.3):
    """A field without folds, whose linear pieces meet nowhere near its samples: its slope is below
    amount."""
    field = rng.uniform(0.05, 0.45, (*size, len(size))) * amount
    return torch.tensor(field, requires_grad=True)


def check(function, *inputs, second=True):
    assert torch.autograd.gradcheck(function, inputs, eps=1e-6, atol=1e-5, fast_mode=True)
    if second:
        assert torch.autograd.gradgradcheck(function, inputs, eps=1e-6, atol=1e-4, fast_mode=True)


def test_fields(rng):
    for size in ((7,), (6, 5), (4, 5, 4)):
        one, other = smooth(rng, size), smooth(rng, size)
        places = numpy.stack(
            numpy.meshgrid(*map(numpy.arange, size), indexing="ij")
        ) + numpy.moveaxis(one.detach().numpy(), -1, 0)
        wanted = [
            ndimage.map_coordinates(other.detach().numpy()[..., d], places, order=1, mode="nearest")
            for d in range(len(size))
        ]
        wanted = one.detach().numpy() + numpy.stack(wanted, -1)
        assert numpy.abs(spline.compose(one, other).detach().numpy() - wanted).max() < TOLERANCE
        check(spline.compose, one, other)
        check(lambda velocity: spline.exp(velocity, 3), one)
        inverse = spline.invert(one, tolerance=1e-12, iterations=200)
        assert spline.compose(inverse, one).abs().max() < 1e-10
        check(lambda field: spline.invert(field, tolerance=1e-12, iterations=200), one)
    constant = torch.full((5, 6, 2), 0.25, dtype=torch.float64)
    assert (spline.exp(constant) - constant).abs().max() < TOLERANCE
    batch = torch.stack([smooth(rng, (5, 6)), smooth(rng, (5, 6))])
    assert torch.equal(spline.compose(batch, batch)[1], spline.compose(batch[1], batch[1]))


def test_derivatives_of_an_inverse(rng):
    """Derivatives of all supported orders, whichever is forward, and of many at once; the fourth
    raises an error."""
    fields = torch.tensor(rng.uniform(0.02, 0.07, (2, 4, 3, 2)))
    inverse = functools.partial(spline.invert, tolerance=1e-13, iterations=200)
    forward, backward = torch.func.jacfwd, torch.func.jacrev

    def value(weights):
        return inverse((fields * weights[:, None, None, None]).sum(0)).pow(3).sum()

    ones, step = torch.ones(2, dtype=torch.float64), 1e-4
    wanted = torch.autograd.functional.hessian(value, ones)
    for one, other in itertools.product((forward, backward), repeat=2):
        assert torch.allclose(one(other(value))(ones), wanted, rtol=0, atol=TOLERANCE)
    hessian = torch.func.hessian(value)
    differences = [
        (hessian(ones + d) - hessian(ones - d)) / (2 * step)
        for d in step * torch.eye(2, dtype=torch.float64)
    ]
    least = (
        6 * 24 * 0.02**3 / 2
    )  # of sums of cubes of 24 numbers of 0.02 and more; half of it, for what an inverse differs from minus the field
    assert wanted.abs().min() > least and torch.stack(differences).abs().min() > least
    for of in (forward, backward):
        assert torch.allclose(of(hessian)(ones), torch.stack(differences, -1), rtol=0, atol=1e-6)
        with pytest.raises(NotImplementedError, match="at most 3 times"):
            of(of(hessian))(ones)
    many = torch.vmap(inverse, in_dims=1, out_dims=1)(fields.movedim(0, 1))
    assert torch.allclose(many.movedim(1, 0), inverse(fields), rtol=0, atol=TOLERANCE)


def test_ffd(rng):
    """A spline of the coefficients of a line is the line."""
    for order, shape in itertools.product(range(1, 6), ((9, 12), (5, 1))):
        grid = [order + int(rng.integers(1, 4)) for _ in shape]
        place = numpy.stack(numpy.meshgrid(*map(numpy.arange, grid), indexing="ij"), -1)
        field = spline.ffd(torch.tensor(place, dtype=torch.float64), shape, order)
        for axis, (m, n) in enumerate(zip(grid, shape)):
            wanted = 0.5 * (order - 1) + numpy.arange(n) * (m - order) / max(n - 1, 1)
            assert (
                numpy.abs(numpy.moveaxis(field[..., axis].numpy(), axis, -1) - wanted).max() < 1e-10
            )
    check(lambda coefficients: spline.ffd(coefficients, (4, 3)), tensor(rng, 1, 4, 5, 2))


def test_jacobian_determinant(rng):
    for dimension in (1, 2, 3):
        size = (4, 5, 6)[:dimension]
        matrix = torch.tensor(rng.uniform(-0.4, 0.4, (dimension, dimension)))
        field = spline.identity(size, dtype=torch.float64) @ matrix.T
        found = spline.jacobian_determinant(field)
        assert found.shape == size
        assert (
            found - torch.linalg.det(matrix + torch.eye(dimension, dtype=torch.float64))
        ).abs().max() < TOLERANCE
        check(spline.jacobian_determinant, tensor(rng, 2, *size, dimension))
        check(spline.jacobian, tensor(rng, *size, dimension))
        # By the gradient, too, halfway between two determinants that are far apart: it jumps at
        # each.
        field = tensor(rng, 2, *size, dimension)
        numbers = spline.jacobian_determinant(field).detach().flatten().sort().values
        half = len(numbers) // 2
        place = half // 2 + int(numbers.diff()[half // 2 : half // 2 + half].argmax())
        least = numbers[place : place + 2].mean().item()
        check(lambda field: spline.folding(field, least=least), field)  # noqa: B023
        below = least - numbers[: place + 1]
        assert (
            abs(spline.folding(field, least=least).item() - below.sum().item() / len(numbers))
            < TOLERANCE
        )
    folded = spline.identity((4, 4), dtype=torch.float64) * torch.tensor(
        [-1.5, 0.0], dtype=torch.float64
    )
    assert abs(spline.folding(folded).item() - 0.5) < TOLERANCE
    assert spline.folding(0 * folded) == 0


def test_penalties(rng):
    spacing = (1.5, 0.5, 2.0)
    for dimension in (1, 2, 3):
        size, steps = (4, 3, 5)[:dimension], spacing[:dimension]
        field = tensor(rng, *size, dimension)
        u = field.detach().numpy()
        diffusion, bending = support.penalties(u, steps)
        assert abs(spline.diffusion(field, steps).item() - diffusion) < TOLERANCE
        assert abs(spline.bending(field, steps).item() - bending) < TOLERANCE * (1 + bending)
        check(lambda field: spline.diffusion(field, steps), field)  # noqa: B023
        check(lambda field: spline.bending(field, steps), field)  # noqa: B023
    matrix = torch.tensor(rng.uniform(-1, 1, (2, 2)))
    assert (
        spline.bending(spline.identity((5, 6), dtype=torch.float64) @ matrix) < 1e-20
    )  # nothing bends under an affine map


def test_mean_squares(rng):
    fixed, moving = tensor(rng, 1, 2, 4, 5), tensor(rng, 1, 2, 4, 5)
    mask = torch.tensor(rng.random((4, 5)) < 0.6)
    mask[0, 0] = True
    found = spline.mean_squares(fixed, moving, mask).item()
    wanted = ((fixed - moving).detach().numpy() ** 2)[..., mask.numpy()].mean()
    assert abs(found - wanted) < TOLERANCE
    check(spline.mean_squares, fixed, moving)
    check(lambda *images: spline.mean_squares(*images, mask), fixed, moving)


def apart(rng, *size):
    return torch.tensor(support.apart(rng, *size), requires_grad=True)


def test_local_correlation(rng):
    for size, radius in (
        ((9,), 2),
        ((6, 7), 1),
        ((4, 5, 4), 2),
        ((5, 6), (1, 3)),
        ((6, 5, 4), (2, 9, 1)),
        ((7, 6), 9),
    ):
        fixed, moving = apart(rng, 1, 1, *size), apart(rng, 1, 1, *size)
        mask = rng.random(size) < 0.8
        mask.flat[0] = True
        for used in (None, mask):
            whole = numpy.ones(size, bool) if used is None else used
            found = spline.local_correlation(
                fixed, moving, radius, None if used is None else torch.tensor(used)
            )
            assert (
                abs(
                    found.item()
                    - support.windowed(
                        fixed.detach().numpy()[0, 0], moving.detach().numpy()[0, 0], whole, radius
                    )
                )
                < 1e-9
            )
    fixed, moving = apart(rng, 2, 1, 5, 6), apart(rng, 2, 1, 5, 6)
    check(lambda *images: spline.local_correlation(*images, 1), fixed, moving)
    same = spline.local_correlation(fixed, 2 * fixed + 3, 1)
    assert abs(same.item() + 1) < 1e-9
    flat = spline.local_correlation(
        torch.zeros(1, 1, 5, 5), torch.zeros(1, 1, 5, 5, requires_grad=True)
    )
    assert flat == -1
    flat.backward()


def by_formula(fixed, moving, radius, mask):
    """What PyTorch's own operations make."""
    dimension = fixed.dim() - 2
    reach = (radius,) * dimension if isinstance(radius, int) else radius
    whole = None if mask is None else torch.broadcast_to(mask != 0, fixed.shape)
    count = fixed.numel() if mask is None else whole.sum()
    return -_loss_formulas.correlation_sums(OPERATIONS, fixed, moving, whole, reach).sum() / count


@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize(
    "shape, radius",
    [
        ((2, 3, 13, 11, 9), 2),
        ((1, 1, 40, 33), 4),
        ((1, 2, 37, 20, 21), (1, 3, 2)),
        ((1, 1, 5, 6, 7), 9),
        ((2, 1, 60), 9),
    ],
)
def test_local_correlation_is_its_formula(rng, shape, radius, offset):
    """Values and gradients by both images, together and each alone, with constant patches, masks
    and offsets as of CT."""
    one = rng.uniform(0, 1, shape)
    other = one**2 + 0.3 * rng.uniform(0, 1, shape) - offset
    one, other = one + offset, other
    one[..., 2:5] = offset + 0.25
    masks = [None, torch.tensor(rng.random(shape[2:]) < 0.7), torch.tensor(rng.random(shape) < 0.7)]
    for mask in masks:
        images = [torch.tensor(image, requires_grad=True) for image in (one, other)]
        wanted = by_formula(*images, radius, mask)
        of_formula = torch.autograd.grad(wanted, images)
        found = spline.local_correlation(*images, radius, mask)
        assert abs(found - wanted).item() < 1e-12 * abs(wanted.item())
        gradients = torch.autograd.grad(found, images, retain_graph=True)
        # Variances of windows with seven samples and more are a hundredth of the sums of squares,
        # which are wrong by some 1e-15 of themselves.
        for gradient, of_image in zip(gradients, of_formula):
            assert (gradient - of_image).abs().max() < 1e-12 * of_image.abs().max()
        for place in (0, 1):
            alone = [
                image.detach().requires_grad_(number == place)
                for number, image in enumerate(images)
            ]
            assert torch.equal(
                torch.autograd.grad(spline.local_correlation(*alone, radius, mask), alone[place])[
                    0
                ],
                gradients[place],
            )
        with torch.no_grad():
            assert torch.equal(spline.local_correlation(*images, radius, mask), found)
        again = spline.local_correlation(
            *(image.detach().requires_grad_() for image in images), radius, mask
        )
        assert torch.equal(again, found)
        if offset == 0:  # floats have the digits of the offset, and no others
            halves = [image.detach().float().requires_grad_() for image in images]
            single = spline.local_correlation(*halves, radius, mask)
            assert single.dtype == torch.float32 and abs(single.item() - wanted.item()) < 1e-6
            for gradient, of_image in zip(torch.autograd.grad(single, halves), of_formula):
                assert (gradient - of_image).abs().max() < 1e-5 * of_image.abs().max()


def test_local_correlation_by_axis(rng):
    """Axes that are exchanged, with their radii; a window longer than the image is the whole
    image."""
    images = [torch.tensor(rng.uniform(-1, 1, (1, 1, 9, 7, 5))) for _ in range(2)]
    turned = [image.permute(0, 1, 4, 2, 3) for image in images]
    assert (
        abs(
            spline.local_correlation(*images, (1, 2, 3))
            - spline.local_correlation(*turned, (3, 1, 2))
        )
        < 1e-13
    )
    assert (
        abs(spline.local_correlation(*images, (9, 7, 5)) - spline.local_correlation(*images, 5000))
        < 1e-13
    )
    row = [image.reshape(1, 1, 315) for image in images]
    whole = numpy.corrcoef(*(image.numpy().ravel() for image in row))[0, 1] ** 2
    assert abs(spline.local_correlation(*row, 315) + whole) < 1e-12
    for radius, error in (
        ((1, 2), ValueError),
        ((1, 2, 0), ValueError),
        ("12", ValueError),
        (1.5, TypeError),
        ((1, 2, 2.5), TypeError),
    ):
        with pytest.raises(error, match="^radius: "):
            spline.local_correlation(*images, radius)


def test_derivatives_of_local_correlation(rng):
    """Derivatives of first order by the library, of others by the formula, for every caller: the
    same numbers."""
    fixed, moving = apart(rng, 2, 1, 5, 6), apart(rng, 2, 1, 5, 6)
    mask = torch.tensor(rng.random((5, 6)) < 0.8)

    def loss(*images):
        return spline.local_correlation(*images, 1, mask)

    check(loss, fixed, moving)
    wanted = torch.autograd.grad(loss(fixed, moving), (fixed, moving))
    with_graph = torch.autograd.grad(loss(fixed, moving), (fixed, moving), create_graph=True)
    func = torch.func.grad(loss, (0, 1))(fixed, moving)
    torch.compiler.reset()
    compiled = torch.compile(torch.func.grad(loss, (0, 1)), backend="aot_eager", fullgraph=True)(
        fixed, moving
    )
    for found in (with_graph, func, compiled):
        for one, other in zip(found, wanted):
            assert (one - other).abs().max() < 1e-12 * other.abs().max()
    direction = [torch.rand_like(image) for image in (fixed, moving)]
    slope = sum((one * other).sum() for one, other in zip(wanted, direction))
    assert abs(torch.func.jvp(loss, (fixed, moving), tuple(direction))[1] - slope) < 1e-12
    # Second derivatives of the formula are those of the library's gradients, by differences.
    step = 1e-5
    ahead, back = (
        torch.autograd.grad(loss(*images), images)
        for images in (
            [
                (image.detach() + side * step * one).requires_grad_()
                for image, one in zip((fixed, moving), direction)
            ]
            for side in (1, -1)
        )
    )
    second = torch.autograd.grad(with_graph, (fixed, moving), direction)
    for one, more, less in zip(second, ahead, back):
        assert (one - (more - less) / (2 * step)).abs().max() < 1e-5 * one.abs().max()
    # One image twice has both gradients, also where they have a graph.
    for create_graph in (False, True):
        one = torch.autograd.grad(loss(fixed, fixed), fixed, create_graph=create_graph)[0]
        assert one.abs().max() < 1e-12
    images = (
        fixed.detach().flatten(0, 1).requires_grad_(),
        moving.detach().flatten(0, 1).requires_grad_(),
    )
    for of_mask in (None, mask[None], torch.broadcast_to(mask, (2, 5, 6))):
        torch.library.opcheck(
            torch.ops.cudaspline.correlate.default, (*images, of_mask, [1, 2], True, True)
        )
        torch.library.opcheck(
            torch.ops.cudaspline.correlate.default, (*images, of_mask, [2, 1], False, True)
        )


def test_mutual_information(rng):
    fixed, moving = tensor(rng, 8, 9), tensor(rng, 8, 9)
    limits = ((-1.0, 1.0), (-1.0, 1.0))
    check(lambda *images: spline.mutual_information(*images, bins=8, limits=limits), fixed, moving)
    image = torch.tensor(rng.uniform(-1, 1, (60, 60)))
    alike = spline.mutual_information(image, -image)
    other = spline.mutual_information(image, torch.tensor(rng.uniform(-1, 1, (60, 60))))
    assert alike < 2 * other < 0
    wanted = support.information(
        fixed.detach().numpy().ravel(), moving.detach().numpy().ravel(), 8, limits
    )
    assert (
        abs(spline.mutual_information(fixed, moving, bins=8, limits=limits).item() - wanted) < 1e-10
    )
    # A mask is the same as the samples that are in it, and a constant image has nothing in common
    # with another one.
    mask = torch.tensor(rng.random((8, 9)) < 0.7)
    mask[0, :2] = True
    for options in ({"bins": 8}, {"bins": 8, "limits": limits}):
        found = spline.mutual_information(fixed, moving, mask=mask, **options)
        assert (
            abs((found - spline.mutual_information(fixed[mask], moving[mask], **options)).item())
            < 1e-10
        )
    for other in (torch.full_like(moving, 0.5).requires_grad_(), moving):
        found = spline.mutual_information(
            torch.full_like(fixed, 2.0), other, mask=torch.zeros(8, 9) if other is moving else None
        )
        assert abs(found.item()) < 1e-12
        assert torch.isfinite(torch.autograd.grad(found, other)[0]).all()


def joint_histogram(fixed, moving, mask, ends, bins):
    """By the library."""
    return OPERATIONS.of_joint_histogram(
        lambda joint, count: joint, fixed, moving, mask, ends, bins, 1.0
    )


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-11), (torch.float32, 1e-4)])
@pytest.mark.parametrize("bins", [5, 8, 32, 100])
def test_mutual_information_is_its_formula(rng, bins, dtype, tolerance):
    """The joint histogram and gradients of it by both images, together and each alone, with masks
    and values beyond the ends. Parts of a sample are rounded to 2^-50 here; of floats weights and
    places are."""
    shape = (2, 1, 17, 30)
    one, other = rng.normal(0, 1, shape), rng.normal(0, 1, shape)
    weights = torch.tensor(rng.uniform(-1, 1, (bins, bins)), dtype=dtype)
    for mask in (None, torch.tensor(rng.random(shape) < 0.7)):
        images = [
            torch.tensor(image, dtype=dtype, requires_grad=True) for image in (one, one + other)
        ]
        if mask is not None:
            with torch.no_grad():
                images[0][~mask], images[1][~mask] = torch.nan, torch.inf
        for ends in ((-1.0, 2.0, -0.5, 0.75), (-9.0, 9.0, -9.0, 9.0), (1.0, 1.0, 0.0, 1.0)):
            ends = torch.tensor(ends, dtype=dtype)
            wanted = _loss_formulas.joint_histogram(OPERATIONS, *images, mask, ends, bins)
            found = joint_histogram(*images, mask, ends, bins)
            assert (found - wanted).abs().max() < tolerance * wanted.max()
            assert torch.equal(joint_histogram(*images, mask, ends, bins), found)
            of_formula = torch.autograd.grad((wanted * weights).sum(), images)
            gradients = torch.autograd.grad((found * weights).sum(), images)
            scale = max(1e-3, max(one.abs().max().item() for one in of_formula))
            for gradient, of_image in zip(gradients, of_formula):
                assert (gradient - of_image).abs().max() < 10 * tolerance * scale
            for place in (0, 1):
                alone = [
                    image.detach().requires_grad_(number == place)
                    for number, image in enumerate(images)
                ]
                joint = joint_histogram(*alone, mask, ends, bins)
                assert torch.equal(
                    torch.autograd.grad((joint * weights).sum(), alone[place])[0], gradients[place]
                )


def test_derivatives_of_mutual_information(rng):
    """Derivatives of first order by the library, of others by the formula, for every caller: the
    same numbers."""
    fixed, moving = tensor(rng, 5, 6), tensor(rng, 5, 6)
    mask = torch.tensor(rng.random((5, 6)) < 0.8)

    def loss(*images):
        return spline.mutual_information(
            *images, bins=8, mask=mask, limits=((-1.0, 1.0), (-1.0, 1.0))
        )

    wanted = torch.autograd.grad(loss(fixed, moving), (fixed, moving))
    with_graph = torch.autograd.grad(loss(fixed, moving), (fixed, moving), create_graph=True)
    func = torch.func.grad(loss, (0, 1))(fixed, moving)
    torch.compiler.reset()
    value = torch.compile(loss, backend="aot_eager", fullgraph=True)(fixed, moving)
    for found in (with_graph, func, torch.autograd.grad(value, (fixed, moving))):
        for one, other in zip(found, wanted):
            assert (one - other).abs().max() < 1e-11
    samples = (
        fixed.detach().reshape(-1).requires_grad_(),
        moving.detach().reshape(-1).requires_grad_(),
    )
    ends = torch.tensor([-1.0, 1.0, -1.0, 1.0], dtype=torch.float64)
    for of_mask in (None, mask.reshape(-1)):
        torch.library.opcheck(
            torch.ops.cudaspline.joint_histogram.default, (*samples, of_mask, ends, 8)
        )
    broken = fixed.detach().clone().requires_grad_()
    with torch.no_grad():
        broken[2, 3] = torch.nan  # in no bin
    value = spline.mutual_information(broken, moving, bins=8, limits=((-1.0, 1.0), (-1.0, 1.0)))
    of_broken, of_moving = torch.autograd.grad(value, (broken, moving))
    assert (
        torch.isfinite(value)
        and torch.isnan(of_broken[2, 3])
        and int(torch.isnan(of_broken).sum()) == 1 == int(torch.isnan(of_moving).sum())
    )
    for wrong in (torch.nan, torch.inf):  # which leaves no limits
        with torch.no_grad():
            broken[2, 3] = wrong
        for images in ((broken, moving), (moving, broken)):
            value = spline.mutual_information(*images)
            assert torch.isnan(value) and torch.isnan(torch.autograd.grad(value, images)[0]).any()


def test_a_registration_by_gradients(rng):
    """A blob is moved onto another one, by Adam on the coefficients of a grid."""
    place = spline.identity((24, 20), dtype=torch.float64)
    centre, moved = (
        torch.tensor([12.0, 9.0]),
        torch.tensor([13.5, 10.5]) + torch.tensor(rng.uniform(-0.5, 0.5, 2)),
    )
    fixed, moving = (
        torch.exp(-(place - at).square().sum(-1) / 18)[None, None] for at in (centre, moved)
    )
    coefficients = torch.zeros(1, 7, 6, 2, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Adam([coefficients], lr=0.2)
    before = spline.mean_squares(fixed, moving).item()
    for _ in range(40):
        optimizer.zero_grad()
        field = spline.ffd(coefficients, (24, 20))
        loss = spline.mean_squares(
            fixed, spline.warp(moving, field, mode="nearest")
        ) + 1e-4 * spline.bending(field)
        loss.backward()
        optimizer.step()
    assert (
        spline.mean_squares(
            fixed, spline.warp(moving, spline.ffd(coefficients, (24, 20)), mode="nearest")
        )
        < 0.05 * before
    )
    assert spline.folding(field) == 0


def test_shapes_that_are_refused(rng):
    def refuses(error, start, function, *arguments, **options):
        with pytest.raises(error) as caught:
            function(*arguments, **options)
        assert str(caught.value).startswith(start), caught.value

    field, image = tensor(rng, 4, 5, 2), tensor(rng, 1, 1, 4, 5)
    refuses(ValueError, "first: the shape is (4, 2)", spline.compose, tensor(rng, 4, 2), field)
    refuses(
        ValueError, "second: its vectors have 3", spline.compose, field, tensor(rng, 4, 5, 4, 3)
    )
    refuses(ValueError, "steps: -1", spline.exp, field, -1)
    refuses(ValueError, "tolerance: 0", spline.invert, field, tolerance=0.0)
    refuses(ValueError, "coefficients: the grid is (4, 5)", spline.ffd, field, (9, 9), order=4)
    refuses(ValueError, "field: the shape (2, 5, 2)", spline.jacobian_determinant, field[:2])
    refuses(ValueError, "spacing: [1.0]", spline.diffusion, field, [1.0])
    refuses(ValueError, "moving: its shape", spline.mean_squares, image, image[..., :3])
    refuses(ValueError, "mask: the shape (3,)", spline.mean_squares, image, image, torch.ones(3))
    refuses(ValueError, "radius: 0", spline.local_correlation, image, image, 0)
    refuses(ValueError, "bins: 4", spline.mutual_information, image, image, 4)


def test_what_is_not_finite_outside_the_mask(rng):
    """It changes neither the loss nor its gradients, which are 0 there; a mask is 0 where it is
    NaN."""
    fixed, moving = tensor(rng, 1, 1, 7, 8), tensor(rng, 1, 1, 7, 8)
    mask = torch.ones(7, 8, dtype=torch.float64)
    mask[2:4, 3:6] = 0.0
    mask[3, 4] = torch.nan
    outside = ~(mask == 1)
    spoiled = [image.detach().clone() for image in (fixed, moving)]
    spoiled[0][..., outside], spoiled[1][..., outside] = torch.nan, torch.inf
    spoiled = [image.requires_grad_() for image in spoiled]
    for loss in (spline.mean_squares, spline.local_correlation, spline.mutual_information):
        wanted, found = loss(fixed, moving, mask=mask), loss(*spoiled, mask=mask)
        assert abs(found - wanted).item() < TOLERANCE
        for one, other in zip(
            torch.autograd.grad(found, spoiled), torch.autograd.grad(wanted, (fixed, moving))
        ):
            assert not one[..., outside].any()
            assert (one - other).abs().max() < TOLERANCE


def test_what_is_refused(rng):
    image, field = tensor(rng, 1, 1, 7, 8), tensor(rng, 7, 8, 2)
    for limits, error in (
        (3, TypeError), ((1, 2), TypeError), (((0, 1),), TypeError), ("ab", TypeError), (((0, 1), (0, "x")), TypeError),
        (((0, 1),) * 3, TypeError), (((1, 0), (0, 1)), ValueError), (((0, 0), (0, 1)), ValueError), (((0, numpy.inf), (0, 1)), ValueError),
        (((numpy.nan, 1), (0, 1)), ValueError), (((0, torch.tensor(1.0, requires_grad=True)), (0, 1)), ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match="^limits: "):
            spline.mutual_information(image, image, limits=limits)
    for name, call, error in (
        ("moving", lambda: spline.mean_squares(image, image[0]), ValueError),
        ("mask", lambda: spline.mean_squares(image, image, image[..., :3]), ValueError),
        ("mask", lambda: spline.mean_squares(image, image, numpy.ones((7, 8))), TypeError),
        (
            "mask",
            lambda: spline.local_correlation(image, image, mask=image),
            ValueError,
        ),  # whose gradient would be lost
        ("fixed", lambda: spline.local_correlation(image[0, 0], image[0, 0]), ValueError),
        ("radius", lambda: spline.local_correlation(image, image, 0), ValueError),
        ("bins", lambda: spline.mutual_information(image, image, 4), ValueError),
        ("least", lambda: spline.folding(field, least=numpy.nan), ValueError),
        ("spacing", lambda: spline.bending(field, (1, -1)), ValueError),
        ("spacing", lambda: spline.diffusion(field, 3), TypeError),
        ("field", lambda: spline.jacobian(field[:2]), ValueError),
        ("second", lambda: spline.compose(field, tensor(rng, 7, 8, 9, 3)), ValueError),
        ("steps", lambda: spline.exp(field, -1), ValueError),
        ("iterations", lambda: spline.invert(field, 0), ValueError),
        ("tolerance", lambda: spline.invert(field, tolerance=0), ValueError),
        ("coefficients", lambda: spline.ffd(field[:3], (5, 5)), ValueError),
    ):
        with pytest.raises(error, match=f"^{name}: "):
            call()


def test_transforms_of_pytorch(rng):
    """Losses with masks, compiled in one piece and for many images at once."""
    fixed, moving = tensor(rng, 3, 1, 1, 7, 8), tensor(rng, 3, 1, 1, 7, 8)
    mask = torch.tensor(rng.random((7, 8)) < 0.7)
    mask[0, :2] = True
    for loss in (spline.mean_squares, spline.local_correlation, spline.mutual_information):
        wanted = torch.stack([loss(*pair, mask=mask) for pair in zip(fixed, moving)])
        gradients = torch.autograd.grad(wanted.sum(), (fixed, moving))
        found = torch.func.vmap(lambda *pair: loss(*pair, mask=mask))(fixed, moving)  # noqa: B023
        assert (found - wanted).abs().max() < TOLERANCE
        torch.compiler.reset()
        compiled = torch.compile(
            lambda *pair: loss(*pair, mask=mask), backend="aot_eager", fullgraph=True
        )  # noqa: B023
        found = torch.stack([compiled(*pair) for pair in zip(fixed, moving)])
        for one, other in zip(torch.autograd.grad(found.sum(), (fixed, moving)), gradients):
            assert (one - other).abs().max() < TOLERANCE
