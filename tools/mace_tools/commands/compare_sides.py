"""The two sides of a comparison: the engine with its settings, and what it is compared with.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools import frameworks
from mace_tools.analyze import validate
from mace_tools.analyze.compare.engine import Engine
from mace_tools.analyze.compare.layers import Limits, Study
from mace_tools.analyze.compare.reference import Reference, of_source, wanted
from mace_tools.commands import prepare, source_run, validation
from mace_tools.commands.context import Context
from mace_tools.commands.import_model import import_model, read_source, source_file, weights_file
from mace_tools.commands.source_values import op_names
from mace_tools.config.names import DATA_TYPES
from mace_tools.config.schema import Model
from mace_tools.convert import emit
from mace_tools.convert.importers.declared_states import zeros
from mace_tools.convert.importers.fixed_inputs import arrays
from mace_tools.convert.importers.source import SourceModel
from mace_tools.frameworks.nudge import Nudge
from mace_tools.graph.extract import Arrays, cut
from mace_tools.graph.ir import Graph
from mace_tools.graph.permute import inverse
from mace_tools.run import input_data, runner
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import RunFailedError, UsageError


@dataclass(frozen=True)
class Comparable:
    """Both sides, ready. `exact`: the CPU in float32, if the engine is another."""

    heading: str
    study: Study
    exact: Engine | None


def of_model(context: Context, tag: str, model: Model) -> Iterator[Comparable]:
    """The comparisons that the command line asks for, one after the other.

    Errors: MaceError of any stage."""
    args = context.args
    if args.devices and "gpu" in args.devices and args.device:
        raise UsageError("--devices names both devices; leave out --device")
    prepare.check_runtime(context, tag, model)
    files = prepare.input_files(context, tag, model)
    source = source_file(context, tag, model)
    graph = converted(context, tag, model, source)
    net = emit.build(graph)[0]
    specs = input_data.specs(net.input_info, model)
    inputs = input_data.load(files, specs, model.extra("preprocess"), args.seed, context.console,
                       args.allow_nan)
    mace_run = runner.find(context.console, args.mace_run)
    exact = _engine(context, mace_run, _as(model, "cpu", "fp32"), "cpu")
    framework = None
    if args.devices or args.data_types:
        first, second = _own_sides(context, tag, model, mace_run)
        reference = _of_engine(graph, inputs, first)
        pairs = [(f"{_words(second)} against {reference.name}", second, reference)]
    else:
        framework = _Framework(context, model, source, graph, inputs)
        reference = framework.reference()
        devices = prepare.devices(context, tag, model)
        pairs = [(f"{device.upper()} against {reference.name}",
                  _engine(context, mace_run, model, device), reference) for device in devices]
    in_floats = ""
    if model.quantize is not None:
        in_floats = ", in float32"
        context.console.warn(
            f"{tag}: this compares the model in float32, as it is before `quantize:`; "
            f"`converter.py quantize` shows the quantization error of each layer, and `run "
            f"--validate` each output")
    for heading, engine, right in pairs:
        _check_gpu(engine, graph, inputs)
        is_exact = engine.device == "cpu" and engine.stored == "f32"
        study = Study(graph, inputs, engine, right, _limits(model, graph, net, engine, framework))
        if framework is not None:
            small = [o for o in graph.outputs if not validation.is_bounded(net, o)]
            study = replace(study, rounds=model.platform != "tflite", small=frozenset(small),
                            changed=functools.partial(framework.changed, study.limits.whole.nudge))
        yield Comparable(f"{heading}{in_floats}", study, None if is_exact else exact)


def _limits(model: Model, graph: Graph, net: Any, engine: Engine, framework: _Framework | None
            ) -> Limits:
    half = engine.stored != "f32" or (model.platform not in validation.FLOAT32_ONLY
                                      and _has_fp16(graph))
    if framework is None:
        kind = "half" if half and engine.device == "cpu" else ""
        whole = validate.limits(engine.device, model.validation_threshold, kind)
    else:
        whole = validation.limits_of(model.model_copy(update={"quantize": None}), net,
                                     engine.device, op_names(framework.read))
    return Limits.of(whole, engine.device, half)


def converted(context: Context, tag: str, model: Model, source: Path) -> Graph:
    """The graph as `convert` writes it, under its own names also if the file asks for others."""
    weights = weights_file(context, model, source)
    graph = import_model(context, tag, model, source, weights, lambda: None)
    custom = sorted({node.op for node in graph.nodes if node.is_custom})
    if custom:
        raise MaceError(f"{tag}: mace_run does not have the custom ops {', '.join(custom)}, which "
                        "the app registers (docs/custom_ops.md): give output_tensors before them")
    for note in graph.notes:
        context.console.warn(f"{tag}: {note}")
    return graph


def _as(model: Model, runtime: str, data_type: str | None) -> Model:
    return model.model_copy(update={"runtime": runtime, "data_type": data_type})


def _engine(context: Context, mace_run: Path, model: Model, device: str) -> Engine:
    return Engine(mace_run, device, prepare.device_flags(context, model, device), model.settings,
                  model.stored_type)


def _own_sides(context: Context, tag: str, model: Model, mace_run: Path
               ) -> tuple[Engine, Engine]:
    args = context.args
    if args.devices:
        chosen = model.data_type if model.data_type in DATA_TYPES["cpu+gpu"] else None
        both = _as(model, "cpu+gpu", chosen)
        return tuple(_engine(context, mace_run, both, d) for d in args.devices)  # type: ignore
    device = args.device or model.devices[0]
    for kind in args.data_types:
        if kind not in DATA_TYPES[device]:
            raise UsageError(f"--data_types: {kind} is no data_type of runtime: {device}; those "
                             f"are {', '.join(DATA_TYPES[device])}")
    return tuple(_engine(context, mace_run, _as(model, device, kind), device)  # type: ignore
                 for kind in args.data_types)


def _words(engine: Engine) -> str:
    kind = engine.settings.get("gpu_data_type") if engine.device == "gpu" else {
        "f16": "fp16 weights", "bf16": "bf16 weights"}.get(engine.stored, "float32")
    return f"{engine.device.upper()} ({kind})"


def _of_engine(graph: Graph, inputs: Arrays, engine: Engine) -> Reference:
    _check_gpu(engine, graph, inputs)
    tensors = [o for node in graph.nodes for o in node.outputs]
    result = engine.run([cut(graph, inputs, tensors)])[0]
    if result.error:
        raise RunFailedError(f"mace_run cannot run the model: {result.error}")
    return Reference(f"MACE on {_words(engine)}", {**result.outputs, **inputs})


class _Framework:
    """The source model in its framework."""

    def __init__(self, context: Context, model: Model, source: Path, graph: Graph, inputs: Arrays
                 ) -> None:
        self._context, self._model, self._source, self._graph = context, model, source, graph
        self._weights = weights_file(context, model, source)
        self.read = read_source(model, source, self._weights)
        self._feeds = arrays(self.read, model.subgraph.input_values or {})
        self._feeds |= zeros(self.read, model.subgraph.states or {})
        for tensor, array in inputs.items():
            origin, order = graph.origins[tensor]
            self._feeds[origin] = np.ascontiguousarray(array.transpose(inverse(order))).reshape(
                tuple(array.shape[k] for k in inverse(order)))
        self._ends = [graph.origins[o][0] for o in graph.outputs if o in graph.origins]
        self._changed: dict[str, Arrays | None] = {}

    def reference(self) -> Reference:
        """Errors: MaceError of the framework."""
        name, known = frameworks.title(self._model.platform), set(self.read.producers())
        asked = [t for t in wanted(self._graph) if t in known]
        console = self._context.console
        console.info(f"running {self._source.name} in {name}, with {len(asked)} tensors")
        try:
            (found,) = self._run([self._feeds], asked)
        except RunFailedError as e:
            console.warn(f"inner tensors are not compared: {e}")
            (found,) = self._run([self._feeds], self._ends)
        return self._of(found)

    def changed(self, kind: str) -> Arrays | None:
        """The outputs with weights and inputs changed by the least of this kind."""
        if kind not in self._changed:
            self._changed[kind] = None
            for min_dims in (0, 2):  # scalars may decide shapes
                nudge = Nudge(kind, 1, min_dims)
                feeds = {n: nudge.of(a, 1000 + k) for k, (n, a) in enumerate(self._feeds.items())}
                try:
                    (found,) = self._run([feeds], self._ends, nudge)
                except RunFailedError:
                    continue
                self._changed[kind] = self._of(found).values
                break
        return self._changed[kind]

    def _run(self, feeds: Sequence[Arrays], names: Sequence[str], nudge: Nudge | None = None
             ) -> list[Arrays]:
        found = source_run.attempts(self._model, self._source, self._weights, self.read, feeds,
                                    names, nudge)
        for one in found:
            if isinstance(one, RunFailedError):
                raise one
        return found

    def _of(self, found: Arrays) -> Reference:
        name = frameworks.title(self._model.platform)
        return of_source(self._graph, _read_part(self.read, self._feeds), name, found)


def _read_part(read: SourceModel, feeds: Mapping[str, np.ndarray]) -> SourceModel:
    """Without the nodes that compute what is given."""
    return replace(read, nodes=[n for n in read.nodes if not set(n.outputs) & set(feeds)])


def _check_gpu(engine: Engine, graph: Graph, inputs: Arrays) -> None:
    """Errors: MaceError if nothing would run on the GPU, so that the CPU would be compared."""
    if engine.device != "gpu":
        return
    result = engine.run([cut(graph, inputs, graph.outputs)])[0]
    if result.error:
        raise RunFailedError(f"mace_run cannot run the model on the GPU: {result.error}")
    if result.kernels == 0:
        missing = next((line for line in result.log.splitlines() if "no GPU" in line), "")
        raise MaceError("nothing ran on the GPU, so this would compare the CPU: " + (
            missing.partition("over: ")[2] or "its kernels do not pay for this model, or lack what "
            "it needs; `tools/converter.py check --device=gpu` says why"))


def _has_fp16(graph: Graph) -> bool:
    """Whether the source model has weights, inputs or outputs in fp16, and thus its errors."""
    ends = [graph.tensors[n].dtype for n in (*graph.inputs, *graph.outputs)]
    return "f16" in ends or any(t.stored in ("f16", "bf16") for t in graph.tensors.values())
