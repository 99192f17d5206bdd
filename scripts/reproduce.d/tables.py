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
        for size in results.axis(name, "size", dimension=dimension, axis="x")[-1:]:
            rows = []
            for way in results.axis(name, "prefilter", dimension=dimension, size=size):
                times = [results.values(name, dimension=dimension, size=size, prefilter=way, axis=axis) for axis in [*"xyz"[:dimension], "all"]]
                rows.append([way] + [time(t and t["time"]) for t in times])
            yield f"000, table 2 in {dimension}D: {size}^{dimension} by axis (ms)", table(["prefilter", *"xyz"[:dimension], "all"], rows)


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
        yield "002, exercise 2: address modes, largest difference from an image that is continued in memory", table(["way", "address", "difference"], rows)


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
    rows = [[row["cell"]["what"], row["cell"].get("image", "-"), row["cell"]["way"], *(f"{k}: {small(v)}" for k, v in list(row["values"].items())[:2])] for row in results.rows("deformation")]
    if rows:
        yield "003, figure 1: a B-spline deformation", table(["what", "image", "way", "RMS", "largest"], rows)


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
        head = ["order", "what", "bound", "interior: largest", "99.9 %", "RMS", "near an edge: largest", "RMS"]
        yield f"Accuracy of values by order, stage and mode: {image}, by the range of the samples", table(head, rows)


def scalings(results):
    rows = [
        [f"{row['cell']['size']}^3", row["cell"]["stage"], row["cell"]["way"], time(row["values"]["time"]), f"{row['values']['gigavoxels_a_second']:.3g}"]
        for row in results.rows("scaling")
    ]
    if rows:
        yield "Scaling: volumes, single precision, rotation by 10 degrees about the diagonal", table(["size", "stage", "way", "time (ms)", "10^9 voxels/s"], rows)


def peers(results):
    rows = []
    for row in results.rows("peers"):
        cell, peer = row["cell"], row["values"]
        if "ours" in peer:
            ours = peer["ours"]["ms"]
        elif cell["dimension"] == 3:
            ours = results.ms("scaling", size=cell["size"], stage=cell["stage"], way=cell["way"])
        else:
            ours = results.ms("prefilter-times", dimension=2, size=cell["size"], prefilter=cell["way"], axis="all")
        rows.append([cell["peer"], cell["stage"], cell["way"], f"{cell['size']}^{cell['dimension']}", time(peer["time"]), "-" if ours is None else f"{ours:.3g}", "-" if ours is None else f"{peer['time']['ms'] / ours:.1f}"])
    if rows:
        yield "Peers, the same work and boundary", table(["peer", "stage", "way", "size", "peer (ms)", "this module (ms)", "ratio"], rows)


def rooflines(results):
    rows = []
    for row in results.rows("roofline"):
        cell, v = row["cell"], row["values"]
        if "voxels" not in v:
            continue
        limits = results.values("roofline", stage="limits")
        ms = results.ms("scaling", size=cell["size"], stage=cell["stage"], way=cell["way"]) or v["profiled_ms"]
        parts = [v["bytes"] / limits["bytes"], v["thread_instructions"] / limits["instructions"]]
        rows.append([cell["stage"], cell["way"], f"{ms:.3g}", f"{v['bytes'] / v['voxels']:.1f}", f"{v['thread_instructions'] / v['voxels']:.0f}"]
                    + [f"{100 * part / (1e-3 * ms):.0f} %" for part in parts])  # fmt: skip
    if rows:
        head = ["stage", "way", "ms", "bytes a voxel (8 at least)", "instructions a voxel", "of the copy's bytes a second", "of the instructions a second"]
        yield "Roofline: 512^3, single precision, bytes and instructions by Nsight Compute", table(head, rows)


def all_tables(results):
    for make in (accuracies, rotations, prefilters, transforms, scalings, peers, rooflines, zooms, tutorials, lookups):
        yield from make(results)


def agreement(results):
    """[(what the paper says, what was found, does it agree)]; only of what was run."""
    found = []
    for image in results.axis("rotations-2d", "image"):
        rms = [results.values("rotations-2d", image=image, way=f"cubic-fir{taps}", error=AGAINST[0])["rms_of_range"] for taps in TAPS]
        exact = results.values("rotations-2d", image=image, way="cubic", error=AGAINST[0])["rms_of_range"]
        at = rms[TAPS.index(published.CONVERGED_TAPS)]
        found.append((
            f"000, figure 2: converged at {published.CONVERGED_TAPS} taps ({image})",
            f"RMS {100 * at:.3f} % of the range with {published.CONVERGED_TAPS} taps, {100 * rms[TAPS.index(15)]:.3f} % with 15, {100 * exact:.3f} % exact",
            abs(at - exact) <= 0.1 * exact,
        ))  # fmt: skip
        row = results.rows("rotations-2d", image=image, way="cubic-fir15", error=AGAINST[1])[0]["values"]
        found.append((
            f"000, figure 3: 15 taps within {published.FIR15_GREY_LEVELS:.0f} grey level of the recursion ({image}; per 255 of its range)",
            f"{255 * row['largest_of_range']:.2f} within the inner disk",
            255 * row["largest_of_range"] < published.FIR15_GREY_LEVELS,
        ))  # fmt: skip
    for size in (1024, 2048):
        slow, fast = (results.ms("prefilter-times", dimension=2, size=size, prefilter=w, axis="all") for w in ("published", "cubic-fir15"))
        if slow and fast:
            low, high = published.PREFILTER_CLAIM
            found.append((f"000, table 1: FIR15 is at least {low} times as fast, in the paper {low} to {high:.0f} ({size}^2)", f"{slow / fast:.1f}", low <= slow / fast))
    slow = [results.ms("prefilter-times", dimension=2, size=2048, prefilter="published", axis=axis) for axis in "xy"]
    fast = [results.ms("prefilter-times", dimension=2, size=2048, prefilter="cubic-fir15", axis=axis) for axis in "xy"]
    if all(slow):
        rows, columns, _ = published.ROWS_AND_COLUMNS["recursion"]
        found.append((f"000, table 2: the recursion's rows take {rows / columns:.1f} times its columns", f"{slow[0] / slow[1]:.1f}", slow[0] > 2 * slow[1]))
    if all(fast):
        found.append(("000, table 2: rows and columns of FIR15 take the same", f"{fast[0] / fast[1]:.2f}", 0.6 < fast[0] / fast[1] < 1.6))
    for row in results.rows("zoom-quality", way="catmull-rom"):
        cell = row["cell"]
        linear = results.values("zoom-quality", image=cell["image"], factor=cell["factor"], way="linear")["rms"]
        bare = results.values("zoom-quality", image=cell["image"], factor=cell["factor"], way="cubic-unfiltered")["rms"]
        cubic = results.values("zoom-quality", image=cell["image"], factor=cell["factor"], way="cubic")["rms"]
        mine = row["values"]["rms"]
        words = f"RMS {mine:.2f}; linear {linear:.2f}, cubic without prefilter {bare:.2f}, with it {cubic:.2f}"
        found.append((f"001, figure 5: Catmull-Rom is the sharpest of the three ({cell['image']}, {cell['factor']}x)", words, mine < min(linear, bare)))
    for image in results.axis("lookup-table", "image"):
        # On a device its own table; by the model of one, the published table of 16 bits.
        way = "cubic-table" if results.origin["lookup-table"]["backend"] == "Cuda" else "table of 16 bits"
        looked = results.values("lookup-table", image=image, way=way, entries=128)
        fly = results.values("lookup-table", image=image, way="cubic-texture", entries=0)
        if looked is None or fly is None:
            continue
        fly, looked = (values["sum_of_squares_of_256x256"] for values in (fly, looked))
        wanted = published.LOOKUP["on the fly"][0] / published.LOOKUP["lookup table"][0]
        found.append((
            f"003, table 1: weights on the fly have {wanted:.2f} of the table's squared error ({image})",
            f"{fly / looked:.3f} ({small(fly)} and {small(looked)}; 003: {small(published.LOOKUP['on the fly'][0])} and {small(published.LOOKUP['lookup table'][0])})",
            fly < 0.9 * looked,
        ))  # fmt: skip
    ramp = results.values("ramps", format="16-bit integer", by="the device", samples=1024)
    if ramp:
        found.append(("003, figure 3: 16-bit integers make a staircase of two values", f"{ramp['distinct_values']} values", ramp["distinct_values"] == 2))
    return found
