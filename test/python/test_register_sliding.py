"""Regions that slide along their borders: phantoms whose parts move along their common border."""

import warnings

import numpy
import pytest

import cudaspline

OPTIONS = {
    "metric": "cc",
    "radius": 2,
    "learning_rate": 0.25,
    "update_variance": 9,
    "determinant_limit": 6,
    "iterations": (60, 40),
    "shrink": (2, 1),
    "sigmas": (1, 0),
    "initial": "none",
    "device": "cpu",
}


class Texture:
    """Waves of 7 to 18 voxels in all directions, at any points."""

    def __init__(self, rng, dimension):
        directions = rng.standard_normal((80, dimension))
        directions /= numpy.linalg.norm(directions, axis=1, keepdims=True)
        self.waves = directions * (2 * numpy.pi / rng.uniform(7, 18, (80, 1)))
        self.phases = rng.uniform(0, 2 * numpy.pi, 80)

    def __call__(self, points):
        return 100 + 10 * numpy.cos(points @ self.waves.T + self.phases).sum(axis=-1)


def points_of(size):
    """The indices of an image, x first, by sample."""
    return numpy.moveaxis(numpy.indices(size[::-1]), 0, -1)[..., ::-1].astype(float)


class Phantom:
    """A fixed and a moving image whose regions move by maps of their own, from points of fixed."""

    def __init__(self, rng, regions, maps, inverses):
        self.regions = regions
        points = points_of(regions.shape[::-1])
        self.fixed, self.moving = numpy.zeros(regions.shape), numpy.zeros(regions.shape)
        self.truth = numpy.zeros((*regions.shape, regions.ndim))
        for region, (forward, backward) in enumerate(zip(maps, inverses)):
            texture = Texture(rng, regions.ndim)
            inside = regions == region  # the regions move along their borders only
            self.fixed[inside] = texture(points[inside])
            self.moving[inside] = texture(backward(points[inside]))
            self.truth[inside] = forward(points[inside]) - points[inside]

    def register(self, sliding_regions=None, **options):
        return cudaspline.register(
            self.fixed,
            self.moving,
            "greedy",
            sliding_regions=sliding_regions,
            **{**OPTIONS, **options},
        )

    def across_border(self):
        """The slices before and after each step along an axis, and where regions differ there."""
        for axis in range(self.regions.ndim):
            before, after = ([slice(5, -5)] * self.regions.ndim for _ in range(2))
            after[axis] = slice(6, -4)
            before, after = tuple(before), tuple(after)
            yield before, after, self.regions[before] != self.regions[after]

    def error_at_border(self, found):
        """The mean error of the samples next to a border, in voxels."""
        errors = numpy.linalg.norm(numpy.asarray(found.field) - self.truth, axis=-1)
        sums = [errors[at][differ] for *ends, differ in self.across_border() for at in ends]
        return numpy.concatenate(sums).mean()

    def jump_of(self, found, normals):
        """The largest difference of the components across a border, in voxels."""
        field = numpy.asarray(found.field)
        return max(
            numpy.abs(((field[after] - field[before]) * normals[before]).sum(axis=-1))[differ].max(
                initial=0
            )
            for before, after, differ in self.across_border()
        )


def make_blocks(rng, dimension):
    """Blocks that move by 3 voxels along their common face, in opposite directions."""
    size = (32, 34, 30) if dimension == 3 else (48, 64)
    way = numpy.array((0.0, 3.0, 0.0)[:dimension])
    regions = (points_of(size)[..., 0] >= size[0] // 2).astype(numpy.int16)
    ways = (way, -way)
    return Phantom(
        rng,
        regions,
        [lambda x, way=way: x + way for way in ways],
        [lambda x, way=way: x - way for way in ways],
    )


def make_ball(rng):
    """A ball of 11 voxels' radius that rotates by 20 degrees in a shell that rests: by up to 3.8 voxels."""
    middle = 17.5
    angle = numpy.radians(20.0)
    rotation = numpy.eye(3)
    rotation[:2, :2] = [
        [numpy.cos(angle), -numpy.sin(angle)],
        [numpy.sin(angle), numpy.cos(angle)],
    ]
    regions = numpy.linalg.norm(points_of((36, 36, 36)) - middle, axis=-1) < 11
    return Phantom(
        rng,
        regions.astype(numpy.int16),
        [lambda x: x, lambda x: (x - middle) @ rotation.T + middle],
        [lambda x: x, lambda x: (x - middle) @ rotation + middle],
    )


class TestPhantoms:
    @pytest.mark.parametrize("dimension", [2, 3])
    def test_blocks(self, rng, dimension):
        phantom = make_blocks(rng, dimension)
        plain, sliding = phantom.register(), phantom.register(phantom.regions)
        normals = numpy.zeros(phantom.truth.shape)
        normals[..., 0] = 1
        assert phantom.error_at_border(sliding) < 0.35 * phantom.error_at_border(plain)
        assert phantom.jump_of(sliding, normals) <= 1

    def test_ball(self, rng):
        phantom = make_ball(rng)
        plain, sliding = phantom.register(), phantom.register(phantom.regions)
        normals = points_of((36, 36, 36)) - 17.5
        normals /= numpy.linalg.norm(normals, axis=-1, keepdims=True)
        assert phantom.error_at_border(sliding) < 0.5 * phantom.error_at_border(plain)
        assert phantom.jump_of(sliding, normals) <= 1

    def test_three_slabs(self, rng):
        ways = [numpy.array((0.0, way, 0.0)) for way in (2.5, -2.5, 2.5)]
        regions = (points_of((42, 30, 28))[..., 0] // 14).astype(numpy.int16)
        phantom = Phantom(
            rng,
            regions,
            [lambda x, way=way: x + way for way in ways],
            [lambda x, way=way: x - way for way in ways],
        )
        plain, sliding = phantom.register(), phantom.register(7 * phantom.regions - 7)
        assert phantom.error_at_border(sliding) < 0.35 * phantom.error_at_border(plain)

    def test_map_on_another_grid(self, rng):
        """The map is of the same space: coarser along the border, and stored from the other end of an
        axis."""
        phantom = make_blocks(rng, 3)
        image = cudaspline.Image(
            phantom.regions[::2, ::2, ::-1].copy(),
            (1, 2, 2),
            (31, 0.5, 0.5),
            numpy.diag((-1.0, 1.0, 1.0)),
        )
        same, other = phantom.register(phantom.regions), phantom.register(image)
        assert (numpy.asarray(same.field) == numpy.asarray(other.field)).all()


class TestArguments:
    def test_same_bits_without_borders(self, rng):
        phantom = make_blocks(rng, 2)
        plain = numpy.asarray(phantom.register().field)
        same = numpy.full(phantom.regions.shape, 3)
        invalid = numpy.where(phantom.regions, numpy.nan, 0.0)  # is not a number: label 0
        for regions in (0 * same, same, -same.astype(numpy.float32), invalid):
            with pytest.warns(
                cudaspline.RegistrationWarning, match="^The map of sliding regions has one label"
            ):
                assert (numpy.asarray(phantom.register(regions).field) == plain).all()
            phantom.register(regions, sliding=False)  # not used: no warning
        found = phantom.register(phantom.regions, sliding=False)
        assert (numpy.asarray(found.field) == plain).all() and found.spec["stages"][0][
            "sliding"
        ] is False

    def test_warning_only_without_border_in_the_image(self, rng):
        """Labels of another place, or of another unit of length, have no border in the image."""
        phantom = make_blocks(rng, 2)

        def warned(spacing, origin, regions=phantom.regions):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                phantom.register(
                    cudaspline.Image(regions, spacing, origin, numpy.eye(2)), iterations=(1, 1)
                )
            return any("one label in the whole fixed image" in str(one.message) for one in found)

        size = numpy.array(phantom.regions.shape[::-1])
        assert not warned((1, 1), (0.001, 0))
        assert not warned((0.5, 0.5), 0.25 * size)  # part of the image
        assert warned((1000, 1000), (-16000.0, 0.0))
        assert warned((1, 1), (0.0, 500.0))
        one = numpy.zeros_like(phantom.regions)
        one[-1, -1] = 5
        assert not warned((1, 1), (0.001, 0), one)

    def test_same_bits_each_run(self, rng):
        phantom = make_blocks(rng, 2)
        one, other = (
            phantom.register(phantom.regions, threads=threads, total_variance=0.4)
            for threads in (1, 3)
        )
        assert (numpy.asarray(one.field) == numpy.asarray(other.field)).all()

    def test_double_agrees(self, rng):
        phantom = make_blocks(rng, 2)
        one, other = (
            numpy.asarray(
                phantom.register(phantom.regions, precision=precision, iterations=(5, 3)).field
            )
            for precision in ("float32", "float64")
        )
        assert numpy.abs(one - other).max() < 0.02

    def test_refused(self, rng):
        phantom = make_blocks(rng, 2)
        images = phantom.fixed, phantom.moving
        with pytest.raises(
            ValueError, match="sliding: a map of sliding regions is given .*, but no stage"
        ):
            cudaspline.register(*images, "syn", sliding_regions=phantom.regions, device="cpu")
        with pytest.raises(ValueError, match="only stages 'greedy' do; fields of 'syn' and 'tvf'"):
            cudaspline.register(*images, "tvf", sliding_regions=phantom.regions, device="cpu")
        with pytest.raises(ValueError, match="sliding: a stage has sliding, but no map"):
            phantom.register(sliding=True)
        with pytest.raises(ValueError, match="sliding: .*'syn'"):
            cudaspline.Stage("syn", sliding=True)
        with pytest.raises(ValueError, match="more than 8 labels"):
            phantom.register(numpy.arange(phantom.regions.size).reshape(phantom.regions.shape) % 9)
        with pytest.raises(ValueError, match="^sliding_regions: labels must be whole numbers"):
            phantom.register(0.5 * phantom.regions)
        with pytest.raises(ValueError, match="^sliding_regions: its shape"):
            phantom.register(phantom.regions[:-1])


def test_result_does_not_depend_on_storage(rng):
    """Axes in another order, some of them reversed. Rounding of sums differs."""
    phantom = make_ball(rng)
    options = {"gradient": "grid", "iterations": (20, 10), "determinant_limit": None}
    field = numpy.asarray(phantom.register(phantom.regions, **options).field)
    order, signs = (1, 2, 0), numpy.array((-1, 1, -1))  # of the new axes, x first
    image = lambda array: cudaspline.Image(  # noqa: E731
        numpy.ascontiguousarray(array.T.transpose(order)[::-1, :, ::-1].T),
        (1, 1, 1),
        numpy.eye(3)[:, order] @ numpy.where(signs < 0, 35.0, 0.0),
        numpy.eye(3)[:, order] * signs,
    )
    found = cudaspline.register(
        image(phantom.fixed),
        image(phantom.moving),
        "greedy",
        sliding_regions=image(phantom.regions),
        **{**OPTIONS, **options},
    )
    points = points_of((36, 36, 36))
    moved = found.transform.apply(points[8:-8, 8:-8, 8:-8].reshape(-1, 3)) - points[
        8:-8, 8:-8, 8:-8
    ].reshape(-1, 3)
    difference = numpy.abs(moved - field[8:-8, 8:-8, 8:-8].reshape(-1, 3)).max()
    assert difference < 0.02


@pytest.mark.parametrize("labels", [(0, 1), (1, 2), (2, 1)])
def test_labels_do_not_depend_on_storage(rng, labels):
    """An axis reversed, and a border in the middle of a voxel of the coarse level."""
    phantom = make_blocks(rng, 2)
    points = points_of((48, 64))
    regions = numpy.where(points[..., 0] >= 23, labels[1], labels[0]).astype(numpy.int16)
    options = {"gradient": "grid", "iterations": (20, 10), "determinant_limit": None}
    reverse = lambda array: cudaspline.Image(  # noqa: E731
        numpy.ascontiguousarray(array[:, ::-1]), (1, 1), (47, 0), numpy.diag((-1.0, 1.0))
    )
    found = cudaspline.register(
        reverse(phantom.fixed),
        reverse(phantom.moving),
        "greedy",
        sliding_regions=reverse(regions),
        **{**OPTIONS, **options},
    )
    field = numpy.asarray(phantom.register(regions, **options).field)
    inner = points[8:-8, 8:-8].reshape(-1, 2)
    moved = found.transform.apply(inner) - inner
    assert numpy.abs(moved - field[8:-8, 8:-8].reshape(-1, 2)).max() < 0.1


def test_a_cropped_map_has_a_border(rng):
    """Outside of a map the label is 0."""
    phantom = make_blocks(rng, 2)
    cropped = cudaspline.Image(numpy.ones((64, 24), numpy.int16), (1, 1), (24, 0), numpy.eye(2))
    whole = phantom.register((points_of((48, 64))[..., 0] >= 24).astype(numpy.int16))
    assert numpy.array_equal(phantom.register(cropped).field, whole.field)
    assert not numpy.array_equal(phantom.register().field, whole.field)
