"""Keeps what is made of 16-bit constants in 16 bits, where they hold it exactly.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable

import numpy as np

from mace_tools.graph.ir import Tensor


def kind_of(tensors: Iterable[Tensor]) -> str:
    """The 16-bit type of the constants among these tensors: f16 or bf16; "" without or with both.
    """
    kinds = {"f16" if t.dtype == "f16" else t.stored for t in tensors if t.is_const} - {""}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if kind in ("f16", "bf16") else ""


def keep(kind: str, tensors: Iterable[Tensor]) -> None:
    """Marks those of these tensors that are float32 constants which such a type holds exactly;
    none for the kind ""."""
    for tensor in tensors:
        if tensor.data is not None and tensor.dtype == "f32" and not tensor.stored and _is_exact(
                tensor.data, kind):
            tensor.stored = kind


def _is_exact(array: np.ndarray, kind: str) -> bool:
    if not kind:
        return False
    if kind == "bf16":
        return not (np.ascontiguousarray(array).view(np.uint32) & 0xFFFF).any()
    with np.errstate(over="ignore"):
        return bool((array.astype(np.float16) == array).all())
