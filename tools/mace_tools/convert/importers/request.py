"""Checks that a request fits the source model: names of tensors, and shapes of inputs.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from mace_tools.convert.importers.source import SourceModel
from mace_tools.graph.ir import Shape
from mace_tools.support.errors import MaceError

MAX_NAMES = 8  # of a list in a message


class RequestError(MaceError):
    """A request that does not fit the model; the model itself may be valid.

    `key` is the key of the deployment file, `index` the position in its list (of
    a mapping, the name), and `example` a right value, if one is known."""

    def __init__(self, message: str, key: str, index: int | str = 0, example: str = "") -> None:
        super().__init__(message)
        self.key = key
        self.index = index
        self.example = example


def check_request(
    model: SourceModel,
    inputs: Mapping[str, Shape | None] | None,
    outputs: Sequence[str] | None,
) -> None:
    """Errors: RequestError for the first name or rank that the model does not have, and for an
    input of the model that the outputs need and the request leaves out."""
    known = {*model.producers(), *model.inputs, *model.constants, *model.info, *model.unusable}
    starts = {}
    for k, (name, shape) in enumerate((inputs or {}).items()):
        starts[_spelled(model, known, name, list(model.inputs), "input_tensors", k)] = (k, shape)
    for k, name in enumerate(outputs or ()):
        _spelled(model, known, name, model.outputs, "output_tensors", k)
    for name, (k, shape) in starts.items():
        own = model.own_shape(name)
        if own is not None and shape is not None and len(own) != len(shape):
            raise RequestError(
                f"{listed(shape)} has {len(shape)} dimensions, but the model's '{name}' has "
                f"{len(own)}: {stated(own)}", "input_shapes", k, written(own))
    if inputs is not None:
        _check_ends(model, set(starts), outputs or model.outputs)


def listed(shape: Shape) -> str:
    """As in a deployment file: 1,224,224,3, and [] of a scalar."""
    return ",".join("?" if extent is None else str(extent) for extent in shape) or "[]"


def stated(shape: Shape) -> str:
    """As `listed`, with the meaning of '?'."""
    return listed(shape) + (" (the file leaves '?' open)" if None in shape else "")


def written(shape: Shape) -> str:
    return "" if None in shape else f"input_shapes: {listed(shape)}"


def _spelled(
    model: SourceModel, known: set[str], name: str, ends: Sequence[str], key: str, index: int
) -> str:
    for spelling in (name, name.removesuffix(":0")):
        if spelling in known:
            return spelling
    near = _nearest(name.removesuffix(":0"), ends, [*model.inputs, *model.producers()])
    mean = f"; did you mean '{near}'?" if near else "."
    raise RequestError(
        f"the model has no tensor '{name}'{mean} Its inputs: {some(list(model.inputs))}; its "
        f"outputs: {some(model.outputs)}", key, index, f"{key}: {near}" if near else "")


def _nearest(name: str, ends: Sequence[str], names: Sequence[str]) -> str:
    """The same name in another case, after the last '/', or a similar one: among the
    inputs and outputs of the model first, then among all tensors."""
    for words, likeness in ((ends, 0.75), (names, 0.6)):
        lower = {w.lower(): w for w in reversed(words)}
        tails = [w for w in words if w.split("/")[-1].lower() == name.split("/")[-1].lower()]
        near = get_close_matches(name.lower(), lower, 1, likeness)
        if name.lower() in lower or len(tails) == 1 or near:
            return lower.get(name.lower()) or (tails[0] if len(tails) == 1 else lower[near[0]])
    return ""


def _check_ends(model: SourceModel, starts: set[str], outputs: Sequence[str]) -> None:
    """Checks that every input that the outputs need is given."""
    for name in needed_inputs(model, outputs, starts):
        if name not in starts:
            own = model.own_shape(name)
            shape = "" if own is None else f", input_shapes {stated(own)}"
            raise RequestError(f"the outputs need the model's input '{name}', too: add it to "
                               f"input_tensors{shape}", "input_tensors")


def needed_inputs(
    model: SourceModel, outputs: Sequence[str], starts: Collection[str] = ()
) -> list[str]:
    """The inputs of the model that the outputs depend on, other than through `starts`, in the order
    of the file."""
    made, seen = model.producers(), set(starts)
    stack = [name if name in made else name.removesuffix(":0") for name in outputs]
    while stack:
        tensor = stack.pop()
        if tensor in seen or tensor in model.constants:
            continue
        seen.add(tensor)
        stack += model.writers.get(tensor, ())
        stack += filter(None, [model.next_values.get(tensor)])
        if tensor in made:
            node = made[tensor]
            stack += [i for i in (*node.inputs, *node.captures) if i]
    return [name for name in model.inputs if name in seen]


def input_shapes(
    model: SourceModel, given: Mapping[str, Shape] | None = None
) -> dict[str, Shape | None]:
    """The shapes of the inputs that the outputs need; an open first extent of several is taken for
    a batch, which is 1."""
    wanted = {model.named(name): shape for name, shape in (given or {}).items()}
    shapes: dict[str, Shape | None] = {}
    for name in needed_inputs(model, model.outputs):
        shape = wanted.get(name, model.inputs[name].shape)
        if shape is not None and len(shape) > 1 and shape[0] is None:
            shape = (1, *shape[1:])
        shapes[name] = shape
    return shapes


def some(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{n}'" for n in names[:MAX_NAMES]) or "none"
    more = len(names) - MAX_NAMES
    return shown + (f", ... {more} more" if more > 0 else "")
