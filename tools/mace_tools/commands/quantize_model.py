"""Quantizes the model of a deployment file as its `quantize:` says.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from mace_tools.analyze.quantize import calibration_data, warnings, weight_only
from mace_tools.analyze.quantize.layer_errors import Error
from mace_tools.analyze.quantize.post_training import Made, quantize, quantize_by_file
from mace_tools.analyze.quantize.runs import Runs
from mace_tools.analyze.quantize.weight_only import MadeStored, inputs_of, store_weights
from mace_tools.commands.context import Context
from mace_tools.config.files import sha256_of
from mace_tools.config.quantization_options import Choices
from mace_tools.config.schema import Model
from mace_tools.config.sections import Quantize
from mace_tools.convert import emit
from mace_tools.graph.extract import Arrays
from mace_tools.graph.ir import Graph
from mace_tools.run import input_data
from mace_tools.support.errors import MaceError


def choices_of(model: Model) -> Choices:
    """REQUIRES: model.quantize."""
    asked = model.quantize
    # DSPs compute nothing in float32, so that such layers would move to the CPU.
    float_ends = bool(asked.float_ends) and (
        "dsp" not in model.devices or "float_ends" in asked.model_fields_set)
    return Choices(asked.method, asked.percentile, asked.num_samples, asked.seed,
                   bool(asked.equalize), bool(asked.correct_bias), asked.float_nodes,
                   asked.accuracy_budget, float_ends)


def quantized(context: Context, model: Model, graph: Graph, mace_run: Path | None) -> Graph:
    """The model that `quantize:` asks for; mace_run is needed if it has samples. REQUIRES:
    model.quantize. Errors: MaceError of any stage."""
    if model.quantize.stored_weights is not None:
        return store(context, model, graph, mace_run).graph
    return make(context, model, graph, mace_run).graph


def store(context: Context, model: Model, graph: Graph, mace_run: Path | None) -> MadeStored:
    """mace_run is needed if there are samples. REQUIRES: model.quantize.stored_weights. Errors:
    MaceError."""
    asked = model.quantize
    _check_type(model, graph)
    emit.check_inputs(graph)  # before minutes of work
    seen: dict[str, np.ndarray] = {}
    found: list[Arrays] = []
    if asked.samples:
        assert mace_run is not None
        found = _samples(context, model, graph)
        seen = inputs_of(graph, Runs(mace_run), found)
    made = store_weights(graph, str(asked.stored_weights), asked.float_nodes, seen,
                         asked.dynamic is not None)
    if found:
        made.outputs = weight_only.measured(graph, made, Runs(mace_run), found)
        _warn(context, graph, made.outputs, made.outputs, made)
    made.graph.notes += [stored_note(made)]
    return made


def _warn(context: Context, graph: Graph, errors: Mapping[str, Error], outputs: Iterable[str],
          made: Made | MadeStored) -> None:
    """Says what the result should be doubted for."""
    fault = ""
    if isinstance(made, MadeStored) and made.weights:
        name, worst = min(made.weights.items(), key=lambda w: w[1].error.sqnr_db)
        fault = (f"; the weight with the largest error is '{name}' of {worst.nodes[0]} "
                 f"({worst.error.sqnr_db:.0f} dB): float_nodes keeps it in float32")
    made.doubts = warnings.of_outputs(graph, errors, outputs, fault)
    for doubt in made.doubts:
        context.console.warn(f"{graph.name}: {doubt}")


def stored_note(made: MadeStored) -> str:
    """What became of the weights, in a sentence."""
    kinds = Counter(w.kind for w in made.weights.values())
    parts = [f"{kinds[kind]} in {bits} bits" for kind, bits in (("i8", 8), ("i4", 4))
             if kinds[kind]]
    if made.kept:
        parts.append(f"{len(made.kept)} as the source has them")
    worst = min(made.outputs.items(), key=lambda o: o[1].similarity, default=None)
    end = "; without samples, the outputs were not compared with those of the float model"
    if worst is not None:
        end = (f"; output '{worst[0]}' has the similarity {worst[1].similarity:.6f} on the samples")
    kind = "dynamic quantization, weights" if made.is_dynamic else "weights"
    return f"{kind} stored quantized: {', '.join(parts)}{end}"


def make(context: Context, model: Model, graph: Graph, mace_run: Path | None) -> Made:
    """mace_run is needed if there are samples. REQUIRES: model.quantize. Errors: MaceError of any
    stage."""
    _check_type(model, graph)
    check_fixed(graph)
    if model.quantize.range_file is not None:
        sub = model.subgraph
        inputs = dict(input_data.ranges(model)) if "input_ranges" in sub.model_fields_set else {}
        made = quantize_by_file(graph, context.deployment.file(model.quantize.range_file), inputs,
                                choices_of(model))
        for doubt in made.doubts:
            context.console.warn(f"{graph.name}: {doubt}")
        made.graph.notes += [note(made)]
        return made
    assert mace_run is not None
    found = _samples(context, model, graph)
    made = quantize(graph, found, Runs(mace_run), choices_of(model), context.console)
    _warn(context, made.floats, made.errors, made.outputs, made)
    made.graph.notes += [note(made)]
    return made


def check_fixed(graph: Graph) -> None:
    """Errors: MaceError for what cannot compute in quantized values, before any work is done."""
    open_ends = [name for name in graph.open_dims if name not in graph.states]
    what = f"input_shapes leaves '{open_ends[0]}' open" if open_ends else (
        f"'{next(iter(graph.states))}' keeps its value from run to run" if graph.states else "")
    if what:
        raise MaceError(f"{graph.name}: quantized activations need fixed shapes and no states, and "
                        f"{what}; weights_only: int8 or int4 takes both")


def _samples(context: Context, model: Model, graph: Graph) -> list[Arrays]:
    """Errors: MaceError."""
    asked = model.quantize
    custom = sorted({node.op for node in graph.nodes if node.is_custom})
    if custom:
        raise MaceError(f"{graph.name}: mace_run does not have the custom ops "
                        f"{', '.join(custom)}, so it cannot show what flows through the model; "
                        "give output_tensors before them")
    specs = input_data.specs(emit.build(graph)[0].input_info, model)
    return calibration_data.load(sample_paths(context, asked), specs, model.extra("preprocess"),
                        choices_of(model), context.console)


def _check_type(model: Model, graph: Graph) -> None:
    if model.stored_type != "f32":
        raise MaceError(f"{graph.name}: data_type: {model.data_type} stores weights in 16 bits, "
                        "quantize: in 8; keep one of them")


def sample_paths(context: Context, asked: Quantize) -> list[Path]:
    return [context.deployment.file(name) for name in asked.samples]


def fingerprint(context: Context, asked: Quantize) -> dict[str, object]:
    """What a quantized model depends on besides its source."""
    digest = hashlib.sha256()
    for file in calibration_data.files(sample_paths(context, asked))[0] if asked.samples else ():
        digest.update(f"{file.name} {sha256_of(file)}\n".encode())
    if asked.range_file is not None:
        digest.update(sha256_of(context.deployment.file(asked.range_file)).encode())
    return {**asked.model_dump(), "contents": digest.hexdigest()}


def note(made: Made) -> str:
    """What became of the model, in a sentence."""
    count = sum(any(made.graph.tensors[o].quant is not None for o in n.outputs)
                for n in made.graph.nodes)
    worst = min(made.outputs.items(), key=lambda o: o[1].similarity, default=None)
    end = "; the outputs were not compared with those of the float model" if worst is None else (
        f"; output '{worst[0]}' has the similarity {worst[1].similarity:.6f} on the samples")
    return f"quantized: {count} nodes compute int8, {len(made.left_out)} floats{end}"
