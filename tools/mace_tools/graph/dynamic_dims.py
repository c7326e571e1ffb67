"""Dimensions of inputs whose extents each run chooses.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class OpenDims:
    """What is known of a graph input whose shape has None where each run chooses the extent."""

    names: tuple[str, ...]  # by dimension; dimensions of the same name are equal; "": none
    most: tuple[int, ...] | None = None  # by dimension; None: any extent
