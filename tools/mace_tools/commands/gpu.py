"""Models on the GPU: the flags of mace_run, and tuning them on this machine or on a device.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.commands import tuning
from mace_tools.commands.context import Context
from mace_tools.commands.remote import Remote
from mace_tools.config.schema import Model
from mace_tools.graph import settings
from mace_tools.run import runner
from mace_tools.support.atomic import atomic_files

# The name that mace_run gives to the store of compiled programs.
STORE = "mace_cl_compiled_program.bin"


def flags(context: Context) -> list[str]:
    """The flags for any model on the GPU, besides its settings. Compiled programs are stored below
    `opencl`, as the contract says."""
    kept = context.folder / "opencl"
    kept.mkdir(parents=True, exist_ok=True)
    return runner.flags({"device": "GPU", "gpu_storage_path": kept})


def tune(
    context: Context, mace_run: Path | runner.Program, pb: Path, data: Path, model: Model,
    remote: Remote | None = None,
) -> dict[str, str]:
    """Tunes what has not been tuned yet, and writes the files that ship with a tuned library."""
    place = remote.place if remote else None
    arguments = [f"--model_file={pb}", f"--model_data_file={data}", *flags(context),
                 *settings.flags(tuning.settings_of(context, model, "gpu", place), "gpu")]
    table = runner.output(mace_run, [*arguments, "--dump=tuning"])
    files = {"tuned": str(tuning.file(context, "gpu", "", place))}
    programs = context.folder / "opencl" / STORE
    copy = tuning.file(context, "gpu", "compiled_opencl_kernel", place)
    if remote is not None:
        if remote.session.pull_kept(STORE, copy):
            files["programs"] = str(copy)
    elif programs.is_file():
        with atomic_files(copy) as (out,):
            out.write(programs.read_bytes())
        files["programs"] = str(copy)
    context.console.info(f"tuned {len(table.splitlines())} GPU kernels")
    return files
