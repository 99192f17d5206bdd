"""cudaspline.cohort: registrations of tables on a cluster of this machine, of which a process is killed, and what fails
alone."""

import csv
import json
import os
import resource
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

import cudaspline

pytest.importorskip("dask.array", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

import cudaspline.cohort  # noqa: E402
import cudaspline.dask  # noqa: E402
from cudaspline.cohort import _run  # noqa: E402
from cudaspline.dask import _engine  # noqa: E402

FAST = dict(stages="translation", iterations=20, device="cpu")


def blob(shift, shape=(24, 28, 32)):
    """A bright ellipsoid, moved along x (mm)."""
    z, y, x = numpy.mgrid[tuple(slice(n) for n in shape)]
    values = 100 * numpy.exp(
        -((x - 15 - shift) ** 2 / 60 + (y - 13) ** 2 / 40 + (z - 11) ** 2 / 50)
    )
    return cudaspline.Image(values.astype("f4"), spacing=1.0)


def write(image, path):
    from cudaspline.dask import _files

    _files.write_image(image, path)


def read(path):
    from cudaspline.dask import _files

    return _files.read_image(path)


@pytest.fixture
def folder(tmp_path):
    """Images moved by 0 to 5 mm, a fixed image, and a table."""
    write(blob(0), tmp_path / "fixed.nii.gz")
    for i in range(6):
        write(blob(0.5 * i), tmp_path / f"{i}.nii.gz")
    (tmp_path / "table.csv").write_text(
        "moving,output\n" + "".join(f"{i}.nii.gz,out/{i}\n" for i in range(6))
    )
    return tmp_path


@pytest.fixture(scope="module")
def client():
    """Two workers of a thread each, in this process."""
    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as found:
        yield found


def test_a_table_is_registered_and_reported(client, folder):
    heard = []
    found = cudaspline.dask.register(
        folder / "table.csv",
        folder / "fixed.nii.gz",
        client=client,
        report=folder / "report.csv",
        done=heard.append,
        **FAST,
    )
    assert str(found) == "6 done, 0 done before, 0 failed" and len(heard) == 6
    found.raise_for_failures()
    with open(folder / "report.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [Path(row["output"]).name for row in rows] == [str(i) for i in range(6)]
    for i, row in enumerate(rows):
        output = folder / "out" / str(i)
        assert sorted(path.name for path in output.iterdir()) == [
            "0GenericAffine.mat",
            "report.json",
            "warped.nii.gz",
        ]
        moved = cudaspline.Transform.load(output / "0GenericAffine.mat").apply([15.0, 13.0, 11.0])
        assert numpy.allclose(moved, [15 + 0.5 * i, 13, 11], atol=0.1)
        assert (
            float(row["overlap"]) > 0.8 and int(row["folds"]) == 0 and float(row["explained"]) > 0.5
        )
        assert (
            row["version"] == cudaspline.__version__
            and row["backend"] == "Cpu"
            and float(row["seconds"]) > 0
            and row["worker"]
        )
    # Started again nothing is written.
    before = {
        path: path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and path.name != "report.csv"
    }
    again = cudaspline.dask.register(
        folder / "table.csv", folder / "fixed.nii.gz", client=client, **FAST
    )
    assert str(again) == "0 done, 6 done before, 0 failed"
    assert before == {
        path: path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and path.name != "report.csv"
    }


def test_reports_in_parquet_and_labels(client, folder):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    for i in (0, 4):
        write(
            cudaspline.Image((blob(0.5 * i).array > 50).astype("u1"), spacing=1.0),
            folder / f"labels-{i}.nii.gz",
        )
    item = cudaspline.cohort.Item(
        str(folder / "4.nii.gz"),
        str(folder / "four"),
        labels=str(folder / "labels-0.nii.gz"),
        moving_labels=str(folder / "labels-4.nii.gz"),
    )
    cudaspline.dask.register(
        [item], folder / "fixed.nii.gz", client=client, report=folder / "report.parquet", **FAST
    )
    (row,) = parquet.read_table(folder / "report.parquet").to_pylist()
    assert (
        row["dice"] > 0.97
        and row["status"] == "done"
        and row["reason"] is None
        and row["folds"] == 0
    )


def test_items_fail_alone_and_are_listed(client, folder):
    (folder / "2.nii.gz").unlink()
    data = (folder / "3.nii.gz").read_bytes()
    (folder / "3.nii.gz").write_bytes(data[: len(data) // 2])
    (folder / "foreign").mkdir()
    (folder / "foreign" / "keep.txt").write_text("of somebody else")
    items = [dict(moving=folder / f"{i}.nii.gz", output=folder / "out" / f"{i}") for i in range(4)]
    items += [dict(moving=folder / f"{i}.nii.gz", output=folder / "out" / "twice") for i in (4, 5)]
    items += [dict(moving=folder / "5.nii.gz", output=folder / "foreign")]
    found = cudaspline.dask.register(
        items,
        folder / "fixed.nii.gz",
        client=client,
        retries=0,
        report=folder / "report.csv",
        **FAST,
    )
    assert [row["status"] for row in found.rows] == [
        "done",
        "done",
        "failed",
        "failed",
        "failed",
        "failed",
        "failed",
    ]
    reasons = [row["reason"] for row in found.failed]
    assert "FileNotFoundError: there is no file" in reasons[0] and "2.nii.gz" in reasons[0]
    assert "3.nii.gz" in reasons[1]
    assert "is the output of 2 items" in reasons[2] and "is the output of 2 items" in reasons[3]
    assert "is not a complete output" in reasons[4]
    assert "2 done, 0 done before, 5 failed" in str(found) and all(
        reason in str(found) for reason in reasons
    )
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["0", "1"]
    assert [path.name for path in (folder / "foreign").iterdir()] == ["keep.txt"]
    with open(folder / "report.csv", newline="") as file:
        assert [
            row["reason"] for row in csv.DictReader(file) if row["status"] == "failed"
        ] == reasons
    with pytest.raises(cudaspline.dask.BatchError, match="5 failed"):
        found.raise_for_failures()


def test_a_full_disk_fails_alone(client, folder):
    """A limit for the size of files, which the image of one item exceeds, as a full disk would: nothing incomplete
    remains."""
    rng = numpy.random.default_rng(1)
    noise = blob(0, (32, 64, 96)).array + rng.uniform(0, 1, (32, 64, 96))
    write(cudaspline.Image(noise.astype("f4"), spacing=1.0), folder / "large.nii.gz")
    items = [
        dict(
            moving=folder / "1.nii.gz",
            output=folder / "out" / "small",
            fixed=folder / "fixed.nii.gz",
        ),
        dict(
            moving=folder / "large.nii.gz",
            output=folder / "out" / "large",
            fixed=folder / "large.nii.gz",
        ),
    ]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200000, limits[1]))
    try:
        found = cudaspline.dask.register(items, client=client, retries=0, **FAST)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert [row["status"] for row in found.rows] == [
        "done",
        "failed",
    ] and "File too large" in found.failed[0]["reason"]
    assert [path.name for path in (folder / "out").iterdir()] == ["small"]
    assert (
        str(cudaspline.dask.register(items, client=client, **FAST))
        == "1 done, 1 done before, 0 failed"
    )


def kill_once(marker):
    """Makes the first worker that writes item 3 die with a half-written folder."""
    original = _run._write

    def write_and_die(output, *others):
        if output.name == "3" and not marker.exists():
            marker.touch()
            part = output.with_name(f".cudaspline-{'0' * 32}.{output.name}")
            output.parent.mkdir(parents=True, exist_ok=True)
            part.mkdir()
            (part / "warped.nii.gz").write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
        original(output, *others)

    _run._write = write_and_die


def test_a_worker_that_dies_loses_nothing(folder):
    marker = folder / "killed"
    options = dict(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs="CRITICAL",
    )
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.run(kill_once, marker)
        found = cudaspline.dask.register(
            folder / "table.csv", folder / "fixed.nii.gz", client=client, **FAST
        )
    assert marker.exists() and str(found) == "6 done, 0 done before, 0 failed"
    assert sorted(path.name for path in (folder / "out").iterdir()) == [str(i) for i in range(6)]
    assert json.loads((folder / "out" / "3" / "report.json").read_text())["status"] == "done"


@pytest.fixture
def counted(monkeypatch):
    """[running, most] of the registrations at once in this process; each waits until there are as many as `wanted`, for
    at most a second."""
    wanted, numbers, changed = [1], [0, 0], threading.Condition()
    original = _run.register_pair

    def register(*arguments, **options):
        with changed:
            numbers[0] += 1
            numbers[1] = max(numbers)
            changed.notify_all()
            changed.wait_for(lambda: numbers[1] >= wanted[0], 1)
        try:
            return original(*arguments, **options)
        finally:
            with changed:
                numbers[0] -= 1

    monkeypatch.setattr(_run, "register_pair", register)
    return wanted, numbers


@pytest.mark.parametrize("count", [1, 3])
def test_pairs_at_once(folder, counted, count):
    """A worker of one thread registers that many pairs at once and not more; results are those of single pairs, one that
    fails fails alone, and each has its own warnings."""
    wanted, numbers = counted
    wanted[0] = count + 1  # one more than allowed: each waits for it in vain
    (folder / "2.nii.gz").unlink()
    noise = numpy.random.default_rng(3).random((24, 28, 32), dtype="f4")
    write(cudaspline.Image(noise, spacing=1.0), folder / "5.nii.gz")
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as client:
        found = cudaspline.dask.register(
            folder / "table.csv",
            folder / "fixed.nii.gz",
            client=client,
            retries=0,
            pairs_at_once=count,
            **FAST,
        )
    assert numbers == [0, count]
    assert [row["status"] for row in found.rows] == ["done"] * 2 + ["failed"] + ["done"] * 3
    assert [bool(row.get("warnings")) for row in found.rows] == [False] * 5 + [True]
    for i in (0, 1, 3, 4):
        alone = cudaspline.register(folder / "fixed.nii.gz", folder / f"{i}.nii.gz", **FAST)
        matrix = cudaspline.Transform.load(folder / "out" / str(i) / "0GenericAffine.mat").matrix
        assert numpy.allclose(matrix, alone.transform.matrix, rtol=0, atol=1e-12)


def test_default_threads(monkeypatch):
    """Workers of Dask have OMP_NUM_THREADS=1, which is not meant for items on a GPU."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("CUDASPLINE_THREADS", raising=False)
    assert _run._threads_with(-1) == 1 and _run._threads_with(0) == len(os.sched_getaffinity(0))
    monkeypatch.setenv("CUDASPLINE_THREADS", "3")
    assert _run._threads_with(-1) == 1 and _run._threads_with(0) == 0


def test_default_pairs_at_once(monkeypatch):
    """On a GPU: of the processors, and 272 bytes for each voxel of the larger image in 0.8 of the memory."""
    monkeypatch.setattr(_run, "share_of", lambda *arguments: arguments)
    monkeypatch.setattr(
        _run._library, "query_device", lambda _: SimpleNamespace(total_memory=10**9)
    )
    images = (blob(0), numpy.zeros((4, 5)))
    for processors, count in ((1, 1), (6, 3), (64, 8)):
        monkeypatch.setattr(_run._library, "count_processors", lambda n=processors: n)
        needed = 272 * 24 * 28 * 32
        assert _run._count_pairs(None, 0) == count and _run._count_pairs(None, -1) is None
        assert _run._share("a", count, 0, images, {}) == ("a", count, needed, 0.8e9)
        doubled = _run._share("a", 20, 0, images, {"precision": "float64"})
        assert doubled == ("a", 20, 2 * needed, 0.8e9)


def test_images_are_read_at_once(folder, monkeypatch):
    """Threads read the next images while others register: as many as are registered at once."""
    running, most, original = [0], [0], _run.read_image

    def read_slowly(name):
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.3)
        running[0] -= 1
        return original(name)

    monkeypatch.setattr(_run, "read_image", read_slowly)
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as client:
        cudaspline.dask.register(
            folder / "table.csv", folder / "fixed.nii.gz", client=client, pairs_at_once=2, **FAST
        ).raise_for_failures()
    assert 2 <= most[0] <= 4


RUNS, MAY_END = [], threading.Event()


def compute_in_share(needed):
    with _engine.turn_of("worker", 3), _engine.share_of("worker", 3, needed, 100):
        RUNS.append(sorted(_engine._running["worker"]))
        MAY_END.wait(5)


def test_pairs_at_once_fit_into_memory():
    """Items wait for a share of the memory; one that needs more than there is runs alone."""
    parts = [60, 60, 30, 200]
    with distributed.Client(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as client:
        futures = [client.submit(compute_in_share, needed, pure=False) for needed in parts]
        deadline = time.monotonic() + 5
        while not RUNS and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        at_first = list(RUNS)
        MAY_END.set()
        client.gather(futures)
    assert at_first == [RUNS[0]] and len(RUNS[0]) == 1
    assert len(RUNS) == 4 and [200] in RUNS
    assert all(sum(running) <= 100 for running in RUNS if running != [200])


@pytest.mark.parametrize("fields", ["nii.gz", "nii", "none"])
def test_forms_of_fields(client, folder, fields):
    item = dict(moving=folder / "2.nii.gz", output=folder / "two")
    options = {**FAST, "stages": "greedy", "shrink": (1,), "fields": fields}
    found = cudaspline.dask.register([item], folder / "fixed.nii.gz", client=client, **options)
    found.raise_for_failures()
    warps = [] if fields == "none" else [f"1InverseWarp.{fields}", f"1Warp.{fields}"]
    names = sorted(path.name for path in (folder / "two").iterdir())
    assert names == sorted(["0GenericAffine.mat", "report.json", "warped.nii.gz", *warps])
    if warps:
        chain = [folder / "two" / warps[1], folder / "two" / "0GenericAffine.mat"]
        moved = cudaspline.resample(
            read(folder / "2.nii.gz"), chain, read(folder / "fixed.nii.gz")
        ).array
        warped = read(folder / "two" / "warped.nii.gz").array
        assert numpy.allclose(moved, warped, atol=1e-3)


def test_bids_names(folder):
    for name in (
        "sub-01/anat/sub-01_T1w.nii.gz",
        "sub-02/ses-a/anat/sub-02_ses-a_T1w.nii.gz",
        "sub-02/ses-a/anat/sub-02_ses-a_T2w.nii.gz",
    ):
        path = folder / "bids" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(blob(1), path)
    found = cudaspline.cohort.read_bids(folder / "bids", folder / "derivatives")
    assert [os.path.relpath(item.output, folder) for item in found] == [
        "derivatives/sub-01/anat/sub-01_T1w", "derivatives/sub-02/ses-a/anat/sub-02_ses-a_T1w",
    ]  # fmt: skip
    assert len(cudaspline.cohort.read_bids(folder / "bids", folder / "derivatives", "T2w")) == 1
    with pytest.raises(FileNotFoundError, match="^folder: "):
        cudaspline.cohort.read_bids(folder / "bids", folder, "bold")


@pytest.mark.parametrize(
    "text, message",
    [
        ("moving,outputs\na,b\n", "unknown column 'outputs'"),
        ("moving,output\na.nii,\n", "line 2 of .* has no value in the column output"),
        ("moving,output\na.nii,b,c\n", "line 2 of .* has more values than columns"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(ValueError, match=f"^table: .*{message}"):
        cudaspline.cohort.read_table(tmp_path / "table.csv")


def test_arguments_are_checked_before_any_work(client, folder):
    for options, message in (
        ({"report": folder / "a.txt"}, "^report: "),
        ({"retries": -1}, "^retries: "),
        ({"pairs_at_once": 0}, "^pairs_at_once: "),
        ({"fields": "mha"}, "^fields: "),
    ):
        with pytest.raises(ValueError, match=message):
            cudaspline.dask.register(
                folder / "table.csv", folder / "fixed.nii.gz", client=client, **options
            )
    assert not (folder / "out").exists()
