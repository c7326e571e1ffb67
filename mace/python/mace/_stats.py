"""What runs did, op by op, and the memory that an engine holds.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mace._library import Handle, check, ffi, lib, owned, text


@dataclass(frozen=True)
class OpStats:
    """An op of one run."""

    name: str
    type: str
    device: str
    variant: str  # the kernel chosen
    chosen_by: str  # "model", "tuned" or "kept"
    start_micros: int
    end_micros: int
    macs: int  # multiply-adds
    bytes: int  # of inputs, weights and outputs


@dataclass(frozen=True)
class MemoryUsage:
    """Bytes, as mace/public/mace_c_stats.h explains them."""

    head_bytes: int
    temporary_bytes: int
    tail_bytes: int
    lower_bound_bytes: int
    peak_bytes: int
    fragmentation: float
    image_bytes: int
    image_lower_bound_bytes: int
    image_peak_bytes: int
    allocated_arena_bytes: int
    allocated_image_bytes: int
    anonymous_bytes: int
    mapped_bytes: int
    limit_bytes: int
    available_bytes: int
    taken_bytes: int
    peak_node: str


@dataclass(frozen=True)
class NodePlacement:
    """Where a node of the latest plan runs."""

    node: str  # of several nodes in one kernel "a + b"
    type: str  # the op; of several "Conv2d+Eltwise"
    device: str
    data_type: str  # of the first output, as it is computed
    kernel: str  # "none: ..." if nothing is left to do for it
    reason: str  # why not on the device that the engine was created for; empty: it is there
    macs: int  # multiply-adds


@dataclass(frozen=True)
class KernelTest:
    """A micro-kernel of the CPU that this process has tested before its first use."""

    kernel: str
    reason: str  # why it is switched off; empty: it is right
    fallback: str  # what is used in its place


def metadata() -> Handle:
    """Of a run: what `ops` reads."""
    return owned("run_metadata", lib.mace_run_metadata_create)


def ops(pointer: Any) -> list[OpStats]:
    def words(k: int, which: int) -> str:
        return text(lib.mace_run_metadata_text(pointer, k, which))

    def number(k: int, which: int) -> int:
        return int(lib.mace_run_metadata_number(pointer, k, which))

    return [OpStats(*(words(k, which) for which in (
        lib.MACE_STAT_NAME, lib.MACE_STAT_TYPE, lib.MACE_STAT_DEVICE, lib.MACE_STAT_VARIANT,
        lib.MACE_STAT_CHOSEN_BY)), *(number(k, which) for which in (
            lib.MACE_STAT_START_MICROS, lib.MACE_STAT_END_MICROS, lib.MACE_STAT_MACS,
            lib.MACE_STAT_BYTES))) for k in range(lib.mace_run_metadata_count(pointer))]


def memory_usage(engine: Any) -> MemoryUsage:
    with owned("memory_usage", lib.mace_engine_memory_usage, engine) as usage:
        numbers = [lib.mace_memory_usage_number(usage, k) for k in range(16)]
        fragmentation = lib.MACE_MEMORY_FRAGMENTATION
        return MemoryUsage(*(n if k == fragmentation else int(n) for k, n in enumerate(numbers)),
                           text(lib.mace_memory_usage_peak_node(usage)))


def device_counts(engine: Any) -> dict[str, int]:
    names = ("compiled_programs", "loaded_programs", "measurements", "kernels", "enqueues",
             "bytes_from_host", "bytes_to_host")
    counts = ffi.new("int64_t[]", len(names))
    check(lib.mace_engine_device_counts(engine, counts, len(names)))
    return dict(zip(names, counts))


def placement(engine: Any) -> list[NodePlacement]:
    with owned("records", lib.mace_engine_placement, engine) as records:
        return [NodePlacement(*(text(lib.mace_records_text(records, k, which)) for which in (
            lib.MACE_PLACEMENT_NODE, lib.MACE_PLACEMENT_TYPE, lib.MACE_PLACEMENT_DEVICE,
            lib.MACE_PLACEMENT_DATA_TYPE, lib.MACE_PLACEMENT_KERNEL, lib.MACE_PLACEMENT_REASON)),
            lib.mace_records_macs(records, k)) for k in range(lib.mace_records_count(records))]


def kernel_tests() -> list[KernelTest]:
    """The micro-kernels that this process has tested so far, in the order of their first use. What
    fails (a CPU lacks an instruction that it claims to have, or computes wrongly) is switched off,
    and another one takes its place."""
    with owned("records", lib.mace_kernel_tests) as records:
        return [KernelTest(*(text(lib.mace_records_text(records, k, which)) for which in (
            lib.MACE_KERNEL_NAME, lib.MACE_KERNEL_REASON, lib.MACE_KERNEL_FALLBACK)))
            for k in range(lib.mace_records_count(records))]
