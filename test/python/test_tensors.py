"""Tensors of DLPack in the C interface. Expected: the address, the sizes and the strides of NumPy's
array, from the tensor that NumPy makes of it; what an operation computes of the description; and a
message with the member and the allowed values for each tensor that is not supported."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int32, c_void_p

import numpy as np
import pytest

from cudaspline import ndimage
from cudaspline.core import _library
from cudaspline.ndimage import _library as arrays

LIBRARY = _library._library
LIBRARY.cudaspline_array_of_tensor.restype = c_int32
LIBRARY.cudaspline_array_of_tensor.argtypes = [c_void_p, POINTER(arrays.Array), POINTER(c_int32)]
LIBRARY.cudaspline_image_of_tensor.restype = c_int32
LIBRARY.cudaspline_image_of_tensor.argtypes = [c_void_p, c_int32, POINTER(_library.Image)]

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]  # by code


class Tensor:
    """The address of an array's DLTensor, while this object exists."""

    def __init__(self, array):
        self.capsule = array.__dlpack__()
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype = c_void_p
        address.argtypes = [ctypes.py_object, ctypes.c_char_p]
        self.address = address(self.capsule, b"dltensor")


def array_of(tensor):
    array, device = arrays.Array(), c_int32(7)
    code = LIBRARY.cudaspline_array_of_tensor(tensor.address, array, device)
    if code != _library.OK:
        raise ValueError(LIBRARY.cudaspline_last_error().decode())
    return array, device.value


def image_of(tensor, has_components=False):
    image = _library.Image()
    code = LIBRARY.cudaspline_image_of_tensor(tensor.address, int(has_components), image)
    if code != _library.OK:
        raise ValueError(LIBRARY.cudaspline_last_error().decode())
    return image


@pytest.mark.parametrize("code", range(len(TYPES)))
def test_an_array_has_the_numbers_of_numpy(code):
    whole = np.zeros((4, 6, 5), TYPES[code])
    for given in (whole, whole[1:, ::2], whole.transpose(2, 0, 1), whole[:, ::-1]):
        array, device = array_of(Tensor(given))
        assert (array.data, array.type, device) == (given.ctypes.data, code, -1)
        assert tuple(array.size[: array.dimension]) == given.shape
        strides = tuple(stride // given.itemsize for stride in given.strides)
        assert tuple(array.stride[: array.dimension]) == strides


def test_bool_is_uint8():
    tensor = Tensor(np.zeros(3, np.uint8))  # early versions of NumPy make none of bool
    ctypes.c_uint8.from_address(tensor.address + 20).value = 6  # kDLBool
    assert array_of(tensor)[0].type == 0


def test_an_operation_takes_the_description():
    samples = np.random.default_rng(5).normal(size=(9, 8))
    coefficients = np.zeros((8, 9)).T
    descriptor = arrays.Filter(order=3, mode=0, element=9, device=-1)
    descriptor.input, _ = array_of(Tensor(samples))
    descriptor.output, _ = array_of(Tensor(coefficients))
    descriptor.filtered[0] = descriptor.filtered[1] = 1
    call = _library.Call(threads=1)
    assert LIBRARY.cudaspline_filter_array(descriptor, call.execution) == _library.OK
    expected = ndimage.spline_filter(samples, order=3, mode="mirror")
    assert np.array_equal(coefficients, expected)


def test_an_image_has_its_axes_in_reverse():
    image = image_of(Tensor(np.zeros((4, 5, 6), np.int16)))
    assert (image.dimension, image.components, image.device, image.order) == (3, 1, -1, 1)
    assert list(image.size[:3]) == [6, 5, 4]
    assert (image.pixel, image.element) == (TYPES.index("i2"), TYPES.index("f4"))
    colours = np.zeros((4, 5, 3), np.float64)
    image = image_of(Tensor(colours), has_components=True)
    assert (image.dimension, image.components, image.pixels) == (2, 3, colours.ctypes.data)
    assert list(image.size[:2]) == [5, 4]
    assert (image.pixel, image.element) == (TYPES.index("f8"), TYPES.index("f8"))


@pytest.mark.parametrize(
    "array, has_components, words",
    [
        (np.zeros(3, complex), False, ["tensor.dtype", "128 bits", "float64"]),
        (np.zeros(3, np.float16), False, ["tensor.dtype", "16 bits", "float32"]),
        (np.zeros((4, 6))[:, ::2], False, ["tensor.strides[0] is 6", "contiguous", "3"]),
        (np.zeros((1,) * 6), False, ["tensor.ndim is 6", "1 to 4"]),
        (np.zeros(3), True, ["tensor.ndim is 1", "components"]),
    ],
)
def test_messages_name_the_member_and_what_is_allowed(array, has_components, words):
    with pytest.raises(ValueError) as error:
        image_of(Tensor(array), has_components)
    for word in words:
        assert word in str(error.value)


def test_another_device_is_refused():
    tensor = Tensor(np.zeros(3))
    ctypes.c_int32.from_address(tensor.address + 8).value = 10  # kDLROCM
    with pytest.raises(ValueError, match="device_type is 10; .*kDLCUDA"):
        array_of(tensor)
    ctypes.c_int32.from_address(tensor.address + 8).value = 2
    ctypes.c_int32.from_address(tensor.address + 12).value = 3
    assert array_of(tensor)[1] == 3
    ctypes.c_int32.from_address(tensor.address + 8).value = 1  # as NumPy made it


def test_null_is_refused():
    assert LIBRARY.cudaspline_array_of_tensor(None, arrays.Array(), c_int32()) != _library.OK
    assert b"tensor" in LIBRARY.cudaspline_last_error()
