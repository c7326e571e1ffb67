"""Small transformers, written node by node as exporters write them: a vision transformer, an
encoder of text, and decoders with and without a cache of keys and values.

SPDX-License-Identifier: Apache-2.0

The spellings are those of torch.onnx for timm's VisionTransformer and for BertModel, GPT2Model and
LlamaModel of Hugging Face.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

CHANNELS, HEADS, WORDS, PLACES = 32, 4, 50, 32
DEPTH = CHANNELS // HEADS
LOWEST = float(np.finfo(np.float32).min)


@dataclass(frozen=True)
class Size:
    """Of a network."""

    channels: int = CHANNELS
    heads: int = HEADS
    words: int = WORDS
    places: int = PLACES
    widths: int = 2  # the channels of a feed-forward layer, in `channels`

    @property
    def depth(self) -> int:
        return self.channels // self.heads


SMALL = Size()
# GPT-2 small, with fewer words.
GPT2 = Size(768, 12, 500, 1024, 4)


class Net:
    """Nodes and weights, made call by call; tensors are names."""

    def __init__(self, seed: int = 0, size: Size = SMALL) -> None:
        self.size = size
        self.nodes: list[Any] = []
        self.weights: list[Any] = []
        self.rng = np.random.default_rng(seed)

    def op(self, op: str, *inputs: str, **attrs: Any) -> str:
        return self.ops(op, inputs, 1, **attrs)[0]

    def ops(self, op: str, inputs: Sequence[str], count: int, **attrs: Any) -> list[str]:
        k = len(self.nodes)
        names = [f"t{k}_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=f"{op}_{k}", **attrs))
        return names

    def const(self, value: Any, dtype: Any = None) -> str:
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def ints(self, *values: int) -> str:
        return self.const(values, np.int64)

    def number(self, value: float) -> str:
        return self.const(value, np.float32)

    def weight(self, *shape: int, spread: float = 0.0) -> str:
        return self.const(self.rng.normal(size=shape) * (spread or shape[0] ** -0.5), np.float32)

    def linear(self, x: str, inputs: int, outputs: int) -> str:
        product = self.op("MatMul", x, self.weight(inputs, outputs))
        return self.op("Add", self.weight(outputs, spread=0.1), product)

    def conv1d(self, x: str, inputs: int, outputs: int) -> str:
        """GPT-2's linear layer."""
        y = self.op("Gemm", self.op("Reshape", x, self.ints(-1, inputs)),
                    self.weight(inputs, outputs), self.weight(outputs, spread=0.1))
        return self.op("Reshape", y, self.shape(x, outputs))

    def layer_norm(self, x: str) -> str:
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        variance = self.op("ReduceMean", self.op("Pow", centred, self.number(2)), axes=[-1])
        y = self.op("Div", centred, self.op("Sqrt", self.op("Add", variance, self.number(1e-5))))
        y = self.op("Mul", y, self.weight(self.size.channels, spread=1))
        return self.op("Add", y, self.weight(self.size.channels, spread=1))

    def gelu(self, x: str) -> str:
        gate = self.op("Erf", self.op("Div", x, self.number(2**0.5)))
        gate = self.op("Add", gate, self.number(1))
        return self.op("Mul", self.op("Mul", x, gate), self.number(0.5))

    def tanh_gelu(self, x: str) -> str:
        cube = self.op("Mul", self.op("Pow", x, self.number(3)), self.number(0.044715))
        inner = self.op("Mul", self.op("Add", x, cube), self.number((2 / np.pi) ** 0.5))
        gate = self.op("Add", self.op("Tanh", inner), self.number(1))
        return self.op("Mul", self.op("Mul", x, self.number(0.5)), gate)

    def extent(self, x: str, axis: int) -> str:
        place = self.const(axis, np.int64)
        return self.op("Unsqueeze", self.op("Gather", self.op("Shape", x), place), self.ints(0))

    def shape(self, x: str, *rest: int) -> str:
        """[the batch and the rows of x, *rest]"""
        return self.op("Concat", self.extent(x, 0), self.extent(x, 1),
                       *(self.ints(n) for n in rest), axis=0)

    def split(self, x: str, heads: int = 0, perm: Sequence[int] = (0, 2, 1, 3)) -> str:
        size = self.size
        shaped = self.op("Reshape", x, self.shape(x, heads or size.heads, size.depth))
        return self.op("Transpose", shaped, perm=list(perm))

    def join(self, y: str) -> str:
        turned = self.op("Transpose", y, perm=[0, 2, 1, 3])
        return self.op("Reshape", turned, self.shape(turned, self.size.channels))

    def attend(self, q: str, turned_k: str, v: str, mask: str = "") -> str:
        scores = self.op("Div", self.op("MatMul", q, turned_k),
                         self.number(self.size.depth**0.5))
        if mask:
            scores = self.op("Add", scores, mask)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), v)

    def feed_forward(self, x: str) -> str:
        few, wide = self.size.channels, self.size.widths * self.size.channels
        return self.linear(self.gelu(self.linear(x, few, wide)), wide, few)

    def model(self, inputs: dict[str, tuple[Any, Sequence[int | str]]],
              outputs: Sequence[str]) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, "net",
            [helper.make_tensor_value_info(n, t, s) for n, (t, s) in inputs.items()],
            [helper.make_tensor_value_info(n, T.FLOAT, None) for n in outputs], self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


TOKENS = (T.INT64, ["batch", "sequence"])


def encoder(blocks: int) -> onnx.ModelProto:
    """BERT: words and a mask of 1 and 0, [batch, sequence]."""
    net = Net()
    places = net.op("Slice", net.const(np.arange(PLACES)[None]), net.ints(0),
                    net.extent("ids", 1), net.ints(1))
    x = net.op("Add", net.op("Gather", net.weight(WORDS, CHANNELS, spread=1), "ids"),
               net.op("Gather", net.weight(PLACES, CHANNELS, spread=1), places))
    x = net.layer_norm(x)
    seen = net.op("Cast", net.op("Unsqueeze", "mask", net.ints(1, 2)), to=T.FLOAT)
    mask = net.op("Mul", net.op("Sub", net.number(1), seen), net.number(LOWEST))
    for _ in range(blocks):
        q = net.split(net.linear(x, CHANNELS, CHANNELS))
        k = net.split(net.linear(x, CHANNELS, CHANNELS), perm=(0, 2, 3, 1))
        v = net.split(net.linear(x, CHANNELS, CHANNELS))
        y = net.linear(net.join(net.attend(q, k, v, mask)), CHANNELS, CHANNELS)
        x = net.layer_norm(net.op("Add", y, x))
        x = net.layer_norm(net.op("Add", net.feed_forward(x), x))
    return net.model({"ids": TOKENS, "mask": TOKENS}, [x])


def vision(blocks: int) -> onnx.ModelProto:
    """ViT: images [batch, 3, 32, 32] to 10 numbers."""
    net = Net(1)
    patches = net.op("Conv", "x", net.weight(CHANNELS, 3, 8, 8, spread=0.07),
                     net.weight(CHANNELS, spread=0.1), kernel_shape=[8, 8], strides=[8, 8])
    flat = net.op("Concat", net.extent(patches, 0), net.ints(CHANNELS), net.ints(-1), axis=0)
    patches = net.op("Transpose", net.op("Reshape", patches, flat), perm=[0, 2, 1])
    one = net.op("Concat", net.extent("x", 0), net.ints(1), net.ints(1), axis=0)
    first = net.op("Expand", net.weight(1, 1, CHANNELS, spread=1), one)
    x = net.op("Add", net.op("Concat", first, patches, axis=1),
               net.weight(1, 17, CHANNELS, spread=1))
    for _ in range(blocks):
        y = net.layer_norm(x)
        packed = net.op("Reshape", net.linear(y, CHANNELS, 3 * CHANNELS),
                        net.shape(y, 3, HEADS, DEPTH))
        packed = net.op("Transpose", packed, perm=[2, 0, 3, 1, 4])
        q, k, v = (net.op("Gather", packed, net.const(i, np.int64), axis=0) for i in range(3))
        q = net.op("Mul", q, net.number(DEPTH**-0.5))
        turned = net.op("Transpose", k, perm=[0, 1, 3, 2])
        scores = net.op("Softmax", net.op("MatMul", q, turned), axis=-1)
        z = net.op("Transpose", net.op("MatMul", scores, v), perm=[0, 2, 1, 3])
        z = net.op("Reshape", z, net.shape(y, CHANNELS))
        x = net.op("Add", x, net.linear(z, CHANNELS, CHANNELS))
        x = net.op("Add", x, net.feed_forward(net.layer_norm(x)))
    y = net.op("Gather", net.layer_norm(x), net.const(0, np.int64), axis=1)
    y = net.op("Gemm", y, net.weight(CHANNELS, 10), net.weight(10, spread=0.1))
    return net.model({"x": (T.FLOAT, ["batch", 3, 32, 32])}, [y])


def decoder(blocks: int) -> onnx.ModelProto:
    """GPT-2: words [batch, sequence], each of which sees those before it."""
    net = Net(2)
    rows = net.extent("ids", 1)
    places = net.op("Range", net.const(0, np.int64), net.op("Squeeze", rows),
                    net.const(1, np.int64))
    x = net.op("Add", net.op("Gather", net.weight(WORDS, CHANNELS, spread=1), "ids"),
               net.op("Gather", net.weight(PLACES, CHANNELS, spread=1),
                      net.op("Unsqueeze", places, net.ints(0))))
    triangle = np.tril(np.ones((1, 1, PLACES, PLACES), bool))
    for _ in range(blocks):
        y = net.conv1d(net.layer_norm(x), CHANNELS, 3 * CHANNELS)
        q, k, v = net.ops("Split", [y, net.ints(CHANNELS, CHANNELS, CHANNELS)], 3, axis=2)
        q, k, v = net.split(q), net.split(k, perm=(0, 2, 3, 1)), net.split(v)
        scores = net.op("Div", net.op("MatMul", q, k), net.number(DEPTH**0.5))
        seen = net.op("Slice", net.const(triangle), net.ints(0), rows, net.ints(2))
        seen = net.op("Slice", seen, net.ints(0), rows, net.ints(3))
        scores = net.op("Where", seen, scores, net.number(-1e4))
        y = net.join(net.op("MatMul", net.op("Softmax", scores, axis=-1), v))
        x = net.op("Add", net.conv1d(y, CHANNELS, CHANNELS), x)
        y = net.tanh_gelu(net.conv1d(net.layer_norm(x), CHANNELS, 2 * CHANNELS))
        x = net.op("Add", x, net.conv1d(y, 2 * CHANNELS, CHANNELS))
    y = net.op("MatMul", net.layer_norm(x), net.weight(CHANNELS, WORDS))
    return net.model({"ids": TOKENS}, [y])


def cached_decoder(blocks: int, kv_heads: int = 0, size: Size = SMALL) -> onnx.ModelProto:
    """The same with the keys and values of earlier words as inputs past_i and outputs present_i,
    [batch, kv_heads, words, depth], each of which may serve several heads of queries."""
    net, channels, depth = Net(3, size), size.channels, size.depth
    kv_heads = kv_heads or size.heads
    inputs: dict[str, tuple[Any, Sequence[int | str]]] = {"ids": TOKENS}
    past, presents = net.extent("past_k0", 2), []
    total = net.op("Add", past, net.extent("ids", 1))
    places = net.op("Range", net.op("Squeeze", past), net.op("Squeeze", total),
                    net.const(1, np.int64))
    x = net.op("Add", net.op("Gather", net.weight(size.words, channels, spread=1), "ids"),
               net.op("Gather", net.weight(size.places, channels, spread=1),
                      net.op("Unsqueeze", places, net.ints(0))))
    seen = np.tril(np.ones((1, 1, size.places, size.places)))
    triangle = net.const(np.where(seen, 0, LOWEST), np.float32)
    mask = net.op("Slice", triangle, past, total, net.ints(2))
    mask = net.op("Slice", mask, net.ints(0), total, net.ints(3))
    for i in range(blocks):
        y, few = net.layer_norm(x), kv_heads * depth
        q = net.split(net.linear(y, channels, channels))
        new = [net.split(net.linear(y, channels, few), kv_heads) for _ in "kv"]
        for kind in "kv":
            inputs[f"past_{kind}{i}"] = (T.FLOAT, ["batch", kv_heads, "past", depth])
        k, v = (net.op("Concat", f"past_{kind}{i}", part, axis=2)
                for kind, part in zip("kv", new))
        presents += [k, v]
        if kv_heads != size.heads:
            k, v = (repeated(net, part, kv_heads) for part in (k, v))
        y = net.attend(q, net.op("Transpose", k, perm=[0, 1, 3, 2]), v, mask)
        x = net.op("Add", x, net.linear(net.join(y), channels, channels))
        x = net.op("Add", x, net.feed_forward(net.layer_norm(x)))
    y = net.op("MatMul", net.layer_norm(x), net.weight(channels, size.words))
    outputs = [net.op("Identity", name) for name in (y, *presents)]
    return net.model(inputs, outputs)


def repeated(net: Net, x: str, heads: int) -> str:
    """LLaMA's repeat_kv."""
    wide = net.op("Concat", net.extent(x, 0), net.ints(heads), net.ints(net.size.heads // heads),
                  net.extent(x, 2), net.ints(net.size.depth), axis=0)
    wide = net.op("Expand", net.op("Unsqueeze", x, net.ints(2)), wide)
    joined = net.op("Concat", net.extent(x, 0), net.ints(net.size.heads), net.extent(x, 2),
                    net.ints(net.size.depth), axis=0)
    return net.op("Reshape", wide, joined)


def words(rng: np.random.Generator, batch: int, sequence: int) -> np.ndarray:
    return rng.integers(0, WORDS, (batch, sequence))


def text(rng: np.random.Generator, batch: int, sequence: int) -> dict[str, np.ndarray]:
    """Words, of which the first text uses only the first half."""
    mask = np.ones((batch, sequence), np.int64)
    mask[0, sequence // 2 + 1:] = 0
    return {"ids": words(rng, batch, sequence), "mask": mask}


def with_feeds(rng: np.random.Generator) -> dict[str, Any]:
    """By name: what makes a network of so many blocks, and the inputs of (batch, sequence)."""
    return {
        "encoder": (encoder, lambda n, s: text(rng, n, s)),
        "vision": (vision, lambda n, _: {"x": rng.normal(size=(n, 3, 32, 32)).astype("f")}),
        "decoder": (decoder, lambda n, s: {"ids": words(rng, n, s)}),
    }
