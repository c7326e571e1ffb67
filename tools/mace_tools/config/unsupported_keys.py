"""Keys and values that are known, but whose feature does not exist yet.

SPDX-License-Identifier: Apache-2.0

Nothing in a deployment file is ignored silently. An ERROR is something that would give another
result than intended; a NOTE only costs speed or does not concern the command. Whoever adds a
feature removes its row.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mace_tools.config import mace_keys
from mace_tools.config.memory_strategies import listed

NOTE: Literal["note"] = "note"
ERROR: Literal["error"] = "error"


@dataclass(frozen=True)
class Later:
    """A row. `asks` returns whether a section (Library or Model) needs the feature. A key with
    slashes is below others."""

    key: str
    level: Literal["note", "error"]
    asks: Callable[[Any], bool]
    message: str
    example: str = ""

    @property
    def place(self) -> tuple[str | int, ...]:
        return tuple(int(k) if k.isdigit() else k for k in self.key.split("/"))


def _unused(prefix: str, key: mace_keys.Without, of: Callable[[Any], Any]) -> Later:
    return Later(prefix + key.key, NOTE, lambda m: getattr(of(m), key.key) is not None,
                 f"no effect: {key.why}")


def _plans_images(strategy: str | None) -> bool:
    return strategy is None or any(
        s["name"] == strategy and s["images"] is not None for s in listed())


LIBRARY = [
    Later("embed_model_data", NOTE,
          lambda lib: bool(lib.embed_model_data) and lib.graph_format == "proto",
          "only build_type: code embeds weights; they are written to a .data file"),
]

MODEL = [
    Later("weight_file_path", ERROR,
          lambda m: m.weight_file_path is not None and m.platform != "caffe",
          "only Caffe models have a weight file; remove this key"),
    Later("weight_sha256_checksum", ERROR,
          lambda m: m.weight_sha256_checksum is not None and m.weight_file_path is None,
          "there is no weight_file_path, of which it is the checksum"),
    Later("limit_opencl_kernel_time", NOTE,
          lambda m: bool(m.limit_opencl_kernel_time) and m.runtime == "cpu",
          "only a GPU has kernels to split; no effect on the CPU"),
    Later("nnlib_graph_mode", NOTE, lambda m: bool(m.nnlib_graph_mode),
          "only the vendor's library for DSPs has modes (docs/dsp.md); no effect on MACE's own "
          "executor"),
    Later("cl_mem_type", NOTE, lambda m: m.cl_mem_type == "buffer",
          "the GPU keeps tensors in images; results are the same"),
    *(_unused("", key, lambda m: m) for key in mace_keys.MODEL),
    *(_unused("subgraphs/0/", key, lambda m: m.subgraph) for key in mace_keys.SUBGRAPH),
    Later("quantize_schema", NOTE, lambda m: m.quantize_schema is not None,
          "no effect: quantized activations are int8 and have a zero point, those of weights none"),
    Later("quantize_range_file", NOTE,
          lambda m: m.quantize_range_file is not None and (
              m.quantize is None or m.quantize.range_file != m.quantize_range_file),
          "no effect without quantize: 1"),
    Later("memory_strategy", ERROR,
          lambda m: "gpu" in m.devices and not _plans_images(m.memory_strategy),
          "it plans an arena of bytes, and the GPU's tensors are images; AUTO plans both, as do "
          "NAIVE, EQUALITY, GREEDY, GREEDY_IN_ORDER and PRESERVE_ALL", "memory_strategy: AUTO"),
    Later("winograd", NOTE, lambda m: m.winograd == 6 and "gpu" in m.devices,
          "tiles of 6 are on the CPU only; the GPU takes those of 4"),
    Later("float32_nodes", NOTE, lambda m: m.float32_nodes and m.runtime == "dsp",
          "only the CPU and the GPU store activations as fp16; no effect with this runtime"),
    Later("tuning_ms", NOTE, lambda m: bool(m.tuning_ms) and m.runtime == "dsp",
          "nothing on a DSP is tuned; no effect with this runtime"),
    Later("runtime", NOTE, lambda m: "dsp" in m.devices,
          "`run` and `benchmark` use MACE's own executor in an emulator, unless dsp_library names "
          "the vendor's library; `build` makes libraries that use the vendor's (docs/dsp.md)"),
]

# Keys for accelerators that this release does not have; they are not reported as misspelt.
FOREIGN = frozenset(
    """accelerator_binary_file accelerator_cache_policy accelerator_storage_file
    apu_boost_hint apu_preference_hint apu_version_with_no_device""".split()
)


def asked(section: Any, rows: Sequence[Later]) -> Iterator[Later]:
    """The rows of features that a section needs."""
    return (row for row in rows if row.asks(section))
