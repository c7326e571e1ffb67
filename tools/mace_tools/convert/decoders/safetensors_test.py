"""safetensors files that are right, and those that a reader must refuse.

SPDX-License-Identifier: Apache-2.0
"""

import json

import numpy as np
import pytest

from mace_tools.convert.decoders import folder, safetensors
from mace_tools.support.errors import ModelError
from mace_tools.testing.decoder_cases import write_folder, write_parts, write_safetensors


def entry(shape=(2, 2), begin=0, end=16, dtype="F32"):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def refused(tmp_path, header, data=bytes(16)):
    """The message for a file with this header."""
    path = tmp_path / "m.safetensors"
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    write_parts(path, raw, data)
    with pytest.raises(ModelError) as raised:
        safetensors.read(path)
    message = str(raised.value)
    assert message.startswith(f"{path}: ")
    return message


def test_every_type_has_its_values(tmp_path):
    path = tmp_path / "m.safetensors"
    values = np.array([[1.5, -2], [0.25, 3]], np.float32)
    bf16 = (values.view(np.uint32) >> 16).astype("<u2")
    write_safetensors(path, {
        "a": ("F32", [2, 2], values.tobytes()), "c": ("BF16", [2, 2], bf16.tobytes()),
        "b": ("F16", [2, 2], values.astype("<f2").tobytes()),
        "d": ("F64", [2, 2], values.astype("<f8").tobytes()),
        "scalar": ("F32", [], values[:1, 0].tobytes()), "empty": ("F32", [0, 3], b"")})
    found = safetensors.read(path)
    for name in "abcd":
        np.testing.assert_array_equal(found[name].floats(), values)
        assert found[name].floats().dtype == np.float32
    assert found["scalar"].floats() == 1.5 and found["empty"].floats().shape == (0, 3)
    assert np.shares_memory(found["a"].floats(), found["a"].data)  # it stays in the file


def test_trailing_spaces_and_unknown_fields_are_allowed(tmp_path):
    path = tmp_path / "m.safetensors"
    header = json.dumps({"a": {**entry(), "note": 1}}).encode() + b"   "
    write_parts(path, header, bytes(16))
    assert [*safetensors.read(path)] == ["a"]


def test_a_file_that_is_cut_off(tmp_path):
    path = tmp_path / "m.safetensors"
    write_parts(path, json.dumps({"a": entry()}).encode(), bytes(16))
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError):
            safetensors.read(path)


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 100_000_001, 17])
def test_a_header_longer_than_the_file(tmp_path, length):
    path = tmp_path / "m.safetensors"
    path.write_bytes(length.to_bytes(8, "little") + b"{}" + bytes(14))
    with pytest.raises(ModelError, match="its header is to have"):
        safetensors.read(path)


@pytest.mark.parametrize(("header", "words"), [
    (b"[]", "no JSON object"), (b"{", "no JSON"), (b"\xff{}", "no JSON"),
    (b"[" * 100_000, "no JSON"), ({"__metadata__": {"a": 1}}, "__metadata__"),
    ({"a": 3}, "no object"), ({"a": entry(dtype="F8_E4M3")}, "element type 'F8_E4M3'"),
    ({"a": entry(dtype=7)}, "element type 7"), ({"a": entry((-2, -2))}, "natural"),
    ({"a": entry((2.0, 2))}, "natural"), ({"a": entry((True, 4))}, "natural"),
    ({"a": {"dtype": "F32", "shape": [2, 2]}}, "natural"),
    ({"a": entry(begin=16)}, "does not have"),
    ({"a": entry(begin=8, end=4)}, "outside"), ({"a": entry((2, 3))}, "does not have the 16 bytes"),
])
def test_malformed_headers(tmp_path, header, words):
    assert words in refused(tmp_path, header)


def test_sizes_whose_product_wraps_at_64_bits(tmp_path):
    """CVE-2026-33298: 2^62 * 4 * 4 bytes are 0 in 64 bits."""
    assert "does not have" in refused(tmp_path, {"a": entry((2**62, 4), 0, 0)}, b"")
    assert "outside" in refused(tmp_path, {"a": entry((2**62, 4), 0, 2**66)})


def test_data_beyond_the_end_of_the_file(tmp_path):
    """CVE-2026-7482: offset + size was not compared with the length of the file."""
    assert "outside of the 16 bytes" in refused(tmp_path, {"a": entry((2, 4), 0, 32)})


def test_tensors_that_overlap_or_leave_gaps(tmp_path):
    two = {"a": entry((4,)), "b": entry((4,), 8, 24)}
    assert "overlap those of 'a'" in refused(tmp_path, two, bytes(24))
    two["b"]["data_offsets"] = [20, 36]
    assert "leave a gap behind those of 'a'" in refused(tmp_path, two, bytes(36))
    assert "belong to none" in refused(tmp_path, {"a": entry((4,))}, bytes(20))


def test_duplicate_keys(tmp_path):
    """The last of two would win silently."""
    one = json.dumps(entry())
    assert "'a' twice" in refused(tmp_path, f'{{"a": {one}, "a": {one}}}'.encode())


def test_one_of_very_many_keys_again(tmp_path):
    """Finding it takes a moment, not the square of their number."""
    names = [*map(str, range(200_000)), "199999"]
    text = ",".join(f'"{name}":0' for name in names)
    assert "'199999' twice" in refused(tmp_path, f"{{{text}}}".encode())


def test_a_folder_of_shards(tmp_path):
    tensors = {name: np.full((2, 2), k, np.float32) for k, name in enumerate("abcde")}
    write_folder(tmp_path, {}, tensors, 3)
    found = folder.tensors(tmp_path)
    assert {n: t.floats()[0, 0] for n, t in found.items()} == {n: k for k, n in enumerate("abcde")}
    index = tmp_path / folder.INDEX
    content = json.loads(index.read_text())

    def message(change):
        changed = json.loads(json.dumps(content))
        change(changed["weight_map"])
        index.write_text(json.dumps(changed))
        with pytest.raises(ModelError) as raised:
            folder.tensors(tmp_path)
        return str(raised.value)

    first, second = content["weight_map"]["a"], content["weight_map"]["b"]
    assert "which model.safetensors.index.json has for" in message(lambda m: m.update(a=second))
    assert "has not" in message(lambda m: m.pop("a"))
    assert "'z' is not in it" in message(lambda m: m.update(z=first))
    assert "is not there" in message(lambda m: m.update(a="gone.safetensors"))
    assert "no name of a file" in message(lambda m: m.update(a="../a.safetensors"))
    assert "no object of texts" in message(lambda m: m.update(a=3))


def test_a_folder_without_safetensors(tmp_path):
    with pytest.raises(ModelError, match="download the whole checkpoint"):
        folder.tensors(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(ModelError, match="safe_serialization=True"):
        folder.tensors(tmp_path)
