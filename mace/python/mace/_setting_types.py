"""The settings of an engine with their types (generated: see
tools/mace_tools/generate/python_settings.py).

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, Union

from mace._settings import Affinity, GpuPerf, GpuPriority


class SettingTypes(TypedDict, total=False):
    """Those that have a word in a deployment file or a flag of mace_run."""

    num_threads: int
    cpu_affinity_policy: Union[Affinity, int]
    gpu_data_type: str
    float32_nodes: Sequence[str]
    winograd: int
    fc_rounding: str
    memory_strategy: str
    memory_savings: Sequence[str]
    memory_limit: int
    require: Union[Mapping[str, float], Sequence[str]]
    driver_probe: str
    driver_probe_ms: int
    max_loop_iterations: int
    tuning_ms: int
    tuning_file: str
    gpu_perf_hint: Union[GpuPerf, int]
    gpu_priority_hint: Union[GpuPriority, int]
    gpu_kernel_micros: int
    gpu_queue_window: int
    dsp_library: str
    dsp_program: str
    dsp_emulator: str
    dsp_timeout_ms: int
    dsp_takes_all: bool
    dsp_with_gpu: bool
    dsp_corner: int
    dsp_dcvs: bool
    dsp_latency_us: int
    dsp_unsigned_pd: bool
    nnlib_graph_mode: int
    check_numerics: bool
    guard: bool
    tracing: bool
