"""The process of a framework: runs a model and writes its outputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np


def main(request: dict[str, Any], folder: str) -> int:
    """`request` as frameworks.run makes it."""
    inputs = {name: np.load(file) for name, file in request["inputs"].items()}
    try:
        module = importlib.import_module(f"mace_tools.frameworks.by_{request['platform']}")
        results = module.run(request["model"], inputs, request["outputs"], **request["more"])
    except Exception as e:  # whatever a framework raises becomes one line for the parent
        print(f"{type(e).__name__}: {' '.join(str(e).split())}", file=sys.stderr)
        return 1
    for k, array in enumerate(results):
        np.save(f"{folder}/out{k}.npy", np.asarray(array))
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2]))
