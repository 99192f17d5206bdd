"""ANTsPy's registration() and apply_transforms(), computed by this package: a script changes one
import.

    import cudaspline.ants as ants      # was: import ants

All else of ANTsPy, which has to be installed, is ANTsPy's own: ants.image_read, ants.image_write,
ants.apply_transforms_to_points and so on. Signatures, files and dictionaries are those of ANTsPy;
metrics, optimizers and numbers are this package's: results agree as far as two registrations of one
pair of images do, and not in their bits.
"""

from __future__ import annotations

import math
import os
import tempfile
from dataclasses import dataclass, replace
from typing import Any, Optional, Sequence, Union

from .core._checks import choose, flag, integer, number
from .images import _images
from .registration._register import register
from .registration._registration_stages import Stage, preset_stages
from .registration._transform import Transform
from .resampling._resample import resample

try:
    import ants as _ants  # type: ignore[import-not-found, import-untyped, unused-ignore]
except ImportError:
    raise ImportError("cudaspline.ants: ANTsPy is not installed (pip install antspyx).") from None


def __getattr__(name: str) -> Any:
    """Returns functions of ANTsPy that this module does not replace."""
    return getattr(_ants, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_ants)})


#: ANTsPy's names of metrics in small letters: of matrices, and of fields.
_OF_MATRICES = {
    "mattes": "mattes",
    "mi": "mattes",
    "meansquares": "meansquares",
    "gc": "correlation",
}
_OF_FIELDS = {"mattes": "mattes", "mi": "mattes", "meansquares": "meansquares", "cc": "cc"}
#: Iterations, shrink factors and sigmas that some types have of their own.
_Levels = tuple[tuple[int, ...], tuple[int, ...], tuple[float, ...]]
_BOLD: _Levels = ((100, 20), (2, 1), (1, 0))
_OF_SYN: _Levels = ((2100, 1200, 1200, 0), (4, 2, 2, 1), (3, 2, 1, 0))
_OF_BOLD_TO_T1: _Levels = ((1200, 1200, 100), (4, 2, 1), (2, 1, 0))


@dataclass(frozen=True)
class _Type:
    """A type_of_transform: its linear stages with levels of their own, or None for those of the
    arguments; and whether SyN follows."""

    linear: tuple[tuple[str, Optional[_Levels]], ...]
    is_syn: bool = False
    #: Fraction of the samples that are compared, if it is not that of the argument.
    rate: Optional[float] = None


_TYPES = {
    "Translation": _Type((("translation", None),)),
    "Rigid": _Type((("rigid", None),)),
    "QuickRigid": _Type((("rigid", ((20, 20, 0, 0), (6, 4, 2, 1), (3, 2, 1, 0))),)),
    "DenseRigid": _Type((("rigid", None),), rate=1.0),
    "BOLDRigid": _Type((("rigid", _BOLD),)),
    "Similarity": _Type((("similarity", None),)),
    "Affine": _Type((("affine", None),)),
    "AffineFast": _Type((("affine", ((2100, 1200, 0, 0), (6, 4, 2, 1), (3, 2, 1, 0))),)),
    "BOLDAffine": _Type((("affine", _BOLD),)),
    "SyN": _Type((("affine", _OF_SYN),), True),
    "SyNAggro": _Type((("affine", ((2100, 1200, 1200, 100), (4, 2, 2, 1), (3, 2, 1, 0))),), True),
    "SyNRA": _Type((("rigid", _OF_SYN), ("affine", _OF_SYN)), True),
    "SyNOnly": _Type((), True),
    "SyNCC": _Type(
        (
            ("rigid", ((2100, 1200, 1200, 0), (4, 4, 2, 1), (3, 2, 1, 0))),
            ("affine", _OF_BOLD_TO_T1),
        ),
        True,
    ),
    "SyNBold": _Type((("rigid", _OF_BOLD_TO_T1),), True),
    "SyNBoldAff": _Type((("rigid", _OF_BOLD_TO_T1), ("affine", ((200, 20), (2, 1), (1, 0)))), True),
}
#: The scripts of that name: with "Quick" of fewer levels and mutual information. All results here
#: can be repeated, as those of "Repro".
_SCRIPTS = (
    "antsRegistrationSyN",
    "antsRegistrationSyNQuick",
    "antsRegistrationSyNRepro",
    "antsRegistrationSyNQuickRepro",
)
#: Their letters: linear stages, and whether SyN follows.
_LETTERS = {
    "t": (("translation",), False), "r": (("rigid",), False), "a": (("rigid", "affine"), False), "s": (("rigid", "affine"), True),
    "sr": (("rigid",), True), "so": ((), True),
}  # fmt: skip
_INTERPOLATORS: dict[str, dict[str, Any]] = {
    "linear": {"interpolation": "linear"},
    "nearestNeighbor": {"interpolation": "nearest"},
    "multiLabel": {"interpolation": "label-gaussian"},
    "genericLabel": {"interpolation": "label-linear"},
    "bSpline": {"interpolation": "bspline", "order": 3},
    **{
        f"{window}WindowedSinc": {"interpolation": window}
        for window in ("cosine", "welch", "hamming", "lanczos")
    },
}
#: A level of a matrix has as many samples at least: by fewer, as of small images, mutual
#: information finds what is not there.
_FEWEST_SAMPLES = 1000


def _check_images(fixed: Any, moving: Any) -> None:
    for name, image in (("fixed", fixed), ("moving", moving)):
        if not _images.is_ants(image):
            raise TypeError(
                f"{name}: {type(image).__name__} is not an ANTsImage; cudaspline.register and cudaspline.resample take other images."
            )
        if image.components != 1:
            raise ValueError(
                f"{name}: the image has {image.components} components per pixel; only one is supported."
            )


def _refuse(**given: Any) -> None:
    """Refuses what is given of ANTsPy's options that are not here."""
    for name, value in given.items():
        if value not in (None, False):
            raise ValueError(
                f"{name}: {value!r} is not supported; omit it, or call ANTsPy's own function."
            )


def _names() -> str:
    scripts = ", ".join(f"{script}[{'|'.join(_LETTERS)}]" for script in _SCRIPTS)
    return f"{', '.join(_TYPES)}, {scripts}"


def registration(
    fixed: Any,
    moving: Any,
    type_of_transform: str = "SyN",
    initial_transform: Union[None, str, Sequence[str]] = None,
    outprefix: str = "",
    mask: Any = None,
    moving_mask: Any = None,
    mask_all_stages: bool = False,
    grad_step: float = 0.2,
    flow_sigma: float = 3,
    total_sigma: float = 0,
    aff_metric: str = "mattes",
    aff_sampling: int = 32,
    aff_random_sampling_rate: float = 0.2,
    syn_metric: str = "mattes",
    syn_sampling: int = 32,
    reg_iterations: Sequence[int] = (40, 20, 0),
    aff_iterations: Union[int, Sequence[int]] = (2100, 1200, 1200, 10),
    aff_shrink_factors: Union[int, Sequence[int]] = (6, 4, 2, 1),
    aff_smoothing_sigmas: Union[float, Sequence[float]] = (3, 2, 1, 0),
    write_composite_transform: bool = False,
    verbose: bool = False,
    multivariate_extras: Optional[Sequence[Sequence[Any]]] = None,
    restrict_transformation: Any = None,
    smoothing_in_mm: bool = False,
    singleprecision: bool = True,
    use_legacy_histogram_matching: bool = False,
    *,
    random_seed: Optional[int] = None,
    device: Any = None,
    threads: int = 0,
) -> dict[str, Any]:
    """ants.registration(): registers moving to fixed.

    Parameters
    ----------
    fixed, moving
        ANTsImages of 2 or 3 axes, one number per pixel.
    type_of_transform
        "Translation", "Rigid", "QuickRigid", "DenseRigid", "BOLDRigid", "Similarity", "Affine",
        "AffineFast", "BOLDAffine", "SyN", "SyNRA", "SyNOnly", "SyNCC", "SyNAggro", "SyNBold",
        "SyNBoldAff"; "antsRegistrationSyN[x]", and so with Quick, Repro and QuickRepro, where x is
        t, r, a, s, sr or so. Others (Elastic, TV, TRSAA, B-spline SyN) are refused.
    initial_transform
        None: one centre of gravity on the other, or none before fields alone; "Identity"; or names
        of files, as apply_transforms() has them.
    outprefix
        Of the files; "": of temporary ones.
    mask, moving_mask, mask_all_stages
        ANTsImages, for the last stage alone, or for all.
    grad_step, flow_sigma, total_sigma
        Of SyN: the longest way in an iteration (voxels), variances of the Gaussians that smooth an
        update and the whole field (voxels^2).
    aff_metric, aff_sampling, aff_random_sampling_rate
        Of matrices: "mattes", "meansquares" or "GC", bins of the histogram, and the share of
        samples that is compared: all of them, where that were less than 1000 of the coarsest level.
    syn_metric, syn_sampling
        Of SyN: "mattes" with that many bins, "CC" with windows of that radius, "meansquares".
    reg_iterations, aff_iterations, aff_shrink_factors, aff_smoothing_sigmas, smoothing_in_mm
        A number a level, the coarsest first; of SyN factors are powers of 2. Types with levels of
        their own (SyN, BOLD...) have these. Factors of matrices are lowered where a level would
        have fewer than 1000 samples.
    write_composite_transform
        Whether transforms are two files, Composite.h5 and InverseComposite.h5 (SimpleITK or itk
        writes them).
    verbose
        Whether progress is printed on stderr.
    multivariate_extras
        Additional pairs, (metric, fixed, moving, weight, its parameter) each, for SyNOnly and
        antsRegistrationSyN[...]. Parameters of metrics are those of the first pair.
    restrict_transformation
        Weights of what moves: of stages with as many parameters, or of fields along as many axes:
        (1, 1, 0) or (1, 1, 0, 1, 1, 0), as ANTs has them.
    use_legacy_histogram_matching
        Is refused.
    singleprecision
        Whether fields and arithmetic are float32.
    random_seed, device, threads
        Samples are the same at each call; device and threads are those of cudaspline.register().

    Returns
    -------
    A dictionary: "warpedmovout" and "warpedfixout", each image on the other's grid, ANTsImages of
    the type of fixed and of moving; "fwdtransforms" and "invtransforms", names of files as
    apply_transforms() takes them; "registration", the cudaspline.Registration.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid or not supported; the message begins with its name.
    """
    _check_images(fixed, moving)
    _refuse(use_legacy_histogram_matching=use_legacy_histogram_matching)
    if random_seed is not None:
        integer(random_seed, "random_seed", 0, 2**31 - 1)
    name = type_of_transform or "SyN"
    script, bracket, letter = str(name).rstrip("]").partition("[")
    is_script = bool(bracket) and script in _SCRIPTS and letter in _LETTERS
    if not is_script and name not in _TYPES:
        raise ValueError(
            f"type_of_transform: {type_of_transform!r} is not supported; use one of {_names()}."
        )
    if multivariate_extras and not is_script and name != "SyNOnly":
        raise ValueError(
            f"multivariate_extras: they can only be used with SyNOnly and antsRegistrationSyN[...], not with {name!r}."
        )
    if is_script:
        stages = _stages_of_script(fixed, "Quick" in script, *_LETTERS[letter])
    else:
        of_matrices: dict[str, Any] = {
            "metric": choose(aff_metric, _OF_MATRICES, "aff_metric"), "bins": integer(aff_sampling, "aff_sampling", 2, 2**20),
            "convergence": 1e-6, "sigmas_in_mm": flag(smoothing_in_mm, "smoothing_in_mm"),
        }  # fmt: skip
        rate = number(aff_random_sampling_rate, "aff_random_sampling_rate", above=0.0)
        given = _levels_of(aff_iterations, aff_shrink_factors, aff_smoothing_sigmas)
        kind = _TYPES[name]
        stages = [
            _linear_stage(one, levels or given, fixed, kind.rate or rate, of_matrices)
            for one, levels in kind.linear
        ]
        if kind.is_syn:
            stages.append(
                _syn_stage(
                    name,
                    grad_step,
                    flow_sigma,
                    total_sigma=total_sigma,
                    syn_metric=syn_metric,
                    syn_sampling=syn_sampling,
                    reg_iterations=reg_iterations,
                )
            )
    if restrict_transformation is not None:
        stages = _restricted(stages, tuple(restrict_transformation), fixed.dimension)
    also: list[tuple[Any, Any]] = []
    if multivariate_extras:
        stages[-1], also = _with_pairs(stages[-1], multivariate_extras)
    common: dict[str, Any] = {
        "winsorize": (0.005, 0.995) if is_script else None, "precision": "float32" if singleprecision else "float64", "device": device,
        "threads": threads, "progress": True if verbose else None,
    }  # fmt: skip
    begin = _initial_of(
        initial_transform,
        fixed.dimension,
        is_linear=any(not stage.is_deformable for stage in stages),
    )
    if (mask is not None or moving_mask is not None) and not mask_all_stages and len(stages) > 1:
        begin = register(fixed, moving, stages[:-1], initial=begin, **common).transform
        stages = stages[-1:]
    found = register(
        fixed,
        moving,
        stages,
        initial=begin,
        mask=mask,
        moving_mask=moving_mask,
        also=also,
        **common,
    )
    prefix = outprefix or os.path.join(tempfile.mkdtemp(prefix="cudaspline-"), "")
    forward, inverse = _write(found.transform, prefix, fixed, write_composite_transform)
    return {
        "warpedmovout": found.warped.clone(fixed.pixeltype),
        "warpedfixout": found.inverse_warped.clone(moving.pixeltype),
        "fwdtransforms": forward,
        "invtransforms": inverse,
        "registration": found,
    }


def _restricted(stages: Sequence[Stage], weights: tuple[float, ...], dimension: int) -> list[Stage]:
    """Stages with weights, where they have as many parameters; fields have one per axis."""
    rotations, squares = dimension * (dimension - 1) // 2, dimension * dimension
    of_kinds = {
        "rigid": rotations + dimension,
        "similarity": rotations + dimension + 1,
        "affine": squares + dimension,
    }
    counts = [of_kinds.get(stage.kind, dimension) for stage in stages]
    if len(weights) not in counts:
        allowed = " or ".join(str(count) for count in sorted(set(counts)))
        raise ValueError(
            f"restrict_transformation: {len(weights)} weights are given; the stages need {allowed}."
        )
    return [
        replace(stage, restrict_deformation=weights) if count == len(weights) else stage
        for stage, count in zip(stages, counts)
    ]


def _levels_of(iterations: Any, shrink: Any, sigmas: Any) -> _Levels:
    """Values of an argument: one per level, or one for all."""
    found = [
        tuple(value) if hasattr(value, "__iter__") else (value,)
        for value in (iterations, shrink, sigmas)
    ]
    for name, values in zip(("aff_shrink_factors", "aff_smoothing_sigmas"), found[1:]):
        if len(values) != len(found[0]):
            raise ValueError(
                f"{name}: {len(values)} levels are given, but aff_iterations has {len(found[0])}; the numbers must be equal."
            )
    return found[0], found[1], found[2]


def _linear_stage(
    kind: str, levels: _Levels, fixed: Any, rate: float, options: dict[str, Any]
) -> Stage:
    iterations, shrink, sigmas = levels

    def count(factor: int) -> int:
        return math.prod(max(1, size // factor) for size in fixed.shape)

    shrink = tuple(
        next((one for one in range(factor, 1, -1) if count(one) >= _FEWEST_SAMPLES), 1)
        for factor in shrink
    )
    is_drawn = rate < 1 and rate * count(max(shrink)) >= _FEWEST_SAMPLES
    drawn: dict[str, Any] = {"sampling": "regular", "fraction": rate} if is_drawn else {}
    return Stage(kind, iterations=iterations, shrink=shrink, sigmas=sigmas, **drawn, **options)


def _syn_stage(
    name: str,
    grad_step: float,
    flow_sigma: float,
    total_sigma: float,
    syn_metric: str,
    syn_sampling: int,
    reg_iterations: Sequence[int],
) -> Stage:
    count = len(tuple(reg_iterations))
    levels: dict[str, Any] = {
        "iterations": tuple(reg_iterations), "shrink": tuple(2**level for level in reversed(range(count))), "sigmas": tuple(map(float, reversed(range(count)))),
    }  # fmt: skip
    metric = choose(syn_metric, _OF_FIELDS, "syn_metric")
    if name == "SyNCC":  # with numbers of its own, whatever the arguments are
        metric, syn_sampling, grad_step, flow_sigma, total_sigma = "cc", 4, 0.15, 3, 0
        levels = {
            "iterations": (2100, 1200, 1200, 20),
            "shrink": (4, 3, 2, 1),
            "sigmas": (3.0, 2.0, 1.0, 0.0),
        }
    of_metric: dict[str, Any] = (
        {"radius": syn_sampling}
        if metric == "cc"
        else {"bins": syn_sampling}
        if metric == "mattes"
        else {}
    )
    return Stage(
        "syn",
        metric=metric,
        learning_rate=grad_step,
        update_variance=flow_sigma,
        total_variance=total_sigma,
        convergence=1e-7,
        **levels,
        **of_metric,
    )


def _stages_of_script(
    fixed: Any, is_quick: bool, linear: Sequence[str], is_syn: bool
) -> list[Stage]:
    """Those of antsRegistrationSyN.sh, as the preset "standard" has them; of SyNQuick.sh the finest
    level is left out, and fields go by mutual information."""
    of_rigid, _, of_syn = preset_stages("standard", fixed.shape)
    if is_quick:
        of_rigid = replace(
            of_rigid, iterations=(*(level.iterations for level in of_rigid.levels[:-1]), 0)
        )
        of_syn = replace(
            of_syn,
            metric="mattes",
            radius=None,
            bins=32,
            iterations=(*(level.iterations for level in of_syn.levels[:-1]), 0),
        )
    return [*(replace(of_rigid, kind=kind) for kind in linear), *([of_syn] if is_syn else [])]


def _with_pairs(
    stage: Stage, extras: Sequence[Sequence[Any]]
) -> tuple[Stage, list[tuple[Any, Any]]]:
    if not stage.is_deformable:
        raise ValueError(
            "multivariate_extras: they can only be used if the last stage results in a field; this one results in a matrix."
        )
    metrics: list[Union[str, tuple[str, float]]] = [
        (stage.metrics[0].metric, stage.metrics[0].weight)
    ]
    pairs = []
    for number_of, one in enumerate(extras):
        if len(one) != 5:
            raise ValueError(
                f"multivariate_extras: its entry {number_of} has {len(one)} parts, not (metric, fixed, moving, weight, parameter)."
            )
        metrics.append((choose(one[0], _OF_FIELDS, "multivariate_extras"), float(one[3])))
        pairs.append((one[1], one[2]))
    return replace(stage, metric=metrics), pairs


def _initial_of(given: Any, dimension: int, is_linear: bool) -> Any:
    if given is None:
        return "moments" if is_linear else "none"
    if isinstance(given, str):
        given = [given]
    if [str(one).lower() for one in given] == ["identity"]:
        return "none"
    return Transform.load(list(given), dimension=dimension, transform_order="ants")


def _write(transform: Transform, prefix: str, fixed: Any, is_composite: bool) -> tuple[Any, Any]:
    """Names of the files of a transform, and of its inverse."""
    if is_composite:
        names = f"{prefix}Composite.h5", f"{prefix}InverseComposite.h5"
        transform.save(names[0], fixed)
        transform.inverse().save(names[1], fixed)
        return names
    matrix, *warps = (str(path) for path in transform.save_ants(prefix, fixed))
    return ([warps[0], matrix], [matrix, warps[1]]) if warps else ([matrix], [matrix])


def apply_transforms(
    fixed: Any,
    moving: Any,
    transformlist: Union[str, Sequence[str]],
    interpolator: str = "linear",
    imagetype: int = 0,
    whichtoinvert: Optional[Sequence[Optional[bool]]] = None,
    compose: Optional[str] = None,
    defaultvalue: float = 0,
    singleprecision: bool = False,
    verbose: bool = False,
    *,
    device: Any = None,
    threads: int = 0,
) -> Any:
    """ants.apply_transforms(): moving on the grid of fixed, through a list of transforms.

    Parameters
    ----------
    fixed, moving
        ANTsImages.
    transformlist
        Names of files, as of registration(): the first one is applied to points of fixed first.
    interpolator
        "linear", "nearestNeighbor", "multiLabel", "genericLabel", "bSpline", "cosineWindowedSinc",
        "welchWindowedSinc", "hammingWindowedSinc" or "lanczosWindowedSinc"; "gaussian" is refused.
        Windowed sincs continue an image by its nearest sample, as ITK's do, where ANTs takes 0:
        values differ within three samples of its ends.
    imagetype
        0, a scalar image, or 3, a time series: moving has an axis more. Others are refused.
    whichtoinvert
        For each transform, whether it is inverted; only matrices can be. None: the first of two if
        it is a matrix and the second is not.
    compose
        None; or the beginning of a name: the transforms are written as one field on the grid of
        fixed, (compose)comptx.nii.gz, or as a composite where it ends with .h5, and its name is
        returned.
    defaultvalue
        Where moving has nothing.
    singleprecision
        Whether it is computed in float32.
    verbose
        Is without effect.
    device, threads
        As for cudaspline.resample().

    Returns
    -------
    An ANTsImage of the type of fixed; integers are cut off, as ANTsPy does it. With compose the
    name of a file.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid or not supported; the message begins with its name.
        FileNotFoundError for a transform that is not there.
    """
    for name, image in (("fixed", fixed), ("moving", moving)):
        if not _images.is_ants(image):
            raise TypeError(
                f"{name}: {type(image).__name__} is not an ANTsImage; cudaspline.resample takes other images."
            )
    if interpolator not in _INTERPOLATORS:
        raise ValueError(
            f"interpolator: {interpolator!r} is not supported; use one of {', '.join(_INTERPOLATORS)}."
        )
    if imagetype not in (0, 3):
        raise ValueError(
            f"imagetype: {imagetype!r} is not supported; use 0 (scalar) or 3 (time series)."
        )
    if moving.dimension != fixed.dimension + (imagetype == 3):
        raise ValueError(
            f"moving: the image has {moving.dimension} axes and fixed {fixed.dimension}, which is not allowed with imagetype={imagetype}."
        )
    names = (
        [transformlist] if isinstance(transformlist, (str, os.PathLike)) else list(transformlist)
    )
    names = [os.fspath(one) for one in names]
    transform = (
        Transform.load(
            _inverted(names, whichtoinvert), dimension=fixed.dimension, transform_order="ants"
        )
        if names
        else Transform(None, fixed.dimension)
    )
    if compose is not None:
        path = compose if compose.endswith(".h5") else f"{compose}comptx.nii.gz"
        transform.save(path, fixed)
        return path
    precision = "float32" if singleprecision else "float64"
    given = moving.clone("float" if singleprecision else "double")
    found = resample(
        given,
        transform,
        fixed,
        default=defaultvalue,
        dtype=precision,
        smooth=False,
        series=imagetype == 3,
        device=device,
        threads=threads,
        **_INTERPOLATORS[interpolator],
    )
    return found.clone(fixed.pixeltype)


def _inverted(names: Sequence[str], which: Optional[Sequence[Optional[bool]]]) -> list[Any]:
    """Each name with whether it is inverted."""
    if which is None or all(one is None for one in which):
        is_back = len(names) == 2 and names[0].endswith(".mat") and not names[1].endswith(".mat")
        which = [is_back, False][: len(names)] if len(names) == 2 else [False] * len(names)
    if len(which) != len(names):
        raise ValueError(
            f"whichtoinvert: {len(which)} values are given for {len(names)} transforms; the numbers must be equal."
        )
    for name, one in zip(names, which):
        if one and not name.endswith(".mat"):
            raise ValueError(
                f"whichtoinvert: {name} is not a matrix; the inverse of a warp is in a separate file."
            )
    return [(name, int(bool(one))) for name, one in zip(names, which)]
