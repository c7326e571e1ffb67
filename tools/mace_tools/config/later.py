"""Keys and values that are known, but whose feature does not exist yet.

SPDX-License-Identifier: Apache-2.0

Nothing in a deployment file is ignored silently. An ERROR is something that would give another
result than intended; a NOTE only costs speed or does not concern the command. Whoever adds a
feature removes its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mace_tools.memory_strategies import listed

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


# Keys of MACE's own deployment files without which the results are the same.
NO_EFFECT = {
    "backend": "--validate runs the source framework itself",
    "docker_image_tag": "Caffe models are read without a container",
    "graph_optimize_options": "the converter has its own rewrites, which are always made",
    "change_concat_ranges": "`quantize` chooses the ranges of a Concat",
    "subgraphs/0/check_tensors": "`compare --layers` compares every tensor",
    "subgraphs/0/check_shapes": "`compare --layers` compares every tensor",
    "subgraphs/0/validation_outputs_data": "--validate computes the outputs with the source "
                                           "framework",
    "subgraphs/0/accuracy_validation_script": "--validate judges by similarity and error",
}


def _gives(key: str) -> Callable[[Any], bool]:
    name = key.rsplit("/", 1)[-1]
    return lambda m: getattr(m.subgraph if "/" in key else m, name) is not None


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
    *(Later(key, NOTE, _gives(key), f"no effect: {why}") for key, why in NO_EFFECT.items()),
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

# Keys of later MACE releases that this one does not have; they are not reported as misspelt.
FOREIGN = frozenset(
    """accelerator_binary_file accelerator_cache_policy accelerator_storage_file
    apu_boost_hint apu_preference_hint apu_version_with_no_device
    dockerfile_path dockerfile_sha256_checksum dsp_type hexagon_mode
    input_aliases opencl_cache_reuse_policy output_aliases
    quantize_range_file quantize_schema quantize_stat transformers""".split()
)


def asked(section: Any, rows: Sequence[Later]) -> Iterator[Later]:
    """The rows of features that a section needs."""
    return (row for row in rows if row.asks(section))
