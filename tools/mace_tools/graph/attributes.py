"""Attributes of nodes as plain Python values.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterable
from typing import Any, Union

import numpy as np

Attr = Union[int, float, str, bytes, list[int], list[float]]


def clean_attrs(attrs: dict[str, Any]) -> dict[str, Attr]:
    """Attributes as plain Python values; None is dropped, bool becomes 0 or 1.

    Errors: ValueError for an integer that the model format cannot hold."""
    cleaned = {k: _clean(v) for k, v in attrs.items() if v is not None}
    for name, value in cleaned.items():
        for v in value if isinstance(value, list) else [value]:
            if isinstance(v, int) and not -(2**63) <= v < 2**63:
                raise ValueError(f"attribute {name} {v} does not fit into 64 bits")
    return cleaned


def _clean(value: Any) -> Attr:
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (str, bytes, int, float)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.reshape(-1).tolist()
    if isinstance(value, Iterable):
        return [_clean(v) for v in value]  # type: ignore[return-value, misc]
    raise TypeError(f"attribute value {value!r} is of no known kind")
