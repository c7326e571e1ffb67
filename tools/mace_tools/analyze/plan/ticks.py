"""Round numbers along an axis.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math


def addresses(top: int, most: int) -> list[int]:
    """At most `most` round addresses from 0 to top: 1, 2, 4, 8 ... of a power of 1024.

    >>> addresses(4816896, 6)
    [0, 1048576, 2097152, 3145728, 4194304]
    >>> addresses(90, 6)
    [0, 16, 32, 48, 64, 80]
    """
    step = 1
    while top // step + 1 > most:
        step *= 2
    return list(range(0, top + 1, step))


def steps(first: int, end: int, most: int) -> list[int]:
    """At most `most` round steps in [first, end): multiples of 1, 2 or 5 times a power of ten.

    >>> steps(0, 31, 8)
    [0, 5, 10, 15, 20, 25, 30]
    """
    least = max(1, end - first) / most
    power = 10 ** max(0, math.floor(math.log10(least)))
    step = next(m * power for m in (1, 2, 5, 10, 20) if m * power >= least)
    begin = -(-first // step) * step
    return list(range(begin, end, step))
