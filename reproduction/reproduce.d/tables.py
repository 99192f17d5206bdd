"""The papers' tables from results, as Markdown, and what agrees with what they print."""

import published

TAPS = (7, 9, 11, 13, 15, 19, 27)
AGAINST = ("36 rotations, against the original", "36 rotations, against the exact cubic", "one rotation, against the exact cubic")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def time(value):
    """A time as median and quartiles."""
    return "-" if value is None else f"{value['ms']:.3g} ({value['q1']:.3g} to {value['q3']:.3g})"


def small(number):
    return "-" if number is None else f"{number:.2e}" if number and abs(number) < 1e-2 else f"{number:.3g}"


def coefficients(results):
    """Figure 1 of 000, and what it does not show."""
    rows = [
        [c["k"], f"{v['value']:.9f}", f"{abs(v['value'] - v['closed_form']):.1e}"]
        for c, v in ((row["cell"], row["values"]) for row in results.rows("coefficients", what="coefficient"))
    ]
    if rows:
        yield "000, figure 1: coefficients of the prefilter, b(k) = b(-k)", table(["k", "b(k)", "from proposition 1"], rows)
    rows = [
        [c["taps"], small(v["bound_raw"]), small(v["bound_normalised"])]
        for c, v in ((row["cell"], row["values"]) for row in results.rows("coefficients", what="taps"))
    ]
    if rows:
        yield "000: what taps lose at most, along an axis, by the largest sample", table(["taps", "cut off", "cut off and normalised"], rows)


def rotations(results):
    """Figures 2 to 4 of 000 as numbers."""
    for dimension in (2, 3):
        name = f"rotations-{dimension}d"
        for image in results.axis(name, "image"):
            ways = [way for way in results.axis(name, "way", image=image) if way != "cubic-double"]
            size = results.axis(name, "size", image=image)[0]
            rows = []
            for way in ways:
                cells = [way]
                for error in AGAINST:
                    values = results.values(name, image=image, way=way, error=error)
                    cells += [small(values["rms"]), small(values["largest"])]
                rows.append(cells)
            head = ["way", "36, original: RMS", "largest", "36, exact cubic: RMS", "largest", "one, exact cubic: RMS", "largest"]
            yield f"000, 36 rotations by 10 degrees and one: {image}, {dimension}D, {size} samples along x, inner disk or ball", table(head, rows)


def rotation_summaries(results):
    """What figures 2 to 4 of 000 come to, an image a row."""
    rows = []
    for dimension in (2, 3):
        name = f"rotations-{dimension}d"
        for image in results.axis(name, "image"):

            def found(way, error, key, name=name, image=image):
                return results.values(name, image=image, way=way, error=error)[key]

            exact = found("cubic", AGAINST[0], "rms")
            more = [f"{100 * (found(way, AGAINST[0], 'rms') / exact - 1):+.2f}" for way in ("cubic-fir11", "cubic-fir15", "cubic-texture")]
            apart = [f"{100 * found(way, AGAINST[1], 'rms_of_range'):.2f}" for way in ("cubic-fir9", "cubic-fir11", "cubic-fir15")]
            largest = f"{255 * found('cubic-fir15', AGAINST[1], 'largest_of_range'):.3f}"
            once = [found(f"cubic-fir{taps}", AGAINST[2], "rms") for taps in TAPS]
            # A tap on either side is two more; 27 taps are at the rounding of single precision.
            factors = [(once[i] / once[i + 1]) ** (2 / (TAPS[i + 1] - TAPS[i])) for i in range(5)]
            rows.append([f"{image}, {dimension}D", *more, *apart, largest, f"{min(factors):.2f} to {max(factors):.2f}"])
    if rows:
        head = ["image", "11 taps: RMS from the original, more than exact (%)", "15 taps (%)", "texture mode (%)"]
        head += [f"{taps} taps: RMS from exact (% of the range)" for taps in (9, 11, 15)]
        head += ["15 taps: largest from exact (255ths of the range)", "one rotation: a tap on either side divides the RMS by (7 to 19 taps)"]
        yield "000, figures 2 to 4 in short", table(head, rows)


def prefilters(results):
    """Tables 1 and 2 of 000."""
    name = "prefilter-times"
    for dimension in (2, 3):
        rows = []
        for size in results.axis(name, "size", dimension=dimension):
            at = {w: results.values(name, dimension=dimension, size=size, prefilter=w, axis="all") for w in ("copy", "published", "cubic-fir15", "cubic")}
            cells = [f"{size}^{dimension}"] + [time(at[way]["time"]) for way in at]
            slow = at["published"]["time"]["ms"]
            cells += [f"{slow / at['cubic-fir15']['time']['ms']:.1f}", f"{slow / at['cubic']['time']['ms']:.1f}"]
            rows.append(cells)
        if rows:
            head = ["size", "copy (ms)", "recursion, line a thread (ms)", "15 taps (ms)", "exact (ms)", "recursion / 15 taps", "recursion / exact"]
            yield f"000, table 1 in {dimension}D: prefilter, cubic, single precision", table(head, rows)
        sizes = results.axis(name, "size", dimension=dimension, axis="x")
        # In 2D the size of the paper's table, too.
        for size in dict.fromkeys([*([2048] if dimension == 2 and 2048 in sizes else []), *sizes[-1:]]):
            rows = []
            for way in results.axis(name, "prefilter", dimension=dimension, size=size):
                times = [results.values(name, dimension=dimension, size=size, prefilter=way, axis=axis) for axis in [*"xyz"[:dimension], "all"]]
                rows.append([way] + [time(t and t["time"]) for t in times])
            yield f"000, table 2 in {dimension}D: {size}^{dimension} by axis (ms)", table(["prefilter", *"xyz"[:dimension], "all"], rows)


def blocks(results):
    """The yardstick's own times."""
    shapes = results.axis("published-blocks", "block")
    axes = results.axis("published-blocks", "axis")
    if shapes:
        size = results.axis("published-blocks", "size")[0]
        rows = [[shape] + [time(results.values("published-blocks", block=shape, axis=axis)["time"]) for axis in axes] for shape in shapes]
        yield f"000: the recursion with one thread per line, for each shape of its blocks, {size}^3 (ms; all: that shape for every axis)", table(["block", *axes], rows)


def transforms(results):
    """Table 3 of 000."""
    name = "transform-times"
    for dimension, output in dict.fromkeys((r["cell"]["dimension"], r["cell"]["output"]) for r in results.rows(name)):
        cell = {"dimension": dimension, "output": output}
        columns = results.axis(name, "transform", **cell)

        def ms(stage, way, column, cell=cell):
            return results.ms(name, stage=stage, way=way, transform=column, **cell)

        rows = []
        for way in ("nearest", "linear-texture", "linear", "catmull-rom"):
            if ms("evaluation", way, columns[0]):
                rows.append([way] + [f"{ms('evaluation', way, c):.3g}" for c in columns])
        for title, prefilter in (("recursion, line a thread", "published"), ("15 taps", "cubic-fir15"), ("exact", "cubic")):
            for way in ("cubic", "cubic-texture"):
                if ms("evaluation", way, columns[0]):
                    rows.append([f"{title}, {way}"] + [f"{ms('prefilter', prefilter, c) + ms('evaluation', way, c):.3g}" for c in columns])
        yield f"000, table 3 in {dimension}D: output of {output}^{dimension}, prefilter and evaluation (ms, medians)", table(["way", *columns], rows)


def zooms(results):
    """001: figure 5 as numbers, table 1, frames."""
    rows = []
    for row in results.rows("zoom-quality"):
        rows.append([row["cell"]["image"], row["cell"]["factor"], row["cell"]["way"], small(row["values"]["rms"]), small(row["values"]["largest"])])
    if rows:
        yield "001, figure 5 as numbers: enlarged, against the image before it was reduced (zone plate: against its formula)", table(
            ["image", "factor", "way", "RMS", "largest"], rows
        )
    rows = [[row["cell"]["way"], *(f"{value:.3f}" for value in row["values"].values())] for row in results.rows("zoom-edge")]
    if rows:
        yield "001, figure 5: an edge, enlarged 16 times", table(["way", "from a tenth of the step to nine (samples)", "beyond the step (of it)"], rows)
    who = results.axis("zoom-times", "backend")
    rows = []
    for factor in results.axis("zoom-times", "factor"):
        cells = [f"{factor}x"]
        totals = {}
        for backend in who:
            values = results.values("zoom-times", way="catmull-rom", factor=factor, backend=backend)
            totals[backend] = values["total"]["ms"]
            resampling = values.get("resampling_kernel") or values.get("resampling")
            cells += [time(values["source"]), time(resampling), time(values["total"])]
        cells += [f"{totals[who[0]] / totals[b]:.1f}" for b in who[1:]] + [published.ZOOM[factor][5]]
        rows.append(cells)
    if rows:
        head = ["zoom"] + [f"{b}: {what} (ms)" for b in who for what in ("source", "resampling", "host to host")]
        yield "001, table 1: Catmull-Rom of 128 x 128 pixels", table(head + [f"{b} over one thread" for b in who[1:]] + ["001 prints"], rows)
    rows = [
        [f"{c['width']} x {c['height']}", c["way"], c["streams"], f"{v['frames_a_second']:.0f}", time(v["latency"]), f"{v['slowest_ms']:.3g}", v["frames"],
         f"{v['first_tenth']['ms']:.3g}", f"{v['last_tenth']['ms']:.3g}"]
        for c, v in ((row["cell"], row["values"]) for row in results.rows("frames"))
    ]  # fmt: skip
    if rows:
        head = ["size", "way", "streams", "frames/s", "latency (ms)", "slowest (ms)", "frames", "first tenth (ms)", "last tenth (ms)"]
        yield "001, today: frames of 8 bits doubled to these sizes, from host memory to host memory", table(head, rows)


def tutorials(results):
    """002."""
    rows = [
        [row["cell"]["image"], row["cell"]["case"], row["cell"]["listing"]]
        + [small(row["values"].get(k)) for k in ("printed_less_library", "printed_less_library_half_a_sample_on", "printed_less_corrected", "printed_less_original", "corrected_less_original")]
        for row in results.rows("tutorial")
    ]
    if rows:
        head = ["image", "case", "listing", "printed, same method at x", "at x + 1/2", "printed, corrected", "printed, image", "corrected, image"]
        yield "002: RMS differences of listings as printed (grey levels of 255)", table(head, rows)
    rows = [[*row["cell"].values(), small(row["values"]["difference_from_an_image_continued_in_memory"])] for row in results.rows("address-modes")]
    if rows:
        yield "002, exercise 2: address modes, largest difference from an image that is continued in memory (grey levels)", table(["way", "address", "difference"], rows)


def lookups(results):
    """003."""
    rows = []
    for row in results.rows("lookup-table"):
        cell, values = row["cell"], row["values"]
        if "image" in cell:
            rows.append([cell["image"], cell["way"], cell["entries"] or "-"] + [small(values.get(k)) for k in ("sum_of_squares_of_256x256", "rms", "largest", "bound")])
    if rows:
        for name, (squares, _) in published.LOOKUP.items():
            rows.append(["003 prints", name, "-", small(squares), small((squares / 65536) ** 0.5), "-", "-"])
        yield "003, table 1: errors of grey values in [0, 1]", table(["image", "way", "entries", "sum of squares of 256^2", "RMS", "largest", "bound"], rows)
    rows = [[c["way"], f"{c['size']}^{c['dimension']}", time(v["time"])] for c, v in ((r["cell"], r["values"]) for r in results.rows("lookup-table")) if "time" in v]
    if rows:
        yield "003, table 1: times of the evaluation alone (ms)", table(["way", "size", "time"], rows)
    rows = [
        [c["format"], c["by"], c["samples"], v["distinct_values"], small(v["largest_departure_from_the_line"]), small(v["largest_departure_from_256_steps"])]
        for c, v in ((r["cell"], r["values"]) for r in results.rows("ramps"))
    ]
    if rows:
        yield "003, figure 3: linear ramps", table(["format", "by", "samples", "different values", "from the line", "from the line in 256 steps"], rows)
    rows = [[row["cell"]["what"], row["cell"].get("image", "-"), row["cell"].get("cells", "-"), row["cell"]["way"], *(f"{k}: {small(v)}" for k, v in list(row["values"].items())[:2])] for row in results.rows("deformation")]
    if rows:
        yield "003, figure 1: a B-spline deformation", table(["what", "image", "cells an axis", "way", "RMS", "largest"], rows)


def accuracies(results):
    """Errors by order, stage and mode."""
    for image in results.axis("accuracy", "image"):
        rows = []
        for row in results.rows("accuracy", image=image, where="interior"):
            cell, values = row["cell"], row["values"]
            edge = results.values("accuracy", image=image, order=cell["order"], what=cell["what"], where="within 15 samples of an edge")
            numbers = [values[k] for k in ("bound_of_range", "largest_of_range", "p99.9_of_range", "rms_of_range")]
            numbers += [edge[k] for k in ("largest_of_range", "rms_of_range")]
            rows.append([cell["order"], cell["what"]] + [small(number) for number in numbers])
        head = ["order or method", "what", "bound", "interior: largest", "99.9 %", "RMS", "near an edge: largest", "RMS"]
        yield f"Accuracy of values by order, stage and mode: {image}, by the range of the samples", table(head, rows)


def scalings(results):
    rows = [
        [f"{row['cell']['size']}^3", row["cell"]["stage"], row["cell"]["way"], time(row["values"]["time"]), f"{row['values']['gigavoxels_a_second']:.3g}"]
        for row in results.rows("scaling")
    ]
    if rows:
        yield "Scaling: volumes, single precision, rotation by 10 degrees about the diagonal", table(["size", "stage", "way", "time (ms)", "10^9 voxels/s"], rows)


def peers(results):
    """Other libraries; ratios only of times that one machine took."""
    rows = []
    for row in results.rows("peers"):
        cell, peer = row["cell"], row["values"]
        beside = cell.get("beside", "Cuda")
        ours = peer.get("ours")
        if not ours and results.same_machine("peers", "peer-works"):
            found = results.values("peer-works", by=beside, dimension=cell["dimension"], size=cell["size"], stage=cell["stage"], way=cell["way"])
            ours = found and found["time"]
        difference = next((value for name, value in peer.items() if name.startswith("largest_difference")), None)
        theirs = peer.get("time")
        ratio = f"{theirs['ms'] / ours['ms']:.1f}" if ours and theirs else "-"
        rows.append([cell["peer"], cell["stage"], cell["way"], f"{cell['size']}^{cell['dimension']}", time(theirs), beside, time(ours), ratio, small(difference)])
    if rows:
        context = results.origin["peers"]
        where = ", ".join(context[name] for name in ("device", "driver", "processor") if name in context)
        compared = all(row[-1] != "-" for row in rows)
        title = f"Peers, {'the same work and boundary' if compared else 'values not compared'} ({where or 'machine not recorded'}; times in ms)"
        yield title, table(["peer", "stage", "way", "size", "peer", "this module by", "this module", "ratio", "largest difference, of the range"], rows)


def rooflines(results):
    rows = []
    limits = results.values("roofline", stage="limits")
    for row in results.rows("roofline"):
        cell, v = row["cell"], row["values"]
        if "voxels" not in v:
            continue
        ms = results.counted_ms(row)
        parts = [v["bytes"] / limits["bytes"], v["thread_instructions"] / limits["instructions"]]
        rows.append([cell["stage"], cell["way"], f"{cell['size']}^{cell.get('dimension', 3)}", f"{ms:.3g}", f"{v['bytes'] / v['voxels']:.1f}",
                     f"{v['thread_instructions'] / v['voxels']:.0f}"] + [f"{100 * part / (1e-3 * ms):.0f} %" for part in parts])  # fmt: skip
    if rows:
        head = ["stage", "way", "size", "ms", "bytes a sample (8 at least)", "instructions a sample", "of the copy's bytes a second", "of the instructions a second"]
        yield "Roofline: single precision, bytes and instructions by Nsight Compute", table(head, rows)


def all_tables(results):
    for make in (accuracies, coefficients, rotation_summaries, rotations, prefilters, blocks, transforms, scalings, peers, rooflines, zooms, tutorials, lookups):
        yield from make(results)
