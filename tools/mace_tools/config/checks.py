"""Checks of a deployment file that concern several keys, or files on disk.

SPDX-License-Identifier: Apache-2.0
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mace_tools.config.files import is_address, local_path, missing, model_folder, sha256_of
from mace_tools.config.names import DATA_TYPES
from mace_tools.config.schema import Library, Model, Subgraph
from mace_tools.config.sections import Preprocess
from mace_tools.config.values import closed, is_open
from mace_tools.support.limits import open_file
from mace_tools.support.model_format import CAFFE_OLD_WEIGHTS, CAFFE_WEIGHTS, detect
from mace_tools.support.os_errors import explain

# The path of a key, what is wrong with it, and an example of a right one.
Finding = tuple[tuple[Any, ...], str, str]

CPP_KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq""".split()
)
# Keys of a subgraph that hold one value for each input or output.
PER_TENSOR = {
    "input_shapes": "input_tensors", "max_shape": "input_tensors",
    "input_aliases": "input_tensors", "input_ranges": "input_tensors",
    "input_data_formats": "input_tensors", "input_data_types": "input_tensors",
    "output_aliases": "output_tensors",
    "output_shapes": "output_tensors", "output_data_formats": "output_tensors",
    "output_data_types": "output_tensors",
}  # fmt: skip
ONE_FOR_ALL = {"input_ranges", "input_data_formats", "input_data_types", "output_data_formats",
               "output_data_types"}  # fmt: skip


def check_library(library: Library) -> Iterator[Finding]:
    """Errors of the top level that concern several keys."""
    if library.build_type and library.model_graph_format:
        same = (library.build_type == "proto") == (library.model_graph_format == "file")
        if not same:
            yield (("model_graph_format",), f"contradicts build_type: {library.build_type}; "
                   "these are two names of one key, keep one", "")
    if library.model_data_format == "file" and library.embed_model_data:
        yield (("model_data_format",), "contradicts embed_model_data: 1; these are two names of "
               "one key, keep one", "")
    if library.components is not None and library.parts is not None:
        yield (("parts",), "is another name of `components`, which is there, too; keep one", "")
    yield from _check_cxx(library)
    if library.graph_format != "code":
        if library.model_data_format == "code":
            yield (("model_data_format",), "weights are compiled in only with the graph",
                   "model_graph_format: code")
        return
    if library.linkshared:
        yield (("linkshared",), "models are compiled into a static library only; for libmace.so "
               "write build_type: proto", "linkshared: 0")


def _check_cxx(library: Library) -> Iterator[Finding]:
    """Whether a library without a C++ library of the app is a shared one."""
    if library.cxx != "none":
        return
    if library.graph_format == "code":
        yield (("cxx",), "'none' makes libmace.so, and build_type: code a static library, which "
               "needs the C++ library of the app; write build_type: proto and linkshared: 1",
               "cxx: app")
    elif not library.linkshared:
        yield (("cxx",), "'none' makes libmace.so, which contains the C++ library; a static "
               "library needs that of the app: add linkshared: 1", "cxx: app")


def check_tags(library: Library) -> Iterator[Finding]:
    """Whether models that are compiled in have names of C++."""
    for tag in library.models if library.graph_format == "code" else ():
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", tag) or tag in CPP_KEYWORDS:
            plain = re.sub(r"\W", "_", tag)
            plain = f"_{plain}" if plain[0].isdigit() or plain in CPP_KEYWORDS else plain
            yield (("models", tag), f"build_type: code makes C++ names of '{tag}', which is none; "
                   f"call the model '{plain}'", "")


def check_model(model: Model, config: Path) -> Iterator[Finding]:
    """Errors of a model that concern several keys."""
    yield from _check_subgraph(model.subgraph)
    yield from _check_quantize(model, config)
    allowed = DATA_TYPES[model.runtime]
    if model.data_type is not None and model.data_type not in allowed:
        yield (("data_type",), f"'{model.data_type}' does not go with runtime: {model.runtime}, "
               f"which allows {', '.join(allowed)}", f"data_type: {allowed[0]}")
    if is_address(model.model_file_path) is None:
        yield ("model_file_path",), "only http:// and https:// addresses can be downloaded", ""
    elif not is_address(model.model_file_path):
        yield from _check_model_file(model, config)
    if model.weight_file_path is not None and model.platform == "caffe":
        yield from _check_weight_file(model, model.weight_file_path, config)
    for keys, section in (((), model), (("subgraphs", 0), model.subgraph)):
        if section.labels is not None:
            yield from _check_file((*keys, "labels"), section.labels, config)
        if section.preprocess is not None:
            yield from _check_preprocess((*keys, "preprocess"), section.preprocess)
        yield from _check_validation(keys, section, model, config)


def _check_subgraph(subgraph: Subgraph) -> Iterator[Finding]:
    for key, names_key in PER_TENSOR.items():
        given, names = getattr(subgraph, key), getattr(subgraph, names_key)
        if given is None or len(given) == len(names) or (key in ONE_FOR_ALL and len(given) == 1):
            continue
        yield (("subgraphs", 0, key), f"there are {len(given)} for {len(names)} {names_key} "
               f"({', '.join(names)})", "")
    yield from _check_max_shape(subgraph)
    yield from _check_aliases(subgraph)
    for name in subgraph.input_values or ():
        if name.removesuffix(":0") in {n.removesuffix(":0") for n in subgraph.input_tensors}:
            yield (("subgraphs", 0, "input_values"), f"'{name}' is among input_tensors, too; an "
                   "input is either given by the caller or a constant: remove one of the two", "")
    for name in subgraph.states or ():
        if name in subgraph.input_tensors or name in (subgraph.input_values or ()):
            yield (("subgraphs", 0, "states"), f"'{name}' is among input_tensors or input_values, "
                   "too; a state is given by nobody, the engine keeps it: remove one of the two",
                   "")


def _check_aliases(subgraph: Subgraph) -> Iterator[Finding]:
    """Whether every name stands for one tensor."""
    states = subgraph.states or {}
    known = {name: (name, "the deployment file") for name in (
        *(subgraph.input_values or ()), *states, *(pair.next for pair in states.values()))}
    for key, names_key in (("input_aliases", "input_tensors"),
                           ("output_aliases", "output_tensors")):
        names = getattr(subgraph, names_key)
        for name, tensor in zip(getattr(subgraph, key) or names, names):
            other, place = known.setdefault(name, (tensor, names_key))
            if other.removesuffix(":0") != tensor.removesuffix(":0"):
                yield (("subgraphs", 0, key), f"'{name}' is to be '{tensor}', and it is '{other}' "
                       f"in {place}; give the two different names", "")


def _check_quantize(model: Model, config: Path) -> Iterator[Finding]:
    sub = model.subgraph
    ranges = None if model.quantize is None else model.quantize.range_file
    if ranges is not None:
        key = ("quantize_range_file",) if ranges == model.quantize_range_file else (
            "quantize", "range_file")
        if is_address(ranges) is not False:
            yield key, "only models are downloaded; get this file, and write its path", ""
        else:
            yield from _check_file(key, ranges, config)
    if model.quantize is None or model.quantize.stored_weights is not None:
        return
    for name, dims in zip(sub.input_tensors, sub.input_shapes):
        if is_open(dims):
            yield (("quantize",), "quantized activations need fixed shapes, and input_shapes "
                   f"leaves '{name}' open: write numbers there, or weights_only",
                   "quantize: {weights_only: int8}")
            return
    if sub.states:
        yield (("quantize",), f"'{next(iter(sub.states))}' is a state, and states cannot be "
               "quantized; weights_only takes them", "quantize: {weights_only: int8}")


def _check_max_shape(subgraph: Subgraph) -> Iterator[Finding]:
    """Whether max_shape limits the open extents of input_shapes and nothing else."""
    key = ("subgraphs", 0, "max_shape")
    if subgraph.max_shape is None:
        return
    if not any(is_open(dims) for dims in subgraph.input_shapes):
        yield (key, "limits extents that each run chooses, but input_shapes has numbers only; "
               "write -1 or a name there for what is open, or remove this key", "")
        return
    limits: dict[str, int] = {}
    for name, dims, most in zip(subgraph.input_tensors, subgraph.input_shapes,
                                subgraph.max_shape):
        shown = ",".join(map(str, most))
        if is_open(most) or len(most) != len(dims):
            yield (key, f"{shown} for '{name}' must be {len(dims)} numbers, one for each of "
                   f"{','.join(map(str, dims))}", "")
            continue
        for d, (extent, limit) in enumerate(zip(dims, closed(most) or ())):
            if isinstance(extent, str) and limits.setdefault(extent, limit) != limit:
                yield (key, f"{shown} for '{name}' limits '{extent}' to {limit}, and another input "
                       f"to {limits[extent]}; dimensions of the same name are equal", "")
            if not isinstance(extent, str) and extent not in (-1, limit):
                yield (key, f"{shown} for '{name}' has {limit} for dimension {d}, which "
                       f"input_shapes fixes at {extent}; write {extent}", "")


def _check_model_file(model: Model, config: Path) -> Iterator[Finding]:
    path = local_path(model.model_file_path, config)
    kind = None if path is None else foreign(path, model.platform)
    if kind is not None:
        yield kind
    findings = []
    if path is None or not path.is_dir() or model_folder(path) is None:
        findings = list(_check_file(("model_file_path",), model.model_file_path, config))
    if kind is None or kind[0] == ("platform",):
        yield from findings
    if not findings and path is not None:
        yield from _check_sum("model_sha256_checksum", model.model_sha256_checksum, path)


def _check_sum(key: str, wanted: str, path: Path) -> Iterator[Finding]:
    actual = sha256_of(path)
    if actual != wanted:
        yield ((key,), f"{path} has another checksum, {actual}: the file is damaged or another "
               "version; get it again, or, if it is the one you mean, write", f"{key}: {actual}")


def _check_weight_file(model: Model, name: str, config: Path) -> Iterator[Finding]:
    key, wanted = "weight_file_path", model.weight_sha256_checksum
    remote = is_address(name)
    if remote is None:
        yield (key,), "only http:// and https:// addresses can be downloaded", ""
    elif remote and wanted is None:
        yield ("weight_sha256_checksum",), "a file that is downloaded needs its checksum", ""
    if remote is not False:
        return
    findings = list(_check_file((key,), name, config))
    yield from findings
    path = local_path(name, config)
    if findings or path is None:
        return
    try:
        kind = detect(path)
    except OSError:  # the error is reported when the file is read
        return
    if kind not in (None, CAFFE_WEIGHTS, CAFFE_OLD_WEIGHTS):
        yield (key,), f"'{path}' holds {kind.name}, not the weights of a Caffe model", ""
    elif wanted is not None:
        yield from _check_sum("weight_sha256_checksum", wanted, path)


def foreign(path: Path, platform: str) -> Finding | None:
    """The error if a model file has another format than its platform reads."""
    try:
        kind = detect(path)
    except OSError:  # the error is reported when the file is read
        return None
    if kind is None or kind.platform == platform:
        return None
    found = f"'{path}' holds {kind.name}"
    if kind.platform and not kind.cure:
        return ("platform",), f"{found}, not what platform: {platform} reads", (
            f"platform: {kind.platform}")
    return ("model_file_path",), f"{found}, which cannot be converted; {kind.cure}", ""


def _check_file(keys: tuple[Any, ...], name: str, config: Path) -> Iterator[Finding]:
    path = local_path(name, config)
    if path is None:
        yield keys, missing(name, config), ""
        return
    if not path.is_file():
        yield keys, f"'{path}' is not a file", ""
        return
    try:
        with open_file(path) as file:
            if not file.read(1):
                yield keys, f"'{path}' is empty", ""
    except OSError as e:
        yield keys, f"cannot read '{path}': {explain(e)}", ""


def _check_preprocess(keys: tuple[Any, ...], section: Preprocess) -> Iterator[Finding]:
    channels = 1 if section.channels == "gray" else 3
    for key in ("mean", "scale"):
        given = len(getattr(section, key))
        if given not in (1, channels):
            yield ((*keys, key), f"there are {given} numbers for {channels} channels "
                   f"({section.channels}); give one, or one per channel", "")


def _check_validation(
    keys: tuple[Any, ...], section: Model | Subgraph, model: Model, config: Path
) -> Iterator[Finding]:
    files = section.validation_inputs_data
    if files is None:
        return
    keys = (*keys, "validation_inputs_data")
    inputs = model.subgraph.input_tensors
    if len(files) != len(inputs):
        yield keys, f"there are {len(files)} files for {len(inputs)} inputs", ""
    for name in files:
        if not name.endswith(".npy"):
            yield keys, f"'{name}' is not a .npy file; numpy.save writes one", ""
        else:
            yield from _check_file(keys, name, config)
