"""cudaspline.torch on a GPU: the caller's streams, and CUDA graphs of forward and backward."""

import numpy
import pytest

torch = pytest.importorskip("torch", minversion="2.5", reason="PyTorch 2.5 is not installed")

import cudaspline  # noqa: E402
import cudaspline.torch as spline  # noqa: E402
import test_torch_gradients as gradients  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch sees no GPU"),
]

SIZE = (12, 40, 36)


def tensor(rng, *shape, low=-1.0, high=1.0):
    return torch.tensor(
        rng.uniform(low, high, shape), dtype=torch.float32, device="cuda", requires_grad=True
    )


def images(rng):
    return tensor(rng, 2, 1, *SIZE)


def fields(rng):
    return tensor(rng, *SIZE, 3, low=0.02, high=0.14)


def matrices(rng):
    found = torch.eye(3, device="cuda") + 0.05 * tensor(rng, 3, 3)
    return torch.cat([found, tensor(rng, 3, 1)], -1).detach().requires_grad_()


LIMITS = ((-1.0, 1.0), (-1.0, 1.0))

#: By name, the function and what makes its tensors.
FUNCTIONS = {
    "sample": (
        lambda image, field: spline.sample(
            image, 30 * field[None], order=3, mode="grid-constant", cval=0.5
        ),
        (images, fields),
    ),
    "grid_sample": (
        lambda image, field: spline.sample(image, field[None], order=1, convention="grid_sample"),
        (images, fields),
    ),
    "grad": (
        lambda image, field: spline.grad(image, 30 * field[None], order=2, prefilter=True),
        (images, fields),
    ),
    "push": (
        lambda field: spline.push(
            field[..., 0], 30 * field, SIZE, order=3, mode="nearest", prefilter=True
        ),
        (fields,),
    ),
    "count": (lambda field: spline.count(30 * field, SIZE, order=1), (fields,)),
    "warp": (lambda image, field: spline.warp(image, field, mode="mirror"), (images, fields)),
    "affine": (
        lambda image, matrix: spline.affine(image, matrix, mode="nearest"),
        (images, matrices),
    ),
    "resample": (
        lambda image, matrix: spline.resample(image, matrix, mode="reflect"),
        (images, matrices),
    ),
    "prefilter": (lambda image: spline.prefilter(image, order=5, mode="reflect"), (images,)),
    "compose": (spline.compose, (fields, fields)),
    "exp": (spline.exp, (fields,)),
    "invert": (lambda field: spline.invert(field, iterations=20), (fields,)),
    "ffd": (lambda coefficients: spline.ffd(coefficients, (30, 50, 40)), (fields,)),
    "jacobian": (spline.jacobian, (fields,)),
    "diffusion": (spline.diffusion, (fields,)),
    "bending": (lambda field: spline.bending(field, (1.0, 2.0, 0.5)), (fields,)),
    "folding": (lambda field: spline.folding(field, least=1.0), (fields,)),
    "mean_squares": (spline.mean_squares, (images, images)),
    "local_correlation": (spline.local_correlation, (images, images)),
    "local_correlation in windows of other radii": (
        lambda *given: spline.local_correlation(*given, (1, 3, 5)),
        (images, images),
    ),
    "mutual_information": (spline.mutual_information, (images, images)),
    "mutual_information of limits": (
        lambda *given: spline.mutual_information(*given, limits=LIMITS),
        (images, images),
    ),
}


def forward_and_backward(function, given):
    value = function(*given)
    return [value.detach(), *torch.autograd.grad((value * value).sum(), given)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_graphs(rng, name):
    """A graph of forward and backward computes what the calls do, of whatever its tensors hold
    then."""
    function, makers = FUNCTIONS[name]
    given = [maker(rng) for maker in makers]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(
        side
    ):  # as PyTorch has it: what is loaded or chosen at first is so before the capture
        for _ in range(2):
            forward_and_backward(function, given)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = forward_and_backward(function, given)
    for _ in range(3):
        with torch.no_grad():
            for one, maker in zip(given, makers):
                one.copy_(maker(rng))
        graph.replay()
        torch.cuda.synchronize()
        wanted = forward_and_backward(function, given)
        for one, other in zip(found, wanted):
            # Those of PyTorch's own operations, as sums and convolutions, may be added up in
            # another order; an inverse makes more steps in a graph.
            scale = other.abs().max().item()
            assert scale > 0 and torch.isfinite(one).all()
            assert (one - other).abs().max().item() <= (
                1e-3 if name == "invert" else 1e-5
            ) * scale, name


@pytest.mark.parametrize(
    "name", ("sample", "grad", "push", "warp", "affine", "prefilter", "compose", "exp")
)
def test_derivatives(rng, name):
    """Derivatives of first and second order agree with finite differences of the device's results,
    in float64."""
    # Without folds, and linear pieces meet nowhere near its samples.
    field, other = (torch.tensor(rng.uniform(0.02, 0.14, (4, 5, 2))) for _ in range(2))
    calls = {name: (function, given) for name, function, given in gradients.functions(rng)}
    calls.update(
        compose=(spline.compose, (field, other)),
        exp=(lambda velocity: spline.exp(velocity, 3), (field,)),
    )
    function, given = calls[name]
    given = [one.detach().cuda().requires_grad_() for one in given]
    assert function(*given).is_cuda
    gradients.check(function, *given)


@pytest.mark.parametrize("mode", ("mirror", "reflect", "grid-wrap", "nearest", "grid-constant"))
def test_values_and_gradients_are_those_of_torch_interpol(rng, mode):
    pytest.importorskip("interpol", reason="torch-interpol is not installed")
    import test_torch_interpol

    test_torch_interpol.compare_functions(rng, mode, "cuda")


def test_a_graph_of_what_is_compiled(rng):
    """resample() between geometries: what it has of them are numbers, which nothing copies from the
    host."""
    torch.compiler.reset()
    source = cudaspline.Image(
        numpy.zeros(SIZE), spacing=(1.5, 0.7, 2.0), origin=(3.0, -4.0, 5.0)
    ).geometry
    target = cudaspline.Image(
        numpy.zeros((9, 30, 31)), spacing=(1.7, 0.9, 2.1), origin=(3.5, -3.0, 6.0)
    ).geometry

    def moved(image, transform):
        return spline.resample(image, transform, source=source, target=target, mode="mirror")

    given = [images(rng).detach()[:1], matrices(rng).detach()]
    compiled = torch.compile(moved, backend="aot_eager", fullgraph=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            compiled(*given)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = compiled(*given)
    for _ in range(2):
        given[0].copy_(images(rng).detach()[:1])
        given[1].copy_(matrices(rng).detach())
        graph.replay()
        torch.cuda.synchronize()
        wanted = moved(*given)
        assert wanted.abs().max() > 0 and (found - wanted).abs().max() <= 1e-5 * wanted.abs().max()


def test_constants_of_a_first_call_in_a_graph(rng):
    """Nothing of an earlier call is there yet: the numbers of the geometries are made by kernels,
    in the graph."""
    source = cudaspline.Image(
        numpy.zeros(SIZE), spacing=(1.5, 0.7, 2.25), origin=(3.0, -4.0, 5.5)
    ).geometry
    given = [images(rng).detach(), matrices(rng).detach()]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            spline.resample(*given, mode="mirror")
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = spline.resample(*given, source=source, mode="mirror")
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(found, spline.resample(*given, source=source, mode="mirror"))


def test_constants_in_other_streams(rng):
    """What a first call has made of geometries, calls in other streams read as it is."""
    given = [images(rng).detach(), matrices(rng).detach()]
    for number in range(8):
        source = cudaspline.Image(
            numpy.zeros(SIZE), spacing=(1.5, 0.7, 2.0 + number / 64), origin=(3.0, -4.0, 5.0)
        ).geometry
        found = []
        for stream in (torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.current_stream()):
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                found.append(spline.resample(*given, source=source))
        torch.cuda.synchronize()
        assert all(torch.equal(one, found[0]) for one in found)


@pytest.mark.parametrize("radius", [2, 4, (1, 3, 2), 9, 30])
@pytest.mark.parametrize("masked", [False, True])
def test_local_correlation_is_that_of_the_host(rng, radius, masked):
    """With both gradients and each alone; windows of radius 30 of doubles have no room in shared
    memory, and go by the formula."""
    given = [torch.tensor(rng.uniform(-1, 1, (2, 1, *SIZE)) + 100.0) for _ in range(2)]
    mask = torch.tensor(rng.random(SIZE) < 0.7) if masked else None
    for dtype, tolerance in (
        (torch.float64, 1e-10),
        (torch.float32, 1e-3),
    ):  # the formula sums floats, of 61^2 samples and more
        host = [image.to(dtype).requires_grad_() for image in given]
        device = [image.to(dtype).cuda().requires_grad_() for image in given]
        wanted = spline.local_correlation(*host, radius, mask)
        found = spline.local_correlation(*device, radius, None if mask is None else mask.cuda())
        assert abs(found.item() - wanted.item()) < tolerance
        of_host, of_device = torch.autograd.grad(wanted, host), torch.autograd.grad(found, device)
        for one, other in zip(of_device, of_host):
            assert (one.cpu() - other).abs().max() < tolerance * other.abs().max()
        moving = device[1].detach().requires_grad_()
        alone = torch.autograd.grad(
            spline.local_correlation(
                device[0].detach(), moving, radius, None if mask is None else mask.cuda()
            ),
            moving,
        )[0]
        assert (alone - of_device[1]).abs().max() <= tolerance * alone.abs().max()


def test_a_graph_of_a_training_step(rng):
    """Adam on a grid of coefficients: as many steps of a graph as of calls give the same
    coefficients."""
    fixed, moving = images(rng).detach(), images(rng).detach()

    def trained(uses_graph):
        coefficients = torch.zeros(1, 7, 9, 8, 3, device="cuda", requires_grad=True)
        optimizer = torch.optim.Adam([coefficients], lr=0.1, capturable=True)

        def step():
            optimizer.zero_grad(set_to_none=True)
            field = spline.ffd(coefficients, SIZE)
            loss = spline.local_correlation(
                fixed, spline.warp(moving, field, mode="nearest")
            ) + 0.05 * spline.bending(field)
            loss.backward()
            optimizer.step()

        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        if uses_graph:
            graph = torch.cuda.CUDAGraph()
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph):
                step()
            step = graph.replay  # the capture itself computes nothing
        for _ in range(10):
            step()
        torch.cuda.synchronize()
        return coefficients.detach()

    wanted = trained(False)
    assert wanted.abs().max() > 0.1
    # 13 steps of 0.1 by the signs of sums that PyTorch may add up in another order: where one is
    # nearly 0 a step may go elsewhere.
    assert (trained(True) - wanted).abs().mean() < 0.02 * wanted.abs().mean()


#: All but invert, which looks at what is left.
ENQUEUED = [name for name in FUNCTIONS if name != "invert"]


@pytest.mark.parametrize("name", ENQUEUED)
def test_nothing_waits(rng, name):
    """Forward and backward are enqueued while the stream is busy; in a stream of the caller, after
    the work that is in it."""
    function, makers = FUNCTIONS[name]
    first = [maker(rng) for maker in makers]
    given = [maker(rng) for maker in makers]
    stream, late = torch.cuda.Stream(), torch.cuda.Event()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        wanted = forward_and_backward(
            function, given
        )  # what is loaded, or allocated for the stream, at first is so now
        torch.cuda.synchronize()
        torch.cuda._sleep(1_000_000_000)  # half a second and more
        with torch.no_grad():
            for one, other in zip(first, given):
                one.copy_(other)  # what is computed from is there late
        late.record()
        found = forward_and_backward(function, first)
        assert not late.query(), "a call has waited for the stream"
    torch.cuda.synchronize()
    for one, other in zip(found, wanted):
        assert torch.allclose(
            one, other, rtol=0, atol=1e-5 * other.abs().max().item()
        )  # as in test_graphs
