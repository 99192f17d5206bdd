"""The functions that the formulas of fields and losses require, for PyTorch."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import torch

from ..autodiff import _loss_formulas
from ..autodiff._array_operations import ArrayOperations
from . import _loss_operators
from ._formula_operations import TorchFormulas


class _TorchOperations(TorchFormulas):
    """cudaspline.autodiff._array_operations.ArrayOperations."""

    def correlation_sums(
        self, fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor], radius: Sequence[int]
    ) -> torch.Tensor:
        def by_formula(fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor]) -> Any:
            return _loss_formulas.correlation_sums(self, fixed, moving, mask, radius)

        return _loss_operators.correlation_sums(fixed, moving, mask, radius, by_formula)

    def of_joint_histogram(
        self,
        function: Callable[[Any, Any], Any],
        fixed: torch.Tensor,
        moving: torch.Tensor,
        mask: Optional[torch.Tensor],
        ends: torch.Tensor,
        bins: int,
        count: torch.Tensor,
    ) -> Any:
        def by_formula(fixed: torch.Tensor, moving: torch.Tensor, mask: Optional[torch.Tensor]) -> Any:
            return _loss_formulas.joint_histogram(self, fixed, moving, mask, ends, bins)

        return function(_loss_operators.joint_histogram(fixed, moving, mask, ends, bins, by_formula), count)


OPERATIONS: ArrayOperations = _TorchOperations()
