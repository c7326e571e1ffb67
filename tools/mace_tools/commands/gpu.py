"""Models on the GPU: the flags of mace_run, and tuning them on this machine.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from mace_tools import runner
from mace_tools.commands import tuning
from mace_tools.commands.context import Context
from mace_tools.config import Model
from mace_tools.emit import atomic_files

LIMIT_MICROS = 1000  # of a kernel, with limit_opencl_kernel_time
# What mace_run calls the store of compiled programs.
STORE = "mace_cl_compiled_program.bin"


def flags(context: Context, model: Model) -> list[str]:
    """Of a model on the GPU. What it compiles and measures is kept below `opencl`, where the
    contract has it."""
    kept = context.folder / "opencl"
    kept.mkdir(parents=True, exist_ok=True)
    asked: dict[str, str | int | Path | None] = {
        "device": "GPU", "gpu_data_type": _image_type(model),
        "gpu_storage_path": kept, "float32_nodes": ",".join(model.float32_nodes or ()) or None,
        "gpu_kernel_micros": LIMIT_MICROS if model.limit_opencl_kernel_time else None,
        "gpu_queue_window": model.opencl_queue_window_size or None}
    budget = tuning.budget_ms(context, model)
    if budget:
        asked |= {"tune": budget, "tuning_file": _file(context, "tuned_opencl_parameter")}
    return runner.flags(asked)


def _image_type(model: Model) -> str:
    """What images hold; `fp32`, of a model for both devices, means floats on both."""
    return {None: "fp16_fp32", "fp32": "fp32_fp32"}.get(model.data_type, model.data_type or "")


def tune(context: Context, mace_run: Path, pb: Path, data: Path, model: Model) -> dict[str, str]:
    """Measures what is not known yet and writes the files that ship with a tuned library."""
    arguments = [f"--model_file={pb}", f"--model_data_file={data}", *flags(context, model)]
    table = runner.output(mace_run, [*arguments, "--dump=tuning"])
    files = {"tuned": str(_file(context, "tuned_opencl_parameter"))}
    programs = context.folder / "opencl" / STORE
    if programs.is_file():
        copy = _file(context, "compiled_opencl_kernel")
        with atomic_files(copy) as (out,):
            out.write(programs.read_bytes())
        files["programs"] = str(copy)
    context.console.info(f"tuned {len(table.splitlines())} GPU kernels")
    return files


def _file(context: Context, what: str) -> Path:
    return tuning.file(context, "opencl", what)
