"""Tests that a capsule's model has the shape of a model and nothing that it has learned.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
import xxhash

from mace_tools.convert.capsule_model import hidden, random_like
from mace_tools.support import protos

PROTO = protos.mace()


def secret_net():
    net = PROTO.NetDef(name="secret", version="v", format_version=2)
    net.input_info.add(name="secret_x", dims=[-1, 3], dim_names=["secret_n", ""])
    net.output_info.add(name="secret_y", dims=[2])
    net.fixed_input_shapes.append("secret_node")
    net.settings.add(name="float32_nodes").strings.items.append("secret_if")
    op = net.op.add(name="secret_if", type="If", input=["secret_x", ""], output=["secret_y"])
    op.arg.add(name="then", type=op.arg.add().SUBGRAPH, s=b"secret_branch")
    op.arg.add(name="axis", type=op.arg[0].INT, i=3)
    del op.arg[0]
    part = net.subgraphs.add(name="secret_branch")
    part.input_info.add(name="secret_in")
    part.output_info.add(name="secret_out")
    part.op.add(name="secret_add", type="Eltwise", input=["secret_in", "secret_w"],
                output=["secret_out"])
    net.variables.add(next="secret_y", initial="secret_w").tensor.name = "secret_state"
    return net


def with_weights(net, weights):
    """weights: (name, array, data_type, stored_type or None, quantized)."""
    data = bytearray()
    for name, array, kind, stored, quantized, dims, size in weights:
        data += bytes(-len(data) % 64)
        entry = net.tensors.add(name=name, dims=dims, offset=len(data), data_size=size,
                                data_type=getattr(PROTO, kind))
        if stored:
            entry.stored_type = getattr(PROTO, stored)
        if quantized:
            entry.quantization.scales.append(0.5)
        data += array if isinstance(array, bytes) else array.tobytes()
    net.data_bytes, net.data_xxh3 = len(data), xxhash.xxh3_64_intdigest(bytes(data))
    return bytes(data)


def test_all_names_are_hidden_and_the_structure_stays():
    net = secret_net()
    ones = np.ones(4, np.float32)
    data = with_weights(net, [("secret_w", ones, "DT_FLOAT", None, False, [4], 4)])
    before = PROTO.NetDef()
    before.CopyFrom(net)
    _, names = hidden(net, data, 1)
    assert b"secret" not in net.SerializeToString()
    assert names == {"secret_x": net.input_info[0].name, "secret_y": net.output_info[0].name}
    branch = net.subgraphs[0]
    assert net.op[0].arg[0].s.decode() == branch.name
    assert (net.op[0].arg[1].name, net.op[0].arg[1].i) == ("axis", 3)
    assert list(net.op[0].input) == [names["secret_x"], ""]
    assert branch.op[0].input[1] == net.tensors[0].name == net.variables[0].initial
    assert branch.op[0].output[0] == branch.output_info[0].name
    assert net.settings[0].strings.items[0] == net.op[0].name
    assert list(net.input_info[0].dims) == [-1, 3] and net.input_info[0].dim_names[1] == ""
    assert [op.type for op in (*net.op, *branch.op)] == ["If", "Eltwise"]
    assert len({t for t in (*names.values(), branch.op[0].input[0], net.tensors[0].name)}) == 4


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint8])
def test_random_values_have_the_range_and_the_zeros(dtype):
    rng = np.random.default_rng(3)
    old = (rng.uniform(-50, 60, 1000) if dtype != np.uint8 else rng.uniform(0, 99, 1000)).astype(
        dtype)
    old[:300] = 0
    if np.dtype(dtype).kind == "f":
        old[300:303] = np.nan, np.inf, -np.inf
    new = random_like(old, rng)
    assert new.dtype == old.dtype and new.shape == old.shape
    with np.errstate(invalid="ignore"):
        same = (new == old) & (old != 0)
    assert same.mean() < 0.1
    a, b = old.astype(float), new.astype(float)
    assert np.isnan(a).sum() == np.isnan(b).sum() and np.isinf(a).sum() == np.isinf(b).sum()
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    assert (a.min(), a.max()) == (b.min(), b.max())
    assert (a == 0).sum() <= (b == 0).sum() <= (a == 0).sum() + 20


def test_only_plain_integers_stay():
    rng = np.random.default_rng(5)
    real = rng.uniform(1, 2, 640).astype(np.float32)
    bf16 = (real.view(np.uint32) >> 16).astype(np.uint16)
    int8 = rng.integers(-99, 99, (10, 64), np.int8)
    packed = rng.integers(0, 255, 320, np.uint8)  # 10 rows of 2 blocks of 32 elements
    weights = [
        ("float", real, "DT_FLOAT", None, False, [10, 64], 640),
        ("half", real.astype(np.float16), "DT_FLOAT", "DT_HALF", False, [10, 64], 640),
        ("bf16", bf16, "DT_FLOAT", "DT_BFLOAT16", False, [10, 64], 640),
        ("rows", int8.tobytes() + real[:10].tobytes(), "DT_FLOAT", "DT_INT8", False, [10, 64], 640),
        ("int4", packed.tobytes() + real[:20].astype(np.float16).tobytes(), "DT_FLOAT", "DT_UINT8",
         False, [10, 64], 640),
        ("int8_blocks", int8.tobytes() + real[:20].astype(np.float16).tobytes(), "DT_FLOAT",
         "DT_INT8_BLOCKS", False, [10, 64], 640),
        ("int4_zeros", packed.tobytes() + real[:40].astype(np.float16).tobytes(), "DT_FLOAT",
         "DT_UINT4_BLOCKS", False, [10, 64], 640),
        ("channels", int8, "DT_FLOAT", "DT_INT8", True, [10, 64], 640),
        ("quantized", int8, "DT_INT8", None, True, [10, 64], 640),
        ("bias", np.arange(640, dtype=np.int32), "DT_INT32", None, True, [640], 640),
        ("indices", np.arange(640, dtype=np.int64), "DT_INT64", None, False, [640], 640),
        ("mask", np.arange(640) % 2 == 0, "DT_BOOL", None, False, [640], 640),
    ]
    net = PROTO.NetDef()
    data = with_weights(net, weights)
    new, _ = hidden(net, data, 9)
    assert len(new) == len(data) and net.data_xxh3 == xxhash.xxh3_64_intdigest(new)
    for entry, (name, array, *_) in zip(net.tensors, weights):
        size = len(array) if isinstance(array, bytes) else array.nbytes
        old, now = (np.frombuffer(d, np.uint8, size, entry.offset) for d in (data, new))
        if name in ("indices", "mask"):
            assert (old == now).all()
        else:
            assert (old != now).mean() > 0.3, name
    rows = net.tensors[3]
    scales = np.frombuffer(new, np.float32, 10, rows.offset + 640)
    assert real[:10].min() <= scales.min() and scales.max() <= real[:10].max()
    zeros = np.frombuffer(new, np.float16, 20, net.tensors[6].offset + 320 + 40)
    assert 0.99 < zeros.min() and zeros.max() < 2.01
    again, _ = hidden(PROTO.NetDef.FromString(net.SerializeToString()), data, 9)
    assert again == new  # of the seed


def test_what_is_made_from_weights_is_left_out():
    net = secret_net()
    data = with_weights(net, [("w", np.ones(4, np.float32), "DT_FLOAT", None, False, [4], 4)])
    data += b"packed weights" * 10
    net.data_bytes = len(data)
    net.packed_weights.weights.add(tensor=0, how=b"secret", offset=64, bytes=16)
    net.memory_plan.version = 1
    new, _ = hidden(net, data, 1)
    assert not net.HasField("packed_weights") and not net.HasField("memory_plan")
    assert b"packed" not in new and len(new) == len(data)
