"""Arrays of the libraries that people use, as addresses that the library reads and writes, and new
ones of the same kind.

Known are NumPy (and whatever NumPy makes an array of), CuPy, PyTorch and JAX, and all else that has
__cuda_array_interface__ or __dlpack__. None of these libraries is imported but NumPy: an array
brings its own.

An array on a GPU stays there. What is done with it is ordered on the stream that its library has as
the current one, on the array's device: CuPy's and PyTorch's current stream. JAX shows no streams,
and its own wait for none of others: its arrays are waited for when they are viewed, and a call that
reads or writes them has done so when it returns, so that JAX may read a result, and take memory
back.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
import itertools
import math
import os
import sys
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Sequence, TypeVar, cast

import numpy

from . import _library

#: Names of the supported types: NumPy makes one anew whenever it is asked.
_NAMES = {numpy.dtype(name): name for name in _library.TYPE_NAMES}
_SIZES = {name: numpy.dtype(name).itemsize for name in _library.TYPE_NAMES}

#: The error message for a tensor that requires a gradient.
WITHOUT_GRADIENTS = (
    "the tensor requires a gradient, which does not pass through here: cudaspline.torch has functions with gradients (sample, warp, affine, "
    "resample, prefilter); or give it as tensor.detach()"
)

#: cudaStreamLegacy: the default stream, which waits for all blocking streams.
LEGACY_STREAM = 1


@dataclass
class Buffer:
    """An array whose elements follow each other (C order), by its address.

    It keeps the memory alive: array is the caller's own, or a copy where that had to be converted
    or put in order.
    """

    #: Name of its library: "numpy", "cupy", "torch", "jax".
    kind: str
    #: The array that owns the memory, of that library (NumPy's for JAX on the host).
    array: Any
    #: Address of the first element.
    pointer: int
    #: Number of its CUDA device; -1: the host.
    device: int
    #: cudaStream_t in whose order it is read and written, for a device. None where its library
    #: shows none, as JAX: calls are then complete when they return.
    stream: Optional[int]
    #: Slowest axis first, as NumPy tells it.
    shape: tuple[int, ...]
    #: Name of its type as NumPy has it.
    dtype: str
    #: Makes the array that the caller gets of the array that owns the memory.
    finish: Callable[[Any], Any] = lambda array: array
    #: Owner of the memory if it is not the array.
    owner: Any = None

    @property
    def type_code(self) -> int:
        """The type as the library numbers it."""
        return _library.TYPES[self.dtype]

    @property
    def bytes(self) -> int:
        """Bytes of its elements."""
        return math.prod(self.shape) * _SIZES[self.dtype]

    def result(self) -> Any:
        """The array as the caller gets it: of the kind that the caller gave."""
        return self.finish(self.array)


def size_of(dtype: str) -> int:
    """Bytes of an element of a type by its name."""
    return _SIZES[dtype]


def _check_type(dtype: str, name: str) -> str:
    if dtype not in _library.TYPES:
        raise TypeError(
            f"{name}: elements of type {dtype} are not supported; convert to one of {', '.join(_library.TYPE_NAMES)}."
        )
    return dtype


def type_name(dtype: Any, name: str) -> str:
    """The name of a type that a caller gave: a name, a NumPy type, or one of CuPy, PyTorch or JAX.

    Raises TypeError, naming the argument, for a type that is not supported."""
    text = str(dtype)
    if text.startswith("torch."):
        return _check_type(text[len("torch.") :], name)
    try:
        named = dtype.lower() if isinstance(dtype, str) and len(dtype) > 2 else dtype
        return _check_type(numpy.dtype(named).name, name)
    except TypeError as error:
        raise TypeError(f"{name}: {dtype!r} is not a supported type of numbers: {error}") from None


def requires_gradient(value: Any) -> bool:
    """Whether a value is a tensor of PyTorch that requires a gradient, or a list that has one."""
    if isinstance(value, (list, tuple)):
        return any(requires_gradient(item) for item in value)
    return getattr(value, "requires_grad", False) is True


Function = TypeVar("Function", bound=Callable[..., Any])


def refuses_gradients(function: Function) -> Function:
    """Makes a function without gradients raise an error if an argument, or a number within one,
    requires a gradient.

    Raises ValueError, naming the argument."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        if "torch" in sys.modules:
            for name, value in itertools.chain(zip(names, arguments), options.items()):
                if requires_gradient(value):
                    raise ValueError(f"{name}: {WITHOUT_GRADIENTS}.")
        return function(*arguments, **options)

    return cast(Function, checked)


def _module(array: Any) -> str:
    return type(array).__module__.split(".", 1)[0]


def is_array(value: Any) -> bool:
    """True for what view() takes and is not merely a number, a list or an object of another
    kind."""
    return isinstance(value, numpy.ndarray) or any(
        hasattr(value, name)
        for name in ("__cuda_array_interface__", "__dlpack__", "__array_interface__")
    )


def shape_of(array: Any, name: str) -> tuple[int, ...]:
    """The shape of an array or of nested lists. Raises TypeError, naming the argument, for what has
    none."""
    try:
        return tuple(
            int(n) for n in (array.shape if hasattr(array, "shape") else numpy.shape(array))
        )
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {type(array).__name__} is not an array: {error}") from None


def view(array: Any, name: str, dtype: Optional[str] = None) -> Buffer:
    """An array that a caller gave, in C order; converted where another type of elements is wanted.

    array: of a known kind, on the host or a GPU
    name: of the argument, for errors
    dtype: name of the type that is wanted; None: as it is

    Raises TypeError for elements or objects that are not supported, ValueError for arrays on
    several devices."""
    kind = _module(array)
    if kind == "cupy":
        return _view_cupy(array, name, dtype)
    if kind == "torch":
        return _view_torch(array, name, dtype)
    if kind in ("jax", "jaxlib"):
        return _view_jax(array, name, dtype)
    if isinstance(array, (numpy.ndarray, numpy.generic)):
        return _view_numpy(array, name, dtype)
    if hasattr(array, "__cuda_array_interface__"):
        return _view_foreign(array, name, dtype)
    if hasattr(array, "__dlpack_device__"):
        return _view_dlpack(array, name, dtype)
    if isinstance(array, (str, bytes, os.PathLike)):
        raise TypeError(f"{name}: {array!r} is not an array.")
    return _view_numpy(as_array(array, name), name, dtype)


def as_array(array: Any, name: str) -> numpy.ndarray:
    """Converts values to an array of numbers with NumPy. Raises TypeError, naming the argument."""
    try:
        found = numpy.asarray(array)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name}: {type(array).__name__} is not an array: {error}") from error
    if found.dtype == object:
        raise TypeError(f"{name}: {type(array).__name__} is not an array of numbers.")
    return found


def address_of(array: numpy.ndarray) -> int:
    """Of the first element of an array of NumPy."""
    try:
        return ctypes.addressof(
            ctypes.c_char.from_buffer(cast(Any, array))
        )  # in a fifth of the time; NumPy warns of some whose flags are read
    except (TypeError, ValueError, BufferError):  # not written, no elements, or not contiguous
        return int(array.__array_interface__["data"][0])


def as_numbers(array: Any) -> Any:
    """True and false, in an array or in lists, as 1 and 0 of uint8; all else as it is."""
    if isinstance(array, (bool, list, tuple)):
        try:
            array = numpy.asarray(array)
        except ValueError:  # lists of different lengths, of which others tell
            return array
    if str(getattr(array, "dtype", "")).rpartition(".")[2] != "bool":
        return array
    if _module(array) == "torch":
        return array.to(sys.modules["torch"].uint8)
    if hasattr(array, "astype"):
        return array.astype("uint8")
    functions = array.__array_namespace__()  # as the array standard has it
    return functions.astype(array, functions.uint8)


def narrow_type(array: Any) -> str:
    """ "bool" or "float16", where an array has such elements, of which the library has none; else
    nothing."""
    kind = str(getattr(array, "dtype", "")).rpartition(".")[2]
    return kind if kind in ("bool", "float16") else ""


def permuted(array: Any, axes: Sequence[int]) -> Any:
    """A view of an array with its axes in another order. Raises TypeError for an array of a library
    that has none."""
    for name in ("permute", "transpose"):  # of PyTorch; of NumPy, CuPy and JAX
        if hasattr(array, name):
            return getattr(array, name)(tuple(axes))
    raise TypeError(
        f"channels: 'first' is not supported for arrays of {type(array).__module__}; use 'last'."
    )


def contiguous(array: Any) -> Any:
    """An array of NumPy, CuPy, PyTorch or JAX with its elements in C order."""
    if hasattr(array, "contiguous"):
        return array.contiguous()
    return (
        array.copy(order="C") if hasattr(array, "flags") and not array.flags.c_contiguous else array
    )


def narrowed(values: Buffer, narrow: str) -> Buffer:
    """Values as elements of a type that the library does not have: True where they are above 1/2,
    or rounded to float16."""
    with current_device(values), numpy.errstate(over="ignore"):
        if narrow == "bool":
            array = values.array > 0.5
        elif hasattr(values.array, "astype"):
            array = values.array.astype("float16")
        else:
            array = values.array.to(sys.modules["torch"].float16)
    return replace(values, array=array, dtype=narrow)


def view_plainly(array: Any) -> Optional[Buffer]:
    """view() of an array of NumPy, PyTorch or CuPy itself that is read as it is; None for others,
    which have to be looked at."""
    kind = type(array)
    if kind is numpy.ndarray:
        known, flags = _NAMES.get(array.dtype), array.flags
        if known is None or not (flags.c_contiguous and flags.aligned):
            return None
        return Buffer(
            "numpy",
            array,
            address_of(array),
            device=-1,
            stream=None,
            shape=array.shape,
            dtype=known,
        )
    torch = sys.modules.get("torch")
    if torch is not None and kind is getattr(torch, "Tensor", None):
        return _view_tensor_plainly(torch, array)
    if (
        kind.__name__ == "ndarray"
        and _module(array) == "cupy"
        and array.ndim > 0
        and array.flags.c_contiguous
        and array.dtype in _NAMES
    ):
        return _view_cupy(array, "image", None)
    return None


def _view_tensor_plainly(torch: Any, array: Any) -> Optional[Buffer]:
    if not _TENSOR_TYPES:
        _TENSOR_TYPES.update(
            {getattr(torch, name): name for name in _library.TYPE_NAMES if hasattr(torch, name)}
        )
    known = _TENSOR_TYPES.get(array.dtype)
    if (
        known is None
        or array.requires_grad
        or array.layout is not torch.strided
        or not array.is_contiguous()
    ):
        return None
    if not (array.is_cpu or array.is_cuda) or array.is_neg() or array._is_zerotensor():
        return None
    try:
        address = array.data_ptr()
    except RuntimeError:  # of a tensor that stands for others, in a transform of PyTorch
        return None
    if array.is_cpu:
        return Buffer(
            "torch", array, address, device=-1, stream=None, shape=tuple(array.shape), dtype=known
        )
    device = array.get_device()
    return Buffer(
        "torch",
        array,
        address,
        device=device,
        stream=stream_of_torch(torch, device),
        shape=tuple(array.shape),
        dtype=known,
    )


#: Names of PyTorch's types that are supported.
_TENSOR_TYPES: dict[Any, str] = {}


def peek(array: Any, name: str) -> Optional[tuple[str, int]]:
    """Name of the type of an array of NumPy, and -1, without a look at its elements; None for
    others.

    Raises TypeError for a type that is not supported."""
    if not isinstance(array, numpy.ndarray):
        return None
    return _check_type(_NAMES.get(array.dtype) or array.dtype.newbyteorder("=").name, name), -1


def empty(like: Buffer, shape: Sequence[int], dtype: str, is_viewed: bool = False) -> Buffer:
    """A new array of the kind of another one, where that is, with elements of any value.

    is_viewed: whether that was viewed a moment ago: its stream is the current one then"""
    shape = tuple([int(n) for n in shape])
    if like.kind == "cupy":
        cupy = sys.modules["cupy"]
        with _current(cupy, like.device):
            array = cupy.empty(shape, dtype)
            stream = (
                like.stream if is_viewed else cupy.cuda.get_current_stream().ptr or LEGACY_STREAM
            )
        made = Buffer(
            "cupy",
            array,
            array.data.ptr,
            device=like.device,
            stream=stream,
            shape=shape,
            dtype=dtype,
        )
    elif like.kind == "torch":
        torch = sys.modules["torch"]
        array = torch.empty(shape, dtype=getattr(torch, dtype), device=like.array.device)
        stream = (
            like.stream if is_viewed or like.device < 0 else stream_of_torch(torch, like.device)
        )
        made = Buffer(
            "torch",
            array,
            array.data_ptr(),
            device=like.device,
            stream=stream,
            shape=shape,
            dtype=dtype,
        )
    elif like.kind == "jax" and like.device >= 0:
        made = _empty_jax(like, shape, dtype)
    else:
        array = numpy.empty(shape, dtype)
        made = Buffer(
            like.kind,
            array,
            address_of(array),
            device=-1,
            stream=None,
            shape=shape,
            dtype=_check_type(dtype, "out"),
        )
    made.finish = like.finish
    return made


def place_of(device: int) -> str:
    """The name of a buffer's device for messages; -1 is the host."""
    return "the host" if device < 0 else f"GPU {device}"


def writable(array: Any, name: str, like: Buffer, shape: Sequence[int], dtype: str) -> Buffer:
    """An array of the caller's that shall be written: of the same kind and place as another one, in
    C order.

    Raises TypeError or ValueError, naming the argument, where it is not."""
    if not is_array(array):
        raise TypeError(f"{name}: {type(array).__name__} is not an array.")
    found = view(array, name)
    if found.kind == "jax":
        raise TypeError(f"{name}: arrays of JAX are immutable and cannot be written.")
    # Of the classes that NumPy's has (numpy.memmap) the elements are written where they are.
    same = found.array is array or (
        isinstance(array, numpy.ndarray) and found.pointer == array.ctypes.data
    )
    if not same:
        raise ValueError(
            f"{name}: an output array must have its elements in C order and native byte order."
        )
    if found.kind == "numpy" and not array.flags.writeable:
        raise ValueError(f"{name}: the array is read-only.")
    if found.kind != like.kind or found.device != like.device:
        raise ValueError(
            f"{name}: the array is a {found.kind} array on {place_of(found.device)}, but the input is a {like.kind} array on {place_of(like.device)}; library and device must be equal."
        )
    if found.shape != tuple(shape):
        raise ValueError(
            f"{name}: its shape is {found.shape}; it must be that of the result, {tuple(shape)}."
        )
    if found.dtype != dtype:
        raise TypeError(
            f"{name}: its type is {found.dtype}; it must be that of the result, {dtype}."
        )
    return found


def overlap(one: Buffer, other: Buffer) -> bool:
    """Whether two arrays have bytes in common."""
    same_place = one.device == other.device
    return (
        same_place
        and one.pointer < other.pointer + other.bytes
        and other.pointer < one.pointer + one.bytes
    )


def to_host(buffer: Buffer) -> numpy.ndarray:
    """The elements of an array, in host memory."""
    if buffer.kind == "cupy":
        return cast(numpy.ndarray, buffer.array.get())
    if buffer.kind == "torch":
        return cast(numpy.ndarray, buffer.array.detach().cpu().numpy())
    return numpy.asarray(buffer.array)


def like_host(array: numpy.ndarray, like: Buffer) -> Buffer:
    """An array of NumPy as one of the kind of another one that is in host memory."""
    if like.kind == "torch":
        return _view_torch(
            sys.modules["torch"].from_numpy(numpy.ascontiguousarray(array)), "image", None
        )
    found = _view_numpy(array, "image", None)
    found.kind, found.finish = like.kind, like.finish
    return found


def viewed_like(array: Any, other: Buffer) -> Buffer:
    """An array of the library of another one, where that is, which finishes as that does."""
    made = view(array, "image")
    made.kind, made.finish = other.kind, other.finish
    return made


def repeat_ends(buffer: Buffer, widths: Sequence[int]) -> Buffer:
    """An array whose first and last elements are repeated along its first axes. widths: how often, by
    axis"""
    with current_device(buffer):
        array = buffer.array.reshape(buffer.shape)
        for axis, width in enumerate(widths):
            count = buffer.shape[axis]
            index = numpy.clip(numpy.arange(-width, count + width), 0, count - 1)
            if buffer.kind == "torch":
                array = array.index_select(axis, on_device(index, buffer))
            elif isinstance(array, numpy.ndarray):
                array = numpy.take(array, index, axis)
            else:
                array = functions_of(buffer).take(array, on_device(index, buffer), axis)
        return viewed_like(array, buffer)


def functions_of(buffer: Buffer) -> Any:
    """The module whose functions work on an array: isfinite, where and the like."""
    if isinstance(buffer.array, numpy.ndarray):
        return numpy
    return sys.modules["jax.numpy" if buffer.kind == "jax" else buffer.kind]


def current_device(buffer: Buffer) -> Any:
    """A context in which CuPy works on the device of an array; nothing for other libraries, whose
    arrays know theirs."""
    return _current(sys.modules["cupy"], buffer.device) if buffer.kind == "cupy" else _NOWHERE_ELSE


def wait_for(buffer: Buffer) -> None:
    """Waits for what its library has still to write into an array of a device. JAX's are ready when
    they are viewed."""
    if buffer.device < 0 or buffer.kind not in ("cupy", "torch"):
        return
    with current_device(buffer):
        if buffer.kind == "cupy":
            sys.modules["cupy"].cuda.get_current_stream().synchronize()
        else:
            sys.modules["torch"].cuda.current_stream(buffer.array.device).synchronize()


def on_device(array: numpy.ndarray, like: Buffer) -> Any:
    """An array of NumPy as one of the library of another one, on its device."""
    if like.kind == "cupy":
        with current_device(like):
            return sys.modules["cupy"].asarray(array)
    if like.kind == "torch":
        return sys.modules["torch"].from_numpy(numpy.ascontiguousarray(array)).to(like.array.device)
    jax = sys.modules["jax"]
    return jax.device_put(array, next(iter(like.array.devices())))


def part_of(buffer: Buffer, number: int) -> Buffer:
    """One of the slowest axis of an array."""
    count = math.prod(buffer.shape[1:]) * _SIZES[buffer.dtype]
    array = (
        buffer.array if buffer.kind == "jax" and buffer.device >= 0 else buffer.array[number]
    )  # JAX's are written by their address alone
    return replace(
        buffer, array=array, pointer=buffer.pointer + number * count, shape=buffer.shape[1:]
    )


class Output:
    """Where a result goes: a new array, or the caller's.

    If an array of the caller shares bytes with the input, the library writes to a temporary array
    first, and the complete result is copied.

    out: the caller's, or None
    like: the input, for kind and place
    read: what the operation reads
    in_place: whether the library writes over the input where both are the same elements of the same
        type

    Raises TypeError or ValueError for an array that cannot be the result."""

    def __init__(
        self,
        out: Any,
        like: Buffer,
        shape: Sequence[int],
        dtype: str,
        read: Sequence[Buffer] = (),
        in_place: bool = False,
    ) -> None:
        self._out = out
        given = None if out is None else writable(out, "out", like, shape, dtype)
        self._late: Optional[Buffer] = None
        if given is not None and any(
            overlap(given, buffer)
            and not (
                in_place
                and (given.pointer, given.bytes, given.dtype)
                == (buffer.pointer, buffer.bytes, buffer.dtype)
            )
            for buffer in read
        ):
            self._late = given
        #: What the library writes.
        self.buffer = (
            empty(like, shape, dtype) if given is None or self._late is not None else given
        )

    def finish(self, make: Callable[[Buffer], Any]) -> Any:
        """What the caller gets, when the library is done: his own array, or what make() makes of
        the new one."""
        if self._out is None:
            return make(self.buffer)
        if self._late is not None:
            assign(self._late, self.buffer)
        return self._out


def assign(to: Buffer, values: Buffer) -> None:
    """Copies the elements of an array into another one of the same kind, place, shape and type;
    returns when they are there."""
    if to.kind == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(to.device):
            to.array[...] = values.array
            cupy.cuda.get_current_stream().synchronize()
        return
    to.array[...] = values.array
    if to.kind == "torch" and to.device >= 0:
        sys.modules["torch"].cuda.current_stream(to.array.device).synchronize()


def _view_numpy(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    if type(array) is numpy.ndarray:
        known, flags = _NAMES.get(array.dtype), array.flags
        if known is not None and dtype in (None, known) and flags.c_contiguous and flags.aligned:
            return Buffer(
                "numpy",
                array,
                address_of(array),
                device=-1,
                stream=None,
                shape=array.shape,
                dtype=known,
            )
    if (
        array.dtype.kind not in "biuf"
    ):  # NumPy would read numbers of text, and take the real part of others
        _check_type(array.dtype.name, name)
    wanted = numpy.dtype(dtype or array.dtype).newbyteorder("=")
    _check_type(wanted.name, name)
    found = numpy.require(array, wanted, ["C", "A"])
    if isinstance(array, numpy.ndarray) and type(found) is not numpy.ndarray:
        found = found.view(numpy.ndarray)  # numpy.memmap, for instance
    if (
        isinstance(array, numpy.ndarray)
        and found.ctypes.data == array.ctypes.data
        and type(array) is numpy.ndarray
    ):
        found = array
    return Buffer(
        "numpy",
        found,
        found.ctypes.data,
        device=-1,
        stream=None,
        shape=tuple(found.shape),
        dtype=wanted.name,
    )


_NOWHERE_ELSE: Any = contextlib.nullcontext()


def _current(cupy: Any, device: int) -> Any:
    """A context in which CuPy uses a device; empty if that is the current device, as checking is
    faster than changing it."""
    return _NOWHERE_ELSE if cupy.cuda.runtime.getDevice() == device else cupy.cuda.Device(device)


def _view_cupy(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    cupy = sys.modules["cupy"]
    wanted = _check_type(dtype or _NAMES.get(array.dtype) or array.dtype.name, name)
    device = array.device.id
    with _current(cupy, device):
        found = (
            array
            if array.ndim > 0
            and array.flags.c_contiguous
            and dtype in (None, _NAMES.get(array.dtype))
            else cupy.ascontiguousarray(array, dtype)
        )
        stream = cupy.cuda.get_current_stream().ptr
    return Buffer(
        "cupy",
        found,
        found.data.ptr,
        device=device,
        stream=stream or LEGACY_STREAM,
        shape=tuple(found.shape),
        dtype=wanted,
    )


def stream_of_torch(torch: Any, device: int) -> int:
    """The stream in which PyTorch works on a device."""
    try:
        stream = torch._C._cuda_getCurrentRawStream(
            device
        )  # as the next one, in a twentieth of the time
    except AttributeError:  # a version of PyTorch that has no such name
        stream = torch.cuda.current_stream(device).cuda_stream
    return int(stream) or LEGACY_STREAM


def _view_torch(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    torch = sys.modules["torch"]
    if array.requires_grad:
        raise ValueError(f"{name}: {WITHOUT_GRADIENTS}.")
    if array.device.type not in ("cpu", "cuda") or array.layout != torch.strided:
        raise TypeError(
            f"{name}: a tensor with layout {array.layout} on {array.device} is not supported; use a dense tensor on the CPU or a CUDA device."
        )
    if array.is_complex():  # of which PyTorch would take the real part
        _check_type(str(array.dtype).split(".")[-1], name)
    wanted = _check_type(dtype or str(array.dtype).split(".")[-1], name)
    found = array.to(getattr(torch, wanted)).contiguous()
    if found.is_conj() or found.is_neg():
        found = found.resolve_conj().resolve_neg()
    device, stream = -1, None
    if found.device.type == "cuda":
        device = found.device.index
        stream = stream_of_torch(torch, device)
    return Buffer(
        "torch",
        found,
        found.data_ptr(),
        device=device,
        stream=stream,
        shape=tuple(found.shape),
        dtype=wanted,
    )


def _view_jax(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    jax = sys.modules["jax"]
    if isinstance(array, jax.core.Tracer):
        raise TypeError(
            f"{name}: arrays that JAX traces (in jit, grad or vmap) are not supported; use cudaspline.jax."
        )
    devices = list(array.devices())
    if len(devices) != 1:
        raise ValueError(
            f"{name}: the array is distributed over {len(devices)} devices; it must be on one device."
        )
    place = devices[0]
    wanted = _check_type(dtype or numpy.dtype(array.dtype).name, name)
    if place.platform == "cpu":
        found = _view_numpy(numpy.asarray(array), name, wanted)
        found.kind = "jax"
        found.finish = lambda made: jax.device_put(made, place)
        return found
    if place.platform not in ("gpu", "cuda"):
        raise TypeError(
            f"{name}: the array is on the platform {place.platform} of JAX; only cpu and CUDA are supported."
        )
    found = array if numpy.dtype(array.dtype).name == wanted else array.astype(wanted)
    if numpy.dtype(found.dtype).name != wanted:
        raise TypeError(
            f"{name}: JAX does not support {wanted} in its current configuration; set jax_enable_x64 to use 64-bit types."
        )
    found.block_until_ready()
    device = getattr(place, "local_hardware_id", None)
    number = int(device if device is not None else place.id)
    return Buffer(
        "jax",
        found,
        found.unsafe_buffer_pointer(),
        device=number,
        stream=None,
        shape=tuple(found.shape),
        dtype=wanted,
    )


def _empty_jax(like: Buffer, shape: tuple[int, ...], dtype: str) -> Buffer:
    # A new array without other references: it is written before it is returned.
    jax = sys.modules["jax"]
    place = next(iter(like.array.devices()))
    made = jax.device_put(jax.numpy.zeros(shape, dtype), place)
    if numpy.dtype(made.dtype).name != dtype:
        raise TypeError(
            f"dtype: JAX does not support {dtype} in its current configuration; set jax_enable_x64 to use 64-bit types."
        )
    return _view_jax(made, "out", None)


def _view_foreign(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    """An array on a GPU of a library that is not known: by CuPy or PyTorch, whichever is there;
    what is made is that one's, or Numba's."""
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore]

        found = _view_cupy(cupy.asarray(array), name, dtype)
    except ImportError:
        torch = _torch_or_none()
        if torch is None:
            raise TypeError(
                f"{name}: GPU arrays of {type(array).__module__} need CuPy or PyTorch to be installed."
            ) from None
        found = _view_torch(torch.as_tensor(array, device="cuda"), name, dtype)
    if _module(array) == "numba":
        cuda = sys.modules["numba.cuda"]
        found.finish = lambda made: cuda.as_cuda_array(made)
    return found


def adopt_dlpack(array: Any, name: str) -> tuple[Any, Optional[Callable[[Any], Any]]]:
    """(array, finish): an array of an unknown library, by DLPack, as one of NumPy, CuPy or PyTorch
    on the same device; and a function that converts a result to that library, if the library
    supports it. Raises TypeError for other devices."""
    kind, _ = array.__dlpack_device__()
    on_device = False
    if int(kind) in (1, 3):  # host memory, page-locked or not
        found = numpy.from_dlpack(array)
    elif int(kind) in (2, 13):  # CUDA, managed or not
        on_device = True
        try:
            import cupy  # type: ignore[import-not-found, unused-ignore]

            found = cupy.from_dlpack(array)
        except ImportError:
            torch = _torch_or_none()
            if torch is None:
                raise TypeError(
                    f"{name}: GPU arrays of {type(array).__module__} need CuPy or PyTorch to be installed."
                ) from None
            found = torch.from_dlpack(array)
    else:
        raise TypeError(
            f"{name}: the array is on a device with the DLPack type {int(kind)}; only the host and CUDA are supported."
        )
    namespace = array.__array_namespace__() if hasattr(array, "__array_namespace__") else None
    if not on_device:
        return found, None if namespace is None else namespace.from_dlpack

    def finish(made: Any) -> Any:
        wait_for(
            view(made, name)
        )  # the array's library does not know the stream in which it is read
        return made if namespace is None else namespace.from_dlpack(made)

    return found, finish


def _view_dlpack(array: Any, name: str, dtype: Optional[str]) -> Buffer:
    """An array of an unknown library, by DLPack; results are converted back the same way if the
    library supports it."""
    adopted, finish = adopt_dlpack(array, name)
    found = view(adopted, name, dtype)
    if finish is not None:
        found.finish = finish
    return found


def _torch_or_none() -> Any:
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]

        return torch
    except ImportError:
        return None
