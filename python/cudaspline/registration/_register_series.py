"""Registration of the volumes of a series, and correction of motion: register_series()."""

from __future__ import annotations

import functools
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Generic, NamedTuple, Optional, Sequence, Union

import numpy

from ..core import _arrays
from ..core._checks import LARGEST_INT32, callback, integer
from ..core._geometry import Geometry
from ..core._options import Kind, PresetName, RealType, StageOptions
from ..images import _images
from ..images._pixels import Pixels
from ..resampling import _resample
from ..resampling._labels import part_of
from ..resampling._prepared import Like
from ..transforms._transform_parts import LinearPart
from ._register import check_spaces, register
from ._registration_result import RegistrationReport, interpolation_of
from ._registration_stages import Stage, read_document
from ._transform import Transform

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Radius of a head (mm), with which rotations are converted to displacements: Power and others
#: (2012).
_RADIUS = 50.0


class MotionRow(NamedTuple):
    """The position of a volume: a point x of its reference (mm, LPS) is at R (x - centre) + centre
    + t in the volume."""

    volume: int
    #: t (mm).
    trans_x: float
    trans_y: float
    trans_z: float
    #: R turns by rot_y, then rot_x, then rot_z about these axes (radians), as
    #: itk::Euler3DTransform.
    rot_x: float
    rot_y: float
    rot_z: float
    #: Sum of the magnitudes of the differences from the volume before, of translations and of
    #: rotations times 50 mm; NaN of the first.
    framewise_displacement: float
    #: At the end, the lower the better.
    metric: float


#: Descriptions of the columns, and their units.
_COLUMNS = (
    ("Number of the volume, from 0", None),
    ("t_x: translation to the patient's left", "mm"),
    ("t_y: translation to the patient's back", "mm"),
    ("t_z: translation to the patient's head", "mm"),
    ("Rotation about the x axis, applied second", "rad"),
    ("Rotation about the y axis, applied first", "rad"),
    ("Rotation about the z axis, applied third", "rad"),
    (
        "Sum of the magnitudes of the differences from the volume before, of translations and of rotations times 50 mm (Power and others 2012); "
        "n/a for the first volume",
        "mm",
    ),
    ("Value of the registration's metric at the end; the lower, the better", None),
)


class Motion:
    """The motion of a series, as a table: motion["trans_x"] is a column, motion[3] a volume's row.

    Examples
    --------
    >>> motion = Motion([MotionRow(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, float("nan"), -1.0)], (0.0, 0.0, 0.0))
    >>> motion["metric"].tolist(), motion[0].trans_x, len(motion)
    ([-1.0], 0.0, 1)
    """

    def __init__(self, rows: Sequence[MotionRow], centre: Sequence[float]) -> None:
        self._rows = tuple(rows)
        #: Of the rotations (mm).
        self.centre = tuple(float(value) for value in centre)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return MotionRow._fields

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        """A column by its name, or rows by number or slice. Raises KeyError for another name."""
        if not isinstance(key, str):
            return self._rows[key]
        if key not in MotionRow._fields:
            raise KeyError(f"{key!r} is not a column; use one of {', '.join(MotionRow._fields)}")
        number = MotionRow._fields.index(key)
        return numpy.array(
            [row[number] for row in self._rows], numpy.int64 if number == 0 else numpy.float64
        )

    def to_dict(self) -> dict[str, numpy.ndarray]:
        """The columns by their names: pandas.DataFrame(motion.to_dict()) and its like."""
        return {name: self[name] for name in MotionRow._fields}

    def save(self, path: Union[str, Path]) -> None:
        """Writes the table as CudaSplineRegister --parameters does: numbers between tabulators,
        under a line with the names of columns, which pandas.read_csv(path, sep="\\t") reads; and a
        JSON file of the same name, .json, with units and columns as in BIDS.

        Raises ValueError where the table's own name ends with .json."""
        path = Path(path)
        if path.suffix == ".json":
            raise ValueError(
                f"path: {str(path)!r} is the name of the description; use another suffix for the table, such as .tsv."
            )
        lines = ["\t".join(MotionRow._fields)]
        for row in self._rows:
            lines.append("\t".join("n/a" if math.isnan(value) else f"{value:.9g}" for value in row))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        described: dict[str, Any] = {
            "Description": "Rigid motion of the volumes of a series. A point x of the reference (mm; LPS, the axes of ITK and DICOM: to the "
            "patient's left, back and head) is at R (x - c) + c + t in a volume, where t = (trans_x, trans_y, trans_z), c is "
            "CentreOfRotation, and R rotates by rot_y, then rot_x, then rot_z about these axes (itk::Euler3DTransform).",
            "CentreOfRotation": list(self.centre),
            "CentreOfRotationUnits": "mm",
        }
        for name, (text, units) in zip(MotionRow._fields, _COLUMNS):
            described[name] = {"Description": text, **({"Units": units} if units else {})}
        path.with_suffix(".json").write_text(
            json.dumps(described, indent=2) + "\n", encoding="utf-8"
        )

    def __repr__(self) -> str:
        largest = max(
            (
                row.framewise_displacement
                for row in self._rows
                if not math.isnan(row.framewise_displacement)
            ),
            default=0.0,
        )
        return f"<cudaspline.Motion of {len(self)} volumes, framewise displacement {largest:.3g} mm at most>"


class SeriesRegistration(Generic[Kind]):
    """The result of register_series().

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> y, x = numpy.mgrid[:24, :32]
    >>> series = numpy.stack([numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40.0) for shift in (0, 1)])
    >>> found = cudaspline.register_series(series, "mean", device="cpu")
    >>> found
    <cudaspline.SeriesRegistration of 2 volumes>
    >>> bool(numpy.abs(found.warped[1] - found.warped[0]).max() < 0.3 * numpy.abs(series[1] - series[0]).max())
    True
    """

    def __init__(
        self,
        series: _images.Series,
        fixed: _images.Image,
        found: Sequence[tuple[Transform, RegistrationReport]],
        spec: dict[str, Any],
        around: tuple[Any, int],
    ) -> None:
        self._series, self._fixed, self._around = series, fixed, around
        #: What was done with each volume, as Registration.spec.
        self.spec = spec
        #: One per volume: from points of its reference to points of the volume.
        self.transforms: tuple[Transform, ...] = tuple(transform for transform, _ in found)
        #: One per volume: levels, times, backend.
        self.reports: tuple[RegistrationReport, ...] = tuple(report for _, report in found)

    @functools.cached_property
    def warped(self) -> Union[Kind, Any]:
        """All volumes on the grid of their reference, a series of the same kind,
        interpolated as Registration.warped; 0 outside of a volume."""
        grid = self._fixed.geometry
        whole: Optional[_arrays.Buffer] = None
        made: list[Any] = []  # volumes of a kind that cannot be written
        for number, transform in enumerate(self.transforms):
            pixels = self._series.volume(number)
            is_written = pixels.buffer.kind != "jax" or pixels.buffer.device < 0
            if whole is None and is_written:
                whole = _arrays.empty(
                    pixels.buffer, (self._series.count, *grid.shape), self.spec["precision"]
                )
            moved = _resample.resample(
                _image_of(pixels),
                transform,
                self._fixed,
                dtype=self.spec["precision"],
                smooth=False,
                out=_arrays.part_of(whole, number).array if whole is not None else None,
                device=self._around[0],
                threads=self._around[1],
                **interpolation_of(self.spec),
            )
            if not is_written:
                made.append(moved.array)
                if len(made) == len(self.transforms):
                    whole = _arrays.view(_arrays.functions_of(pixels.buffer).stack(made), "warped")
        return self._series.finish(whole, grid) if whole is not None else None

    @functools.cached_property
    def motion(self) -> Motion:
        """The motion of a head. Raises ValueError where volumes were not laid by one rigid
        transform each, of three dimensions."""
        rows: list[MotionRow] = []
        centre: Sequence[float] = ()
        before: Optional[tuple[float, ...]] = None
        for number, (transform, report) in enumerate(zip(self.transforms, self.reports)):
            part = transform._parts[0] if len(transform._parts) == 1 else None
            if (
                not isinstance(part, LinearPart)
                or part.kind != "rigid"
                or part.parameters is None
                or len(part.centre) != 3
            ):
                raise ValueError(
                    "motion: it requires volumes of three dimensions that are registered with the stage 'rigid' only, without an initial transform."
                )
            now = (*part.parameters[3:6], *part.parameters[:3])
            way = math.nan
            if before is not None:
                # angles: the shorter way round
                turned = [
                    math.remainder(one - other, 2 * math.pi)
                    for one, other in zip(now[3:], before[3:])
                ]
                way = sum(abs(one - other) for one, other in zip(now[:3], before[:3])) + sum(
                    _RADIUS * abs(angle) for angle in turned
                )
            rows.append(MotionRow._make((number, *now, way, report.stages[-1].levels[-1].value)))
            before, centre = now, part.centre.tolist()
        return Motion(rows, centre)

    def __repr__(self) -> str:
        return f"<cudaspline.SeriesRegistration of {len(self.transforms)} volumes>"


def register_series(
    series: Union[Kind, Like],
    over: Any = "first",
    stages: Union[None, str, Stage, Sequence[Union[str, Stage]]] = None,
    *,
    also: Sequence[Any] = (),
    mask: Any = None,
    moving_mask: Any = None,
    initial: Any = None,
    preset: Optional[PresetName] = None,
    spec: Any = None,
    winsorize: Optional[tuple[float, float]] = None,
    precision: Optional[RealType] = None,
    device: Any = None,
    threads: int = 0,
    progress: Union[None, bool, Callable[[float], object]] = None,
    **options: Unpack[StageOptions],
) -> SeriesRegistration[Kind]:
    """Lays each volume of a series over one image: motion correction, as CudaSplineRegister
    --motion, or registration to another image.

    Parameters
    ----------
    series
        An image of four axes (three, of volumes of two) of itk, SimpleITK, nibabel, ANTsPy or
        cudaspline.Image, or an array (nt, nz, ny, nx). One volume at a time is read.
    over
        "first": the first volume; "mean": the mean of the volumes as they are; a number: that
        volume, from 0; or an image.
    stages, preset
        As for register(). None: "rigid" over a volume or the mean, by "correlation" on two levels,
        as volumes are alike and lie nearly over each other; over an image what register() takes.
    also
        Additional series of as many volumes, as echoes of one scan, whose volumes are in the spaces
        of those of the first series: see also of register() for the stages that compare them. Each
        is registered to its own reference ("first", "mean", a number), or, as pairs (image,
        series), to images in the space of the first one.
    mask, moving_mask, spec, winsorize, precision, device, threads
        As for register(); moving_mask is for all volumes.
    initial
        As for register(), of all volumes. None: that of spec; without it "none" over a volume or
        the mean, else "moments".
    progress
        True: one line per volume on stderr; or a function that is called with the finished
        fraction. What it raises, and an interrupt (Ctrl-C), ends the whole.
    options
        As for register().

    Returns
    -------
    A cudaspline.SeriesRegistration with transforms, warped, motion, reports.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid; the message begins with its name.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline
    >>> y, x = numpy.mgrid[:24, :32]
    >>> series = numpy.stack([numpy.exp(-((x - 15 - shift) ** 2 + (y - 12) ** 2) / 40.0) for shift in (0, 1)])
    >>> found = cudaspline.register_series(series, device="cpu")
    >>> found.transforms[1].apply([15.0, 12.0]).round(1)
    array([16., 12.])
    >>> found.warped.shape
    (2, 24, 32)
    """
    read = _images.loaded(series, "series")
    if isinstance(series, (str, os.PathLike)) and isinstance(read, _images.NiftiImage):
        if read.array.ndim == 3:
            raise ValueError(
                f"series: {os.fspath(series)} is a single volume; a series of volumes (4D) is needed. Pass an array if its slices are the images of a series."
            )
    opened = _images.open_series(read, "series", False, True)
    if opened is None or opened.count < 1:
        raise ValueError("series: it has no volumes.")
    axes = len(opened.volume(0).geometry.size)
    if axes not in (2, 3):
        raise ValueError(
            f"series: each volume has {axes} axes; volumes must have 2 or 3 axes (the first axis of the series counts the volumes)."
        )
    fixed, is_own = _fixed_of(opened, over)
    check_spaces({"over": fixed.geometry, "series": opened.volume(0).geometry})
    if is_own and stages is None and preset is None and spec is None:
        stages = "rigid"
        options.setdefault("metric", "correlation")  # the volumes are alike
        if not {"iterations", "shrink", "sigmas", "levels"} & set(options):
            options["levels"] = 2  # and lie nearly over each other
    if is_own and initial is None and spec is None:
        initial = "none"
    listener = (
        None if progress is None or isinstance(progress, bool) else callback(progress, "progress")
    )
    further = _further_of(also, over if is_own else None, opened.count)
    found = []
    document = None if spec is None else read_document(spec)  # once, if it is a file
    for number in range(opened.count):
        additional = [
            (image, _image_of(other.volume(number), f"also[{i}]"))
            for i, (image, other) in enumerate(further)
        ]
        try:
            one = register(
                fixed,
                _image_of(opened.volume(number)),
                stages,
                also=additional,
                mask=mask,
                moving_mask=moving_mask,
                initial=initial,
                preset=preset,
                spec=document,
                winsorize=winsorize,
                precision=precision,
                device=device,
                threads=threads,
                progress=part_of(listener, number / opened.count, (number + 1) / opened.count),
                **options,
            )
        except ValueError as error:
            if not str(error).startswith("moving: "):
                raise
            raise ValueError(f"series: volume {number}: {str(error)[len('moving: ') :]}") from None
        if one.stopped:
            raise KeyboardInterrupt
        if progress is True:
            print(
                f"volume {number + 1} of {opened.count}: metric {one.history[-1].value if len(one.history) else 0.0:.6g}",
                file=sys.stderr,
            )
        found.append((one.transform, one.report))  # and not the volume
    return SeriesRegistration(opened, fixed, found, one.spec, (device, threads))


def _further_of(also: Any, over: Any, count: int) -> list[tuple[_images.Image, _images.Series]]:
    """Additional series, each with its reference.

    over: what the first series is, where that is of its own; None: an image. Raises TypeError or
        ValueError, naming the argument."""
    if not isinstance(also, (list, tuple)):
        raise TypeError(f"also: {type(also).__name__} is not a list of series.")
    found = []
    for i, one in enumerate(also):
        name = f"also[{i}]"
        fixed, series = one if isinstance(one, (list, tuple)) and len(one) == 2 else (over, one)
        if fixed is None:
            raise TypeError(
                f"{name}: {type(one).__name__} is not a pair (image, series), which is required because the first series is registered to an image."
            )
        opened = _images.open_series(series, name, False, True)
        if opened is None or opened.count != count:
            raise ValueError(
                f"{name}: it has {0 if opened is None else opened.count} volumes, but the first series has {count}; the numbers must be equal."
            )
        found.append((_fixed_of(opened, fixed, name)[0], opened))
    return found


def _image_of(pixels: Pixels, name: str = "series") -> _images.Image:
    """A volume as an image of its array."""
    grid, buffer = pixels.geometry, pixels.buffer
    if pixels.components != 1 or pixels.channels:
        raise ValueError(
            f"{name}: its volumes have {pixels.components} components per pixel; only one is supported."
        )
    return _images.Image.of(buffer.array.reshape(buffer.shape), grid, False)


def _fixed_of(
    series: _images.Series, over: Any, name: str = "series"
) -> tuple[_images.Image, bool]:
    """The reference of the volumes, and whether it is made of them. name: of the series'
    argument"""
    if isinstance(over, str) and not os.path.exists(over):
        if over.lower() not in ("first", "mean"):
            raise ValueError(
                f"over: {over!r} is not allowed; use 'first', 'mean', the number of a volume, or an image."
            )
        return (
            _image_of(series.volume(0), name) if over.lower() == "first" else _mean_of(series)
        ), True
    if isinstance(over, (int, numpy.integer)) and not isinstance(over, bool):
        number = integer(over, "over", 0, LARGEST_INT32)
        if number >= series.count:
            raise ValueError(
                f"over: volume {number} does not exist; the series has {series.count} volumes, numbered from 0."
            )
        return _image_of(series.volume(number), name), True
    return _image_of(
        _images.open_image(over, "over" if name == "series" else name),
        "over" if name == "series" else name,
    ), False


def _mean_of(series: _images.Series) -> _images.Image:
    """The volume as float64; NaN where it is not finite."""
    total: Any = None
    grid: Optional[Geometry] = None
    for number in range(series.count):
        pixels = series.volume(number)
        grid, buffer = pixels.geometry, _arrays.view(pixels.buffer.array, "series", "float64")
        with _arrays.current_device(buffer):
            values = buffer.array.reshape(buffer.shape)
            total = values + 0.0 if total is None else total + values
            library = _arrays.functions_of(buffer)
    with _arrays.current_device(buffer):
        mean = library.where(library.isfinite(total), total / series.count, math.nan)
    assert grid is not None
    return _images.Image(mean, grid.spacing, grid.origin, grid.direction)
