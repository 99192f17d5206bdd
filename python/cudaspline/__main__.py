"""python3 -m cudaspline: what the programs in C++ do not read, stores of OME-Zarr, and cohorts.

resample and register take OME-Zarr stores; images in files are for CudaSplineResample and CudaSplineRegister.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Sequence


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command; the status is 1 after an error, and if items of a cohort failed."""
    options = vars(_parser().parse_args(arguments))
    run = options.pop("run")
    try:
        return int(run(options) or 0)
    except (ImportError, OSError, RuntimeError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python3 -m cudaspline", description=__doc__.partition("\n")[0] if __doc__ else None
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_resample(commands.add_parser("resample", help="resample an OME-Zarr image to a new store"))
    _add_register(commands.add_parser("register", help="register two OME-Zarr images"))
    _add_cohort(commands.add_parser("cohort", help="register the rows of a table on a cluster"))
    _add_template(commands.add_parser("template", help="build a template of many images"))
    return parser


def _add_read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", type=int, help="level of the images; 0 is the finest one")
    parser.add_argument(
        "--channel", type=int, default=0, help="index along the axis c (default: 0)"
    )
    parser.add_argument("--time", type=int, default=0, help="index along the axis t (default: 0)")
    parser.add_argument("--device", help="cpu, gpu or the number of a GPU (default: automatic)")


def _add_resample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("image", help="OME-Zarr store")
    parser.add_argument("output", help="store that is written; it must not exist")
    parser.add_argument(
        "-t", "--transform", nargs="+", help="files of transforms, or one store with a transform"
    )
    parser.add_argument("-r", "--reference", help="store or image file with the grid of the output")
    parser.add_argument("-i", "--interpolation", help="name of the interpolation (default: linear)")
    parser.add_argument("--order", type=int, help="order of the B-spline")
    parser.add_argument(
        "--spacing", type=_numbers, help="spacing of the output, x first: 0.5 or 0.5,0.5,1"
    )
    parser.add_argument(
        "--size", type=_integers, help="samples of the output, x first: 512,512,256"
    )
    parser.add_argument(
        "--version",
        default="0.5",
        choices=("0.4", "0.5", "0.6"),
        help="version of OME-Zarr (default: 0.5)",
    )
    parser.add_argument(
        "--chunk", type=int, default=64, help="samples of a chunk along each axis (default: 64)"
    )
    parser.add_argument(
        "--shards", type=int, help="chunks of a shard along each axis (default: no shards)"
    )
    parser.add_argument("--scales", type=int, help="coarser levels (default: down to 64 samples)")
    parser.add_argument("--unit", help="unit of lengths, as micrometer")
    parser.add_argument(
        "--memory-limit",
        type=_bytes,
        default=2 * 2**30,
        help="memory of all blocks: 500M, 8G (default: 2G)",
    )
    parser.add_argument(
        "--workers",
        type=int,
        help="blocks that are computed at once (default: processors, at most 8)",
    )
    _add_read(parser)
    parser.set_defaults(run=_resample)


def _add_register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("fixed", help="OME-Zarr store")
    parser.add_argument("moving", help="OME-Zarr store")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        help="transform: a new store, name.zarr, or a file of transforms, name.tfm or name.h5",
    )
    parser.add_argument(
        "--stage",
        action="append",
        help="translation, rigid, affine, syn, greedy, ...; several are one after the other",
    )
    parser.add_argument("--preset", help="preset instead of stages")
    parser.add_argument(
        "--voxels",
        type=int,
        default=2**27,
        help="largest level that is registered (default: 134217728 voxels)",
    )
    _add_read(parser)
    parser.set_defaults(run=_register)


def _add_cohort(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        help="CSV file with the columns moving, output and optionally fixed, mask, moving_mask, labels, moving_labels; "
        "or a BIDS folder",
    )
    parser.add_argument("--fixed", help="image to which all rows without one are registered")
    parser.add_argument("--output", help="folder of the outputs of a BIDS folder")
    parser.add_argument(
        "--suffix", default="T1w", help="suffix of the images of a BIDS folder (default: T1w)"
    )
    parser.add_argument("--report", help="report: name.csv or name.parquet")
    parser.add_argument(
        "--retries", type=int, default=1, help="how often a failed item is tried again (default: 1)"
    )
    parser.add_argument(
        "--pairs-at-once",
        type=int,
        help="pairs that a worker registers at once (default: on a GPU what its memory holds, at most 8)",
    )
    parser.add_argument(
        "--fields",
        choices=("nii.gz", "nii", "none"),
        help="form of the fields: nii is not compressed, none writes only matrix and image (default: nii.gz)",
    )
    _add_stages(parser)
    parser.set_defaults(run=_cohort)


def _add_template(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("images", nargs="+", help="image files")
    parser.add_argument("-o", "--output", required=True, help="image file of the template")
    parser.add_argument(
        "--checkpoint", help="folder of the rounds, from which a stopped run continues"
    )
    parser.add_argument("--rounds", type=int, default=4, help="deformable rounds (default: 4)")
    parser.add_argument(
        "--linear-rounds", type=int, default=1, help="linear rounds before them (default: 1)"
    )
    parser.add_argument("--weights", type=_numbers, help="one number for each image: 1,1,2")
    parser.add_argument(
        "--start", help="image file of the first template (default: the mean of the images)"
    )
    parser.add_argument("--deformable", default="syn", help="deformable stage (default: syn)")
    parser.add_argument("--device", help="cpu, gpu or the number of a GPU (default: automatic)")
    _add_cluster(parser)
    parser.set_defaults(run=_template)


def _add_stages(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stage",
        action="append",
        dest="stages",
        help="translation, rigid, affine, syn, greedy, ...",
    )
    parser.add_argument("--preset", help="brain, fast or standard instead of stages")
    parser.add_argument(
        "--spec", help="JSON document of all stages, as CudaSplineRegister --dump-spec writes it"
    )
    _add_cluster(parser)


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scheduler",
        help="address of a Dask scheduler, or the name of its file (default: workers on this machine)",
    )
    parser.add_argument(
        "--workers", type=int, help="workers on this machine (default: one for each GPU, else one)"
    )


def _resample(options: dict[str, Any]) -> None:
    from . import zarr

    transform = options.pop("transform")
    if transform is not None and len(transform) == 1:
        transform = transform[0]
    given = {name: value for name, value in options.items() if value is not None}
    zarr.resample(
        given.pop("image"),
        given.pop("output"),
        transform,
        progress=sys.stderr.isatty(),
        **_with_device(given),
    )


def _register(options: dict[str, Any]) -> None:
    from . import zarr

    output = options.pop("output")
    stages = options.pop("stage")
    given = {name: value for name, value in options.items() if value is not None}
    fixed = given.pop("fixed")
    found = zarr.register(fixed, given.pop("moving"), stages, progress=True, **_with_device(given))
    if output.endswith(".zarr"):
        zarr.write_transform(found.transform, output, found.field)
    else:
        found.transform.save(output, found.field)
    print(found.report)


def _cohort(options: dict[str, Any]) -> int:
    from . import cohort

    items: Any = options.pop("table")
    output, suffix = options.pop("output"), options.pop("suffix")
    if os.path.isdir(items):
        if output is None:
            raise ValueError("--output: a BIDS folder needs a folder for its outputs.")
        items = cohort.read_bids(items, output, suffix)
    spec = options.pop("spec")
    with _cluster(options.pop("scheduler"), options.pop("workers")) as client:
        given = {name: value for name, value in options.items() if value is not None}
        if spec is not None:
            with open(spec, encoding="utf-8") as file:
                given["spec"] = json.load(file)
        found = cohort.register(
            items, given.pop("fixed", None), client=client, progress=True, **given
        )
    print(found)
    return 1 if found.failed else 0


def _template(options: dict[str, Any]) -> None:
    from pathlib import Path

    from . import cohort
    from .dask._files import write_image, write_once

    output = Path(os.path.abspath(options.pop("output")))
    if output.exists():
        raise FileExistsError(f"--output: {output} exists.")
    scheduler, workers = options.pop("scheduler"), options.pop("workers")
    given = _with_device({name: value for name, value in options.items() if value is not None})
    images = given.pop("images")
    if scheduler is None and workers is None:
        found = cohort.template(images, progress=_print_round, **given)
    else:
        with _cluster(scheduler, workers) as client:
            found = cohort.template(images, client=client, progress=_print_round, **given)
    write_once(write_image, found.image, output)


def _print_round(row: dict[str, Any]) -> None:
    kind = "linear" if row["is_linear"] else "deformable"
    print(f"round {row['round']}, {kind}: shape moved by {row['update']:.4g} mm", file=sys.stderr)


@contextmanager
def _cluster(scheduler: Optional[str], workers: Optional[int]) -> Iterator[Any]:
    """A client of a scheduler, or of workers on this machine: one process with one thread for each GPU."""
    import importlib

    from . import device_count

    distributed: Any = importlib.import_module("distributed")

    if scheduler is not None:
        how = {"scheduler_file": scheduler} if os.path.exists(scheduler) else {"address": scheduler}
        with distributed.Client(**how) as client:
            yield client
        return
    count = workers or device_count() or 1
    with (
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _with_device(options: dict[str, Any]) -> dict[str, Any]:
    device = options.get("device")
    return (
        {**options, "device": int(device)}
        if isinstance(device, str) and device.isdigit()
        else options
    )


def _numbers(text: str) -> Any:
    values = [float(one) for one in text.split(",")]
    return values[0] if len(values) == 1 else values


def _integers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def _bytes(text: str) -> int:
    unit = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}.get(text[-1:].upper())
    return int(float(text[:-1]) * unit) if unit else int(text)


if __name__ == "__main__":
    sys.exit(main())
