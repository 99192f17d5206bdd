"""Figures of the evidence: checkerboards, warped grids, maps of the determinant, quality by time, and errors where the ground truth is known.

They are made of slices: of each pair and method the middle planes of the moved image, of the determinants and of the transformed points of the fixed
image.
"""

import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy
import saving
from matplotlib import ticker

#: Names of the planes, and the axis of the array (z, y, x) that is cut.
PLANES = (("axial", 0), ("coronal", 1), ("sagittal", 2))
GRID = 8.0  # mm between lines of a grid


def plane(array, axis):
    """The middle plane of an array (nz, ny, nx, ...), rows from low to high."""
    return numpy.take(array, array.shape[axis] // 2, axis)


def cut(pair, key, transform, arrays):
    """Slices of what a method has found: name -> array."""
    grid = pair.fixed.geometry
    found = {}
    for name, axis in PLANES:
        found[f"{key}/{name}/warped"] = plane(arrays["warped"], axis).astype(numpy.float32)
        if "field" in arrays:
            found[f"{key}/{name}/determinants"] = plane(arrays["determinants"], axis).astype(numpy.float32)
            # Where places go, less the affine part of the whole, so that lines that were straight are bent by what is not linear.
            numbers = [numpy.arange(count) if other != axis else numpy.array([count // 2]) for other, count in enumerate(grid.shape)]
            index = numpy.stack(numpy.meshgrid(*numbers, indexing="ij")[::-1], axis=-1).squeeze(axis)
            start = index @ grid.index_to_point.T + grid.origin
            end = start + plane(arrays["field"].array, axis)
            under = plane(pair.mask, axis)
            ones = numpy.concatenate([start, numpy.ones((*start.shape[:-1], 1))], axis=-1)
            linear = numpy.linalg.lstsq(ones[under], end[under], rcond=None)[0]
            # In the frame of the fixed image: the two components of the remainder that are in the plane.
            rest = end - ones @ linear
            found[f"{key}/{name}/rest"] = rest.astype(numpy.float32)
            if pair.truth is not None:
                error = numpy.linalg.norm(end - pair.truth.apply(start), axis=-1)
                found[f"{key}/{name}/error"] = numpy.where(under, error, numpy.nan).astype(numpy.float32)
    return found


def cut_fixed(pair):
    """Slices of the fixed image, with the sizes of its voxels (mm)."""
    found = {f"{pair.name}/spacing": numpy.array(pair.fixed.spacing, dtype=float)}
    for name, axis in PLANES:
        found[f"{pair.name}/fixed/{name}/image"] = plane(pair.fixed.array, axis).astype(numpy.float32)
        found[f"{pair.name}/fixed/{name}/mask"] = plane(pair.mask, axis)
    return found


class Slices:
    """What was cut, by name."""

    def __init__(self, path):
        with numpy.load(path) as found:
            self._found = {name: found[name] for name in found.files}

    def get(self, *words):
        return self._found.get("/".join(words))


def extent(pair, axis, slices, shape):
    """(left, right, bottom, top) of a plane, mm from its corner."""
    spacing = slices.get(pair, "spacing")  # x first
    across, up = [size for n, size in enumerate(spacing[::-1]) if n != axis][::-1]
    return 0.0, across * shape[1], 0.0, up * shape[0]


def flipped(image, axis):
    """As one looks at a head: what is in front, or above, is up. Rows of ITK's axial planes go to the back."""
    return image[::-1] if axis == 0 else image


def show(axes, image, box, **options):
    axes.imshow(image, extent=box, origin="lower", interpolation="nearest", **options)
    axes.set_axis_off()


def checkerboard(first, second, squares=8):
    """Two images in turns, as colours: the second one's squares are warm."""
    rows, columns = (numpy.arange(count) * squares // count for count in first.shape)
    warm = numpy.array([1.0, 0.85, 0.6])
    is_first = ((rows[:, None] + columns[None, :]) % 2 == 0)[..., None]
    return numpy.where(is_first, first[..., None], second[..., None] * warm)


def scaled(image, mask):
    """Brightness from 0 to 1 under a mask."""
    high = numpy.quantile(image[mask], 0.995) if mask.any() else 1.0
    return numpy.clip(image / (high or 1.0), 0, 1)


def rows_of(results, pair, key):
    """[(name, title)] of the methods of a pair that worked."""
    return [(name, told["title"]) for name, told in results["pairs"][pair]["methods"].items() if key(told)]


def wrapped(title):
    return title.replace(": ", "\n", 1)


def checkerboards(results, slices, pair="brains"):
    """The fixed and the moved image in turns: before, and by each method, in three planes."""
    if pair not in results["pairs"]:
        return None
    columns = [("before", "before"), *rows_of(results, pair, lambda told: "measures" in told)]
    figure, axes = plt.subplots(3, len(columns), figsize=(2.1 * len(columns), 6.6), squeeze=False, layout="constrained")
    for row, (name, axis) in enumerate(PLANES):
        fixed, mask = (slices.get(pair, "fixed", name, what) for what in ("image", "mask"))
        for column, (method, title) in enumerate(columns):
            board = checkerboard(scaled(fixed, mask), scaled(slices.get(pair, method, name, "warped"), mask))
            show(axes[row, column], flipped(board, axis), extent(pair, axis, slices, board.shape))
            if row == 0:
                axes[row, column].set_title(wrapped(title), fontsize=8)
    return figure


def grids(results, slices, pair="brains"):
    """The fixed image's places as the moving image sees them: lines of a grid of GRID mm that what is not linear bends, in the axial plane."""
    if pair not in results["pairs"]:
        return None
    columns = rows_of(results, pair, lambda told: "measures" in told)
    if not columns:
        return None
    figure, axes = plt.subplots(2, len(columns), figsize=(2.4 * len(columns), 5.4), squeeze=False, layout="constrained")
    for row, (name, axis) in enumerate(PLANES[:2]):
        fixed, mask = (slices.get(pair, "fixed", name, what) for what in ("image", "mask"))
        box = extent(pair, axis, slices, fixed.shape)
        across = numpy.linspace(0, box[1], fixed.shape[1], endpoint=False)
        up = numpy.linspace(0, box[3], fixed.shape[0], endpoint=False)
        sides = {0: (0, 1), 1: (0, 2)}[axis]  # of the displacements
        for column, (method, title) in enumerate(columns):
            rest = flipped(slices.get(pair, method, name, "rest"), axis)
            show(axes[row, column], flipped(scaled(fixed, mask), axis), box, cmap="gray", vmin=0, vmax=2)
            # The plane's axes: ITK's x and y, or z; of a plane that was turned the rows go the other way.
            where = [across[None, :] + rest[..., sides[0]], up[:, None] + (-1 if axis == 0 else 1) * rest[..., sides[1]]]
            for lines, color in zip(where, ("tab:cyan", "tab:orange")):
                axes[row, column].contour(across, up, lines, levels=numpy.arange(0, max(box), GRID), colors=color, linewidths=0.5)
            if row == 0:
                axes[row, column].set_title(wrapped(title), fontsize=8)
    return figure


def determinants(results, slices, pair="brains"):
    """The binary logarithm of the Jacobian's determinant in the axial and coronal plane: how volumes change. What folds is black."""
    if pair not in results["pairs"]:
        return None
    columns = rows_of(results, pair, lambda told: "measures" in told)
    if not columns:
        return None
    figure, axes = plt.subplots(2, len(columns), figsize=(2.2 * len(columns) + 0.8, 5.0), squeeze=False, layout="constrained")
    colors = plt.get_cmap("RdBu_r").copy()
    colors.set_bad("black")
    for row, (name, axis) in enumerate(PLANES[:2]):
        mask = slices.get(pair, "fixed", name, "mask")
        for column, (method, title) in enumerate(columns):
            found = slices.get(pair, method, name, "determinants")
            logarithm = numpy.where(mask, numpy.log2(numpy.where(found > 0, found, numpy.nan)), 0)
            seen = axes[row, column].imshow(
                flipped(numpy.ma.masked_invalid(logarithm), axis), extent=extent(pair, axis, slices, mask.shape), origin="lower", cmap=colors, vmin=-2, vmax=2
            )
            axes[row, column].set_axis_off()
            if row == 0:
                axes[row, column].set_title(wrapped(title), fontsize=8)
    figure.colorbar(seen, ax=axes, shrink=0.8, label="log2 of the determinant")
    return figure


def quality_by_time(results, slices, pair="brains"):
    """The local correlation that was reached, by the time it took from images in memory to fields in memory."""
    if pair not in results["pairs"]:
        return None
    finished = [told for told in results["pairs"][pair]["methods"].values() if "measures" in told]
    if not finished:
        return None
    figure, axes = plt.subplots(figsize=(9.0, 4.5), layout="constrained")
    for number, told in enumerate(finished):
        whole = told.get("whole_seconds", told["seconds"])
        value = told["measures"]["local_correlation_4"]
        color = f"C{number}"
        if whole > 1.01 * told["seconds"]:  # what was made, and how long all of it would have taken
            axes.plot((told["seconds"], whole), (value, value), ":", color=color)
        axes.plot(told["seconds"], value, "o" if told["title"].startswith("CudaSpline") else "s", color=color, label=told["title"])
    before = results["pairs"][pair]["before"]["local_correlation_4"]
    axes.axhline(before, color="black", linewidth=0.5, linestyle=":")
    axes.annotate("before", (1, before), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=7)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axes.xaxis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    axes.set_xlabel("seconds (dotted: to what is extrapolated)")
    axes.set_ylabel("mean squared local correlation, 9^3 voxels")
    return figure


def errors(results, slices):
    """Distances from the ground truth in the axial plane, of each bend by each method."""
    pairs = [pair for pair in results["pairs"] if "at_best" in results["pairs"][pair]]
    names = {name: title for pair in pairs for name, title in rows_of(results, pair, lambda told: "measures" in told)}
    if not names:
        return None
    figure, axes = plt.subplots(len(pairs), len(names), figsize=(2.2 * len(names) + 0.8, 2.5 * len(pairs)), squeeze=False, layout="constrained")
    figure.get_layout_engine().set(rect=(0.015, 0, 0.985, 1))  # it takes lines of words for narrower than few dots an inch make them
    seen = None
    for row, pair in enumerate(pairs):
        axes[row, 0].set_ylabel(textwrap.fill(results["pairs"][pair]["title"], 36), fontsize=8)
        for column, (method, title) in enumerate(names.items()):
            axes[row, column].set(xticks=[], yticks=[], frame_on=False)
            found = slices.get(pair, method, "axial", "error")
            if row == 0:
                axes[row, column].set_title(wrapped(title), fontsize=8)
            if found is not None:
                box = extent(pair, 0, slices, found.shape)
                seen = axes[row, column].imshow(flipped(found, 0), extent=box, origin="lower", cmap="magma", vmin=0, vmax=3)
    figure.colorbar(seen, ax=axes, shrink=0.8, label="error (mm)")
    return figure


#: Name -> function of (results, slices).
FIGURES = {
    "checkerboards": checkerboards,
    "grids": grids,
    "determinants": determinants,
    "quality-by-time": quality_by_time,
    "errors": errors,
}


def draw(results, path, folder):
    """Draws all figures that the results have something for; returns their files' names."""
    slices = Slices(path)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    drawn = []
    for name, make in FIGURES.items():
        figure = make(results, slices)
        if figure is not None:
            saving.save(figure, folder / f"{name}.png")
            plt.close(figure)
            drawn.append(f"{name}.png")
    return drawn
