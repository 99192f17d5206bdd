"""Landmarks and label maps of register(): what images alone do not show.

Two blobs of equal brightness are displaced by their distance, so that images alone match one with the other. Points and
labels decide. Inside of a region of one value only labels move anything."""

import numpy
import pytest

import cudaspline
from test_resample import turned

DISTANCE = 16.0
LEVELS = {"shrink": (4, 2, 1), "sigmas": (2.0, 1.0, 0.0), "device": "cpu", "initial": "none"}


def as_image(array, grid):
    return cudaspline.Image(array, grid.spacing, grid.origin, grid.direction)


class Blobs:
    """Blobs on an oblique grid."""

    def __init__(self, rng, size):
        n = len(size)
        spacing = numpy.array([1.0, 1.25, 1.5][:n])
        self.grid = cudaspline.Image(
            numpy.zeros(size[::-1]), spacing, rng.uniform(-20, 20, n), turned(rng, n)
        ).geometry
        axes = numpy.meshgrid(*[numpy.arange(m) for m in self.grid.shape], indexing="ij")
        index = numpy.stack(axes[::-1], axis=-1)
        self.places = index @ self.grid.index_to_point.T + self.grid.origin
        middle = 0.5 * (numpy.array(size) - 1)
        self.middle = self.grid.origin + self.grid.index_to_point @ middle
        along = self.grid.direction[:, 0] * DISTANCE
        self.fixed_points = numpy.array([self.middle - along, self.middle])
        self.moving_points = self.fixed_points + along
        self.points = (self.fixed_points, self.moving_points)

    def draw(self, points):
        """An image with a blob at each point, and its labels, 3 and 7."""
        square = [((self.places - point) ** 2).sum(axis=-1) for point in points]
        image = 100.0 * sum(numpy.exp(-one / 18.0) for one in square)
        labels = sum(label * (one < 25.0) for label, one in zip((3, 7), square))
        return as_image(image.astype("float32"), self.grid), as_image(
            labels.astype("int16"), self.grid
        )

    def images(self):
        """(images, labels)"""
        fixed, moving = map(self.draw, self.points)
        return tuple(zip(fixed, moving))

    def miss(self, found):
        """The mean distance of points (mm)."""
        moved = found.transform.apply(self.fixed_points)
        return numpy.linalg.norm(moved - self.moving_points, axis=-1).mean()


@pytest.fixture(params=[(60, 44), (56, 28, 24)], ids=["2D", "3D"])
def blobs(rng, request):
    return Blobs(rng, request.param)


STAGES = [
    ("translation", {"metric": "meansquares", "iterations": 60}, 100.0),
    ("affine", {"metric": "correlation", "iterations": 60}, 0.1),
    ("bspline", {"metric": "correlation", "grid_spacing": 8.0, "iterations": 40}, 0.1),
    ("greedy", {"metric": "meansquares", "iterations": 60, "learning_rate": 0.25}, 1.0),
    ("syn", {"radius": 2, "iterations": 60, "learning_rate": 0.25}, 1.0),
    ("tvf", {"radius": 2, "iterations": 40, "learning_rate": 0.5}, 1.0),
]
IDS = [name for name, _, _ in STAGES]


@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
class TestExchangedBlobs:
    @pytest.mark.parametrize("kind, options, weight", STAGES, ids=IDS)
    def test_points_decide(self, blobs, kind, options, weight):
        images, _ = blobs.images()
        alone = cudaspline.register(*images, kind, **options, **LEVELS)
        assert blobs.miss(alone) > 0.5 * DISTANCE
        found = cudaspline.register(
            *images, kind, landmarks=blobs.points, landmark_weight=weight, **options, **LEVELS
        )
        assert blobs.miss(found) < 0.1 * DISTANCE
        assert found.spec["stages"][0]["landmark_weight"] == weight

    @pytest.mark.parametrize("kind, options, weight", STAGES, ids=IDS)
    def test_zero_changes_no_bit(self, rng, kind, options, weight):
        blobs = Blobs(rng, (40, 32))
        images, labels = blobs.images()
        options = {**options, **LEVELS, "iterations": 2}
        one = cudaspline.register(*images, kind, **options)
        given = {"landmarks": blobs.points, "labels": labels}
        weights = {"landmark_weight": 0.0, "label_weight": 0.0}
        other = cudaspline.register(*images, kind, **given, **weights, **options)
        assert one.history["value"].tolist() == other.history["value"].tolist()
        places = blobs.places.reshape(-1, 2)
        assert (one.transform.apply(places) == other.transform.apply(places)).all()


def dice(found, labels):
    """The least overlap of a label."""
    fixed = numpy.asarray(labels[0].array)
    warped = cudaspline.resample(labels[1], found.transform, labels[0], interpolation="nearest")
    warped = numpy.asarray(warped.array)

    def of(label):
        one, other = fixed == label, warped == label
        return 2 * (one & other).sum() / (one.sum() + other.sum())

    return min(map(of, (3, 7)))


@pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
class TestLabels:
    @pytest.mark.parametrize(
        "kind, options, weight",
        [
            ("translation", {"metric": "meansquares", "iterations": 60}, 1e5),
            ("bspline", {"metric": "correlation", "grid_spacing": 8.0, "iterations": 40}, 100.0),
            ("greedy", {"radius": 2, "iterations": 60, "learning_rate": 0.25}, 5.0),
            ("syn", {"radius": 2, "iterations": 60, "learning_rate": 0.25}, 5.0),
        ],
        ids=["translation", "bspline", "greedy", "syn"],
    )
    def test_labels_move_what_images_do_not_show(self, blobs, kind, options, weight):
        """Both images are the same disc; labels inside of it are displaced."""
        square = ((blobs.places - blobs.middle) ** 2).sum(axis=-1)
        disc = as_image(50.0 * (square < 180.0).astype("float32"), blobs.grid)
        across = blobs.grid.direction[:, 1] * 3.0
        apart = blobs.grid.direction[:, 0] * 5.5
        points = numpy.array([blobs.middle - apart, blobs.middle + apart])
        labels = tuple(blobs.draw(one)[1] for one in (points, points + across))
        alone = cudaspline.register(disc, disc, kind, **options, **LEVELS)
        assert dice(alone, labels) < 0.75
        found = cudaspline.register(
            disc, disc, kind, labels=labels, label_weight=weight, **options, **LEVELS
        )
        assert dice(found, labels) > 0.9

    def test_many_labels(self, rng):
        """Stripes of 30 labels are moved by two of them; the images are noise."""
        blobs = Blobs(rng, (64, 40))
        stripes = numpy.repeat(numpy.tile(numpy.arange(32) % 31, (40, 1)), 2, axis=1)
        maps = [
            as_image(numpy.roll(stripes, by, axis=1).astype("int32"), blobs.grid) for by in (0, 4)
        ]
        images = [
            as_image(rng.uniform(0, 1, (40, 64)).astype("float32"), blobs.grid) for _ in range(2)
        ]
        options = {"metric": "meansquares", "label_weight": 100.0, "iterations": 80, **LEVELS}
        found = cudaspline.register(*images, "translation", labels=maps, **options)
        shift = found.transform.apply(blobs.middle) - blobs.middle
        assert numpy.linalg.norm(shift - 4.0 * blobs.grid.direction[:, 0]) < 0.5

    def test_labels_on_a_grid_of_their_own(self, blobs):
        images, labels = blobs.images()
        coarse = [cudaspline.zoom(one, 0.5, interpolation="nearest") for one in labels]
        options = {"metric": "meansquares", "label_weight": 1e5, "iterations": 60, **LEVELS}
        found = cudaspline.register(*images, "translation", labels=coarse, **options)
        assert blobs.miss(found) < 2.0

    def test_unpaired_labels(self, rng):
        blobs = Blobs(rng, (40, 32))
        images, labels = blobs.images()
        options = {"label_weight": 1.0, "iterations": 2, **LEVELS}
        moving = numpy.asarray(labels[1].array)
        other = as_image(numpy.where(moving == 7, 9, moving), blobs.grid)
        with pytest.warns(cudaspline.RegistrationWarning, match="fixed image has the label 7"):
            cudaspline.register(*images, "translation", labels=(labels[0], other), **options)
        other = as_image(moving * 2, blobs.grid)
        with pytest.raises(ValueError, match="no label in common"):
            cudaspline.register(*images, "translation", labels=(labels[0], other), **options)


class Register:
    """Short registrations with points."""

    def __init__(self, rng):
        self.blobs = Blobs(rng, (40, 32))
        self.images, self.labels = self.blobs.images()

    def __call__(self, kind="translation", weight=0.1, points=None, **options):
        points = self.blobs.points if points is None else points
        options = {"landmark_weight": weight, "iterations": 2, **LEVELS, **options}
        return cudaspline.register(*self.images, kind, landmarks=points, **options)


@pytest.fixture
def register(rng):
    return Register(rng)


class TestArguments:
    @pytest.mark.parametrize(
        "points, message",
        [
            (([[1.0, 2.0]], [[1.0, numpy.nan]]), r"landmarks\[1\]: point 0 is \[1.0, nan\]"),
            (([[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]]), "there are 1 points of fixed and 2 of"),
            (([[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]]), r"its shape is \(1, 3\)"),
            (([], []), "its shape"),
        ],
    )
    def test_invalid_points(self, register, points, message):
        with pytest.raises(ValueError, match=message):
            register(points=points)

    def test_not_a_pair(self, register):
        with pytest.raises(TypeError, match="landmarks: ndarray is not a pair of points"):
            register(points=numpy.zeros((3, 2)))

    @pytest.mark.parametrize("weight, term", [("landmark", "landmarks"), ("label", "label maps")])
    def test_a_weight_needs_its_term(self, register, weight, term):
        with pytest.raises(ValueError, match=f"{weight}_weight: .*there are no {term}"):
            cudaspline.register(
                *register.images, "rigid", device="cpu", **{f"{weight}_weight": 1.0}
            )

    def test_points_need_a_weight(self, register):
        with pytest.raises(ValueError, match="landmark_weight: there are landmarks"):
            register(weight=None)

    @pytest.mark.parametrize("kind", ["demons", "discrete"])
    def test_stages_without_terms(self, register, kind):
        with pytest.raises(ValueError, match="landmark_weight"):
            register(kind, shrink=None, sigmas=None)

    def test_negative_weight(self, register):
        with pytest.raises(ValueError, match="landmark_weight: -1.0.*from 0"):
            register(weight=-1.0)

    @pytest.mark.filterwarnings("ignore::cudaspline.RegistrationWarning")
    def test_files(self, register, tmp_path):
        names = [tmp_path / "fixed.csv", tmp_path / "moving.csv"]
        for name, points in zip(names, register.blobs.points):
            rows = "\n".join(",".join(map(repr, map(float, row))) + ",note" for row in points)
            name.write_text("x,y,label\n# a comment\n\n" + rows + "\n", encoding="utf-8")
        files = register(points=names)
        assert files.history["value"].tolist() == register().history["value"].tolist()
        names[0].write_text("1,2\n1;2\n", encoding="utf-8")
        with pytest.raises(ValueError, match="line 2: 2 numbers, separated by commas"):
            register(points=names)

    @pytest.mark.parametrize("kind", ["translation", "bspline", "syn"])
    def test_points_outside(self, register, kind):
        far = numpy.full((1, 2), 1000.0)
        points = tuple(numpy.concatenate([one, far]) for one in register.blobs.points)
        with pytest.warns(cudaspline.RegistrationWarning, match="1 of 3 landmarks have a point"):
            found = register(kind, points=points)
        assert numpy.isfinite(found.history["value"]).all()

    def test_labels_are_whole_numbers(self, register):
        halves = numpy.full(register.blobs.grid.shape, 0.5, dtype="float32")
        with pytest.raises(ValueError, match=r"labels\[0\]: labels must be whole numbers"):
            cudaspline.register(
                *register.images, "rigid", labels=(halves, halves), label_weight=1.0
            )
