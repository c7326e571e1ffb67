"""TFLite models of single operators, their float tensors quantized: what converts, the engine runs.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
from golden import Run, run_all

from mace_tools.convert.importers import load
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.run_io import own_inputs
from mace_tools.support.errors import ModelError, UnsupportedOps
from mace_tools.testing.tflite_cases import CASES
from mace_tools.testing.tflite_file import Maker

TYPES = ("int8", *(pytest.param(kind, marks=pytest.mark.full) for kind in ("uint8", "int16")))
MIN = {"dequantized": 250, "quantized": 150}  # models that convert


def quantized(m: Maker, feeds: dict, kind: str, way: str) -> dict:
    """Makes quantized tensors of all float tensors, or of those that are given (dequantized: for a
    DEQUANTIZE in front of the operator). Returns the feeds."""
    info, feeds = np.iinfo(kind), dict(feeds)
    zero = 0 if kind == "int16" else (info.min + info.max + 1) // 2 + 3
    for k, (name, shape, dtype, data, quant) in enumerate(list(m.tensors)):
        given = data is not None or name in feeds
        if dtype != "float32" or quant is not None or way == "dequantized" and not given:
            continue
        values = feeds.get(name, data)
        scale, zeros = [0.02], [zero]
        if way == "dequantized" and name not in feeds and kind == "int8" and shape:
            scale, zeros = [0.02 + 0.001 * i for i in range(shape[0])], [0] * shape[0]
        if values is not None:
            wide = (-1,) + (1,) * (len(shape) - 1)
            along = np.reshape(scale, wide) if len(scale) > 1 else scale[0]
            q_values = np.rint(np.clip(np.nan_to_num(values), -1e6, 1e6) / along) + zeros[0]
            values = np.clip(q_values, info.min, info.max).astype(kind)
        if name in feeds:
            feeds[name] = values
        stored = values if data is not None else None
        m.tensors[k] = (name, shape, kind, stored, (np.float32(scale), np.int64(zeros), 0))
        if way == "dequantized":
            m.tensor(f"{name}/float", shape)
            for at, (op, inputs, *rest) in enumerate(m.ops):
                m.ops[at] = (op, [f"{name}/float" if i == name else i for i in inputs], *rest)
            m.ops.insert(0, ("DEQUANTIZE", [name], [f"{name}/float"], "DequantizeOptions", {}))
    return feeds


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("way", MIN)
def test_what_converts_runs(tmp_path, way, kind):
    runs = []
    for case in CASES:
        m, feeds, outputs = case.model()
        feeds = quantized(m, feeds, kind, way)
        for branch, *_ in m.more if way == "quantized" else ():
            quantized(branch, {}, kind, way)
        try:
            graph = convert(load("tflite", m.save(tmp_path, list(feeds), outputs)))
        except (ModelError, UnsupportedOps):
            continue
        runs.append(Run(f"{case.op} {len(runs)}", graph, {n: feeds[n] for n in own_inputs(graph)}))
    assert len(runs) >= MIN[way]
    assert {"IF", "WHILE"} <= {run.name.split()[0] for run in runs}
    run_all(runs, tmp_path)
    assert {run.name: run.error for run in runs if run.error} == {}
