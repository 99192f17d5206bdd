"""Stages of registrations, and the documents that describe them. The library knows options,
presets, defaults and what is allowed."""

from __future__ import annotations

import difflib
import json
import math
import numbers
import operator
import os
from dataclasses import InitVar, dataclass, field, fields
from typing import Any, Mapping, NamedTuple, NoReturn, Optional, Sequence, Union

from ..core._checks import check_keywords
from . import _registration_library

#: Members of documents that hold their version.
VERSION = "cudaspline_registration"


class Level(NamedTuple):
    """A level of a stage."""

    #: Samples of the fixed image for one that is compared, along each axis.
    shrink: int
    #: Deviation of the Gaussian that smooths both images.
    sigma: float
    #: At most.
    iterations: int


class PairMetric(NamedTuple):
    """How a pair of images is compared."""

    metric: str
    #: Weight of the metric, relative to the sum of all weights.
    weight: float = 1.0


@dataclass(frozen=True)
class Stage:
    """A stage of a registration. An option is an error if the kind does not have it, or if the
    stage does not use it (radius with the metric "mattes"). In that case its value is None.

    After it is made, options that were not given have their defaults.

    kind: "translation", "rigid", "similarity", "affine": matrices; "bspline": a cubic B-spline of
        displacements; "syn": fields of both images to a middle, symmetric normalization; "greedy":
        one field, in a third of the time; "demons": one field by squared differences (diffeomorphic
        demons), for images that have the same values where they show the same; "tvf": a velocity
        field that varies in time, whose integrals are both fields; "discrete": a dense search of
        displacements at control points, for displacements that are too large for "syn" and
        "greedy", which refine its result
    metric: "mattes" (mutual information), "correlation", "meansquares", "cc" (local correlation,
        with ITK's derivative), "lncc" (the same with its exact derivative), "mind" (descriptors of
        self-similarity, for images of different modalities; fields, not "demons"), "ngf"
        (normalized gradient fields, for images of different modalities). None: "mattes" for
        matrices, "cc" for fields. "syn", "greedy" and "tvf" have no "correlation", "demons" has
        "meansquares" alone, "discrete" has "mind" alone. "syn", "greedy" and "tvf" compare several
        pairs of images by a list with an entry for each, its name or (name, weight): [("cc", 0.7), "mattes"]; without a weight 1. Each pair's force
        counts as its weight's part of the sum, and is as long as any other's
    iterations: at most, a number a level from coarse to fine, or one for all; of "bspline"
        evaluations of the metric. None: 100 and 50 at the finest; 100, 70, 50, 20 for fields;
        of "discrete" passes, None: 6
    iteration_limit: maximum number of iterations of a level of a matrix or of "bspline", which
        continues as long as the metric falls by more than 0.4 % of its value in ten iterations. None:
        iterations, where these are given, else five times as many
    shrink: samples of the fixed image for one that is compared, a whole number a level. None: 4, 2,
        1; 8, 4, 2, 1 for fields
    sigmas: of the Gaussians that smooth both images, a number a level (voxels of each, or mm).
        None: 2, 1, 0; 3, 2, 1, 0 for fields
    sigmas_in_mm: whether these are in mm
    levels: their number, 1 to 16, if no list determines it; as an attribute a Level for each. None:
        3; 4 for fields
    radius: of the windows of "cc" and "lncc" (voxels)
    variance_floor: of "lncc": the standard deviation up to which windows count as noise, as a part
        of the range of the image's values. None: 0.02
    edge_factor: of "ngf": the edge parameter, as a part of the mean magnitude of the image's
        gradients: much smaller gradients count as noise. None: 0.2
    bins: of Mattes' histogram
    convergence: a level ends where the last ten values fall by less than that share; not of
        "bspline". None: 1e-6 for fields, else 1e-7
    optimizer: of matrices: "regular-step", "gradient-descent", "conjugate-gradient"; of "bspline"
        it is "lbfgs"; of "syn", "greedy" and "tvf" "fixed-step" (the default: the longest
        displacement of each iteration is learning_rate), "momentum" or "adam"
    step: of matrices: the longest way of a corner of the fixed image in the first iteration (mm);
        None: a voxel of the level. Of "bspline": length of the first step of all coefficients
        together (mm), after which line searches find their own; None: likewise
    step_in_voxels: of matrices: whether step is in voxels of fixed (the least spacing), and not in
        mm
    minimum_step: of matrices: a shorter way ends a level (mm); None: a thousandth of a voxel
    grid_spacing: of "bspline": about how wide the cells of its grid are at the last level (mm), a
        number, or one per axis, x first; at each level before they are twice as wide. None: 24
        voxels of fixed (the geometric mean of its spacing)
    bending_energy: of "bspline" and "greedy": weight (mm^2) of the bending energy, which is added
        to the metric: the mean of the sum of the squares of all second derivatives of the
        displacements. None: 0
    linear_elasticity: of "bspline" and "greedy": weight of the elastic energy, likewise: the mean
        of the sum of the squares of the strain, the symmetric part of the gradient of the
        displacements. None: 0
    total_variation: of "bspline" and "greedy": weight of the total variation of the displacements,
        likewise: the mean of the norm of their gradient. They may change sharply where organs
        slide. None: 0
    jacobian_penalty: of "bspline" and "greedy": weight of the mean of J + 1 / J - 2, likewise,
        where J is the Jacobian determinant: about the square of its logarithm near 1, and infinite
        at 0, which prevents folds. None: 0
    landmark_weight: of landmarks of register(), not of "demons" and "discrete": weight (1/mm^2) of
        their mean squared distance, which is added to the metric. Fields also get a force at each
        landmark: with 1 it is as long as the longest force of the images until the points are a
        voxel apart. None: 0
    label_weight: of labels of register(), likewise: weight of their overlap, compared with that of
        the metric. None: 0
    sampling: of matrices and "bspline", but not with the metrics "cc", "lncc" and "ngf": "none"
        (all samples of a level), "regular" (each n-th) or "random"; those that are drawn are moved
        by a third of a voxel, as ITK does it
    fraction: of the samples that are drawn, above 0 and at most 1. None: all
    seed: of the random samples: the same seed draws the same samples
    order: of matrices and "bspline": of the B-spline that interpolates the moving image, 1 (linear)
        to 5; of "syn", "greedy" and "tvf" of both images, 1 or 3
    gradient: of matrices and "bspline", of the moving image: "differences" (central ones), "filter"
        (of a Gaussian of a voxel) or "analytic" (the derivative of the B-spline, whose order is 2
        or more then). Of fields, of both images: "differences" (ITK's rule), "grid" (central
        differences along the axes of the grid, alike at both ends of an axis: results do not depend
        on how the image is stored); of "syn" "filter", too. None: "differences"; of fields with
        metrics that ITK does not have, "grid"
    restrict_deformation: factors from 0 to 1 of what moves: of "syn", "greedy" and "tvf" one for
        each axis, x first, as (0, 1, 0) for distortions along y; of matrices one for each
        parameter, in ITK's order
    learning_rate: of fields: the longest way in an iteration (voxels). None: 0.1, of demons 0.5, of
        "tvf" 0.25
    update_variance, total_variance: of fields: of the Gaussians that smooth an update, and the
        whole field (voxels^2). None: 3 and 0, of demons 0 and 1
    determinant_limit: of "syn", "greedy" and "tvf": Jacobian determinants stay between its
        reciprocal and this factor, which is above 1: updates that exceed it are shortened. None: no
        limit, of "tvf" 4
    sliding: of "greedy": whether the sliding_regions of register() slide along their borders. None:
        True where there are any
    time_points: of "tvf": time points of the velocity field, 2 to 16. None: 4
    update_time_variance, total_time_variance: of "tvf": of the Gaussians that smooth an update, and
        the velocity field, along time (squared time points). None: 0.25 and 0
    inversion: of fields: the iterations that make inverses, "fixed-point" (ITK's) or "anderson"
        (Anderson mixing, with fewer iterations)
    smooth_under_masks: of "syn", "greedy" and "tvf": whether only the pixels under its mask count
        where an image is smoothed or interpolated; otherwise what a mask leaves out changes the
        pixels around it, as in ITK. None: with metrics that ITK does not have
    average_midpoint_gradients: of "syn": whether both images move by the mean of their updates, in
        opposite directions, as ITK's option of that name. None: with metrics that ITK does not have
    control_spacing: of "discrete": voxels of fixed (the least spacing) from one control point to
        the next, 1 to 32. None: 4
    search_radius: of "discrete": the largest displacement along each axis, 1 to 16 steps. None: 8
    search_step: of "discrete": voxels from one displacement to the next, at most control_spacing.
        None: 2
    coupling: of "discrete": the weight of the squared distance (steps) from the mean of the
        neighbours in the last pass. None: 0.05
    symmetric: of "discrete": whether both images are searched, and the displacements made
        consistent. None: True
    mask, moving_mask: where the images count in this stage, as for register(), whose masks they
        replace; documents do not contain them

    Raises TypeError or ValueError, naming the argument.

    Examples
    --------
    >>> import cudaspline
    >>> cudaspline.Stage("syn", iterations=(40, 20, 0)).levels
    (Level(shrink=4, sigma=2.0, iterations=40), Level(shrink=2, sigma=1.0, iterations=20),
    Level(shrink=1, sigma=0.0, iterations=0))
    >>> cudaspline.Stage("greedy", metric=[("cc", 0.7), ("mattes", 0.3)]).metrics
    (PairMetric(metric='cc', weight=0.7), PairMetric(metric='mattes', weight=0.3))
    """

    kind: str
    metric: Union[None, str, Sequence[Union[str, tuple[str, float]]]] = None
    iterations: Union[None, int, Sequence[int]] = None
    iteration_limit: Union[None, int, Sequence[int]] = None
    shrink: Optional[Sequence[int]] = None
    sigmas: Optional[Sequence[float]] = None
    sigmas_in_mm: Optional[bool] = None
    radius: Optional[int] = None
    variance_floor: Optional[float] = None
    edge_factor: Optional[float] = None
    bins: Optional[int] = None
    convergence: Optional[float] = None
    optimizer: Optional[str] = None
    step: Optional[float] = None
    step_in_voxels: Optional[bool] = None
    minimum_step: Optional[float] = None
    grid_spacing: Union[None, float, Sequence[float]] = None
    bending_energy: Optional[float] = None
    linear_elasticity: Optional[float] = None
    total_variation: Optional[float] = None
    jacobian_penalty: Optional[float] = None
    landmark_weight: Optional[float] = None
    label_weight: Optional[float] = None
    sampling: Optional[str] = None
    fraction: Optional[float] = None
    seed: Optional[int] = None
    order: Optional[int] = None
    gradient: Optional[str] = None
    restrict_deformation: Optional[Sequence[float]] = None
    learning_rate: Optional[float] = None
    update_variance: Optional[float] = None
    total_variance: Optional[float] = None
    determinant_limit: Optional[float] = None
    sliding: Optional[bool] = None
    time_points: Optional[int] = None
    update_time_variance: Optional[float] = None
    total_time_variance: Optional[float] = None
    inversion: Optional[str] = None
    smooth_under_masks: Optional[bool] = None
    average_midpoint_gradients: Optional[bool] = None
    control_spacing: Optional[int] = None
    search_radius: Optional[int] = None
    search_step: Optional[int] = None
    coupling: Optional[float] = None
    symmetric: Optional[bool] = None
    mask: Any = field(default=None, compare=False, repr=False)
    moving_mask: Any = field(default=None, compare=False, repr=False)
    levels: InitVar[Optional[int]] = None

    def __post_init__(self, levels: Any) -> None:
        given = {
            name: getattr(self, name)
            for name in ("kind", *_FIELDS)
            if getattr(self, name) is not None
        }
        is_copy = isinstance(levels, tuple) and all(isinstance(one, Level) for one in levels)
        if levels is not None and not is_copy:  # dataclasses.replace() passes the attribute
            given["levels"] = levels
        complete = complete_document(
            {"stages": [given]}, {**given, "stages": self.kind}, {"stages": "kind"}
        )
        self._set(given, complete["stages"][0])

    @classmethod
    def of_complete(
        cls, complete: Mapping[str, Any], given: Optional[Mapping[str, Any]] = None
    ) -> Stage:
        """A stage of a complete document."""
        stage = object.__new__(cls)
        stage._set(dict(complete if given is None else given), complete)
        return stage

    def _set(self, given: Mapping[str, Any], complete: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_given", given)
        for name in ("kind", *_FIELDS):
            value = complete.get(name)
            object.__setattr__(
                self, name, tuple(value) if isinstance(value, list) and name != "metric" else value
            )
        metric = complete["metric"]
        metrics = (
            (PairMetric(metric),)
            if isinstance(metric, str)
            else tuple(PairMetric(*one) for one in metric)
        )
        object.__setattr__(self, "metric", metrics[0].metric if len(metrics) == 1 else metrics)
        object.__setattr__(self, "_metrics", metrics)

    @property
    def is_deformable(self) -> bool:
        """Whether it finds fields."""
        return self.learning_rate is not None or self.coupling is not None

    @property
    def metrics(self) -> tuple[PairMetric, ...]:
        """The metrics of the first pair of images, and of the additional ones."""
        metrics: tuple[PairMetric, ...] = getattr(self, "_metrics")  # noqa: B009  (not a field)
        return metrics

    def describe(self) -> dict[str, Any]:
        """The given options, for a document."""
        return dict(getattr(self, "_given"))  # noqa: B009  (not a field)


def _levels_of(stage: Stage) -> tuple[Level, ...]:
    """The levels, from coarse to fine."""
    shrink, sigmas = stage.shrink or (1,), stage.sigmas or (0.0,)
    return tuple(Level(*values) for values in zip(shrink, sigmas, stage.iterations))  # type: ignore[arg-type]


Stage.levels = property(_levels_of)  # type: ignore[assignment]  # given as their number

#: Options that are attributes of a stage.
_FIELDS = tuple(
    one.name for one in fields(Stage) if one.name not in ("kind", "mask", "moving_mask")
)
#: Options that apply to all stages.
OPTIONS = (*_FIELDS, "levels")


def _plain(value: Any, name: str) -> Any:
    """A value as JSON has it. Raises TypeError or ValueError, naming the option."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if type(value).__name__ == "bool_":  # NumPy's
        return bool(value)
    if isinstance(value, numbers.Integral) or hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one, name) for key, one in value.items()}
    if isinstance(value, (list, tuple)) or (
        hasattr(value, "__iter__") and not isinstance(value, (bytes, complex))
    ):
        return [_plain(one, name) for one in value]
    try:
        if isinstance(value, (bytes, complex)):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: {value!r} is not a valid value of an option.") from None
    if not math.isfinite(found):
        raise ValueError(f"{name}: {value!r} must be finite.")
    return found


def _refuse(
    problems: Sequence[_registration_library.Problem],
    given: Mapping[str, Any],
    names: Mapping[str, str],
) -> NoReturn:
    """Raises TypeError or ValueError, by the first problem. The message has a line for each, which begins with the option's name."""
    lines = dict.fromkeys(
        _describe(problem, given, names) for problem in problems
    )  # several stages may have the same
    raise (TypeError if problems[0].is_type else ValueError)("\n".join(lines))


def _describe(
    problem: _registration_library.Problem, given: Mapping[str, Any], names: Mapping[str, str]
) -> str:
    """A problem in a sentence, with what the caller calls its option and the value as the caller has it."""
    value, where = given.get(problem.option), ""
    if problem.option == "stages" and problem.stage >= 0 and isinstance(value, (list, tuple)):
        value = value[problem.stage]
    elif value is None and problem.value:
        value = json.loads(problem.value)
        where = (
            f" (stages[{problem.stage}])"
            if problem.stage >= 0 and problem.option != "stages"
            else ""
        )
    text = problem.text.replace("{value}", repr(value)) + f"{where}."
    if problem.names and isinstance(value, str):
        similar = difflib.get_close_matches(value.lower(), problem.names, 1)
        text = (
            text.replace("is not known;", f"is not known; did you mean {similar[0]!r}?")
            if similar
            else text
        )
    name = "spec: its version" if problem.option == VERSION else problem.option
    return f"{names.get(name, name)}: {text}"


def complete_document(
    document: Mapping[str, Any],
    given: Mapping[str, Any],
    names: Mapping[str, str],
    size: Sequence[int] = (),
) -> Any:
    """A document with all values.

    given: the values as the caller has them, for messages
    names: what the caller calls options, where it is another name
    size: of the fixed image

    Raises TypeError or ValueError, naming the option."""
    plain: dict[str, Any] = {VERSION: _registration_library.SPEC_VERSION}
    for key, value in document.items():
        if key in ("options", "stages") and isinstance(value, (Mapping, list)):
            entries = [value] if isinstance(value, Mapping) else value
            found = [
                {name: _plain(one, name) for name, one in entry.items()}
                if isinstance(entry, Mapping)
                else _plain(entry, key)
                for entry in entries
            ]
            plain[key] = found[0] if isinstance(value, Mapping) else found
        else:
            plain[key] = _plain(value, key)
    try:
        return _registration_library.complete(plain, size)
    except _registration_library.DocumentError as error:
        _refuse(error.problems, given, names)


def make_document(
    stages: Any,
    preset: Any,
    options: Mapping[str, Any],
    winsorize: Any = None,
    precision: Optional[str] = None,
    initial: Optional[str] = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(document, values as the caller has them) of what register() is called with. Raises TypeError
    or ValueError, naming the argument."""
    check_keywords(options, OPTIONS, make_document, "register()")
    document: dict[str, Any] = {
        "options": {name: value for name, value in options.items() if value is not None},
    }
    if preset is not None:
        document["preset"] = preset
    if stages is not None:
        named = [stages] if isinstance(stages, (str, Stage)) else stages
        if not isinstance(named, (list, tuple)) or not named:
            raise TypeError(
                f"stages: {stages!r} must be the name of a stage, a Stage, or a list of these."
            )
        for i, stage in enumerate(named):
            if not isinstance(stage, (str, Stage)):
                raise TypeError(
                    f"stages[{i}]: {type(stage).__name__} must be the name of a stage or a Stage."
                )
        document["stages"] = [
            stage.describe() if isinstance(stage, Stage) else stage for stage in named
        ]
        stages = [stage.kind if isinstance(stage, Stage) else stage for stage in named]
    whole = {"winsorize": winsorize, "initial": initial, "precision": precision}
    document.update({name: value for name, value in whole.items() if value is not None})
    return document, {**options, **whole, "stages": stages, "preset": preset}


def read_document(spec: Any) -> dict[str, Any]:
    """A document: a mapping, or a JSON file. Raises TypeError or ValueError, naming the
    argument."""
    if isinstance(spec, Mapping):
        return {VERSION: None, **spec}  # which the library refuses without a version
    if not isinstance(spec, (str, os.PathLike)):
        raise TypeError(f"spec: {type(spec).__name__} must be a document or a file name.")
    try:
        with open(spec, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"spec: there is no file {os.fspath(spec)}.") from None
    except ValueError as error:
        raise ValueError(f"spec: {os.fspath(spec)} is not JSON: {error}.") from None
    if not isinstance(found, dict):
        raise ValueError(f"spec: {os.fspath(spec)} is not a JSON object.")
    return {VERSION: None, **found}


def masks_of(stages: Any) -> list[tuple[Any, Any]]:
    """(mask, moving mask) of each stage; empty where no stage has one of its own."""
    named = stages if isinstance(stages, (list, tuple)) else [stages]
    masks = [
        (stage.mask, stage.moving_mask) if isinstance(stage, Stage) else (None, None)
        for stage in named
    ]
    return masks if any(mask is not None for pair in masks for mask in pair) else []


def stages_of(document: Mapping[str, Any]) -> list[Stage]:
    """The stages of a complete document."""
    return [Stage.of_complete(stage) for stage in document["stages"]]


def preset_stages(name: str, size: Sequence[int] = ()) -> list[Stage]:
    """The stages of a preset for a fixed image of a size."""
    return stages_of(complete_document({"preset": name}, {"preset": name}, {}, size))
