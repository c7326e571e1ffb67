#!/usr/bin/env python3
"""Draws an image of a digit in the terminal and prints what `converter.py run --json` found in it.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

SHADES = " .:-=+*#%@"


def drawing(picture: Path) -> str:
    """The image in characters, two columns a pixel; more ink is a darker character."""
    pixels = np.asarray(Image.open(picture).convert("L"))
    return "\n".join("".join(SHADES[int(p) * len(SHADES) // 256] * 2 for p in row)
                     for row in pixels)


def best(result: Path) -> tuple[str, float]:
    """The first label and its probability."""
    (model,) = json.loads(result.read_text())["models"].values()
    ((row,),) = model["top"].values()
    return row[0]["label"], row[0]["score"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path)
    parser.add_argument("result", type=Path, help="what `converter.py run --json` wrote")
    parser.add_argument("--expected", required=True, help="the digit that was drawn")
    args = parser.parse_args()
    label, probability = best(args.result)
    print(drawing(args.picture))
    print(f"answer: {label}  probability: {probability:.4f}  expected: {args.expected}")
    return 0 if label == args.expected else 1


if __name__ == "__main__":
    sys.exit(main())
