"""The options of the commands that make models and deployment files.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

from mace_tools.commands.options import shared
from mace_tools.config.names import PACKED_WEIGHTS
from mace_tools.config.quantization_options import METHODS, WEIGHTS_ONLY

SEALED = ".sealed"  # the suffix of encrypted models


def init(p: argparse.ArgumentParser) -> None:
    p.add_argument("model", type=Path, metavar="MODEL",
                   help="a TensorFlow graph or SavedModel, an ONNX, TFLite, Keras or PyTorch "
                        "model, or a Caffe network; its contents tell which")
    p.add_argument("--output", type=Path, metavar="YML",
                   help="write this file, which must not be there yet (default: stdout)")
    shared.add_model_parts(p)
    p.add_argument("--model_name", type=_name, metavar="NAME",
                   help="name of the library and the model (default: the name of the file)")


def convert(p: argparse.ArgumentParser) -> None:
    p.add_argument("--force", action="store_true", help="convert also if up to date")
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run, for embed_memory_plan, packed_weights and target_socs: "
                        "[host] (default: built when missing)")
    shared.add_tuning(p)
    shared.add_devices(p)
    p.add_argument("--packed_weights", choices=PACKED_WEIGHTS, metavar="ISA",
                   help="pack weights in the file for these CPUs: " + ", ".join(PACKED_WEIGHTS)
                        + " (default: as the deployment file says)")


def quantize(p: argparse.ArgumentParser) -> None:
    p.add_argument("--samples", action="append", metavar="PATH",
                   help="calibration data: a folder of images or .npy files, or such a file; can "
                        "be repeated (default: as the deployment file says, as with all keys of "
                        "quantize:)")
    p.add_argument("--weights_only", choices=WEIGHTS_ONLY,
                   help="weight-only quantization of FullyConnected, MatMul and Gather; samples "
                        "are not needed, but make int4 more exact")
    p.add_argument("--dynamic", choices=WEIGHTS_ONLY,
                   help="dynamic quantization: weights as with --weights_only, and activations of "
                        "these layers become int8 while the model runs")
    p.add_argument("--method", choices=METHODS, help="calibration method")
    p.add_argument("--percentile", type=shared.number, metavar="P",
                   help="the percentage of values within the ranges of --method=percentile")
    p.add_argument("--num_samples", type=shared.positive, metavar="N",
                   help="how many samples of a larger folder are drawn")
    p.add_argument("--seed", type=shared.whole, metavar="N", help="seed of what is drawn")
    p.add_argument("--equalize", type=int, choices=(0, 1),
                   help="whether to apply cross-layer equalization")
    p.add_argument("--correct_bias", type=int, choices=(0, 1),
                   help="whether to apply bias correction, for what rounding weights adds")
    p.add_argument("--float_nodes", metavar="NAME,...", help="nodes that stay in float32")
    p.add_argument("--float_ends", type=int, choices=(0, 1),
                   help="whether to keep first and last layers in float32: last ones, and first "
                   "ones that multiply little")
    p.add_argument("--accuracy_budget", type=shared.number, metavar="B",
                   help="how much less than 1 the cosine similarity of outputs may be; layers stay "
                   "in float32 for it")
    p.add_argument("--strict", action="store_true",
                   help="end with exit code 5 if an output is unlike that of the float model, or "
                   "columns of one lose their order")
    p.add_argument("--html", type=Path, metavar="FILE", help="write a report as a web page")
    p.add_argument("--onnx", type=Path, metavar="FILE",
                   help="also write an ONNX model with QuantizeLinear and DequantizeLinear, which "
                   "other runtimes run")
    shared.add_wide(p)
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run (default: built with bazel when missing or stale)")


def stream(p: argparse.ArgumentParser) -> None:
    p.add_argument("--axis", default="1", metavar="AXIS",
                   help="the time axis of all inputs, or input=AXIS,... of those that are "
                   "sequences (default: 1)")
    p.add_argument("--frames", type=shared.positive, metavar="N",
                   help="new frames in each run (default: as few as the strides allow)")
    p.add_argument("--mace_run", type=Path, metavar="FILE",
                   help="a built mace_run (default: built with bazel when missing or stale)")


def explain(p: argparse.ArgumentParser) -> None:
    p.add_argument("text", nargs="*", metavar="TEXT",
                   help="numbers, or messages that have them in quotes (default: stdin)")


def seal(p: argparse.ArgumentParser) -> None:
    p.add_argument("model", type=Path, metavar="MODEL", help="the .pb of a converted model")
    p.add_argument("--data", type=Path, metavar="FILE",
                   help="its weights (default: the .data beside it, if there is one)")
    p.add_argument("--key_file", type=Path, metavar="FILE", required=True,
                   help="the key: 32 bytes, or 64 hexadecimal digits")
    p.add_argument("--key_name", default="", metavar="NAME",
                   help="what the app is asked for, if it has several keys; anybody can read it in "
                        "the file")
    p.add_argument("--output", type=Path, metavar="FILE",
                   help=f"the sealed model (default: beside MODEL, with {SEALED} in place of .pb)")


def tokenizer(p: argparse.ArgumentParser) -> None:
    p.add_argument("source", type=Path, metavar="SOURCE",
                   help="tokenizer.json or the folder with it, a .gguf, or a .model of "
                        "SentencePiece")
    p.add_argument("--output", type=Path, metavar="FILE",
                   help="what to write (default: beside SOURCE, with .tokenizer as its suffix)")


def _name(given: str) -> str:
    from mace_tools.config.values import file_name  # which reads the schemas of all ops

    try:
        return file_name(given)
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e)) from e
