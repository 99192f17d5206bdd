"""Compares the papers' statements on their experiments with the results."""

import published
from tables import AGAINST, TAPS, small


def agreement(results):
    """[(statement of the paper, result, whether they agree)]; only for the experiments that ran."""
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
            f"{255 * row['largest_of_range']:.4f} within the inner disk",
            255 * row["largest_of_range"] < published.FIR15_GREY_LEVELS,
        ))  # fmt: skip
    for size in (1024, 2048):
        slow, fast = (results.ms("prefilter-times", dimension=2, size=size, prefilter=w, axis="all") for w in ("published", "cubic-fir15"))
        if slow and fast:
            # A claim of both ends: the words name 4.4 to 10, the table has up to 15.8 (PaperSlips.md).
            low, high = published.PREFILTER_CLAIM
            found.append((f"000, section 7: FIR15 is {low} to {high:.0f} times as fast as the recursion ({size}^2)", f"{slow / fast:.1f} times", low <= slow / fast <= high))
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
        # The paper calls its results clear and sharp; the distance from the ground truth can be measured on any image.
        found.append((f"001, figure 5: Catmull-Rom is the closest of the three to the ground truth ({cell['image']}, {cell['factor']}x)", words, mine < min(linear, bare)))
    widths = {row["cell"]["way"]: row["values"]["samples_from_a_tenth_to_nine"] for row in results.rows("zoom-edge")}
    if widths:
        three = [widths[way] for way in ("catmull-rom", "linear", "cubic-unfiltered")]
        words = "an edge rises from a tenth to nine within {:.2f} samples; linear {:.2f}, cubic without prefilter {:.2f}".format(*three)
        found.append(("001, figure 5: Catmull-Rom is the sharpest of the three", f"{words}, with it {widths['cubic']:.2f}", three[0] < min(three[1:])))
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
