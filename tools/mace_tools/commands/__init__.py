"""The commands: their names, what `-h` says of each, and their options.

SPDX-License-Identifier: Apache-2.0

The module of this folder with a command's name has command(context). A command that can do without
a deployment file also has without_config(args, console); one that takes none has
standalone(args, console) instead. A module is imported when its command is called, as most of them
take long to import.
"""

import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from mace_tools.commands.options import devices, models, packages, runs


@dataclass(frozen=True)
class Command:
    """A row of the table."""

    help: str  # what it does, in a line
    add_options: Callable[[argparse.ArgumentParser], None]
    takes_config: bool = True
    instead: str = ""  # what may be given in place of a deployment file


COMMANDS = {
    "init": Command("draft the deployment file of a model: inputs, outputs, shapes, checksum",
                    models.init, takes_config=False),
    "convert": Command("convert the models of a deployment file", models.convert),
    "build": Command("build the library that apps link, with the models of a deployment file",
                     packages.build),
    "run": Command("run the models of a deployment file and report latency, labels and "
                   "correctness", runs.run),
    "generate": Command("continue a prompt with a language model of a deployment file, and report "
                        "how fast the text came", runs.generate),
    "benchmark": Command("time every op of the models of a deployment file", runs.benchmark),
    "check": Command("say what of a model converts, and which node would run where and why, "
                     "without running it", runs.check, instead="MODEL"),
    "compare": Command("compare a model with its source framework, layer by layer, and find the "
                       "first wrong layer", runs.compare, instead="MODEL"),
    "plan": Command("plan memory with every strategy: a table, a certificate, and charts",
                    runs.plan, instead="--records=FILE"),
    "quantize": Command("quantize float models to int8 with calibration data and report the error "
                        "of each layer", models.quantize),
    "stream": Command("make a causal network one that takes new frames and keeps earlier ones as "
                      "states", models.stream),
    "explain": Command("turn the numbers in messages about an obfuscated model back into names",
                       models.explain),
    "capsule": Command("pack what reproduces a failure of a model, without its names, weights and "
                       "inputs", runs.capsule),
    "replay": Command("run a bug capsule and say whether its failure comes again", runs.replay,
                      takes_config=False),
    "seal": Command("encrypt a converted model; apps load it with a key of theirs", models.seal,
                    takes_config=False),
    "tokenizer": Command("make the engine's tokenizer file of tokenizer.json, GGUF or a model of "
                         "SentencePiece", models.tokenizer, takes_config=False),
    "source": Command("pack the sources of the library, which CMake builds without Bazel and "
                      "Python", packages.source, takes_config=False),
    "devices": Command("list the attached phones and the boards of a device yml, or remove what "
                       "MACE keeps on them", devices.devices, takes_config=False),
    "doctor": Command("say what this machine and connected devices have, and what to do for what "
                      "is missing", devices.doctor, takes_config=False),
    "wheel": Command("make the Python package of the engine, which `pip install` takes",
                     packages.wheel, takes_config=False),
    "java": Command("make the Java package of the engine: a jar with libraries, and for Android "
                    "an AAR", packages.java, takes_config=False),
}


def module_of(name: str) -> ModuleType:
    """What the command does."""
    return importlib.import_module(f"{__name__}.{name}")
