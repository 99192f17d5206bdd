"""Arrays of NumPy, CuPy and PyTorch, seen alike.

An ArrayLibrary knows how one of them allocates, converts and addresses arrays. Neither CuPy nor
PyTorch is imported here: a caller with such an array has imported it.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Optional, Sequence

import numpy as np

from ..core import _arrays, _library
from ..core._checks import named
from . import _library as _functions

#: The library's number of a type, in this machine's byte order; a bool is a byte.
TYPE_CODES = {np.dtype(name): code for name, code in _library.TYPES.items()}
TYPE_CODES[np.dtype(np.bool_)] = _library.TYPES["uint8"]


class ArrayLibrary:
    """NumPy, and the base of the others.

    Types of numbers are numpy.dtype everywhere. Strides are counted in elements.
    """

    name = "NumPy"

    def as_array(self, array: Any, like: Any, argument: str) -> Any:
        """An array of this library, on the device of like; copied if it is another array."""
        try:
            return np.asarray(array)
        except (TypeError, ValueError) as error:
            raise named(error, f"{argument} is not an array: {error}") from None

    def dtype(self, array: Any) -> np.dtype[Any]:
        """Type of the elements."""
        dtype: np.dtype[Any] = array.dtype
        return dtype

    def shape(self, array: Any) -> tuple[int, ...]:
        """Elements along each axis."""
        return tuple(array.shape)

    def strides(self, array: Any) -> tuple[int, ...]:
        """Elements between neighbours along each axis; bytes where the array is not regular."""
        strides = array.strides
        if not self.is_regular(array):
            return tuple(strides)
        size = array.dtype.itemsize
        return tuple(stride // size for stride in strides)

    def is_regular(self, array: Any) -> bool:
        """Whether neighbours are whole elements apart, and aligned: a field of a packed structure
        is not."""
        flags, size = array.flags, array.dtype.itemsize
        return bool(flags.aligned) and (
            flags.c_contiguous or all(stride % size == 0 for stride in array.strides)
        )

    def is_contiguous(self, array: Any) -> bool:
        """Whether the elements follow each other, the last axis first."""
        return bool(array.flags.c_contiguous)

    def address(self, array: Any) -> int:
        """The address of the first element."""
        return _arrays.address_of(array)

    def device(self, array: Any) -> int:
        """Number of a CUDA device; -1: the host."""
        return -1

    def stream(self, array: Any) -> int:
        """The current stream of an array's device."""
        return 0

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any], like: Any) -> Any:
        """A new array on the device of like."""
        return np.empty(shape, dtype)

    def convert(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """A copy of another type of numbers."""
        return array.astype(dtype)

    def copy(self, array: Any) -> Any:
        """A contiguous copy."""
        return np.array(array, order="C")

    def real(self, array: Any) -> Any:
        """The real parts, where they are."""
        return array.real

    def imag(self, array: Any) -> Any:
        """The imaginary parts, where they are."""
        return array.imag

    def assign(self, array: Any, values: Any) -> None:
        """Copies values, or a number, into an array."""
        array[...] = values

    def is_writable(self, array: Any) -> bool:
        """False for an array that must not be changed."""
        return bool(array.flags.writeable)


class _CupyLibrary(ArrayLibrary):
    name = "CuPy"

    @property
    def _cupy(self) -> Any:
        return sys.modules["cupy"]

    def as_array(self, array: Any, like: Any, argument: str) -> Any:
        if array is like:
            return array
        with self._cupy.cuda.Device(self.device(like)):
            return self._cupy.asarray(array)

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def device(self, array: Any) -> int:
        return int(array.device.id)

    def stream(self, array: Any) -> int:
        with array.device:
            return int(self._cupy.cuda.get_current_stream().ptr) or _arrays.LEGACY_STREAM

    def is_regular(self, array: Any) -> bool:
        size = array.dtype.itemsize
        return array.flags.c_contiguous or all(stride % size == 0 for stride in array.strides)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any], like: Any) -> Any:
        with like.device:
            return self._cupy.empty(shape, dtype)

    def copy(self, array: Any) -> Any:
        with array.device:
            return self._cupy.array(array, order="C")

    def is_writable(self, array: Any) -> bool:
        return True


class _TorchLibrary(ArrayLibrary):
    name = "PyTorch"

    @property
    def _torch(self) -> Any:
        return sys.modules["torch"]

    def as_array(self, array: Any, like: Any, argument: str) -> Any:
        if not isinstance(array, self._torch.Tensor):
            array = self._torch.as_tensor(host_array(array))
        array = array.to(like.device)
        torch_dtype(array.dtype, argument)
        if array.requires_grad:
            raise ValueError(
                f"{argument} requires a gradient, which is not supported here; pass tensor.detach()"
            )
        return array.resolve_conj().resolve_neg()

    def dtype(self, array: Any) -> np.dtype[Any]:
        return torch_dtype(array.dtype, "an array")

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.stride())

    def is_regular(self, array: Any) -> bool:
        return True

    def is_contiguous(self, array: Any) -> bool:
        return bool(array.is_contiguous())

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def device(self, array: Any) -> int:
        return int(array.device.index) if array.device.type == "cuda" else -1

    def stream(self, array: Any) -> int:
        return _arrays.stream_of_torch(self._torch, array.get_device()) if array.is_cuda else 0

    def _type(self, dtype: np.dtype[Any]) -> Any:
        name = np.dtype(dtype).name
        found = getattr(self._torch, name, None)
        if found is None:
            raise RuntimeError(
                f"data type not supported: output would have type {name}, which PyTorch does not support"
            )
        return found

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any], like: Any) -> Any:
        return self._torch.empty(tuple(shape), dtype=self._type(dtype), device=like.device)

    def convert(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.to(self._type(dtype))

    def copy(self, array: Any) -> Any:
        return array.clone(memory_format=self._torch.contiguous_format)

    def assign(self, array: Any, values: Any) -> None:
        array[...] = values

    def is_writable(self, array: Any) -> bool:
        return not array.requires_grad and not array.is_conj() and not array.is_neg()


NUMPY = ArrayLibrary()
_CUPY = _CupyLibrary()
_TORCH = _TorchLibrary()


def library_of(array: Any, argument: str = "input") -> ArrayLibrary:
    """Whose array it is; what belongs to no library is for NumPy, as in SciPy."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        if array.device.type not in ("cpu", "cuda"):
            raise TypeError(
                f"{argument} is a tensor on {array.device}; only the host and CUDA devices are supported"
            )
        if array.layout != torch.strided:
            raise TypeError(
                f"{argument} is a tensor of the layout {array.layout}; only dense tensors are supported"
            )
        return _TORCH
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        return _CUPY
    return NUMPY


def torch_dtype(dtype: Any, argument: str) -> np.dtype[Any]:
    """numpy.dtype of a torch.dtype. RuntimeError where NumPy has none."""
    name = str(dtype).rpartition(".")[2]
    try:
        return np.dtype(name)
    except TypeError:
        raise RuntimeError(
            f"data type not supported: {argument} has type {name}, which NumPy does not support"
        ) from None


def adopt(array: Any, argument: str) -> tuple[Any, Any]:
    """(array, finish): an array of JAX, or of another library that speaks DLPack, as one of NumPy,
    CuPy or PyTorch, and what makes one of its library of a result; other things as they are, and
    None.

    Raises TypeError, naming the argument, for arrays that JAX traces and for unknown devices."""
    kind = type(array).__module__.split(".", 1)[0]
    if kind in ("numpy", "torch", "cupy", "builtins") or isinstance(array, np.ndarray):
        return array, None
    if kind in ("jax", "jaxlib"):
        jax = sys.modules["jax"]
        if isinstance(array, jax.core.Tracer):
            raise TypeError(
                f"{argument}: arrays that JAX traces (in jit, grad or vmap) are not supported; use cudaspline.jax"
            )
        places = list(array.devices())
        if len(places) == 1 and places[0].platform == "cpu":
            return np.asarray(array), lambda made: jax.device_put(made, places[0])
    if hasattr(array, "__dlpack_device__"):
        found, finish = _arrays.adopt_dlpack(array, argument)
        return found, finish or (lambda made: made)
    return array, None


def host_array(values: Any) -> np.ndarray[Any, Any]:
    """A small array as NumPy's, wherever it is."""
    values, _ = adopt(values, "an argument")
    library = library_of(values)
    if library is _CUPY:
        return np.asarray(values.get())
    if library is _TORCH:
        return np.asarray(values.detach().cpu().numpy())
    return np.asarray(values)


def describe(library: ArrayLibrary, array: Any, argument: str) -> _functions.Array:
    """The structure of an array of real numbers; of NumPy's, elements are read where they are, in
    either order of bytes, aligned or not.

    Raises RuntimeError for a type of numbers or a number of axes that is not supported.
    """
    dtype = library.dtype(array)
    code = TYPE_CODES.get(dtype if dtype.isnative else dtype.newbyteorder("="))
    if code is None:
        raise RuntimeError(f"data type not supported: {argument} has elements of type {dtype}")
    code |= (0 if dtype.isnative else _functions.SWAPPED) | (
        0 if library.is_regular(array) else _functions.BYTE_STRIDES
    )
    shape, strides = library.shape(array), library.strides(array)
    if len(shape) > _functions.MAXIMUM_DIMENSION:
        raise RuntimeError(
            f"{argument} has {len(shape)} axes; at most {_functions.MAXIMUM_DIMENSION} are supported (more only for NumPy arrays with orders 0 and 1)"
        )
    description = _functions.Array()
    description.data = library.address(array)
    description.type = code
    description.dimension = len(shape)
    description.size[: len(shape)] = shape
    description.stride[: len(shape)] = strides
    return description


def byte_bounds(library: ArrayLibrary, array: Any) -> tuple[int, int]:
    """First address of an array's elements, and the one after the last."""
    begin = end = library.address(array)
    size = library.dtype(array).itemsize
    if library.is_contiguous(array):
        return begin, begin + count(library.shape(array)) * size
    unit = size if library.is_regular(array) else 1
    for length, stride in zip(library.shape(array), library.strides(array)):
        if length == 0:
            return begin, begin
        begin += min(0, (length - 1) * stride * unit)
        end += max(0, (length - 1) * stride * unit)
    return begin, end + size


def overlap(library: ArrayLibrary, one: Any, other: Any) -> bool:
    """Whether two arrays may share elements."""
    a, b = byte_bounds(library, one), byte_bounds(library, other)
    return a[0] < b[1] and b[0] < a[1]


def count(shape: Sequence[int]) -> int:
    """Number of elements."""
    return math.prod(shape)


def as_native(library: ArrayLibrary, array: Any) -> Any:
    """The array with numbers in the byte order of this machine, whole elements apart."""
    dtype = library.dtype(array)
    if not dtype.isnative:
        return library.convert(array, dtype.newbyteorder("="))
    return array if library.is_regular(array) else library.copy(array)


def as_readable(library: ArrayLibrary, array: Any) -> Any:
    """The array with elements that the library reads where they are: NumPy's are all so."""
    return array if library.name == "NumPy" else as_native(library, array)


def is_output_type(output: Any) -> Optional[np.dtype[Any]]:
    """The type that an argument output names; None where it is an array, or None itself."""
    if output is None:
        return None
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(output, torch.dtype):
        return torch_dtype(output, "output")
    if isinstance(output, (type, np.dtype, str)):
        return np.dtype(output)
    return None
