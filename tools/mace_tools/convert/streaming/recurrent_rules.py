"""LSTM, GRU and RNN: the state of the last step begins the next run.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.streaming.streamer import NotStreamable, Streamer, rule
from mace_tools.graph.ir import Node

_SEQUENCE_LENS, _INITIAL_H = 4, 5


@rule("Lstm", "Gru", "Rnn")
def recurrent(s: Streamer, node: Node) -> None:
    frames = s.settled(node)
    s.no_others(node)
    if frames.axis != (1 if node.attr("batch_major") else 0):
        raise NotStreamable(node, "its steps are not along time", "name its time axis with --axis")
    if node.attr("direction") != "FORWARD":
        raise NotStreamable(node, f"it is not causal: {node.attr('direction').lower()}, it begins "
                            "at the last frame", "use one that runs forward only")
    if node.has_input(_SEQUENCE_LENS):
        raise NotStreamable(node, "its sequences have lengths", "convert the model without them")
    if frames.delay > 0:
        raise NotStreamable(node, f"an earlier node starts only after {frames.delay} frames, which "
                            "it would count as steps", "pad before the first frame in that node")
    s.set(node, frames)
    for k, out in enumerate(range(1, 3 if node.op == "Lstm" else 2)):
        _keep(s, node, _INITIAL_H + k, out)


def _keep(s: Streamer, node: Node, index: int, out: int) -> None:
    """Makes a state of input `index`, whose next value is output `out`, unless the model has one
    there already."""
    s.frames[node.outputs[out]] = None  # each run replaces it
    given = node.inputs[index] if node.has_input(index) else ""
    first = s.graph.const(given) if given else None
    if given and first is None:
        if any(i in s.whole.states for i in s.whole.inputs_of(given)):
            return
        raise NotStreamable(node, f"its first state '{given}' is computed in each run",
                            "make it a state (`states` of the deployment file) or a constant")
    shape = s.shape(given) if given else _state_shape(s, node, out)
    state = s.add_state(node.inputs[0], f"{node.name}/{'hc'[out - 1]}", shape)
    if first is not None:
        s.graph.states[state].initial = first
    inputs = [*node.inputs, *[""] * (index + 1 - len(node.inputs))]
    inputs[index] = state
    s.graph.set_inputs(node, inputs)
    s.keep_state(state, node.outputs[out])


def _state_shape(s: Streamer, node: Node, out: int) -> tuple[int, ...]:
    """[D, B, n], or [B, D, n] with batch_major; n is the size of h, or of c."""
    x, r = s.shape(node.inputs[0]), s.shape(node.inputs[2])
    gates = {"Lstm": 4, "Gru": 3, "Rnn": 1}[node.op]
    size = r[2] if out == 1 else r[1] // gates
    batch = x[0] if node.attr("batch_major") else x[1]
    return (batch, 1, size) if node.attr("batch_major") else (1, batch, size)
