"""What ONNX Runtime computes of a model: the reference of ONNX models.

SPDX-License-Identifier: Apache-2.0
"""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.frameworks import by_onnx
from mace_tools.support.protos import load
from mace_tools.testing import goldens


class Session:
    """As onnxruntime.InferenceSession, which is made for results that are not kept yet."""

    def __init__(self, model: bytes, is_optimized: bool = True) -> None:
        made = load(by_onnx.ONNX_PROTO).ModelProto.FromString(model)
        is_changed = by_onnx.use_uint8_weights(made, Path())
        self._model = made.SerializeToString() if is_changed else model
        self._is_optimized = is_optimized

    def run(self, outputs: Sequence[str] | None, feeds: Mapping[str, np.ndarray]
            ) -> list[np.ndarray]:
        """These outputs, or all."""
        what = ("session", self._is_optimized, outputs and tuple(outputs))
        return goldens.kept(["onnxruntime"], self._model, feeds, what,
                            lambda: self._session.run(outputs, dict(feeds)))

    @functools.cached_property
    def _session(self) -> Any:
        import onnxruntime

        levels, options = onnxruntime.GraphOptimizationLevel, onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        if not self._is_optimized:
            options.graph_optimization_level = levels.ORT_DISABLE_ALL
        return onnxruntime.InferenceSession(self._model, options,
                                            providers=["CPUExecutionProvider"])
