"""What `compare` and `run --validate` get from the source frameworks in tests, kept on the disk.

SPDX-License-Identifier: Apache-2.0

Starting a framework takes most of the time of such a test. Models of several files, inputs of texts
and several inputs of which some fail are computed each time.
"""

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from mace_tools import frameworks
from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.support.exit_codes import RunFailedError
from mace_tools.testing import goldens

_EXTERNAL = b"location"  # the key by which an ONNX file names files of its weights
_MODEL = "<model>"  # stands for its path in errors that are kept
Attempts = Callable[..., list[Arrays | RunFailedError]]


@functools.cache
def _sources() -> str:
    folder = Path(frameworks.__file__).parent
    texts = [file.read_bytes() for file in sorted(folder.glob("*.py"))]
    return hashlib.sha256(b"".join(texts)).hexdigest()


class _SomeFailedError(Exception):
    """Some of the inputs have no outputs."""

    def __init__(self, found: list[Arrays | RunFailedError]) -> None:
        self.found = found


def kept(attempts: Attempts) -> Attempts:
    """The same as `attempts`, which is that of frameworks."""

    def call(platform: str, model: Path, inputs: Sequence[Mapping[str, np.ndarray]],
             outputs: Sequence[str], signature: str = "", weights: Path | None = None,
             nudge: Nudge | None = None) -> list[Arrays | RunFailedError]:
        def again() -> list[Arrays | RunFailedError]:
            return attempts(platform, model, inputs, outputs, signature, weights, nudge)

        data = model.read_bytes() if model.is_file() else b""
        if (platform not in frameworks.FRAMEWORKS or not data or _EXTERNAL in data
                or any(array.dtype.hasobject for one in inputs for array in one.values())):
            return again()
        frameworks.require(platform)
        feeds = {f"{k} {name}": array for k, one in enumerate(inputs)
                 for name, array in one.items()}

        def compute() -> list[np.ndarray] | str:
            found = again()
            errors = [one for one in found if isinstance(one, RunFailedError)]
            if len(errors) == len(found) == 1:
                return str(errors[0]).replace(str(model), _MODEL)
            if errors:
                raise _SomeFailedError(found)
            return [one[name] for one in found for name in outputs]  # type: ignore[index]

        what = ("frameworks", _sources(), platform, len(inputs), tuple(outputs), signature,
                weights and hashlib.sha256(weights.read_bytes()).hexdigest(), nudge)
        try:
            flat = goldens.kept((frameworks.FRAMEWORKS[platform][2],), data, feeds, what, compute)
        except _SomeFailedError as e:
            return e.found
        if isinstance(flat, str):
            return [RunFailedError(flat.replace(_MODEL, str(model)))]
        return [dict(zip(outputs, flat[k * len(outputs):], strict=False))
                for k in range(len(inputs))]

    return call
