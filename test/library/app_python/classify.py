"""An outside project in Python: classifies a digit of 64 floats and prints ten probabilities.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import mace
import numpy as np


def main() -> None:
    pixels = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(1, 1, 8, 8)
    with mace.Engine(sys.argv[1]) as engine:
        print(*engine(pixels).ravel().tolist())


if __name__ == "__main__":
    main()
