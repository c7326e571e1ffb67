"""Puts the bodies of functions in place of their calls, so that a graph has plain nodes only.

SPDX-License-Identifier: Apache-2.0

A call becomes an IdentityN of its results, whose names stay. A node of the body gets the name of
the call before its own. A conditional (If) becomes the Switch and Merge nodes that TensorFlow makes
of it as well, and a loop (While) the Enter, Merge, Switch and NextIteration nodes. branches.py
decides them where it can, and flow.py makes one node of those that are left.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mace_tools.support.errors import ModelError

CALLS = ("PartitionedCall", "StatefulPartitionedCall")
IFS = ("If", "StatelessIf")
CASES = ("Case", "StatelessCase")
WHILES = ("While", "StatelessWhile")
INT32 = 3  # of DataType
MAX_NODES = 1 << 20
DEEPEST = 100
# Outputs of operators with several, for files that do not define them (graphs, other than
# SavedModels). A list of tensors has a single name.
OUTPUTS = {
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance", "reserve_space_1",
                         "reserve_space_2"),
    "FusedBatchNormV3": ("y", "batch_mean", "batch_variance", "reserve_space_1",
                         "reserve_space_2", "reserve_space_3"),
    "TopKV2": ("values", "indices"), "TopK": ("values", "indices"),
    "Switch": ("output_false", "output_true"), "Merge": ("output", "value_index"),
    **dict.fromkeys(("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"),
                    ("loss", "backprop")),
    **dict.fromkeys(("Unique", "UniqueV2"), ("y", "idx")),
    **dict.fromkeys(("UniqueWithCounts", "UniqueWithCountsV2"), ("y", "idx", "count")),
    "NonMaxSuppressionV4": ("selected_indices", "valid_outputs"),
    "NonMaxSuppressionV5": ("selected_indices", "selected_scores", "valid_outputs"),
    "MaxPoolWithArgmax": ("output", "argmax"),
    "BroadcastGradientArgs": ("r0", "r1"), "TensorArrayV3": ("handle", "flow"),
    "CombinedNonMaxSuppression": ("nmsed_boxes", "nmsed_scores", "nmsed_classes",
                                  "valid_detections"),
    **dict.fromkeys(("QuantizeV2", "QuantizedConcat", "QuantizedReshape", "Requantize",
                     "QuantizeDownAndShrinkRange"), ("output", "output_min", "output_max")),
    **dict.fromkeys(("QuantizedConv2D", "QuantizedMaxPool", "QuantizedAvgPool"),
                    ("output", "min_output", "max_output")),
    **dict.fromkeys(("QuantizedMul", "QuantizedAdd"), ("z", "min_z", "max_z")),
    **dict.fromkeys(("QuantizedRelu", "QuantizedRelu6", "QuantizedReluX"),
                    ("activations", "min_activations", "max_activations")),
    "QuantizedMatMul": ("out", "min_out", "max_out"),
    "QuantizedBiasAdd": ("output", "min_out", "max_out"),
    "QuantizedResizeBilinear": ("resized_images", "out_min", "out_max"),
    "RequantizationRange": ("output_min", "output_max"),
}


def inlined(graph: Any, definitions: Iterable[Any], path: Path) -> Any:
    """The graph without calls. `definitions`: those of operators, as far as the file has them.

    Errors: ModelError for a call of a function that is not there, or that calls itself."""
    calls = {*CALLS, *IFS, *CASES, *WHILES, *(f.signature.name for f in graph.library.function)}
    if not any(node.op in calls for node in graph.node):
        return graph
    work = _Inliner(graph, definitions, path)
    for node in graph.node:
        work.add(node, ())
    result = type(graph)(versions=graph.versions)
    result.node.extend(work.nodes)
    return result


class _Inliner:
    def __init__(self, graph: Any, definitions: Iterable[Any], path: Path) -> None:
        self.path = path
        self.nodes: list[Any] = []
        self._functions = {f.signature.name: f for f in graph.library.function}
        self._definitions = {op.name: op for op in definitions}

    def add(self, node: Any, callers: tuple[str, ...]) -> None:
        """Adds a node, or what it calls. `callers`: the functions in whose bodies it is."""
        if len(self.nodes) > MAX_NODES:
            raise ModelError(f"{self.path}: its functions make more than {MAX_NODES} nodes; "
                             "export the model with fewer calls")
        if node.op in IFS and "then_branch" in node.attr:
            self._add_if(node, callers)
        elif node.op in CASES and node.attr["branches"].list.func:
            self._add_case(node, callers)
        elif node.op in WHILES and "body" in node.attr:
            self._add_while(node, callers)
        elif node.op in CALLS or node.op in self._functions:
            name = node.attr["f"].func.name if node.op in CALLS else node.op
            data = [i for i in node.input if not i.startswith("^")]
            results = self._body(name, node, f"{node.name}/", data, "", callers)
            made = type(node)(name=node.name, op="IdentityN", input=results)
            made.input.extend(i for i in node.input if i.startswith("^"))
            self.nodes.append(made)
        else:
            self.nodes.append(node)

    def _body(self, name: str, call: Any, prefix: str, operands: Sequence[str], after: str,
              callers: tuple[str, ...]) -> list[str]:
        """Adds the nodes of a function and returns its results. Nodes without operands run after
        the node `after`."""
        function = self._function(name, call, operands, callers)
        arguments = dict(zip((a.name for a in function.signature.input_arg), operands))
        given = {**call.attr["f"].func.attr, **call.attr} if call.op in CALLS else dict(call.attr)
        ops = {n.name: n for n in function.node_def}
        used: dict[str, set[str]] = {}

        def resolve(reference: str) -> str:
            if reference.startswith("^"):
                return f"^{prefix}{reference[1:]}" if reference[1:] in ops else ""
            if reference in arguments:
                return arguments[reference]
            node, _, place = reference.partition(":")
            if node not in ops:
                raise ModelError(f"{self.path}: the function '{name}' reads '{reference}', which "
                                 "is neither an argument nor a node of it; the file is damaged")
            index = self._output(ops[node], place, used.setdefault(node, set()))
            return f"{prefix}{node}:{index}" if index else f"{prefix}{node}"

        for node in function.node_def:
            copy = type(node)()
            copy.CopyFrom(node)
            copy.name = prefix + node.name
            del copy.input[:]
            copy.input.extend(filter(None, map(resolve, node.input)))
            if after and not copy.input:
                copy.input.append(f"^{after}")
            self._fill_in(copy, given)
            self.add(copy, (*callers, name))
        return [self._result(function, out.name, resolve) for out in function.signature.output_arg]

    def _function(self, name: str, call: Any, operands: Sequence[str],
                  callers: tuple[str, ...]) -> Any:
        """Errors: ModelError for a function that cannot be called here."""
        function = self._functions.get(name)
        if function is None:
            raise ModelError(f"{self.path}: {call.op} '{call.name}' calls the function '{name}', "
                             "and there is none in the file; it is damaged, or a part of another "
                             "file")
        if name in callers:
            ring = " -> ".join([*callers[callers.index(name):], name])
            raise ModelError(f"{self.path}: {call.op} '{call.name}': the function '{name}' calls "
                             f"itself ({ring}), which cannot be converted; unroll it in the source "
                             "model")
        if len(callers) >= DEEPEST:
            raise ModelError(f"{self.path}: {call.op} '{call.name}': calls are nested more than "
                             f"{DEEPEST} deep")
        wanted = len(function.signature.input_arg)
        if wanted != len(operands):
            raise ModelError(f"{self.path}: {call.op} '{call.name}' gives {len(operands)} operands "
                             f"to the function '{name}', which takes {wanted}; the file is damaged")
        return function

    def _result(self, function: Any, name: str, resolve: Callable[[str], str]) -> str:
        if name not in function.ret:
            raise ModelError(f"{self.path}: the function '{function.signature.name}' does not say "
                             f"what its result '{name}' is; the file is damaged")
        return resolve(function.ret[name])

    def _output(self, node: Any, place: str, used: set[str]) -> int:
        """The number of the output that "name:k" or "name" means."""
        name, _, number = place.partition(":")
        if not number.isdecimal():
            raise ModelError(f"{self.path}: '{node.name}:{place}' in a function names no output; "
                             "the file is damaged")
        used.add(name)
        if node.op in (*CALLS, *IFS, *CASES, *WHILES):  # a single list
            return int(number)
        head = self._functions[node.op].signature if node.op in self._functions else (
            self._definitions.get(node.op))
        if head is None:
            return self._listed(node, name, int(number), used)
        first = 0
        for out in head.output_arg:
            if out.name == name:
                return first + int(number)
            first += _count(out, node)
        raise ModelError(f"{self.path}: {node.op} '{node.name}' in a function has no output "
                         f"'{name}'; the file is damaged")

    def _listed(self, node: Any, name: str, number: int, used: set[str]) -> int:
        names = OUTPUTS.get(node.op)
        if names and name in names:
            return names.index(name) + number
        if names or len(used) > 1:
            raise ModelError(f"{self.path}: which output of {node.op} '{node.name}' the name "
                             f"'{name}' means is not in the file; freeze the model into a graph "
                             "without functions")
        return number

    def _fill_in(self, node: Any, given: dict[str, Any]) -> None:
        """Replaces attributes that stand for those of the call."""
        for key in list(node.attr):
            stands_for = node.attr[key].placeholder
            if stands_for and stands_for in given:
                node.attr[key].CopyFrom(given[stands_for])

    def _add_if(self, node: Any, callers: tuple[str, ...]) -> None:
        condition, *operands = [i for i in node.input if not i.startswith("^")]

        def side(attr: str, chosen: str, given: list[str]) -> list[str]:
            return self._body(node.attr[attr].func.name, node, f"{node.name}/{attr}/", given,
                              chosen, callers)

        merged = self._choose(node, node.name, condition, operands, {
            name: partial(side, name) for name in ("else_branch", "then_branch")})
        self.nodes.append(type(node)(name=node.name, op="IdentityN", input=merged))

    def _add_case(self, node: Any, callers: tuple[str, ...]) -> None:
        """Conditionals within one another; an index that is out of range chooses the last
        branch."""
        index, *operands = [i for i in node.input if not i.startswith("^")]
        functions = [f.name for f in node.attr["branches"].list.func]
        last = len(functions) - 1

        def branch(k: int, after: str, given: list[str]) -> list[str]:
            return self._body(functions[k], node, f"{node.name}/branch_{k}/", given, after,
                              callers)

        def rest(k: int, after: str, given: list[str]) -> list[str]:
            """What the branches from k on give; `given`: the index, and the operands."""
            if k == last:
                return branch(k, after, given[1:])
            place = f"{node.name}/is_{k}"
            number = type(node)(name=f"{place}/number", op="Const")
            if after:
                number.input.append(f"^{after}")
            number.attr["dtype"].type = number.attr["value"].tensor.dtype = INT32
            number.attr["value"].tensor.int_val.append(k)
            test = type(node)(name=f"{place}/test", op="Equal", input=[given[0], number.name])
            self.nodes += [number, test]
            return self._choose(node, place, test.name, given, {
                "no": partial(rest, k + 1),
                "yes": lambda chosen, inside: branch(k, chosen, inside[1:])})

        self.nodes.append(type(node)(name=node.name, op="IdentityN",
                                     input=rest(0, "", [index, *operands])))

    def _choose(self, node: Any, name: str, condition: str, operands: Sequence[str],
                sides: dict[str, Callable[[str, list[str]], list[str]]]) -> list[str]:
        """Adds what a condition chooses between: the side for false comes first. Each adds its
        nodes, of which those without operands run after the given one, and returns its results."""
        make, results = type(node), []
        pivot = make(name=f"{name}/pivot", op="Switch", input=[condition, condition])
        self.nodes.append(pivot)
        for k, operand in enumerate(operands):
            self.nodes.append(make(name=f"{name}/operand_{k}", op="Switch",
                                   input=[operand, condition]))
        for (side, add), suffix in zip(sides.items(), ("", ":1")):
            chosen = f"{name}/{side}/chosen"
            self.nodes.append(make(name=chosen, op="Identity", input=[pivot.name + suffix]))
            results.append(add(chosen, [f"{name}/operand_{k}{suffix}"
                                        for k in range(len(operands))]))
        merged = []
        for k, (off, on) in enumerate(zip(*results)):
            merged.append(f"{name}/result_{k}")
            self.nodes.append(make(name=merged[-1], op="Merge", input=[off, on]))
        return merged

    def _add_while(self, node: Any, callers: tuple[str, ...]) -> None:
        """A frame with the name of the node, as flow.py draws it."""
        operands = [i for i in node.input if not i.startswith("^")]

        def add(op: str, k: int | str, *inputs: str) -> str:
            made = type(node)(name=f"{node.name}/{op}_{k}", op=op, input=inputs)
            self.nodes.append(made)
            return made.name

        numbers = range(len(operands))
        firsts = [add("Enter", k, operand) for k, operand in enumerate(operands)]
        for entered in self.nodes[-len(firsts):] if firsts else ():
            entered.attr["frame_name"].s = node.name.encode()
        merges = [add("Merge", k, firsts[k], f"{node.name}/NextIteration_{k}") for k in numbers]
        tests = self._body(node.attr["cond"].func.name, node, f"{node.name}/cond/", merges, "",
                           callers)
        if len(tests) != 1:
            raise ModelError(f"{self.path}: the condition of {node.op} '{node.name}' has "
                             f"{len(tests)} results, it must have one; the file is damaged")
        test = add("LoopCond", 0, tests[0])
        switches = [add("Switch", k, merge, test) for k, merge in enumerate(merges)]
        made = self._body(node.attr["body"].func.name, node, f"{node.name}/body/",
                          [f"{switch}:1" for switch in switches], "", callers)
        if len(made) != len(operands):
            raise ModelError(f"{self.path}: the body of {node.op} '{node.name}' has {len(made)} "
                             f"results for {len(operands)} operands; the file is damaged")
        for k, result in enumerate(made):
            add("NextIteration", k, result)
        exits = [add("Exit", k, switch) for k, switch in enumerate(switches)]
        self.nodes.append(type(node)(name=node.name, op="IdentityN", input=exits))


def _count(out: Any, node: Any) -> int:
    if out.number_attr:
        return node.attr[out.number_attr].i
    return len(node.attr[out.type_list_attr].list.type) if out.type_list_attr else 1
