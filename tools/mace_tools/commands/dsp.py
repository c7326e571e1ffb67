"""Models on the DSP: the flags of mace_run, and what such models must be.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mace_tools.commands.context import Context
from mace_tools.config.schema import Model
from mace_tools.convert.importers.request import some
from mace_tools.devices.targets import Place
from mace_tools.graph.ir import Graph
from mace_tools.run import runner
from mace_tools.support.console import Console
from mace_tools.support.exit_codes import MissingToolError

# What builds the executor, with Debian's names of the packages.
COMPILERS = {"clang++-19": "clang-19", "ld.lld-19": "lld-19"}


def flags(console: Console, args: argparse.Namespace, place: Place | None = None) -> list[str]:
    """The flags for any model on the DSP, besides its settings: that of a phone, or the emulator
    of this machine. Errors: MissingToolError, RunFailedError."""
    if place is not None:
        return runner.flags({"device": "HEXAGON"})
    return runner.flags({"device": "HEXAGON", "dsp_program": program(console, args.mace_dsp)})


def program(console: Console, given: Path | None) -> Path:
    """The executor for the emulator, which is built where it is missing or stale."""
    absent = [package for name, package in COMPILERS.items() if shutil.which(name) is None]
    if given is None and absent and not runner.is_built(runner.MACE_DSP):
        raise MissingToolError(f"the DSP's executor needs {' and '.join(absent)} to be built, "
                               f"which {'is' if len(absent) == 1 else 'are'} not installed: run "
                               "`tools/setup.sh --for test`, or name a built one with "
                               "--mace_dsp=FILE")
    return runner.find(console, given, runner.MACE_DSP)


def float_note(model: Model, graph: Graph) -> list[str]:
    """A note about the nodes that a DSP leaves to the CPU, because they compute in float32."""
    moves = ("Quantize", "Dequantize", "Identity", "Cast")
    nodes = [n for n in graph.nodes if n.op not in moves]
    left = [n.name for n in nodes if any(
        graph.tensors[out].dtype == "f32" and graph.tensors[out].quant is None
        for out in n.outputs)]
    if "dsp" not in model.devices or not left:
        return []
    return [f"{len(left)} of {len(nodes)} nodes compute in float32 and run on the CPU, since DSPs "
            f"compute with quantized values only: {some(left)}"]


def check_quantized(context: Context, tag: str, model: Model, net: Callable[[], Any]) -> None:
    """Whether a converted model for the DSP is int8. Errors: ConfigError."""
    if "dsp" not in model.devices:
        return
    if any(q.scales for op in net().op for q in op.output_quantization):
        return
    raise context.deployment.error(
        ("models", tag, "runtime"), f"{model.runtime} needs an int8 model, and this one is "
        "float32: add `quantize: {samples: FOLDER}` to the model (docs/quantization.md), "
        "convert a quantized source model, or write `runtime: cpu`")
