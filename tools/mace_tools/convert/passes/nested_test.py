"""Patterns are looked for in few steps, also where few nodes stand for very many.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.passes import count_loops, last_axis, list_writes, rows
from mace_tools.convert.passes.activation_patterns import activation_patterns
from mace_tools.testing.net import Net


def test_an_extent_of_a_tensor_joined_with_itself_again_and_again():
    net = Net(x=(2, 1))
    y = "x"
    for _ in range(28):
        y = net.op("Concat", y, y, axis=1)
    assert rows.certain(net.graph, y, 0) is None


def test_a_condition_and_itself_again_and_again():
    net = Net(x=(), y=())
    first = net.op("Compare", "x", "y", type="LESS")
    other = net.op("Compare", "x", "y", type="GREATER")
    c = net.op("Logical", first, other, type="AND")
    for _ in range(60):
        c = net.op("Logical", c, c, type="AND")
    assert count_loops._tests(net.graph, c) == [("x", "y"), ("y", "x")]
    either = net.op("Logical", first, other, type="OR")
    assert count_loops._tests(net.graph, net.op("Logical", c, either, type="AND")) == []


def test_a_number_doubled_again_and_again():
    net = Net(i=())
    three = net.op("Eltwise", net.op("Eltwise", "i", "i", type="SUM"), "i", type="SUM")
    assert list_writes._numbers(net.graph, three, {"i"}) == [list_writes._Number(0, 3)]
    y = "i"
    for _ in range(60):
        y = net.op("Eltwise", y, y, type="SUM")
    assert list_writes._numbers(net.graph, y, {"i"}) is None


def test_a_list_joined_of_itself_again_and_again():
    net = Net(i=(1,))
    y = "i"
    for _ in range(7):
        y = net.op("Concat", *[y] * 64, axis=0)
    assert list_writes._numbers(net.graph, y, {"i"}) is None


def test_a_sum_of_more_than_two_products_is_not_followed():
    net = Net(x=(2, 6), y=(2, 6))
    a, b = (net.op("Eltwise", "x", "y", type="PROD") for _ in "ab")
    two = net.op("Eltwise", a, b, type="SUB")
    assert [len(terms) for terms in last_axis.elements(net.graph, two)] == [2] * 6
    assert last_axis.elements(net.graph, net.op("Eltwise", two, a, type="SUM")) is None


def test_a_square_of_a_square_again_and_again():
    """What is taken apart is limited: few nodes may stand for very many factors."""
    net = Net(x=(2, 3))
    y = "x"
    for _ in range(60):
        y = net.op("Eltwise", y, y, type="PROD")
    gate = net.op("Eltwise", net.op("Activation", y, activation="TANH"), net.value(1.0), type="SUM")
    net.out(net.op("Eltwise", "x", gate, type="PROD"))
    activation_patterns(net.graph)
    assert len(net.graph.nodes) == 63
