"""Names become numbers, messages become readable again.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np

from mace_tools.convert import emit
from mace_tools.convert.obfuscate import explain, hide_names
from mace_tools.support import protos
from mace_tools.testing.net import Net


def net():
    small = Net(secret_in=(1, 4, 4, 3))
    small.graph.shape_dependent.append("Resize 'secret_resize'")
    x = small.op("Activation", "secret_in", activation="RELU")
    weight = small.graph.add_const("secret_weight", np.ones(3, np.float32))
    small.out(small.op("Eltwise", x, weight, type="SUM"))
    built, _ = emit.build(small.graph)
    built.settings.add(name="float32_nodes").strings.items.append(built.op[1].name)
    return built


def test_only_inputs_and_outputs_keep_their_names():
    before, after = net(), net()
    meaning = hide_names(after)
    assert sorted(meaning.values()) == sorted(
        [f"node '{op.name}'" for op in before.op] + [f"constant '{before.tensors[0].name}'"]
        + [f"tensor '{before.op[0].output[0]}'", "source 'Resize 'secret_resize''"])
    assert after.input_info == before.input_info and after.output_info == before.output_info
    text = after.SerializeToString().replace(b"secret_in", b"")
    assert b"secret" in before.SerializeToString() and b"secret" not in text
    assert all(op.name.isdigit() for op in after.op) and after.tensors[0].name.isdigit()
    assert after.op[0].output[0].isdigit()
    assert after.settings[0].strings.items == [after.op[1].name]


def test_the_graph_stays_what_it_was():
    """Every name stands for the same as before, and for one thing only."""
    before, after = net(), net()
    hide_names(after)
    same = {}
    for old, new in zip(before.op, after.op):
        for was, now in zip([*old.input, *old.output], [*new.input, *new.output], strict=True):
            assert same.setdefault(was, now) == now
        assert (old.type, old.arg) == (new.type, new.arg)
    assert len(set(same.values())) == len(same)
    assert same["secret_in"] == "secret_in"
    assert same[before.output_info[0].name] == before.output_info[0].name


def test_a_number_that_an_input_is_called_is_left_to_it():
    proto = protos.mace()
    net = proto.NetDef()
    net.input_info.add(name="1")
    net.output_info.add(name="3")
    net.op.add(name="a", type="Activation", input=["1"], output=["b"])
    net.op.add(name="c", type="Activation", input=["b"], output=["3"])
    meaning = hide_names(net)
    assert set(meaning) == {"2", "4", "5"}
    assert [(op.name, op.input[0], op.output[0]) for op in net.op] == [("2", "1", "4"),
                                                                       ("5", "4", "3")]


def test_messages_are_explained():
    meaning = {"2": "node 'conv'", "7": "tensor 'conv:0'"}
    assert explain("Conv2d '2': axis 2 of '7' and '9'", meaning) == (
        "Conv2d '2' (node 'conv'): axis 2 of '7' (tensor 'conv:0') and '9'")
    assert explain("7\n", meaning) == "7: tensor 'conv:0'"
    assert explain("8", meaning) == "8"
