"""Makes an imported graph canonical: the list of passes, in order.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from mace_tools.convert.passes.activation_patterns import activation_patterns
from mace_tools.convert.passes.attention_pattern import attention_pattern
from mace_tools.convert.passes.channel_shuffle import channel_shuffle
from mace_tools.convert.passes.count_loops import count_loops
from mace_tools.convert.passes.dedupe import dedupe
from mace_tools.convert.passes.dequantize_around import dequantize_around
from mace_tools.convert.passes.fc_after_transpose import fc_after_transpose
from mace_tools.convert.passes.flatten_atrous import flatten_atrous
from mace_tools.convert.passes.fold_constants import fold_constants
from mace_tools.convert.passes.fold_pad import fold_pad
from mace_tools.convert.passes.fold_scale import fold_scale
from mace_tools.convert.passes.fuse_activation import canonical_activations, fuse_activation
from mace_tools.convert.passes.fuse_bias import fuse_bias
from mace_tools.convert.passes.fuse_qdq import fuse_qdq
from mace_tools.convert.passes.input_order import set_order
from mace_tools.convert.passes.layer_norm_pattern import layer_norm_pattern
from mace_tools.convert.passes.matmul_reshapes import matmul_reshapes
from mace_tools.convert.passes.matmul_to_fc import matmul_to_fc
from mace_tools.convert.passes.merge_views import merge_views
from mace_tools.convert.passes.prelu_pattern import prelu_pattern
from mace_tools.convert.passes.recurrent_pattern import recurrent_pattern
from mace_tools.convert.passes.remove_noops import remove_noops
from mace_tools.convert.passes.rotary_pattern import join_rotary, rotary_pattern
from mace_tools.convert.passes.sink_transposes import sink_transposes
from mace_tools.convert.passes.store_quantized_weights import store_quantized_weights
from mace_tools.convert.passes.widen_fp16 import widen_fp16
from mace_tools.convert.passes.widen_integers import widen_integers
from mace_tools.convert.shape_inference import infer_graph
from mace_tools.graph import op_support
from mace_tools.graph.ir import Graph
from mace_tools.support.errors import MaceError

Pass = Callable[[Graph], None]

PASSES: list[Pass] = [
    widen_fp16, dequantize_around, widen_integers, fold_constants, remove_noops, dedupe,
    canonical_activations, count_loops, recurrent_pattern,
    activation_patterns, prelu_pattern, layer_norm_pattern,
    matmul_reshapes, rotary_pattern, attention_pattern, join_rotary, channel_shuffle, matmul_to_fc,
    sink_transposes, fc_after_transpose, fold_constants, remove_noops,
    flatten_atrous, fold_pad,
    # Layers may be followed by several of these in a row.
    fold_scale, fuse_bias, fold_scale, fuse_bias,
    matmul_to_fc, fuse_activation, sink_transposes,
    merge_views, remove_noops, dedupe, fuse_activation, dedupe,
    fuse_qdq, remove_noops, dedupe, store_quantized_weights,
]  # fmt: skip

MAX_WAITS = 8  # of which a note speaks


@dataclass
class Options:
    """Options of the passes."""

    # The order of 4-D inputs and outputs by name: NHWC or NCHW. Default: the order of the source.
    input_formats: dict[str, str] = field(default_factory=dict)
    output_formats: dict[str, str] = field(default_factory=dict)


def convert(graph: Graph, options: Options | None = None) -> Graph:
    """Rewrites the graph in place and returns it, sorted, pruned and validated.

    Errors: MaceError for options that do not fit the graph; UnsupportedOps for nodes that the
    engine cannot run."""
    options = options or Options()
    op_support.check_operands(graph)
    set_order(graph, options.input_formats, options.output_formats)
    for one in PASSES:
        # Graphs within others first: what those make depends on them.
        for part in (*graph.subgraphs.values(), graph):
            run_pass(one, part)
    op_support.check(graph)
    waits = op_support.waiting(graph)
    if waits:
        more = f", and {len(waits) - MAX_WAITS} more" if len(waits) > MAX_WAITS else ""
        graph.notes.append("the plan waits for data, and what follows is planned when they are "
                           f"there: {', '.join(waits[:MAX_WAITS])}{more}")
    return graph


def run_pass(one: Pass, graph: Graph) -> None:
    """Applies a pass, then sorts the graph, infers its types and validates it."""
    try:
        one(graph)
        graph.prune()
        graph.topo_sort()
        infer_graph(graph)
        graph.validate()
    except MaceError:
        raise
    except Exception as e:
        raise MaceError(f"internal error of the converter in pass {one.__name__}: {e}; please "
                        "report it with the model") from e
