"""RNN, GRU and LSTM.

SPDX-License-Identifier: Apache-2.0

Formulas: ONNX RNN-14, GRU-14, LSTM-14. The parameters of activations are listed for those that
have some only, as ONNX Runtime reads them.
"""

from typing import Any

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.onnx import registry
from mace_tools.convert.importers.registry import Unsupported
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

_USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
_ATTRS = {"RNN": ["cell_activation"], "GRU": ["gate_activation", "cell_activation"],
          "LSTM": ["gate_activation", "cell_activation", "output_activation"]}
_OPERANDS = {"RNN": 6, "GRU": 6, "LSTM": 8}
_GIVEN = float("nan")  # a parameter without a default on which runtimes agree
# The engine's name, and alpha and beta where they are not given; None: it has no such parameter.
_KINDS: dict[str, tuple[str, float | None, float | None]] = {
    "Sigmoid": ("SIGMOID", None, None), "Tanh": ("TANH", None, None), "Relu": ("RELU", None, None),
    "Softsign": ("SOFTSIGN", None, None), "Softplus": ("SOFTPLUS", None, None),
    "Affine": ("AFFINE", _GIVEN, _GIVEN), "LeakyRelu": ("LEAKYRELU", 0.01, None),
    "ThresholdedRelu": ("THRESHOLDEDRELU", _GIVEN, None),
    "ScaledTanh": ("SCALEDTANH", _GIVEN, _GIVEN),
    "HardSigmoid": ("HARDSIGMOID", 0.2, 0.5), "Elu": ("ELU", 1.0, None),
}


@registry.op("RNN", "GRU", "LSTM")
def recurrent(b: Builder, n: SourceNode) -> list[str]:
    attrs = _activations(n)
    direction = n.attr("direction", "forward")
    if direction not in ("forward", "reverse", "bidirectional"):
        raise ModelError(f"{n.op} '{n.name}': direction is {direction!r}, it must be forward, "
                         "reverse or bidirectional")
    attrs |= {"direction": direction.upper(), "batch_major": n.flag("layout", 0),
              "clip": float(n.attr("clip") or 0.0)}
    if n.op == "LSTM":
        attrs["input_forget"] = n.flag("input_forget", 0)
    if n.op == "GRU":
        attrs["linear_before_reset"] = n.flag("linear_before_reset", 0)
    hidden, recurrent = n.attr("hidden_size"), b.shape(n.inputs[2])
    if hidden is not None and recurrent is not None and recurrent[-1] not in (None, hidden):
        raise ModelError(f"{n.op} '{n.name}': hidden_size is {hidden}, its recurrent weights are "
                         f"for {recurrent[-1]}")
    return b.ops(n.op.capitalize(), n.inputs[: _OPERANDS[n.op]], 3 if n.op == "LSTM" else 2,
                 **attrs)


def _activations(n: SourceNode) -> dict[str, Any]:
    """The engine's attributes for the activations of all directions."""
    usual = _USUAL[n.op]
    directions = 2 if n.attr("direction", "forward") == "bidirectional" else 1
    kinds = n.attr("activations") or usual * directions
    given = {name: list(n.attr(f"activation_{name}") or []) for name in ("alpha", "beta")}
    unknown = [kind for kind in kinds if kind not in _KINDS]
    if unknown:
        raise Unsupported(f"activation {unknown[0]}", f"use one of {', '.join(_KINDS)}")
    if len(kinds) != len(usual) * directions:
        raise Unsupported(f"{len(kinds)} activations for {directions} direction(s)",
                          f"give {len(usual)} for each direction, or none")
    rows = []
    for kind in kinds:
        name, alpha, beta = _KINDS[kind]
        if alpha is not None and given["alpha"]:
            alpha = given["alpha"].pop(0)
        if beta is not None and given["beta"]:
            beta = given["beta"].pop(0)
        if alpha != alpha or beta != beta:
            raise Unsupported(f"activation {kind} without all of its parameters",
                              "give activation_alpha and activation_beta: ONNX has no default")
        rows.append((name, alpha or 0.0, beta or 0.0))
    first, second = rows[: len(usual)], rows[len(usual) :]
    if second and second != first:
        raise Unsupported("other activations in the reverse direction than in the forward one",
                          "split the node into one for each direction")
    attrs: dict[str, Any] = dict(zip(_ATTRS[n.op], (row[0] for row in first)))
    if any(_KINDS[kind][1] is not None for kind in kinds):
        attrs["activation_alpha"] = [row[1] for row in first]
        attrs["activation_beta"] = [row[2] for row in first]
    return attrs
