"""Checks the code of a TorchScript model, before PyTorch compiles and runs it.

SPDX-License-Identifier: Apache-2.0

The code is a subset of Python that PyTorch compiles for its own interpreter. That reaches operators
only, but some of them read and write files, and extensions add others.
"""

import ast

from mace_tools.convert.exporters.torch_program import FILES, Refused

# After `ops.`, where torch does not compute by an operator of its own.
_NAMESPACES = frozenset({"aten", "prim", "prims", "quantized", "torchvision", "_quantized"})
_CLASSES = frozenset({"quantized", "rnn"})  # after `torch.classes.`: those that hold weights


def check(name: str, text: bytes) -> None:
    """Errors: Refused naming the entry and what it calls."""
    try:
        tree = ast.parse(text.decode())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise Refused(f"its code {name} is no TorchScript ({e})") from e
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            _check_import(name, node)
        elif isinstance(node, ast.Attribute):
            _check_attribute(name, node)


def _check_attribute(name: str, node: ast.Attribute) -> None:
    base = ast.unparse(node.value)
    where = f"its code {name}, line {node.lineno}, "
    if node.attr in FILES:
        raise Refused(f"{where}calls {base[:60]}.{node.attr}, which reads or writes files")
    parts = base.split(".")
    if parts[-1] in ("ops", "classes") and parts[0] in ("ops", "torch", "__torch__"):
        known = _NAMESPACES if parts[-1] == "ops" else _CLASSES
        if node.attr not in known:
            raise Refused(f"{where}uses {base}.{node.attr}, which is not PyTorch's own")


def _check_import(name: str, node: ast.Import | ast.ImportFrom) -> None:
    raise Refused(f"its code {name}, line {node.lineno}, imports something")
