"""What a registration does one after the other: stages with their levels, and the presets that CudaSplineRegister has too."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Mapping, NamedTuple, Optional, Sequence, Union

from ._checks import flag, integer, number
from ._methods import choose
from ._registration_library import DEFORMABLE, DESCENTS, GRADIENTS, LBFGS, LINEAR, METRICS, SAMPLINGS, SPLINE

#: Most levels of a stage, as CudaSplineRegister has it.
_MOST_LEVELS = 16
#: Iterations of SyN from fine to coarse, as antsRegistrationSyN.sh has them.
_OF_SYN = (20, 50, 70, 100)


class Level(NamedTuple):
    """A level of a stage."""

    #: Samples of the fixed image for one that is compared, along each axis.
    shrink: int
    #: Of the Gaussian that smooths both images.
    sigma: float
    #: At most.
    iterations: int


class PairMetric(NamedTuple):
    """How a pair of images is compared."""

    metric: str
    #: What counts is its part of the sum of all weights.
    weight: float = 1.0


@dataclass(frozen=True)
class Stage:
    """A stage of a registration. Options that a kind does not have are refused where they are given.

    kind: "translation", "rigid", "similarity", "affine": matrices; "bspline": a cubic B-spline of displacements; "syn": fields of both images to a middle, symmetric normalization;
        "greedy": one field, in a third of the time; "demons": one field by squared differences (diffeomorphic demons), for images that have
        the same values where they show the same
    metric: "mattes" (mutual information), "correlation", "meansquares", "cc" (local correlation). None: "mattes" for matrices, "cc" for
        fields. "syn" and "greedy" have no "correlation", demons "meansquares" alone. "syn" and "greedy" compare several pairs of images by
        a list with an entry for each, its name or (name, weight): [("cc", 0.7), "mattes"]; without a weight 1. Each pair's force counts as
        its weight's part of the sum, and is as long as any other's
    iterations: at most, a number a level from coarse to fine, or one for all; of "bspline" evaluations of the metric. None: 100 and 50 at the finest; 100, 70, 50, 20 for fields
    shrink: samples of the fixed image for one that is compared, a whole number a level. None: 4, 2, 1; 8, 4, 2, 1 for fields
    sigmas: of the Gaussians that smooth both images, a number a level (voxels of each, or mm). None: 2, 1, 0; 3, 2, 1, 0 for fields
    sigmas_in_mm: whether these are in mm
    radius: of the windows of "cc" (voxels)
    bins: of Mattes' histogram
    convergence: a level ends where the last ten values fall by less than that share; not of "bspline". None: 1e-6 for fields, else 1e-7
    optimizer: of matrices: "regular-step", "gradient-descent", "conjugate-gradient"; of "bspline" it is "lbfgs"
    step: of matrices: the longest way of a corner of the fixed image in the first iteration (mm); None: a voxel of the level. Of "bspline":
        with what searches along a direction begin, but for the first, as a factor of it; None: the length of a voxel of the level
    minimum_step: of matrices: a shorter way ends a level (mm); None: a thousandth of a voxel
    grid_spacing: of "bspline": about how wide the cells of its grid are at the last level (mm), a number, or one an axis, x first; at each
        level before they are twice as wide
    sampling: of matrices and "bspline", but not with the metric "cc": "none" (all samples of a level), "regular" (each n-th) or "random"; those that are
        drawn are moved by a third of a voxel, as ITK does it
    fraction: of the samples that are drawn, above 0 and at most 1. None: all
    seed: of what is drawn: the same one takes the same samples
    order: of matrices and "bspline": of the B-spline that interpolates the moving image, 1 (linear) to 5
    gradient: of matrices and "bspline", of the moving image: "differences" (central ones), "filter" (of a Gaussian of a voxel) or "analytic" (the
        derivative of the B-spline, whose order is 2 or more then)
    learning_rate: of fields: the longest way in an iteration (voxels). None: 0.1, of demons 0.5
    update_variance, total_variance: of fields: of the Gaussians that smooth an update, and the whole field (voxels^2). None: 3 and 0, of
        demons 0 and 1

    Raises TypeError or ValueError, naming the argument.

    Examples
    --------
    >>> import cudaspline
    >>> cudaspline.Stage("syn", iterations=(40, 20, 0)).levels
    (Level(shrink=4, sigma=2.0, iterations=40), Level(shrink=2, sigma=1.0, iterations=20), Level(shrink=1, sigma=0.0, iterations=0))
    >>> cudaspline.Stage("greedy", metric=[("cc", 0.7), ("mattes", 0.3)]).metrics
    (PairMetric(metric='cc', weight=0.7), PairMetric(metric='mattes', weight=0.3))
    """

    kind: str
    metric: Union[None, str, Sequence[Union[str, tuple[str, float]]]] = None
    iterations: Union[None, int, Sequence[int]] = None
    shrink: Optional[Sequence[int]] = None
    sigmas: Optional[Sequence[float]] = None
    sigmas_in_mm: bool = False
    radius: int = 4
    bins: int = 50
    convergence: Optional[float] = None
    optimizer: str = "regular-step"
    step: Optional[float] = None
    minimum_step: Optional[float] = None
    grid_spacing: Union[float, Sequence[float]] = 24.0
    sampling: str = "none"
    fraction: Optional[float] = None
    seed: int = 121212
    order: int = 1
    gradient: str = "differences"
    learning_rate: Optional[float] = None
    update_variance: Optional[float] = None
    total_variance: Optional[float] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", choose(self.kind, KINDS, "kind"))
        metrics = _metrics_of(self.metric, self.kind)
        object.__setattr__(self, "_metrics", metrics)
        object.__setattr__(self, "metric", metrics[0].metric if len(metrics) == 1 else metrics)
        object.__setattr__(self, "radius", integer(self.radius, "radius", 1, 100))
        object.__setattr__(self, "bins", integer(self.bins, "bins", 5, 160))
        if self.kind == SPLINE and self.optimizer == _DEFAULTS["optimizer"]:
            object.__setattr__(self, "optimizer", LBFGS)
        choose(self.optimizer, {LBFGS: 0} if self.kind == SPLINE else DESCENTS, "optimizer")
        object.__setattr__(self, "optimizer", self.optimizer.lower())
        object.__setattr__(self, "grid_spacing", _spacing_of(self.grid_spacing))
        self._check_samples()
        object.__setattr__(self, "sigmas_in_mm", flag(self.sigmas_in_mm, "sigmas_in_mm"))
        for name in ("step", "minimum_step"):
            if getattr(self, name) is not None:
                number(getattr(self, name), name, 0.0)
        for name, value in (_OF_DEMONS if self.kind == "demons" else _OF_LOCAL).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        number(self.learning_rate, "learning_rate", 0.0)
        for name in ("update_variance", "total_variance"):
            if number(getattr(self, name), name) < 0:
                raise ValueError(f"{name}: {getattr(self, name)!r} is below 0.")
        if self.kind == SPLINE and self.convergence is not None:
            raise ValueError(f"convergence: {self.convergence!r} is not for a stage {self.kind!r}, which ends by its gradient.")
        if self.kind != SPLINE:
            convergence = (1e-6 if self.is_deformable else 1e-7) if self.convergence is None else number(self.convergence, "convergence")
            object.__setattr__(self, "convergence", convergence)
        for name in _others_of(self.kind):
            if self.kind == SPLINE and name in _OF_DESCENTS:
                continue  # which were looked at
            if getattr(self, name) != _OF_LOCAL.get(name, _DEFAULTS[name]):
                raise ValueError(f"{name}: {getattr(self, name)!r} is not for a stage {self.kind!r}.")
        object.__setattr__(self, "_levels", _levels_of(self))

    def _check_samples(self) -> None:
        for name, words in (("sampling", SAMPLINGS), ("gradient", GRADIENTS)):
            choose(getattr(self, name), words, name)
            object.__setattr__(self, name, getattr(self, name).lower())
        object.__setattr__(self, "seed", integer(self.seed, "seed", 0, 2**32 - 1))
        object.__setattr__(self, "order", integer(self.order, "order", 1, 5))
        if self.gradient == "analytic" and self.order < 2:
            raise ValueError("gradient: 'analytic' is that of a B-spline, whose order is 2 or more; order is 1.")
        if self.fraction is not None and number(self.fraction, "fraction", 0.0) > 1:
            raise ValueError(f"fraction: {self.fraction!r} is above 1.")
        if self.sampling == "none" and self.fraction is not None:
            raise ValueError(f"fraction: {self.fraction!r} needs sampling to be 'regular' or 'random'.")
        if self.sampling != "none" and self.metric == "cc" and not self.is_deformable:
            raise ValueError(f"sampling: {self.sampling!r} is not for the metric 'cc', which looks at all samples.")

    @property
    def is_deformable(self) -> bool:
        """Whether it finds fields."""
        return self.kind in DEFORMABLE

    @property
    def levels(self) -> tuple[Level, ...]:
        """From coarse to fine."""
        levels: tuple[Level, ...] = getattr(self, "_levels")
        return levels

    @property
    def metrics(self) -> tuple[PairMetric, ...]:
        """Of the first pair of images, and of further ones that are compared beside it."""
        metrics: tuple[PairMetric, ...] = getattr(self, "_metrics")
        return metrics


#: Kinds of stages.
KINDS = {name: name for name in (*LINEAR, SPLINE, *DEFORMABLE)}
_OF_COMPARISONS = ("step", "sampling", "fraction", "seed", "order", "gradient")
_OF_DESCENTS = ("optimizer", "convergence")
_OF_SPLINES = ("grid_spacing",)
#: Of fields, what CudaSplineRegister takes where nothing is said: by local correlation, and of demons as ITK's filters have it.
_OF_LOCAL = {"learning_rate": 0.1, "update_variance": 3.0, "total_variance": 0.0}
_OF_DEMONS = {"learning_rate": 0.5, "update_variance": 0.0, "total_variance": 1.0}
_OF_FIELDS = tuple(_OF_LOCAL)
#: Stages that compare several pairs of images, and what they compare them by: metrics with a force on each sample.
_OF_PAIRS = ("syn", "greedy")
_FORCES = ("cc", "mattes", "meansquares")
#: What ANTs and ITK call metrics.
_OTHER_METRICS = {"mi": "mattes", "mattesmutualinformation": "mattes", "msq": "meansquares", "gc": "correlation", "globalcorrelation": "correlation"}
_LARGEST_WEIGHT = 1e6  # as CudaSplineRegister has it: a millionth of another pair's share is less than floats of a field tell
_DEFAULTS = {one.name: one.default for one in fields(Stage)}
#: What may be said for all stages at once.
OPTIONS = tuple(name for name in _DEFAULTS if name != "kind")


def _others_of(kind: str) -> tuple[str, ...]:
    """Options that a kind does not have."""
    if kind == SPLINE:
        return (*_OF_FIELDS, *_OF_DESCENTS, "minimum_step")
    if kind in DEFORMABLE:
        of_metric = () if kind in _OF_PAIRS else ("bins",)
        return (*_OF_COMPARISONS, *of_metric, "optimizer", "minimum_step", *_OF_SPLINES)
    return (*_OF_FIELDS, *_OF_SPLINES)


def _spacing_of(value: Any) -> Union[float, tuple[float, ...]]:
    """A number above 0, or one an axis."""
    if not hasattr(value, "__iter__") or isinstance(value, str):
        return number(value, "grid_spacing", 0.0)
    found = tuple(number(one, "grid_spacing", 0.0) for one in value)
    if not 2 <= len(found) <= 3:
        raise ValueError(f"grid_spacing: there are {len(found)} numbers; one, or one an axis is allowed.")
    return found


def _is_list_of_metrics(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _metrics_of(value: Any, kind: str) -> tuple[PairMetric, ...]:
    """How a stage compares each pair of images."""
    if value is None:
        return (PairMetric({"demons": "meansquares"}.get(kind, "cc") if kind in DEFORMABLE else "mattes"),)
    entries = list(value) if _is_list_of_metrics(value) else [value]
    if not entries:
        raise ValueError("metric: there is none in the list.")
    metrics = []
    for entry in entries:
        if isinstance(entry, (list, tuple)) and len(entry) == 2:
            name, weight = entry[0], number(entry[1], "metric: the weight", 0.0)
            if weight > _LARGEST_WEIGHT:
                raise ValueError(f"metric: the weight {weight:g} is above {_LARGEST_WEIGHT:g}.")
        else:
            name, weight = entry, 1.0
        name = _OTHER_METRICS.get(name.lower(), name) if isinstance(name, str) else name
        choose(name, METRICS, "metric")
        metrics.append(PairMetric(name.lower(), weight))
    for name, _ in metrics:
        allowed = ("meansquares",) if kind == "demons" else _FORCES if kind in DEFORMABLE else tuple(METRICS)
        if name not in allowed:
            raise ValueError(
                f"metric: {name!r} is not for {kind!r}, which goes by {' or '.join(map(repr, allowed))} (a Stage each has metrics of its own)."
            )
    if len(metrics) > 1 and kind not in _OF_PAIRS:
        raise ValueError(f"metric: {value!r} is not for {kind!r}, which compares the first pair of images alone; 'syn' and 'greedy' compare several.")
    return tuple(metrics)


def _numbers(value: Any, name: str, least: int, most: int) -> list[int]:
    try:
        found = [integer(n, name, least, most) for n in value]
    except TypeError as error:
        if str(error).startswith(name):
            raise
        raise TypeError(f"{name}: {value!r} is no sequence of whole numbers, one a level.") from None
    if not 1 <= len(found) <= _MOST_LEVELS:
        raise ValueError(f"{name}: there are 1 to {_MOST_LEVELS} levels, not {len(found)}.")
    return found


def _levels_of(stage: Stage) -> tuple[Level, ...]:
    """What is given for each level decides how many there are; what is not given follows."""
    iterations: Optional[list[int]] = None
    if stage.iterations is not None:
        single = not hasattr(stage.iterations, "__iter__")
        iterations = _numbers([stage.iterations] if single else stage.iterations, "iterations", 0, 1000000)
    shrink = None if stage.shrink is None else _numbers(stage.shrink, "shrink", 1, 1024)
    sigmas: Optional[list[float]] = None
    if stage.sigmas is not None:
        if not hasattr(stage.sigmas, "__iter__") or isinstance(stage.sigmas, str):
            raise TypeError(f"sigmas: {stage.sigmas!r} is no sequence of numbers, one a level.")
        sigmas = [number(sigma, "sigmas") for sigma in stage.sigmas]
        if not sigmas or min(sigmas) < 0 or max(sigmas) > 1e6:
            raise ValueError(f"sigmas: numbers from 0 to 1e6 are allowed, one a level; {stage.sigmas!r} is not that.")
    told = [len(values) for values in (shrink, sigmas) if values is not None]
    told += [len(iterations)] if iterations is not None and len(iterations) > 1 else []
    count = max(told, default=4 if stage.is_deformable else 3)
    coarseness = range(count - 1, -1, -1)
    if iterations is None:
        iterations = [_OF_SYN[min(c, 3)] if stage.is_deformable else (50 if c == 0 else 100) for c in coarseness]
    elif len(iterations) == 1:
        iterations = iterations * count
    shrink = [2**c for c in coarseness] if shrink is None else shrink
    sigmas = [float(c) for c in coarseness] if sigmas is None else sigmas
    if not len(iterations) == len(shrink) == len(sigmas):
        raise ValueError(
            f"iterations, shrink, sigmas: they have values for different numbers of levels ({len(iterations)}, {len(shrink)}, {len(sigmas)})."
        )
    return tuple(Level(*values) for values in zip(shrink, sigmas, iterations))


class Preset(NamedTuple):
    """Stages with what belongs to them: those of CudaSplineRegister's --preset."""

    stages: tuple[Stage, ...]
    #: Quantiles to which values are cut.
    winsorize: Optional[tuple[float, float]]
    #: Instead of the stages where the fixed image is large.
    large: Optional[tuple[Stage, ...]] = None


#: Pixels along an axis of a fixed image that is not large, at most: antsRegistrationSyN.sh's.
_LARGEST = 256


def size_is_large(size: Sequence[int]) -> bool:
    """Whether a fixed image has more samples along an axis than the levels of the preset "standard" are for."""
    return max(size, default=0) > _LARGEST


def _standard(shrink: Sequence[int], sigmas: Sequence[float], of_syn: tuple[Sequence[int], Sequence[int], Sequence[float]]) -> tuple[Stage, ...]:
    """Rigid, affine and SyN, as antsRegistrationSyN.sh has them.

    shrink, sigmas: of the matrices
    of_syn: iterations, shrink and sigmas of SyN"""
    matrices = (
        Stage(
            kind, metric="mattes", optimizer="gradient-descent", iterations=(1000, 500, 250, 100), shrink=shrink, sigmas=sigmas,
            sampling="regular", fraction=0.25, step=0.1, convergence=1e-6, bins=32,
        )
        for kind in ("rigid", "affine")
    )  # fmt: skip
    return (*matrices, Stage("syn", iterations=of_syn[0], shrink=of_syn[1], sigmas=of_syn[2], convergence=1e-6))


#: What applications/CudaSplineRegister/Preset.cxx says, of what is there without ITK.
PRESETS: Mapping[str, Preset] = {
    "fast": Preset(
        (
            Stage("affine", iterations=(100, 100, 50, 0), shrink=(8, 4, 2, 1), sigmas=(3, 2, 1, 0)),
            Stage("syn", radius=2, iterations=(100, 70, 50, 0), shrink=(8, 4, 2, 1), sigmas=(3, 2, 1, 0)),
        ),
        None,
    ),
    "brain": Preset(
        (
            Stage("affine", iterations=(100, 100, 50), shrink=(4, 2, 1), sigmas=(2, 1, 0)),
            Stage("syn", iterations=(100, 70, 50, 20), shrink=(8, 4, 2, 1), sigmas=(3, 2, 1, 0)),
        ),
        (0.005, 0.995),
    ),
    "standard": Preset(
        _standard((8, 4, 2, 1), (3, 2, 1, 0), ((100, 70, 50, 20), (8, 4, 2, 1), (3, 2, 1, 0))),
        (0.005, 0.995),
        _standard((12, 8, 4, 2), (4, 3, 2, 1), ((100, 100, 70, 50, 20), (10, 6, 4, 2, 1), (5, 3, 2, 1, 0))),
    ),
}


def stages_of(
    stages: Any, preset: Any, options: Mapping[str, Any], size: Sequence[int] = ()
) -> tuple[list[Stage], Optional[tuple[float, float]]]:
    """(stages, quantiles) of what a caller says. Raises TypeError or ValueError, naming the argument.

    size: of the fixed image, whose levels are those of the preset for it, if the caller says none"""
    for name in options:
        if name not in OPTIONS:
            raise TypeError(f"{name}: register() has no such argument.")
    winsorize = None
    if preset is not None:
        found = choose(preset, PRESETS, "preset")
        if stages is not None:
            raise ValueError(f"preset: {preset!r} has stages of its own; leave stages away.")
        has_levels = any(options.get(name) is not None for name in ("iterations", "shrink", "sigmas"))
        is_large = size_is_large(size) and not has_levels
        named: list[Any] = list(found.large if found.large is not None and is_large else found.stages)
        if "sampling" in options and "fraction" not in options:
            options = {**options, "fraction": None}  # which belongs to the preset's sampling
        winsorize = found.winsorize
    elif stages is None:
        named = ["rigid", "affine"]
    elif isinstance(stages, (str, Stage)):
        named = [stages]
    elif isinstance(stages, (list, tuple)) and stages:
        named = list(stages)
    else:
        raise TypeError(f"stages: {stages!r} is no name of a stage, no Stage, and no list of these.")
    made = []
    for i, stage in enumerate(named):
        if isinstance(stage, str):
            made.append(Stage(choose(stage, KINDS, "stages"), **_options_of(stage, options)))
        elif isinstance(stage, Stage):
            made.append(replace(stage, **_options_of(stage.kind, options)))
        else:
            raise TypeError(f"stages[{i}]: {type(stage).__name__} is no name of a stage, and no Stage.")
    for name, value in options.items():
        if value is not None and all(name in _others_of(stage.kind) for stage in made):
            raise ValueError(f"{name}: {value!r} is for no stage of this registration, {', '.join(dict.fromkeys(stage.kind for stage in made))}.")
    return made, winsorize


def _options_of(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the options for all stages that a kind has."""
    others = _others_of(kind)
    if kind not in _OF_PAIRS and _is_list_of_metrics(options.get("metric")):
        others = (*others, "metric")  # of several pairs
    return {name: value for name, value in options.items() if name not in others}


def check_pairs(stages: Sequence[Stage], further: int) -> None:
    """Refuses metrics of pairs that are not there, and pairs that no stage compares. Raises ValueError, naming the argument.

    further: pairs of images beside the first one"""
    most = max(len(stage.metrics) for stage in stages)
    if most > 1 + further:
        count = "is 1" if further == 0 else f"are {1 + further}"
        raise ValueError(f"metric: it is of {most} pairs of images, and there {count}; also= names further ones.")
    if most < 1 + further:
        raise ValueError(
            f"also: its pair {most} is compared in no stage; name a metric for each pair of images, as metric={['cc'] * (1 + further)} for 'syn' "
            "or 'greedy'."
        )


def work_of(stage: Stage, level: Level, dimension: int) -> float:
    """About how long an iteration of a level takes, as a share of one of all voxels."""
    return (10.0 if stage.is_deformable else 0.5) / math.pow(level.shrink, dimension)
