"""The options that several commands share, and the readers of their values.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mace_tools.graph.settings import all_settings

AFFINITY = "0: none, 1: big cores only, 2: little cores only"
HINT = "0: default, 1: low, 2: normal, 3: high"


def add_common(p: argparse.ArgumentParser, needs_config: bool) -> None:
    """The options of all commands."""
    p.add_argument("--config", required=needs_config, type=Path, metavar="YML",
                   help="deployment file")
    p.add_argument("--model_name", metavar="NAME", help="only this model of the file")
    p.add_argument("--output", type=Path, default=Path("build"), metavar="DIR",
                   help="folder for results, in a folder named after the library (default: build)")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write the results as JSON")
    p.add_argument("--build_type", choices=("proto", "code"), help="overrides the file")
    p.add_argument("--target_abis", metavar="ABI,...", help="overrides the file")
    p.add_argument("--target_socs", metavar="SOC,...", help="overrides the file")


def add_running(p: argparse.ArgumentParser) -> None:
    """The options of commands that run models."""
    p.add_argument("--device", choices=("cpu", "gpu", "dsp"),
                   help="only this device of a model with runtime: cpu+gpu or cpu+dsp (default: "
                   "both, one after the other); gpu, dsp: with the CPU for what they cannot")
    p.add_argument("--omp_num_threads", "--num_threads", type=threads, metavar="N",
                   help="number of threads (default: -1, as many as the policy has cores)")
    p.add_argument("--cpu_affinity_policy", type=int, choices=(0, 1, 2), default=1,
                   metavar="0..2", help=f"{AFFINITY} (default: 1)")
    p.add_argument("--gpu_perf_hint", type=int, choices=(0, 1, 2, 3), default=3, metavar="0..3",
                   help=f"{HINT} (default: 3)")
    p.add_argument("--gpu_priority_hint", type=int, choices=(0, 1, 2, 3), default=3,
                   metavar="0..3", help=f"{HINT} (default: 3)")
    p.add_argument("--input", action="append", default=[], metavar="[NAME=]FILE",
                   help="a .npy file or an image (see preprocess: in the deployment file); other "
                   "inputs get seeded random numbers")
    p.add_argument("--input_shape", action="append", default=[], type=input_shape,
                   metavar="NAME=8,224,224,3",
                   help="the shape of an input without a file, where the model leaves extents open "
                   "(default: max_shape, or 1 where there is none); in check, of an input of "
                   "MODEL, or an inner tensor that becomes one; may be repeated")
    p.add_argument("--allow_nan", action="store_true", help="accept inputs with NaN or infinity")
    p.add_argument("--seed", type=whole, default=0, metavar="N",
                   help="seed of the random inputs (default: 0)")
    p.add_argument("--vlog_level", type=whole, default=0, metavar="N",
                   help="how much the engine logs (default: 0)")
    add_wide(p)
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run (default: built with bazel when missing or stale)")
    p.add_argument("--mace_dsp", type=Path, metavar="FILE",
                   help="a built executor for the DSP's emulator, mace_dsp.elf (default: built "
                   "with bazel when missing or stale)")


def add_devices(p: argparse.ArgumentParser) -> None:
    """The options of commands that use phones and boards."""
    p.add_argument("--target_devices", metavar="NAME,...",
                   help="only these phones, by the serial numbers of `adb devices`, and these "
                   "boards, by their names in the device yml (default: all that are attached)")
    p.add_argument("--device_yml", type=Path, metavar="YML",
                   help="boards with Linux that ssh reaches (for target_abis arm64 and armhf)")
    p.add_argument("--device_timeout", type=seconds, default=600.0, metavar="SECONDS",
                   help="longest time for a run on a phone or board (default: 600)")


def add_wide(p: argparse.ArgumentParser) -> None:
    """The options of commands that print tables."""
    p.add_argument("--wide", action="store_true",
                   help="tables as wide as they are (default: $COLUMNS, the terminal's columns, or "
                   "120 where there is none)")


def add_model_parts(p: argparse.ArgumentParser) -> None:
    """The options that tell what of a model file to read, and where its parts are."""
    p.add_argument("--weights", type=Path, metavar="FILE",
                   help="the weights of a Caffe network (default: the file beside it that has the "
                        "same name or is the only one)")
    p.add_argument("--signature", default="", metavar="NAME",
                   help="which signature of a SavedModel or a TFLite model (default: "
                        "serving_default, or the only one)")


def add_tuning(p: argparse.ArgumentParser) -> None:
    """The options of commands that tune models for devices."""
    p.add_argument("--disable_tuning", action="store_true",
                   help="tune nothing, whatever target_socs and tuning_ms say")


def input_shape(given: str) -> tuple[str, tuple[int, ...]]:
    """NAME=8,224,224,3, or NAME=[] of a scalar."""
    name, _, extents = given.rpartition("=")
    words = [w.strip() for w in extents.strip("[]").split(",") if w]
    if not name or not all(w.isdigit() for w in words) or (not words and extents != "[]"):
        raise argparse.ArgumentTypeError(f"'{given}' is not NAME=8,224,224,3")
    return name, tuple(map(int, words))


def whole(text: str) -> int:
    return _number(text, int, "a whole number from 0", lambda n: n >= 0)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None


def positive(text: str) -> int:
    return _number(text, int, "a whole number from 1", lambda n: n >= 1)


def seconds(text: str) -> float:
    return _number(text, float, "a time in seconds above 0", lambda n: n > 0 and math.isfinite(n))


def threads(text: str) -> int:
    most = all_settings()["num_threads"].most
    return _number(text, int, "-1 (as many as the policy has cores) or a number from 1 to "
                   f"{most}", lambda n: n == -1 or 1 <= n <= most)


def _number(text: str, kind: Callable[[str], Any], what: str, good: Callable[[Any], bool]) -> Any:
    try:
        number = kind(text)
    except ValueError:
        number = None
    if number is None or not good(number):
        raise argparse.ArgumentTypeError(f"'{text}' is not {what}")
    return number
