"""The bundled decoder of models/verses: its bits a byte on chapters that it was not trained on.

SPDX-License-Identifier: Apache-2.0

A trained decoder shows what quantization costs, which random weights do not.
"""

import json

import numpy as np
import pytest
from golden import ROOT, Run, run_all

from mace_tools import cli
from mace_tools.analyze.quantize.weight_only import store_weights
from mace_tools.convert import importers
from mace_tools.convert.decoders import folder
from mace_tools.convert.importers import kv_caches
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.testing import gguf_file

pytestmark = pytest.mark.full
FOLDER = ROOT / "models" / "verses"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
MAX_BITS, MAX_BYTES, MAX_FILE = 1.6, 2_000_000, 900_000


def converted(cache="fp32"):
    read = kv_caches.sized(importers.read("huggingface", FOLDER), 512, cache)
    graph = convert(importers.translate("huggingface", read))
    graph.open_dims = {"input_ids": OpenDims(("", "tokens")), "logits_at": OpenDims(("rows",))}
    return graph


def from_gguf(path, make):
    """As a GGUF file whose matrices are quantized so."""
    floats = {n: t.floats() for n, t in folder.tensors(FOLDER).items()}
    keys, weights = gguf_file.decoder(json.loads((FOLDER / "config.json").read_text()), floats)
    path.write_bytes(gguf_file.content(keys, [
        (n, make(a) if a.ndim == 2 else gguf_file.floats(a)) for n, a in weights.items()]))
    graph = convert(importers.load("gguf", path))
    graph.open_dims = {"input_ids": OpenDims(("", "tokens")), "logits_at": OpenDims(("rows",))}
    return graph


def bits_of(graphs, place):
    """Bits a byte of each graph over all chapters."""
    runs = [Run(f"{name} {k}", graph, {"input_ids": np.array([c["ids"]]),
                                       "logits_at": np.arange(len(c["ids"]) - 1)})
            for name, graph in graphs.items() for k, c in enumerate(EXPECTED["chapters"])]
    run_all(runs, place)
    found = []
    for run in runs:
        assert not run.error, run.error
        logits = run.outputs["logits"][0].astype(np.float64)
        logits -= logits.max(-1, keepdims=True)
        losses = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(
            logits, run.feeds["input_ids"][0, 1:, None], 1)[:, 0]
        found.append(losses.sum() / np.log(2))
    sums = np.array(found).reshape(len(graphs), -1).sum(1)
    return dict(zip(graphs, sums / sum(c["bytes"] for c in EXPECTED["chapters"])))


def test_bits_a_byte(tmp_path):
    graphs = {"float": converted(), "int4": store_weights(converted(), "int4").graph,
              "int8": store_weights(converted(), "int8").graph, "int8 cache": converted("int8"),
              "Q4_0": from_gguf(tmp_path / "q4_0.gguf", gguf_file.q4_0)}
    found = bits_of(graphs, tmp_path / "runs")
    whole = sum(c["bits"] * c["bytes"] for c in EXPECTED["chapters"])
    wanted = whole / sum(c["bytes"] for c in EXPECTED["chapters"])
    assert EXPECTED["held_out_bits"] <= MAX_BITS and found["float"] <= MAX_BITS
    assert abs(found["float"] / wanted - 1) < 2e-3
    assert found["int4"] / found["float"] < 1.02 and found["int8"] / found["float"] < 1.002
    assert found["Q4_0"] / found["float"] < 1.02
    assert abs(found["int8 cache"] / found["float"] - 1) < 2e-3


def test_the_folder_is_small():
    sizes = {p.name: p.stat().st_size for p in FOLDER.iterdir() if p.is_file()}
    assert sum(sizes.values()) <= MAX_BYTES and max(sizes.values()) < MAX_FILE, sizes


def test_the_deployment_file_converts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "verses.yml").read_text()
    (tmp_path / "d.yml").write_text(text.replace("models/verses", str(FOLDER)))
    assert cli.main(["convert", "--config=d.yml"]) == 0
