"""Figures of the papers, drawn from results: each function makes one, or returns None where the results have nothing for it."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import published

# Colours of Okabe and Ito, which colour-blind readers can distinguish.
BLUE, ORANGE, GREEN, PURPLE, SKY, RED, YELLOW, GREY = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#777777"
IMAGES = {"shepp-logan": (BLUE, "o"), "zone-plate": (RED, "s"), "ct": (GREEN, "^"), "noise": (GREY, "x"), "brain": (PURPLE, "D"), "camera": (ORANGE, "v"), "proton-density": (SKY, "P")}
WAYS = {"nearest": GREY, "linear": ORANGE, "linear-texture": YELLOW, "catmull-rom": GREEN, "cubic": BLUE, "cubic-texture": SKY, "cubic-fir15": PURPLE, "cubic-unfiltered": RED, "published": RED}
TITLES = {
    "nearest": "nearest", "linear": "linear", "linear-texture": "linear, texture", "catmull-rom": "Catmull-Rom", "cubic": "cubic, exact",
    "cubic-texture": "cubic, texture", "cubic-unfiltered": "cubic, no prefilter", "cubic-double": "cubic, double", "published": "recursion, line a thread",
    "copy": "copy", **{f"cubic-fir{taps}": f"cubic, {taps} taps" for taps in (7, 9, 11, 13, 15, 19, 27)},
}  # fmt: skip
TAPS = (7, 9, 11, 13, 15, 19, 27)


def setup():
    plt.rcParams.update({
        "svg.hashsalt": "CudaSpline", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.titlesize": 10,
        "legend.fontsize": 8, "figure.constrained_layout.use": True, "image.interpolation": "nearest", "axes.spines.top": False, "axes.spines.right": False,
    })  # fmt: skip


def note(figure, text):
    """Where the numbers are from, below the figure."""
    figure.supxlabel(text, fontsize=7, color="#555555")


def coefficients(results, _pictures):
    """000, figure 1."""
    rows = results.rows("coefficients", what="coefficient")
    taps = results.rows("coefficients", what="taps")
    if not rows or not taps:
        return None
    figure, axes = plt.subplots(1, 3, figsize=(10.0, 3.2))
    k = numpy.array([row["cell"]["k"] for row in rows])
    b = numpy.array([row["values"]["value"] for row in rows])
    axes[0].stem(k[:8], b[:8], basefmt=" ")
    axes[0].axhline(0.0, color="black", linewidth=0.6)
    axes[0].set(xlabel="k (samples)", ylabel="b(k)", title="the first eight coefficients, as figure 1 of 000")
    axes[1].semilogy(k, numpy.abs(b), "o", color=BLUE, label="|b(k)|")
    line = numpy.linspace(0, 15)
    axes[1].semilogy(line, numpy.sqrt(3) * (2 - numpy.sqrt(3)) ** line, color=GREY, label="√3 (2 − √3)$^k$")
    axes[1].axhline(2.0**-24, color=GREY, linestyle=":")
    axes[1].text(0, 2.0**-24 * 1.5, "2$^{-24}$", color=GREY)
    axes[1].set(xlabel="k (samples)", ylabel="|b(k)|", title="their decay")
    axes[1].legend()
    count = [row["cell"]["taps"] for row in taps]
    axes[2].semilogy(count, [row["values"]["bound_raw"] for row in taps], "o-", color=BLUE, label="cut off")
    axes[2].semilogy(count, [row["values"]["bound_normalised"] for row in taps], "s-", color=RED, label="cut off and normalised (000)")
    axes[2].set(xlabel="taps", ylabel="coefficient error / largest sample", title="worst case along one axis", xticks=count)
    axes[2].legend()
    return figure


def rms_by_taps(results, _pictures, dimension=2):
    """000, figure 2: RMS after 36 rotations by taps, and what one rotation alone errs."""
    name = f"rotations-{dimension}d"
    if not results.has(name):
        return None
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.2))
    for image in results.axis(name, "image"):
        colour, marker = IMAGES.get(image, (GREY, "."))
        for axis, error, key in (
            (axes[0], "36 rotations, against the original", "rms_of_range"),
            (axes[1], "one rotation, against the exact cubic", "rms_of_range"),
        ):
            line = [100 * results.values(name, image=image, way=f"cubic-fir{taps}", error=error)[key] for taps in TAPS]
            axis.semilogy(TAPS, line, marker + "-", color=colour, label=image, markersize=4)
            if axis is axes[0]:
                axis.axhline(100 * results.values(name, image=image, way="cubic", error=error)[key], color=colour, linestyle="--", linewidth=0.8)
            else:
                texture = results.values(name, image=image, way="cubic-texture", error=error)[key]
                axis.axhline(100 * texture, color=colour, linestyle=":", linewidth=0.8)
                axis.plot(TAPS[-1] + 2.5, 100 * results.values(name, image=image, way="cubic", error=error)[key], marker, color=colour, markersize=4)
    for axis in axes:
        axis.set(xlabel="taps of the prefilter", xticks=TAPS)
    axes[0].plot([], [], color="black", linestyle="--", linewidth=0.8, label="exact prefilter")
    axes[1].plot([], [], color="black", linestyle=":", linewidth=0.8, label="texture mode, exact prefilter")
    axes[1].set_xticks([*TAPS, TAPS[-1] + 2.5], [*map(str, TAPS), "exact,\nsingle"])
    axes[0].set(ylabel="RMS (% of the range)", title="36 rotations by 10°, against the original, as figure 2 of 000")
    axes[1].set(ylabel="RMS (% of the range)", title="one rotation by 10°, against the exact cubic")
    axes[0].set_ylim(top=12 * axes[0].get_ylim()[1])  # room for the legend
    axes[0].legend(ncol=3, loc="upper right")
    axes[1].legend(handles=[axes[1].lines[-1]], loc="lower left")
    note(figure, f"inner disk or ball; {results.where(name)}")
    return figure


def rotated(results, pictures):
    """000, figures 3 and 4: an image after 36 rotations, and what is left of it."""
    images = [image for image in ("camera", "brain", "shepp-logan") if f"rotations-2d-{image}-original" in pictures]
    if not images or not results.has("rotations-2d"):
        return None
    image = images[0]
    ways = ["linear", "catmull-rom", "cubic-fir7", "cubic-fir9", "cubic-fir11", "cubic-fir15", "cubic-texture", "cubic"]
    original = pictures[f"rotations-2d-{image}-original"]
    span = original.max() - original.min()
    rows, columns = numpy.ogrid[: original.shape[0], : original.shape[1]]
    half = (min(original.shape) - 1) / 2
    beyond = (rows - (original.shape[0] - 1) / 2) ** 2 + (columns - (original.shape[1] - 1) / 2) ** 2 > (half - 16) ** 2
    figure, axes = plt.subplots(4, 4, figsize=(8.0, 9.0))
    for k, way in enumerate(ways):
        turned = pictures[f"rotations-2d-{image}-{way}"]
        above, below = axes[k // 4 * 2][k % 4], axes[k // 4 * 2 + 1][k % 4]
        above.imshow(turned, cmap="gray", vmin=original.min(), vmax=original.max())
        shown = below.imshow(numpy.ma.array(turned - original, mask=beyond), cmap="RdBu_r", vmin=-0.12 * span, vmax=0.12 * span)
        values = results.values("rotations-2d", image=image, way=way, error="36 rotations, against the original")
        above.set_title(TITLES[way])
        below.set_title(f"residual, RMS {values['rms']:.2f}", fontsize=9)
        for axis in (above, below):
            axis.set_axis_off()
    figure.colorbar(shown, ax=axes, location="bottom", shrink=0.5, aspect=40, label=f"residual within the inner disk (grey levels; the image has {span:.0f})")
    figure.suptitle("After 36 rotations by 10°: images and residuals (figures 3 and 4 of 000); RMS within the inner disk")
    note(figure, pictures.where())
    return figure


def prefilter_times(results, _pictures):
    """000, table 1: times by size."""
    if not results.has("prefilter-times"):
        return None
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0))
    for axis, dimension in zip(axes, (2, 3)):
        sizes = results.axis("prefilter-times", "size", dimension=dimension)
        for name in ("published", "cubic-fir15", "cubic", "copy"):
            times = [results.values("prefilter-times", dimension=dimension, size=size, prefilter=name, axis="all")["time"] for size in sizes]
            errors = [[t["ms"] - t["q1"] for t in times], [t["q3"] - t["ms"] for t in times]]
            style = {"color": GREY, "linestyle": ":"} if name == "copy" else {"color": WAYS[name]}
            title = {"cubic": "exact, this module", "cubic-fir15": "15 taps, this module"}.get(name, TITLES[name])
            axis.errorbar(sizes, [t["ms"] for t in times], errors, marker="o", markersize=4, label=title, **style)
        axis.set(xscale="log", yscale="log", xlabel=f"samples an axis ({dimension}D)", ylabel="time (ms)", title=f"cubic prefilter, {dimension}D, single precision")
        if dimension == 2:
            for card, looks in (("Tesla C2050", "k"), ("GTX 260M", "0.6")):
                for k, marker in ((0, "^"), (1, "v")):
                    points = [(edge, times[k]) for (name, edge), times in published.PREFILTER.items() if name == card]
                    axis.plot(*zip(*points), marker, color=looks, markersize=5, fillstyle="none", label=f"{card}: {('recursion', 'FIR15')[k]} (000)")
            sizes = sorted(set(sizes) | {edge for _, edge in published.PREFILTER})
        axis.set_xticks(sizes, [str(size) for size in sizes])
        axis.set_ylim(top=(60 if dimension == 2 else 12) * axis.get_ylim()[1])  # room for the legend
        axis.minorticks_off()
        axis.legend(loc="upper left", ncol=2)
    note(figure, f"medians and quartiles; {results.where('prefilter-times')}")
    return figure


def transform_times(results, _pictures):
    """000, table 3: prefilter and evaluation over the bilinear time."""
    if not results.has("transform-times"):
        return None
    cells = [(row["cell"]["dimension"], row["cell"]["output"]) for row in results.rows("transform-times")]
    cells = list(dict.fromkeys(cells))
    figure, axes = plt.subplots(1, len(cells), figsize=(3.4 * len(cells) + 3.0, 4.0), squeeze=False)
    for axis, (dimension, output) in zip(axes[0], cells):
        transforms = results.axis("transform-times", "transform", dimension=dimension, output=output)

        def ms(stage, way, transform, dimension=dimension, output=output):
            return results.ms("transform-times", dimension=dimension, output=output, transform=transform, stage=stage, way=way)

        base = "linear-texture" if ms("evaluation", "linear-texture", transforms[0]) else "linear"
        lines = [
            ("exact, exact evaluation", "cubic", "cubic", BLUE, "D-"),
            ("15 taps, exact evaluation", "cubic-fir15", "cubic", PURPLE, "s-"),
            # What the paper times: its evaluation is of linearly filtered fetches.
            ("recursion, line a thread, texture", "published", "cubic-texture", RED, "o--"), ("15 taps, texture", "cubic-fir15", "cubic-texture", PURPLE, "s--"),
            ("exact, texture", "cubic", "cubic-texture", SKY, "^--"),
        ]  # fmt: skip
        if not ms("evaluation", "cubic-texture", transforms[0]):  # the Cpu backend has no texture units
            lines.append(("recursion, line a thread, exact evaluation", "published", "cubic", RED, "o-"))
        for title, prefilter, way, colour, style in lines:
            if ms("evaluation", way, transforms[0]):
                factors = [(ms("prefilter", prefilter, t) + ms("evaluation", way, t)) / ms("evaluation", base, t) for t in transforms]
                axis.plot(range(len(transforms)), factors, style, color=colour, markersize=4, label=title)
        if dimension == 2:
            for name, style in (("recursion", "r:"), ("FIR15", "m:")):
                factors = [a / b for a, b in zip(published.TRANSFORMS[name], published.TRANSFORMS["bilinear"])]
                axis.plot(range(5), factors, style, linewidth=1.0, label=f"{name} (000: 2048², C2050)")
        axis.axhline(2.0, color=GREY, linewidth=0.6)
        axis.set_xticks(range(len(transforms)), transforms, rotation=20)
        axis.set(yscale="log", ylabel=f"time / time of {TITLES[base]} interpolation", title=f"output of {output}{'²' if dimension == 2 else '³'}")
        axis.set_yticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"])
        axis.minorticks_off()
    handles, labels = axes[0][0].get_legend_handles_labels()
    axes[0][-1].legend(handles, labels, loc="upper left", bbox_to_anchor=(1.02, 1.0), title="prefilter, evaluation")
    note(figure, f"prefilter and cubic evaluation together; {results.where('transform-times')}")
    return figure


def scaling(results, _pictures):
    """Volumes of 64^3 to 1024^3: voxels a second."""
    if not results.has("scaling"):
        return None
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.0), sharex=True)
    for axis, stage in zip(axes, ("prefilter", "evaluation")):
        names = results.axis("scaling", "way", stage=stage)
        for name in names:
            rows = results.rows("scaling", stage=stage, way=name)
            axis.plot([r["cell"]["size"] for r in rows], [r["values"]["gigavoxels_a_second"] for r in rows], "o-", markersize=4, color=WAYS.get(name, GREY), label=TITLES.get(name, name))
        if stage == "prefilter":
            rows = results.rows("scaling", stage="copy")
            axis.plot([r["cell"]["size"] for r in rows], [r["values"]["gigavoxels_a_second"] for r in rows], ":", color=GREY, label="copy")
        sizes = [row["cell"]["size"] for row in rows]
        axis.set(xscale="log", yscale="log", xlabel="samples an axis", ylabel="10⁹ voxels a second", title=f"{stage}, single precision")
        axis.set_xticks(sizes, [f"{size}³" for size in sizes])
        axis.minorticks_off()
        axis.legend()
    axes[1].set_title("evaluation under a rotation by 10° about the diagonal")
    note(figure, results.where("scaling"))
    return figure
