"""Decoders with rotary embeddings, written node by node as torch.onnx writes them.

SPDX-License-Identifier: Apache-2.0

The spellings are those of LlamaModel, GPTJModel and GPTNeoXModel of Hugging Face, of the reference
implementation of Llama in real numbers, and ONNX's own operator.
"""

import numpy as np
import onnx
from onnx import TensorProto as T

from mace_tools.testing.transformers import (
    CHANNELS,
    DEPTH,
    HEADS,
    LOWEST,
    PLACES,
    TOKENS,
    WORDS,
    Net,
    repeated,
)

KV_HEADS = 2
END = np.iinfo(np.int64).max  # of a slice without an end


class RotaryNet(Net):
    """Turns heads [batch, heads, rows, DEPTH] by angles in one of several spellings; with
    `rows_first`, [batch, rows, heads, DEPTH] before the transpose."""

    def __init__(self, spelling: str, turns: int = DEPTH, rows_first: bool = False) -> None:
        super().__init__(11)
        self.spelling, self.turns, self.rows_first = spelling, turns, rows_first
        if spelling != "operator":
            self.cos, self.sin = self._angles()

    def _angles(self) -> tuple[str, str]:
        """Cosines and sines of each place times each frequency, [batch, 1, rows, turns] or, where
        the spelling has one for each pair, turns / 2."""
        turns = self.turns
        frequencies = self.const(100.0 ** -(np.arange(0, turns, 2) / turns)[None, None], np.float32)
        places = self.op("Cast", self.op("Unsqueeze", "places", self.ints(2)), to=T.FLOAT)
        angles = self.op("MatMul", places, frequencies)
        if self.spelling in ("halves", "neox"):
            angles = self.op("Concat", angles, angles, axis=-1)
        elif self.spelling == "every_two":  # GPT-J's repeat_interleave
            wide = self.op("Unsqueeze", angles, self.ints(3))
            wide = self.op("Expand", wide, self.ints(1, 1, 1, 2))
            angles = self.op("Reshape", wide, self.ints(0, 0, turns))
        axis = self.ints(2 if self.rows_first else 1)
        return tuple(self.op("Unsqueeze", self.op(op, angles), axis)
                     for op in ("Cos", "Sin"))  # type: ignore[return-value]

    def part(self, x: str, first: int, end: int, step: int = 1) -> str:
        return self.op("Slice", x, self.ints(first), self.ints(end), self.ints(-1),
                       self.ints(step))

    def turned(self, x: str, heads: int) -> str:
        """x [batch, rows, features] in heads, which are turned."""
        if not self.rows_first:
            return self.turn(self.split(x, heads))
        shaped = self.op("Reshape", x, self.shape(x, heads, DEPTH))
        return self.op("Transpose", self.turn(shaped), perm=[0, 2, 1, 3])

    def turn(self, x: str) -> str:
        """x with its first `turns` elements turned."""
        if self.spelling == "operator":
            half = self.turns // 2
            angles = np.arange(PLACES)[:, None] * 100.0 ** -(np.arange(half) / half)
            cos, sin = (self.const(f(angles), np.float32) for f in (np.cos, np.sin))
            return self.op("RotaryEmbedding", x, cos, sin, "places",
                           rotary_embedding_dim=self.turns if self.turns < DEPTH else 0)
        if self.turns == DEPTH:
            return getattr(self, self.spelling)(x)
        turned = getattr(self, self.spelling)(self.part(x, 0, self.turns))
        return self.op("Concat", turned, self.part(x, self.turns, END), axis=-1)

    def _sum(self, x: str, other: str) -> str:
        return self.op("Add", self.op("Mul", x, self.cos), self.op("Mul", other, self.sin))

    def halves(self, x: str) -> str:
        """Llama: x cos + [-x2, x1] sin."""
        half = self.turns // 2
        other = self.op("Concat", self.op("Neg", self.part(x, half, END)), self.part(x, 0, half),
                        axis=-1)
        return self._sum(x, other)

    def neox(self, x: str) -> str:
        """The same, its parts by Split and its operands the other way round."""
        half = self.turns // 2
        first, second = self.ops("Split", [x, self.ints(half, half)], 2, axis=3)
        other = self.op("Concat", self.op("Neg", second), first, axis=3)
        return self.op("Add", self.op("Mul", self.sin, other), self.op("Mul", self.cos, x))

    def every_two(self, x: str) -> str:
        """GPT-J: x cos + [-x1, x0, -x3, x2, ...] sin."""
        odd = self.op("Neg", self.part(x, 1, END, 2))
        pair = [self.op("Unsqueeze", p, self.ints(-1)) for p in (odd, self.part(x, 0, END, 2))]
        flat = self.op("Concat", self.op("Slice", self.op("Shape", x), self.ints(0), self.ints(3)),
                       self.ints(-1), axis=0)
        return self._sum(x, self.op("Reshape", self.op("Concat", *pair, axis=-1), flat))

    def _products(self, first: str, second: str) -> tuple[str, str]:
        """The real and the imaginary part of (first + i second) (cos + i sin)."""
        a, b = (self.op("Mul", x, angle) for x, angle in ((first, self.cos), (second, self.sin)))
        c, d = (self.op("Mul", x, angle) for x, angle in ((first, self.sin), (second, self.cos)))
        return self.op("Sub", a, b), self.op("Add", c, d)

    def two_products(self, x: str) -> str:
        """[x1 cos - x2 sin, x1 sin + x2 cos], with an angle for each pair."""
        half = self.turns // 2
        return self.op("Concat", *self._products(self.part(x, 0, half), self.part(x, half, END)),
                       axis=-1)

    def pairs(self, x: str) -> str:
        """Llama's complex numbers as pairs of real ones."""
        shape = self.op("Concat", self.op("Slice", self.op("Shape", x), self.ints(0),
                                          self.ints(3)), self.ints(self.turns // 2, 2), axis=0)
        paired = self.op("Reshape", x, shape)
        both = (self.op("Gather", paired, self.const(i, np.int64), axis=4) for i in range(2))
        both = [self.op("Unsqueeze", p, self.ints(-1)) for p in self._products(*both)]
        return self.op("Reshape", self.op("Concat", *both, axis=-1), self.ints(0, 0, 0, -1))

    def rms_norm(self, x: str) -> str:
        if self.spelling == "operator":
            return self.op("RMSNormalization", x, self.weight(CHANNELS, spread=1), epsilon=1e-5)
        mean = self.op("ReduceMean", self.op("Pow", x, self.number(2)), axes=[-1])
        root = self.op("Sqrt", self.op("Add", mean, self.number(1e-5)))
        y = self.op("Mul", x, self.op("Div", self.number(1), root))
        return self.op("Mul", self.weight(CHANNELS, spread=1), y)

    def project(self, x: str, outputs: int) -> str:
        return self.op("MatMul", x, self.weight(CHANNELS, outputs))


SPELLINGS = ("halves", "neox", "every_two", "two_products", "pairs", "operator")


def llama(blocks: int, spelling: str = "halves", turns: int = DEPTH,
          cached: bool = False, rows_first: bool = False) -> onnx.ModelProto:
    """Llama: words and their places [batch, sequence]; 2 heads of keys and values for 4 of queries;
    each word sees those before it. With a cache: past_k0, present_k0 and so on as in
    transformers.cached_decoder."""
    net, wide = RotaryNet(spelling, turns, rows_first), 2 * CHANNELS
    inputs = {"ids": TOKENS, "places": TOKENS}
    rows = net.extent("ids", 1)
    past = net.extent("past_k0", 2) if cached else net.ints(0)
    total = net.op("Add", past, rows)
    triangle = net.const(np.where(np.tril(np.ones((PLACES, PLACES))), 0, LOWEST)[None, None],
                         np.float32)
    mask = net.op("Slice", triangle, past, total, net.ints(2))
    mask = net.op("Slice", mask, net.ints(0), total, net.ints(3))
    x, presents = net.op("Gather", net.weight(WORDS, CHANNELS, spread=1), "ids"), []
    for i in range(blocks):
        y = net.rms_norm(x)
        q = net.turned(net.project(y, CHANNELS), HEADS)
        k = net.turned(net.project(y, KV_HEADS * DEPTH), KV_HEADS)
        v = net.split(net.project(y, KV_HEADS * DEPTH), KV_HEADS)
        if cached:
            for kind in "kv":
                inputs[f"past_{kind}{i}"] = (T.FLOAT, ["batch", KV_HEADS, "past", DEPTH])
            k, v = (net.op("Concat", f"past_{kind}{i}", x_, axis=2)
                    for kind, x_ in (("k", k), ("v", v)))
            presents += [k, v]
        k, v = (repeated(net, part, KV_HEADS) for part in (k, v))
        y = net.attend(q, net.op("Transpose", k, perm=[0, 1, 3, 2]), v, mask)
        x = net.op("Add", x, net.project(net.join(y), CHANNELS))
        y = net.rms_norm(x)
        gate = net.project(y, wide)
        gate = net.op("Mul", gate, net.op("Sigmoid", gate))
        y = net.op("Mul", gate, net.project(y, wide))
        x = net.op("Add", x, net.op("MatMul", y, net.weight(wide, CHANNELS)))
    y = net.op("MatMul", net.rms_norm(x), net.weight(CHANNELS, WORDS))
    model = net.model(inputs, [net.op("Identity", name) for name in (y, *presents)])
    if spelling == "operator":
        model.opset_import[0].version = 23
        model.ir_version = 11
    return model
