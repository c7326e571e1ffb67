"""Options of TFLite operators that do not change what a float operator computes, with the reason.

SPDX-License-Identifier: Apache-2.0

The importer function must read every other option that does not have the schema's default, or the
operator is refused.
"""

from mace_tools.convert.importers.tflite import registry

registry.without_meaning(
    "how LiteRT rounds activations where layers compute floats here, the type of sums, which that "
    "of the bias says as well, and a way to add int16 that rounds some halves otherwise",
    "AsymmetricQuantizeInputs", "QuantizedBiasType", "PotScaleInt16",
)
registry.without_meaning(
    "element types, which the tensors have as well", "InDataType", "OutDataType", ops=["CAST"],
)
registry.without_meaning(
    "numbers of operands and results, which the operator lists as well",
    "ValuesCount", "Num", "NumSplits", ops=["PACK", "UNPACK", "SPLIT", "SPLIT_V"],
)
registry.without_meaning(
    "filters for each channel, as the filter's shape says as well", "DepthMultiplier",
    ops=["DEPTHWISE_CONV_2D"],
)
