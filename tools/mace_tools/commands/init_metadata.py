"""What a model's metadata adds to its deployment file: `preprocess`, and `labels` with their file.

SPDX-License-Identifier: Apache-2.0
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mace_tools.config.draft import End
from mace_tools.convert.importers.tflite import metadata
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError


def known(platform: str, path: Path) -> metadata.Metadata:
    return metadata.read(path) if platform == "tflite" else metadata.Metadata()


def preprocess(known: metadata.Metadata, inputs: Sequence[End]) -> dict[str, Any]:
    """The key of this name, if the only float input that is an image has a normalization."""
    pictures = [(end, shape.shape) for end, shape in zip(known.inputs, inputs)
                if end.mean and end.std and shape.dtype == "float32"
                and shape.shape is not None and len(shape.shape) == 4]
    if len(pictures) != 1:
        return {}
    end, shape = pictures[0]
    _, height, width, channels = shape
    sizes = {len(end.mean), len(end.std)}
    if channels not in (1, 3) or not sizes <= {1, channels} or not all(
            math.isfinite(v) for v in end.mean) or not all(
            math.isfinite(v) and v != 0 for v in end.std):
        return {}
    size = {"resize": [height, width]} if height and width else {}
    return {**size, "channels": "gray" if channels == 1 else "rgb", "mean": _numbers(end.mean),
            "scale": _numbers(tuple(float(f"{1 / v:.9g}") for v in end.std))}


def labels(known: metadata.Metadata, outputs: Sequence[End]) -> bytes:
    """The lines for an output with a score for each of them (or one less: the background); else
    empty."""
    for end, output in zip(known.outputs, outputs):
        contents = known.files.get(end.labels, b"")
        lines = contents.decode("utf-8", "replace").splitlines()
        shape = output.shape
        if lines and shape and None not in shape and shape[-1] in (len(lines), len(lines) - 1) and (
                math.prod(d for d in shape if d is not None) == shape[-1]):
            return contents
    return b""


def write_labels(contents: bytes, config: Path, name: str) -> Path:
    """Writes them beside the deployment file. Errors: MaceError if another file is there."""
    path = config.with_name(f"{name}_labels.txt")
    try:
        if path.exists():
            if path.read_bytes() != contents:
                raise MaceError(f"{path} is there already, with other contents than the labels in "
                                "the model; move it, or give another --model_name")
        else:
            with atomic_files(path) as (file,):
                file.write(contents)
    except OSError as e:
        raise MaceError(f"cannot write {path}: {e.strerror or e}") from e
    return path


def say(known: metadata.Metadata, path: Path, console: Console) -> None:
    for note in known.notes:
        console.warn(f"{path}: {note}")


def _numbers(values: tuple[float, ...]) -> Any:
    return values[0] if len(set(values)) == 1 else list(values)
