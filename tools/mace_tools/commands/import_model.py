"""Reads the model of a deployment file into a graph, or names the line that does not fit it.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from mace_tools.commands import input_order
from mace_tools.commands.context import Context
from mace_tools.commands.input_order import TO_NCHW, TO_NHWC
from mace_tools.config.checks import foreign
from mace_tools.config.download import fetch
from mace_tools.config.files import is_address
from mace_tools.config.names import ELEMENTS
from mace_tools.config.problems import ConfigError, did_you_mean
from mace_tools.config.schema import Model
from mace_tools.config.values import OPEN, closed, is_open
from mace_tools.convert import importers
from mace_tools.convert.importers import custom, declared_states, kv_caches
from mace_tools.convert.importers.caffe.reader import beside
from mace_tools.convert.importers.fixed_inputs import with_values
from mace_tools.convert.importers.request import RequestError, listed, stated
from mace_tools.convert.importers.source import SourceModel
from mace_tools.convert.passes import pipeline as passes
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.ir import Graph, Shape
from mace_tools.support.errors import MaceError, ModelError, UnsupportedOps

Shapes = dict[str, Shape]


def source_file(context: Context, tag: str, model: Model) -> Path:
    """The model file, downloaded if it is remote. Its checksum and its format are right."""
    if not is_address(model.model_file_path):
        return context.deployment.file(model.model_file_path)
    path = fetch(model.model_file_path, model.model_sha256_checksum, context.console)
    wrong = foreign(path, model.platform)
    if wrong is not None:
        keys, message, example = wrong
        raise context.deployment.error(("models", tag, *keys), message, example)
    return path


def weights_file(context: Context, model: Model, source: Path) -> Path | None:
    """The file with the weights of a model whose platform has such, downloaded if it is remote.

    None: there is none, and the model may need none."""
    name = model.weight_file_path
    if name is None:
        return beside(source) if model.platform == "caffe" else None
    if not is_address(name):
        return context.deployment.file(name)
    return fetch(name, model.weight_sha256_checksum or "", context.console, "weight")


def import_model(
    context: Context, tag: str, model: Model, source: Path, weights: Path | None,
    imported: Callable[[], None],
) -> Graph:
    """The canonical graph. `imported` is called when the model is read and not yet rewritten.

    Errors: ConfigError with the line that names something that the model lacks; ModelError if
    the model itself is at fault; UnsupportedOps."""
    try:
        read = read_source(model, source, weights)
    except RequestError as e:
        raise context.deployment.error(("models", tag, e.key), str(e), e.example) from e
    return translated(context, tag, model, read, imported)


def read_source(model: Model, source: Path, weights: Path | None) -> SourceModel:
    """Errors: ModelError; RequestError for a signature that is not there."""
    read = importers.read(model.platform, source, model.signature or "", weights=weights)
    if model.kv_cache is not None:
        read = kv_caches.sized(read, model.kv_cache.tokens, model.kv_cache.type)
    return replace(read, renamed=model.subgraph.renamed)


def translated(
    context: Context, tag: str, model: Model, read: SourceModel, imported: Callable[[], None]
) -> Graph:
    """As `import_model`, of a model that has been read."""
    try:
        read = with_values(read, model.subgraph.input_values or {})
    except RequestError as e:
        raise _config_error(context, tag, e.key, e.index, str(e)) from e
    model = input_order.chosen(context, tag, model, read)
    _check_custom_ops(context, tag, model, read)
    _check_filters(context, tag, model, read)
    read = replace(read, custom_ops=model.allow_custom_ops)
    shapes = _import_shapes(context, tag, model, read.data_format)
    try:
        graph = _graph(model, read, shapes, imported)
    except RequestError as e:
        raise _config_error(context, tag, e.key, e.index, str(e), e.example) from e
    except (ModelError, UnsupportedOps) as e:
        blamed = _blame_shapes(context, tag, model, read, shapes, e)
        raise (blamed or e) from e
    graph.name = tag
    graph.open_dims |= _open_dims(model)
    _check_open(context, tag, model, graph)
    graph.notes += _custom_ops_note(graph)
    for k, (name, shape) in enumerate(shapes.items()):
        own = read.own_shape(name)
        if not input_order.fits(shape, own):
            context.console.info(str(_config_error(
                context, tag, "input_shapes", k, f"in place of the {listed(own or ())} that the "
                f"file states for '{name}'")))
    _check(context, tag, model, graph)
    _check_trained(context, tag, model, graph)
    return graph


def _open_dims(model: Model) -> dict[str, OpenDims]:
    """What the deployment file says of the inputs with open extents."""
    sub = model.subgraph
    most = sub.max_shape or [None] * len(sub.input_shapes)
    return {name: OpenDims(tuple(d if isinstance(d, str) else "" for d in dims),
                           None if limit is None else closed(limit))
            for name, dims, limit in zip(sub.input_names, sub.input_shapes, most)
            if is_open(dims)}


def _check_open(context: Context, tag: str, model: Model, graph: Graph) -> None:
    """Errors: ConfigError if nodes were settled for the extents that input_shapes fixes, so that
    others must not vary either."""
    if graph.open_dims and graph.shape_dependent:
        inputs = [k for k, n in enumerate(model.subgraph.input_names) if n in graph.open_dims]
        raise _config_error(
            context, tag, *(("input_shapes", inputs[0]) if inputs else ("states", "")),
            f"{', '.join(graph.shape_dependent[:3])} of the model depends on shapes, so that none "
            "of them can be open; give numbers")


def _check_filters(context: Context, tag: str, model: Model, read: SourceModel) -> None:
    """Errors: ConfigError for OIHW where the source's filters have another order."""
    for key in ("input_data_formats", "output_data_formats"):
        for k, order in enumerate(getattr(model.subgraph, key) or ()):
            if order == "OIHW" and read.data_format != "NCHW":
                raise _config_error(
                    context, tag, key, k, f"platform: {model.platform} has filters in another "
                    "order than OIHW; with NONE, this one keeps the order of the source",
                    f"{key}: NONE")


def _check_custom_ops(context: Context, tag: str, model: Model, read: SourceModel) -> None:
    """Errors: ConfigError for a name that cannot be that of a custom op of the model."""
    known = {custom.name_of(op) for op in importers.supported(model.platform)}
    ops = {custom.name_of(node.op) for node in read.nodes}
    for k, name in enumerate(model.allow_custom_ops):
        message = ""
        if name == custom.ALL:
            continue
        if name in known:
            message = (f"the converter knows the operator '{name}' and converts it; only others "
                       "can be custom")
        elif name not in ops:
            near = did_you_mean(name, sorted(ops - known)) or "."
            message = f"the model has no operator '{name}'{near}"
        if message:
            raise context.deployment.error(("models", tag, "allow_custom_ops", k), message)


def _custom_ops_note(graph: Graph) -> list[str]:
    ops = sorted({node.op for node in graph.nodes if node.is_custom})
    return [f"custom ops that the app must register: {', '.join(ops)} (docs/custom_ops.md)"
            ] if ops else []


def _graph(
    model: Model, read: SourceModel, shapes: dict[str, Shape], imported: Callable[[], None]
) -> Graph:
    sub, states = model.subgraph, model.subgraph.states or {}
    given = list(sub.output_names)
    if states:
        shapes = {**shapes, **declared_states.shapes(read, states)}
    graph = importers.translate(model.platform, read, shapes,
                                declared_states.outputs(given, states))
    if states:
        declared_states.keep(graph, given, states)
    imported()
    return passes.convert(graph, passes.Options(
        formats(sub.input_names, sub.input_data_formats),
        formats(sub.output_names, sub.output_data_formats)))


def _config_error(
    context: Context, tag: str, key: str, index: int | str, message: str, example: str = ""
) -> ConfigError:
    return context.deployment.error(("models", tag, "subgraphs", 0, key, index), message, example)


def _blame_shapes(
    context: Context, tag: str, model: Model, read: SourceModel, shapes: Shapes, error: MaceError
) -> ConfigError | None:
    """The error to raise if the model is valid and only the given shapes are wrong."""
    for other in _other_shapes(read, shapes):
        try:
            _graph(model, read, other, lambda: None)
        except UnsupportedOps:
            if isinstance(error, UnsupportedOps):
                continue  # it would not tell anything new
        except MaceError:
            continue
        names = list(shapes)
        index = next(k for k, n in enumerate(names) if other[n] != shapes[n])
        name = names[index]
        message, example = _about_shape(model, read, name, shapes[name], other[name])
        return _config_error(context, tag, "input_shapes", index,
                             f"{message}. With the shape given: {error}", example)
    return None


def _other_shapes(read: SourceModel, shapes: Shapes) -> Iterator[Shapes]:
    """Shapes that may have been meant: those of the file, other orders of dimensions and, if
    nothing better is known, the shapes as far as the file states them."""
    own = {name: read.own_shape(name) for name in shapes}
    fixed = {n: s if o is None else tuple(g if e is None else e for g, e in zip(s, o))
             for (n, s), o in zip(shapes.items(), own.values())}
    turned = [{**fixed, n: tuple(s[i] for i in order)}
              for n, s in shapes.items() if len(s) == 4 for order in (TO_NHWC, TO_NCHW)]
    turned = [t for t in turned if all(input_order.fits(t[n], own[n]) for n in t)]
    unknown = {n: (None,) * len(s) if own[n] is None else own[n] for n, s in shapes.items()}
    for other in (fixed, *turned, unknown):
        if other != shapes:
            yield other


def _about_shape(
    model: Model, read: SourceModel, name: str, given: Shape, right: Shape
) -> tuple[str, str]:
    """The error about an input's shape in the order of the source, and an example."""
    own = read.own_shape(name)
    source = read.data_format
    wanted = formats(model.subgraph.input_names, model.subgraph.input_data_formats).get(name)
    other = wanted not in (None, source)
    text = f"{listed(given)} "
    if other:
        order = TO_NHWC if wanted == "NHWC" else TO_NCHW
        right = tuple(right[i] for i in order)
        text = f"{listed(tuple(given[i] for i in order))}, in {source} {listed(given)}, "
    states = "states no shape" if own is None else f"states {stated(own)}"
    text += f"does not fit the model's input '{name}', of which the file {states}"
    if None in right:
        return text, ""
    if not other and sorted(given) == sorted(right):
        order = "NCHW" if source == "NHWC" else "NHWC"
        text += (f"; was its {order} order meant? Write it in {source}, or keep it and add "
                 f"`input_data_formats: {order}`, with which the converted model takes {order}")
    return text, f"input_shapes: {listed(right)}"


def _import_shapes(context: Context, tag: str, model: Model, source: str) -> Shapes:
    """Input shapes in the order of the source model."""
    sub = model.subgraph
    orders = formats(sub.input_names, sub.input_data_formats)
    shapes: Shapes = {}
    for k, (name, shape) in enumerate(zip(sub.input_names, sub.input_shapes)):
        order = orders.get(name, "NONE")
        shape = tuple(None if isinstance(d, str) or d == OPEN else d for d in shape)
        if order not in ("NONE", source):
            if len(shape) != 4:
                raise _config_error(
                    context, tag, "input_data_formats", k, f"{order} needs four dimensions, and "
                    f"input_shapes has {len(shape)} for '{name}': {listed(shape)}; write NONE")
            shape = tuple(shape[i] for i in (TO_NCHW if order == "NHWC" else TO_NHWC))
        shapes[name] = shape
    return shapes


def formats(names: tuple[str, ...], formats: tuple[str, ...] | None) -> dict[str, str]:
    """The orders that images are to have, by name; a single one applies to all. OIHW is the order
    that filters have in the source anyway (`_check_filters`)."""
    given = formats or ()
    given = given * len(names) if len(given) == 1 else given
    return {n: f for n, f in zip(names, given) if f in ("NHWC", "NCHW")}


def _check_trained(context: Context, tag: str, model: Model, graph: Graph) -> None:
    """Errors: ConfigError for quantize: 1 without ranges, unless the model has them itself."""
    if model.has_own_ranges and not graph.rounds_floats and all(
            t.quant is None and t.packed_quant is None for t in graph.tensors.values()):
        raise context.deployment.error(
            ("models", tag, "quantize"), "the model has no ranges of its own, such as "
            "FakeQuant's: give a quantize_range_file, or samples that show them",
            "quantize: {samples: data/samples}")


def _check(context: Context, tag: str, model: Model, graph: Graph) -> None:
    """Checks that the model is as the deployment file says."""
    sub = model.subgraph
    for key, names, types in (("input_data_types", sub.input_names, sub.input_data_types),
                              ("output_data_types", sub.output_names, sub.output_data_types)):
        types = types * len(names) if types and len(types) == 1 else types
        for k, (name, wanted) in enumerate(zip(names, types or ())):
            actual = graph.tensors[name].dtype
            if ELEMENTS[wanted] != actual:
                known = next(k for k, v in ELEMENTS.items() if v == actual)
                raise _config_error(context, tag, key, k, f"this says {wanted} for '{name}', but "
                                    f"the model has {known}; write {known} or remove the key")
    for k, (name, wanted) in enumerate(zip(sub.output_names, sub.output_shapes or ())):
        actual = graph.tensors[name].static_shape
        if actual is not None and actual != wanted:
            context.console.warn(str(_config_error(
                context, tag, "output_shapes", k, f"this says {listed(wanted)} for '{name}', but "
                f"the model gives {listed(actual)}, which is what outputs have")))


