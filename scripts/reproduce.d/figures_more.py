"""Figures of the papers 001, 002 and 003, and the roofline; see figures.py."""

import matplotlib.pyplot as plt
import numpy

import published
from figures import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, TITLES, WAYS, note


def _show(axis, picture, title, **looks):
    axis.imshow(picture, cmap="gray", **looks)
    axis.set_title(title, fontsize=9)
    axis.set_axis_off()


def zoom_quality(results, pictures):
    """001, figure 5: an image enlarged four times."""
    ways = ["nearest", "linear", "cubic-unfiltered", "catmull-rom", "cubic"]
    images = [i for i in ("camera", "brain", "shepp-logan", "zone-plate") if f"zoom-{i}-4-linear" in pictures]
    if not images:
        return None
    images = ([i for i in ("camera", "brain") if i in images] or images)[:1] + [i for i in ("zone-plate",) if i in images]
    figure, axes = plt.subplots(len(images), len(ways), figsize=(10.0, 2.45 * len(images)), squeeze=False)
    for row, image in zip(axes, images):
        for axis, way in zip(row, ways):
            picture = pictures[f"zoom-{image}-4-{way}"]
            edge = picture.shape[0] // 3
            top, left = (picture.shape[0] // 7, picture.shape[1] // 3) if image == "camera" else (picture.shape[0] // 2, picture.shape[1] // 2)
            values = results.values("zoom-quality", image=image, factor=4, way=way)
            _show(axis, picture[top : top + edge, left : left + edge], f"{TITLES[way]}\nRMS {values['rms']:.1f}", vmin=0, vmax=255)
    figure.suptitle("Enlarged four times (figure 5 of 001); RMS of the whole image, in grey levels of 255")
    return figure


def zoom_times(results, _pictures):
    """001, table 1 and figure 4."""
    if not results.has("zoom-times"):
        return None
    who = results.axis("zoom-times", "backend")
    factors = results.axis("zoom-times", "factor")
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0))
    looks = {"Cpu, one thread": (ORANGE, "o"), "Cpu, all threads": (GREEN, "s"), "Cuda": (BLUE, "D")}
    times = {}
    for name in who:
        colour, marker = looks[name]
        times[name] = [results.ms("zoom-times", "total", way="catmull-rom", factor=f, backend=name) for f in factors]
        axes[0].semilogy(factors, times[name], marker + "-", color=colour, markersize=4, label=f"{name}: host to host")
        kernel = [results.ms("zoom-times", "resampling_kernel", way="catmull-rom", factor=f, backend=name) for f in factors]
        if all(kernel):
            axes[0].semilogy(factors, kernel, marker + ":", color=colour, markersize=4, fillstyle="none", label=f"{name}: resampling alone")
    axes[0].semilogy(list(published.ZOOM), [row[1] for row in published.ZOOM.values()], ":", color=RED, label="001: Core2 E8400")
    axes[0].semilogy(list(published.ZOOM), [row[4] for row in published.ZOOM.values()], "--", color=RED, label="001: 9600GT, no way back")
    axes[0].set(xlabel="enlargement of 128 x 128 pixels", ylabel="time (ms)", title="Catmull-Rom, as table 1 of 001", xticks=factors)
    axes[0].set_ylim(top=300 * axes[0].get_ylim()[1])  # room for the legend
    axes[0].legend(loc="upper left", ncol=2)
    for name in who[1:]:
        axes[1].plot(factors, [a / b for a, b in zip(times[who[0]], times[name])], looks[name][1] + "-", color=looks[name][0], markersize=4, label=name)
    if "Cuda" in times:
        there = [results.ms("zoom-times", "source", way="catmull-rom", factor=f, backend="Cuda") for f in factors]
        axes[1].plot(factors, [a / (b + c) for a, b, c in zip(times[who[0]], there, kernel)], "D:", color=BLUE, markersize=4, fillstyle="none", label="Cuda, without the way back")
    axes[1].plot(list(published.ZOOM), [row[5] for row in published.ZOOM.values()], "--", color=RED, label="001: 9600GT, without the way back")
    axes[1].set(xlabel="enlargement of 128 x 128 pixels", ylabel="times as fast as one thread of the host", title="as figure 4 of 001", xticks=factors, yscale="log")
    axes[1].legend()
    note(figure, results.where("zoom-times"))
    return figure


def frames(results, _pictures):
    """001, today: frames a second by size and streams."""
    if not results.has("frames"):
        return None
    figure, axis = plt.subplots(figsize=(6.0, 3.8))
    for height, colour, marker in ((1080, BLUE, "o"), (2160, GREEN, "s"), (4320, RED, "^")):
        rows = results.rows("frames", way="catmull-rom", height=height)
        if rows:
            streams = [row["cell"]["streams"] for row in rows]
            axis.plot(streams, [row["values"]["frames_a_second"] for row in rows], marker + "-", color=colour, label=f"{rows[0]['cell']['width']} x {height}")
    axis.axhline(60.0, color=GREY, linestyle=":")
    axis.text(1, 63, "60 frames a second", color=GREY, fontsize=8)
    axis.set(xscale="log", yscale="log", xlabel="streams", ylabel="frames a second, host to host", title="Catmull-Rom, frames of 8 bits doubled to these sizes")
    axis.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axis.minorticks_off()
    axis.legend()
    note(figure, results.where("frames"))
    return figure


def tutorial(_results, pictures):
    """002, figures 15 to 24: as printed and corrected."""
    image = "zone-plate"
    listings = ["listing 8, linear by filtering", "listing 9, cubic by filtering", "exercise 4, cubic by lookup", "exercise 5, Catmull-Rom by lookup"]
    case = "figures 18 to 24"
    if f"tutorial-{image}-{case}-{listings[0]}-printed" not in pictures:
        return None
    figure, axes = plt.subplots(3, 4, figsize=(10.0, 7.9))
    for column, listing in enumerate(listings):
        printed = pictures[f"tutorial-{image}-{case}-{listing}-printed"]
        corrected = pictures[f"tutorial-{image}-{case}-{listing}-corrected"]
        _show(axes[0][column], printed, listing.replace(", ", "\n") + ", printed", vmin=0, vmax=255)
        _show(axes[1][column], corrected, "corrected", vmin=0, vmax=255)
        shown = axes[2][column].imshow(printed - corrected, cmap="RdBu_r", vmin=-128, vmax=128)
        axes[2][column].set_title("printed less corrected", fontsize=9)
        axes[2][column].set_axis_off()
    figure.colorbar(shown, ax=axes[2], location="bottom", shrink=0.4, aspect=40, label="grey levels of 255")
    figure.suptitle("Scale 1/8 and a shift by 100 pixels, as figures 19, 22 and 24 of 002: zone plate of 512 x 512")
    return figure


def tutorial_figures(_results, pictures):
    """002, figures 15 to 19, 22 and 24, corrected."""
    images = [image for image in ("camera", "shepp-logan") if f"tutorial-{image}-as it is-nearest" in pictures]
    if not images:
        return None
    near = "figures 18 to 24"
    shown = [
        ("nearest", "as it is", "figure 15: nearest, scale 1"), ("nearest", "figure 16", "figure 16: nearest, scale 2"),
        ("nearest", "figure 17", "figure 17: nearest, scale 1/2"), ("nearest", near, "figure 18: nearest, scale 1/8"),
        ("listing 8, linear by filtering-corrected", near, "figure 19: linear"), ("listing 9, cubic by filtering-printed", near, "figure 22: cubic, as printed"),
        ("listing 9, cubic by filtering-corrected", near, "cubic with prefilter, corrected"), ("exercise 5, Catmull-Rom by lookup-corrected", near, "Catmull-Rom, corrected"),
    ]  # fmt: skip
    figure, axes = plt.subplots(2, 4, figsize=(8.0, 4.5))
    for axis, (name, case, title) in zip(axes.flat, shown):
        _show(axis, pictures[f"tutorial-{images[0]}-{case}-{name}"], title, vmin=0, vmax=255)
    figure.suptitle("Translation and scale, as in 002; below with scale 1/8 and a shift by 100 pixels; beyond the image 0")
    return figure


def address_modes(_results, pictures):
    """002, exercise 2."""
    modes = ["clamp", "clamp and border", "border", "wrap", "mirror", "mirror about the sample"]
    if "address-nearest-clamp" not in pictures:
        return None
    figure, axes = plt.subplots(1, 6, figsize=(10.0, 2.2))
    for axis, mode in zip(axes, modes):
        _show(axis, pictures[f"address-nearest-{mode}"], {"mirror": "mirror (CUDA's)", "mirror about the sample": "mirror (ITK's)", "clamp and border": "clamp x, border y"}.get(mode, mode), vmin=0, vmax=255)
    figure.suptitle("scaleFactor 2: what stands outside (figures 16 and 23 of 002)")
    return figure


def ramps(results, _pictures):
    """003, figure 3."""
    if not results.has("ramps"):
        return None
    device = bool(results.rows("ramps", by="the device"))
    wanted = [("16-bit integer", "the paper"), ("32-bit float", "the model")]
    if device:
        wanted = [("16-bit integer", "the paper")] + [(f, "the device") for f in ("8-bit integer", "16-bit integer", "16-bit float", "32-bit float")]
    figure, axes = plt.subplots(1, len(wanted), figsize=(2.5 * len(wanted) + 0.5, 2.9), sharey=True, squeeze=False)
    for axis, (kind, who) in zip(axes[0], wanted):
        values = results.values("ramps", format=kind, by=who, samples=1024)
        ramp = numpy.array(values["ramp"])
        axis.plot(numpy.linspace(0, 1, len(ramp)), ramp, color=RED if who == "the paper" else BLUE, linewidth=1.0)
        axis.set(xlabel="fraction between two texels", title=f"{kind}\n{who}: {values['distinct_values']} values")
        inset = axis.inset_axes([0.56, 0.12, 0.42, 0.42])
        part = slice(512, 545)
        inset.step(numpy.linspace(0, 1, len(ramp))[part], ramp[part], where="mid", color=RED if who == "the paper" else BLUE, linewidth=1.0)
        inset.set_xticks([])
        inset.set_yticks([])
        inset.set_title("a thirtieth of it", fontsize=6, pad=2)
    axes[0][0].set_ylabel("value / smallest step")
    note(figure, f"figure 3 of 003: linear filtering between 0 and the smallest step; {results.where('ramps')}")
    return figure


def deformation(results, pictures):
    """003, figure 1."""
    if "deformation-field-cubic-double" not in pictures:
        return None
    exact = pictures["deformation-field-cubic-double"]
    texture = pictures["deformation-field-cubic-texture"]
    size = exact.shape[0]
    figure = plt.figure(figsize=(10.0, 6.6))
    axes = figure.subplot_mosaic([["exact", "texture", "less"], ["row", "row", "bend"]], height_ratios=[1.0, 0.8])
    part = slice(size * 3 // 8, size * 3 // 8 + size // 4)
    a, b = pictures["deformation-lines-cubic-double"][part, part], pictures["deformation-lines-cubic-texture"][part, part]
    _show(axes["exact"], a, "deformed lines, field exact", vmin=0, vmax=255)
    _show(axes["texture"], b, "field by texture fetches", vmin=0, vmax=255)
    shown = axes["less"].imshow(b - a, cmap="RdBu_r")
    axes["less"].set_title("their difference (grey levels)", fontsize=9)
    axes["less"].set_axis_off()
    figure.colorbar(shown, ax=axes["less"], shrink=0.7)
    row = size // 2
    x = numpy.arange(size)
    axes["row"].plot(x, texture[row] - exact[row], color=RED, linewidth=0.8, label="texture less exact")
    axes["row"].plot(x, pictures["deformation-field-cubic"][row] - exact[row], color=BLUE, linewidth=0.8, label="exact mode, single precision, less double")
    axes["row"].set(xlabel="pixel of a row", ylabel="displacement (pixels)", title="error of the displacement along x: eight bits make steps")
    axes["row"].legend(loc="upper right")
    middle = slice(size // 2 - 40, size // 2 + 40)
    axes["bend"].plot(x[middle][1:-1], numpy.diff(texture[row][middle], 2), color=RED, linewidth=0.8, label="texture")
    axes["bend"].plot(x[middle][1:-1], numpy.diff(exact[row][middle], 2), color=BLUE, linewidth=1.2, label="exact")
    axes["bend"].set(xlabel="pixel of a row", ylabel="pixels", title="second difference of the displacement")
    axes["bend"].legend(loc="upper right")
    values = results.values("deformation", what="displacement along x (pixels)", way="cubic-texture")
    figure.suptitle(f"A B-spline deformation of 8 x 8 cells (figure 1 of 003); texture mode errs by at most {values['error_largest']:.3f} pixels")
    note(figure, results.where("deformation"))
    return figure


def lookup(results, _pictures):
    """003, table 1."""
    if not results.has("lookup-table"):
        return None
    images = results.axis("lookup-table", "image")
    entries = [(0, "on the fly", SKY), (128, "table of 128", ORANGE), (1024, "table of 1024", PURPLE)]
    # A model of the published table has its place beside the model of the hardware, not beside a device.
    emulated = bool(results.rows("lookup-table", way="table of 16 bits")) and results.origin["lookup-table"]["backend"] == "Cpu"
    figure, axis = plt.subplots(figsize=(7.5, 3.8))
    place = numpy.arange(len(images) + 1)
    width = 0.2
    for k, (count, title, colour) in enumerate(entries):
        rows = [results.values("lookup-table", image=image, way="cubic-table" if count else "cubic-texture", entries=count) for image in images]
        heights = [row["sum_of_squares_of_256x256"] for row in rows]
        paper = {0: published.LOOKUP["on the fly"][0], 128: published.LOOKUP["lookup table"][0]}.get(count)
        axis.bar(place[: len(heights)] + (k - 1) * width, heights, width, color=colour, label=title)
        if paper:
            axis.bar(place[-1] + (k - 1) * width, paper, width, color=colour, hatch="///", edgecolor="white")
    if emulated:
        heights = [results.values("lookup-table", image=image, way="table of 16 bits")["sum_of_squares_of_256x256"] for image in images]
        axis.bar(place[:-1] + 2 * width, heights, width, color=RED, label="table of 128, 16 bits, filtered (model)")
    exact = [results.values("lookup-table", image=image, way="cubic")["sum_of_squares_of_256x256"] for image in images]
    axis.plot(place[:-1], exact, "D", color=BLUE, markersize=5, label="exact mode, single precision")
    axis.set_xticks(place, [*images, "003, table 1"], rotation=12)
    axis.set(yscale="log", ylabel="sum of squared errors of 256² pixels\n(grey values in [0, 1])", title="weights on the fly and from tables (table 1 of 003)")
    axis.legend(ncol=2, loc="upper left", bbox_to_anchor=(0.0, -0.2))
    note(figure, results.where("lookup-table"))
    return figure


def roofline(results, _pictures):
    """Bytes and instructions: each stage's place under the limits of the device."""
    rows = [row for row in results.rows("roofline") if row["cell"]["stage"] != "limits"]
    peaks = results.values("roofline", stage="limits")
    if not rows or not peaks:
        return None
    figure, axis = plt.subplots(figsize=(7.5, 4.8))
    x = numpy.logspace(-0.5, 3, 200)
    axis.loglog(x, numpy.minimum(peaks["bytes"] * x, peaks["instructions"]) / 1e12, color="black", linewidth=1.0)
    axis.text(0.45, 1.25 * peaks["bytes"] * 0.45 / 1e12, f"a copy: {peaks['bytes'] / 1e12:.1f} TB/s", rotation=38, fontsize=8)
    axis.text(120, 1.1 * peaks["instructions"] / 1e12, f"{peaks['instructions'] / 1e12:.0f} x 10¹² a second", fontsize=8)
    for row in rows:
        values, way = row["values"], row["cell"]["way"]
        intensity = values["thread_instructions"] / values["bytes"]
        # The profiler slows the clock down: the time is that of the experiment scaling, where it is there.
        ms = results.ms("scaling", size=row["cell"]["size"], stage=row["cell"]["stage"], way=way) or values["profiled_ms"]
        height = values["thread_instructions"] / (1e-3 * ms) / 1e12
        label = f"{row['cell']['stage']}: {TITLES.get(way, way)}, {values['thread_instructions'] / values['voxels']:.0f} instructions and {values['bytes'] / values['voxels']:.0f} bytes a voxel"
        axis.plot(intensity, height, "s" if row["cell"]["stage"] == "prefilter" else "o", color=WAYS.get(way, GREY), label=label, markersize=7)
    axis.set(xlabel="instructions of a thread / byte from and to device memory", ylabel="10¹² instructions of threads a second", title="512³ samples, single precision, as counted by Nsight Compute", ylim=(0.3, 60))
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(0.0, -0.16), ncol=1)
    note(figure, results.where("roofline"))
    return figure
