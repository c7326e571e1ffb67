"""Values with mean 0 and variance 1.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np


def normalize(x, axes, epsilon):
    mean = np.mean(x, axes, keepdims=True)
    var = np.mean(np.square(x - mean), axes, keepdims=True)
    return (x - mean) / np.sqrt(var + epsilon)
