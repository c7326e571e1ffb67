"""Reads models of every supported framework into the converter's graph.

SPDX-License-Identifier: Apache-2.0

A framework is a package in this folder with `registry` and `read(path) -> SourceModel`. If its
files have signatures, it has `HAS_SIGNATURES` and read(path, signature); where weights are in a
file of their own it is read(path, weights), in which None stands for the file beside the model.
If its files hold no graph, so that its nodes are the engine's, it has `HAS_GRAPHS = False`.
`prepare(model, inputs)`, if it is there, rewrites a model before it is cut, without changing the
given one. What an importer needs is imported when a model is read: checking a deployment file needs
the formats of model files (model_format.py) only.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mace_tools.support.errors import MaceError, ModelError, cut_short
from mace_tools.support.limits import bounded_memory

if TYPE_CHECKING:
    from mace_tools.convert.importers.source import SourceModel
    from mace_tools.graph.ir import Graph, Shape


@functools.cache
def platforms() -> tuple[str, ...]:
    """Names for `platform` in the YAML: the packages in this folder."""
    return tuple(sorted(m.name for m in pkgutil.iter_modules(__path__) if m.ispkg))


def load(
    platform: str,
    path: str | Path,
    inputs: Mapping[str, Shape | None] | None = None,
    outputs: Sequence[str] | None = None,
    signature: str = "",
    *,
    weights: Path | None = None,
) -> Graph:
    """Reads and translates a model, from `inputs` (tensor names, with shapes) to `outputs`.

    Both may name inner tensors; None takes the model's own. The graph's inputs and outputs have
    the names as given here. `signature`: as for `read`.
    Errors: MaceError (RequestError, ModelError, UnsupportedOps)."""
    return translate(platform, read(platform, path, signature, weights=weights), inputs, outputs)


def read(
    platform: str, path: str | Path, signature: str = "", *, weights: Path | None = None
) -> SourceModel:
    """A model as its file states it. `signature` names one of those that the file has; "" is its
    usual one. `weights`: the file with its weights, if it is another one.

    Errors: ModelError; RequestError for a signature that is not there."""
    from mace_tools.convert.importers.request import RequestError
    from mace_tools.convert.importers.source import check_model

    package = _package(platform)
    if signature and not getattr(package, "HAS_SIGNATURES", False):
        raise RequestError(f"models of platform {platform} have no signatures; remove `signature`",
                           "signature")
    more = [value for value in (signature, weights) if value]
    with _sound(f"{path}: it"):
        model = package.read(Path(path), *more)
        check_model(model, Path(path))
    model.outputs = list(dict.fromkeys(model.outputs))  # a file may list one twice
    return model


def prepared(
    platform: str, model: SourceModel, inputs: Mapping[str, Shape | None]
) -> SourceModel:
    """The model as it is before it is cut, without what only training needs."""
    prepare = getattr(_package(platform), "prepare", None)
    if prepare is None:
        return model
    with _sound("the model"):
        return prepare(model, inputs)


def supported(platform: str) -> list[str]:
    """The operators that are converted."""
    return _package(platform).registry.supported()


def translate(
    platform: str,
    model: SourceModel,
    inputs: Mapping[str, Shape | None] | None = None,
    outputs: Sequence[str] | None = None,
) -> Graph:
    """Translates a model that has been read, as `load` does. The model is not changed."""
    from mace_tools.convert.importers.request import check_request
    from mace_tools.convert.importers.source import cut

    package = _package(platform)
    model = prepared(platform, model, inputs or {})
    own_inputs = None if inputs is None else {model.named(n): s for n, s in inputs.items()}
    own_outputs = None if outputs is None else [model.named(n) for n in outputs]
    check_request(model, own_inputs, own_outputs)
    with _sound("the model"):
        graph = package.registry.translate(cut(model, own_inputs, own_outputs))
    for k, name in enumerate(inputs or ()):
        graph.rename(graph.inputs[k], _vacant(graph, graph.inputs[k], name))
    for k, name in enumerate(outputs or ()):
        _name_output(graph, k, name)
    return graph


def _name_output(graph: Graph, k: int, name: str) -> None:
    """Gives an output a name. Errors: RequestError if an input, another tensor, has it."""
    from mace_tools.convert.importers.request import RequestError
    from mace_tools.convert.shape_inference import infer_node

    old = graph.outputs[k]
    if old == name:
        return
    if name in graph.inputs:
        raise RequestError(f"'{name}' is an input, and the output asked for is another tensor: "
                           f"call it '{old}', as the file does", "output_tensors", k,
                           f"output_tensors: {old}")
    _vacant(graph, old, name)
    if old not in graph.inputs and graph.outputs.count(old) == 1:
        graph.rename(old, name)
        return
    infer_node(graph, graph.add("Identity", [old], [name], name))
    graph.tensors[name].data_format = graph.tensors[old].data_format
    if old in graph.origins:
        graph.origins[name] = graph.origins[old]
    graph.outputs[k] = name


def _vacant(graph: Graph, old: str, name: str) -> str:
    """The name, which an inner tensor gives up for that called `old`."""
    if name != old and name in graph.tensors:
        graph.rename(name, graph.fresh(name))
    return name


@contextmanager
def _sound(what: str) -> Iterator[None]:
    """Turns what a value of the wrong kind makes Python raise into a ModelError: a file may hold
    one anywhere. Nodes are named by the registry, tensors by check_model."""
    try:
        with bounded_memory():
            yield
    except MemoryError as e:
        raise ModelError(f"{what} needs more memory than there is: {cut_short(e)}") from e
    except (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
            ValueError) as e:
        raise ModelError(f"{what} is malformed: {type(e).__name__}: {cut_short(e)}; fetch or "
                         "export it again") from e


def _package(platform: str) -> Any:
    if platform not in platforms():
        raise MaceError(f"platform '{platform}' is not one of {', '.join(platforms())}")
    return importlib.import_module(f"{__name__}.{platform}")

