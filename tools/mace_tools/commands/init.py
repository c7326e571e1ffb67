"""init: drafts the deployment file of a model from the information in the model's file.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import re
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mace_tools.commands import init_metadata, model_file
from mace_tools.commands.context import Context
from mace_tools.commands.import_model import translated
from mace_tools.commands.try_engine import has_custom_ops, try_engine
from mace_tools.config.draft import OPEN, Draft, End, text
from mace_tools.config.files import sha256_of
from mace_tools.config.load import load
from mace_tools.config.names import ELEMENTS
from mace_tools.config.problems import ConfigError
from mace_tools.convert import emit, importers
from mace_tools.convert.importers.request import input_shapes, needed_inputs
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.importers.tflite.metadata import Metadata
from mace_tools.graph.ir import Graph, Shape
from mace_tools.support.atomic import atomic_files
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError, UnsupportedOps
from mace_tools.support.exit_codes import ExitCode, UsageError

TYPES = {short: name for name, short in ELEMENTS.items()}


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    if args.output is not None and args.output.exists():
        raise UsageError(f"--output={args.output} is there already, perhaps with your changes; "
                         "give another name, or remove it first")
    bare = model_file.read(args)
    draft = _draft(bare, args, console)
    if not draft.is_open:
        draft = _tried(draft, bare.model, args, console)
    draft = _with_metadata(draft, init_metadata.known(draft.platform, args.model), args, console)
    if args.output is None:
        console.data(text(draft).rstrip("\n"))
    else:
        with atomic_files(args.output) as (out,):
            out.write(text(draft).encode())
        command = f"`tools/converter.py run --config={shlex.quote(str(args.output))}`"
        console.info(f"{args.output}: " + (
            f"fill in each '{OPEN}' of it, then try {command}" if draft.is_open else
            "it is to be changed before it converts" if draft.notes else
            f"{command} converts and runs the model"))
    return ExitCode.OK


def _with_metadata(
    draft: Draft, known: Metadata, args: argparse.Namespace, console: Console
) -> Draft:
    """The draft with what the metadata of the model tells about images and labels."""
    init_metadata.say(known, args.model, console)
    labels = init_metadata.labels(known, draft.outputs)
    file = ""
    if labels and args.output is not None:
        file = str(init_metadata.write_labels(labels, args.output, draft.name))
        console.info(f"{file}: the labels that the model holds")
    elif labels:
        console.info(f"{args.model} holds labels; with --output=YML they are written beside it")
    return replace(draft, preprocess=init_metadata.preprocess(known, draft.inputs), labels=file)


def draft_of(args: argparse.Namespace, console: Console) -> Draft:
    """The deployment file of a model, for commands that take a model instead of one.

    Errors: MaceError."""
    return _draft(model_file.read(args), args, console)


def _draft(bare: model_file.Bare, args: argparse.Namespace, console: Console) -> Draft:
    """Without the shapes of outputs."""
    read, path = bare.model, args.model
    if not read.outputs:
        raise MaceError(f"'{path}' has no outputs: each of its {len(read.nodes)} nodes is read by "
                        "another")
    names = needed_inputs(read, read.outputs)
    inputs = [_end(read, name, read.inputs[name].shape, read.inputs[name].dtype) for name in names]
    outputs = [End(name, None, role=read.role(own)) for own, name in zip(
        read.outputs, _output_names(read, [e.name for e in inputs]))]
    command = f"tools/converter.py init {shlex.quote(str(path))}"
    if args.signature:
        command += f" --signature={shlex.quote(args.signature)}"
    if args.weights is not None:
        command += f" --weights={shlex.quote(str(args.weights))}"
    weights = bare.weights and (str(bare.weights), sha256_of(bare.weights))
    draft = Draft(args.model_name or _tag(path), bare.platform, str(path), sha256_of(path), inputs,
                  outputs, command, signature=args.signature, weights=weights)
    if not draft.is_open:
        return draft
    open_ends = [e.name for e in inputs if e.is_open]
    console.warn(f"{path} leaves extents of {len(open_ends)} input(s) open: fill in each '{OPEN}' "
                 f"of input_shapes ({', '.join(open_ends)})")
    try:
        importers.translate(bare.platform, read, input_shapes(read), read.outputs)
    except MaceError as e:
        _warn(path, e, console)
    return replace(draft, notes=[f"Fill in each '{OPEN}' first."])


def _output_names(read: SourceModel, inputs: Sequence[str]) -> list[str]:
    """The names that a signature gives, or those of the file where an input has the same."""
    names = []
    for own in read.outputs:
        name = read.signed(own)
        names.append(name if name not in inputs or own in read.inputs else own)
    return names


def _tried(draft: Draft, read: SourceModel, args: argparse.Namespace, console: Console) -> Draft:
    """The draft with the shapes of its outputs, or with a note that `convert` refuses it."""
    try:
        graph = _converted(draft, read, args, console)
    except MaceError as e:
        reason = _warn(args.model, e, console)
        return replace(draft, notes=[f"`convert` refuses the model as it is: {reason}"])
    outputs = []
    for end in draft.outputs:
        shape = graph.tensors[end.name].static_shape
        order = read.data_format if shape is not None and len(shape) == 4 else "NONE"
        outputs.append(replace(end, shape=shape, order=order))
    return replace(draft, outputs=outputs)


def _converted(draft: Draft, read: SourceModel, args: argparse.Namespace,
               console: Console) -> Graph:
    """What `convert` makes of the draft. Errors: MaceError of any stage."""
    with tempfile.TemporaryDirectory(prefix="mace_init.") as folder:
        yml = Path(folder) / "model.yml"
        yml.write_text(text(draft), encoding="utf-8")
        context = Context(args, load(yml), console)
        ((tag, model),) = context.deployment.library.models.items()
        graph = translated(context, tag, model, read, lambda: None)
        pb, data = yml.with_suffix(".pb"), yml.with_suffix(".data")
        emit.write_model(graph, pb, data, model.settings, model.stored_type)
        if not has_custom_ops(graph):
            try_engine(None, tag, pb, data)
    return graph


def _warn(path: Path, error: MaceError, console: Console) -> str:
    """Tells why a model does not convert; returns the reason in one line."""
    if isinstance(error, UnsupportedOps):
        reason = (f"{sum(len(o.nodes) for o in error.ops)} nodes of it cannot be converted "
                  f"({', '.join(dict.fromkeys(o.op for o in error.ops))})")
        console.warn(f"{path}: {reason}; `convert` says why, and input_tensors and output_tensors "
                     "may name inner tensors to leave them out")
        return reason
    reason = "; ".join(p.message for p in error.problems) if isinstance(
        error, ConfigError) else str(error)
    console.warn(f"{path}: it does not convert as it is: {reason}")
    return reason.splitlines()[0]


def _end(read: SourceModel, name: str, shape: Shape | None, dtype: str) -> End:
    order = read.data_format if shape is not None and len(shape) == 4 else "NONE"
    info = read.inputs[name]
    return End(read.signed(name), shape, TYPES.get(dtype, ""), order, read.role(name), info.dims,
               info.range)


def _tag(path: Path) -> str:
    """The file's name, with only those characters that the name of a model may have."""
    return re.sub(r"\W", "_", path.stem, flags=re.ASCII) or "model"
