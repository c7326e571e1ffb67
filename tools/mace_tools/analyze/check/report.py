"""Everything that `check MODEL` says, as one structure: that of --json.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from mace_tools.analyze.check import engine, source
from mace_tools.config.problems import did_you_mean
from mace_tools.convert import emit, importers
from mace_tools.convert.importers import custom
from mace_tools.convert.importers.request import check_request, input_shapes, needed_inputs
from mace_tools.convert.importers.source import SourceModel, cut
from mace_tools.graph.ir import Shape
from mace_tools.graph.model_quantization import is_quantized
from mace_tools.support import protos
from mace_tools.support.errors import MaceError, ModelError
from mace_tools.support.exit_codes import ExitCode

VERSION = 1  # of the structure: raised when a field goes or changes its meaning
CONVERTED = "mace"  # stands for the platform of a model that MACE has converted


@dataclass
class Checked:
    """A model, its report, and the converted graph, as far as there is one."""

    path: Path
    platform: str
    report: dict[str, Any]
    net: Any = None  # the NetDef
    weights: list[Any] = field(default_factory=list)
    data: Path | None = None  # of a converted model
    memory: str = ""  # what mace_run says of it, as JSON
    engine_failed: bool = False  # mace_run refused the converted graph

    @property
    def exit_code(self) -> ExitCode:
        if self.report["refused"]:
            return ExitCode.UNSUPPORTED_OPS
        return ExitCode.RUN_FAILED if self.engine_failed else ExitCode.OK


def check_source(
    path: Path, platform: str, model: SourceModel, shapes: Mapping[str, Shape],
    custom_ops: tuple[str, ...], outputs: tuple[str, ...] = (),
) -> Checked:
    """A model of a source framework, up to `outputs` if any are given. A name among `shapes` that
    is none of the model's inputs is an inner tensor at which to begin.

    Errors: MaceError for a model that is at fault itself, and for names that it does not have."""
    model = importers.prepared(platform, model, shapes)
    if not model.outputs:
        raise ModelError(f"'{path}' has no outputs: each of its {len(model.nodes)} nodes is read "
                         "by another")
    model = _between(model, shapes, outputs)
    _check_custom_ops(platform, model, custom_ops)
    model = replace(model, custom_ops=custom_ops)
    wanted = input_shapes(model, shapes)
    done = source.convert(platform, model, wanted)
    report = {**_head(path, platform), "source": source.report(model, done),
              "inputs": source.ends(model, path, platform, wanted),
              "outputs": [{"name": name} for name in model.outputs],
              "refused": [{"op": r.op, "nodes": r.nodes, "reason": r.reason or
                           "no importer knows this operator", "cure": r.help}
                          for r in done.refused]}
    checked = Checked(path, platform, report)
    for name, shape in wanted.items():
        if name not in shapes and shape != model.inputs[name].shape:
            report["notes"].append(f"the file leaves the first extent of '{name}' open, which is "
                                   "taken as a batch of 1; --input_shape sets another")
    if done.refused and any(end["open"] for end in report["inputs"]):
        report["notes"].append("some shapes are open; with --input_shape more nodes may convert")
    if model.unusable:
        report["notes"].append(f"parameters are counted without {len(model.unusable)} tensors of "
                               "types that the engine does not have")
    total = report["source"]["nodes"]
    report["converts"] = {"all": done.is_whole, "nodes": total - len(done.refused_nodes),
                          "of": total, "part": _part(done)}
    if done.graph is not None:
        report["notes"] += done.graph.notes
        if not done.part:
            _describe(report["outputs"], done.graph)
        if not any(end["open"] for end in report["inputs"]):
            done.graph.name = path.stem
            checked.net, checked.weights = emit.build(done.graph)
            report["graph"] = engine.graph_properties(checked.net)
    return checked


def _between(
    model: SourceModel, shapes: Mapping[str, Shape], outputs: tuple[str, ...]
) -> SourceModel:
    """The part of the model that is asked for."""
    ends = outputs or tuple(model.outputs)
    others = needed_inputs(model, ends, shapes)
    starts = {**{name: None for name in others}, **shapes}
    check_request(model, starts, ends)
    return cut(model, {name: None for name in starts}, ends)


def _check_custom_ops(platform: str, model: SourceModel, names: tuple[str, ...]) -> None:
    known = set(importers.supported(platform))
    ops = {custom.name_of(node.op) for node in model.nodes}
    for name in names:
        if name in known:
            raise MaceError(f"--allow_custom_ops={name}: the converter knows this operator and "
                            "converts it; only others can be custom")
        if name != custom.ALL and name not in ops:
            raise MaceError(f"--allow_custom_ops={name}: the model has no such operator"
                            f"{did_you_mean(name, sorted(ops - known))}")


def _part(done: source.Conversion) -> dict[str, Any] | None:
    if not done.part:
        return None
    return {"output_tensors": list(done.part), "nodes": done.part_nodes}


def _describe(outputs: list[dict[str, Any]], graph: Any) -> None:
    for end, name in zip(outputs, graph.outputs):
        tensor = graph.tensors[name]
        end |= {"dtype": source.TYPES.get(tensor.dtype, tensor.dtype),
                "data_format": tensor.data_format,
                "shape": None if tensor.shape is None else list(tensor.shape)}


def check_converted(path: Path) -> Checked:
    """A .pb that MACE wrote. Errors: ModelError if it is damaged."""
    try:
        net = protos.mace().NetDef.FromString(path.read_bytes())
    except DecodeError as e:
        raise ModelError(f"{path} is damaged; convert the model again") from e
    report = {**_head(path, CONVERTED), "source": None, "inputs": _infos(net.input_info),
              "outputs": _infos(net.output_info), "refused": [],
              "graph": engine.graph_properties(net),
              "converts": {"all": True, "nodes": len(net.op), "of": len(net.op), "part": None}}
    data = path.with_suffix(".data")
    if not data.is_file():
        report["notes"].append(f"{data} is not there: devices and memory need the weights, too")
    return Checked(path, CONVERTED, report, net, data=data if data.is_file() else None)


def _head(path: Path, platform: str) -> dict[str, Any]:
    return {"version": VERSION, "model": str(path), "platform": platform, "notes": [],
            "graph": None, "plan": None, "library": None}


def _infos(infos: Any) -> list[dict[str, Any]]:
    formats = {getattr(protos.mace(), f"DF_{name}"): name for name in ("NHWC", "NCHW", "NONE")}
    return [{"name": i.name, "dtype": engine.type_name(i.data_type), "shape": list(i.dims),
             "data_format": formats[i.data_format], "open": False} for i in infos]


@contextlib.contextmanager
def files(checked: Checked) -> Iterator[tuple[Path, Path] | None]:
    """The .pb and the .data of the converted graph, for mace_run; None if there are none."""
    if checked.data is not None:
        yield checked.path, checked.data
    elif checked.platform == CONVERTED or checked.net is None:
        yield None
    else:
        with tempfile.TemporaryDirectory(prefix="mace_check.") as folder:
            pb, data = Path(folder) / "model.pb", Path(folder) / "model.data"
            emit.write_built(checked.net, checked.weights, pb, data)
            yield pb, data


def library(checked: Checked, gpu: bool) -> dict[str, Any] | None:
    """The ops that a library for this model holds; the caller adds its size."""
    if checked.report["graph"] is None:
        return None
    graph = checked.report["graph"]
    return {"ops": sorted(set(graph["ops"]) - set(graph["custom_ops"])), "gpu": gpu,
            "quantized": checked.net is not None and is_quantized(checked.net)}
