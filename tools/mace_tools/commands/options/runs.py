"""The options of the commands that run, check and plan models.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.commands.options import shared
from mace_tools.config.names import ALL_DATA_TYPES

MAX_SECONDS = 24 * 3600


def run(p: argparse.ArgumentParser) -> None:
    shared.add_running(p)
    shared.add_devices(p)
    p.add_argument("--round", type=shared.positive, default=1, metavar="N",
                   help="timed runs (default: 1)")
    p.add_argument("--restart_round", type=shared.positive, default=1, metavar="N",
                   help="number of times to start the program (default: 1)")
    p.add_argument("--validate", action="store_true",
                   help="compare the outputs with those of the source framework")
    p.add_argument("--check_numerics", action="store_true",
                   help="fail at the first tensor of the model with NaN or infinity, and name it")
    p.add_argument("--output_dir", type=Path, metavar="DIR", help="keep the outputs as .npy files")
    p.add_argument("--dump", choices=("graph", "plan", "memory"),
                   help="print a stage of the engine instead of running")
    _add_trace(p)


def generate(p: argparse.ArgumentParser) -> None:
    shared.add_running(p)
    shared.add_devices(p)
    p.add_argument("--prompt", action="append", required=True, metavar="TEXT",
                   help="a text to continue; may be repeated: each is run behind what it has in "
                   "common with the text before it")
    p.add_argument("--chat", action="store_true",
                   help="prompts are messages of a user, which the model's chat template makes a "
                   "prompt of")
    p.add_argument("--tokenizer", type=Path, metavar="FILE",
                   help="of `converter.py tokenizer` (default: that of the model's folder or file)")
    p.add_argument("--max_new_tokens", type=shared.positive, default=256, metavar="N",
                   help="at most so many tokens of text (default: 256)")
    p.add_argument("--temperature", type=shared.number, metavar="T",
                   help="0: always the most probable token (default of this and what follows: as "
                   "generation_config.json of the model recommends)")
    p.add_argument("--top_k", type=shared.whole, metavar="N",
                   help="choose among so many tokens; 0: all")
    p.add_argument("--top_p", type=shared.number, metavar="P",
                   help="choose among the fewest tokens that have this probability together")
    p.add_argument("--min_p", type=shared.number, metavar="P",
                   help="choose among tokens with this fraction of the first one's probability")
    p.add_argument("--repetition_penalty", type=shared.number, metavar="X",
                   help="above 1: tokens that were there become less probable")
    p.add_argument("--stop", action="append", default=[], metavar="TEXT",
                   help="end before this text; may be repeated")
    p.add_argument("--ignore_stop_tokens", action="store_true",
                   help="go on after tokens that end a text")
    p.add_argument("--restore_sequence", type=Path, metavar="FILE",
                   help="begin with the sequence that --save_sequence wrote")
    p.add_argument("--save_sequence", type=Path, metavar="FILE",
                   help="write the sequence and the KV cache at the end")


def benchmark(p: argparse.ArgumentParser) -> None:
    shared.add_running(p)
    shared.add_devices(p)
    p.add_argument("--max_num_runs", type=shared.positive, default=100, metavar="N",
                   help="at most so many runs, without and with statistics each (default: 100)")
    p.add_argument("--max_time", type=shared.seconds, default=10.0, metavar="SECONDS",
                   help="at most so long in all (default: 10)")
    p.add_argument("--warmup_runs", type=shared.positive, default=1, metavar="N",
                   help="runs before the timed ones (default: 1)")
    _add_trace(p)
    p.add_argument("--html", type=Path, metavar="FILE", help="also write a report as a web page")
    p.add_argument("--onnx_view", type=Path, metavar="FILE",
                   help="also write the converted graph with the milliseconds of each node as an "
                   "ONNX file without weights, to look at in Netron")


def _add_trace(p: argparse.ArgumentParser) -> None:
    p.add_argument("--trace", type=Path, metavar="FILE",
                   help="also write a Chrome trace (for chrome://tracing or Perfetto) of another "
                   "engine: its creation, its warm-up and a run")


def check(p: argparse.ArgumentParser) -> None:
    shared.add_running(p)
    p.add_argument("model", nargs="?", type=Path, metavar="MODEL",
                   help="a model file in place of a deployment file: of a source framework, or a "
                   ".pb that MACE wrote; its contents tell which")
    shared.add_model_parts(p)
    p.add_argument("--output_tensors", default="", metavar="NAME,...",
                   help="check MODEL only up to these tensors, which may be inner ones")
    p.add_argument("--allow_custom_ops", default="", metavar="OP,...",
                   help="operators of MODEL that the app computes; all: every unknown one")
    p.add_argument("--measure_library", action="store_true",
                   help="build and link the library with the ops of MODEL to measure it (default: "
                   "an estimate from a table)")
    p.add_argument("--html", type=Path, metavar="FILE", help="also write a report as a web page")
    p.add_argument("--onnx_view", type=Path, metavar="FILE",
                   help="also write the converted graph as an ONNX file without weights, to look "
                   "at in Netron")


def compare(p: argparse.ArgumentParser) -> None:
    p.add_argument("model", nargs="?", type=Path, metavar="MODEL",
                   help="a model file, in place of a deployment file")
    shared.add_model_parts(p)
    shared.add_running(p)
    p.add_argument("--layers", action="store_true",
                   help="every layer: within the whole model, and alone with the inputs that the "
                   "reference has (default: only the outputs, and if one differs, as many layers "
                   "as it takes to find the first wrong one)")
    p.add_argument("--devices", type=_devices, metavar="cpu,gpu",
                   help="compare the engine with itself: the second device against the first")
    p.add_argument("--data_types", type=_types, metavar="TYPE,TYPE",
                   help="compare the engine with itself: the second data_type against the first, "
                   "such as fp32,fp16_fp32")
    p.add_argument("--html", type=Path, metavar="FILE",
                   help="also write a page with the error along the network")
    # Files of validation_inputs_data are used, as by run --validate.
    p.set_defaults(validate=True)


def capsule(p: argparse.ArgumentParser) -> None:
    shared.add_running(p)
    p.add_argument("--capsule", type=Path, metavar="FILE",
                   help="the archive (default: NAME.capsule.zip)")
    _add_seconds(p)


def replay(p: argparse.ArgumentParser) -> None:
    p.add_argument("capsule", type=Path, metavar="CAPSULE", help="an archive of `capsule`")
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run (default: built with bazel when missing or stale)")
    p.add_argument("--mace_dsp", type=Path, metavar="FILE",
                   help="the same for the DSP's executor, mace_dsp.elf")
    _add_seconds(p)


def _add_seconds(p: argparse.ArgumentParser) -> None:
    p.add_argument("--seconds", type=shared.seconds, default=60.0, metavar="S",
                   help="a run that takes longer hangs (default: 60)")


def plan(p: argparse.ArgumentParser) -> None:
    p.add_argument("--records", type=Path, metavar="FILE",
                   help="plan these instead of a model: MiniMalloc's CSV, or JSON; --json=FILE is "
                   "then the plan")
    p.add_argument("--capacity", type=shared.positive, metavar="N",
                   help="available bytes; it is an error if no plan needs so few")
    p.add_argument("--strategy", default="all", metavar="NAME",
                   help="for example offsets/AUTO or objects/GREEDY_BY_SIZE (default: all)")
    p.add_argument("--budget_ms", type=_budget, default=0, metavar="T",
                   help="time of each strategy that searches (default: a fixed number of steps, "
                   "which gives the same plan on every machine)")
    shared.add_wide(p)
    p.add_argument("--mace_plan", type=Path, metavar="FILE",
                   help="a built mace_plan (default: built with bazel when missing or stale)")
    p.add_argument("--mace_run", type=Path, metavar="FILE", help="the same for mace_run")
    p.add_argument("--mace_dsp", type=Path, metavar="FILE",
                   help="the same for the DSP's executor, mace_dsp.elf")


def _devices(given: str) -> tuple[str, str]:
    return _pair(given, ("cpu", "gpu"), "cpu,gpu")


def _types(given: str) -> tuple[str, str]:
    return _pair(given, ALL_DATA_TYPES, "fp32,fp16_fp32")


def _pair(given: str, allowed: tuple[str, ...], example: str) -> tuple[str, str]:
    parts = tuple(given.split(","))
    if len(parts) != 2 or parts[0] == parts[1] or not set(parts) <= set(allowed):
        raise argparse.ArgumentTypeError(f"'{given}' is not two different ones of "
                                         f"{', '.join(allowed)}, such as {example}")
    return parts[0], parts[1]


def _budget(text: str) -> int:
    milliseconds = shared.whole(text)
    if milliseconds > MAX_SECONDS * 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is more than a day")
    return milliseconds
