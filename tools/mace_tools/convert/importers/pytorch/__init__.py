"""Importer of PyTorch programs (.pt2, TorchScript): torch exports them to ONNX, which is imported.

SPDX-License-Identifier: Apache-2.0

A TorchScript model does not hold the shapes of its inputs, so it is exported when they are given:
until then, it is one node.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mace_tools.convert import exporters
from mace_tools.convert.importers import onnx
from mace_tools.convert.importers.source import SourceModel, SourceNode, ValueInfo
from mace_tools.graph.ir import Shape
from mace_tools.support.errors import ModelError
from mace_tools.support.model_format import TORCH_PROGRAM, TORCH_SCRIPT, detect

registry = onnx.registry
SCRIPT = "TorchScript"


@dataclass
class Script(SourceModel):
    """A TorchScript model that has not been exported."""

    path: Path = field(default_factory=Path)


def read(path: Path) -> SourceModel:
    """Errors: ModelError, MissingToolError (exporters.export)."""
    kind = detect(path)
    if kind not in (TORCH_PROGRAM, TORCH_SCRIPT):
        raise ModelError(f"{path}: it holds {kind.name if kind else 'no PyTorch model'}; "
                         f"{kind.cure if kind else 'give a .pt2 file of torch.export.save'}")
    folder = exporters.export("pytorch", path)
    if kind is TORCH_PROGRAM:
        return _exported(folder, path)
    ends = exporters.answer(folder)
    node = SourceNode(SCRIPT, SCRIPT, ends["inputs"], ends["outputs"])
    return Script("pytorch", path.stem, [node], {}, {n: ValueInfo() for n in ends["inputs"]},
                  ends["outputs"], data_format="NCHW", path=path)


def prepare(model: SourceModel, inputs: Mapping[str, Shape | None]) -> SourceModel:
    """Exports a TorchScript model with these shapes of its inputs."""
    if not isinstance(model, Script):
        return model
    known = {name: shape for name, shape in inputs.items() if shape is not None}
    open_ends = [n for n in model.inputs if n not in known or None in known[n]]
    if open_ends:
        raise ModelError(f"{model.path}: a TorchScript model holds no shapes: give all extents of "
                         f"its inputs ({', '.join(open_ends)}) in input_shapes")
    folder = exporters.export("pytorch", model.path, known)
    return replace(_exported(folder, model.path), custom_ops=model.custom_ops)


def _exported(folder: Path, path: Path) -> SourceModel:
    model = onnx.read(folder / "model.onnx")
    model.name = path.stem
    return model


__all__ = ["prepare", "read", "registry"]
