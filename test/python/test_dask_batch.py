"""cudaspline.dask.batch(): a cluster of two processes on this machine, of which one is killed."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest

import cudaspline

pytest.importorskip("dask.array", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

import cudaspline.dask  # noqa: E402
from cudaspline.dask import _batch, _files  # noqa: E402

SHIFT = [[1, 0, 0.5], [0, 1, -0.25]]


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes, a thread each."""
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs="CRITICAL",
    )
    with cluster, distributed.Client(cluster) as found:
        yield found


def note(folder, word, name):
    """A line in a file that all processes write."""
    with open(Path(folder) / "log.txt", "a") as file:
        file.write(f"{word} {Path(name).name} {os.getpid()}\n")


def notes(folder, word):
    lines = [line.split() for line in (Path(folder) / "log.txt").read_text().splitlines()]
    return [(name, int(process)) for found, name, process in lines if found == word]


def read(name):
    note(Path(name).parent, "read", name)
    return numpy.load(name)


def write(image, name):
    """Writes an array; the first one that writes number 3 dies with half of it on the disk."""
    name = Path(name)
    output = name.name.split(".", 2)[-1]
    note(name.parent, "begin", output)
    data = image.tobytes()
    if output == "3.raw" and len([n for n, _ in notes(name.parent, "begin") if n == output]) == 1:
        with open(name, "wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    name.write_bytes(data)
    note(name.parent, "end", output)


def test_nothing_is_lost_and_each_output_is_written_once(client, tmp_path, rng):
    count = 8
    images = [rng.uniform(-1, 1, (20, 30)) for _ in range(count)]
    for i, image in enumerate(images):
        if i != 5:
            numpy.save(tmp_path / f"{i}.npy", image)
    tasks = [(tmp_path / f"{i}.npy", SHIFT, tmp_path / f"{i}.raw") for i in range(count)]
    heard = []
    options = dict(client=client, read=read, write=write, order=2, device="cpu")
    summary = cudaspline.dask.batch(tasks, retries=1, done=heard.append, **options)

    assert sorted(done.output for done in summary.done) == [
        str(tmp_path / f"{i}.raw") for i in range(count) if i != 5
    ]
    assert not summary.skipped and [failure.output for failure in summary.failed] == [
        str(tmp_path / "5.raw")
    ]
    assert (
        isinstance(summary.failed[0].error, FileNotFoundError)
        and "read" in summary.failed[0].traceback
    )
    # Outputs whose worker died before their result was fetched are found to be there.
    assert len(heard) == count and all(
        done.backend in ("Cpu", "") and done.worker for done in summary.done
    )
    assert "7 done, 0 there before, 1 failed" in str(summary) and "FileNotFoundError" in str(
        summary
    )
    with pytest.raises(cudaspline.dask.BatchError, match="5.raw"):
        summary.raise_for_failures()
    # One has died, and another process did its work: each output was completed once, and what was
    # half is gone.
    begun, ended = notes(tmp_path, "begin"), notes(tmp_path, "end")
    killed = [process for name, process in begun if name == "3.raw"][0]
    assert (
        len([name for name, _ in begun if name == "3.raw"]) == 2 and dict(ended)["3.raw"] != killed
    )
    assert sorted(name for name, _ in ended) == [f"{i}.raw" for i in range(count) if i != 5]
    assert (
        len([name for name, _ in notes(tmp_path, "read") if name == "5.npy"]) == 2
    )  # once, and once again
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        [f"{i}.{kind}" for i in range(count) for kind in ("npy", "raw") if i != 5] + ["log.txt"]
    )
    for i in range(count):
        if i != 5:
            assert (tmp_path / f"{i}.raw").read_bytes() == cudaspline.resample(
                images[i], SHIFT, order=2, device="cpu"
            ).tobytes()

    # Started again it does what is missing, and touches nothing else.
    numpy.save(tmp_path / "5.npy", images[5])
    before = {i: (tmp_path / f"{i}.raw").stat() for i in range(count) if i != 5}
    summary = cudaspline.dask.batch(tasks, **options)
    assert [done.output for done in summary.done] == [str(tmp_path / "5.raw")] and len(
        summary.skipped
    ) == count - 1
    summary.raise_for_failures()
    after = {i: (tmp_path / f"{i}.raw").stat() for i in before}
    assert all(
        (before[i].st_ino, before[i].st_mtime_ns) == (after[i].st_ino, after[i].st_mtime_ns)
        for i in before
    )


def test_files_and_options_of_tasks(client, tmp_path, rng):
    image = rng.uniform(-1, 1, (20, 30)).astype("f4")
    numpy.save(tmp_path / "grid.npy", numpy.zeros((5, 6)))
    tasks = [
        (image, None, tmp_path / "a.npy"),
        (image, SHIFT, tmp_path / "b.npy", dict(reference=tmp_path / "grid.npy", order=5)),
    ]
    summary = cudaspline.dask.batch(tasks, order=1)  # the current client
    assert [done.backend != "" for done in summary.done] == [True, True], summary
    assert numpy.array_equal(numpy.load(tmp_path / "a.npy"), image)
    assert numpy.array_equal(
        numpy.load(tmp_path / "b.npy"),
        cudaspline.resample(image, SHIFT, numpy.zeros((5, 6)), order=5, device="cpu"),
    )


def test_images_of_simpleitk(tmp_path, rng):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(rng.uniform(-1, 1, (5, 6, 7)).astype("f4"))
    image.SetSpacing([1, 2, 3])
    sitk.WriteImage(image, str(tmp_path / "image.nii.gz"))
    found = _files.read_image(tmp_path / "image.nii.gz")
    assert _files.write_once(_files.write_image, found, tmp_path / "again.mha")
    again = sitk.ReadImage(str(tmp_path / "again.mha"))
    assert numpy.array_equal(
        sitk.GetArrayFromImage(again), sitk.GetArrayFromImage(image)
    ) and again.GetSpacing() == (1, 2, 3)


def test_an_output_is_there_as_a_whole_or_not_at_all(tmp_path):
    output = tmp_path / "a[1].npy"
    with pytest.raises(RuntimeError):
        _files.write_once(
            lambda image, name: (Path(name).write_bytes(b"half"), _fail()), None, output
        )
    assert not list(tmp_path.iterdir())
    assert _files.write_once(lambda image, name: Path(name).write_bytes(b"first"), None, output)
    # Somebody else was quicker.
    assert not _files.write_once(
        lambda image, name: Path(name).write_bytes(b"second"), None, output
    )
    assert output.read_bytes() == b"first" and len(list(tmp_path.iterdir())) == 1
    part = tmp_path / f".cudaspline-{'0' * 32}.a[1].npy"
    other = tmp_path / f".cudaspline-{'0' * 32}.a1.npy"
    part.touch()
    other.touch()
    _files.remove_parts([output])
    assert not part.exists() and other.exists() and output.exists()


def _fail():
    raise RuntimeError("the disk is full")


@pytest.mark.parametrize(
    "name, wanted",
    [(0, 0), (5, 1), ("3", 3), ("node-7", 3), ("tcp://10.0.0.1:4567", None), ("alone", None)],
)
def test_a_gpu_a_worker(monkeypatch, name, wanted):
    monkeypatch.setattr(_batch._library, "device_count", lambda: 4)
    monkeypatch.delenv("CUDASPLINE_DEVICE", raising=False)
    worker = SimpleNamespace(name=name)
    assert _batch.device_of(worker) == wanted
    monkeypatch.setenv("CUDASPLINE_DEVICE", "cpu")
    assert _batch.device_of(worker) is None
    monkeypatch.delenv("CUDASPLINE_DEVICE")
    monkeypatch.setattr(_batch._library, "device_count", lambda: 0)
    assert _batch.device_of(worker) is None


@pytest.mark.parametrize(
    "tasks, options, error, text",
    [
        ([("a.npy", None)], {}, TypeError, r"tasks\[0\]"),
        ([("a.npy", None, 3)], {}, TypeError, "output"),
        ([("a.npy", None, "nowhere/at/all/b.npy")], {}, ValueError, "folder"),
        ([("a.npy", None, "b.mhd")], {}, ValueError, "output"),
        ([("a.npy", None, "b.npy"), ("c.npy", None, "./b.npy")], {}, ValueError, "b.npy"),
        ([("a.npy", None, "b.npy")], dict(odrer=3), TypeError, "odrer"),
        ([("a.npy", None, "b.npy", dict(out=1))], {}, TypeError, "out"),
        ([("a.npy", None, "b.npy")], dict(retries=-1), ValueError, "retries"),
    ],
)
def test_errors_name_the_argument(tasks, options, error, text):
    with pytest.raises(error, match=text):
        cudaspline.dask.batch(tasks, **options)


def test_a_folder_is_asked_once(tmp_path, monkeypatch):
    """Once for thousands of outputs in one folder, not once for each."""
    from cudaspline.dask import _files

    asked = []
    original = os.listdir
    monkeypatch.setattr(
        _files.os, "listdir", lambda folder: (asked.append(folder), original(folder))[1]
    )
    outputs = [tmp_path / f"{i}.npy" for i in range(50)]
    left = tmp_path / (_files._PREFIX + "0123456789abcdef" * 2 + ".7.npy")
    others = [
        tmp_path / (_files._PREFIX + "0123456789abcdef" * 2 + ".70.npy"),
        tmp_path / (_files._PREFIX + "short.7.npy"),
        tmp_path / "7.npy",
    ]
    for path in (left, *others):
        path.touch()
    _files.remove_parts(outputs)
    assert len(asked) == 1 and not left.exists() and all(path.exists() for path in others)
