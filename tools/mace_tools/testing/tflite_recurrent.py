"""Models of one recurrent TFLite operator each, with their states in variable tensors.

SPDX-License-Identifier: Apache-2.0
"""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mace_tools.convert import importers
from mace_tools.graph.run_io import first_values
from mace_tools.testing.grid import computed
from mace_tools.testing.tflite_file import Maker

UNI, BI = "UNIDIRECTIONAL_SEQUENCE_", "BIDIRECTIONAL_SEQUENCE_"
TANH = 4
T, B, IN, H, P = 4, 2, 3, 5, 4  # steps, batch, inputs, hidden and projected elements
_TABLES = {"LSTM": "LSTMOptions", f"{UNI}LSTM": "UnidirectionalSequenceLSTMOptions",
           f"{BI}LSTM": "BidirectionalSequenceLSTMOptions", "RNN": "RNNOptions",
           f"{UNI}RNN": "SequenceRNNOptions", f"{BI}RNN": "BidirectionalSequenceRNNOptions"}


class Model:
    """A model, its only input, and its outputs; numbers are drawn from a seed."""

    def __init__(self, op: str, fields: dict[str, Any]) -> None:
        self.maker, self.op, self.fields = Maker(), op, fields
        self.rng = np.random.default_rng(17)
        single = not op.startswith((UNI, BI))
        time_major = fields.get("TimeMajor", op == f"{BI}LSTM")
        self.shape = (B, IN) if single else (T, B, IN) if time_major else (B, T, IN)
        self.names = [self.maker.tensor("x", self.shape)]
        self.table = "SVDFOptions" if op == "SVDF" else _TABLES[op]
        two = op.startswith(BI) and not fields.get("MergeOutputs", False)
        self.outputs = ["y", "z"] if two else ["y"]

    def draw(self, *shape: int) -> np.ndarray:
        return self.rng.uniform(-1, 1, shape).astype(np.float32)

    def const(self, *shape: int) -> None:
        self.names.append(self.maker.const(f"w{len(self.names)}", self.draw(*shape)))

    def gates(self, gates: str, present: str, *shape: int) -> None:
        for gate in gates:
            if gate in present:
                self.const(*shape)
            else:
                self.names.append("")

    def state(self, *shape: int) -> None:
        name = self.maker.tensor(f"s{len(self.names)}", shape)
        self.maker.variables.add(name)
        self.names.append(name)

    def save(self, folder: Path) -> Path:
        for name in self.outputs:
            self.maker.tensor(name, ())
        self.maker.op(self.op, self.names, self.outputs, self.table, **self.fields)
        return self.maker.save(folder, ["x"], self.outputs)


def lstm(op: str, traits: str = "", **fields: Any) -> Model:
    """`traits` are some of the words coupled, peepholes, projected, biased and normalized."""
    m = Model(op, {"FusedActivationFunction": TANH, **fields})
    has, directions = set(traits.split()), 2 if op.startswith(BI) else 1
    gates, width = "fgo" if "coupled" in has else "ifgo", P if "projected" in has else H
    for _ in range(directions):
        m.gates("ifgo", gates, H, IN)
        m.gates("ifgo", gates, H, width)
        m.gates("ifo", gates if "peepholes" in has else "", H)
        m.gates("ifgo", gates, H)
        m.gates("p", "p" if "projected" in has else "", P, H)
        m.gates("p", "p" if "biased" in has else "", P)
    for _ in range(directions):
        m.state(B, width)
        m.state(B, H)
    if "normalized" in has:
        m.gates("ifgo", gates, H)
    if directions == 2:
        m.names += [""] * 9
    return m


def rnn(op: str, **fields: Any) -> Model:
    m = Model(op, {"FusedActivationFunction": TANH, **fields})
    for _ in range(2 if op.startswith(BI) else 1):
        m.const(H, IN)
        m.const(H, H)
        m.const(H)
        m.state(B, H)
    if op.startswith(BI):
        m.names += [""] * 3
    return m


def svdf(rank: int, steps: int, bias: bool = True, **fields: Any) -> Model:
    m, units = Model("SVDF", {"Rank": rank, **fields}), 4
    m.const(units * rank, IN)
    m.const(units * rank, steps)
    m.gates("b", "b" if bias else "", units)
    m.state(B, units * rank * steps)
    return m


def models() -> dict[str, Model]:
    """All, by name. LiteRT mixes sequences up where a bidirectional LSTM has the batch first and
    merges its outputs, so that these stand here with time first only."""
    found: dict[str, Model] = {}
    words = ("coupled", "peepholes", "projected", "normalized")
    for op, flags in product((f"{UNI}LSTM", f"{BI}LSTM", "LSTM"), product((0, 1), repeat=4)):
        traits = " ".join(word for word, on in zip(words, flags) if on)
        if op.startswith(BI) and "normalized" in traits:
            continue  # it has no such operands
        fields = {} if op == "LSTM" else {"TimeMajor": bool(sum(flags) % 2)}
        found[f"{op} {traits}"] = lstm(op, traits, **fields)
    for op in (f"{UNI}LSTM", f"{BI}LSTM", "LSTM"):
        found[f"{op} relu"] = lstm(op, FusedActivationFunction=1)
        found[f"{op} relu6"] = lstm(op, FusedActivationFunction=3)
        found[f"{op} clips"] = lstm(op, "projected biased", CellClip=0.3, ProjClip=0.15)
    found["merged LSTM"] = lstm(f"{BI}LSTM", TimeMajor=True, MergeOutputs=True)
    for op, kind, time in product((f"{UNI}RNN", f"{BI}RNN", "RNN"), (0, 1, 3, TANH), (False, True)):
        fields = {} if op == "RNN" else {"TimeMajor": time}
        found[f"{op} {kind} {time}"] = rnn(op, FusedActivationFunction=kind, **fields)
        if op.startswith(BI):
            found[f"merged {op} {kind} {time}"] = rnn(op, FusedActivationFunction=kind,
                                                      TimeMajor=time, MergeOutputs=True)
    for rank, steps, bias, kind in product((1, 2), (1, 3, 8), (False, True), (0, 1, 3)):
        found[f"SVDF {rank} {steps} {bias} {kind}"] = svdf(rank, steps, bias,
                                                           FusedActivationFunction=kind)
    return found


def runs_of_ours(path: Path, xs: list[np.ndarray]) -> list[dict[str, np.ndarray]]:
    """The same of the converted model, in NumPy."""
    graph = importers.load("tflite", path)
    states, results = first_values(graph), []
    for x in xs:
        got = computed(graph, {"x": x, **states})
        states = {name: got[state.next] for name, state in graph.states.items()}
        results.append(got)
    return results
