"""init: drafts the deployment file of a model from the information in the model's file.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import replace
from pathlib import Path

from mace_tools import importers
from mace_tools.atomic import atomic_files
from mace_tools.cli_console import Console
from mace_tools.commands import bare_model, init_metadata
from mace_tools.config.draft import Draft, End, text
from mace_tools.config.files import sha256_of
from mace_tools.config.names import ELEMENTS
from mace_tools.errors import MaceError, UnsupportedOps
from mace_tools.exit_codes import ExitCode, UsageError
from mace_tools.importers.request import needed_inputs
from mace_tools.importers.source import SourceModel
from mace_tools.importers.tflite.metadata import Metadata
from mace_tools.ir import Graph, Shape

TYPES = {short: name for name, short in ELEMENTS.items()}


def standalone(args: argparse.Namespace, console: Console) -> ExitCode:
    """Needs no deployment file."""
    if args.output is not None and args.output.exists():
        raise UsageError(f"--output={args.output} is there already, perhaps with your changes; "
                         "give another name, or remove it first")
    draft = draft_of(args, console)
    draft = _with_metadata(draft, init_metadata.known(draft.platform, args.model), args, console)
    if args.output is None:
        console.data(text(draft).rstrip("\n"))
    else:
        with atomic_files(args.output) as (out,):
            out.write(text(draft).encode())
        config = shlex.quote(str(args.output))
        console.info(f"{args.output}: `tools/converter.py run --config={config}` converts and runs "
                     "the model")
    return ExitCode.OK


def _with_metadata(
    draft: Draft, known: Metadata, args: argparse.Namespace, console: Console
) -> Draft:
    """The draft with what the metadata of the model tells about pictures and labels."""
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
    """The deployment file of a model; also for commands that take a model instead of one.

    Errors: MaceError."""
    bare = bare_model.read(args)
    draft = _draft(bare.model, bare.platform, args.model, args, console)
    weights = bare.weights
    return replace(draft, weights=weights and (str(weights), sha256_of(weights)))


def _draft(
    read: SourceModel, platform: str, path: Path, args: argparse.Namespace, console: Console
) -> Draft:
    if not read.outputs:
        raise MaceError(f"'{path}' has no outputs: each of its {len(read.nodes)} nodes is read by "
                        "another")
    names = needed_inputs(read, read.outputs)
    inputs = [_end(read, name, read.inputs[name].shape, read.inputs[name].dtype) for name in names]
    graph = _graph(read, platform, path, console)
    outputs = []
    for k, name in enumerate(read.outputs):
        tensor = None if graph is None else graph.tensors[graph.outputs[k]]
        shape = None if tensor is None else tensor.static_shape
        outputs.append(_end(read, name, shape, ""))
    open_ends = [e for e in inputs
                 if e.shape is None or None in (e.shape[1:] if len(e.shape) > 1 else e.shape)]
    notes = []
    if open_ends:
        notes.append("Fill in each '?' first.")
        console.warn(f"{path} leaves extents of {len(open_ends)} input(s) open: fill in each '?' "
                     f"of input_shapes ({', '.join(e.name for e in open_ends)})")
    name = args.model_name or _tag(path)
    command = f"tools/converter.py init {shlex.quote(str(path))}"
    if args.signature:
        command += f" --signature={shlex.quote(args.signature)}"
    if args.weights is not None:
        command += f" --weights={shlex.quote(str(args.weights))}"
    return Draft(name, platform, str(path), sha256_of(path), inputs, outputs, command, notes,
                 args.signature)


def _end(read: SourceModel, name: str, shape: Shape | None, dtype: str) -> End:
    order = read.data_format if shape is not None and len(shape) == 4 else "NONE"
    return End(read.signed(name), shape, TYPES.get(dtype, ""), order, read.role(name))


def _graph(read: SourceModel, platform: str, path: Path, console: Console) -> Graph | None:
    """The model with a batch of 1, which gives the shapes of its outputs; None if they are
    unknown."""
    shapes = {name: _with_batch(read.inputs[name].shape)
              for name in needed_inputs(read, read.outputs)}
    try:
        return importers.translate(platform, read, shapes, read.outputs)
    except UnsupportedOps as e:
        console.warn(f"{path}: {sum(len(o.nodes) for o in e.ops)} nodes of it cannot be converted "
                     f"({', '.join(dict.fromkeys(o.op for o in e.ops))}); `convert` says why, and "
                     "input_tensors and output_tensors may name inner tensors to leave them out")
    except MaceError as e:
        console.warn(f"{path}: it does not convert as it is: {e}")
    return None


def _with_batch(shape: Shape | None) -> Shape | None:
    if shape is None or len(shape) < 2 or shape[0] is not None:
        return shape
    return (1, *shape[1:])


def _tag(path: Path) -> str:
    """The file's name, with only those characters that the name of a model may have."""
    return re.sub(r"\W", "_", path.stem, flags=re.ASCII) or "model"
