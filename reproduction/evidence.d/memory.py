"""How much memory a process takes: of the first GPU, from its driver while the process runs, and of the host, from the kernel after the process
ended."""

import ctypes
import os
import subprocess
import threading
import time


class _Memory(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]


class Device:
    """The memory of the first GPU, from NVML. is_there is true if there is one."""

    def __init__(self):
        self.is_there = False
        self._handle = ctypes.c_void_p()
        try:
            self._library = ctypes.CDLL("libnvidia-ml.so.1")
            self.is_there = self._library.nvmlInit_v2() == 0 and self._library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self._handle)) == 0
        except (OSError, AttributeError):
            pass

    def used(self):
        """Bytes that are taken, by whomever. Raises RuntimeError where the driver does not tell."""
        memory = _Memory()
        code = self._library.nvmlDeviceGetMemoryInfo(self._handle, ctypes.byref(memory))
        if code != 0:
            raise RuntimeError(f"NVML's code {code}: the driver does not report the device's memory")
        return memory.used


def run(command, log, environment=None, every=0.002):
    """Runs a command, whose output goes to a file. Returns {"code", "seconds", "host_bytes", "device_bytes"}.

    device_bytes is the most that was taken of the first GPU, less what was taken before: CUDA's own part is in it. None without a GPU.
    host_bytes is the largest resident set of the process itself, or of one that it has started."""
    device = Device()
    before = device.used() if device.is_there else 0
    most = [before]
    ended = threading.Event()

    def poll():
        while not ended.wait(every):
            most[0] = max(most[0], device.used())

    begin = time.monotonic()
    with open(log, "wb") as stream:
        process = subprocess.Popen(list(map(str, command)), stdout=stream, stderr=subprocess.STDOUT, env=environment)
        if device.is_there:
            watcher = threading.Thread(target=poll, daemon=True)
            watcher.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            ended.set()
    process.returncode = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    if device.is_there:
        watcher.join()
    return {
        "code": process.returncode, "seconds": time.monotonic() - begin, "host_bytes": usage.ru_maxrss * 1024,
        "device_bytes": most[0] - before if device.is_there else None,
    }  # fmt: skip
