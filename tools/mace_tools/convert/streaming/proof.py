"""Compares a stream, run after run, with the network over the whole sequence, on random inputs.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mace_tools.convert import reference
from mace_tools.convert.streaming.streamer import Frames, Stream
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.graph.run_io import first_values, own_inputs
from mace_tools.support.errors import MaceError

Arrays = Mapping[str, np.ndarray]
# Of the largest magnitude of an output: both sum the same products in another order.
TOLERANCE = 1e-5
_SEED = 1


@dataclass(frozen=True)
class Proof:
    runs: int
    frames: int  # of outputs that were compared
    largest_error: float  # relative to the largest magnitude of its output


def random_inputs(whole: Graph) -> dict[str, np.ndarray]:
    random = np.random.default_rng(_SEED)
    found = {}
    for name in own_inputs(whole):
        tensor = whole.tensors[name]
        shape, dtype = tensor.static_shape or (), NUMPY[tensor.dtype]
        is_float = dtype.kind == "f"
        values = random.uniform(-1, 1, shape) if is_float else random.integers(0, 2, shape)
        found[name] = values.astype(dtype)
    return found


def chunks(stream: Stream, inputs: Arrays) -> list[dict[str, np.ndarray]]:
    """The inputs of each run of the stream."""
    lengths = [inputs[n].shape[a] // stream.count[n] for n, a in stream.axes.items()]
    found = []
    for k in range(min(lengths)):
        one = dict(inputs)
        for name, axis in stream.axes.items():
            begin = k * stream.count[name]
            one[name] = np.take(inputs[name], range(begin, begin + stream.count[name]), axis)
        found.append(one)
    return found


def check(whole: Graph, stream: Stream,
          run: Callable[[Graph, Arrays], Arrays] = reference.run) -> Proof:
    """Errors: MaceError if an output differs, or if the sequence is too short to tell."""
    inputs = random_inputs(whole)
    right = run(whole, {**inputs, **first_values(whole)})
    states, made = first_values(stream.graph), []
    parts = chunks(stream, inputs)
    for part in parts:
        results = run(stream.graph, {**part, **states})
        states = {n: results[s.next] for n, s in stream.graph.states.items()}
        made.append(results)
    compared, worst = 0, 0.0
    for name, frames in stream.frames.items():
        if frames is None:  # that of the last run; frames that fill no run are in no result
            if any(inputs[n].shape[a] % stream.count[n] for n, a in stream.axes.items()):
                continue
            pairs = [(right[name], made[-1][name])]
        else:
            pairs = _frame_pairs(frames, right[name], [m[name] for m in made])
        if not pairs:
            raise MaceError(f"output '{name}' begins after frame {frames.delay if frames else 0}, "
                            f"and the sequence has {len(parts)} runs: give a longer one in "
                            "input_shapes")
        scale = max(1e-30, float(np.max(np.abs(right[name].astype(np.float64)))))
        for a, b in pairs:
            error = float(np.max(np.abs(a.astype(np.float64) - b))) / scale
            worst, compared = max(worst, error), compared + 1
            if not error <= TOLERANCE:
                raise MaceError(f"the stream differs from the whole by {error:.1e} of the largest "
                                f"magnitude of '{name}', so nothing was written; please report it "
                                "with the model")
    return Proof(len(parts), compared, worst)


def _frame_pairs(frames: Frames, whole: np.ndarray, made: list[np.ndarray]
                 ) -> list[tuple[np.ndarray, np.ndarray]]:
    """The frames of the whole that the stream has, with those."""
    if frames.axis is None:
        return [(whole, made[frames.delay])] if frames.delay < len(made) else []
    joined = np.concatenate(made, axis=frames.axis)
    both = min(whole.shape[frames.axis], joined.shape[frames.axis] - frames.delay)
    return [(np.take(whole, i, frames.axis), np.take(joined, i + frames.delay, frames.axis))
            for i in range(both)]
