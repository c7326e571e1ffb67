"""Models as the field has them, made here: voice detection with its state in the engine, and a
recogniser of text lines of any width, against ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib

import numpy as np
import onnx
import pytest
from flow_test import FLOAT, converted, model, of_runtime, silero_like
from golden import Run, mace_run, relative_error, run_all
from onnx import helper as h
from onnx import numpy_helper

from mace_tools import cli


@pytest.mark.parametrize("rate", (16000, 8000))
def test_voice_detection_keeps_its_state(tmp_path, monkeypatch, capfd, rate):
    """Of the form of silero-vad: an If on the sample rate, and a state, which the deployment file
    keeps in the engine."""
    monkeypatch.chdir(tmp_path)
    onnx.save(silero_like(), tmp_path / "vad.onnx")
    sha = hashlib.sha256((tmp_path / "vad.onnx").read_bytes()).hexdigest()
    (tmp_path / "d.yml").write_text(f"""\
library_name: lib
target_abis: [host]
models:
  vad:
    platform: onnx
    model_file_path: vad.onnx
    model_sha256_checksum: {sha}
    runtime: cpu
    subgraphs:
      - input_tensors: [x, sr]
        input_shapes: [[1, 512], []]
        output_tensors: speech
        states: {{state: next}}
        validation_inputs_data: [x.npy, sr.npy]
""")
    np.save("x.npy", np.sin(np.arange(512, dtype=np.float32) / 7)[None])
    np.save("sr.npy", np.array(rate))
    code = cli.main(["run", "--config=d.yml", "--validate", f"--mace_run={mace_run()}"])
    assert code == 0, capfd.readouterr().err


class Recogniser:
    """A convolutional and recurrent network for text lines, with the nodes that paddle2onnx makes
    of PaddleOCR's: gates put in order by Split and Concat, states from the batch of the input, two
    bidirectional layers with Transpose and Reshape between them."""

    def __init__(self) -> None:
        self.dice = np.random.default_rng(11)
        self.nodes: list[onnx.NodeProto] = []

    def node(self, op: str, inputs: list[str], outputs: int = 1, **attrs) -> list[str]:
        names = [f"{op}.{len(self.nodes)}.{k}" for k in range(outputs)]
        self.nodes.append(h.make_node(op, inputs, names, **attrs))
        return names

    def one(self, op: str, *inputs: str, **attrs) -> str:
        return self.node(op, list(inputs), **attrs)[0]

    def value(self, array, dtype=np.float32) -> str:
        name = f"p.{len(self.nodes)}"
        self.nodes.append(h.make_node("Constant", [], [name], value=numpy_helper.from_array(
            np.asarray(array, dtype), name)))
        return name

    def ints(self, *values: int) -> str:
        return self.value(values, np.int64)

    def weight(self, *shape: int) -> str:
        fan = int(np.prod(shape[1:])) or 1
        return self.value(self.dice.normal(size=shape) / np.sqrt(fan))

    def conv(self, x: str, channels: tuple[int, int], kernel: int, strides=(1, 1), group=1) -> str:
        """Conv, BatchNormalization and Paddle's hard_swish."""
        inner, outer = channels
        pad = kernel // 2
        y = self.one("Conv", x, self.weight(outer, inner // group, kernel, kernel), group=group,
                     strides=list(strides), pads=[pad] * 4, kernel_shape=[kernel] * 2)
        parts = [self.value(self.dice.uniform(0.5, 1.5, outer)), self.value(
            self.dice.normal(size=outer) / 5), self.value(self.dice.normal(size=outer) / 5),
            self.value(self.dice.uniform(0.5, 1.5, outer))]
        y = self.one("BatchNormalization", y, *parts, epsilon=1e-5)
        gate = self.one("Clip", self.one("Add", y, self.value(3)), self.value(0), self.value(6))
        return self.one("Div", self.one("Mul", y, gate), self.value(6))

    def squeeze_excite(self, x: str, channels: int) -> str:
        pooled = self.one("GlobalAveragePool", x)
        y = self.one("Relu", self.one("Conv", pooled, self.weight(channels // 4, channels, 1, 1)))
        y = self.one("Conv", y, self.weight(channels, channels // 4, 1, 1))
        return self.one("Mul", x, self.one("HardSigmoid", y, alpha=0.2, beta=0.5))

    def lstm(self, x: str, inputs: int, hidden: int) -> str:
        def ordered(*shape: int) -> str:
            """Paddle's i, f, c, o as ONNX' i, o, f, c, for both directions."""
            both = []
            for _ in range(2):
                i, f, c, o = self.node("Split", [self.weight(4 * hidden, *shape)], 4, axis=0)
                gates = self.one("Concat", i, o, f, c, axis=0)
                both.append(self.one("Unsqueeze", gates, self.ints(0)))
            return self.one("Concat", *both, axis=0)
        bias = self.one("Concat", ordered(), ordered(), axis=1)
        batch = self.one("Slice", self.one("Shape", x), self.ints(1), self.ints(2), self.ints(0))
        zeros = self.one("ConstantOfShape", self.one(
            "Concat", self.ints(2), batch, self.ints(hidden), axis=0))
        y = self.node("LSTM", [x, ordered(inputs), ordered(hidden), bias, "", zeros, zeros], 3,
                      hidden_size=hidden, direction="bidirectional")[0]
        y = self.one("Transpose", y, perm=[0, 2, 1, 3])
        return self.one("Reshape", y, self.ints(0, 0, -1))

    def made(self) -> onnx.ModelProto:
        x = self.conv("x", (3, 8), 3, (2, 2))
        x = self.squeeze_excite(self.conv(x, (8, 8), 3, (2, 1), group=8), 8)
        x = self.conv(self.conv(x, (8, 24), 1), (24, 24), 5, (2, 1), group=24)
        x = self.conv(self.squeeze_excite(x, 24), (24, 32), 3, (2, 1))
        x = self.one("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        x = self.one("Squeeze", x, self.ints(2))  # [batch, channels, width]
        x = self.one("Transpose", x, perm=[2, 0, 1])
        x = self.lstm(self.lstm(x, 32, 24), 48, 24)
        x = self.one("Transpose", x, perm=[1, 0, 2])
        x = self.one("Add", self.one("MatMul", x, self.weight(48, 97)), self.weight(97))
        self.nodes.append(h.make_node("Softmax", [x], ["text"], axis=2))
        return model(self.nodes, [("x", FLOAT, ["batch", 3, 32, "width"])],
                     [("text", FLOAT, ["batch", "steps", 97])], 13)


def test_text_lines_of_any_width(tmp_path):
    """One converted model reads lines of several widths and batches."""
    made = Recogniser().made()
    runs = []
    for k, (batch, width) in enumerate(((2, 320), (1, 100), (3, 64))):
        x = np.random.default_rng(k).normal(size=(batch, 3, 32, width)).astype(np.float32)
        if not runs:
            first = converted(made, {"x": x}, tmp_path / "model")
            ops = [n.op for n in first.nodes]
            assert ops.count("Lstm") == 2 and not {"Loop", "If"} & set(ops)
            assert not first.shape_dependent
        runs.append(Run(str(k), first, {"x": x}))
    run_all(runs, tmp_path)
    for run in runs:
        assert not run.error, run.error
        (want,) = of_runtime(made, run.feeds)
        got = run.outputs["text"]
        assert got.shape == want.shape and relative_error(got, want) <= 1e-5
        assert np.array_equal(got.argmax(2), want.argmax(2))
