"""Calls that the workers of a cluster make, each by itself: the scheduler of dask.distributed repeats and moves
them."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Sequence
from uuid import uuid4

#: By address of a worker in this process: the number of its items that are begun, the bytes of each that is computed,
#: and how many items like the last one are computed at once.
_begun: Counter[str] = Counter()
_running: dict[str, list[int]] = defaultdict(list)
_fitting: dict[str, int] = {}
_changed = threading.Condition()


def client_of(client: Any) -> Any:
    """A client, or the current one. Raises ImportError without distributed, ValueError without a cluster."""
    try:
        import distributed
    except ImportError as error:
        raise ImportError(
            'cudaspline.dask: distributed is not installed; pip install "cudaspline[dask]".'
        ) from error
    if client is not None:
        return client
    try:
        return distributed.get_client()
    except ValueError:
        raise ValueError(
            "client: there is no cluster; start one on this machine with distributed.Client()."
        ) from None


def each(
    client: Any, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], retries: int
) -> Iterator[tuple[int, Any, Optional[Exception]]]:
    """(number, result, None) or (number, None, error) of each call, in the order in which they end. Calls that remain
    are cancelled after an error of the caller."""
    from distributed import as_completed

    name = f"cudaspline-{function.__name__.strip('_')}-{uuid4().hex}"
    futures = {
        client.submit(function, *call, key=f"{name}-{i}", pure=False, retries=retries): i
        for i, call in enumerate(calls)
    }
    try:
        for future in as_completed(list(futures)):  # type: ignore[no-untyped-call, unused-ignore]
            number = futures.pop(future)
            try:
                ended: tuple[int, Any, Optional[Exception]] = (number, future.result(), None)
            except Exception as error:  # whatever the function raises
                ended = (number, None, error)
            # Let go of, it is not computed once more where its worker is lost later.
            future.release()
            yield ended
    except BaseException:
        client.cancel(list(futures))
        raise


@contextmanager
def turn_of(address: str, count: int) -> Iterator[None]:
    """Does an item of a worker in a thread of its own, while the worker begins its next ones: as many read their images
    as are computed. Waits while there are so many. The first item shows how many of `count` items are computed."""
    from distributed import secede

    with _changed:
        _changed.wait_for(
            lambda: _begun[address] < max(1, 2 * min(count, _fitting.get(address, 0)))
        )
        _begun[address] += 1
    try:
        if count > 1:
            secede()  # type: ignore[no-untyped-call, unused-ignore]
        yield
    finally:
        with _changed:
            _begun[address] -= 1
            _changed.notify_all()


@contextmanager
def share_of(address: str, count: int, needed: int, memory: float) -> Iterator[None]:
    """Computes an item of a worker. Waits while the worker computes others, if it computes `count` items, or if all of
    them would need more memory than there is."""
    with _changed:
        _fitting[address] = max(1, int(min(count, memory / max(1, needed))))
        _changed.notify_all()
        running = _running[address]
        _changed.wait_for(
            lambda: not running or (len(running) < count and sum(running) + needed <= memory)
        )
        running.append(needed)
    try:
        yield
    finally:
        with _changed:
            running.remove(needed)
            _changed.notify_all()
