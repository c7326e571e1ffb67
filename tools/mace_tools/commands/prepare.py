"""What running a model needs, whichever command runs it: its files, mace_run, and its inputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools import data, runner
from mace_tools.commands import gpu, tuning
from mace_tools.commands.context import Context
from mace_tools.commands.convert import Converted, ensure
from mace_tools.config import Model
from mace_tools.errors import MaceError


@dataclass(frozen=True)
class Prepared:
    """A model that can be run: `flags` name its files and inputs, which exist until the end."""

    tag: str
    model: Model
    converted: Converted
    mace_run: Path
    inputs: dict[str, np.ndarray]
    flags: list[str]


@contextmanager
def prepared(context: Context, tag: str, model: Model) -> Iterator[Prepared]:
    """Errors: MaceError of any stage."""
    args = context.args
    check_runtime(context, tag, model)
    converted = ensure(context, tag, model)
    specs = data.specs(converted.net.input_info, model)
    files = data.assign(args.input, specs, tag)
    given = model.extra("validation_inputs_data")
    if given is not None and not files and getattr(args, "validate", False):
        files = {n: context.deployment.file(f) for n, f in zip(model.subgraph.input_tensors, given)}
    inputs = data.load(files, specs, model.extra("preprocess"), args.seed, context.console,
                       args.allow_nan)
    mace_run = runner.find(context.console, args.mace_run)
    with tempfile.TemporaryDirectory(prefix="mace_inputs.") as folder:
        flags = [f"--model_file={converted.pb}", f"--model_data_file={converted.data}"]
        for k, (name, array) in enumerate(inputs.items()):
            file = Path(folder) / f"{k}.npy"
            data.save(file, array)
            flags.append(f"--input={name}={file}")
        threads = model.num_threads if args.omp_num_threads is None else args.omp_num_threads
        flags += runner.flags({
            "num_threads": threads, "cpu_affinity_policy": args.cpu_affinity_policy,
            "gpu_perf_hint": args.gpu_perf_hint, "gpu_priority_hint": args.gpu_priority_hint,
            "allow_nan": args.allow_nan, **model.memory_flags})
        if model.runtime in ("gpu", "cpu+gpu"):
            flags += gpu.flags(context, model)
        elif model.runtime == "cpu":
            flags += tuning.cpu_flags(context, model)
            flags += runner.flags({"float32_nodes": ",".join(model.float32_nodes or ()) or None})
        yield Prepared(tag, model, converted, mace_run, inputs, flags)


def check_runtime(context: Context, tag: str, model: Model) -> None:
    """Whether this machine can run it."""
    if model.runtime == "dsp":
        raise MaceError(f"{tag}: runtime: dsp comes later; write `runtime: cpu` to run the model "
                        "on the CPU")
    abis = context.deployment.library.target_abis
    if "host" not in abis:
        context.console.warn(f"{tag}: target_abis is {', '.join(abis)}; running on phones comes "
                             "later, this runs on the machine at hand")
