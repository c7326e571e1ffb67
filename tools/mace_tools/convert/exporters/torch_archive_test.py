"""Tests that PyTorch sees nothing of a file but what has been checked.

SPDX-License-Identifier: Apache-2.0

The programs are written in the schema of torch/_export/serde/schema.py, as PyTorch 2.15 writes it.
"""

import copy
import json
import zipfile

import pytest

from mace_tools.convert.exporters import torch_archive
from mace_tools.convert.exporters.torch_program import Refused, check_expression
from mace_tools.support.errors import ModelError

LEAF = {"type": None, "context": None, "children_spec": []}
TENSOR = {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s77', positive=True, "
          "integer=True)", "hint": {"as_int": 2}}}, {"as_int": 3}], "requires_grad": False,
          "device": {"type": "cpu", "index": None}, "strides": [{"as_int": 3}, {"as_int": 1}],
          "storage_offset": {"as_int": 0}, "layout": 7}
PROGRAM = {
    "graph_module": {
        "graph": {
            "inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "relu"}}],
            "nodes": [{"target": "torch.ops.aten.relu.default", "inputs": [
                {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
                "outputs": [{"as_tensor": {"name": "relu"}}],
                "metadata": {"stack_trace": "File \"m.py\"; anything"}, "name": "relu"}],
            "tensor_values": {"x": TENSOR, "relu": TENSOR}, "sym_int_values": {},
            "sym_bool_values": {}},
        "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
                      "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "relu"}}}}]},
        "module_call_graph": [{"fqn": "", "signature": {
            "inputs": [], "outputs": [], "forward_arg_names": ["x"],
            "in_spec": json.dumps([1, {"type": "builtins.tuple", "context": "null",
                                       "children_spec": [LEAF]}]),
            "out_spec": json.dumps([1, LEAF])}}],
        "metadata": {}},
    "opset_version": {"aten": 10}, "range_constraints": {"s77": {"min_val": 2, "max_val": None}},
    "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"],
    "torch_version": "2.15.0+cpu", "guards_code": ["L['x'].size()[0] <= 64"]}


def archive(path, entries):
    with zipfile.ZipFile(path, "w") as out:
        for name, text in entries.items():
            out.writestr(f"m/{name}", text if isinstance(text, bytes) else json.dumps(text))
    return path


def program(path, change=None, **more):
    model = copy.deepcopy(PROGRAM)
    if change is not None:
        change(model)
    return archive(path, {"archive_version": "0", "models/model.json": model, **more})


def copied(path, tmp_path):
    out = tmp_path / "out"
    out.mkdir(exist_ok=True)
    with zipfile.ZipFile(torch_archive.copy(path, out)) as done:
        return {name: done.read(name) for name in done.namelist()}


def test_a_program_is_copied_without_guards_and_notes(tmp_path):
    words = "Runtime assertion failed for expression u0 >= 0 on node 'ge'"
    message = {"name": "assert_msg", "arg": {"as_string": words}, "kind": 1}

    def change(model):
        model["graph_module"]["graph"]["nodes"][0]["inputs"].append(message)

    path = program(tmp_path / "m.pt2", change, **{"extra/notes.txt": b"x",
                                          "data/weights/weight_0": b"1234"})
    entries = copied(path, tmp_path)
    assert entries.keys() == {"model/archive_version", "model/models/model.json",
                              "model/data/weights/weight_0"}
    found = json.loads(entries["model/models/model.json"])
    wanted = copy.deepcopy(PROGRAM)
    change(wanted)
    wanted["guards_code"] = []
    wanted["graph_module"]["graph"]["nodes"][0]["metadata"] = {}
    assert found == wanted


EVIL = "__import__('os').system('touch evil')"
NODE = ("graph_module", "graph", "nodes", 0)
CALL = ("graph_module", "module_call_graph", 0, "signature")
SIZE = ("graph_module", "graph", "tensor_values", "x", "sizes", 0)


def spec(kind, context):
    return json.dumps([1, {"type": kind, "context": context, "children_spec": [LEAF]}])


@pytest.mark.parametrize("place, key, value, reason", [
    (SIZE, "as_expr", {"expr_str": EVIL}, "no arithmetic of sizes"),
    (SIZE, "as_expr", {"expr_str": ["s0"]}, "expr_str is not a text"),
    (NODE, "target", "torch.os.system", "calls 'torch.os.system'"),
    (NODE, "target", "torch.ops.aten.from_file.default", "calls 'torch.ops.aten.from_file"),
    (NODE, "target", "torch.ops.aten.save.default", "calls"),
    (NODE, "target", "torch.ops.aten.relu.default.__globals__", "calls"),
    (NODE, "target", "torch.ops.load_library", "calls"),
    (NODE, "target", "torch.hub.load", "calls"),
    (NODE, "target", "_operator.methodcaller", "calls"),
    (NODE, "target", "#custom:x", "calls"),
    (NODE, "target", "torch.ops.mylib.f.default", "none of the operators"),
    (NODE, "target", "torch.ops.torchao.quantize_affine.default", "torchao has quantized it"),
    (NODE, "inputs", [{"name": "f", "arg": {"as_operator": "torch.os.system"}}], "calls"),
    (NODE, "inputs", [{"name": "f", "arg": {"as_string": "a\nimport os"}}], "the argument"),
    (NODE, "inputs", [{"name": "f", "arg": {"as_custom_obj": {"name": "o", "class_fqn": "a.B"}}}],
     "objects of a class of its own"),
    (NODE, "outputs", [{"as_tensor": {"name": "y):\n import os #"}}], "characters that names"),
    (NODE, "outputs", [{"as_tensor": {"name": "__class__"}}], "characters that names"),
    (CALL, "in_spec", spec("collections.defaultdict", json.dumps(
        {"default_factory_module": "os", "default_factory_name": "abort"})), "would import"),
    (CALL, "in_spec", spec("builtins.dict", json.dumps([{"__enum__": True, "fqn": "os:abort"}])),
     "would import"),
    (CALL, "in_spec", spec("builtins.dict", json.dumps(["x'] + y"])), "would import"),
    (CALL, "in_spec", "[", "no JSON"),
    (CALL, "out_spec", spec("collections.namedtuple", '"os.X"'), "would import"),
    (CALL, "forward_arg_names", ["x=print(1)"], "characters that names"),
    ((), "range_constraints", {"u99999999999": {}}, "a size is called"),
    ((), "range_constraints", {EVIL: {}}, "a size is called"),
    ((), "verifiers", ["a b;c"], "characters that names"),
])
def test_what_pytorch_would_evaluate_is_refused(tmp_path, place, key, value, reason):
    def change(model):
        for step in place:
            model = model[step]
        model[key] = value

    with pytest.raises(ModelError, match=f"PyTorch does not get to see it: .*{reason}"):
        copied(program(tmp_path / "m.pt2", change), tmp_path)


@pytest.mark.parametrize("entry, text, reason", [
    ("data/aotinductor/model/x.so", b"", "compiled code"),
    ("extra/x.so", b"", "compiled code"),
    ("data/constants/model_constants_config.json", {"config": {"k": {
        "path_name": "opaque_obj_0", "is_param": False, "use_pickle": True, "tensor_meta": None}}},
     "pickled"),
    ("data/constants/model_constants_config.json", {"config": {"k": {
        "path_name": "custom_obj_0", "is_param": False, "use_pickle": False}}}, "no tensor"),
    ("data/weights/model_weights_config.json", {"config": {"k": {
        "path_name": "../../x", "is_param": False, "use_pickle": False}}}, "no tensor"),
    ("data/weights/model_weights_config.json", {"config": {"k": {
        "path_name": "weight_0", "use_pickle": False, "tensor_meta": {"sizes": [{"as_expr": {
            "expr_str": EVIL}}]}}}}, "no arithmetic"),
    ("data/weights/model_weights_config.json", [1], "not a mapping"),
])
def test_entries_that_would_run_are_refused(tmp_path, entry, text, reason):
    with pytest.raises(ModelError, match=reason):
        copied(program(tmp_path / "m.pt2", **{entry: text}), tmp_path)


@pytest.mark.parametrize("text", [
    "s0 + 2*s1", "Max(1, s0//2)", "Mul(Integer(16), Symbol('s0', positive=True, integer=True))",
    "Pow(Symbol('u3', integer=True), Integer(2))", "Float('1.5', precision=53)", "s0 <= 64",
    "Mod(s0, 8)", "True", "-s0", "Rational(1, 2)", "And(Ge(s0, 2), Ne(s1, 4))",
    "FloorDiv(Add(Symbol('s77', positive=True), Integer(-3)), Integer(2))"])
def test_arithmetic_of_sizes(text):
    check_expression(text)


@pytest.mark.parametrize("text", [
    EVIL, "s0.__class__", "9**9**9", "Pow(9, Pow(9, 9))", "LShift(1, 10**9)", "(lambda: 1)()",
    "[1]", "s0 if s1 else 2", "f'{s0}'", "1e999", "1j", "Symbol('a; b')", "Symbol(s0)",
    "Symbol('s0', cls=Max)", "Symbol('s0', **s1)", "Max(*s0)", "eval('1')", "open", "'text'",
    "s0 @ s1", "(s0 := 1)", "s0[0]", "s0\nimport os", "(" * 300 + "1" + ")" * 300,
    "1+" * 3000 + "1",
    "Float('1.5; x')", "", "Function('f')", "sympify('1')", "Symbol('__import__')"])
def test_what_is_no_arithmetic_of_sizes(text):
    with pytest.raises(Refused):
        check_expression(text)


def script(path, code):
    return archive(path, {"data.pkl": b"", "constants.pkl": b"", "version": b"3",
                          "code/__torch__.py": code.encode(), "code/x.py.debug_pkl": b"x"})


def test_a_script_is_copied_without_notes(tmp_path):
    code = "class M(Module):\n  def forward(self: __torch__.M,\n    x: Tensor) -> Tensor:\n" \
           "    return torch.relu(x)\n"
    entries = copied(script(tmp_path / "m.pt", code), tmp_path)
    assert entries.keys() == {"model/data.pkl", "model/constants.pkl", "model/version",
                              "model/code/__torch__.py"}


@pytest.mark.parametrize("line, reason", [
    ("torch.save(x, 'f')", "calls torch.save"), ("x.save('f')", "calls x.save"),
    ("ops.aten.from_file('f', True, 3)", "calls ops.aten.from_file"),
    ("ops.image.write_file('f', x)", "uses ops.image"),
    ("__torch__.torch.classes.c10d.Store()", "classes.c10d"), ("import os", "imports something"),
    ("from os import abort", "imports something"), ("x x", "no TorchScript")])
def test_a_script_that_reaches_files_is_refused(tmp_path, line, reason):
    with pytest.raises(ModelError, match=reason):
        copied(script(tmp_path / "m.pt", f"def f(x):\n  {line}\n"), tmp_path)


def test_archives_that_unpack_to_too_much_or_twice(tmp_path):
    path = tmp_path / "bomb.pt2"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("m/models/model.json", json.dumps(PROGRAM))
        out.writestr("m/data/weights/weight_0", bytes(100 << 20))
    with pytest.raises(ModelError, match="unpacks to 10.......; at most .* times the archive"):
        copied(path, tmp_path)
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = archive(tmp_path / "twice.pt2", {"models/model.json": PROGRAM})
        with zipfile.ZipFile(path, "a") as out:
            out.writestr("m/models/model.json", "{}")
    with pytest.raises(ModelError, match="two entries of one name"):
        copied(path, tmp_path)
