"""quantize: quantizes float models to int8 and reports the error of each layer.

SPDX-License-Identifier: Apache-2.0
"""

import os
import time
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mace_tools.analyze.quantize import page, text
from mace_tools.analyze.quantize.post_training import Made
from mace_tools.commands import quantize_model, result_file
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.import_model import import_model, source_file, weights_file
from mace_tools.config.schema import Model
from mace_tools.config.sections import Quantize
from mace_tools.convert import onnx_export
from mace_tools.convert.emit import write_model
from mace_tools.graph.ir import Graph
from mace_tools.run import runner
from mace_tools.support.atomic import atomic_files
from mace_tools.support.exit_codes import ExitCode, UsageError

# Flags that have the names of keys of `quantize:`.
_FLAGS = ("weights_only", "dynamic", "method", "percentile", "num_samples", "seed", "equalize",
          "correct_bias", "float_ends", "accuracy_budget")

# Keys that store weights and need no samples.
_STORED = ("weights_only", "dynamic")


def command(context: Context) -> Outcome:
    args, results, pages = context.args, {}, []
    if args.html is not None:
        result_file.check_writable(args.html, "--html")
    if args.onnx is not None:
        result_file.check_writable(args.onnx, "--onnx")
        if len(context.models) > 1:
            raise UsageError("--onnx writes one model, and the deployment file has "
                             f"{len(context.models)}: choose one with --model_name")
    asked = {tag: _asked(context, tag, model) for tag, model in context.models.items()}
    needs_engine = any(m.quantize.samples for m in asked.values())
    mace_run = runner.find(context.console, args.mace_run) if needs_engine else None
    for tag, model in asked.items():
        began = time.monotonic()
        source = source_file(context, tag, model)
        graph = import_model(context, tag, model, source, weights_file(context, model, source),
                             lambda: None)
        folder = context.folder / "quantized"
        pb, data = folder / f"{tag}.pb", folder / f"{tag}.data"
        if model.quantize.stored_weights is not None:
            results[tag] = _store_weights(context, tag, model, graph, (pb, data), mace_run)
            continue
        made = quantize_model.make(context, model, graph, mace_run)
        write_model(made.graph, pb, data, model.settings)
        if args.onnx is not None:
            _write_onnx(context, made, args.onnx)
        for line in text.lines(made, args.wide):
            context.console.data(line)
        context.console.data(f"{tag}: {quantize_model.note(made)}\n  {pb}\n  {data}")
        context.console.info(f"quantized {tag} in {time.monotonic() - began:.1f} s")
        pages.append((tag, model.quantize, made))
        results[tag] = _report(made, pb, data)
    if args.html is not None:
        with atomic_files(args.html) as (out,):
            out.write(page.render(pages).encode())
        context.console.info(f"wrote {args.html}")
    is_doubted = args.strict and any(one["warnings"] for one in results.values())
    return ExitCode.VALIDATION_FAILED if is_doubted else ExitCode.OK, results


def _write_onnx(context: Context, made: Made, file: Path) -> None:
    model = onnx_export.render(made.graph)
    with atomic_files(file) as (out,):
        out.write(model)
    context.console.info(f"wrote {file}")


def _store_weights(context: Context, tag: str, model: Model, graph: Graph,
                   files: tuple[Path, Path], mace_run: Path | None) -> dict[str, Any]:
    """Weight-only quantization; the report of them."""
    made = quantize_model.store(context, model, graph, mace_run)
    write_model(made.graph, *files, model.settings)
    for line in text.weight_lines(made, context.args.wide):
        context.console.data(line)
    context.console.data(f"{tag}: {quantize_model.stored_note(made)}\n  {files[0]}\n  {files[1]}")
    return {"graph": str(files[0]), "weights": str(files[1]),
            "stored": {name: {"bits": int(w.kind[1:]), "sqnr_db": w.error.sqnr_db,
                              "nodes": w.nodes} for name, w in made.weights.items()},
            "outputs": {name: error.report() for name, error in made.outputs.items()},
            "kept": made.kept, "left_in_floats": made.left_out, "warnings": made.doubts}


def _asked(context: Context, tag: str, model: Model) -> Model:
    """The model with the choices of the command line. Errors: MaceError."""
    args = context.args
    given: dict[str, Any] = {f: getattr(args, f) for f in _FLAGS if getattr(args, f) is not None}
    if args.samples:
        # Those of the deployment file are relative to it, these to the present folder.
        given["samples"] = [os.path.abspath(s) for s in args.samples]
    if args.float_nodes is not None:
        given["float_nodes"] = [n for n in args.float_nodes.split(",") if n]
    own = model.quantize.model_dump(exclude_unset=True) if model.quantize is not None else {}
    whole = {k: list(v) if isinstance(v, tuple) else v for k, v in {**own, **given}.items()}
    for flag in ("html", "onnx"):
        key = next((k for k in _STORED if whole.get(k) is not None), None)
        if getattr(args, flag) is not None and key is not None:
            raise UsageError(f"--{flag} is for activations with calibrated ranges, which a model "
                             f"with {key} does not have")
    if not {"samples", "range_file", *_STORED} & {k for k, v in whole.items() if v is not None}:
        raise UsageError(f"model '{tag}' has no samples: give --samples=FOLDER, or `quantize: "
                         "{samples: FOLDER}` in the deployment file")
    try:
        return model.model_copy(update={"quantize": Quantize.model_validate(whole)})
    except ValidationError as e:
        first = e.errors(include_url=False)[0]
        flag = f"--{first['loc'][0]}: " if first["loc"] else ""
        raise UsageError(f"{flag}{first.get('ctx', {}).get('error', first['msg'])}") from e


def _report(made: Made, pb: Path, data: Path) -> dict[str, Any]:
    return {"graph": str(pb), "weights": str(data),
            "layers": {name: error.report() for name, error in made.errors.items()},
            "outputs": {name: error.report() for name, error in made.outputs.items()},
            "left_in_floats": made.left_out, "equalized_pairs": made.equalized,
            "trials": made.trials, "warnings": made.doubts}
