"""What happens around an operation: progress, aborts, threads, forks, reports."""

import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy
import pytest

import cudaspline
from cudaspline.core import _library


def test_reports_count_operations_and_their_seconds():
    image = numpy.ones((8, 9, 10), numpy.float32)
    before = None
    for _ in range(3):
        cudaspline.resample(image, spacing=0.5, device="cpu")
        report = cudaspline.last_report()
        assert report.backend == "Cpu" and 0.0 < report.seconds < 60.0
        if before is not None:
            assert report.use["Cpu"].calls == before.use["Cpu"].calls + 1
            assert report.use["Cpu"].seconds == pytest.approx(before.use["Cpu"].seconds + report.seconds)
            assert report.use["Cuda"] == before.use["Cuda"]
        before = report


def test_progress_rises_to_1(rng):
    seen = []
    cudaspline.resample(rng.uniform(-1, 1, (40, 50, 60)), progress=seen.append, device="cpu")
    assert len(seen) > 2 and seen[-1] == 1.0
    assert all(0 <= a <= b <= 1 for a, b in zip(seen, seen[1:]))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration])
def test_what_the_callback_raises_stops_the_work(rng, error):
    image = rng.uniform(-1, 1, (40, 50, 60))
    calls = []

    def progress(fraction):
        calls.append(fraction)
        if len(calls) == 2:
            raise error("enough")

    for work in (cudaspline.resample, cudaspline.prefilter, lambda image, **more: cudaspline.sample(image, [[1.0, 2, 3]] * 10, **more)):
        calls.clear()
        with pytest.raises(error, match="enough"):
            for _ in range(3):
                work(image, progress=progress, device="cpu")
        assert len(calls) == 2
    assert numpy.isfinite(cudaspline.resample(image)).all()  # all is well after that


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that send signals")
def test_ctrl_c_stops_the_work(rng):
    """Soon: an operation of one thread that takes several seconds, and reports some 64 times, ends at the next report."""
    image = rng.uniform(-1, 1, (60, 60, 60)).astype("f4")
    at = []

    def interrupt(*_):
        at.append(time.monotonic())
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        begin = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            cudaspline.resample(image, size=(240, 240, 240), spacing=0.25, order=5, device="cpu", threads=1)
        end = time.monotonic()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert end - begin - 0.2 < 1.5  # from the signal to the exception, the handler's wait for the report included
    assert end - at[0] < 1.0


def test_the_interpreter_lock_is_released(rng):
    image = rng.uniform(-1, 1, (120, 120, 120))
    running, ticks = True, 0

    def tick():
        nonlocal ticks
        while running:
            ticks += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    time.sleep(0.01)
    begin, before = time.monotonic(), ticks
    cudaspline.resample(image, order=5, device="cpu", threads=1)
    elapsed, during = time.monotonic() - begin, ticks - before
    running = False
    thread.join()
    # A lock that is held lets the other thread run at the few calls of the progress callback alone.
    assert elapsed < 0.1 or during > 40


def test_8_threads(rng):
    images = [rng.uniform(-1, 1, (20, 24, 28)).astype("f4") for _ in range(8)]
    matrix = numpy.eye(4) + 0.02 * numpy.vstack([rng.normal(size=(3, 4)), numpy.zeros(4)])
    wanted = [cudaspline.resample(image, matrix) for image in images]
    source = cudaspline.Source(images[0])
    points = rng.uniform(0, 20, (500, 3))
    values = cudaspline.sample(source, points)
    failures = []

    def work(number):
        try:
            for _ in range(10):
                assert numpy.array_equal(cudaspline.resample(images[number], matrix), wanted[number])
                assert numpy.array_equal(cudaspline.sample(source, points), values)
                with pytest.raises(ValueError, match=f"order: {number + 6}"):  # errors are of their threads
                    cudaspline.resample(images[number], order=number + 6)
                assert cudaspline.last_report() is not None
        except BaseException as error:  # pylint: disable=broad-except
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning", "ignore:.*fork.*:RuntimeWarning")
def test_a_forked_child_uses_the_host(rng):
    image = rng.uniform(-1, 1, (20, 24, 28))
    source = cudaspline.Source(image)
    wanted = cudaspline.resample(image, device="cpu")
    cudaspline.resample(image)  # starts CUDA where there is any
    child = os.fork()
    if child == 0:
        code = 1
        try:
            found = cudaspline.resample(image)
            same = numpy.array_equal(found, wanted)
            code = 0 if same and cudaspline.last_report().backend == "Cpu" and cudaspline.device_count() == 0 else 2
            del source  # of the parent's device, perhaps
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_reports_who_computed(rng):
    image = rng.uniform(-1, 1, (9, 9, 9))
    cudaspline.resample(image, device="cpu")
    report = cudaspline.last_report()
    assert report.backend == "Cpu" and report.device is None and "cpu" in report.reason.lower()
    assert report.pieces == 1
    if cudaspline.device_count() == 0:
        cudaspline.resample(image, device="gpu")  # goes on with the host, and says why
        assert cudaspline.last_report().backend == "Cpu" and cudaspline.last_report().reason


def test_environment_names_a_device(rng, monkeypatch):
    image = rng.uniform(-1, 1, (9, 9, 9))
    monkeypatch.setenv("CUDASPLINE_DEVICE", "cpu")
    cudaspline.resample(image)
    assert cudaspline.last_report().backend == "Cpu"
    monkeypatch.setenv("CUDASPLINE_DEVICE", "abacus")
    with pytest.raises(cudaspline.DeviceError, match="abacus"):
        cudaspline.resample(image)


def test_results_do_not_depend_on_the_threads(rng):
    image = rng.uniform(-1, 1, (40, 41, 42)).astype("f4")
    wanted = cudaspline.resample(image, order=5, device="cpu", threads=1, size=(50, 50, 50), spacing=0.7)
    for threads in (2, 3, 7):
        found = cudaspline.resample(image, order=5, device="cpu", threads=threads, size=(50, 50, 50), spacing=0.7)
        assert numpy.array_equal(found, wanted)


def test_another_interface_is_refused(tmp_path):
    environment = dict(os.environ, CUDASPLINE_LIBRARY=str(tmp_path / "none.so"), PYTHONPATH=os.pathsep.join(sys.path))
    result = subprocess.run([sys.executable, "-c", "import cudaspline"], env=environment, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and "none.so cannot be loaded" in result.stderr


def test_null_is_refused():
    call = _library.Call()
    with pytest.raises(ValueError, match="image is null"):
        call.run("cudaspline_prefilter", None, -1, None)


def test_versions():
    assert cudaspline.__version__.count(".") == 2
    assert _library.select_device("cpu")[0] == -1
    with pytest.raises(cudaspline.DeviceError):
        _library.query_device(4711)
    cudaspline.release_memory()


def test_what_a_signal_raises_beside_the_callback_stops_the_work():
    for error in (KeyboardInterrupt, SystemExit, GeneratorExit):
        reports = _library._Reports(None)
        reports.is_running = True
        receiver = reports.receive()
        next(receiver)
        assert receiver.throw(error()) == 0
        assert isinstance(reports.raised, error)
        reports.is_running = False
        receiver.close()


def test_what_ends_the_receiver_of_reports_ends_no_later_call(rng):
    """An interrupt that comes while another one is handled."""
    image = rng.uniform(-1, 1, (5, 6, 7))
    cudaspline.resample(image, device="cpu")
    for error in (KeyboardInterrupt, GeneratorExit):
        _, receiver, _ = _library._reports_of_main_thread()
        with pytest.raises(error):
            receiver.throw(error())
        assert numpy.isfinite(cudaspline.resample(image, device="cpu")).all()


def test_a_call_is_let_go_of_at_once():
    for progress in (None, print):
        call = _library.Call(progress=progress)
        seen = weakref.ref(call)
        del call
        assert seen() is None  # without the collector of cycles


def test_an_image_whose_array_was_changed_is_refused():
    image = cudaspline.Image(numpy.zeros((20, 30, 40), "f4"))
    image.array.resize((2, 2, 2), refcheck=False)
    with pytest.raises(ValueError, match="image: its array"):
        cudaspline.prefilter(image)
    with pytest.raises(ValueError, match="image: its array"):
        cudaspline.resample(image)


@pytest.mark.parametrize("name", ["array", "spacing", "origin", "direction", "channels", "geometry"])
def test_an_image_is_not_assigned_to(name):
    image = cudaspline.Image(numpy.zeros((4, 5, 6), "f4"), spacing=2)
    with pytest.raises(AttributeError, match=name):
        setattr(image, name, getattr(image, name))
    if name in ("spacing", "origin", "direction"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(image, name)[0] = 3


def test_a_geometry_has_arrays_of_its_own():
    spacing = numpy.array([1.0, 2.0, 3.0])
    image = cudaspline.Image(numpy.zeros((4, 5, 6), "f4"), spacing)
    spacing[:] = 0
    assert image.spacing.tolist() == image.geometry.spacing.tolist() == [1, 2, 3]
