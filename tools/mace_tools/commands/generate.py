"""generate: continues a prompt with a language model of a deployment file.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from mace_tools.commands import convert
from mace_tools.commands.context import Context, Outcome
from mace_tools.commands.prepare import check_runtime, device_flags, devices
from mace_tools.config.files import missing
from mace_tools.run import runner
from mace_tools.support.errors import MaceError
from mace_tools.support.exit_codes import ExitCode, UsageError

# Options that mace_run has by the same names.
_OPTIONS = ("chat", "max_new_tokens", "temperature", "top_k", "top_p", "min_p",
            "repetition_penalty", "ignore_stop_tokens", "seed", "restore_sequence",
            "save_sequence")


def command(context: Context) -> Outcome:
    args = context.args
    if len(context.models) > 1:
        raise UsageError(f"{args.config} has {len(context.models)} models; choose one of them: "
                         + " or ".join(f"--model_name={tag}" for tag in context.models))
    ((tag, model),) = context.models.items()
    check_runtime(context, tag, model)
    device = devices(context, tag, model)[0]
    converted = convert.ensure(context, tag, model)
    tokenizer: Path | None = args.tokenizer or converted.tokenizer
    if tokenizer is None:
        raise MaceError(f"{tag}: the model's folder or file has no tokenizer: make one by "
                        "`converter.py tokenizer`, and give it as --tokenizer=FILE")
    if not tokenizer.is_file():
        raise MaceError(f"--tokenizer={tokenizer}: {missing(str(tokenizer))}")
    mace_run = runner.find(context.console, args.mace_run)
    with tempfile.TemporaryDirectory(prefix="mace_prompt.") as folder:
        prompt = Path(folder) / "prompt"
        prompt.write_bytes("\0".join(args.prompt).encode("utf-8", "surrogateescape"))
        found = runner.stream(mace_run, [
            f"--model_file={converted.pb}", f"--model_data_file={converted.data}",
            f"--tokenizer={tokenizer}", f"--generate={prompt}",
            *device_flags(context, model, device),
            *(f"--stop={text}" for text in args.stop),
            *runner.flags({name: getattr(args, name) for name in _OPTIONS})])
    return ExitCode.OK, {tag: {**converted.report(), "device": device, **found}}
