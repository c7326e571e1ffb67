"""stream: causal networks over sequences become ones that take new frames.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.import_model import import_model, source_file, weights_file
from mace_tools.config.problems import did_you_mean
from mace_tools.config.schema import Model
from mace_tools.convert.emit import write_model
from mace_tools.convert.streaming import Proof, Stream, check, stream
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.graph.run_io import own_inputs
from mace_tools.run import runner
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError

_ROUNDS = 10  # timed runs


@dataclass(frozen=True)
class Cost:
    """Of an engine on the CPU."""

    ms: float  # of a run, the median
    arena: int  # bytes

    @staticmethod
    def measure(context: Context, mace_run: Path, files: Sequence[Path]) -> Cost:
        pb, data = files
        with tempfile.TemporaryDirectory(prefix="mace_stream.") as folder:
            report = Path(folder) / "report.json"
            runner.output(mace_run, [f"--model_file={pb}", f"--model_data_file={data}",
                                     f"--round={_ROUNDS}", f"--json={report}"])
            found = json.loads(report.read_text())
        return Cost(statistics.median(found["run_ms"]), found["memory"]["total_size"])


def command(context: Context) -> Outcome:
    mace_run, results = runner.find(context.console, context.args.mace_run), {}
    for tag, model in context.models.items():
        source = source_file(context, tag, model)
        whole = import_model(context, tag, model, source, weights_file(context, model, source),
                             lambda: None)
        _check_static(tag, whole)
        made = stream(whole, _axes(tag, whole, context.args.axis), context.args.frames)
        proof = check(whole, made)
        results[tag] = _write(context, tag, model, whole, made, proof, mace_run)
    return ExitCode.OK, results


def _write(context: Context, tag: str, model: Model, whole: Graph, made: Stream, proof: Proof,
           mace_run: Path) -> dict[str, Any]:
    """Writes the stream, and prints what it saves."""
    folder = context.folder / "stream"
    files = folder / f"{tag}.pb", folder / f"{tag}.data"
    write_model(made.graph, *files, model.settings)
    with tempfile.TemporaryDirectory(prefix="mace_stream.") as scratch:
        of_whole = Path(scratch) / "whole.pb", Path(scratch) / "whole.data"
        write_model(whole, *of_whole, model.settings)
        before = Cost.measure(context, mace_run, of_whole)
    after = Cost.measure(context, mace_run, files)
    report = {"graph": str(files[0]), "weights": str(files[1]), "frames": made.count,
              "delay": {n: f.delay for n, f in made.frames.items() if f is not None},
              "states": {n: _bytes(made.graph, n) for n in made.graph.states},
              "runs": proof.runs, "largest_error": proof.largest_error,
              "whole": {"ms": before.ms, "arena_bytes": before.arena},
              "stream": {"ms": after.ms, "arena_bytes": after.arena}}
    for line in _lines(tag, whole, made, proof, report):
        context.console.data(line)
    return report


def _lines(tag: str, whole: Graph, made: Stream, proof: Proof, report: dict[str, Any]) -> list[str]:
    frames = ", ".join(f"{count} of the {whole.shape(name)[made.axes[name]]} frames of '{name}'"
                       for name, count in made.count.items())
    states = sum(report["states"].values())
    before, after = report["whole"], report["stream"]
    lines = [
        f"{tag}: a run takes {frames}",
        f"  equal to the whole in {proof.runs} runs on random inputs: the largest error is "
        f"{proof.largest_error:.1e} of an output's largest magnitude",
        f"  time of a run: {after['ms']:.3f} ms, of the whole {before['ms']:.3f} ms",
        f"  memory: {after['arena_bytes']} bytes of activations and {states} of states, of the "
        f"whole {before['arena_bytes']}"]
    lines += [f"  output '{name}' begins with frame {late}: those before are computed without "
              "all that they read" for name, late in report["delay"].items() if late]
    return [*lines, f"  {report['graph']}", f"  {report['weights']}"]


def _bytes(graph: Graph, name: str) -> int:
    tensor = graph.tensors[name]
    return math.prod(tensor.static_shape or ()) * NUMPY[tensor.dtype].itemsize


def _check_static(tag: str, whole: Graph) -> None:
    for name in own_inputs(whole):
        if whole.tensors[name].static_shape is None:
            raise MaceError(f"{tag}: input '{name}' has dynamic dimensions; give numbers in "
                            "input_shapes, with which the stream is compared: the sequence should "
                            "have several times the frames that an output reads")


def _axes(tag: str, whole: Graph, given: str) -> dict[str, int]:
    """The time axes of the inputs. Errors: UsageError."""
    names = own_inputs(whole)
    pairs = [part.rpartition("=") for part in given.split(",")]
    if len(pairs) == 1 and not pairs[0][0]:
        pairs = [(name, "=", given) for name in names]
    axes = {}
    for name, _, text in pairs:
        if name not in names:
            raise UsageError(f"--axis={given}: model '{tag}' has no input '{name}'"
                             f"{did_you_mean(name, names)}; it has {', '.join(names)}")
        rank = whole.rank(name) or 0
        if not text.lstrip("-").isdecimal() or not -rank <= int(text) < rank:
            raise UsageError(f"--axis={given}: input '{name}' has {rank} axes, and '{text}' is "
                             f"none of them; write {name}=0 to {name}={rank - 1}")
        axes[name] = int(text) % rank
    return axes
