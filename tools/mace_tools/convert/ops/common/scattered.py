"""Updates at indices, in NumPy.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

_SCATTERS = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum}


def scattered(data, index, updates, reduction):
    """A copy of data, in which updates replace what an index selects, or are combined with it."""
    out = data.copy()
    if reduction == "NONE":
        out[index] = updates
    else:
        _SCATTERS[reduction].at(out, index, updates)
    return out
