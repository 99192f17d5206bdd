"""Refuses transforms of other programs, whose numbers would be misread as ITK's, with a program that converts them: as CudaSplineResample does."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path
from typing import NoReturn, Optional

#: Intent codes of images that are not fields of displacements in mm along ITK's axes.
_FSL_INTENTS = {
    2006: "FSL_FNIRT_DISPLACEMENT_FIELD",
    2007: "FSL_CUBIC_SPLINE_COEFFICIENTS",
    2008: "FSL_DCT_COEFFICIENTS",
    2009: "FSL_QUADRATIC_SPLINE_COEFFICIENTS",
    2016: "FSL_TOPUP_CUBIC_SPLINE_COEFFICIENTS",
    2017: "FSL_TOPUP_QUADRATIC_SPLINE_COEFFICIENTS",
    2018: "FSL_TOPUP_FIELD",
}
_AFNI_EXTENSION = 4
#: Types of NIfTI: 8, 16, 32 and 64 bits, with and without a sign.
_INTEGERS = (2, 4, 8, 256, 512, 768, 1024, 1280)
_MATRIX_OF_AFNI = (
    'is a matrix of AFNI; convert it to an ITK transform, for example with nitransforms.linear.load(FILE, fmt="afni").to_filename("out.tfm", fmt="itk")'
)
_WARP_OF_AFNI = 'is a warp or an image of AFNI; convert it to an ITK displacement field, for example with nitransforms.nonlinear.load(FILE, fmt="afni")'
#: By the ending of the name.
_ENDINGS = {
    (".head", ".brik", ".brik.gz"): _WARP_OF_AFNI,
    (".1d",): _MATRIX_OF_AFNI,
    (".xfm",): "is a transform of MINC, of points with x to the right and y to the front; convert it to an ITK transform (a matrix M becomes F M F "
    "with F = diag(-1, -1, 1, 1))",
    (".lta", ".m3z"): "is a transform of FreeSurfer; convert it with FreeSurfer's lta_convert --outitk or mri_warp_convert --outitk",
}


def refuse(path: Path, name: str) -> None:
    """Raises ValueError, naming the argument, for a file of FSL, AFNI, MINC or FreeSurfer."""
    lower = path.name.lower()
    found = next((what for endings, what in _ENDINGS.items() if lower.endswith(endings)), None)
    if found is not None:
        _refuse(path, name, found)
    base = lower[: -len(".gz")] if lower.endswith(".gz") else lower
    if base.endswith((".nii", ".hdr", ".img")):
        header = path.with_name(path.name[: len(base) - 4] + ".hdr" + path.name[len(base) :]) if base.endswith(".img") else path
        found = _reason_of_nifti(_beginning_of(header))
    else:
        found = _reason_of_text(_beginning_of(path))
    if found is not None:
        _refuse(path, name, found)


def _refuse(path: Path, name: str, what: str) -> NoReturn:
    raise ValueError(f"{name}: {path} {what}.")


def _beginning_of(path: Path) -> bytes:
    """As much as headers and matrices take, decompressed; nothing of a file that cannot be read, which its reader says."""
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as stream:
            return stream.read(65536)
    except (OSError, EOFError, zlib.error):
        return b""


def _reason_of_nifti(data: bytes) -> Optional[str]:
    """By intent and extensions; offsets are those of nifti1.h and nifti2.h."""
    for order in "<>":
        if len(data) >= 352 and struct.unpack_from(f"{order}i", data)[0] in (348, 540):
            break
    else:
        return None
    length = struct.unpack_from(f"{order}i", data)[0]
    if length + 4 > len(data):
        return None
    intent = struct.unpack_from(f"{order}i", data, 504)[0] if length == 540 else struct.unpack_from(f"{order}h", data, 68)[0]
    if intent in _FSL_INTENTS:
        return (
            f"is a warp of FSL (intent code {intent}, {_FSL_INTENTS[intent]}); convert it to an ITK displacement field, for example with "
            "wb_command -convert-warpfield -from-fnirt FILE SOURCE -to-itk OUT (of coefficients after FSL's fnirtfileutils)"
        )
    if length == 348:  # SimpleITK ends the process when it reads such vectors
        components, kind = struct.unpack_from(f"{order}h", data, 50)[0], struct.unpack_from(f"{order}h", data, 70)[0]
        slope, intercept = struct.unpack_from(f"{order}2f", data, 112)
        if components > 1 and kind in _INTEGERS and slope != 0 and (slope, intercept) != (1, 0):
            return f"has vectors of integers with scl_slope {slope:g} and scl_inter {intercept:g}; store them as float, with slope 1"
    at = length + 4
    while data[length] and at + 8 <= len(data):
        size, code = struct.unpack_from(f"{order}2i", data, at)
        if size < 16 or size % 16:
            break
        if code == _AFNI_EXTENSION:
            return _WARP_OF_AFNI
        at += size
    return None


def _reason_of_text(data: bytes) -> Optional[str]:
    """By the numbers of a text that has nothing else."""
    if b"\0" in data:
        return None
    rows = [line.split(b"#", 1)[0].split() for line in data.splitlines()]
    rows = [row for row in rows if row]
    try:
        for row in rows:
            for word in row:
                float(word)
    except ValueError:
        return None
    sizes = [len(row) for row in rows]
    if sizes == [4] * 4:
        return (
            "is a matrix of 4 x 4 numbers, as FSL's FLIRT writes them, whose coordinates depend on both images; convert it to an ITK transform, for "
            "example with c3d_affine_tool -ref REFERENCE -src INPUT FILE -fsl2ras -oitk OUT.txt"
        )
    if (sizes and set(sizes) == {12}) or sizes == [4] * 3:
        return _MATRIX_OF_AFNI
    return None
