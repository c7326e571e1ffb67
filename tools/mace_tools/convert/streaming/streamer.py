"""Streamer: rewrites the nodes of a network one after the other, each by the rule of its op.

SPDX-License-Identifier: Apache-2.0
"""

import copy
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mace_tools.convert.passes.fold_constants import fold_constants
from mace_tools.convert.shape_inference import infer_graph, infer_node
from mace_tools.graph.ir import NUMPY, Graph, Node, Tensor
from mace_tools.graph.run_io import own_outputs
from mace_tools.graph.states import State
from mace_tools.support.errors import Unsupported

_MAX_FRAMES = 4096  # of a run, where strides ask for several
CAUSAL = ("pad only before the first frame, as padding='causal' of Keras does, or use no padding "
          "along time and skip the first outputs")
_RULES = ("axis_rules", "recurrent_rules", "window_rules")


class NotStreamable(Unsupported):
    """A node that cannot be streamed: which, why, and the cure."""

    def __init__(self, node: Node | str, reason: str, cure: str) -> None:
        super().__init__(f"{node} cannot be streamed: {reason}; {cure}", cure)


class NeedsMoreFrames(Exception):
    """A stride that the frames of a run do not fill."""


@dataclass(frozen=True)
class Frames:
    """Where the frames of a tensor stand: whole frame i is stream frame i + delay.

    With a negative delay the first frames of the whole are `before`, constant, and in no run."""

    axis: int | None  # None: the tensor is one frame, and has no axis for it
    count: int  # in a run
    delay: int = 0
    before: float = 0.0
    # How many frames of the whole, the last ones, were computed of padding after the last frame of
    # the sequence, and by which node first. The stream has others there.
    tail: int = 0
    tail_of: str = ""


@dataclass(frozen=True)
class Stream:
    graph: Graph
    count: dict[str, int]  # frames of a run, by input
    # Of the outputs; None: the tensor is no sequence, and each run replaces it.
    frames: dict[str, Frames | None]
    axes: dict[str, int]  # the time axes of the inputs


Rule = Callable[["Streamer", Node], None]
RULES: dict[str, Rule] = {}


def rule(*ops: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        RULES.update({op: function for op in ops})
        return function

    return register


class Streamer:
    """The network that is being rewritten, `graph`, and the one over whole sequences, `whole`."""

    def __init__(self, whole: Graph, axes: Mapping[str, int], count: int) -> None:
        self.whole, self.graph = whole, copy.deepcopy(whole)
        self.frames: dict[str, Frames | None] = {}
        self._histories: dict[tuple[str, int, float], str] = {}
        self._like: dict[str, str] = {}  # tensors of whole, by those that have their frames later
        for name, axis in axes.items():
            self.frames[name] = Frames(axis, count)

    def run(self) -> None:
        for name in self.graph.inputs:
            self._resize_input(name)
        nodes, self.graph.nodes = list(self.graph.nodes), []
        for node in nodes:
            if node.is_custom or node.op in ("If", "Loop"):
                self._refuse_foreign(node)
            if any(self.frames.get(i) is not None for i in node.inputs if i):
                found = RULES.get(node.op)
                if found is None:
                    raise NotStreamable(node, "it may read any frames", "end the streamed part "
                                        "before it with output_tensors")
                found(self, node)
            for name in node.outputs:
                self.frames.setdefault(name, None)
            self.graph.nodes.append(node)
            infer_node(self.graph, node)

    def _resize_input(self, name: str) -> None:
        frames, tensor = self.frames.get(name), self.graph.tensors[name]
        if frames is not None and frames.axis is not None and tensor.shape is not None:
            tensor.shape = _with(tensor.shape, frames.axis, frames.count)

    def _refuse_foreign(self, node: Node) -> None:
        raise NotStreamable(node, "what it computes of earlier frames is not known",
                            "end the streamed part before it with output_tensors")

    # --- for rules ---

    def shape(self, name: str) -> tuple[int, ...]:
        """Over whole sequences."""
        shape = self.whole.tensors[self._like.get(name, name)].static_shape
        if shape is None:
            raise NotStreamable(f"tensor '{name}'", "its shape is not known", "give numbers for "
                                "all of input_shapes")
        return shape

    def of(self, node: Node, index: int = 0) -> Frames:
        """The frames of an input that is a sequence."""
        found = self.frames.get(node.inputs[index]) if node.has_input(index) else None
        if found is None:
            raise NotStreamable(node, f"its input {index} is no sequence while another one is",
                                "end the streamed part before it with output_tensors")
        return found

    def settled(self, node: Node, index: int = 0) -> Frames:
        """The same of a sequence without constant frames before its first one."""
        frames = self.of(node, index)
        if frames.delay < 0:
            raise NotStreamable(node, f"it reads {-frames.delay} frames that were padded before "
                                "the first one", "put the padding right before the convolution or "
                                "pooling that needs it")
        return frames

    def no_others(self, node: Node) -> None:
        """Errors: NotStreamable if an input besides the first is a sequence."""
        for k, name in enumerate(node.inputs):
            if k > 0 and name and self.frames.get(name) is not None:
                raise NotStreamable(node, f"its input {k} changes with time, too",
                                    "end the streamed part before it with output_tensors")

    def set(self, node: Node, frames: Frames) -> None:
        self.frames.update(dict.fromkeys(node.outputs, frames))

    def replace_input(self, node: Node, index: int, name: str) -> None:
        inputs = list(node.inputs)
        inputs[index] = name
        self.graph.set_inputs(node, inputs)

    def add(self, op: str, inputs: list[str], name: str, **attrs: object) -> str:
        """A node in front of the one that a rule rewrites."""
        node = self.graph.add(op, inputs, [self.graph.fresh(name)], **attrs)
        infer_node(self.graph, node)
        self.frames[node.outputs[0]] = None
        return node.outputs[0]

    def add_state(self, like: str, name: str, shape: tuple[int, ...], value: float = 0.0) -> str:
        """A state of the element type of `like`, whose next value `keep_state` names."""
        dtype = self.graph.tensors[like].dtype
        state = self.graph.fresh(name)
        self.graph.add_tensor(Tensor(state, dtype, shape))
        initial = np.full(shape, value, NUMPY[dtype]) if value != 0 else None
        self.graph.states[state] = State("", initial)
        self.graph.inputs.append(state)
        self.frames[state] = None
        return state

    def keep_state(self, state: str, value: str) -> None:
        """Makes `value`, which the node that is being rewritten may make, the next value."""
        self.graph.states[state].next = value

    def history(self, name: str, length: int, value: float) -> str:
        """The frames of a run behind the last `length` earlier ones, which are `value` at first."""
        frames = self.frames[name]
        if length == 0 or frames is None or frames.axis is None:
            return name
        key = (name, length, value)
        if key not in self._histories:
            if self.graph.tensors[name].quant is not None:
                raise NotStreamable(f"tensor '{name}'", "it is quantized, and a state holds floats",
                                    "stream the float model, and quantize nothing along time")
            state = self.add_state(name, f"{name}/past", _with(
                self.shape(name), frames.axis, length), value)
            joined = self.add("Concat", [state, name], f"{name}/joined", axis=frames.axis)
            self.keep_state(state, self.add("Slice", [joined], f"{name}/past_next",
                                            starts=[-length], ends=[2**31 - 1],
                                            axes=[frames.axis], steps=[1]))
            self._histories[key] = joined
        return self._histories[key]

    def delayed(self, name: str, delay: int) -> str:
        """The same frames, later."""
        frames = self.frames[name]
        if frames is None or frames.delay == delay:
            return name
        if frames.axis is None:
            raise NotStreamable(f"tensor '{name}'", "it is one frame, which others are later than",
                                "end the streamed part before it with output_tensors")
        joined = self.history(name, delay - frames.delay, 0.0)
        late = self.add("Slice", [joined], f"{name}/late", starts=[0], ends=[frames.count],
                        axes=[frames.axis], steps=[1])
        self.frames[late] = replace(frames, delay=delay)
        self._like[late] = name
        return late


def stream(whole: Graph, axes: Mapping[str, int], count: int | None = None) -> Stream:
    """The streaming network. `axes`: the time axis of each input that is a sequence. `count`: new
    frames of a run; None: as few as the strides allow.

    Errors: NotStreamable."""
    whole = with_known_shapes(whole)
    for module in _RULES:
        importlib.import_module(f"{__package__}.{module}")
    tried = count or 1
    while True:
        streamer = Streamer(whole, axes, tried)
        try:
            streamer.run()
            break
        except NeedsMoreFrames as e:
            if count is not None or tried >= _MAX_FRAMES:
                raise NotStreamable(str(e), f"the {tried} frames of a run do not fill its stride",
                                    "give --frames a multiple of the strides, or leave it out"
                                    ) from e
            tried += 1
    graph = streamer.graph
    own = own_outputs(whole)
    for name in own:
        frames = streamer.frames.get(name)
        if frames is not None and frames.delay < 0:
            raise NotStreamable(f"output '{name}'", "it begins with padding, which is in no run",
                                "end the streamed part before the padding with output_tensors")
        if frames is not None and frames.tail > 0 and frames.delay > 0:
            raise NotStreamable(frames.tail_of, "it is not causal: it adds frames after the last "
                                f"one, of which output '{name}' reads {frames.delay} after its own",
                                CAUSAL)
    graph.outputs = [*own, *_nexts(graph)]
    graph.topo_sort()
    graph.prune()
    infer_graph(graph)
    graph.origins.clear()  # no tensor has the value that it had in the source
    return Stream(graph, dict.fromkeys(axes, tried), {n: streamer.frames.get(n) for n in own},
                  dict(axes))


def with_known_shapes(graph: Graph) -> Graph:
    """A copy in which what is computed of shapes is constant."""
    graph = copy.deepcopy(graph)
    infer_graph(graph)
    for name, value in list(graph.values.items()):
        if graph.producer(name) is not None and name not in graph.outputs:
            graph.replace_uses(name, graph.add_const(f"{name}/known", value))
    fold_constants(graph)
    graph.topo_sort()
    graph.prune()
    infer_graph(graph)
    return graph


def _nexts(graph: Graph) -> list[str]:
    """The next values of the states, each an output of its own that no other has."""
    names: list[str] = []
    for name, state in graph.states.items():
        if state.next in graph.inputs or graph.const(state.next) is not None \
                or state.next in names or state.next in graph.outputs:
            out = graph.fresh(f"{name}/next")
            graph.add("Identity", [state.next], [out], out)
            state.next = out
        names.append(state.next)
    return names


def _with(shape: tuple[int | None, ...], axis: int, extent: int) -> tuple[int, ...]:
    return tuple(extent if k == axis else int(d or 0) for k, d in enumerate(shape))
