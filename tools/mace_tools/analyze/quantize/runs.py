"""Runs one graph on many samples in the engine, a few at a time, so that neither memory nor disk
fills.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mace_tools.convert.emit import write_model
from mace_tools.graph.extract import Arrays, Part, cut
from mace_tools.graph.ir import NUMPY, Graph
from mace_tools.run import batch
from mace_tools.support.exit_codes import RunFailedError

_MAX_BYTES = 256 << 20  # of results that lie on the disk at once
_MAX_AT_ONCE = 16


@dataclass(frozen=True)
class Runs:
    """The engine on the CPU."""

    mace_run: Path
    flags: Sequence[str] = ()

    def each(self, graph: Graph, samples: Sequence[Arrays], tensors: Sequence[str]
             ) -> Iterator[Arrays]:
        """These tensors for each sample in turn. Errors: RunFailedError."""
        computed = [t for t in tensors if t not in graph.inputs]
        if not computed:
            yield from ({t: sample[t] for t in tensors} for sample in samples)
            return
        begin = 0
        while begin < len(samples):
            part = cut(graph, samples[begin], computed)
            end = _end_of_alike(part, samples, begin)
            yield from self._each(part, graph, samples[begin:end], tensors)
            begin = end

    def _each(self, part: Part, graph: Graph, samples: Sequence[Arrays], tensors: Sequence[str]
              ) -> Iterator[Arrays]:
        size = sum(_bytes(graph, name) for name in part.outputs.values())
        at_once = max(1, min(_MAX_AT_ONCE, _MAX_BYTES // max(1, size)))
        with tempfile.TemporaryDirectory(prefix="mace_quantize.") as folder:
            pb, weights = Path(folder) / "part.pb", Path(folder) / "part.data"
            write_model(part.graph, pb, weights)
            for begin in range(0, len(samples), at_once):
                some = samples[begin:begin + at_once]
                with tempfile.TemporaryDirectory(dir=folder) as inner:
                    jobs = [batch.job(pb, cut_feeds(part, graph, sample), Path(inner) / str(k))
                            for k, sample in enumerate(some)]
                    for entry in batch.run(self.mace_run, jobs, self.flags, Path(inner))[0]:
                        if entry["error"]:
                            raise RunFailedError("mace_run cannot run the model: "
                                                 f"{entry['error']}")
                    for sample, job in zip(some, jobs):
                        found = batch.outputs(job, part.outputs)
                        yield {**found, **{t: sample[t] for t in tensors if t in graph.inputs}}


def _bytes(graph: Graph, name: str) -> int:
    shape = graph.tensors[name].static_shape
    width = NUMPY[graph.tensors[name].dtype].itemsize
    return width * int(np.prod(shape, dtype=np.int64)) if shape is not None else 1 << 20


def _end_of_alike(part: Part, samples: Sequence[Arrays], begin: int) -> int:
    """The index behind the samples with the values that the part has as constants."""
    fixed = [name for name in samples[begin] if name in part.graph.tensors]
    return next((k for k in range(begin + 1, len(samples)) if fixed and any(
        not np.array_equal(samples[k][name], samples[begin][name]) for name in fixed)),
        len(samples))


def cut_feeds(part: Part, graph: Graph, sample: Arrays) -> Arrays:
    """The inputs of a part by its own names, which `cut` gave in the order of the samples."""
    read = {i for node in part.nodes for i in node.inputs if i}
    started = [name for name in sample if name in read and name not in part.graph.tensors]
    return {here: sample[name] for here, name in zip(part.graph.inputs, started)}
