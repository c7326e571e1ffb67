"""States: tensors that an engine keeps from run to run.

SPDX-License-Identifier: Apache-2.0

To passes they are the last inputs of a graph, and their next values its last outputs, in the same
order. Those who run a model see neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass
class State:
    """What becomes of a tensor of Graph.states."""

    next: str  # the output that becomes its value for the next run
    initial: np.ndarray | None = None  # its first value; None: zeros


@dataclass(frozen=True)
class Pair:
    """What a deployment file says about a state: the output that becomes its value for the next
    run, and its shape where the model does not state it. None is an extent that grows from run to
    run, up to that of `most`; of None, to any."""

    next: str
    shape: tuple[int | None, ...] | None = None
    most: tuple[int, ...] | None = None
