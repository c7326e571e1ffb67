"""The process of a framework: runs a model on inputs, one after the other, and writes its outputs.

SPDX-License-Identifier: Apache-2.0
"""

import importlib
import json
import sys
from typing import Any

import numpy as np

from mace_tools.frameworks.nudge import Nudge


def main(request: dict[str, Any], folder: str) -> int:
    """`request` as frameworks.attempts makes it."""
    nudge = Nudge(**request["nudge"]) if request["nudge"] else None
    errors = []
    for j, files in enumerate(request["inputs"]):
        inputs = {name: np.load(file) for name, file in files.items()}
        try:
            module = importlib.import_module(f"mace_tools.frameworks.by_{request['platform']}")
            results = module.run(request["model"], inputs, request["outputs"], nudge=nudge,
                                 **request["more"])
        except Exception as e:  # whatever a framework raises becomes one line for the parent
            errors.append(f"{type(e).__name__}: {' '.join(str(e).split())}")
            continue
        errors.append("")
        for k, array in enumerate(results):
            np.save(f"{folder}/out{j}_{k}.npy", np.asarray(array))
    with open(f"{folder}/errors.json", "w") as file:
        json.dump(errors, file)
    return 0


if __name__ == "__main__":
    with open(sys.argv[1]) as given:
        sys.exit(main(json.load(given), sys.argv[2]))
