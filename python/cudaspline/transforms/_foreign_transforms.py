"""Refuses transforms of other programs, whose numbers would be misread as ITK's, with a program that converts them: as CudaSplineResample does."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import NoReturn, Optional

_MATRIX_OF_AFNI = (
    'is a matrix of AFNI; convert it to an ITK transform, for example with nitransforms.linear.load(FILE, fmt="afni").to_filename("out.tfm", fmt="itk")'
)
_WARP_OF_AFNI = 'is a warp or an image of AFNI; convert it to an ITK displacement field, for example with nitransforms.nonlinear.load(FILE, fmt="afni")'
#: Formats by suffix.
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
