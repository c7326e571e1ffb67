"""What a quantization costs each layer, for people.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator

from mace_tools.analyze.quantize.post_training import Made
from mace_tools.analyze.quantize.weight_only import MadeStored
from mace_tools.support import tables

_MAX_LEFT = 12
_COLUMNS = (
    tables.Column("layer", least=20), tables.Column("op", rank=2),
    tables.Column("SQNR (dB)", right=True), tables.Column("similarity", right=True),
    tables.Column("max abs error", rank=1, right=True), tables.Column("range", rank=3))


def lines(made: Made, wide: bool) -> Iterator[str]:
    """A table of the layers, and the nodes in float32."""
    fitter = tables.Fitter(tables.output_width(wide))
    rows = [(name, _op(made, name), f"{error.sqnr_db:.1f}", f"{error.similarity:.6f}",
             f"{error.largest:.3g}", shown_range(made, name))
            for name, error in made.errors.items()]
    yield from fitter.lines(_COLUMNS, rows)
    yield from fitter.note()
    for reason in dict.fromkeys(made.left_out.values()):
        names = [n for n, r in made.left_out.items() if r == reason]
        yield f"in float32, {reason}: {_some(names)}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_LEFT} more" if len(names) > _MAX_LEFT else ""
    return f"{', '.join(names[:_MAX_LEFT])}{more}"


def weight_lines(made: MadeStored, wide: bool) -> Iterator[str]:
    """A table of the weights that are stored quantized, and of those that are not."""
    fitter = tables.Fitter(tables.output_width(wide))
    columns = (tables.Column("weight", least=20), tables.Column("of", rank=2),
               tables.Column("elements", right=True), tables.Column("bits", right=True),
               tables.Column("SQNR (dB)", right=True))
    rows = [(name, ", ".join(w.nodes), str(w.elements), w.kind[1:], f"{w.error.sqnr_db:.1f}")
            for name, w in made.weights.items()]
    yield from fitter.lines(columns, rows)
    yield from fitter.note()
    if made.kept:
        yield f"quantized in the source: {_some(made.kept)}"
    for name, reason in made.left_out.items():
        yield f"in float32: {name}: {reason}"
    for name, error in made.outputs.items():
        yield f"output '{name}': similarity {error.similarity:.6f}, SQNR {error.sqnr_db:.1f} dB"


def _op(made: Made, name: str) -> str:
    node = made.floats.producer(name)
    return "" if node is None else node.op


def shown_range(made: Made, name: str) -> str:
    """The range of floats that calibration chose for a tensor."""
    low, high = made.found.chosen.get(name, (0.0, 0.0))
    return f"{low:.4g} to {high:.4g}" if name in made.found.chosen else ""
