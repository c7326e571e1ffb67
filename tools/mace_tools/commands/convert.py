"""convert: source models to <output>/<library_name>/model/<name>.{pb,data}, if out of date.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from mace_tools.commands import (
    device_tuning,
    dsp,
    embed_plan,
    gpu,
    own_tokenizer,
    quantize_model,
    tuning,
)
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.import_model import import_model, source_file, weights_file
from mace_tools.commands.try_engine import has_custom_ops, try_engine
from mace_tools.config.files import sha256_of
from mace_tools.config.problems import did_you_mean
from mace_tools.config.schema import Model
from mace_tools.convert.emit import node_names, write_model
from mace_tools.convert.importers.request import some
from mace_tools.convert.obfuscate import hide_names, map_file, write_map
from mace_tools.convert.passes.compute_in_float32 import compute_in_float32
from mace_tools.graph import settings
from mace_tools.graph.ir import Graph
from mace_tools.graph.op_schema import all_ops
from mace_tools.run import runner
from mace_tools.support import protos
from mace_tools.support.atomic import atomic_files
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.locks import alone

PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Converted:
    """A model's files, up to date."""

    tag: str
    source: Path
    pb: Path
    data: Path
    was_stale: bool
    weights: Path | None = None  # of the source, where they are in a file of their own
    notes: tuple[str, ...] = ()  # for the user, whenever the model is used
    tokenizer: Path | None = None  # of a language model

    @functools.cached_property
    def net(self) -> Any:
        """The NetDef. Errors: MaceError if somebody damaged the file."""
        try:
            return protos.mace().NetDef.FromString(self.pb.read_bytes())
        except DecodeError as e:
            raise MaceError(f"{self.pb} is damaged; `convert --force` makes it again") from e

    @property
    def custom_ops(self) -> dict[str, list[str]]:
        """The ops that the app must register, with the names of their nodes."""
        found: dict[str, list[str]] = {}
        for op in self.net.op:
            if op.type not in all_ops():
                found.setdefault(op.type, []).append(op.name)
        return found

    def report(self) -> dict[str, Any]:
        ops = Counter(op.type for op in self.net.op)
        return {"graph": str(self.pb), "weights": str(self.data), "converted": self.was_stale,
                **({"tokenizer": str(self.tokenizer)} if self.tokenizer else {}),
                **({"notes": list(self.notes)} if self.notes else {}),
                **({"custom_ops": self.custom_ops} if self.custom_ops else {}),
                "weights_bytes": self.net.data_bytes, "num_ops": len(self.net.op),
                "ops": dict(ops.most_common())}


def command(context: Context) -> Outcome:
    results, there = {}, device_tuning.places_of(context)
    for tag, model in context.models.items():
        done = ensure(context, tag, model, force=context.args.force)
        results[tag] = summary = done.report()
        state = "converted" if done.was_stale else "up to date"
        size = f"{summary['num_ops']} ops, {summary['weights_bytes']} bytes of weights"
        context.console.data(f"{tag}: {state}, {size}\n  {done.pb}\n  {done.data}"
                             + (f"\n  {done.tokenizer}" if done.tokenizer else ""))
        tuned = tune(context, done, model)
        summary.update(tuned)
        elsewhere = device_tuning.tune(context, there, done, model)
        summary.update(elsewhere)
        for line in device_tuning.files(elsewhere):
            context.console.data(f"  {line}")
        if "opencl_files" in tuned:
            context.console.data("\n".join(f"  {f}" for f in tuned["opencl_files"].values()))
        if "tuning_file" in tuned:
            context.console.data(f"  {tuned['tuning_file']}")
    return ExitCode.OK, results


def tune(context: Context, done: Converted, model: Model) -> dict[str, Any]:
    """Measures how a model runs best here, if the deployment file asks for it; the files of it."""
    files: dict[str, Any] = {}
    if not tuning.budget_ms(context, model):
        return files
    if "gpu" in model.devices:
        files["opencl_files"] = gpu.tune(context, _mace_run(context), done.pb, done.data, model)
    if "cpu" in model.devices:
        files["tuning_file"] = str(
            tuning.tune_cpu(context, _mace_run(context), done.pb, done.data, model))
    return files


def ensure(context: Context, tag: str, model: Model, force: bool = False) -> Converted:
    """The converted model. Converts it first if anything on which it depends has changed."""
    asked = getattr(context.args, "packed_weights", None)
    model = model.model_copy(update={"packed_weights": asked}) if asked else model
    source = source_file(context, tag, model)
    weights = weights_file(context, model, source)
    pb, data = _places(context, tag)
    stamp = context.folder / "_tmp" / f"{tag}.stamp.json"
    tokenizer = context.folder / "model" / f"{tag}.tokenizer"
    fingerprint = _fingerprint(context, model, source, weights)
    reason = "--force" if force else _stale(stamp, fingerprint, pb, data, tokenizer)
    if reason:
        with alone(stamp.with_name(f"{tag}.lock"), context.console, f"another conversion of {tag}"):
            reason = "--force" if force else _stale(stamp, fingerprint, pb, data, tokenizer)
            if reason:
                context.console.info(f"converting {tag} ({reason})")
                began = time.monotonic()
                stamp.unlink(missing_ok=True)
                notes = _write(context, tag, model, (source, weights), pb, data)
                notes += own_tokenizer.write(model.platform, source, tokenizer)
                with atomic_files(stamp) as (out,):
                    out.write(json.dumps({"fingerprint": fingerprint, "notes": notes,
                                          "files": _states(pb, data, tokenizer)}).encode())
                context.console.info(f"converted {tag} in {time.monotonic() - began:.1f} s")
    notes = json.loads(stamp.read_text()).get("notes", [])
    converted = Converted(tag, source, pb, data, bool(reason), weights, tuple(notes),
                          tokenizer if tokenizer.is_file() else None)
    if not reason:
        dsp.check_quantized(context, tag, model, lambda: converted.net)
    for note in notes:
        context.console.warn(f"{tag}: {note}")
    return converted


def _places(context: Context, tag: str) -> tuple[Path, Path]:
    """Of the graph and the weights: in model/ as far as they are not compiled into the library."""
    library, shipped = context.deployment.library, context.folder / "model"
    hidden = context.folder / "_tmp" / "model"
    return ((hidden if library.graph_format == "code" else shipped) / f"{tag}.pb",
            (hidden if library.embeds_weights else shipped) / f"{tag}.data")


def _write(
    context: Context, tag: str, model: Model, source: tuple[Path, Path | None], pb: Path, data: Path
) -> list[str]:
    """Writes the converted model. Returns notes for the user about it."""
    # Checked first, so that no work is lost.
    needed = model.embed_memory_plan or model.packed_weights or (
        model.quantize and model.quantize.samples)
    mace_run = _mace_run(context) if needed else None
    graph = _convert(context, tag, model, source, pb, data, mace_run)
    if mace_run is not None and model.packed_weights:
        _pack_weights(mace_run, model.packed_weights, pb, data)
    return graph.notes + embed_plan.embed(mace_run, model, graph, source[0], pb, data)


def _convert(
    context: Context, tag: str, model: Model, source: tuple[Path, Path | None], pb: Path,
    data: Path, mace_run: Path | None,
) -> Graph:
    """Returns the graph, with notes for the user about the model."""
    with context.console.steps(tag, total=2) as step:
        step(f"reading {source[0].name}")
        graph = import_model(context, tag, model, *source, lambda: step("simplifying"))
    if model.quantize is not None:
        graph = quantize_model.quantized(context, model, graph, mace_run)
    if model.devices == ("gpu",) and compute_in_float32(graph):
        graph.notes.append("for the GPU, which computes with floats: weights are stored quantized, "
                           "and everything between inputs and outputs computes in float32")
    graph.notes += dsp.float_note(model, graph)
    _check_nodes(context, tag, model, node_names(graph))
    with context.console.steps(tag, total=1) as step:
        step("writing")
        names: dict[str, str] = {}

        def complete(net: Any) -> None:
            dsp.check_quantized(context, tag, model, lambda: net)
            names.update(hide_names(net) if model.obfuscate else {})

        write_model(graph, pb, data, model.settings, model.stored_type, complete)
        kept = map_file(context.folder, tag)
        if model.obfuscate:
            write_map(kept, names)
        else:
            kept.unlink(missing_ok=True)
    why = "" if has_custom_ops(graph) else try_engine(
        _mace_run_of_host(context), tag, pb, data)
    if why:
        context.console.info(f"{tag} was not tried by an engine: {why}")
    return graph


def _check_nodes(context: Context, tag: str, model: Model, names: list[str]) -> None:
    """Whether the model has the nodes that the deployment file names. Errors: ConfigError."""
    for k, name in enumerate(model.float32_nodes or ()):
        if name not in names:
            raise context.deployment.error(
                ("models", tag, "float32_nodes", k), f"the converted model has no node '{name}'"
                f"{did_you_mean(name, names) or '.'} Its nodes: {some(names)}")


def _mace_run_of_host(context: Context) -> Path | None:
    """--mace_run, where it is not a phone's."""
    is_here = "host" in context.deployment.library.target_abis
    return getattr(context.args, "mace_run", None) if is_here else None


def _mace_run(context: Context) -> Path:
    return runner.find(context.console, getattr(context.args, "mace_run", None))


def _pack_weights(mace_run: Path, isa: str, pb: Path, data: Path) -> None:
    """Adds prepacked weights for the kernels of `isa` to both files."""
    with tempfile.TemporaryDirectory(prefix="mace_pack.", dir=pb.parent) as folder:
        packed = Path(folder) / "model"
        try:
            runner.output(mace_run, [f"--model_file={pb}", f"--model_data_file={data}",
                                     f"--pack_weights={isa}", f"--packed_model={packed}"])
        except MaceError:
            pb.unlink()
            data.unlink()
            raise
        os.replace(f"{packed}.data", data)
        os.replace(f"{packed}.pb", pb)


def _fingerprint(context: Context, model: Model, source: Path, weights: Path | None) -> str:
    """A hash of everything that determines the result: the source, the request, the converter."""
    asked = model.model_dump(include={"platform", "model_sha256_checksum"})
    asked["subgraph"] = model.subgraph.model_dump(exclude={
        "preprocess", "labels", "validation_inputs_data", "input_ranges"})
    if weights is not None:
        asked["weights"] = sha256_of(weights)
    asked["tokenizer"] = own_tokenizer.fingerprint(model.platform, source)
    asked["settings"] = settings.of_model(model.settings)
    asked["stored"] = model.stored_type
    if model.obfuscate:
        asked["obfuscate"] = 1
    if model.kv_cache is not None:
        asked["kv_cache"] = model.kv_cache.model_dump()
    if model.signature:
        asked["signature"] = model.signature
    if model.allow_custom_ops:
        asked["custom_ops"] = model.allow_custom_ops
    if model.quantize is not None:
        asked["quantize"] = quantize_model.fingerprint(context, model.quantize)
        if model.quantize.range_file is not None:
            asked["input_ranges"] = model.subgraph.input_ranges
    if model.has_own_ranges:
        asked["own_ranges"] = 1
    if model.devices == ("gpu",):
        asked["in_floats"] = 1
    if model.packed_weights:
        asked["packed_weights"] = model.packed_weights
    if model.embed_memory_plan:
        asked["num_threads"] = model.num_threads
    asked["converter"] = converter_version()
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


@functools.cache
def converter_version() -> str:
    """A hash of the converter's own code."""
    digest = hashlib.sha256()
    sources = (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.proto"), protos.MACE_PROTO, settings.LIST)
    for path in sorted(sources):
        if not path.name.endswith("_test.py"):
            digest.update(str(path.relative_to(protos.REPO)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _stale(stamp: Path, fingerprint: str, pb: Path, data: Path, tokenizer: Path) -> str:
    """Why the model must be converted, or None."""
    if not pb.is_file() or not data.is_file():
        return "not converted yet"
    try:
        known = json.loads(stamp.read_text())
        if known["fingerprint"] != fingerprint:
            return "the model, the deployment file or the converter changed"
        if known["files"] != _states(pb, data, tokenizer):
            return "the converted files changed"
    except (OSError, ValueError, KeyError, TypeError):
        return "the last conversion did not finish"
    return ""


def _states(*paths: Path) -> list[list[int]]:
    """Of the files that are there."""
    return [[s.st_size, s.st_mtime_ns] for s in (p.stat() for p in paths if p.is_file())]
