#!/usr/bin/env python3
"""Slips in the papers, each with what shows it.

usage: reproduction/reproduce.d/slips.py [--markdown FILE] [RESULTS.json]

Without RESULTS.json only what needs no run is checked: the papers' own numbers and formulas. With the JSON of CudaSplineReproduction (experiments
tutorial, fractions with --pictures, truncation, lookup-table, ramps) all of it. Prints a line for each, and exits with 1 where evidence does not hold: then the claim
about the paper is wrong, not the paper. --markdown writes the list as a page.
"""

import argparse
import json
import math
import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import published

TITLES = {
    "000": "Champagnat and Le Sant, Efficient cubic B-spline image interpolation on a GPU",
    "001": "Wu, Bai and Wang, Parallel Catmull-Rom spline interpolation algorithm for image zooming based on CUDA",
    "002": "Vitality Learning, Writing CUDA kernels for interpolation",
    "003": "Ruijters, ter Haar Romeny and Suetens, Accuracy of GPU-based B-spline evaluation",
}


class Missing(Exception):
    """The results have not what a check needs."""


def value(results, experiment, cell, name):
    """One value of a row of the results; the row is the first that has all of the cell."""
    for row in (results or {}).get("experiments", {}).get(experiment, []):
        if all(row["cell"].get(axis) == wanted for axis, wanted in cell.items()):
            return row["values"][name]
    raise Missing(f"experiment {experiment}, {cell}")


# Each check returns (does the evidence hold, evidence in words).


def acceleration(_):
    factors = {key: slow / fast for key, (slow, fast) in published.PREFILTER.items()}
    best = max(factors, key=factors.get)
    listed = ", ".join(f"{card} {edge}^2 {factor:.1f}" for (card, edge), factor in factors.items())
    return factors[best] > 1.5 * published.PREFILTER_CLAIM[1] and best == ("Tesla C2050", 1024), f"quotients of table 1: {listed}"


def larger_is_better(_):
    small, large = (published.PREFILTER["Tesla C2050", edge] for edge in (1024, 2048))
    return small[0] / small[1] > large[0] / large[1], f"C2050: {small[0] / small[1]:.1f} at 1024^2, {large[0] / large[1]:.1f} at 2048^2"


def below_two(_):
    quotient = published.TRANSFORMS["FIR15"][0] / published.TRANSFORMS["bilinear"][0]
    return quotient > published.FACTOR_TO_BILINEAR_CLAIM, f"rotation in table 3: 3.2 / 1.5 = {quotient:.2f}"


def zoom_by_two(_):
    difference = published.TRANSFORMS["recursion"][1] - published.TRANSFORMS["FIR15"][1]
    slow, fast = published.PREFILTER["Tesla C2050", 1024]
    return (
        published.TRANSFORMS["recursion"][1] < slow and abs(difference - (slow - fast)) > 2.0,
        f"zoom by 2 of a 1024^2 input takes 5.16 ms altogether, its prefilter alone {slow} ms in table 1; "
        f"recursion less FIR15: {difference:.2f} ms in table 3, {slow - fast:.2f} ms in table 1",
    )


def five_times(_):
    rows, columns, _total = published.ROWS_AND_COLUMNS["recursion"]
    return rows / columns < 4.5, f"10.2 / 2.3 = {rows / columns:.1f}"


def order_two(_):
    pole = 2.0 * math.sqrt(2.0) - 3.0
    response = [8.0 * abs(pole) / (1.0 - pole * pole) * pole**k for k in range(3)]
    # The quadratic spline at integers: 1/8, 6/8, 1/8.
    identity = (6.0 * response[0] + 2.0 * response[1]) / 8.0
    return (
        abs(identity - 1.0) < 1e-12 and abs(response[2]) > 0.01,
        f"order 2: b(0), b(1), b(2) = {', '.join(f'{r:.4f}' for r in response)}, and so on: no coefficient is 0",
    )


def data_size(_):
    wrong = [factor for factor, row in published.ZOOM.items() if row[0] != 16 * factor * factor]
    claimed = published.ZOOM[14][0] / published.ZOOM[2][0]
    cpu = published.ZOOM[14][1] / published.ZOOM[2][1]
    return (
        len(wrong) == len(published.ZOOM) and all(row[0] == 16 * factor for factor, row in published.ZOOM.items()) and cpu > 4 * claimed,
        f"all {len(wrong)} sizes are 16 K times s; 128 s x 128 s pixels are 16 K times s^2 (14x: {16 * 14 * 14} K). From 2x to 14x the size grows "
        f"{claimed:.0f}-fold in the table, the CPU's time {cpu:.0f}-fold, s^2 49-fold",
    )


def increment(_):
    sizes = [row[0] for row in published.ZOOM.values()]
    steps = {b - a for a, b in zip(sizes, sizes[1:])}
    return steps == {16}, f"the sizes of table 1 rise by {steps.pop()} K"


def speed_up(_):
    errors = [abs(row[1] / row[4] - row[5]) / row[5] for row in published.ZOOM.values()]
    sums = [abs(row[2] + row[3] - row[4]) for row in published.ZOOM.values()]
    return (
        max(errors) < 0.002 and max(sums) < 0.0011,
        f"speed-up is CPU / (fetching + resampling) in all rows, within {100 * max(errors):.1f} %: no row has the way back to the host",
    )


def half_a_sample(listing):
    def check(results):
        cell = {"image": "zone-plate", "case": "as it is", "listing": listing}
        here = value(results, "tutorial", cell, "printed_less_library")
        there = value(results, "tutorial", cell, "printed_less_library_half_a_sample_on")
        return (
            here > 10.0 and there < 0.2,
            f"zone plate, no scale, no shift: RMS {here:.1f} grey levels from the same method at x, {there:.1g} from it at x + 1/2",
        )

    return check


def no_prefilter(results):
    cell = {"image": "zone-plate", "case": "as it is", "listing": "listing 9, cubic by filtering"}
    corrected = value(results, "tutorial", cell, "corrected_less_original")
    printed = value(results, "tutorial", cell, "printed_less_original")
    return corrected < 1e-3 < printed, f"at the samples themselves: RMS {printed:.1f} grey levels from the image, with prefilter and without the shift {corrected:.1g}"


def exercise_three(results):
    spline = [value(results, "fractions", {"weights": "cubic B-spline", "pair": pair}, name) for pair in (0, 1) for name in ("smallest", "largest")]
    catmull = [value(results, "fractions", {"weights": "Catmull-Rom", "pair": pair}, name) for pair in (0, 1) for name in ("smallest", "largest")]
    return (
        min(spline) >= 0.0 and max(spline) <= 1.0 and (max(catmull) > 1.0 and min(catmull) < 0.0),
        f"w1 / (w0 + w1) and w3 / (w2 + w3) of listing 10 lie in [{spline[0]:.2f}, {spline[1]:.2f}] and [{spline[2]:.2f}, {spline[3]:.2f}] (Catmull-Rom: "
        f"[{catmull[0]:.2f}, {catmull[1]:.2f}] and [{catmull[2]:.2f}, {catmull[3]:.2f}]); the plots are of w0 / (w0 + w1) and w2 / (w2 + w3), "
        "1 less those",
    )


def beyond_the_end(_):
    count = 5
    x = float(count - 1)  # neither below 0 nor above numInSamples - 1
    index = math.floor(x)
    return index + 1 == count, f"x = {x:.0f} of {count} samples: sample {index + 1} is read, which there is not (its weight is {x - index:.0f})"


def pgm(results):
    difference = value(results, "fractions", {"what": "PGM written and read", "largest": 65535}, "difference")
    return difference == 0.0, "a binary PGM (P5) with a largest value of 65535 has two bytes a pixel; written and read here without a difference"


def truncation(results):
    cut = value(results, "truncation", {"x": -0.5}, "with_truncation")
    floor = value(results, "truncation", {"x": -0.5}, "with_floor")
    same = value(results, "truncation", {"x": 1.5}, "with_truncation") == value(results, "truncation", {"x": 1.5}, "with_floor")
    return same and abs(cut - floor) > 0.05, f"coefficients 0, 1, 1/4, ...: at x = -1/2 {cut:.3f}, with floor() {floor:.3f}; from 0 on the same"


def half_ramp(results):
    step = 1.0 / 65535.0
    ulp = 2.0**-24
    words = f"1/65535 is {step / ulp:.3f} of the smallest half, 2^-24, and stored as 256 of them: as many as the samples. "
    try:
        sixteenth = value(results, "ramps", {"format": "16-bit float, a sixteenth", "by": "the device", "samples": 1024}, "distinct_values")
    except Missing:
        words += "A sixteenth of it has 16 halves up to it, of which results with the texels' precision, as the paper says, would make a staircase"
        sixteenth = None
    else:
        words += f"A sixteenth of it, up to which there are 16 halves, gives {sixteenth} values on a device of today: "
        words += "results are not of the texels' precision" if sixteenth > 17 else "a staircase"
    # Either outcome shows that the step was one with which the format cannot be seen; only a count between would not.
    return round(step / ulp) == 256 and step != 256 * ulp and (sixteenth is None or sixteenth <= 17 or sixteenth > 200), words


def relative_gain(results):
    table, fly = (published.LOOKUP[name][0] for name in ("lookup table", "on the fly"))
    key = "sum_of_squares_of_256x256"
    images = list(dict.fromkeys(row["cell"]["image"] for row in (results or {}).get("experiments", {}).get("lookup-table", []) if "image" in row["cell"]))
    if not images:
        raise Missing("experiment lookup-table")
    tables, exact = [], []
    for image in images:
        mine = value(results, "lookup-table", {"image": image, "way": "cubic-texture", "entries": 0}, key)
        tables += [value(results, "lookup-table", {"image": image, "way": "cubic-table", "entries": entries}, key) / mine for entries in (128, 256, 1024, 4096)]
        exact.append(value(results, "lookup-table", {"image": image, "way": "cubic", "entries": 0}, key) / mine)
    return (
        math.sqrt(fly / table) > 0.85 and max(exact) < 1e-3 and 0.9 < min(tables) and max(tables) < 1.1,
        f"the paper's RMS are {math.sqrt(table / 65536):.2g} and {math.sqrt(fly / 65536):.2g}, {100 * (1 - math.sqrt(fly / table)):.0f} % less. Here, of {len(images)} images, tables of 128 to "
        f"4096 floats have {min(tables):.3f} to {max(tables):.3f} of the squared error of weights on the fly; without filtered fetches {min(exact):.0e} to {max(exact):.0e} of it are left",
    )


def division(_):
    # A fraction of eight bits is off by half of 2^-8; a quotient below 1 of b bits by half of 2^-b.
    fetch, half_precision, single = 2.0**-9, 2.0**-12, 2.0**-24
    return (
        half_precision < fetch / 4 and single < fetch / 10000,
        f"the place within a pair of samples, w / g, is rounded to eight bits by the fetch, off by up to {fetch:.2g}; a quotient in single precision is off by {single:.1g}, one with "
        f"no more than the digits of a half by {half_precision:.1g}. Sections 4 and 6 of the paper name the filtering themselves",
    )


def timer_ticks(_):
    tick = 15.6
    near = [time for time in (row[1] for row in published.ZOOM.values()) if abs(time - tick * round(time / tick)) < 1.0]
    return (
        len(near) == 12,
        f"{len(near)} of {len(published.ZOOM)} are within 1 ms of a multiple of {tick} ms, where one in eight would be by chance: ticks of that system's clock, 2 to 66 of them",
    )


# (paper, where, what is printed, check, what is right)
SLIPS = [
    ("000", "section 7", "the acceleration factor ranges from 4.4 to 10", acceleration, "4.4 to 15.8"),
    ("000", "section 7", "more efficient for larger image sizes", larger_is_better, "on the C2050 the gain falls with the size"),
    ("000", "section 7", "the factor between FIR and bilinear is always lower than 2", below_two, "2.1 for the rotation"),
    ("000", "table 3 against table 1", "recursion, zoom by 2: 5.16", zoom_by_two, "the two tables cannot both hold"),
    ("000", "sections 7 and 8", "the row filter costs 5 times as much as the column filter", five_times, "4.4 times"),
    ("000", "section 3", "for n > 2 the interpolator depends on all the data", order_two, "for n >= 2"),
    ("001", "table 1, section 5", "the data size varies from 32 K to 224 K pixels", data_size, "64 K to 3136 K: both axes are enlarged"),
    ("001", "figure 4", "the increment of image data size is 32 K", increment, "16 K by the paper's own table"),
    ("001", "table 1", "total time on the GPU", speed_up, "without the copy of the result to the host"),
    ("001", "table 1", "times of the CPU, to three digits", timer_ticks, "to a tick of 15.6 ms: the first speed-ups are known to a quarter or half"),
    ("002", "listing 9", "xCoord += 0.5f before floor()", half_a_sample("listing 9, cubic by filtering"), "half a pixel off listing 8"),
    ("002", "exercise 1", "xCoord += 0.5f before point fetches", half_a_sample("exercise 1, linear by lookup"), "half a pixel off listing 8"),
    ("002", "exercise 4", "xCoord += 0.5f before point fetches", half_a_sample("exercise 4, cubic by lookup"), "half a pixel off listing 8"),
    ("002", "exercise 5", "the code of exercise 4 with other weights", half_a_sample("exercise 5, Catmull-Rom by lookup"), "half a pixel off listing 8"),
    ("002", "cubic B-spline interpolation", "samples serve as coefficients", no_prefilter, "a B-spline through the samples needs the prefilter"),
    ("002", "exercise 3", "plots of w0 / (w0 + w1) and w2 / (w2 + w3)", exercise_three, "harmless: the listings use the other fraction, and both lie in [0, 1]"),
    ("002", "listing 5", "x > numInSamples - 1 is clamped", beyond_the_end, "x = numInSamples - 1 reads beyond the array"),
    ("002", "PGM images", "binary PGM files have a single byte a pixel", pgm, "two, where the largest value is above 255"),
    ("003", "appendix 1", "index = int2(coord_hg)", truncation, "floor(): int2() rounds towards 0, and coordinates begin at -1/2"),
    ("003", "section 4, figure 3", "16-bit floats show exactly the line, as results have the texels' precision", half_ramp, "the step was one that cannot show it"),
    ("003", "section 5, table 1", "clearly more accurate", relative_gain, "the eight bits of the filter make nearly all of the error"),
    ("003", "section 5", "it is the division that is the biggest cause for imprecisions", division, "the filtering, as sections 4 and 6 say"),
]

# Slips of the words alone, which need no run: (paper, where, printed, meant).
WORDS = [
    ("000", "figure 3 and 4, captions", "bottom right FIR9, ..., down right FIR15: one place twice", "bottom left FIR9"),
    ("000", "section 5", "the recursive GPU implementation by Ruijters & Thévenaz [6]", "[7]; [6] is by Ruijters, ter Haar Romeny and Suetens"),
    ("000", "figure 2, caption", "GPU IIR method by Thévenaz *et al.* [9]", "by Ruijters and Thévenaz [7]; [9] is the CPU's"),
    ("002", "text below listing 3", "cudaBindTexture() is used to bind the texture reference", "cudaBindTextureToArray(), as in the listing"),
    ("002", "text below listing 4", "beyond the right side d_xCoord[M-1] is picked up", "d_samples[numInSamples - 1], as in the listing"),
    ("002", "listing 7 and the text below it", "the address mode is clamp in the two dimensions", "the listing sets border for the second"),
    ("002", "after listing 8", "change the address mode from point to linear", "the filter mode"),
    ("002", "listing 6", "an example of a binary PGM image, beginning with P2", "P2 is text; binary is P5"),
    ("002", "figure 12, caption", "texture filtering: nearest-neighbor", "linear"),
    ("002", "text below figure 16", "a zoom-in appears", "zoom-out, as above the figure: scaleFactor is 2"),
    ("002", "exercise 4", "texture lookup was used in exercise 2", "in exercise 1"),
    ("002", "all listings", "texture references (texture<>, cudaBindTextureToArray)", "texture objects: CUDA 12 has no references any more"),
    ("003", "section 4", "the graph for integers shows a ramp function, instead of a linear increasing function", "a step; the ramp is what was expected"),
]


def run(results):
    """[(slip, state, evidence)]; state is True, False or None where the results have nothing about it."""
    found = []
    for slip in SLIPS:
        try:
            holds, evidence = slip[3](results)
        except Missing as error:
            holds, evidence = None, f"not run: {error}"
        found.append((slip, holds, evidence))
    return found


def wrapped(paragraph):
    """A paragraph in lines of at most 120 columns, as all pages have it."""
    return textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)


def page(found, context):
    lines = [
        "# Slips in the papers",
        "",
        wrapped(
            "Where a paper's words, numbers or listings contradict each other, or what they are meant to do. None of it takes anything from their "
            "results. Evidence is made by `reproduction/reproduce.d/slips.py` from the papers' own numbers, from their formulas, or from a run of "
            "`CudaSplineReproduction`, which computes listings as printed and as corrected; `ctest -R Reproduction` runs it and fails where "
            "evidence does not hold."
        ),
        "",
    ]
    if context:
        made = f"commit {context['commit']}, {context['date']}, {context['backend']} backend"
        lines += [wrapped(f"Run: {made}{', ' + context['device'] if 'device' in context else ''}; `{context['command']}`."), ""]
    for paper, title in TITLES.items():
        lines += [f"## {title}", "", "| where | printed | right | evidence |", "|---|---|---|---|"]
        lines += [f"| {s[1]} | {s[2]} | {s[4]} | {evidence} |" for s, _, evidence in found if s[0] == paper]
        lines += [f"| {where} | {printed} | {meant} | the words |" for of, where, printed, meant in WORDS if of == paper]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="?", help="JSON of CudaSplineReproduction")
    parser.add_argument("--markdown", help="writes the page there")
    arguments = parser.parse_args()
    results = None
    if arguments.results:
        with open(arguments.results, encoding="utf-8") as stream:
            results = json.load(stream)
    found = run(results)
    for (paper, where, printed, *_), holds, evidence in found:
        print(f"{'?' if holds is None else 'holds' if holds else 'DOES NOT HOLD'}: {paper}, {where}, \"{printed}\": {evidence}")
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(page(found, results and results["context"]), encoding="utf-8")
    return 1 if any(holds is False for _, holds, _ in found) else 0


if __name__ == "__main__":
    sys.exit(main())
