"""What quantization keeps of a model: open shapes, states and branches; and what it refuses.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import pytest

from mace_tools import cli
from mace_tools.convert.onnx_export.messages import info, node, onnx, tensor
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode

W = np.random.default_rng(5).normal(size=(4, 4)).astype(np.float32)


def graph(nodes, inputs=(), outputs=()):
    return onnx().GraphProto(name="g", node=nodes, input=inputs, output=outputs)


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    """Converts m.onnx, with these lines below its subgraph and its model."""
    monkeypatch.chdir(tmp_path)
    branch = graph([node("Relu", "all", "t")], outputs=[info("t", None)])
    other = graph([node("Neg", "all", "u")], outputs=[info("u", None)])
    proto = onnx().ModelProto(ir_version=8, graph=graph(
        [node("Add", "x h", "hn"), node("Concat", "past hn", "all", axis=0),
         node("If", "c", "v", then_branch=branch, else_branch=other),
         node("MatMul", "v w", "y")],
        [info("x", ("n", 4)), info("h", (1, 4)), info("past", ("rows", 4)),
         info("c", (), np.bool_)], [info("y", None)]))
    proto.opset_import.add(version=13)
    proto.graph.initializer.append(tensor("w", W))
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    np.save("s.npy", np.ones((1, 4), np.float32))
    sha = hashlib.sha256((tmp_path / "m.onnx").read_bytes()).hexdigest()

    def convert(ends: str, more: str = ""):
        (tmp_path / "m.yml").write_text(f"""\
library_name: m
target_abis: [host]
models:
  m:
    platform: onnx
    model_file_path: m.onnx
    model_sha256_checksum: {sha}
    runtime: cpu
    {more}
    subgraphs: [{{{ends}, output_tensors: y}}]
""")
        code = cli.main(["convert", "--config=m.yml"])
        err = " ".join(capfd.readouterr().err.split())
        pb = tmp_path / "build/m/model/m.pb"
        return code, err, protos.mace().NetDef.FromString(pb.read_bytes()) if code == 0 else None

    return convert


OPEN = "input_tensors: [x, h, past, c], input_shapes: ['1,4', '1,4', 'rows,4', []]"
STATES = ("input_tensors: [x, c], input_shapes: ['1,4', []], states: {h: hn, past: {next: all, "
          "shape: '-1,4', max_shape: '8,4'}}")


@pytest.mark.parametrize("ends", [OPEN, STATES])
@pytest.mark.parametrize("bits", ["int8", "int4"])
def test_weights_alone_leave_everything_else_as_it_is(place, ends, bits):
    code, err, plain = place(ends)
    assert code == ExitCode.OK, err
    code, err, stored = place(ends, f"quantize: {{weights_only: {bits}}}")
    assert code == ExitCode.OK and "weights stored quantized: 1 in" in err
    assert any(t.HasField("stored_type") for t in stored.tensors)
    for field in ("input_info", "output_info", "variables", "op", "subgraphs"):
        assert list(getattr(stored, field)) == list(getattr(plain, field)), field
    assert len(plain.subgraphs) == 2 and len(plain.variables) == (2 if ends == STATES else 0)


@pytest.mark.parametrize("ends, message", [
    (OPEN, "input_shapes leaves 'past' open: write numbers there, or weights_only"),
    (STATES, "'h' is a state, and states cannot be quantized; weights_only takes them")])
def test_quantized_activations_are_refused_before_any_work(place, ends, message):
    code, err, _ = place(ends, "quantize: {samples: s.npy}")
    assert code == ExitCode.ERROR and "m.yml:9: models.m.quantize: " in err and message in err
    assert "converting" not in err and "quantize: {weights_only: int8}" in err
