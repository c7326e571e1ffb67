"""The values of blocks, each by its definition, element by element.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

from mace_tools.convert.decoders import blocks
from mace_tools.graph.quantized_weights import unpack

F = np.float32


def half(raw, at):
    return F(np.frombuffer(bytes(raw[at : at + 2]), "<f2")[0])


def nibble(raw, at, e):
    return raw[at + e % 16] & 15 if e < 16 else raw[at + e % 16] >> 4


def fifth(raw, at, e):
    return (raw[at + e // 8] >> (e % 8) & 1) << 4


def six_bits(raw, j):
    """Scale and minimum of group j."""
    s = raw[4:16]
    if j < 4:
        return s[j] & 63, s[j + 4] & 63
    return (s[j + 4] & 15) + 16 * (s[j - 4] >> 6), (s[j + 4] >> 4) + 16 * (s[j] >> 6)


def grouped(raw, e, n):
    scale, least = six_bits(raw, e // 32)
    return F(half(raw, 0) * F(scale)) * F(n) - F(half(raw, 2) * F(least))


def of_pairs(raw, at, e):
    byte = raw[at + 32 * (e // 64) + e % 32]
    return byte >> 4 if e // 32 % 2 else byte & 15


def q6_k(raw, e):
    part, k, j = e // 128, e % 128 // 32, e % 32
    low = raw[64 * part + 32 * (k & 1) + j]
    value = (low & 15 if k < 2 else low >> 4) + 16 * (raw[128 + 32 * part + j] >> (2 * k) & 3)
    scale = int(np.int8(np.uint8(raw[192 + e // 16])))
    return F(half(raw, 208) * F(scale)) * F(value - 32)


DEFINITIONS = {
    "Q8_0": lambda b, e: half(b, 0) * F(int(np.int8(np.uint8(b[2 + e])))),
    "Q4_0": lambda b, e: half(b, 0) * F(nibble(b, 2, e) - 8),
    "Q4_1": lambda b, e: half(b, 0) * F(nibble(b, 4, e)) + half(b, 2),
    "Q5_0": lambda b, e: half(b, 0) * F(nibble(b, 6, e) + fifth(b, 2, e) - 16),
    "Q5_1": lambda b, e: half(b, 0) * F(nibble(b, 8, e) + fifth(b, 4, e)) + half(b, 2),
    "Q4_K": lambda b, e: grouped(b, e, of_pairs(b, 16, e)),
    "Q5_K": lambda b, e: grouped(b, e, of_pairs(b, 48, e) + 16 * (b[16 + e % 32] >> (e // 32) & 1)),
    "Q6_K": q6_k,
}


def random_blocks(kind, count=4):
    return np.random.default_rng(3).integers(0, 256, (count, blocks.KINDS[kind].bytes), np.uint8)


@pytest.mark.parametrize("kind", blocks.KINDS)
def test_each_element_is_that_of_the_definition(kind):
    raw = random_blocks(kind)
    with np.errstate(all="ignore"):
        found = blocks.dequantized(kind, raw)
        count = blocks.KINDS[kind].values
        wanted = [[DEFINITIONS[kind](list(map(int, b)), e) for e in range(count)] for b in raw]
    np.testing.assert_array_equal(found, np.array(wanted, F))


@pytest.mark.parametrize("kind", ["Q4_0", "Q8_0"])
def test_bytes_of_the_model_file_stand_for_the_same_floats(kind):
    raw = np.random.default_rng(4).integers(0, 120, (2, 3 * blocks.KINDS[kind].bytes), np.uint8)
    packed = blocks.packed(kind, raw)
    np.testing.assert_array_equal(unpack({"Q4_0": "i4", "Q8_0": "i8b"}[kind], packed, (2, 96)),
                                  blocks.dequantized(kind, raw))


@pytest.mark.parametrize("kind", blocks.KINDS)
def test_the_gguf_package_agrees(kind):
    package = pytest.importorskip("gguf")
    raw = random_blocks(kind, 64)
    with np.errstate(all="ignore"):
        wanted = package.quants.dequantize(raw, getattr(package.GGMLQuantizationType, kind))
        np.testing.assert_array_equal(blocks.dequantized(kind, raw), wanted)
