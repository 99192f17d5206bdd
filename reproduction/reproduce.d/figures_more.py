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
    note(figure, pictures.where())
    return figure


def zoom_times(results, _pictures):
    """001, table 1 and figure 4."""
    if not results.has("zoom-times"):
        return None
    who = results.axis("zoom-times", "backend")
    factors = results.axis("zoom-times", "factor")
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.8))
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
    axes[0].legend(loc="upper left", bbox_to_anchor=(0.0, -0.15), ncol=2)
    for name in who[1:]:
        axes[1].plot(factors, [a / b for a, b in zip(times[who[0]], times[name])], looks[name][1] + "-", color=looks[name][0], markersize=4, label=name)
    if "Cuda" in times:
        there = [results.ms("zoom-times", "source", way="catmull-rom", factor=f, backend="Cuda") for f in factors]
        axes[1].plot(factors, [a / (b + c) for a, b, c in zip(times[who[0]], there, kernel)], "D:", color=BLUE, markersize=4, fillstyle="none", label="Cuda, without the way back")
    axes[1].plot(list(published.ZOOM), [row[5] for row in published.ZOOM.values()], "--", color=RED, label="001: 9600GT, without the way back")
    axes[1].set(xlabel="enlargement of 128 x 128 pixels", ylabel="times as fast as one thread of the host", title="as figure 4 of 001", xticks=factors, yscale="log")
    axes[1].legend(loc="upper left", bbox_to_anchor=(0.0, -0.15), ncol=2)
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
    note(figure, pictures.where())
    return figure


def tutorial_figures(_results, pictures):
    """002, figures 15 to 19, 22 and 24, and what they are to be."""
    images = [image for image in ("camera", "shepp-logan") if f"tutorial-{image}-as it is-nearest" in pictures]
    if not images:
        return None
    near = "figures 18 to 24"
    shown = [
        ("nearest", "as it is", "figure 15: nearest, scale 1"), ("nearest", "figure 16", "figure 16: nearest, scale 2"),
        ("nearest", "figure 17", "figure 17: nearest, scale 1/2"), ("nearest", near, "figure 18: nearest"),
        ("listing 8, linear by filtering-corrected", near, "figure 19: linear"),
        ("listing 9, cubic by filtering-printed", near, "figure 22: filtering, as printed"),
        ("exercise 4, cubic by lookup-printed", near, "figure 24: lookup, as printed"),
        ("exercise 5, Catmull-Rom by lookup-printed", near, "exercise 5, as printed"),
        ("listing 9, cubic by filtering-corrected", near, "22 and 24, corrected"),
        ("exercise 5, Catmull-Rom by lookup-corrected", near, "exercise 5, corrected"),
    ]  # fmt: skip
    figure, axes = plt.subplots(2, 5, figsize=(10.0, 4.5))
    for axis, (name, case, title) in zip(axes.flat, shown):
        _show(axis, pictures[f"tutorial-{images[0]}-{case}-{name}"], title, vmin=0, vmax=255)
    figure.suptitle("Translation and scale, as in 002, address mode clamp; from figure 18 on scale 1/8 and a shift by 100 pixels")
    note(figure, pictures.where())
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
    note(figure, pictures.where())
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
    ways = ("double", "texture")
    if not all(f"deformation-{cells}-field-cubic-{way}" in pictures for cells in (8, 1) for way in ways):
        return None
    field = {way: pictures[f"deformation-1-field-cubic-{way}"] for way in ways}
    size = field["double"].shape[0]
    x = numpy.arange(size)
    stripes = {way: 127.5 + 127.5 * numpy.sin(2.0 * numpy.pi / 16.0 * (x + values)) for way, values in field.items()}
    slopes = {way: numpy.diff(values, axis=1) for way, values in field.items()}
    figure = plt.figure(figsize=(10.0, 9.4))
    axes = figure.subplot_mosaic([["exact", "texture", "less"], ["slope", "steps", "part"], ["row", "row", "row"]], height_ratios=[1.0, 1.0, 0.8])
    # Where the two differ most: an eighth of the image, enlarged.
    edge = size // 8
    difference = numpy.abs(field["texture"] - field["double"])
    places = [(y, left) for y in range(0, size - edge + 1, edge // 2) for left in range(0, size - edge, edge // 2)]
    top, left = max(places, key=lambda place: difference[place[0] : place[0] + edge, place[1] : place[1] + edge].mean())
    part = numpy.s_[top : top + edge, left : left + edge]
    _show(axes["exact"], stripes["double"][part], f"stripes under an exact field:\n{edge} x {edge} pixels", vmin=0, vmax=255)
    _show(axes["texture"], stripes["texture"][part], "the same, field by texture fetches:\njerky", vmin=0, vmax=255)
    shown = axes["less"].imshow((stripes["texture"] - stripes["double"])[part], cmap="RdBu_r", vmin=-128, vmax=128)
    axes["less"].set_title("their difference\n(grey levels of 255)", fontsize=9)
    axes["less"].set_axis_off()
    figure.colorbar(shown, ax=axes["less"], shrink=0.7)
    # The displacement from pixel to pixel: smooth, or steps.
    middle, half = numpy.median(slopes["double"][part]), numpy.abs(slopes["texture"][part]).max()
    limits = {"vmin": middle - half, "vmax": middle + half}
    _show(axes["slope"], slopes["double"][part], "displacement along x, from pixel\nto pixel: exact", **limits)
    _show(axes["steps"], slopes["texture"][part], "by texture fetches:\neight bits make steps", **limits)
    row = top + edge // 2
    some = slice(left, left + edge // 2)
    for way, colour, width in (("texture", RED, 0.9), ("double", BLUE, 1.4)):
        axes["part"].plot(x[some], field[way][row, some], color=colour, linewidth=width, drawstyle="steps-mid", label={"double": "exact"}.get(way, way))
    axes["part"].set_title("displacement in half a row of it (pixels)", fontsize=9)
    axes["part"].legend()
    for cells, colour in ((1, RED), (8, ORANGE)):
        error = pictures[f"deformation-{cells}-field-cubic-texture"] - pictures[f"deformation-{cells}-field-cubic-double"]
        axes["row"].plot(error[row], color=colour, linewidth=0.7, label=f"texture, cells of {size // cells} pixels")
    axes["row"].plot((pictures["deformation-1-field-cubic"] - field["double"])[row], color=BLUE, linewidth=1.2, label="exact mode, single precision")
    axes["row"].set(xlabel="pixel of that row", ylabel="pixels", title="error of the displacement along x")
    axes["row"].legend(loc="upper right", ncol=3)
    what = "displacement along x (pixels)"
    largest = [results.values("deformation", what=what, cells=cells, way="cubic-texture")["error_largest"] for cells in (1, 8)]
    figure.suptitle(
        f"A B-spline deformation with cells of {size} pixels (figure 1 of 003): texture mode errs by at most {largest[0]:.2f} pixels; with cells of {size // 8}, {largest[1]:.2f}"
    )
    note(figure, pictures.where())
    return figure


def lookup(results, _pictures):
    """003, table 1: errors, what a table adds to them, times."""
    if not results.has("lookup-table"):
        return None
    images = results.axis("lookup-table", "image")
    key = "sum_of_squares_of_256x256"

    def squares(way, entries=0):
        return numpy.array([results.values("lookup-table", image=image, way=way, entries=entries)[key] for image in images])

    fly, place = squares("cubic-texture"), numpy.arange(len(images) + 1)
    timed = [row for row in results.rows("lookup-table") if "time" in row["values"] and row["cell"]["way"] != "linear-texture"]
    figure, axes = plt.subplots(1, 3 if timed else 2, figsize=(11.0 if timed else 8.5, 4.4), gridspec_kw={"width_ratios": [1.0, 1.0, 0.7] if timed else [1.0, 1.0]})
    paper_table, paper_fly = published.LOOKUP["lookup table"], published.LOOKUP["on the fly"]
    axes[0].semilogy(place[:-1], fly, "o", color=SKY, label="texture mode, weights on the fly")
    axes[0].semilogy(place[:-1], squares("cubic"), "D", color=BLUE, label="exact mode, single precision")
    axes[0].semilogy(place[-1], paper_fly[0], "o", color=SKY, fillstyle="none")
    axes[0].set(ylabel="sum of squared errors of 256² pixels\n(grey values in [0, 1])", title="errors")
    for count, colour, marker in ((128, ORANGE, "s"), (256, GREEN, "^"), (1024, PURPLE, "v"), (4096, GREY, "x")):
        axes[1].plot(place[:-1], squares("cubic-table", count) / fly, marker, color=colour, label=f"table of {count}, floats")
    axes[1].plot(place[-1], paper_table[0] / paper_fly[0], "s", color=ORANGE, fillstyle="none")
    # A model of the published table is compared with the model of the hardware, not with a device.
    if results.origin["lookup-table"]["backend"] == "Cpu":
        axes[1].plot(place[:-1], squares("table of 16 bits", 128) / fly, "P", color=RED, label="table of 128, 16 bits, filtered (model)")
    axes[1].axhline(1.0, color=GREY, linewidth=0.6)
    axes[1].set(ylabel="ratio of squared errors", title="from a table, over weights on the fly")
    for axis in axes[:2]:
        axis.set_xticks(place, [*images, "003, table 1"], rotation=35, ha="right")
    axes[0].legend(loc="center left")
    axes[1].legend(loc="upper left")
    sizes = list(dict.fromkeys((row["cell"]["dimension"], row["cell"]["size"]) for row in timed))
    for k, (way, title, colour) in enumerate((("cubic-texture", "on the fly", SKY), ("cubic-table", "table of 128", ORANGE), ("cubic", "exact mode", BLUE))):
        found, base = ([results.ms("lookup-table", way=one, dimension=d, size=s) for d, s in sizes] for one in (way, "cubic-texture"))
        if timed:
            bars = axes[2].bar(numpy.arange(len(sizes)) + 0.27 * (k - 1), [a / b for a, b in zip(found, base)], 0.27, color=colour, label=title)
            axes[2].bar_label(bars, [f"{ms:.2g} ms" for ms in found], fontsize=7, rotation=90, padding=2)
    if timed:
        axes[2].axhline(paper_table[1] / paper_fly[1], color=ORANGE, linestyle=":", label="table (003)")
        axes[2].set_xticks(range(len(sizes)), [f"{size}{'²' if d == 2 else '³'}" for d, size in sizes])
        axes[2].set(ylabel="ratio of times", title="times, over weights on the fly")
        axes[2].set_ylim(top=1.9 * axes[2].get_ylim()[1])  # room for the legend
        axes[2].legend(loc="upper left", ncol=2)
    figure.suptitle("Weights on the fly and from tables (table 1 of 003; open: the paper's numbers)")
    note(figure, results.where("lookup-table"))
    return figure


def roofline(results, _pictures):
    """Bytes and instructions: each stage's place under the limits of the device."""
    rows = [row for row in results.rows("roofline") if row["cell"]["stage"] != "limits"]
    peaks = results.values("roofline", stage="limits")
    if not rows or not peaks:
        return None
    figure, axis = plt.subplots(figsize=(9.5, 4.8))
    places = []
    for number, row in enumerate(rows, 1):
        values, cell = row["values"], row["cell"]
        ms = results.counted_ms(row)
        place = values["thread_instructions"] / values["bytes"], values["thread_instructions"] / (1e-3 * ms) / 1e12
        places.append(place)
        stage = "" if cell["stage"] == "evaluation" else f"{cell['stage']}: "
        title = {"order-2": "order 2", "order-4": "order 4", "order-5": "order 5", "cubic-half": "cubic, halves", "cubic-int16": "cubic, 16-bit integers"}.get(cell["way"], TITLES.get(cell["way"], cell["way"]))
        label = f"{number}  {stage}{title}, {cell['size']}{'²' if cell.get('dimension', 3) == 2 else '³'}"
        marker = "s" if cell["stage"] == "prefilter" else "o"
        axis.plot(*place, marker, color=WAYS.get(cell["way"], GREY), label=label, markersize=7, fillstyle="none" if cell.get("dimension", 3) == 2 else "full")
        axis.annotate(str(number), place, xytext=(4, 4), textcoords="offset points", fontsize=7)
    # The axes are where the stages are, and the corner of the roof.
    ridge = peaks["instructions"] / peaks["bytes"]
    left, right = min(x for x, _ in places) / 1.6, max([x for x, _ in places] + [ridge]) * 1.6
    bottom = min(y for _, y in places) / 1.6
    x = numpy.logspace(numpy.log10(left), numpy.log10(right), 200)
    axis.loglog(x, numpy.minimum(peaks["bytes"] * x, peaks["instructions"]) / 1e12, color="black", linewidth=1.0)
    axis.set(xlim=(left, right), ylim=(bottom, 1.6 * peaks["instructions"] / 1e12))
    axis.annotate(f"a copy: {peaks['bytes'] / 1e12:.1f} TB/s", (left * 1.1, peaks["bytes"] * left * 2.6 / 1e12), fontsize=8)
    axis.annotate(f"{peaks['instructions'] / 1e12:.0f} x 10¹² instructions of threads a second", (right / 1.1, 1.08 * peaks["instructions"] / 1e12), ha="right", fontsize=8)
    axis.set(xlabel="instructions of a thread / byte from and to device memory", ylabel="10¹² instructions of threads a second", title="single precision, as counted by Nsight Compute (open: images)")
    axis.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0), ncol=1)
    context = results.origin["roofline"]
    note(figure, ", ".join([results.where("roofline"), *filter(None, [context.get("date", "")[:10], context.get("commit") and f"commit {context['commit']}"])]))
    return figure
