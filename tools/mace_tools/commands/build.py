"""build: the library that apps link, with models and headers, in <output>/<library_name>.

SPDX-License-Identifier: Apache-2.0

Everything is made in a folder beside, which takes the place of the former result at the end: a
build that fails or is interrupted leaves that as it was.
"""

import argparse
import contextlib
import functools
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mace_tools.commands import convert, device_tuning, link_library
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.convert import Converted
from mace_tools.devices.targets import Place
from mace_tools.graph.model_quantization import is_quantized
from mace_tools.graph.op_schema import all_ops
from mace_tools.package import prefab
from mace_tools.package.library import (
    abis,
    bundle,
    compiled_models,
    components,
    engine,
    op_sizes,
    sizes,
)
from mace_tools.package.library.abis import Abi
from mace_tools.support import protos
from mace_tools.support.exit_codes import ExitCode, UsageError
from mace_tools.support.locks import alone

# That a plan adds to a model whose weights are stored as fp16 or bf16.
PLAN_OPS = ("Cast", "Identity")
# What engines make of a Concat that adds rows to a state.
STATE_OPS = ("Append", "Slice")


def command(context: Context) -> Outcome:
    library = context.deployment.library
    if context.args.model_name is not None:
        raise UsageError("--model_name: a library has all models of its file; build takes no model")
    found, there = abis.find(library.target_abis), device_tuning.places_of(context)
    lock = context.args.output / f".{library.library_name}.lock"
    with alone(lock, context.console, f"another build of {context.folder}"), (
            _beside(context)) as staged:
        models = {tag: convert.ensure(staged, tag, model)
                  for tag, model in staged.models.items()}
        engines = [_engine(staged, abi, models) for abi in found]
        fingerprint = _fingerprint(context, models, engines, there)
        stamp = staged.folder / "_tmp" / "library.stamp.json"
        fresh = context.args.force or not _up_to_date(stamp, fingerprint, staged.folder)
        if fresh:
            stamp.unlink(missing_ok=True)
            socs = library.target_socs or ()
            tuned = {abi.name: ["host"] if abi.name == "host" in socs else [] for abi in found}
            for tag, model in staged.models.items():
                convert.tune(staged, models[tag], model)
                tuned_on = device_tuning.tune(staged, there, models[tag], model)
                for place in device_tuning.done(there, tuned_on):
                    tuned[place.abi].append(place.tuned_name)
            results = _build(staged, found, engines, models, tuned)
            stamp.write_text(json.dumps({"fingerprint": fingerprint, "results": results,
                                         "files": _states(staged.folder, results["files"])}))
            _replace(context.folder, staged.folder)
        else:
            results = json.loads(stamp.read_text())["results"]
    _report(context, results, fresh)
    return ExitCode.OK, {"library": {**results, "built": fresh},
                         "models": {tag: m.report() for tag, m in _moved(
                             context, staged.folder, models)}}


@contextlib.contextmanager
def _beside(context: Context) -> Iterator[Context]:
    """The same command in a copy of the library's folder, whose files are links to those there."""
    name = context.deployment.library.library_name
    parent = context.args.output / f".{name}.new"
    shutil.rmtree(parent, ignore_errors=True)
    parent.mkdir(parents=True)
    try:
        if context.folder.is_dir():
            shutil.copytree(context.folder, parent / name, copy_function=link_library.link_or_copy)
        args = argparse.Namespace(**{**vars(context.args), "output": parent})
        staged = replace(context, args=args)
        staged.folder.mkdir(exist_ok=True)
        (staged.folder / "_tmp").mkdir(exist_ok=True)
        yield staged
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _replace(folder: Path, staged: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(staged, folder)
    shutil.rmtree(old, ignore_errors=True)


def _moved(
    context: Context, staged: Path, models: dict[str, Converted]
) -> Iterator[tuple[str, Converted]]:
    """The models, where they are in the end."""
    def moved(path: Path) -> Path:
        return context.folder / path.relative_to(staged)

    for tag, model in models.items():
        yield tag, replace(model, pb=moved(model.pb), data=moved(model.data),
                           tokenizer=model.tokenizer and moved(model.tokenizer))


def _engine(context: Context, abi: Abi, models: dict[str, Converted]) -> engine.Engine:
    library = context.deployment.library
    devices = {device for model in library.models.values() for device in model.devices}
    ops = ops_of(context, models)
    with_fp16, with_quantized = has_16_bit_types(context, models), has_quantized(context, models)
    gpu, dsp = "gpu" in devices, "dsp" in devices
    # The C++ library is no part of the estimate, and not compiled for near addresses.
    may_be_near = bool(library.linkshared) and library.cxx != "none"
    near = may_be_near and op_sizes.is_near(abi, ops, gpu, dsp, with_fp16, with_quantized)
    return engine.build(context.console, abi, ops, gpu, with_fp16, with_quantized,
                        _components(context, models), dsp, near,
                        self_test=bool(library.kernel_self_test))


def _components(context: Context, models: dict[str, Converted]) -> tuple[str, ...]:
    return components.components_of(context.deployment.library, [m.net for m in models.values()])


def has_16_bit_types(context: Context, models: dict[str, Converted]) -> bool:
    """Whether the library holds kernels for fp16 and bf16 on the CPU."""
    narrow = {protos.mace().DT_HALF, protos.mace().DT_BFLOAT16}
    types = {kind for model in models.values() for kind in _types(model.net)}
    extra = set(context.deployment.library.extra_data_types or ())
    return bool(extra & {"fp16", "bf16"}) or bool(types & narrow)


def has_quantized(context: Context, models: dict[str, Converted]) -> bool:
    """Whether the library holds kernels for quantized tensors on the CPU."""
    extra = set(context.deployment.library.extra_data_types or ())
    return "int8" in extra or any(is_quantized(model.net) for model in models.values())


def _types(net: Any) -> Iterator[int]:
    """Those that weights are stored as, and those of inputs and outputs."""
    yield from (tensor.stored_type for tensor in net.tensors)
    yield from (tensor.data_type for tensor in net.tensors)
    yield from (info.data_type for info in (*net.input_info, *net.output_info))


def ops_of(context: Context, models: dict[str, Converted]) -> tuple[str, ...] | None:
    """Those that the library holds; None: all."""
    ops = set(context.deployment.library.extra_ops or ())
    if "all" in ops:
        return None
    for model in models.values():
        net = model.net
        ops |= {op.type for op in net.op} & set(all_ops())  # the app has the custom ones
        if any(tensor.HasField("stored_type") for tensor in net.tensors):
            ops |= set(PLAN_OPS)
        if any(-1 in variable.tensor.dims for variable in net.variables):
            ops |= set(STATE_OPS)
    return tuple(sorted(ops))


def _build(
    context: Context, found: list[Abi], engines: list[engine.Engine],
    models: dict[str, Converted], tuned: dict[str, list[str]]
) -> dict[str, Any]:
    """Writes all that is not there yet. `tuned`: by ABI, for what the models are tuned. Returns
    its report."""
    library, root = context.deployment.library, context.folder
    name = f"libmace_{library.library_name}"
    for part in ("include", "lib", "prefab", "share", "debug", "_tmp/library", f"{name}.tar.gz"):
        path = root / part
        path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)
    compiled = link_library.code_models(context, models)
    headers = compiled_models.headers(library.library_name, compiled) if compiled else {}
    having, needs_cxx = _components(context, models), library.cxx != "none"
    bundle.write_headers(root, headers, "interfaces" in having, needs_cxx)
    built = [link_library.link_library(context, abi, e, compiled, tuned[abi.name])
             for abi, e in zip(found, engines)]
    shipped = _shipped(context, models)
    for file in [f for end in ("pb", "data", "tokenizer") for f in root.glob(f"model/*.{end}")]:
        if file not in shipped:  # of an earlier build, with another build_type or other models
            file.unlink()
    bundle.write_build_files(root, {b.abi: b.file.name for b in built})
    prefab.write(root, {b.abi: b.file.name for b in built}, f"{name}.a", needs_cxx)
    bundle.write_documents(root, library.library_name, shipped, having,
                           [] if needs_cxx else [b.abi.cxx() for b in built])
    archive = bundle.write_archive(root, name, shipped)
    shutil.rmtree(root / "_tmp" / "library")
    files = [str(file) for b in built for file in (b.file, *b.others)]
    files += [str(archive.relative_to(root))]
    ops = ops_of(context, models)
    return {"files": files, "ops": list(all_ops() if ops is None else ops),
            "bytes": {f: (root / f).stat().st_size for f in files},
            "parts": {b.abi.name: b.parts for b in built}}


def _shipped(context: Context, models: dict[str, Converted]) -> list[Path]:
    """The model files that an app needs."""
    library = context.deployment.library
    files = []
    for model in models.values():
        files += [model.pb] if library.graph_format == "proto" else []
        files += [] if library.embeds_weights else [model.data]
        files += [model.tokenizer] if model.tokenizer else []
    return files


def _fingerprint(
    context: Context, models: dict[str, Converted], engines: list[engine.Engine],
    there: list[Place],
) -> str:
    """Of everything that decides the result."""
    asked = context.deployment.library.model_dump(exclude={"models"})
    inputs = [asked, [e.key for e in engines], convert.converter_version(), _documents(),
              {tag: [_digest(m.pb), _digest(m.data), m.tokenizer and _digest(m.tokenizer)]
               for tag, m in models.items()},
              {tag: m.devices for tag, m in context.models.items()},
              # A device that is attached later makes a library that is tuned for it, too.
              [[p.device.name, p.abi, p.tuned_name] for p in there], context.args.disable_tuning]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()


@functools.cache
def _documents() -> list[str]:
    files = [bundle.REPO / source for source in bundle.DOCUMENTS]
    return [_digest(path) for path in (*files, *sorted(compiled_models.TEMPLATES.iterdir()))]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _states(root: Path, files: list[str]) -> list[list[int]]:
    return [[s.st_size, s.st_mtime_ns] for s in ((root / f).stat() for f in files)]


def _up_to_date(stamp: Path, fingerprint: str, root: Path) -> bool:
    try:
        known = json.loads(stamp.read_text())
        return (known["fingerprint"] == fingerprint
                and known["files"] == _states(root, known["results"]["files"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _report(context: Context, results: dict[str, Any], fresh: bool) -> None:
    state = "built" if fresh else "up to date"
    context.console.data(f"{context.deployment.library.library_name}: {state}, "
                         f"{len(results['ops'])} ops")
    for file in results["files"]:
        context.console.data(f"  {context.folder / file}  {results['bytes'][file]} bytes")
    if context.args.sizes:
        for line in size_table(results["parts"]):
            context.console.data(line)


def size_table(columns: dict[str, dict[str, int]]) -> list[str]:
    """Bytes by part (rows) and library (columns)."""
    parts = [part for part, _ in sizes.PARTS] + ["other"]
    shown = [p for p in parts if any(column.get(p) for column in columns.values())]
    lines = ["part".ljust(16) + "".join(name.rjust(16) for name in columns)]
    lines += [part.ljust(16) + "".join(str(c.get(part, 0)).rjust(16) for c in columns.values())
              for part in shown]
    total = "".join(str(sum(c.values())).rjust(16) for c in columns.values())
    return [*lines, "all".ljust(16) + total]

