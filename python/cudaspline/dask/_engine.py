"""Calls that the workers of a cluster make, each by itself: the scheduler of dask.distributed repeats and moves
them."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Optional, Sequence
from uuid import uuid4


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
