"""Exports a PyTorch program to ONNX, or runs it; a program of its own, in a Python with torch.

SPDX-License-Identifier: Apache-2.0

    python torch_child.py '{"model": PATH, "shapes": null}' FOLDER
        an exported program: writes model.onnx; a TorchScript model: the names of its ends
    python torch_child.py '{"model": PATH, "shapes": {NAME: [1, 3]}}' FOLDER
        writes model.onnx
    python torch_child.py '{"model": PATH, "inputs": [{NAME: NPY}], "outputs": [NAME]}' FOLDER
        runs the model and writes out0_0.npy, ...
"""

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

# Before 2.10, reading weights only could run code (CVE-2025-32434, CVE-2026-24747).
OLDEST = (2, 10)
OPSET = 18


class Failed(Exception):
    """What is wrong, and whose fault it is: missing, version, model."""


def main(request: dict[str, Any], folder: Path) -> None:
    try:
        import torch
    except ImportError as e:
        raise Failed("missing", "platform: pytorch needs PyTorch, which is not installed "
                     f"({e})") from e
    version = tuple(int(v) for v in re.findall(r"\d+", torch.__version__)[:2])
    if version < OLDEST:
        raise Failed("version", f"torch {torch.__version__} can be made to run code that a file "
                     f"holds; {OLDEST[0]}.{OLDEST[1]} or newer refuses")
    script = request["model"].endswith(".pt")
    loaded = _load(torch, request["model"], script)
    inputs, outputs = (_script_ends if script else _program_ends)(loaded)
    if "inputs" in request:
        _run(torch, loaded, script, (inputs, outputs), request, folder)
        return
    # A program has its shapes, a script does not.
    if not script or request["shapes"]:
        target = str(folder / "model.onnx")
        try:
            if script:
                _export_script(torch, loaded, request["shapes"], inputs, outputs, target)
            else:
                torch.onnx.export(loaded, (), target, dynamo=True, input_names=inputs,
                                  output_names=outputs, opset_version=OPSET, external_data=False)
        except Failed:
            raise
        except ImportError as e:
            raise Failed("missing", f"torch.onnx.export needs a package ({e})") from e
        except Exception as e:
            raise Failed("model", f"torch.onnx.export cannot export it: {_line(e)}") from e
    (folder / "answer.json").write_text(json.dumps({"inputs": inputs, "outputs": outputs}))


def _load(torch: Any, path: str, script: bool) -> Any:
    try:
        if script:
            return torch.jit.load(path, map_location="cpu").eval()
        return torch.export.load(path)
    except Exception as e:
        raise Failed("model", f"torch {torch.__version__} cannot load it: {_line(e)}; a version "
                     "like that which wrote it may") from e


def _script_ends(module: Any) -> tuple[list[str], list[str]]:
    """Names of the tensors that `forward` takes and returns."""
    schema = module.forward.schema
    inputs = []
    for argument in schema.arguments[1:]:
        if argument.has_default_value():
            continue
        if str(argument.type) != "Tensor":
            raise Failed("model", f"its input '{argument.name}' is a {argument.type}; only tensors "
                         "can be given, so wrap it in a module whose forward takes tensors")
        inputs.append(argument.name)
    kind = schema.returns[0].type
    parts = kind.elements() if kind.kind() == "TupleType" else [kind]
    if any(str(part) != "Tensor" for part in parts):
        raise Failed("model", f"forward returns {kind}; wrap it in a module whose forward returns "
                     "a tensor or a tuple of tensors")
    return inputs, _outputs(len(parts))


def _program_ends(program: Any) -> tuple[list[str], list[str]]:
    signature = program.graph_signature
    return list(signature.user_inputs), _outputs(len(signature.user_outputs))


def _outputs(count: int) -> list[str]:
    return [f"output_{k}" for k in range(count)]


def _export_script(torch: Any, module: Any, shapes: dict[str, list[int]], inputs: list[str],
                   outputs: list[str], target: str) -> None:
    missing = [name for name in inputs if name not in shapes]
    if missing:
        raise Failed("model", f"its inputs are {', '.join(inputs)}: the shape of '{missing[0]}' is "
                     "missing (input_tensors and input_shapes in the YAML)")
    feeds = tuple(torch.zeros(shapes[name]) for name in inputs)
    try:
        module(*feeds)
    except Exception as e:
        raise Failed("model", f"it does not run with float32 inputs of the shapes "
                     f"{[shapes[name] for name in inputs]}: {_line(e)}") from e
    torch.onnx.export(module, feeds, target, input_names=inputs, output_names=outputs,
                      opset_version=17, dynamo=False)


def _run(torch: Any, loaded: Any, script: bool, ends: tuple[list[str], list[str]],
         request: dict[str, Any], folder: Path) -> None:
    if request["nudge"]:
        _nudge(torch, (_script_weights if script else _program_weights)(torch, loaded),
               request["nudge"])
    module = loaded if script else loaded.module()
    types = {} if script else {node.name: node.meta["val"].dtype for node in loaded.graph.nodes
                               if node.op == "placeholder" and hasattr(node.meta.get("val"),
                                                                       "dtype")}
    errors = []
    for j, files in enumerate(request["inputs"]):
        try:
            _run_once(torch, module, ends, types, files, request["outputs"], folder, j)
            errors.append("")
        except Failed:
            raise
        except Exception as e:  # whatever PyTorch raises becomes one line
            errors.append(_line(e))
    (folder / "errors.json").write_text(json.dumps(errors))


def _program_weights(torch: Any, program: Any) -> list[Any]:
    """Its tensors, those that are no parameters of a module, too."""
    return [t for t in (*program.state_dict.values(), *program.constants.values())
            if isinstance(t, torch.Tensor)]


def _script_weights(torch: Any, module: Any) -> list[Any]:
    """The same: constants of the code, which a frozen module has only, and attributes."""
    graph = module.inlined_graph
    found = [node.t("value") for node in graph.findAllNodes("prim::Constant")
             if node.hasAttribute("value") and node.kindOf("value") == "t"]
    names = {node.s("name") for node in graph.findAllNodes("prim::GetAttr")}
    attributes = [part._c.getattr(name) for part in module.modules() for name in sorted(names)
                  if part._c.hasattr(name)]
    found += [*module.parameters(), *module.buffers(),
              *(a for a in attributes if isinstance(a, torch.Tensor))]
    return list({t.data_ptr(): t for t in found}.values())


def _nudge(torch: Any, weights: list[Any], how: dict[str, Any]) -> None:
    make = runpy.run_path(str(Path(__file__).parents[2] / "frameworks" / "nudge.py"))["Nudge"]
    rough = {**how, "kind": "bf16"} if how["kind"] in ("f32", "f16") else how
    with torch.no_grad():
        for k, weight in enumerate(weights):
            if weight.dtype == torch.bfloat16:  # which NumPy lacks
                weight.copy_(torch.from_numpy(make(**rough).of(weight.detach().float().numpy(), k)))
            elif weight.dtype in (torch.float16, torch.float32, torch.float64, torch.int8,
                                  torch.uint8):
                weight.copy_(torch.from_numpy(make(**how).of(weight.detach().numpy().copy(), k)))


def _run_once(torch: Any, module: Any, ends: tuple[list[str], list[str]], types: dict[str, Any],
              files: dict[str, str], asked: list[str], folder: Path, number: int) -> None:
    """`types`: of inputs, where they are known."""
    import numpy as np

    inputs, outputs = ends
    feeds = {name: torch.from_numpy(np.load(file)).to(types.get(name))
             for name, file in files.items()}
    for given, known in ((feeds, inputs), (asked, outputs)):
        strange = [name for name in given if name not in known]
        if strange:
            raise Failed("model", f"PyTorch has {known}, but not '{strange[0]}'")
    with torch.no_grad():
        found = module(*(feeds[name] for name in inputs))
    results = dict(zip(outputs, found if isinstance(found, (tuple, list)) else [found]))
    for k, name in enumerate(asked):
        result = results[name]
        result = result.float() if result.dtype == torch.bfloat16 else result
        np.save(folder / f"out{number}_{k}.npy", result.detach().numpy())


def _line(e: BaseException) -> str:
    lines = [s.strip() for s in str(e).splitlines() if s.strip()]
    return f"{type(e).__name__}: {' '.join(lines)}"[:600]


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]), Path(sys.argv[2]))
    except Failed as failed:
        text = json.dumps(dict(zip(("error", "message"), failed.args)))
        (Path(sys.argv[2]) / "answer.json").write_text(text)
        sys.exit(1)
