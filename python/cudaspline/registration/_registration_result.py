"""The results of register()."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Generic, Iterator, Mapping, NamedTuple, Optional, Union

import numpy

from ..core import _arrays, _html, _library
from ..core._checks import flag
from ..core._options import Kind, OtherKind
from ..images import _images
from ..images._images import Image
from ..resampling import _resample
from ._registration_library import Folding
from ._registration_stages import Stage
from ._transform import Transform, measure


class Iteration(NamedTuple):
    """An iteration of a registration."""

    #: Number of the stage, from 0.
    stage: int
    #: Number of the level in the stage, from 0, the coarsest.
    level: int
    #: Number of the iteration in its level, from 1.
    iteration: int
    #: Value of the metric; lower is better. In units of the images, but see
    #: RegistrationReport.value_factors.
    value: float
    #: How much the last values fall; infinite of too few.
    convergence: float
    #: Matrices: maximum displacement of a corner of the fixed image; B-splines: of a coefficient
    #: (mm); fields: 0.
    step: float


class History:
    """All iterations of a registration, as a table: history["value"] is a column, history[3] an
    iteration.

    Examples
    --------
    >>> history = History([Iteration(0, 0, 1, -0.5, float("inf"), 1.0), Iteration(0, 0, 2, -0.75, float("inf"), 0.5)])
    >>> history["value"]
    array([-0.5 , -0.75])
    >>> len(history), history.columns
    (2, ('stage', 'level', 'iteration', 'value', 'convergence', 'step'))
    """

    def __init__(self, iterations: list[Iteration]) -> None:
        self._iterations = tuple(iterations)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return Iteration._fields

    def __len__(self) -> int:
        return len(self._iterations)

    def __iter__(self) -> Iterator[Iteration]:
        return iter(self._iterations)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or iterations by number or slice. Raises KeyError for another
        name."""
        if not isinstance(key, str):
            return self._iterations[key]
        if key not in Iteration._fields:
            raise KeyError(f"{key!r} is not a column; use one of {', '.join(Iteration._fields)}")
        number = Iteration._fields.index(key)
        dtype = numpy.int64 if number < 3 else numpy.float64
        return numpy.array([iteration[number] for iteration in self._iterations], dtype)

    def to_dict(self) -> dict[str, numpy.ndarray]:
        """The columns by their names: pandas.DataFrame(history.to_dict()) and its like."""
        return {name: self[name] for name in Iteration._fields}

    def plot(self, axes: Any = None) -> Any:
        """Draws the metric's values over the iterations by Matplotlib, which has to be installed:
        one panel per stage, as values of different metrics cannot be compared, and one line per
        level.

        axes: of Matplotlib, one a stage, or one for all; None: new ones, side by side

        Returns the axes: one, or an array with one a stage. Raises ValueError for another number of
        axes."""
        stages = sorted(set(self["stage"].tolist()))
        if axes is None:
            import matplotlib.pyplot  # type: ignore[import-not-found, unused-ignore]

            count = max(1, len(stages))
            axes = matplotlib.pyplot.subplots(
                1, count, figsize=(2 + 4 * count, 4), squeeze=True, layout="constrained"
            )[1]
        panels = (
            list(axes.flat)
            if hasattr(axes, "flat")
            else list(axes)
            if isinstance(axes, (list, tuple))
            else [axes] * max(1, len(stages))
        )
        if len(panels) != max(1, len(stages)):
            raise ValueError(
                f"axes: {len(panels)} are given for {len(stages)} stages; the numbers must be equal."
            )
        stage, level, value = self["stage"], self["level"], self["value"]
        for number, panel in zip(stages, panels):
            if len(set(panels)) == len(stages):
                panel.set_title(f"stage {number + 1}")
            for one in sorted(set(level[stage == number].tolist())):
                rows = numpy.flatnonzero((stage == number) & (level == one))
                panel.plot(rows + 1, value[rows], label=f"stage {number + 1}, level {one + 1}")
        for panel in panels:
            panel.set_xlabel("iteration")
            panel.set_ylabel("metric")
            if panel.get_legend_handles_labels()[0]:
                panel.legend()
        return axes

    def __repr__(self) -> str:
        lines = [" ".join(f"{name:>12}" for name in Iteration._fields)]
        rows = list(self._iterations)
        for row in rows if len(rows) <= 12 else [*rows[:6], None, *rows[-5:]]:
            lines.append(
                "..."
                if row is None
                else " ".join(f"{n:>12}" if isinstance(n, int) else f"{n:>12.6g}" for n in row)
            )
        return "\n".join(lines)


def _names_of(stage: Stage) -> str:
    """The metrics of the pairs of images, with weights if there are several."""
    if len(stage.metrics) == 1:
        return stage.metrics[0].metric
    return ", ".join(f"{metric}:{weight:g}" for metric, weight in stage.metrics)


@dataclass(frozen=True)
class LevelReport:
    """A level that has ended."""

    shrink: int
    sigma: float
    #: Number of iterations.
    iterations: int
    #: Value of the metric in the last iteration; 0 without iterations.
    value: float
    seconds: float
    #: Why it has ended, in words.
    end: str


@dataclass(frozen=True)
class StageReport:
    """A stage that has ended."""

    #: The options that were used.
    stage: Stage
    levels: tuple[LevelReport, ...]
    #: The backend, and why it was not a preferred one.
    execution: _library.Report


class Agreement(NamedTuple):
    """Whether the images of a registration can belong to each other, by coarse images."""

    #: Part of the fixed image, under its mask, that is inside the moving one.
    overlap: float
    #: Part of the fixed image's entropy that the moving image explains, less what shuffled values
    #: explain; NaN where fixed is constant.
    explained: float
    #: By how many standard deviations the images have more in common, under the transform without
    #: fields and B-splines, than if the moving one is turned within its outline. Unrelated images
    #: have less than 3; NaN where there are too few voxels.
    significance: float


@dataclass(frozen=True)
class RegistrationReport:
    """The outcome of a registration. str(report) is a table."""

    stages: tuple[StageReport, ...]
    #: Seconds of the whole registration, including the time outside of the stages.
    seconds: float
    #: Powers of two by which the values of each pair (fixed, moving) were multiplied to be
    #: compared: not 1 where the largest magnitude is below 2^-7 or above 2^30. Values of
    #: metrics with a unit are still reported in units of the images, except where a stage compares several
    #: pairs, whose values are then of the multiplied images.
    value_factors: tuple[tuple[float, float], ...] = ((1.0, 1.0),)
    #: None where the registration was interrupted.
    agreement: Optional[Agreement] = None

    def __str__(self) -> str:
        lines = [
            f"values of fixed and moving were multiplied by {factors[0]:.6g} and {factors[1]:.6g} to be compared"
            for factors in self.value_factors
            if factors != (1.0, 1.0)
        ]
        for number, stage in enumerate(self.stages):
            where = stage.execution.backend + (
                "" if stage.execution.device is None else f" {stage.execution.device}"
            )
            reason = f" ({stage.execution.reason})" if stage.execution.reason else ""
            lines.append(
                f"stage {number + 1}: {stage.stage.kind}, {_names_of(stage.stage)}, on {where}{reason}"
            )
            for level in stage.levels:
                lines.append(
                    f"  1/{level.shrink}, sigma {level.sigma:g}: {level.iterations} iterations in {level.seconds:.3g} s, "
                    f"metric {level.value:.6g}; {level.end}"
                )
        if self.agreement is not None:
            found = self.agreement
            lines.append(
                f"{100 * found.overlap:.3g} % overlap; {100 * found.explained:.3g} % of the fixed image's entropy are explained"
            )
        lines.append(f"{self.seconds:.3g} s")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The HTML for notebooks."""
        rows = []
        for number, stage in enumerate(self.stages):
            where = stage.execution.backend + (
                "" if stage.execution.device is None else f" {stage.execution.device}"
            )
            for place, level in enumerate(stage.levels):
                names = (
                    (number + 1, stage.stage.kind, _names_of(stage.stage), where)
                    if place == 0
                    else ("",) * 4
                )
                rows.append(
                    (
                        *names,
                        f"1/{level.shrink}",
                        f"{level.sigma:g}",
                        level.iterations,
                        f"{level.value:.6g}",
                        f"{level.seconds:.3g}",
                        level.end,
                    )
                )
        header = (
            "stage",
            "kind",
            "metric",
            "on",
            "level",
            "sigma",
            "iterations",
            "value",
            "seconds",
            "end",
        )
        return f"{_html.table(header, rows)}{self.seconds:.3g} s"


def interpolation_of(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The interpolation of warped images, as arguments of resample()."""
    order = spec["warped_order"]
    return {"interpolation": "linear"} if order == 1 else {"order": order}


class Registration(Generic[Kind, OtherKind]):
    """The result of register().

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> y, x = numpy.mgrid[:24, :32]
    >>> fixed, moving = (numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40.0) for shift in (0, 1))
    >>> found = cudaspline.register(fixed, moving, "syn", radius=2, iterations=20, shrink=(2, 1), device="cpu")
    >>> bool(numpy.abs(found.warped - fixed).max() < 0.3 * numpy.abs(moving - fixed).max())
    True
    """

    def __init__(
        self,
        *,
        fixed: Any,
        moving: Any,
        transform: Transform,
        history: History,
        report: RegistrationReport,
        stopped: bool,
        precision: str,
        around: tuple[Any, int],
        spec: dict[str, Any],
    ) -> None:
        self._fixed, self._moving = fixed, moving
        self._precision = precision
        self._device, self._threads = around
        #: Maps points of the fixed image to points of the moving one.
        self.transform = transform
        #: All iterations.
        self.history = history
        #: Levels, times, backend.
        self.report = report
        #: Whether it was interrupted: the transform is the best so far, and later stages have not
        #: run.
        self.stopped = stopped
        #: Everything that was done, with all values, as a JSON document: register(...,
        #: spec=found.spec) repeats it.
        self.spec = spec

    @functools.cached_property
    def warped(self) -> Union[OtherKind, Any]:
        """The moving image on the fixed one's grid, of its own kind, interpolated as
        spec["warped_order"] says: by a B-spline of the order of the last stage that has one
        (default: linear); 0 outside of the moving image."""
        return self._resample(self._moving, self.transform, self._fixed)

    @functools.cached_property
    def inverse_warped(self) -> Union[Kind, Any]:
        """The fixed image on the moving one's grid."""
        return self._resample(self._fixed, self.transform.inverse(), self._moving)

    def _resample(self, image: Any, transform: Transform, reference: Any) -> Any:
        return _resample.resample(
            image,
            transform,
            reference,
            dtype=self._precision,
            smooth=False,
            device=self._device,
            threads=self._threads,
            **interpolation_of(self.spec),
        )

    @functools.cached_property
    def field(self) -> Image:
        """How far samples of the fixed image are moved (mm, x first in the last axis), of all
        stages and initial transforms."""
        return self.transform._field_on(self._fixed, self._precision, self._device, self._threads)

    def jacobian(self, log: bool = False) -> Union[Kind, Any]:
        """Jacobian determinants of the transform at the samples of the fixed image, of its kind:
        how volumes are scaled, above 1 where the moving image is larger.

        log: their natural logarithm, and that of 1e-4 where they are less"""
        return self._measure(flag(log, "log"), True)[0]

    @functools.cached_property
    def folding(self) -> Folding:
        """How many samples are folded, and the range of the determinants."""
        return self._measure(False, False)[1]

    def _measure(self, is_logarithm: bool, is_wanted: bool) -> tuple[Any, Folding]:
        found, folding = measure(self.field, self._threads, is_logarithm, is_wanted)
        return None if found is None else self._finish(found), folding

    def _finish(self, found: _arrays.Buffer) -> Any:
        """An image of one number per pixel, of the kind of the fixed image unless that has
        colours."""
        opened = _images.open_image(self._fixed, "fixed")
        if opened.components > 1:
            return Image.of(
                found.array.reshape(self.field.geometry.shape), self.field.geometry, False
            )
        return opened.finish(found, self.field.geometry)

    def _repr_html_(self) -> str:
        """The HTML for notebooks: the moving image on the fixed one's grid, the transform, and the
        report."""
        image = _images.open_image(self.warped, "warped")
        shown = Image.of(
            image.buffer.array.reshape(image.buffer.shape),
            image.geometry,
            "last" if image.channels else False,
        )
        return f"{shown._repr_html_()}{self.transform._repr_html_()}{self.report._repr_html_()}"

    def __repr__(self) -> str:
        value = f", metric {self.history[-1].value:.6g}" if len(self.history) else ""
        return f"<cudaspline.Registration: {self.transform!r}{value}{', stopped' if self.stopped else ''}>"
