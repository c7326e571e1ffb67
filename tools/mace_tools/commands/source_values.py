"""What the source framework computes for `run --validate`: on several inputs, and with weights that
are a little different.

SPDX-License-Identifier: Apache-2.0
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mace_tools import frameworks
from mace_tools.commands import prepare, source_run
from mace_tools.commands.context import Context
from mace_tools.commands.import_model import TO_NCHW, TO_NHWC, read_source
from mace_tools.commands.prepare import Prepared
from mace_tools.convert.importers.declared_states import zeros
from mace_tools.convert.importers.fixed_inputs import arrays
from mace_tools.convert.importers.source import SourceModel
from mace_tools.frameworks import Arrays
from mace_tools.frameworks.nudge import Nudge
from mace_tools.run import input_data
from mace_tools.support.exit_codes import RunFailedError

# The range of the last random input, unless the file has one: for roots and logarithms, which give
# NaN between -1 and 1, and for integers that count.
_POSITIVE = (0.5, 1.5)
_RANDOM_INPUTS = 3


@dataclass(frozen=True)
class Trial:
    """One set of inputs, by the engine's names."""

    inputs: Arrays
    words: str


class SourceValues:
    """The source model of one job; the framework runs at most once for each purpose."""

    def __init__(self, context: Context, ready: Prepared, outputs: Sequence[str]) -> None:
        self.trials = _trials(context, ready)
        self.read: SourceModel = read_source(
            ready.model, ready.converted.source, ready.converted.weights)
        self._ready, self._outputs, self._context = ready, list(outputs), context
        self._lock = threading.Lock()
        self._expected: list[Arrays | RunFailedError] | None = None
        self._changed: dict[str, list[Arrays] | None] = {}

    def expected(self) -> list[Arrays | RunFailedError]:
        """The outputs of each trial, in the dimension orders of the converted model, or why the
        framework has none. Errors: MaceError if it has none of any."""
        with self._lock:
            if self._expected is None:
                name = frameworks.title(self._ready.model.platform)
                self._context.console.info(f"running {self._ready.converted.source.name} in {name}")
                found = self._run(None)
                if all(isinstance(one, RunFailedError) for one in found):
                    raise found[0]
                self._expected = found
            return self._expected

    def changed(self, kind: str) -> list[Arrays] | None:
        """The same with weights and inputs changed by the least of this kind; None if they cannot
        be."""
        wanted = [isinstance(one, dict) for one in self.expected()]
        with self._lock:
            if kind not in self._changed:
                self._changed[kind] = None
                self._context.console.info(
                    f"running {self._ready.converted.source.name} again with changed weights")
                for min_dims in (0, 2):  # scalars may decide shapes
                    found = self._run(Nudge(kind, 1, min_dims))
                    if all(isinstance(f, dict) for f, w in zip(found, wanted) if w):
                        self._changed[kind] = found
                        break
            return self._changed[kind]

    def inner(self, tensor: str) -> list[np.ndarray | None]:
        """A tensor within the source model, of each trial, as the framework has it; None where it
        gives none."""
        with self._lock:
            found = self._attempts(self._feeds(None), [tensor], None)
        return [None if isinstance(one, RunFailedError) else one[tensor] for one in found]

    def _run(self, nudge: Nudge | None) -> list[Arrays | RunFailedError]:
        order, net = self.read.data_format, self._ready.converted.net
        found = self._attempts(self._feeds(nudge), self._outputs, nudge)
        return [one if isinstance(one, RunFailedError) else
                {s.name: reordered(one[s.name], s.data_format, order, to_source=False)
                 for s in input_data.specs(net.output_info)} for one in found]

    def _feeds(self, nudge: Nudge | None) -> list[Arrays]:
        """The inputs of each trial by the framework's names."""
        model, net = self._ready.model, self._ready.converted.net
        order, feeds = self.read.data_format, []
        for trial in self.trials:
            own = {s.name: reordered(trial.inputs[s.name], s.data_format, order, to_source=True)
                   for s in input_data.specs(net.input_info)}
            if nudge is not None:
                own = {name: nudge.of(array, 1000 + k)
                       for k, (name, array) in enumerate(own.items())}
            own |= arrays(self.read, model.subgraph.input_values or {})
            feeds.append(own | zeros(self.read, model.subgraph.states or {}))
        return feeds

    def _attempts(self, feeds: list[Arrays], names: list[str], nudge: Nudge | None
                  ) -> list[Arrays | RunFailedError]:
        ready = self._ready
        try:
            return source_run.attempts(ready.model, ready.converted.source,
                                       ready.converted.weights, self.read, feeds, names, nudge)
        except RunFailedError as e:
            return [e] * len(feeds)


def _trials(context: Context, ready: Prepared) -> list[Trial]:
    """The inputs that were run, and random ones in place of those that are."""
    files = prepare.input_files(context, ready.tag, ready.model)
    drawn = [name for name in ready.inputs if name not in files]
    if not drawn:
        return [Trial(ready.inputs, "the given input")]
    seed = context.args.seed
    found = [Trial(ready.inputs, f"seed {seed}")]
    shapes = {name: array.shape for name, array in ready.inputs.items()}
    for k in range(1, _RANDOM_INPUTS):
        usual = _POSITIVE if k == _RANDOM_INPUTS - 1 else input_data.USUAL_RANGE
        specs = [replace(s, shape=shapes[s.name])
                 for s in input_data.specs(ready.converted.net.input_info, ready.model, usual)]
        others = {s.name: input_data.random(s, seed + k) for s in specs if s.name in drawn}
        found.append(Trial({**ready.inputs, **others}, f"seed {seed + k}"))
    return found


def reordered(array: np.ndarray, fmt: str, source: str, to_source: bool) -> np.ndarray:
    """An image tensor in the dimension order of the source model, or back."""
    if array.ndim != 4 or fmt in ("NONE", source):
        return array
    wanted = source if to_source else fmt
    return np.ascontiguousarray(array.transpose(TO_NCHW if wanted == "NCHW" else TO_NHWC))


def op_names(read: SourceModel) -> set[str]:
    return {node.op for node in read.nodes}


def by_name(runs: Sequence[Mapping[str, np.ndarray]], name: str) -> list[np.ndarray]:
    return [run[name] for run in runs]
