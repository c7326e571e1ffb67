"""Writes a deployment file for a model, with comments where its reader has to fill in something.

SPDX-License-Identifier: Apache-2.0
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from mace_tools.graph.ir import Shape

OPEN = "?"  # stands for an extent or a shape to be filled in


@dataclass(frozen=True)
class End:
    """An input or an output: `shape` is None if nothing is known, `dtype` and `order` are values of
    the deployment file, or empty."""

    name: str
    shape: Shape | None
    dtype: str = ""
    order: str = "NONE"
    role: str = ""  # what a signature calls it
    dims: tuple[str, ...] = ()  # names of the dimensions that each run chooses
    range: tuple[int, int] | None = None  # of values that make sense

    @property
    def is_open(self) -> bool:
        """Whether something is to be filled in. An open batch is 1."""
        shape = None if self.shape is None else _named(self)
        return shape is None or None in (shape[1:] if len(shape) > 1 else shape)


@dataclass(frozen=True)
class Draft:
    """The contents of the file."""

    name: str
    platform: str
    file: str
    sha256: str
    inputs: Sequence[End]
    outputs: Sequence[End]
    command: str  # the command that drafts the file
    notes: Sequence[str] = field(default_factory=tuple)  # for the head of the file
    signature: str = ""
    weights: tuple[str, str] | None = None  # a file with weights only, and its checksum
    preprocess: Mapping[str, Any] = field(default_factory=dict)
    labels: str = ""  # the path of a file

    @property
    def is_open(self) -> bool:
        return any(e.is_open for e in self.inputs)


def text(draft: Draft) -> str:
    """The whole file."""
    ends = CommentedMap()
    _put(ends, "input_tensors", [e.name for e in draft.inputs], _roles(draft.inputs))
    shapes = [_shape(e) for e in draft.inputs]
    if shapes:
        _put(ends, "input_shapes", [s for s, _ in shapes], [c for _, c in shapes])
    if draft.inputs and all(e.range is not None for e in draft.inputs):
        ends["input_ranges"] = _flow([_flow(e.range or ()) for e in draft.inputs])
    _put_one(ends, "input_data_formats", [e.order for e in draft.inputs])
    _put_one(ends, "input_data_types", [e.dtype for e in draft.inputs])
    _put(ends, "output_tensors", [e.name for e in draft.outputs], _roles(draft.outputs))
    if all(e.shape is not None and None not in e.shape for e in draft.outputs):
        _put(ends, "output_shapes", [_written(e.shape) for e in draft.outputs])
    _put_one(ends, "output_data_formats", [e.order for e in draft.outputs])
    chosen = {"signature": draft.signature} if draft.signature else {}
    model = CommentedMap(platform=draft.platform, model_file_path=draft.file,
                         model_sha256_checksum=draft.sha256, **chosen)
    if draft.weights is not None:
        model["weight_file_path"], model["weight_sha256_checksum"] = draft.weights
    model["runtime"] = "cpu"
    model.yaml_add_eol_comment("or gpu, or cpu+gpu", "runtime")
    model["subgraphs"] = [ends]
    if draft.preprocess:
        model["preprocess"] = CommentedMap(
            {k: _flow(v) if isinstance(v, list) else v for k, v in draft.preprocess.items()})
        model["preprocess"].fa.set_flow_style()
    if draft.labels:
        model["labels"] = draft.labels
    whole = CommentedMap(library_name=draft.name, target_abis=_flow(["host"]),
                         models=CommentedMap({draft.name: model}))
    yaml = YAML()
    yaml.width = 1 << 16  # a line is never folded
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump(whole, out)
    head = [f"Drafted by `{draft.command}`; docs/converter.md has all keys.", *draft.notes]
    return "".join(f"# {_comment(line)}\n" for line in head) + out.getvalue() + _more(draft)


def _more(draft: Draft) -> str:
    """The keys for images, as a comment."""
    shape = next((e.shape for e in draft.inputs if e.shape is not None and len(e.shape) == 4), None)
    if shape is None:
        return ""
    first = next(e for e in draft.inputs if e.shape is shape)
    h, w, c = (shape[i] for i in ((2, 3, 1) if first.order == "NCHW" else (1, 2, 3)))
    if c not in (1, 3, None):
        return ""
    size = f"[{h or 224}, {w or 224}]"
    channels = "gray" if c == 1 else "rgb"
    numbers = (f"    # For `run --input=PICTURE`, with the numbers that the model was trained with:"
               f"\n    # preprocess: {{resize: {size}, channels: {channels}, mean: 127.5, "
               "scale: 0.00784314}\n")
    return ("" if draft.preprocess else numbers) + (
        "" if draft.labels else "    # labels: labels.txt\n")


def _roles(ends: Sequence[End]) -> list[str]:
    """Comments that say what the signature calls tensors of other names."""
    return [f"{_comment(e.role)} of the signature" if e.role else "" for e in ends]


def _shape(end: End) -> tuple[Any, str]:
    """The shape as text, and a comment about what to fill in. An open first extent is a batch size,
    for which 1 will do."""
    if end.shape is None:
        return OPEN, ("fill in the whole shape, such as 1,224,224,3: the model's file states none")
    extents: list[int | str | None] = list(_named(end))
    comments = []
    if len(extents) > 1 and extents[0] is None:
        extents[0] = 1
        comments.append("the file leaves the first extent open, taken as a batch of 1")
    if None in extents:
        places = [k for k, e in enumerate(extents) if e is None]
        letters = end.order if end.order != "NONE" and len(extents) == 4 else ""
        what = ", ".join(letters[k] if letters else f"extent {k + 1}" for k in places)
        comments.append(f"fill in '{OPEN}' ({what}): the file leaves it open")
    return _written(tuple(extents)), "; ".join(comments)


def _named(end: End) -> tuple[int | str | None, ...]:
    """The shape, with names in place of the dimensions that each run chooses."""
    names = end.dims or ("",) * len(end.shape or ())
    return tuple((name or None) if d is None else d for d, name in zip(end.shape or (), names))


def _written(shape: Sequence[int | str | None]) -> Any:
    """Text such as 1,224,224,3, or [] for a scalar."""
    if not shape:
        return _flow([])
    return ",".join(OPEN if e is None else str(e) for e in shape)


def _comment(line: str) -> str:
    """A line as YAML can hold it in a comment."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def _flow(items: Sequence[Any]) -> CommentedSeq:
    seq = CommentedSeq(items)
    seq.fa.set_flow_style()
    return seq


def _put(
    section: CommentedMap, key: str, values: Sequence[Any], comments: Sequence[str] = ()
) -> None:
    """A single value, or several as a list, with a comment after each that has one."""
    comments = comments or [""] * len(values)
    if not values:
        section[key] = _flow([])
        return
    if len(values) == 1 and isinstance(values[0], str):
        section[key] = values[0]
        if comments[0]:
            section.yaml_add_eol_comment(comments[0], key)
        return
    section[key] = seq = CommentedSeq(values)
    for k, comment in enumerate(comments):
        if comment:
            seq.yaml_add_eol_comment(comment, k)


def _put_one(section: CommentedMap, key: str, values: Sequence[str]) -> None:
    """One value if all are equal; nothing if all are empty."""
    if values and all(values) and set(values) != {"NONE"}:
        section[key] = values[0] if len(set(values)) == 1 else _flow(values)
