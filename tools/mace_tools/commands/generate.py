"""generate: continues a prompt with a language model of a deployment file, here or on phones and
boards.

SPDX-License-Identifier: Apache-2.0
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mace_tools.commands import convert, remote
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.convert import Converted
from mace_tools.commands.prepare import device_flags, devices
from mace_tools.config.files import missing
from mace_tools.config.schema import Model
from mace_tools.devices.targets import Place
from mace_tools.run import runner
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError

# Options that mace_run has by the same names.
_OPTIONS = ("chat", "max_new_tokens", "temperature", "top_k", "top_p", "min_p",
            "repetition_penalty", "ignore_stop_tokens", "seed", "restore_sequence",
            "save_sequence")


@dataclass(frozen=True)
class Asked:
    """A converted language model, the device that it runs on, and its tokenizer."""

    tag: str
    model: Model
    converted: Converted
    device: str
    tokenizer: Path


def command(context: Context) -> Outcome:
    args = context.args
    if len(context.models) > 1:
        raise UsageError(f"{args.config} has {len(context.models)} models; choose one of them: "
                         + " or ".join(f"--model_name={tag}" for tag in context.models))
    chosen = remote.choose(context)
    if chosen.several and args.save_sequence is not None:
        raise UsageError(f"--save_sequence={args.save_sequence}: the model runs in "
                         f"{chosen.here + len(chosen.there.places)} places, and a file holds one "
                         "sequence: choose a place by --target_abis and --target_devices")
    asked = _asked(context)
    report = {**asked.converted.report(), "device": asked.device}
    if chosen.here:
        report |= _generate(context, asked, runner.find(context.console, args.mace_run))
    ok = True
    if chosen.there.places or chosen.there.broken:

        def work(own: Context, job: Asked, there: remote.Remote) -> dict[str, Any]:
            own.console.banner(f"Text by {job.tag} on {there.place.name}")
            return {"device": job.device, **_generate(own, job, there.program, there.place)}

        ok, places = remote.on_places(context, [asked], chosen, work)
        report["places"] = places[asked.tag]
    return ExitCode.OK if ok else ExitCode.RUN_FAILED, {asked.tag: report}


def _asked(context: Context) -> Asked:
    """Errors: MaceError of any stage."""
    ((tag, model),) = context.models.items()
    device = devices(context, tag, model)[0]
    converted = convert.ensure(context, tag, model)
    tokenizer: Path | None = context.args.tokenizer or converted.tokenizer
    if tokenizer is None:
        raise MaceError(f"{tag}: the model's folder or file has no tokenizer: make one by "
                        "`converter.py tokenizer`, and give it as --tokenizer=FILE")
    if not tokenizer.is_file():
        raise MaceError(f"--tokenizer={tokenizer}: {missing(str(tokenizer))}")
    return Asked(tag, model, converted, device, tokenizer)


def _generate(
    context: Context, asked: Asked, mace_run: Path | runner.Program, place: Place | None = None
) -> dict[str, Any]:
    """What mace_run reports; the text goes to stdout, from this machine as it comes."""
    args = context.args
    with tempfile.TemporaryDirectory(prefix="mace_prompt.") as folder:
        prompt = Path(folder) / "prompt"
        prompt.write_bytes("\0".join(args.prompt).encode("utf-8", "surrogateescape"))
        return runner.stream(mace_run, [
            f"--model_file={asked.converted.pb}", f"--model_data_file={asked.converted.data}",
            f"--tokenizer={asked.tokenizer}", f"--generate={prompt}",
            *device_flags(context, asked.model, asked.device, place),
            *(f"--stop={text}" for text in args.stop),
            *runner.flags({name: getattr(args, name) for name in _OPTIONS})], context.console)
