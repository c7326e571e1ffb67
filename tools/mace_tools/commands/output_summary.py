"""What `run` and `benchmark` say of a run: the outputs in numbers, and whether anything ran on the
device that was asked for.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mace_tools.graph.model_quantization import stands_for
from mace_tools.support.console import Console

_FIRST = 5  # values that are shown


def show(console: Console, net: Any, outputs: Mapping[str, np.ndarray],
         files: Mapping[str, str]) -> None:
    """A line for each output: of quantized ones the numbers for which they stand."""
    infos = {info.name: info for info in net.output_info}
    for name, array in outputs.items():
        console.data(f"{name}: {_line(array, stands_for(array, infos[name].quantization))}"
                     + (f"; saved as {files[name]}" if name in files else ""))
    if not files:
        console.info("--output_dir=FOLDER saves the outputs as .npy files")


def _line(stored: np.ndarray, values: np.ndarray) -> str:
    kind = f"{stored.dtype}{list(stored.shape)}" + (", quantized" if values is not stored else "")
    if not stored.size:
        return f"{kind}, empty"
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    ends = f"{finite.min():.6g} to {finite.max():.6g}" if finite.size else "nothing finite"
    first = ", ".join(f"{v:.6g}" for v in values.ravel()[:_FIRST])
    return f"{kind}, {ends}, first: {first}{', ...' if values.size > _FIRST else ''}"


def ran_there(run: Mapping[str, Any], device: str) -> int | None:
    """The nodes that ran on a device other than the CPU, of a run or a benchmark; None if mace_run
    does not say."""
    if "ops" in run:
        return sum(str(op.get("device", "")).lower() == device for op in run["ops"])
    starts = run.get("starts") or [{}]
    return starts[-1].get("last_run", {}).get("kernels")


def say_where(console: Console, tag: str, device: str, run: Mapping[str, Any]) -> None:
    """Warns if the device that was asked for did nothing; for a benchmark, says how much it did."""
    count = None if device == "cpu" else ran_there(run, device)
    if count == 0:
        console.warn(f"{tag}: nothing ran on the {device.upper()}: the CPU computed everything; "
                     f"`tools/converter.py check --device={device}` says why")
    elif count is not None and "ops" in run:
        console.data(f"{count} of {len(run['ops'])} steps ran on the {device.upper()}")
