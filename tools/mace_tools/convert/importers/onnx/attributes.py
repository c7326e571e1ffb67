"""Attributes of ONNX nodes that do not change what a node computes, with the reason.

SPDX-License-Identifier: Apache-2.0

The importer function must read every other attribute, or the node is refused.
"""

from mace_tools.convert.importers.onnx import registry

registry.without_meaning(
    "which operands might be overwritten: a hint of opset 1 for saving memory", "consumed_inputs",
)
registry.without_meaning(
    "how running averages are updated in training", "momentum", ops=["BatchNormalization"],
)
registry.without_meaning(
    "how elements are dropped in training; in training mode the node is refused", "ratio", "seed",
    ops=["Dropout"],
)
registry.without_meaning(
    "the order of the output Indices; where that is used, the node is refused", "storage_order",
    ops=["MaxPool"],
)
registry.without_meaning(
    "whether C of another shape is broadcast: its shape says so as well", "broadcast",
    ops=["Gemm"],
)
registry.without_meaning(
    "whether output Y exists (opset 1): the list of outputs says so as well", "output_sequence",
    ops=["RNN", "GRU", "LSTM"],
)
registry.without_meaning(
    "the value outside the regions of tf_crop_and_resize, the only mode that has it",
    "extrapolation_value", ops=["Resize"],
)
