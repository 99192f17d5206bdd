"""The figures of doc/Accuracy.md; see figures.py."""

import matplotlib.pyplot as plt

from figures import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

INTERIOR, EDGE = "interior", "within 15 samples of an edge"
IMAGES = ("noise", "shepp-logan", "zone-plate", "ct")
MODES = [
    ("mode: texture", "texture mode", RED, "o", -0.24), ("mode: halves", "coefficients as halves", ORANGE, "P", -0.12),
    ("mode: 16-bit integers", "coefficients as 16-bit integers", GREEN, "s", 0.12), ("mode: exact, single", "exact, single precision", BLUE, "D", 0.0),
    ("mode: exact, double", "exact, double precision", PURPLE, "^", 0.0),
]  # fmt: skip
STAGES = [
    ("stage: prefilter, 15 taps", "prefilter by 15 taps", PURPLE, "v", -0.2), ("stage: coordinates, single", "coordinates, single", GREY, "x", -0.1),
    ("stage: weights and sum, single", "weights and sum, single", SKY, "o", 0.0), ("stage: prefilter, single", "prefilter, single", BLUE, "D", 0.1),
    ("stage: storage, float", "coefficients rounded to float", GREEN, "s", 0.2),
]  # fmt: skip


def _errors(results, looks, title):
    """Largest errors by order, and their bounds; markers at the same order are shifted, so that all can be seen."""
    images = [image for image in IMAGES if image in results.axis("accuracy", "image")]
    if not images:
        return None
    widths = [1.0] * len(images) + [0.85]  # the last is for the legend
    figure, axes = plt.subplots(1, len(widths), figsize=(2.6 * sum(widths), 4.4), sharey=True, squeeze=False, gridspec_kw={"width_ratios": widths})
    for axis, image in zip(axes[0], images):
        for what, label, colour, marker, aside in looks:
            rows = {where: [r for r in results.rows("accuracy", image=image, what=what, where=where) if isinstance(r["cell"]["order"], int)] for where in (INTERIOR, EDGE)}
            for where in (INTERIOR, EDGE):
                full = where == INTERIOR
                places = [row["cell"]["order"] + aside for row in rows[where]]
                largest = [row["values"]["largest_of_range"] for row in rows[where]]
                looks_of = {"fillstyle": "full" if full else "none", "markersize": 4 if full else 7, "linestyle": "-" if full else "none"}
                axis.semilogy(places, largest, marker, color=colour, linewidth=0.7, label=label if full else None, **looks_of)
            bounds = [(row["cell"]["order"] + aside, row["values"]["bound_of_range"]) for row in rows[INTERIOR] if row["values"]["bound_of_range"]]
            axis.semilogy(*zip(*bounds), "_", color=colour, markersize=11) if bounds else None
        axis.set(xlabel="order of the spline", title=image, xticks=(2, 3, 4, 5), xlim=(1.5, 5.5))
    axes[0][0].set_ylabel("largest error of a value / range of the samples")
    handles = axes[0][0].get_legend_handles_labels()[0]
    for looks_of in ({"marker": "_", "markersize": 11, "label": "derived bound"}, {"marker": "o", "markersize": 7, "fillstyle": "none", "label": EDGE}):
        handles.append(plt.Line2D([], [], color="black", linestyle="", **looks_of))
    axes[0][-1].set_axis_off()
    axes[0][-1].legend(handles=handles, loc="center left")
    figure.suptitle(f"{title}; {results.where('accuracy')}", fontsize=9)
    return figure


def modes(results, _pictures):
    """Errors of values by order and mode, with their bounds."""
    return _errors(results, MODES, "Values at random places of a volume by mode, against the exact spline")


def stages(results, _pictures):
    """Errors that single stages make."""
    return _errors(results, STAGES, "Values at random places of a volume with one stage that is not exact")
