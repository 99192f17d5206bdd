"""Parts of a Transform: each can append its stages to a chain, and has an inverse."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy

from ..core import _arrays
from ..core._geometry import Geometry
from . import _inverse, _stages, _transforms


@dataclass(frozen=True, eq=False)
class LinearPart:
    """matrix (x - centre) + centre + translation."""

    #: "translation", "rigid", "similarity" or "affine".
    kind: str
    matrix: numpy.ndarray
    centre: numpy.ndarray
    translation: numpy.ndarray
    #: Parameters with which a registration continues from it, as ITK's class of the kind has them;
    #: None: it cannot.
    parameters: Optional[tuple[float, ...]] = None

    @property
    def offset(self) -> numpy.ndarray:
        """The offset at x = 0, rounded as in itk::MatrixOffsetTransformBase and
        itk::TranslationTransform."""
        if self.kind == "translation":
            return self.translation
        offset: numpy.ndarray = self.translation + self.centre
        for column in range(len(offset)):
            offset = offset - self.matrix[:, column] * self.centre[column]
        return offset

    def append_to(self, stages: _stages.Stages, name: str, device: int) -> None:
        """Appends it to a chain."""
        stages.add_affine(self.matrix, self.offset, name)

    def inverse(self) -> LinearPart:
        """Its inverse, about the same centre."""
        _inverse.check_matrix(self.matrix, "transform")
        inverse = numpy.linalg.inv(self.matrix)
        return LinearPart(self.kind, inverse, self.centre, -inverse @ self.translation)


@dataclass(frozen=True, eq=False)
class FieldPart:
    """x + forward(x), with its inverse."""

    forward: _arrays.Buffer
    #: None: found by iteration, where it is asked for.
    backward: Optional[_arrays.Buffer]
    geometry: Geometry

    @functools.cached_property
    def _host(self) -> numpy.ndarray:
        return _arrays.to_host(self.forward)

    def append_to(self, stages: _stages.Stages, name: str, device: int) -> None:
        """Appends it to a chain; displacements of another place are copied to the host."""
        is_there = self.forward.device in (-1, device)
        stages.add_field(
            self.forward.array if is_there else self._host,
            self.geometry,
            False,
            False,
            name,
            device,
        )
        stages.keep(self)

    def inverse(self) -> Any:
        """Its inverse."""
        if self.backward is None:
            return InversePart(self)
        return FieldPart(self.backward, self.forward, self.geometry)

    def __reduce__(self) -> Any:
        backward = None if self.backward is None else _arrays.to_host(self.backward)
        return _field_of_host, (self._host, backward, self.geometry)


def _field_of_host(
    forward: numpy.ndarray, backward: Optional[numpy.ndarray], geometry: Geometry
) -> FieldPart:
    return FieldPart(
        _arrays.view(forward, "transform"),
        None if backward is None else _arrays.view(backward, "transform"),
        geometry,
    )


@dataclass(frozen=True, eq=False)
class GivenPart:
    """A transform of the caller, of any kind."""

    transform: Any

    def append_to(self, stages: _stages.Stages, name: str, device: int) -> None:
        """Appends it to a chain."""
        _transforms.append(self.transform, stages, device, name)

    def inverse(self) -> Any:
        """Its inverse."""
        return InversePart(self)


@dataclass(frozen=True, eq=False)
class InversePart:
    """The inverse of a part, by iteration if it is not a matrix."""

    part: Any

    def append_to(self, stages: _stages.Stages, name: str, device: int) -> None:
        """Appends it to a chain."""
        _transforms.append((self.part, "inverse"), stages, device, name)

    def inverse(self) -> Any:
        """The part whose inverse it is."""
        return self.part


Part = Union[LinearPart, FieldPart, GivenPart, InversePart]
