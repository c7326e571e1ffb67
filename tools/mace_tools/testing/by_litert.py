"""What LiteRT computes of a model: the reference of TFLite models.

SPDX-License-Identifier: Apache-2.0
"""

import faulthandler
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from mace_tools.testing import goldens

# LiteRT's own kernels without a delegate, and those that define what quantized operators compute.
USUAL = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
REFERENCE = OpResolverType.BUILTIN_REF


def litert(model: bytes, feeds: dict[str, np.ndarray], kernels: OpResolverType = USUAL
           ) -> list[np.ndarray] | str:
    """What LiteRT computes, or why it does not."""
    return goldens.kept(["ai-edge-litert"], model, feeds, kernels.name,
                        lambda: _in_a_process(model, feeds, kernels))


def _in_a_process(model: bytes, feeds: dict[str, np.ndarray], kernels: OpResolverType
                  ) -> list[np.ndarray] | str:
    """Of its own, which LiteRT ends for some models that it cannot run."""
    with tempfile.TemporaryFile() as file:
        child = os.fork()
        if child == 0:
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what is wrong with a model is no news
            try:
                pickle.dump(_in_child(model, feeds, kernels), file)
            except Exception as e:  # of whatever kind
                pickle.dump(str(e), file)
            file.flush()
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0:
            return f"LiteRT ended with status {status}"
        file.seek(0)
        return pickle.load(file)


def _in_child(model: bytes, feeds: dict[str, np.ndarray], kernels: OpResolverType
              ) -> list[np.ndarray]:
    run = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=kernels)
    run.allocate_tensors()
    places = {d["name"]: d["index"] for d in run.get_input_details()}
    for name, array in feeds.items():
        run.set_tensor(places[name], array)
    run.invoke()
    return [run.get_tensor(d["index"]) for d in run.get_output_details()]


def runs_of_litert(path: Path, xs: list[np.ndarray],
                   reference: bool = False) -> list[list[np.ndarray]]:
    """The outputs of runs, one after the other, from zeros on; by the reference kernels, which
    define what quantized values are, or by those that LiteRT takes without a delegate."""
    found = goldens.kept(["ai-edge-litert"], path.read_bytes(),
                         {str(k): x for k, x in enumerate(xs)}, f"runs, reference={reference}",
                         lambda: _runs(path, xs, reference))
    each = len(found) // len(xs)
    return [found[k:k + each] for k in range(0, len(found), each)]


def _runs(path: Path, xs: list[np.ndarray], reference: bool) -> list[np.ndarray]:
    """All outputs of all runs."""
    run = Interpreter(model_path=str(path), num_threads=1,
                      experimental_op_resolver_type=REFERENCE if reference else USUAL)
    run.allocate_tensors()
    results = []
    for x in xs:
        run.set_tensor(run.get_input_details()[0]["index"], x)
        run.invoke()
        results += [run.get_tensor(d["index"]) for d in run.get_output_details()]
    return results
