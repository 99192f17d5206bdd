"""The page of the evidence: what was run, on what, and the tables."""

TISSUES = {1: "cerebrospinal fluid", 2: "grey matter", 3: "white matter"}  # as images.brains() numbers them
FIGURES = {
    "quality-by-time": "Local correlation by time. A dotted line leads from a run that was cut short to the estimated time of the whole run.",
    "checkerboards": "Squares of the fixed image and, in warm colours, of the moved image alternate. Edges that continue from square to square agree.",
    "grids": "A grid of 8 mm, bent by what is not linear in the transform.",
    "determinants": "How volumes change: the binary logarithm of the determinant; red where the moving image is larger, black where it folds.",
    "errors": "Distance between the computed and the true position of each point.",
}


def table(head, rows):
    """A table of Markdown: words on the left, numbers on the right."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def number(value, form=".3g"):
    return "-" if value is None else format(value, form)


def gigabytes(count):
    return "-" if count is None else f"{count / 1e9:.2f}"


def seconds_of(told):
    """Seconds in memory; with what all of it would take, where something was cut short."""
    whole = told.get("whole_seconds", told["seconds"])
    return f"{whole:.3g} (made: {told['seconds']:.3g})" if whole > 1.01 * told["seconds"] else f"{told['seconds']:.3g}"


def finished(experiment):
    return [told for told in experiment["methods"].values() if "measures" in told]


def times(experiment):
    rows = []
    for told in finished(experiment):
        stages = ", ".join(f"{stage['name']} {stage['seconds']:.3g}" for stage in told["stages"])
        memory = [gigabytes(told.get(where)) for where in ("device_bytes", "host_bytes")]
        rows.append([told["title"], stages, seconds_of(told), number(told.get("process_seconds")), *memory])
    return table(["method", "stages (s)", "images to fields (s)", "whole process (s)", "memory of the device (GB)", "of the host (GB)"], rows)


def levels(experiment):
    """Levels of the methods that report them."""
    rows = []
    for told in finished(experiment):
        for stage in told["stages"]:
            if stage["levels"]:
                parts = [f"{level['iterations']} in {level['seconds']:.3g}" for level in stage["levels"]]
                rows.append([told["title"], stage["name"], "; ".join(parts)])
    return table(["method", "stage", "iterations in seconds, level by level"], rows) if rows else []


def quality(experiment, names):
    """Correlations, overlaps, folding, inverses.

    names: {label: title} of labels that get a column"""
    head = ["method", "correlation", "local, 9^3", "local, 5^3", *(f"Dice: {title}" for title in names.values()), "Dice: mean"]
    head += ["folded voxels", "least determinant", "deviation of its logarithm", "inverse: mean (mm)", "largest (mm)"]

    def row(title, found):
        folding, inverse = found.get("folding", {}), found.get("inverse", {})
        return [
            title, *(number(found[key], ".4f") for key in ("correlation", "local_correlation_4", "local_correlation_2")),
            *(number(found["dice"].get(str(label)), ".3f") for label in names), number(found["mean_dice"], ".3f"),
            number(folding.get("voxels"), "d"), number(folding.get("least")), number(folding.get("deviation")),
            number(inverse.get("mean")), number(inverse.get("largest")),
        ]  # fmt: skip

    rows = [row("before", experiment["before"])]
    for told in finished(experiment):
        if "after_affine" in told["measures"]:
            rows.append(row(told["title"] + ", affine alone", told["measures"]["after_affine"]))
        rows.append(row(told["title"], told["measures"]))
    return table(head, rows)


def errors(experiment):
    def row(title, found, seconds):
        distances = [number(found["error"][key]) for key in ("mean", "median", "p95", "largest")]
        return [title, *distances, number(found["mean_dice"], ".3f"), number(found.get("folding", {}).get("voxels"), "d"), seconds]

    rows = [row("before", experiment["before"], "-")]
    rows += [row(told["title"], told["measures"], seconds_of(told)) for told in finished(experiment)]
    rows.append(row("the ground truth itself", experiment["at_best"], "-"))
    return table(["method", "error: mean (mm)", "median", "95 %", "largest", "Dice: mean of AAL's labels", "folded voxels", "images to fields (s)"], rows)


def notes(experiment):
    """Notes on each method, with its version and parameters: one text each."""
    lines = []
    for told in experiment["methods"].values():
        if "failed" in told:
            lines.append(f"* **{told['title']} failed**: {told['failed']}")
            continue
        words = [told["version"], told["parameters"], *told["notes"]]
        words += [f"times {told['around']}"] if told.get("around") else []
        again = told.get("again")
        if isinstance(again, dict):
            bits = "the same bits" if again["same_bits"] else "**other bits**"
            words.append(f"run again: {bits}, {again['seconds']:.3g} s, whole process {again['process_seconds']:.3g} s")
        elif again:
            words.append(f"run again: **failed**, {again}")
        backends = sorted({stage["backend"] for stage in told["stages"] if stage.get("backend")})
        words += [f"computed by {', '.join(backends)}"] if backends else []
        lines.append("\n".join([f"* *{told['title']}*", *(f"  * {one}" for one in words)]))
    return lines


def heading(results):
    context = results["contexts"][-1]
    commands = [f"    scripts/{one['command']}" for one in results["contexts"]]
    count = "one command" if len(commands) == 1 else "these commands"
    lines = ["# Registration, shown", "", f"This page and its numbers were written by {count}:", "", *commands, ""]
    named = ("commit", "versions", "device", "driver", "processor", "threads", "optimization")
    lines.append(f"* date: {', '.join(one['date'] for one in results['contexts'])}")
    lines += [f"* {name}: {context[name]}" for name in named if name in context]
    quick = ": a quick run, which shows that the command works and **not what the methods come to**"
    lines.append(f"* images of {context['spacing']:g} mm" + (quick if context["spacing"] > 1 else ""))
    if "device" not in context:
        lines.append("* no GPU: this module ran on the host, and its times are not those that it is made for")
    return [*lines, ""]


def left_out(titles):
    """A line that names what was not run."""
    return [f"**Not run**: {'; '.join(titles)}.", ""] if titles else []


METHOD = """## How it is measured

* Every method reads the same two files, in a process of its own, one after the other. *Images to fields* is the time
  from images in memory to transforms in memory, where the method allows measuring it; the notes list what else it includes. *Whole process* includes
  starting, reading and writing.
* Every method's transforms are sampled by one sampler (`cudaspline.Transform`, which reads ITK's and ANTs' files), and
  all numbers come from one function (`reproduction/evidence.d/measures.py`), under the mask of the fixed image's brain.
* *Correlation* is Pearson's; *local* is the mean of its square in windows of 9^3 (ITK's and ANTs' metric) or 5^3
  voxels (FireANTs').
* *Dice* is twice the voxels that two labels share, by those of either; labels are moved by nearest neighbours.
* *Folded voxels* have a determinant of 0 or less, by central differences. *Inverse* is the distance of
  `phi(phi^-1(x))` from `x` in the moving image's brain.
* *Memory of the device* is the most that was taken of it while the process ran, by its driver, CUDA's own part and
  what a library keeps for later included.
"""

BRAINS = """The fixed image is MNI152 2009a (linear average of 152 heads), the moving one Colin27 (one head), both of 1 mm and without skulls. Tissues
of MNI152 are the likeliest of the maps that come with it; those of Colin27 are three classes of its brightness (a mixture of Gaussians), which do not
depend on the position: deep grey matter, which is bright, counts as white. So no method can reach 1, and differences between methods are what counts.
"""

SPEED = """Times of the module on the same two images. Each row has processes of its own unless it says that it does not. Medians, followed by all
runs. *Must* and *aim* are those of the project. Kernels are from a run with a profiler, times of levels from runs without one. Kernels include those
that run after the levels, for example of greedy's last inverse.
"""

AGREEMENT = """One program of ITK's classes was run as it is, and with the factories: rigid and affine by mutual information, then SyN
of 100, 70, 50, 20 iterations with local correlation of 9^3 voxels, pixels of float. So ITK computes in double, and the
module in single precision. Both ran their whole course. *Distance* is between where the two send a voxel, through SyN's
field and the linear transforms.
"""

ACCURACY = {
    "contrast": "The contrast of the moving image is inverted. There is no ground truth; overlaps are those of tissues.",
    "t2": "The moving image is simulated from maps of tissues, as in T2-weighted scans, with noise of 5 % and a bias of 30 %. *Error* is in the brain.",
    "lesion": "The fixed image has four lesions of 10 voxels' radius, which a mask leaves out. *In the region* is 1 to 4 voxels around them.",
    "orientations": """The same pair was stored in eight other orders and directions of its axes. *Difference* is that of the results in the brain from the
first one's, in mm.""",
    "abdomen": "Organs of the phantom move by up to 40 mm, in different directions. *Error* is that in the body, *in the region* that in organs.",
}

TRUTH = """The fixed image is Colin27 with AAL's 116 labels; the moving one is that, bent by the flow of a smooth random velocity field (a
diffeomorphism whose inverse is known), turned, scaled and shifted. *Before* is what the transform comes to; *the ground truth itself* is how well
labels agree that were moved twice with nearest neighbours. For another contrast, brightness was squared, and noise of 5 % and a bias of 30 % were
added.
"""


def speed(rows):
    """The required values and the measured ones."""
    lines = []
    for row in rows:
        if "failed" in row:
            lines.append([row["what"], "", "", f"failed: {row['failed']}", "", "no"])
            continue
        bounds = [number(row[name]) if row[name] is not None else "" for name in ("must", "aim")]
        runs = ", ".join(number(value) for value in row["values"]) if len(row["values"]) > 1 else ""
        lines.append([row["what"], *bounds, f"{number(row['median'])} {row['unit']}".strip(), runs, row["met"]])
    return table(["what", "must", "aim", "median", "runs", "met"], lines)


def agreement(found):
    """A row a spacing and place; iterations and values of each level."""
    rows, courses = [], []
    for one in found:
        size = " x ".join(map(str, one["size"]))
        for where, told in one["distance"].items():
            title = f"{one['spacing']:g} mm, {size}, every {'voxel' if one['step'] == 1 else 'second voxel'}, {where}"
            rows.append([title, *(number(told[key]) for key in ("mean", "p50", "p95", "p99", "p99.9", "largest"))])
        for name, which in zip(one["methods"], (0, 1)):
            counts = ", ".join(map(str, one["iterations"][which]))
            values = ", ".join(f"{pair[which]:.7f}" for pair in one["values"])
            courses.append([f"{one['spacing']:g} mm, `{name}`", counts, values, number(one["seconds"][which])])
    lines = table(["distance (voxels)", "mean", "median", "95 %", "99 %", "99.9 %", "largest"], rows)
    head = ["run", "iterations, level by level", "metric's value at their ends", "whole process (s)"]
    return [*lines, "", f"*Must*: 99 % within {found[0]['must']} voxels.", "", *table(head, courses)]


def accuracy(one):
    """A row a method."""
    columns = (
        ("error: mean (mm)", "error", "mean"), ("95 %", "error", "p95"), ("in the region: mean", "region", "mean"), ("95 %", "region", "p95"),
        ("folded voxels", "folding", "voxels"), ("least determinant", "folding", "least"), ("largest", "folding", "largest"),
        ("deviation of its logarithm", "folding", "deviation"), ("inverse: mean (mm)", "inverse", "mean"), ("largest", "inverse", "largest"),
    )  # fmt: skip
    single = (("Dice: mean", "mean_dice"), ("difference: mean (mm)", "mean"), ("largest", "largest"), ("seconds", "seconds"))
    rows = one["methods"]
    made = [row for row in rows.values() if "failed" not in row]
    columns = [column for column in columns if any(column[2] in row.get(column[1], {}) for row in made)]
    single = [column for column in single if any(column[1] in row for row in made)]
    lines = []
    for name, row in rows.items():
        if "failed" not in row:
            values = [number(row.get(key, {}).get(part)) for _, key, part in columns]
            lines.append([f"`{name}`", *values, *(number(row.get(key)) for _, key in single)])
    head = ["method", *(column[0] for column in columns), *(column[0] for column in single)]
    failed = [f"* **{name} failed**: {row['failed']}" for name, row in rows.items() if "failed" in row]
    return [*table(head, lines), *([""] if failed else []), *failed]


def page(results, drawn, folder):
    """The page. drawn: files of figures; folder: where they are, as seen from the page."""
    lines = heading(results) + METHOD.splitlines() + [""]
    shown = {name: [f"![{name}]({folder}/{name}.png)", "", f"*{caption}*", ""] for name, caption in FIGURES.items() if f"{name}.png" in drawn}
    pairs = results["pairs"]
    if "brains" in pairs:
        experiment = pairs["brains"]
        lines += [f"## {experiment['title']}", "", *BRAINS.splitlines(), ""]
        lines += left_out(results["left_out"]["brains"])
        lines += [f"{' x '.join(map(str, experiment['size']))} voxels, {experiment['brain']} of them brain.", "", *times(experiment), ""]
        lines += [*quality(experiment, TISSUES), "", *shown.get("quality-by-time", [])]
        found = levels(experiment)
        lines += [*found, ""] if found else []
        lines += ["Versions, parameters and notes:", "", *notes(experiment), ""]
        for name in ("checkerboards", "grids", "determinants"):
            lines += shown.get(name, [])
    if "speed" in results:
        lines += ["## Speed", "", *SPEED.splitlines(), "", *speed(results["speed"]), ""]
    if "agreement" in results:
        lines += ["## SyN compared with ITK's own", "", *AGREEMENT.splitlines(), "", *agreement(results["agreement"]), ""]
    if "accuracy" in results:
        lines += ["## Accuracy of presets", ""]
        for name, one in results["accuracy"].items():
            size = " x ".join(f"{step:g}" for step in one["spacing"])
            lines += [f"### {one['title']}", "", *ACCURACY[name].splitlines(), f"Samples are {size} mm apart.", "", *accuracy(one), ""]
    known = {name: pair for name, pair in pairs.items() if "at_best" in pair}
    if known:
        lines += ["## Known truth", "", *TRUTH.splitlines(), ""]
        for name, experiment in known.items():
            lines += [f"### {experiment['title']}", "", *left_out(results["left_out"][name]), *errors(experiment), ""]
            failed = [line for line in notes(experiment) if "failed" in line]
            lines += [*failed, ""] if failed else []
        lines += shown.get("errors", [])
    return "\n".join(lines).rstrip() + "\n"
