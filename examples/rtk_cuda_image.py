#!/usr/bin/env python3
"""Images of RTK in and out: an itk.CudaImage is warped in the memory of the GPU, and the result is one again.

usage: rtk_cuda_image.py

Needs the package of ITKCudaCommon (itk-cudacommon-cuda130; itk-rtk-cuda130 has it too), CuPy and a GPU.
"""

import sys

try:
    import cupy
    import itk

    cupy.cuda.runtime.getDeviceCount()
    IMAGE = itk.CudaImage[itk.F, 3]
except Exception as error:  # pylint: disable=broad-except
    print(f"rtk_cuda_image.py: Skipped\nThere is no itk.CudaImage, no CuPy, or no GPU: {error}")
    sys.exit(77)

import cudaspline


def volume():
    """A projection or a volume, as a filter of RTK returns it: a ramp along x."""
    image = IMAGE.New()
    image.SetRegions([64, 48, 32])
    image.SetSpacing([1.5, 1.5, 2.0])
    image.Allocate()
    cupy.asarray(image)[...] = cupy.arange(64, dtype="float32")
    return image


def main():
    image = volume()
    shift = cupy.zeros((32, 48, 64, 3), "float32")  # a field on the grid of the image, in mm
    shift[..., 0] = 3.0

    # [rtk]
    pixels = cupy.asarray(image)  # the memory of the itk.CudaImage
    spacing = tuple(image.GetSpacing())
    field = cudaspline.DisplacementField(shift, spacing=spacing)
    warped = cudaspline.resample(cudaspline.Image(pixels, spacing=spacing), field).array
    cupy.cuda.get_current_stream().synchronize()  # RTK works in the default stream
    result = itk.cuda_image_from_cuda_array(warped)  # shares memory: keep "warped", too
    result.CopyInformation(image)
    # [rtk]

    assert isinstance(warped, cupy.ndarray)
    shared = result.GetCudaDataManager().GetGPUBufferPointer()
    assert int(shared) == warped.data.ptr, "the result was copied"
    value = float(warped[16, 24, 20])
    print(f"{cudaspline.last_report()}: {value} at x = 30 mm, expected 22.0")
    assert abs(value - 22.0) < 1e-3


if __name__ == "__main__":
    main()
