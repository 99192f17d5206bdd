"""cudaspline.register_series(): motions that are known, series of every library, and what
CudaSplineRegister --motion writes."""

import json
import subprocess

import numpy
import pytest

import cudaspline
from conftest import difference
from register_support import PROGRAM, Phantom, needs_program


@pytest.fixture
def sitk():
    return pytest.importorskip("SimpleITK")


def moved_series(rng, size=(26, 24, 18), count=3, oblique=True, spacing=None):
    """A phantom, its volumes of the shape (nt, nz, ny, nx), and what leads from places of each
    volume to those of the first one."""
    phantom = Phantom(rng, size, oblique, spacing)
    places = phantom.places()
    back = [lambda places: places] + [phantom.linear(rng, "rigid") for _ in range(count - 1)]
    return phantom, numpy.stack([phantom.texture(one(places)) for one in back]).astype("f4"), back


def series_of(phantom, volumes):
    """A cudaspline.Image of an axis more, with volumes every two seconds."""
    g, n = phantom.geometry, phantom.n
    direction = numpy.eye(n + 1)
    direction[:n, :n] = g.direction
    return cudaspline.Image(volumes, (*g.spacing, 2.0), (*g.origin, 0.0), direction)


def misses(found, back, places):
    """The mean error of each transform (mm)."""
    return [
        numpy.linalg.norm(one(transform.apply(places)) - places, axis=-1).mean()
        for transform, one in zip(found.transforms, back)
    ]


def test_motion_is_found(rng):
    phantom, volumes, back = moved_series(rng)
    found = cudaspline.register_series(series_of(phantom, volumes), device="cpu")
    assert len(found.transforms) == len(found.reports) == 3
    assert max(misses(found, back, phantom.inner())) < 0.1
    assert isinstance(found.warped, cudaspline.Image) and found.warped.array.shape == volumes.shape
    assert difference(found.warped.spacing, (*phantom.geometry.spacing, 2.0)) == 0
    # The transforms are right, and the series is what they make of the volumes.
    for one, volume, transform in zip(found.warped.array, volumes, found.transforms):
        assert (
            difference(
                one,
                transform.resample(
                    phantom.image(volume), phantom.geometry, interpolation="linear"
                ).array,
            )
            < 1e-4
        )
    motion = found.motion
    assert (
        len(motion) == 3
        and motion["volume"].tolist() == [0, 1, 2]
        and numpy.isnan(motion[0].framewise_displacement)
    )
    for row, before, transform in zip(motion[1:], motion, found.transforms[1:]):
        steps = [abs(a - b) for a, b in zip(row[1:4], before[1:4])] + [
            50 * abs(a - b) for a, b in zip(row[4:7], before[4:7])
        ]
        assert abs(row.framewise_displacement - sum(steps)) < 1e-9
        # The numbers are the transform's: of the centre the translation is what is left.
        centre = numpy.array(motion.centre)
        assert difference(transform.apply(centre) - centre, row[1:4]) < 1e-9
    assert set(motion.to_dict()) == set(motion.columns)


def test_what_it_is_laid_over(rng):
    phantom, volumes, back = moved_series(rng, (24, 20), oblique=False)
    series = series_of(phantom, volumes)
    plain = [
        cudaspline.Image(
            one, phantom.geometry.spacing, phantom.geometry.origin, phantom.geometry.direction
        )
        for one in volumes
    ]
    options = {"metric": "correlation", "shrink": (2, 1), "initial": "none", "device": "cpu"}
    for over, fixed in (("first", plain[0]), (1, plain[1]), ("mean", None), (plain[2], plain[2])):
        if fixed is None:
            mean = volumes.astype("f8").sum(0) / 3
            fixed = cudaspline.Image(mean, plain[0].spacing, plain[0].origin, plain[0].direction)
        found = cudaspline.register_series(
            series,
            over,
            **({"stages": "rigid", **options} if over is plain[2] else {"device": "cpu"}),
        )
        for number, volume in enumerate(plain):
            wanted = cudaspline.register(fixed, volume, "rigid", **options)
            assert numpy.array_equal(found.transforms[number].matrix, wanted.transform.matrix)
            assert numpy.array_equal(found.warped.array[number], wanted.warped.array)
    with pytest.raises(ValueError, match="^motion: "):
        found.motion  # of two dimensions there is no such table  # pylint: disable=pointless-statement
    # Over an image it is what register() does, with its masks.
    mask = numpy.ones(volumes.shape[1:], "u1")
    mask[:3] = 0
    found = cudaspline.register_series(
        series, plain[0], ["rigid", "demons"], mask=mask, iterations=(3, 2), device="cpu"
    )
    wanted = cudaspline.register(
        plain[0], plain[1], ["rigid", "demons"], mask=mask, iterations=(3, 2), device="cpu"
    )
    assert numpy.array_equal(found.warped.array[1], wanted.warped.array)


def test_series_beside_it(rng):
    """Each volume is the result of register() for it and the volumes of the other series."""
    phantom, volumes, _ = moved_series(rng, (24, 20), oblique=False)
    beside = (1.0 - volumes**2).astype("f4")
    both = [[phantom.image(one) for one in series] for series in (volumes, beside)]
    series = [series_of(phantom, one) for one in (volumes, beside)]
    options = {
        "metric": [("cc", 0.5), ("meansquares", 0.5)],
        "radius": 2,
        "iterations": 4,
        "shrink": (1,),
        "initial": "none",
        "device": "cpu",
    }
    for over, also in (
        ("first", [series[1]]),
        (1, series[1:]),
        ("mean", series[1:]),
        (both[0][2], [(both[1][2], series[1])]),
    ):
        fixed = {"first": [one[0] for one in both], 1: [one[1] for one in both]}.get(
            over if isinstance(over, (str, int)) else None
        )
        if over == "mean":
            fixed = [phantom.image(one.astype("f8").sum(0) / 3) for one in (volumes, beside)]
        elif fixed is None:
            fixed = [one[2] for one in both]
        found = cudaspline.register_series(series[0], over, "greedy", also=also, **options)
        for number in range(3):
            wanted = cudaspline.register(
                fixed[0], both[0][number], "greedy", also=[(fixed[1], both[1][number])], **options
            )
            assert numpy.array_equal(
                found.transforms[number].apply(phantom.inner()),
                wanted.transform.apply(phantom.inner()),
            )
    alone = cudaspline.register_series(series[0], stages="greedy", **{**options, "metric": "cc"})
    assert not numpy.array_equal(
        alone.warped.array,
        cudaspline.register_series(
            *series[:1], "first", "greedy", also=[series[1]], **options
        ).warped.array,
    )
    for also, error, message in (
        (series[1], TypeError, "also: .* is not a list of series"),
        (
            [series_of(phantom, beside[:2])],
            ValueError,
            r"also\[0\]: it has 2 volumes, but the first series has 3",
        ),
        ([both[1][0]], ValueError, "series: |also"),
        ([("last", series[1])], ValueError, "over: 'last' is not allowed"),
    ):
        with pytest.raises(error, match=message):
            cudaspline.register_series(series[0], stages="greedy", also=also, **options)
    with pytest.raises(TypeError, match=r"also\[0\]: Image is not a pair"):
        cudaspline.register_series(series[0], both[0][0], "greedy", also=[series[1]], **options)
    with pytest.raises(ValueError, match=r"also: also\[0\] is not compared in any stage"):
        cudaspline.register_series(series[0], also=[series[1]], device="cpu")


def test_a_mean_without_what_is_not_finite(rng):
    phantom, volumes, _ = moved_series(rng, (20, 18))
    volumes[1, 4, 5] = numpy.nan
    with pytest.warns(cudaspline.RegistrationWarning, match="^fixed: 1 of 360"):
        found = cudaspline.register_series(
            series_of(phantom, volumes), "mean", iterations=3, device="cpu"
        )
    assert numpy.isfinite(found.transforms[0].matrix).all()


@pytest.mark.parametrize("kind", ["numpy", "SimpleITK", "itk", "nibabel", "torch"])
def test_the_same_of_each(rng, kind):
    phantom, volumes, _ = moved_series(rng, (16, 14, 12), 2, oblique=False, spacing=numpy.ones(3))
    options = {"iterations": 5, "shrink": (2, 1), "device": "cpu"}
    wanted = cudaspline.register_series(volumes, **options)
    assert isinstance(wanted.warped, numpy.ndarray) and wanted.warped.shape == volumes.shape
    if kind == "numpy":
        given, back = numpy.asfortranarray(volumes), lambda a: a
    elif kind == "SimpleITK":
        library = pytest.importorskip("SimpleITK")
        given, back = (
            library.JoinSeries([library.GetImageFromArray(one) for one in volumes]),
            library.GetArrayFromImage,
        )
    elif kind == "itk":
        library = pytest.importorskip("itk")
        given, back = library.image_from_array(volumes), library.array_from_image
    elif kind == "nibabel":
        library = pytest.importorskip("nibabel")
        given = library.Nifti1Image(volumes.T, numpy.diag([-1.0, -1, 1, 1]))
        back = lambda image: numpy.asanyarray(image.dataobj).T  # noqa: E731
    else:
        library = pytest.importorskip("torch")
        given, back = library.from_numpy(volumes), lambda tensor: tensor.numpy()
    found = cudaspline.register_series(given, **options)
    assert isinstance(found.warped, type(given))
    assert numpy.array_equal(back(found.warped), wanted.warped)
    for one, other in zip(found.transforms, wanted.transforms):
        assert numpy.array_equal(one.matrix, other.matrix)


@needs_program
@pytest.mark.parametrize("over", ["first", "mean", 1])
def test_the_program(rng, sitk, tmp_path, over):
    """Matrices are the program's, the corrected series and the table of motion too."""
    phantom, volumes, _ = moved_series(
        rng, (30, 28, 22), oblique=False, spacing=numpy.array([1.0, 1.0, 2.0])
    )
    parts = []
    for one in volumes:
        parts.append(sitk.GetImageFromArray(one))
        parts[-1].SetSpacing(phantom.geometry.spacing.tolist())
        parts[-1].SetOrigin(phantom.geometry.origin.tolist())
    series = sitk.JoinSeries(parts, 0.0, 2.0)
    sitk.WriteImage(series, str(tmp_path / "series.nrrd"))
    arguments = [
        "series.nrrd",
        "--motion",
        over,
        "-o",
        "motion/",
        "--parameters",
        "motion.tsv",
        "--warped",
        "warped.nrrd",
        "--device",
        "cpu",
    ]
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = cudaspline.register_series(series, over, device="cpu")
    read = [sitk.ReadTransform(str(path)) for path in sorted((tmp_path / "motion").iterdir())]
    assert len(read) == 3
    for transform, wanted in zip(found.transforms, read):
        assert (
            difference(
                numpy.linalg.inv(transform.matrix)[:3, :3]
                @ numpy.array(wanted.GetMatrix()).reshape(3, 3),
                numpy.eye(3),
            )
            < 1e-9
        )
        places = phantom.inner()[:5]
        assert (
            difference(transform.apply(places), [wanted.TransformPoint(place) for place in places])
            < 1e-9
        )
    warped = sitk.ReadImage(str(tmp_path / "warped.nrrd"))
    # Both compute in double and write float32.
    assert difference(sitk.GetArrayFromImage(found.warped), sitk.GetArrayFromImage(warped)) < 1e-3
    assert difference(found.warped.GetSpacing(), warped.GetSpacing()) < 1e-9
    found.motion.save(tmp_path / "ours.tsv")
    ours, theirs = (
        (tmp_path / name).read_text().splitlines() for name in ("ours.tsv", "motion.tsv")
    )
    assert ours[0].split("\t") == list(found.motion.columns)
    described, wanted = (
        json.loads((tmp_path / name).read_text()) for name in ("ours.json", "motion.json")
    )
    assert wanted["Reference"] and wanted["Sources"] == ["series.nrrd"]
    for name in ("Description", *found.motion.columns):
        assert described[name] == wanted[name]
    assert ours[0] == theirs[0] and len(ours) == len(theirs) == 4
    for one, other in zip(ours[1:], theirs[1:]):
        for a, b in zip(one.split("\t"), other.split("\t")):
            assert a == b == "n/a" or abs(float(a) - float(b)) < 1e-6 * max(1.0, abs(float(b)))


def test_progress_and_interrupts(rng, capsys):
    phantom, volumes, _ = moved_series(rng, (20, 18))
    series, heard = series_of(phantom, volumes), []
    cudaspline.register_series(series, iterations=4, device="cpu", progress=heard.append)
    assert (
        heard == sorted(heard) and 0 < heard[0] < 2 / 3 < heard[-1] <= 1
    )  # the first volume over itself is where it belongs
    cudaspline.register_series(series, iterations=4, device="cpu", progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        f"volume {number} of 3" for number in (1, 2, 3)
    ]

    def stop(fraction):
        raise (KeyboardInterrupt if fraction > 0.5 else RuntimeError("enough"))

    with pytest.raises(RuntimeError, match="enough"):
        cudaspline.register_series(series, iterations=4, device="cpu", progress=stop)
    with pytest.warns(cudaspline.RegistrationWarning), pytest.raises(KeyboardInterrupt):
        cudaspline.register_series(
            series,
            iterations=4,
            device="cpu",
            progress=lambda fraction: fraction > 0.5 and stop(fraction),
        )


def test_what_is_refused(rng):
    phantom, volumes, _ = moved_series(rng, (12, 10))
    series = series_of(phantom, volumes)
    for options, name, error in (
        ({"over": "last"}, "over", ValueError),
        ({"over": 3}, "over", ValueError),
        ({"over": -1}, "over", ValueError),
        ({"over": True}, "over", TypeError),
        ({"over": object()}, "over", TypeError),
        ({"progress": 3}, "progress", TypeError),
        ({"stages": "elastic"}, "stages", ValueError),
        ({"odrer": 2}, "odrer", TypeError),
    ):
        with pytest.raises(error, match=f"^{name}"):
            cudaspline.register_series(series, device="cpu", **options)
    with pytest.raises(ValueError, match="^series: an image with 1 axis"):
        cudaspline.register_series(numpy.zeros(9))
    with pytest.raises(ValueError, match="^series: each volume has 1 axes"):
        cudaspline.register_series(numpy.ones((3, 9)))
    with pytest.raises(FileNotFoundError, match="^series: there is no file"):
        cudaspline.register_series("series.nii.gz")


def test_a_document(rng):
    """A document replaces the default stages and their start."""
    phantom, volumes, _ = moved_series(rng, count=2)
    series = series_of(phantom, volumes)
    own = cudaspline.register_series(series, device="cpu", iterations=3)
    again = cudaspline.register_series(series, spec=own.spec, device="cpu")
    assert own.spec["initial"] == "none" and again.spec == own.spec
    assert numpy.array_equal(own.warped.array, again.warped.array)
    spec = {"cudaspline_registration": 1, "stages": [{"kind": "affine", "levels": 1, "order": 3, "iterations": 1}]}  # fmt: skip
    found = cudaspline.register_series(series, spec=spec, device="cpu")
    assert found.spec["initial"] == "moments" and found.reports[1].stages[0].stage.kind == "affine"
    cubic = found.transforms[1].resample(phantom.image(volumes[1]), phantom.geometry, order=3)
    assert difference(found.warped.array[1], cubic.array) < 1e-4 * volumes.max()
