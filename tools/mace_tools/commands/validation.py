"""run --validate: the outputs of a device against those of the source framework.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.analyze import equal_scores, matched_rows, validate
from mace_tools.analyze.validate import NOISE, Comparison, Limits, Verdict
from mace_tools.commands.context import Context
from mace_tools.commands.prepare import Prepared
from mace_tools.commands.source_values import SourceValues, by_name, op_names
from mace_tools.config.schema import Model
from mace_tools.frameworks import Arrays
from mace_tools.graph.model_quantization import is_quantized, stands_for
from mace_tools.run import input_data, runner
from mace_tools.support import protos
from mace_tools.support.console import boxed
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import RunFailedError

# Functions with values up to 1 or those of their operand, which frameworks compute with an error
# that does not become smaller where the result does.
_BOUNDED_ACTIVATIONS = {b"SIGMOID", b"TANH", b"SWISH", b"GELU", b"GELU_TANH", b"SOFTPLUS", b"ELU",
                        b"SELU"}
_BOUNDED_UNARY = {b"ERF", b"ERFC", b"SIN", b"COS"}
_BOUNDED_OPS = {"Softmax", "Lstm", "Gru", "Rnn", "Attention"}
_MOVING_OPS = {"Cast", "Concat", "ExpandDims", "Flatten", "Gather", "Identity", "Reshape", "Slice",
               "Split", "Squeeze", "Stack", "StridedSlice", "Transpose", "Unstack"}
# Frameworks that compute with weights of fp16 in float32, as the engine does.
FLOAT32_ONLY = ("tflite", "caffe")
# Operators of ONNX that choose the scale of an activation in each run.
_DYNAMIC_OPS = {"DynamicQuantizeLinear", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM"}


@dataclass(frozen=True)
class _Runs:
    """Of the trials in which the framework has outputs: ours, the framework's, and its outputs with
    changed weights, once they are needed."""

    ours: list[Arrays]
    right: list[Arrays]
    used: list[int]  # numbers of the trials

    def pairs(self, name: str, quant: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(stands_for(a, quant), stands_for(r, quant))
                for a, r in zip(by_name(self.ours, name), by_name(self.right, name))]


def validate_run(context: Context, ready: Prepared, device: str, outputs: Arrays,
                 source: SourceValues) -> dict[str, Any]:
    """Prints the figures of each output and the verdict. `outputs`: of the first trial."""
    net = ready.converted.net
    limits = limits_of(ready.model, net, device, op_names(source.read))
    runs, failures = _runs(context, ready, device, outputs, source)
    if not limits.is_given:
        _settle_equal_scores(context, runs, source, limits.error)
    results = []
    for info in net.output_info:
        found, verdict = _judged(net, info, limits, runs, source)
        failures += [f"output '{info.name}': {verdict.failure}"] if verdict.failure else []
        results.append({**found.report(), "passed": not verdict.failure, "judged_by": verdict.how})
        context.console.data(found.lines(ready.model.platform))
        context.console.data(f"  judged by {verdict.how}")
    passed = not failures
    words = ", ".join(source.trials[k].words for k in runs.used)
    context.console.data(f"compared on {len(runs.used)} inputs: {words}"
                         if len(runs.used) > 1 else f"compared on {words}")
    text = "Similarity Test Passed" if passed else "Similarity Test Failed"
    context.console.data(boxed(text), "green" if passed else "red")
    for failure in failures:
        context.console.error(f"{ready.tag}: {failure}")
    return {"passed": passed, "min_similarity": limits.similarity, "max_rel_error": limits.error,
            "inputs": [source.trials[k].words for k in runs.used], "outputs": results}


def _runs(context: Context, ready: Prepared, device: str, outputs: Arrays, source: SourceValues
          ) -> tuple[_Runs, list[str]]:
    """Second: inputs that the framework runs and the engine does not."""
    runs, failures = _Runs([], [], []), []
    for k, expected in enumerate(source.expected()):
        words = source.trials[k].words
        if isinstance(expected, RunFailedError):
            context.console.warn(f"{ready.tag}: {words} is not compared: {expected}")
            continue
        if all(a.size and not _finite(a) for a in expected.values()):
            context.console.warn(f"{ready.tag}: with {words} the source framework gives only NaN "
                                 "and infinity")
        try:
            ours = outputs if k == 0 else _outputs(ready, device, source.trials[k].inputs)
        except RunFailedError as e:
            failures.append(f"{words}: the source framework runs it, but {e}")
            continue
        limits = limits_of(ready.model, ready.converted.net, device, op_names(source.read))
        runs.ours.append({**ours, **matched_rows.in_order(ours, expected, limits.error)})
        runs.right.append(expected)
        runs.used.append(k)
    if not runs.used:
        raise MaceError(f"{ready.tag}: there is nothing to compare: {'; '.join(failures)}")
    return runs, failures


def _settle_equal_scores(context: Context, runs: _Runs, source: SourceValues, error: float
                         ) -> None:
    """Takes the source's indices where an element of almost the same score was chosen."""
    for name, choice in equal_scores.choices(source.read, list(runs.right[0])).items():
        pairs = zip(by_name(runs.ours, name), by_name(runs.right, name))
        if all(np.array_equal(ours, right) for ours, right in pairs):
            continue
        scores, settled = source.inner(choice.scores), 0
        for k, ours, right in zip(runs.used, runs.ours, runs.right):
            if scores[k] is not None:
                ours[name], count = equal_scores.settled(ours[name], right[name], scores[k],
                                                         choice.axis, error)
                settled += count
        if settled:
            context.console.data(f"{name}: {settled} indices differ where the source's scores are "
                                 f"equal within {error:g} of the largest, which is no error")


def _outputs(ready: Prepared, device: str, inputs: Arrays) -> Arrays:
    """The engine's outputs for other inputs. Errors: RunFailedError."""
    with tempfile.TemporaryDirectory(prefix="mace_validate.") as name:
        folder = Path(name)
        flags = [f for f in ready.flags[device] if not f.startswith("--input=")]
        for k, (tensor, array) in enumerate(inputs.items()):
            input_data.save(folder / f"in{k}.npy", array)
            flags.append(f"--input={tensor}={folder / f'in{k}.npy'}")
        runner.output(ready.mace_run, [*flags, f"--output_dir={folder / 'out'}", "--warmup=0",
                                       "--round=1"])
        names = [info.name for info in ready.converted.net.output_info]
        return {name: np.load(folder / "out" / file)
                for name, file in runner.files_of(names).items()}


def _judged(net: Any, info: Any, limits: Limits, runs: _Runs, source: SourceValues
            ) -> tuple[Comparison, Verdict]:
    name, quant = info.name, info.quantization
    is_float = info.data_type in (protos.mace().DT_FLOAT, protos.mace().DT_HALF)
    noise = 0.0 if is_float and not is_bounded(net, name) else NOISE
    if quant.scales:
        noise = max(quant.scales) * 1.001  # a step
    found = validate.compare_all(name, runs.pairs(name, quant), noise)

    def changed() -> Comparison | None:
        others = source.changed(limits.nudge)
        if others is None:
            return None
        used = [others[k] for k in runs.used]
        moved = [{**o, **matched_rows.in_order(o, r, limits.error)}
                 for o, r in zip(used, runs.right)]
        return validate.compare_all(name, replace(runs, ours=moved).pairs(name, quant))

    if found.problem == validate.NOTHING:
        found = replace(found, problem=f"{found.problem}; give the model inputs that it is made "
                                       "for, by --input or input_ranges")
    return found, validate.judge(found, limits, changed)


def limits_of(model: Model, net: Any, device: str, source_ops: set[str]) -> Limits:
    """The limits for a converted model on a device."""
    found = validate.limits(device, model.validation_threshold,
                            _kind(model, net, device, source_ops))
    if model.quantize is not None and model.quantize.stored_weights == "int4":
        return replace(found, nudge="i4")
    if found.nudge == "f16" and model.stored_type == "bf16":
        return replace(found, nudge="bf16")
    return found


def _kind(model: Model, net: Any, device: str, source_ops: set[str]) -> str:
    if model.quantize is not None or device == "gpu" and _is_quantized(net):
        return "quantized"
    if device != "cpu":
        return ""
    if _computes_quantized(net):
        return "integers" if model.platform == "tflite" else "steps"
    if model.stored_type != "f32" or model.platform not in FLOAT32_ONLY and _has_fp16(net):
        return "half"
    return "dynamic" if _is_dynamic(model.platform, net, source_ops) else ""


def is_bounded(net: Any, output: str) -> bool:
    """Whether an output is that of a function whose error does not become smaller with its result,
    moved at most."""
    makers = {name: op for op in net.op for name in op.output}
    stack, seen = [output], set()
    while stack:
        op = makers.get(stack.pop())
        if op is None or id(op) in seen:
            continue
        seen.add(id(op))
        texts = {a.name: a.s for a in op.arg}
        if (op.type in _BOUNDED_OPS or texts.get("activation") in _BOUNDED_ACTIVATIONS
                or op.type == "Unary" and texts.get("type") in _BOUNDED_UNARY):
            return True
        if op.type in _MOVING_OPS:
            stack += op.input
    return False


def _finite(array: np.ndarray) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).any())


def _has_fp16(net: Any) -> bool:
    """Whether the source model has weights, inputs or outputs in fp16, and thus its errors."""
    half = protos.mace().DT_HALF
    ends = [i.data_type for i in (*net.input_info, *net.output_info)]
    return half in ends or any(t.stored_type == half for t in net.tensors)


def _is_quantized(net: Any) -> bool:
    """Whether the source model is quantized, and this one computes in float32 with its weights."""
    int8_types = (protos.mace().DT_INT8, protos.mace().DT_UINT8)
    return any(i.quantization.scales for i in (*net.input_info, *net.output_info)) or any(
        t.stored_type in int8_types for t in net.tensors)


def _is_dynamic(platform: str, net: Any, source_ops: set[str]) -> bool:
    """Whether the source model quantizes activations in each run, and the engine computes in
    float32."""
    if platform == "onnx":
        return bool(source_ops & _DYNAMIC_OPS)
    return platform in ("tflite", "tensorflow") and is_quantized(net)


def _computes_quantized(net: Any) -> bool:
    return any(q.scales for op in net.op for q in op.output_quantization)

