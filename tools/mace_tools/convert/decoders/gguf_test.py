"""GGUF files that are right, and those that a reader must refuse.

SPDX-License-Identifier: Apache-2.0
"""

import struct

import numpy as np
import pytest

from mace_tools.convert.decoders import gguf, gguf_keys
from mace_tools.support.errors import ModelError
from mace_tools.testing.gguf_file import F32, KINDS, U64, Written, content, floats, text, typed

ONES = floats(np.ones((2, 4), np.float32))
KEYS = [("general.architecture", "llama")]


def read(tmp_path, raw):
    path = tmp_path / "m.gguf"
    path.write_bytes(raw)
    return gguf.read(path)


def refused(tmp_path, raw):
    with pytest.raises(ModelError) as raised:
        read(tmp_path, raw)
    message = str(raised.value)
    assert message.startswith(f"{tmp_path / 'm.gguf'}: ")
    return message


def tensor(dims=(4, 2), kind=KINDS["F32"], data=bytes(32), offset=None):
    return Written(kind, dims, data, offset)


@pytest.mark.parametrize("version", [2, 3])
def test_keys_and_tensors(tmp_path, version):
    keys = [*KEYS, ("i", -1), ("f", 0.5), ("b", True), ("s", "text"), ("a", [1, 2]),
            ("texts", ["x", ""]), ("floats", [0.5]), ("u64", struct.pack("<IQ", U64, 2**40))]
    keys[1] = ("i", struct.pack("<Ii", 5, -1))
    weights = np.arange(8, dtype=np.float32).reshape(2, 4)
    found = read(tmp_path, content(keys, [("w", floats(weights)), ("h", floats(weights, "F16")),
                                          ("b", floats(weights, "BF16"))], version))
    assert {k: v for k, v in found.keys.items() if k not in ("a", "floats")} == {
        "general.architecture": "llama", "i": -1, "f": 0.5, "b": True, "s": "text",
        "texts": ["x", ""], "u64": 2**40}
    assert found.keys["a"].tolist() == [1, 2] and found.keys["floats"].tolist() == [0.5]
    for name in "whb":
        np.testing.assert_array_equal(found.tensors[name].floats(), weights)
    assert np.shares_memory(found.tensors["w"].floats(), found.tensors["w"].data)


def test_keys_alone_are_read_of_files_with_other_tensors(tmp_path):
    path, other = tmp_path / "m.gguf", tensor(kind=10)
    keys = [*KEYS, ("tokenizer.a", [1, 2]), ("tokenizer.b", [0.5]), ("tokenizer.c", ["x"])]
    path.write_bytes(content(keys, [("w", other)]))
    assert gguf_keys.read(path, "tokenizer.") == {
        "tokenizer.a": [1, 2], "tokenizer.b": [0.5], "tokenizer.c": ["x"]}
    path.write_bytes(content([*KEYS, *keys], [("w", other)]))
    with pytest.raises(ModelError, match="is there twice"):
        gguf_keys.read(path, "tokenizer.")


def test_other_alignments_and_a_missing_last_padding(tmp_path):
    keys = [*KEYS, ("general.alignment", 64)]
    odd = floats(np.ones((1, 3), np.float32))
    raw = content(keys, [("a", odd), ("b", odd)], alignment=64)
    assert read(tmp_path, raw[:-52]).tensors["b"].floats().tolist() == [[1, 1, 1]]
    assert "cut off" in refused(tmp_path, raw[:-53])


def test_a_file_that_is_cut_off(tmp_path):
    whole = content([*KEYS, ("a", [1, 2])], [("w", ONES)])
    for size in range(1, len(whole)):
        refused(tmp_path, whole[:size])


@pytest.mark.parametrize(("version", "words"), [
    (1, "version 1"), (4, "version 4"), (3 << 24, "big-endian")])
def test_versions(tmp_path, version, words):
    assert words in refused(tmp_path, content(KEYS, [], version))


def test_another_magic(tmp_path):
    assert "does not begin" in refused(tmp_path, b"GGJT" + content(KEYS, [])[4:])


@pytest.mark.parametrize("count", [2**64 - 1, 2**63, 2**61, 1000])
def test_counts_that_the_file_cannot_hold(tmp_path, count):
    """CVE-2026-27940, CVE-2024-23496: a product of a count wraps, and little is allocated."""
    assert "the number of tensors" in refused(tmp_path, content(KEYS, [], counts=(count, 1)))
    assert "the number of keys" in refused(tmp_path, content(KEYS, [], counts=(0, count)))
    array = struct.pack("<IIQ", 9, F32, count)
    assert "the length of 'a'" in refused(tmp_path, content([("a", array)], []))
    texts = struct.pack("<IIQ", 9, 8, count)
    assert "the length of 'a'" in refused(tmp_path, content([("a", texts)], []))


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**31, 5000])
def test_texts_longer_than_the_file(tmp_path, length):
    """CVE-2025-49847, CVE-2024-23605: the length of a text or a token."""
    long = struct.pack("<IQ", 8, length) + b"abc"
    assert "the length of the text of 'a'" in refused(tmp_path, content([("a", long)], []))
    token = struct.pack("<IIQ", 9, 8, 1) + struct.pack("<Q", length) + bytes(40)
    assert "'tokens'[0]" in refused(tmp_path, content([("tokens", token)], []))


def test_malformed_keys(tmp_path):
    assert "is there twice" in refused(tmp_path, content([*KEYS, *KEYS], []))
    assert "1 to 65535" in refused(tmp_path, content([("", 1)], []))
    assert "type 13" in refused(tmp_path, content([("a", struct.pack("<IQ", 13, 0))], []))
    nested = struct.pack("<IIQ", 9, 9, 1) + typed([1])
    assert "array of type 9" in refused(tmp_path, content([("a", nested)], []))


@pytest.mark.parametrize("dims", [(2**62, 4), (2**64 - 32, 1), (2**32, 2**32), (2**40, 2)])
def test_sizes_beyond_the_file(tmp_path, dims):
    """CVE-2026-33298: the bytes of a tensor wrap at 2^64."""
    message = refused(tmp_path, content(KEYS, [("w", tensor(dims, data=b""))]))
    assert "tensor 'w' of F32" in message and "needs" in message


def test_data_beyond_the_end_of_the_file(tmp_path):
    """CVE-2026-7482: offset + size was not compared with the length of the file."""
    raw = content(KEYS, [("a", ONES), ("b", tensor((4, 3)))])
    assert "tensor 'b' needs the bytes 32 to 80" in refused(tmp_path, raw)


def test_tensors_that_overlap_or_leave_gaps(tmp_path):
    for offset, words in ((0, "overlaps"), (64, "leaves a gap"), (31, "overlaps"),
                          (2**64 - 32, "leaves a gap")):
        raw = content(KEYS, [("a", ONES), ("b", tensor(offset=offset))])
        assert words in refused(tmp_path, raw)


def test_malformed_tensors(tmp_path):
    def message(*tensors):
        return refused(tmp_path, content(KEYS, tensors))

    assert "tensor 'w' is there twice" in message(("w", ONES), ("w", ONES))
    assert "of type 4, which is not read" in message(("w", tensor(kind=4)))
    assert "of type Q2_K, which is not read" in message(("w", tensor(kind=10)))
    assert "of type 4294967295" in message(("w", tensor(kind=2**32 - 1)))
    assert "no multiple of 32" in message(("w", tensor((48, 1), KINDS["Q8_0"])))
    assert "no multiple of 256" in message(("w", tensor((32, 8), KINDS["Q4_K"])))
    assert "5 dimensions" in message(("w", tensor((1, 1, 1, 1, 1))))
    assert "1 to 63" in message(("w" * 64, ONES))


@pytest.mark.parametrize("alignment", [0, 24, 2**31, struct.pack("<IQ", U64, 2**63), "32", -1])
def test_alignments(tmp_path, alignment):
    value = struct.pack("<Ii", 5, alignment) if alignment == -1 else alignment
    raw = content([*KEYS, ("general.alignment", value)], [("w", ONES)])
    assert "general.alignment" in refused(tmp_path, raw)


def test_a_part_of_a_split_model(tmp_path):
    raw = content([*KEYS, ("split.count", 3), ("split.no", 1)], [])
    assert "part 2 of 3" in refused(tmp_path, raw)


def test_tokens_that_are_no_utf8_are_kept(tmp_path):
    token = struct.pack("<IIQ", 9, 8, 1) + text(b"\xff")
    found = read(tmp_path, content([("tokenizer.ggml.tokens", token)], []))
    assert found.keys["tokenizer.ggml.tokens"][0].encode("utf-8", "surrogateescape") == b"\xff"
