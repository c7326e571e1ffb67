"""Checks what an exported program of PyTorch says, before PyTorch evaluates parts of it.

SPDX-License-Identifier: Apache-2.0

torch.export.load evaluates expressions of sizes, looks up the functions that nodes name anywhere
below `torch`, imports the types of nested inputs, and writes names into Python code that it runs.
So here all that is not known to be harmless is refused: expressions and functions by their own
grammar, every other text by its characters. The schema is that of torch/_export/serde/schema.py.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

MAX_EXPRESSION = 4000
MAX_EXPONENT = 64
MAX_NESTED = 200
MAX_SYMBOL = 1_000_000  # PyTorch counts up to the number of a symbol
# Functions of sizes: those of SymPy that torch.export prints, and of torch.utils._sympy.functions.
FUNCTIONS = frozenset(
    "Abs Add And BooleanFalse BooleanTrue CeilDiv CeilToInt CleanDiv Eq Equality Float FloatPow "
    "FloatTrueDiv FloorDiv FloorToInt Ge GreaterThan Gt Half Identity IntTrueDiv Integer "
    "IsNonOverlappingAndDenseIndicator LShift Le LessThan Lt Max Min Mod ModularIndexing Mul Ne "
    "NegativeOne Not One Or Piecewise Pow PowByNatural PythonMod RShift Rational RoundDecimal "
    "RoundToInt StrictGreaterThan StrictLessThan Symbol ToFloat TruncToFloat TruncToInt Unequality "
    "Where Xor Zero ceiling false floor true".split())
_NODES = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Call, ast.keyword,
          ast.Constant, ast.Name, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv,
          ast.Mod, ast.Pow, ast.UAdd, ast.USub, ast.Not, ast.Invert, ast.And, ast.Or, ast.BitAnd,
          ast.BitOr, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SYMBOL = re.compile(r"(?:zuf|zf|u|s|f|z|i|p)(\d{1,12})")
_KEYWORDS = re.compile(r"positive|negative|nonnegative|nonpositive|zero|nonzero|integer|real|"
                       r"finite|extended_real|even|odd|precision|evaluate")
# Names in the code that PyTorch generates, paths of parameters, devices, types, versions.
_PLAIN = re.compile(r"[\w.:+\- ]{0,1000}")
# An argument of an operator, as 'ij,jk->ik' or the words of an assertion; it is quoted in code.
_TEXT = re.compile(r"[\x20-\x7e]{0,1000}")
_NAMESPACES = "aten|prims|quantized|quantized_decomposed|torchvision"
_CONTROL = ("cond|while_loop|map|map_impl|scan|associative_scan|wrap_with_set_grad_enabled|"
            "wrap_with_autocast|strict_mode|flex_attention|run_const_graph")
_OPERATORS = ("getitem|add|sub|mul|floordiv|truediv|mod|neg|pos|pow|eq|ne|lt|le|gt|ge|and_|or_|xor|"
              "not_|invert|lshift|rshift|abs")
_TARGET = re.compile(
    rf"torch\.ops\.(?:{_NAMESPACES})\.(?P<op>[a-zA-Z]\w*|_[a-zA-Z]\w*|"
    r"__(?:and|or|xor|iand|ior|ixor|lshift|rshift|ilshift|irshift)__)(?:\.[a-zA-Z]\w*)?|"
    rf"torch\.ops\.higher_order\.(?:{_CONTROL})|_operator\.(?:{_OPERATORS})|math\.[a-z]\w*|"
    r"torch\.(?:_sym_|sym_)\w+|torch\._C\._set_grad_enabled")
FILES = frozenset({"from_file", "save", "load"})  # operators of files
_TYPES = ("builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict")
_OWN_CODE = "torchao"


class Refused(ValueError):
    """Why a file is not given to PyTorch."""


def checked(text: bytes) -> bytes:
    """The model of a program (models/model.json), without what PyTorch need not see: guards, and
    notes about the source code. Errors: Refused."""
    program = _parsed(text)
    if not isinstance(program, dict):
        raise Refused("its model is no JSON object")
    program["guards_code"] = []
    for symbol in _mapping(program.get("range_constraints", {}), "range_constraints"):
        _check_symbol(symbol)
    return json.dumps(_checked(program, "", 0)).encode()


def checked_config(text: bytes) -> bytes:
    """The table of weights or constants (*_config.json). Errors: Refused."""
    config = _mapping(_parsed(text), "a table of weights")
    for name, payload in _mapping(config.get("config", {}), "config").items():
        path = _mapping(payload, name).get("path_name")
        if payload.get("use_pickle") is not False:
            raise Refused(f"'{name}' is pickled, and reading it would run the code in it; save the "
                          "program without objects of your own")
        if not isinstance(path, str) or not re.fullmatch(r"(weight|tensor)_\d+", path):
            raise Refused(f"'{name}' is no tensor, but an object of a class of its own")
    return json.dumps(_checked(config, "", 0)).encode()


def check_expression(text: str) -> None:
    """Errors: Refused for what is no plain arithmetic of sizes."""
    wrong = Refused(f"a size is {text[:60]!r}, which is no arithmetic of sizes")
    if len(text) > MAX_EXPRESSION:
        raise wrong
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        raise wrong from e
    inside: set[int] = set()  # texts that are names of symbols
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise wrong
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
                raise wrong
            inside.update(_check_call(node, wrong))
        elif isinstance(node, ast.Name):
            if node.id not in FUNCTIONS and node.id not in ("True", "False", "oo", "int_oo"):
                _check_symbol(node.id)
        elif isinstance(node, ast.Constant) and id(node) not in inside:
            _check_number(node.value, wrong)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            _check_exponent(node.right, wrong)


def _check_call(node: ast.Call, wrong: Refused) -> Iterator[int]:
    name = node.func.id  # type: ignore[attr-defined]
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg is None or not _KEYWORDS.fullmatch(keyword.arg) or not isinstance(
                value, ast.Constant) or not (isinstance(value.value, int) and value.value <= 1000):
            raise wrong
    if name == "Symbol":
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Constant) or not isinstance(
                node.args[0].value, str):
            raise wrong
        _check_symbol(node.args[0].value)
        yield id(node.args[0])
    elif name == "Float" and node.args and isinstance(node.args[0], ast.Constant) and isinstance(
            node.args[0].value, str):
        if not re.fullmatch(r"-?\d{1,20}(\.\d{1,400})?(e[+-]?\d{1,3})?", node.args[0].value):
            raise wrong
        yield id(node.args[0])
    elif name in ("Pow", "PowByNatural", "FloatPow", "LShift", "RShift"):
        if len(node.args) != 2:
            raise wrong
        _check_exponent(node.args[1], wrong)


def _check_exponent(node: ast.AST, wrong: Refused) -> None:
    """An exponent is a small number: PyTorch would compute a power of any size."""
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in (
            "Integer", "Float") and node.args:
        node = node.args[0]
    if not isinstance(node, ast.Constant) or isinstance(node.value, str) or (
            abs(node.value) > MAX_EXPONENT):
        raise wrong


def _check_number(value: object, wrong: Refused) -> None:
    if isinstance(value, bool):
        return
    if not isinstance(value, (int, float)) or abs(value) > 2**63 or value != value:
        raise wrong


def _check_symbol(name: str) -> None:
    match = _SYMBOL.fullmatch(name)
    if match is None or int(match[1]) > MAX_SYMBOL:
        raise Refused(f"a size is called {name[:60]!r}; PyTorch's are called s0, u1 and the like")


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as e:
        raise Refused(f"its model is no JSON ({e})") from e


def _mapping(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused(f"{name[:60]} is not a mapping")
    return value


def _checked(part: Any, key: str, depth: int) -> Any:
    """A part of a program, `key` of what is around it. Errors: Refused."""
    if depth > MAX_NESTED:
        raise Refused("it is nested too deeply")
    if isinstance(part, dict):
        return {_plain(name, key): _value(name, value, key, depth)
                for name, value in part.items() if name not in ("metadata", "stack_trace")} | (
                    {"metadata": {}} if "metadata" in part else {})
    if isinstance(part, list):
        return [_checked(value, key, depth + 1) for value in part]
    if isinstance(part, str):
        return _argument(part) if key in ("as_string", "as_strings") else _plain(part, key)
    return part


def _value(name: str, value: Any, key: str, depth: int) -> Any:
    if name in ("expr_str", "target", "as_operator", "in_spec", "out_spec") and (
            not isinstance(value, str)):
        raise Refused(f"{name} is not a text")
    if name == "expr_str":
        check_expression(value)
    elif name in ("target", "as_operator"):
        _check_target(value)
    elif name in ("in_spec", "out_spec"):
        return _structure(value)
    elif name in ("as_custom_obj", "custom_obj", "custom_obj_values", "class_fqn") and value:
        raise Refused("it has objects of a class of its own, which reading would create")
    else:
        return _checked(value, name, depth + 1)
    return value


def _check_target(name: str) -> None:
    match = _TARGET.fullmatch(name)
    if match and match["op"] not in FILES:
        return
    if name.startswith(f"torch.ops.{_OWN_CODE}."):
        raise Refused(
            "torchao has quantized it, by operators of its own that torch.onnx.export does not "
            "know: export the model before it is quantized, and let the converter quantize it "
            "(the key `quantize`; docs/quantization.md)")
    raise Refused(f"a node calls {name[:80]!r}, which is none of the operators that a program "
                  "should have; export the model with PyTorch's own operators only")


def _structure(text: str) -> str:
    """How inputs or outputs are nested. Errors: Refused."""
    spec = _parsed(text)
    if not isinstance(spec, list) or len(spec) != 2 or spec[0] != 1:
        raise Refused("it describes its inputs in an unknown way")
    _check_structure(spec[1], 0)
    return text


def _check_structure(part: Any, depth: int) -> None:
    wrong = Refused("its inputs or outputs are nested in something other than tuples, lists and "
                    "dictionaries with texts for keys, which reading would import")
    if depth > MAX_NESTED or not isinstance(part, dict) or not part.keys() <= {
            "type", "context", "children_spec"}:
        raise wrong
    kind, context = part.get("type"), part.get("context")
    if kind is None:
        if context is not None:
            raise wrong
    elif kind not in _TYPES or not isinstance(context, str):
        raise wrong
    else:
        keys = _parsed(context)
        if keys is not None and not (isinstance(keys, list) and all(
                isinstance(name, str) and _PLAIN.fullmatch(name) for name in keys)):
            raise wrong
    children = part.get("children_spec")
    if not isinstance(children, list):
        raise wrong
    for child in children:
        _check_structure(child, depth + 1)


def _plain(text: str, key: str) -> str:
    if not _PLAIN.fullmatch(text) or any(p.startswith("__") for p in text.split(".")):
        raise Refused(f"the name {text[:60]!r} ({key or 'a key'}) has characters that names in "
                      "PyTorch's code do not have; export the model again with other names")
    return text


def _argument(text: str) -> str:
    if not _TEXT.fullmatch(text):
        raise Refused(f"an operator has the argument {text[:60]!r}, which none of PyTorch's takes")
    return text
