"""Creates an engine from a model that was just converted, where a mace_run is built already.

SPDX-License-Identifier: Apache-2.0
"""

import signal
import subprocess
from pathlib import Path

from mace_tools.graph.ir import Graph
from mace_tools.run import runner
from mace_tools.support.exit_codes import RunFailedError


def has_custom_ops(graph: Graph) -> bool:
    """Whether only an engine of the app, which registers its ops, takes the model."""
    return any(n.is_custom for part in (graph, *graph.subgraphs.values()) for n in part.nodes)


def try_engine(given: Path | None, tag: str, pb: Path, data: Path) -> str:
    """Why no engine was created; empty if one was.

    Removes both files if the engine refuses them. Errors: RunFailedError with its message."""
    if given is None and not runner.is_built(runner.MACE_RUN):
        return "no mace_run is built (`check` builds one)"
    program = runner.kept(runner.MACE_RUN) if given is None else given
    try:
        done = subprocess.run(
            [program, f"--model_file={pb}", f"--model_data_file={data}", "--no_checksum",
             "--dump=plan_json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace", check=False)
    except OSError as e:
        return f"{program} does not start: {e.strerror}"
    if done.returncode == -signal.SIGKILL:  # the kernel's, when memory runs out
        return f"{program} was killed"
    if done.returncode == 0:
        return ""
    pb.unlink()
    data.unlink()
    how = f"ends with {signal.Signals(-done.returncode).name}" if done.returncode < 0 else ""
    message = how or done.stderr.strip().removeprefix("ERROR: ")[-2000:]
    raise RunFailedError(f"{tag}: the engine refuses the converted model, so nothing was written: "
                         f"{message}\nPlease report it with the model: what converts is meant to "
                         "run")
