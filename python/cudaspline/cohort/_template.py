"""template(): the unbiased mean shape and intensity of many images, as ANTs' script
antsMultivariateTemplateConstruction2.sh builds it.

Each round registers the template to every image, T_i = L_i F_i (points go through the field F_i first), averages the
images that are resampled so, sharpens the mean and moves the template to the mean shape: new(x) = mean(F^-1 (L^-1 x)),
where F is the mean field and L the mean of the matrices in the logarithmic sense. The script applies a quarter of -F
four times instead of its inverse.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, Sequence

import numpy

from .. import DisplacementField, Geometry, Image, Transform, __version__, register, resample
from ..core._checks import choose
from ..dask._files import folder_written_once, read_image, write_image
from ._matrices import mean_matrix

#: The file in a round's folder with its parameters and its state.
_STATE = "round.json"


@dataclass
class Template:
    """What template() has built.

    Examples
    --------
    >>> import cudaspline.cohort
    >>> cudaspline.cohort.Template([]).rounds
    []
    """

    #: One image for each modality.
    images: list[Image]
    #: By round: its stages, and the mean displacement of the shape update (mm), which falls as the template approaches
    #: the mean shape.
    rounds: list[dict[str, Any]] = field(default_factory=list)

    @property
    def image(self) -> Image:
        """The image of the first modality."""
        return self.images[0]


def template(
    images: Sequence[Any],
    *,
    weights: Optional[Sequence[float]] = None,
    start: Any = None,
    grid: Any = None,
    linear: Any = ("rigid", "affine"),
    linear_rounds: int = 1,
    deformable: Any = "syn",
    rounds: int = 4,
    sharpen: Optional[str] = "unsharp",
    checkpoint: Any = None,
    client: Any = None,
    retries: int = 1,
    device: Any = None,
    progress: Optional[Callable[[dict[str, Any]], object]] = None,
    **options: Any,
) -> Template:
    """Builds an unbiased template of several images.

    Parameters
    ----------
    images
        Images or names of their files; or for several modalities sequences of these, each in the space of the first
        one.
    weights
        One for each image; None: equal ones.
    start
        The first template, or one for each modality; None: the mean of the images with their centres of gravity on each
        other.
    grid
        Of the template: an image or a Geometry; None: that of start, or of the first image.
    linear, linear_rounds
        The linear stages, and rounds of these alone.
    deformable, rounds
        The stages after these, and rounds with them.
    sharpen
        What is done to the mean, which is blurred: "unsharp" adds half of its difference from its Gaussian of one
        voxel, the script's second method; "laplacian" subtracts its Laplacian as ITK's LaplacianSharpeningImageFilter
        does, the script's default, which is strong for images with fine detail; None: nothing.
    checkpoint
        A folder, made if it is missing: each round is written to it as it ends, and rounds that are there are not
        computed again.
    client
        A distributed.Client, whose workers register; None: this process does, one image after the other.
    retries
        As for cudaspline.dask.register().
    device
        As for cudaspline.register().
    progress
        Called with each entry of Template.rounds.
    options
        Of the deformable stages: those of cudaspline.Stage, and precision. metric has one for each modality: [("cc",
        0.5), ("cc", 0.5)].

    Returns
    -------
    The Template. An image that cannot be registered ends it: a mean of fewer images would be another template.

    Raises
    ------
    TypeError, ValueError
        An argument; the message begins with its name.

    Examples
    --------
    >>> import numpy
    >>> import cudaspline.cohort
    >>> y, x = numpy.mgrid[:32, :32]
    >>> moved = [numpy.exp(-((x - 16 - s) ** 2 + (y - 16) ** 2) / 30) for s in (-2, 2)]
    >>> found = cudaspline.cohort.template(moved, linear="translation", rounds=0, device="cpu")
    >>> numpy.unravel_index(found.image.array.argmax(), (32, 32)) == (16, 16)
    True
    """
    listed = [tuple(one) if isinstance(one, (list, tuple)) else (one,) for one in images]
    shares = _shares_of(weights, listed)
    if (
        not isinstance(linear_rounds, int)
        or not isinstance(rounds, int)
        or linear_rounds < 0
        or rounds < 0
        or linear_rounds + rounds < 1
    ):
        raise ValueError(
            f"rounds: {rounds!r} rounds and {linear_rounds!r} linear_rounds are not allowed; whole numbers from 0 with a sum of at least 1 are needed."
        )
    if sharpen is not None:
        choose(sharpen, _SHARPENED, "sharpen")
    folder = None if checkpoint is None else Path(os.path.abspath(checkpoint))
    names = [
        [str(one) if isinstance(one, (str, os.PathLike)) else "" for one in few] for few in listed
    ]
    description = {
        "version": __version__,
        "images": names,
        "weights": shares,
        "linear": repr(linear),
        "deformable": repr(deformable),
        "sharpen": sharpen,
        "options": repr(sorted(options.items())),
    }
    made = (
        Template(_first(listed, shares, start, grid))
        if folder is None
        else _resumed(folder, description, listed, shares, start, grid)
    )
    while len(made.rounds) < linear_rounds + rounds:
        is_linear = len(made.rounds) < linear_rounds
        stages = (linear, None if is_linear else deformable)
        calls = [(made.images, few, *stages, options, device) for few in listed]
        images_of_round, moved = _mean(
            _registered(client, calls, retries), shares, made.images, sharpen
        )
        made = Template(
            images_of_round,
            [
                *made.rounds,
                {"round": len(made.rounds) + 1, "is_linear": is_linear, "update": moved},
            ],
        )
        if folder is not None:
            _keep(folder, made, description)
        if progress is not None:
            progress(made.rounds[-1])
    return made


def _shares_of(
    weights: Optional[Sequence[float]], listed: Sequence[tuple[Any, ...]]
) -> list[float]:
    """Weights whose sum is 1. Raises ValueError, naming the argument."""
    if len(listed) < 2 or len({len(few) for few in listed}) != 1:
        raise ValueError(
            "images: at least two with the same number of modalities are needed; "
            f"there are {[len(few) for few in listed]}."
        )
    given = numpy.asarray([1.0] * len(listed) if weights is None else weights, float)
    if (
        given.shape != (len(listed),)
        or not numpy.isfinite(given).all()
        or (given < 0).any()
        or given.sum() <= 0
    ):
        raise ValueError(
            f"weights: {weights!r} must be {len(listed)} numbers of at least 0, not all 0."
        )
    return [float(one) for one in given / given.sum()]


def _loaded(image: Any) -> Image:
    """An image in memory with its geometry, float32."""
    found = read_image(image) if isinstance(image, (str, os.PathLike)) else image
    made = found if isinstance(found, Image) else Image(found)
    return Image.of(numpy.asarray(made.array, "float32"), made.geometry, False)


def _centre_of(image: Image) -> numpy.ndarray:
    """The centre of gravity (mm), x first."""
    values = numpy.maximum(numpy.asarray(image.array, float), 0)
    total = values.sum()
    if not total > 0:
        raise ValueError("images: an image has no positive values, so it has no centre of gravity.")
    axes = range(values.ndim)
    index = [
        float(
            (values.sum(tuple(a for a in axes if a != axis)) @ numpy.arange(values.shape[axis]))
            / total
        )
        for axis in axes
    ]
    return numpy.asarray(image.geometry.point_of(index[::-1]))


def _first(
    listed: Sequence[tuple[Any, ...]], shares: Sequence[float], start: Any, grid: Any
) -> list[Image]:
    """The template before the first round."""
    if start is not None:
        given = [_loaded(one) for one in (start if isinstance(start, (list, tuple)) else [start])]
        if len(given) != len(listed[0]):
            raise ValueError(
                f"start: {len(given)} images are given; one for each of {len(listed[0])} modalities is needed."
            )
        return given if grid is None else [resample(one, None, grid, smooth=False) for one in given]
    centres = [_centre_of(_loaded(few[0])) for few in listed]
    middle = sum(share * centre for share, centre in zip(shares, centres))
    target = (
        _loaded(listed[0][0]).geometry
        if grid is None
        else (grid if isinstance(grid, Geometry) else _loaded(grid).geometry)
    )
    sums = [numpy.zeros(target.shape) for _ in listed[0]]
    for few, share, centre in zip(listed, shares, centres):
        shift = numpy.hstack([numpy.eye(len(centre)), (centre - middle)[:, None]])
        for total, one in zip(sums, few):
            total += share * _normalised(resample(_loaded(one), shift, target, smooth=False).array)
    return [Image.of(total.astype("float32"), target, False) for total in sums]


def _normalised(values: Any) -> numpy.ndarray:
    """Values divided by their mean, as the script's default has it."""
    found = numpy.asarray(values, float)
    mean = found.mean()
    return found / mean if mean > 0 else found


@dataclass(frozen=True)
class _Moved:
    """What a registration of the template to one image gives."""

    #: The image on the template's grid, by modality.
    warped: list[numpy.ndarray]
    #: The homogeneous matrix.
    matrix: numpy.ndarray
    #: The field before it (mm, x first); None for linear rounds.
    field: Optional[numpy.ndarray]


def _register(
    means: list[Image], few: Any, linear: Any, deformable: Any, options: dict[str, Any], device: Any
) -> _Moved:
    """Registers one image to the template: its linear stages by the first modality, then its fields by all."""
    moving = [_loaded(one) for one in few]
    found = register(means[0], moving[0], linear, device=device).transform
    matrix, displacements = found.matrix, None
    if deformable is not None:
        also = list(zip(means[1:], moving[1:]))
        whole = register(
            means[0], moving[0], deformable, also=also, initial=found, device=device, **options
        ).transform
        displacements = numpy.asarray((found.inverse() @ whole).field(means[0].geometry).array)
        found = whole
    warped = [
        numpy.asarray(resample(one, found, mean, smooth=False, device=device).array)
        for one, mean in zip(moving, means)
    ]
    return _Moved(warped, matrix, displacements)


def _registered(
    client: Any, calls: Sequence[tuple[Any, ...]], retries: int
) -> Iterator[tuple[int, _Moved]]:
    """The registrations of a round, in any order."""
    if client is None:
        yield from ((number, _register(*call)) for number, call in enumerate(calls))
        return
    from ..dask._engine import each

    for number, found, error in each(client, _register, calls, retries):
        if error is not None:
            raise error
        yield number, found


def _mean(
    found: Iterator[tuple[int, _Moved]],
    shares: Sequence[float],
    means: list[Image],
    sharpen: Optional[str],
) -> tuple[list[Image], float]:
    """The next template, and the mean displacement of its shape update (mm). One registration is in memory at a
    time."""
    grid = means[0].geometry
    sums = [numpy.zeros(grid.shape) for _ in means]
    displacements, matrices = None, [numpy.eye(grid.dimension + 1)] * len(shares)
    for number, one in found:
        matrices[number] = one.matrix
        for total, values in zip(sums, one.warped):
            total += shares[number] * _normalised(values)
        if one.field is not None:
            displacements = shares[number] * one.field + (
                0 if displacements is None else displacements
            )
    update = Transform(
        mean_matrix(matrices, shares, grid.point_of([0.5 * (n - 1) for n in grid.size]))[:-1],
        grid.dimension,
    ).inverse()
    if displacements is not None:
        mean_field = DisplacementField(
            displacements, grid.spacing, grid.origin, grid.direction, extend=True
        )
        update = Transform(mean_field, grid.dimension).inverse() @ update
    if sharpen is not None:
        sums = [_SHARPENED[sharpen](total, grid) for total in sums]
    images = [Image.of(total.astype("float32"), grid, False) for total in sums]
    moved = numpy.asarray(update.field(grid).array)
    made = [resample(image, update, grid, order=3, smooth=False) for image in images]
    return made, float(numpy.sqrt((moved**2).sum(axis=-1)).mean())


def _without_laplacian(values: numpy.ndarray, grid: Geometry) -> numpy.ndarray:
    """Values less their Laplacian, scaled to the range of the values, with their mean and within their range: as ITK's
    LaplacianSharpeningImageFilter has it."""
    laplacian = numpy.zeros_like(values)
    for axis, spacing in enumerate(grid.spacing[::-1]):
        laplacian += (
            _shifted(values, 1, axis) + _shifted(values, -1, axis) - 2 * values
        ) / spacing**2
    low, high, span = values.min(), values.max(), numpy.ptp(laplacian)
    if not span > 0:
        return values
    sharp: numpy.ndarray = values - ((laplacian - laplacian.min()) * ((high - low) / span) + low)
    found: numpy.ndarray = numpy.clip(sharp - sharp.mean() + values.mean(), low, high)
    return found


def _without_blur(values: numpy.ndarray, grid: Geometry) -> numpy.ndarray:
    """Values and half of their difference from their Gaussian of one voxel."""
    smooth: Any = values
    weights = numpy.exp(-0.5 * numpy.arange(-4, 5) ** 2)
    for axis in range(grid.dimension):
        smooth = sum(
            weight * _shifted(smooth, k, axis)
            for weight, k in zip(weights / weights.sum(), range(-4, 5))
        )
    found: numpy.ndarray = values + 0.5 * (values - smooth)
    return found


def _shifted(values: numpy.ndarray, count: int, axis: int) -> numpy.ndarray:
    """Values moved along an axis; the outermost ones are repeated."""
    where = numpy.clip(numpy.arange(values.shape[axis]) + count, 0, values.shape[axis] - 1)
    found: numpy.ndarray = numpy.take(values, where, axis)
    return found


_SHARPENED: dict[str, Callable[[numpy.ndarray, Geometry], numpy.ndarray]] = {
    "laplacian": _without_laplacian,
    "unsharp": _without_blur,
}


def _resumed(
    folder: Path,
    description: dict[str, Any],
    listed: Sequence[tuple[Any, ...]],
    shares: Sequence[float],
    start: Any,
    grid: Any,
) -> Template:
    """The last complete round of a folder, or the first template. Raises ValueError for rounds of another call."""
    folder.mkdir(parents=True, exist_ok=True)
    rounds: list[dict[str, Any]] = []
    last = None
    while (folder / _name_of(len(rounds) + 1) / _STATE).exists():
        last = folder / _name_of(len(rounds) + 1)
        state = json.loads((last / _STATE).read_text(encoding="utf-8"))
        differing = [
            name for name in description if state["description"].get(name) != description[name]
        ]
        if differing:
            raise ValueError(
                f"checkpoint: {last} was written with other {differing[0]}; use another folder."
            )
        rounds.append(state["round"])
    if last is None:
        return Template(_first(listed, shares, start, grid))
    return Template([_restored(last / f"template-{i}.npz") for i in range(len(listed[0]))], rounds)


def _name_of(number: int) -> str:
    return f"round-{number:02d}"


def _keep(folder: Path, made: Template, description: dict[str, Any]) -> None:
    """Writes a round: its images for readers, and with all their bits."""
    with folder_written_once(folder / _name_of(len(made.rounds))) as part:
        part.mkdir()
        for i, image in enumerate(made.images):
            geometry = image.geometry
            numpy.savez(
                part / f"template-{i}.npz",
                array=image.array,
                spacing=geometry.spacing,
                origin=geometry.origin,
                direction=geometry.direction,
            )
            if geometry.dimension == 3:
                write_image(image, part / f"template-{i}.nii.gz")
        (part / _STATE).write_text(
            json.dumps({"round": made.rounds[-1], "description": description}, indent=1),
            encoding="utf-8",
        )


def _restored(path: Path) -> Image:
    with numpy.load(path) as found:
        return Image(found["array"], found["spacing"], found["origin"], found["direction"])
