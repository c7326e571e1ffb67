"""Attributes of TensorFlow nodes that do not change what a node computes, with the reason.

SPDX-License-Identifier: Apache-2.0

The importer function must read every other attribute, or the node is refused.
"""

from mace_tools.convert.importers.tensorflow import registry
from mace_tools.convert.importers.tensorflow.tables import FIND

OPERAND_TYPES = ("T", "Ta", "Tb", "TI", "Tblock_shape", "Tcrops", "Tdim", "Tidx", "Tindices", "Tk",
                 "Tlabels", "Tlen", "Tmultiples", "Tpaddings", "Tparams", "Taxis", "Tperm",
                 "Tshape", "Tshift", "Tindex", "T_threshold", "U", "SrcT", "Index")

registry.without_meaning(
    "the type of an operand's copy in registers", "Tactivation", ops=["QuantizedMatMul"],
)
registry.without_meaning(
    "annotations of TensorFlow's own passes and placement (_output_shapes, _class, _Xla...), which "
    "no operator's definition has", "_*",
)
registry.without_meaning("element types of operands, which these have as well", *OPERAND_TYPES)
registry.without_meaning(
    "element types of operands, which these have as well", "index_type", ops=["Fill"],
)
registry.without_meaning(
    "element types of variables, which these have as well", "dtype",
    ops=["ReadVariableOp", "ResourceGather", "PlaceholderWithDefault"],
)
registry.without_meaning(
    "element types of keys and values, which these have as well", "Tin", "Tout", ops=FIND,
)
registry.without_meaning(
    "numbers of operands or results, which the node lists as well", "N", "num_split", "num",
    ops=["AddN", "Concat", "ConcatV2", "Einsum", "Pack", "ShapeN", "Split", "SplitV", "Unpack"],
)
registry.without_meaning(
    "whether an operand is there for training only", "grad_x", "grad_y", "grad_a", "grad_b",
)
registry.without_meaning("how running averages are updated in training", "exponential_avg_factor")
registry.without_meaning("which library computes it", "use_cudnn_on_gpu")
registry.without_meaning("the words of an error", "message")
registry.without_meaning(
    "whether wrong indices are an error; here they always are", "validate_indices",
)
registry.without_meaning(
    "what becomes of shapes that do not fit together, which are refused",
    "incompatible_shape_error",
)
registry.without_meaning(
    "a shape that the operand is promised to have", "shape",
    ops=["EnsureShape", "PlaceholderWithDefault"],
)
