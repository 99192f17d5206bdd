"""cudaspline.ants: ANTsPy's signatures, dictionaries and files, and what ANTsPy makes of them."""

import inspect
import warnings

import numpy
import pytest

from conftest import difference

ants = pytest.importorskip("ants", reason="ANTsPy is not installed")
pytest.importorskip("nibabel")  # which writes the warps

import cudaspline  # noqa: E402
import cudaspline.ants as ours  # noqa: E402
from register_support import Phantom, miss  # noqa: E402


def image_of(image, pixel="float"):
    g = image.geometry
    return ants.from_numpy(
        image.array.T,
        spacing=tuple(g.spacing),
        origin=tuple(g.origin),
        direction=g.direction.copy(),
    ).clone(pixel)


def pair_of(rng, kind, size=(60, 56), bend=0.0):
    phantom = Phantom(rng, size)
    linear, bent = phantom.linear(rng, kind), phantom.bend(bend)
    truth = lambda places: linear(bent(places)) if bend else linear(places)  # noqa: E731
    fixed, moving = phantom.images(truth)
    return phantom, truth, image_of(fixed), image_of(moving)


@pytest.mark.parametrize("name", ["registration", "apply_transforms"])
def test_signatures_are_antspys(name):
    theirs = [
        one
        for one in inspect.signature(getattr(ants, name)).parameters.values()
        if one.kind is not one.VAR_KEYWORD
    ]
    mine = list(inspect.signature(getattr(ours, name)).parameters.values())
    for one, other in zip(theirs, mine):
        assert (
            one.name == other.name
            and one.default == other.default
            and other.kind is other.POSITIONAL_OR_KEYWORD
        )
    assert all(one.kind is one.KEYWORD_ONLY for one in mine[len(theirs) :])
    assert (
        ours.image_read is ants.image_read
        and ours.get_center_of_mass is ants.get_center_of_mass
        and "image_write" in dir(ours)
    )
    assert cudaspline.ants is ours
    with pytest.raises(AttributeError):
        ours.nothing


def test_restrictions(rng):
    """Weights hold for stages with as many parameters, as ANTs' --restrict-deformation."""
    _, _, fixed, moving = pair_of(rng, "translation", bend=2.0)
    shift = ours.registration(
        fixed,
        moving,
        "Translation",
        restrict_transformation=(1, 0),
        initial_transform="Identity",
        device="cpu",
    )
    x, y = shift["registration"].transform.matrix[:2, 2]
    assert abs(x) > 0.1 and y == 0
    field = ours.registration(
        fixed,
        moving,
        "SyNOnly",
        restrict_transformation=(0, 1),
        initial_transform="Identity",
        device="cpu",
    )
    vectors = field["registration"].transform.field(fixed).array
    assert (
        abs(vectors[..., 0]).max() < 1e-8 and abs(vectors[..., 1]).max() > 0.1
    )  # field() rounds coordinates


@pytest.mark.parametrize(
    "name",
    [
        "Translation",
        "Rigid",
        "DenseRigid",
        "Similarity",
        "Affine",
        "antsRegistrationSyN[r]",
        "antsRegistrationSyNQuick[a]",
    ],
)
def test_linear_types(rng, name, tmp_path):
    kind = {"Translation": "translation", "Similarity": "similarity"}.get(
        name, "affine" if "ffine" in name or "[a]" in name else "rigid"
    )
    phantom, truth, fixed, moving = pair_of(rng, kind)
    found = ours.registration(fixed, moving, name, outprefix=str(tmp_path / "out"), device="cpu")
    assert set(found) == {
        "warpedmovout",
        "warpedfixout",
        "fwdtransforms",
        "invtransforms",
        "registration",
    }
    assert (
        found["fwdtransforms"]
        == found["invtransforms"]
        == [str(tmp_path / "out0GenericAffine.mat")]
    )
    before = miss(cudaspline.Transform(None, 2), truth, phantom.inner())
    assert miss(found["registration"].transform, truth, phantom.inner()) < 0.3 < before
    # What ANTsPy makes of the files is what is returned, forth and back.
    for one, other, wanted, back in (
        (fixed, moving, "warpedmovout", [False]),
        (moving, fixed, "warpedfixout", [True]),
    ):
        theirs = ants.apply_transforms(one, other, found["fwdtransforms"], whichtoinvert=back)
        assert isinstance(found[wanted], ants.ANTsImage) and found[wanted].pixeltype == "float"
        assert ants.image_physical_space_consistency(theirs, found[wanted])
        assert (numpy.abs(theirs.numpy() - found[wanted].numpy()) > 0.05).mean() < 0.01


@pytest.mark.parametrize("name, options", [
    ("SyN", {}), ("SyNRA", {"syn_metric": "CC", "syn_sampling": 2}), ("SyNOnly", {"initial_transform": "Identity", "syn_metric": "meansquares"}),
    ("antsRegistrationSyN[s]", {}), ("antsRegistrationSyNQuickRepro[so]", {}),
])  # fmt: skip
def test_syn_types(rng, name, options, tmp_path):
    phantom, truth, fixed, moving = pair_of(rng, "translation", bend=2.0)
    found = ours.registration(
        fixed, moving, name, outprefix=str(tmp_path / "out"), device="cpu", **options
    )
    prefix = str(tmp_path / "out")
    assert found["fwdtransforms"] == [f"{prefix}1Warp.nii.gz", f"{prefix}0GenericAffine.mat"]
    assert found["invtransforms"] == [f"{prefix}0GenericAffine.mat", f"{prefix}1InverseWarp.nii.gz"]
    before = ((moving.numpy() - fixed.numpy()) ** 2).mean()
    assert ((found["warpedmovout"].numpy() - fixed.numpy()) ** 2).mean() < 0.3 * before
    for one, other, transforms, wanted in (
        (fixed, moving, found["fwdtransforms"], "warpedmovout"), (moving, fixed, found["invtransforms"], "warpedfixout"),
    ):  # fmt: skip
        theirs = ants.apply_transforms(one, other, transforms)  # which inverts the matrix by itself
        mine = ours.apply_transforms(one, other, transforms)
        assert (numpy.abs(mine.numpy() - theirs.numpy()) > 0.02).mean() < 0.01
        assert (numpy.abs(found[wanted].numpy() - theirs.numpy()) > 0.1).mean() < 0.02


def test_apply_transforms_to_antspys_own_files(rng, tmp_path):
    """Files that ANTsPy has made, by all interpolators of both, forth and back."""
    _, _, fixed, moving = pair_of(rng, "affine", (26, 24, 22), 1.5)
    theirs = ants.registration(
        fixed, moving, "SyN", reg_iterations=(10, 5), outprefix=str(tmp_path / "theirs")
    )
    largest = numpy.abs(moving.numpy()).max()
    for interpolator in (
        "linear",
        "bSpline",
        "lanczosWindowedSinc",
        "cosineWindowedSinc",
        "welchWindowedSinc",
        "hammingWindowedSinc",
        "nearestNeighbor",
    ):
        wanted = ants.apply_transforms(fixed, moving, theirs["fwdtransforms"], interpolator)
        found = ours.apply_transforms(
            fixed, moving, theirs["fwdtransforms"], interpolator, device="cpu"
        )
        assert found.pixeltype == wanted.pixeltype and ants.image_physical_space_consistency(
            found, wanted
        )
        # Beyond the ends of the image ANTs' windowed sincs take 0, and ITK's, as here, the nearest
        # sample.
        inner = (slice(8, -8),) * 3 if "Sinc" in interpolator else ()
        assert (
            numpy.abs(found.numpy() - wanted.numpy())[inner] > 1e-3 * largest
        ).mean() < 0.01  # ends, and neighbours at halves
    back = ours.apply_transforms(moving, fixed, theirs["invtransforms"])
    assert (
        numpy.abs(
            back.numpy() - ants.apply_transforms(moving, fixed, theirs["invtransforms"]).numpy()
        )
        > 1e-3 * largest
    ).mean() < 0.01
    labels = ants.threshold_image(moving, 20, 60).clone("unsigned char") * 7
    for interpolator in ("genericLabel", "nearestNeighbor"):
        found = ours.apply_transforms(labels, labels, theirs["fwdtransforms"], interpolator)
        wanted = ants.apply_transforms(labels, labels, theirs["fwdtransforms"], interpolator)
        assert found.pixeltype == "unsigned char" and set(numpy.unique(found.numpy())) <= {0, 7}
        assert (found.numpy() != wanted.numpy()).mean() < 0.01
    # A field of all, and a default outside.
    field = ours.apply_transforms(
        fixed, moving, theirs["fwdtransforms"], compose=str(tmp_path / "whole")
    )
    assert field == str(tmp_path / "wholecomptx.nii.gz")
    whole = ants.apply_transforms(fixed, moving, [field], defaultvalue=-5)
    assert (
        numpy.abs(
            whole.numpy()
            - ours.apply_transforms(fixed, moving, theirs["fwdtransforms"], defaultvalue=-5).numpy()
        )
        > 0.02 * largest
    ).mean() < 0.03
    series = ants.from_numpy(numpy.stack([moving.numpy(), 2 * moving.numpy()], -1), spacing=(*moving.spacing, 2.0), origin=(*moving.origin, 0.0),
                             direction=numpy.block([[moving.direction, numpy.zeros((3, 1))], [numpy.zeros((1, 3)), numpy.eye(1)]]))  # fmt: skip
    volumes = ours.apply_transforms(fixed, series, theirs["fwdtransforms"], imagetype=3)
    plain = ours.apply_transforms(fixed, moving, theirs["fwdtransforms"]).numpy()
    assert (
        volumes.shape == (*fixed.shape, 2)
        and difference(volumes.numpy(), numpy.stack([plain, 2 * plain], -1)) < 1e-4 * largest
    )


def test_initial_transforms_masks_and_pairs(rng, tmp_path):
    phantom, truth, fixed, moving = pair_of(rng, "rigid", bend=1.0)
    rigid = ours.registration(
        fixed, moving, "Rigid", outprefix=str(tmp_path / "rigid"), device="cpu"
    )
    options = {"syn_metric": "CC", "syn_sampling": 2, "reg_iterations": (20, 10), "device": "cpu"}
    one = ours.registration(
        fixed,
        moving,
        "SyNOnly",
        initial_transform=rigid["fwdtransforms"],
        outprefix=str(tmp_path / "one"),
        **options,
    )
    assert miss(one["registration"].transform, truth, phantom.inner()) < miss(
        rigid["registration"].transform, truth, phantom.inner()
    )
    mask = fixed * 0 + 1
    masked = ours.registration(
        fixed, moving, "SyN", mask=mask, **options
    )  # all of it: of the last stage alone, and of all
    plain, every = (
        ours.registration(fixed, moving, "SyN", **options),
        ours.registration(fixed, moving, "SyN", mask=mask, mask_all_stages=True, **options),
    )
    inner = phantom.inner()
    for other in (masked, every):
        assert (
            difference(
                other["registration"].transform.apply(inner),
                plain["registration"].transform.apply(inner),
            )
            < 0.05
        )
    extras = [("mattes", fixed, moving, 0.5, 32)]
    pairs = ours.registration(
        fixed,
        moving,
        "SyNOnly",
        initial_transform=rigid["fwdtransforms"],
        multivariate_extras=extras,
        **options,
    )
    assert pairs["registration"].report.stages[0].stage.metrics[1].metric == "mattes"
    pytest.importorskip("SimpleITK")
    composite = ours.registration(
        fixed,
        moving,
        "SyN",
        outprefix=str(tmp_path / "all"),
        write_composite_transform=True,
        **options,
    )
    assert composite["fwdtransforms"] == str(tmp_path / "allComposite.h5")
    theirs = ants.apply_transforms(fixed, moving, composite["fwdtransforms"])
    assert (numpy.abs(theirs.numpy() - composite["warpedmovout"].numpy()) > 0.1).mean() < 0.02


def test_what_is_refused(rng):
    _, _, fixed, moving = pair_of(rng, "rigid")
    for name in (
        "ElasticSyN",
        "Elastic",
        "TV[2]",
        "TVMSQ",
        "TRSAA",
        "antsRegistrationSyN[b]",
        "antsRegistrationSyN[x]",
        "antsRegistrationSyN",
        "syn",
    ):
        with pytest.raises(ValueError, match="^type_of_transform: .*use one of Translation, Rigid"):
            ours.registration(fixed, moving, name)
    for options, error in (
        ({"restrict_transformation": (1, 0, 1, 1)}, ValueError), ({"use_legacy_histogram_matching": True}, ValueError), ({"aff_metric": "CC"}, ValueError),
        ({"syn_metric": "demons"}, ValueError), ({"multivariate_extras": [("CC", fixed, moving, 1, 2)]}, ValueError),
        ({"aff_shrink_factors": (2, 1), "type_of_transform": "Rigid"}, ValueError), ({"aff_random_sampling_rate": 0}, ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match=f"^{next(iter(options))}: "):
            ours.registration(fixed, moving, **options)
    with pytest.raises(TypeError, match="^moving: ndarray is not an ANTsImage"):
        ours.registration(fixed, moving.numpy())
    for options, error in (
        ({"interpolator": "gaussian"}, ValueError), ({"imagetype": 2}, ValueError), ({"whichtoinvert": [True, True]}, ValueError),
        ({"whichtoinvert": [True]}, ValueError),
    ):  # fmt: skip
        with pytest.raises(error, match=f"^{next(iter(options))}: "):
            ours.apply_transforms(fixed, moving, ["warp.nii.gz"], **options)
    with pytest.raises(FileNotFoundError, match="none.mat"):
        ours.apply_transforms(fixed, moving, ["none.mat"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert difference(ours.apply_transforms(fixed, fixed, []).numpy(), fixed.numpy()) < 1e-4
