"""Advice about operators that cannot be converted.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import string_ops
from mace_tools.convert.importers.tflite import registry

registry.help_for(
    "control flow does not convert: unroll it, or cut the model around it",
    "CALL", "STABLEHLO_WHILE",
)
registry.help_for(
    "a variable converts if the model gives it a constant first value (CALL_ONCE): freeze the "
    "model if nothing changes it, else convert it with the state as an input and an output",
    "VAR_HANDLE", "CALL_ONCE",
)
registry.help_for(
    "tables and texts do not convert: look words up in the app, and begin the model with the "
    "numbers (input_tensors in the YAML)",
    "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "SKIP_GRAM",
    "CONCAT_EMBEDDINGS",
)
registry.help_for(
    "it marks where a model is to be quantized: convert the source model again, fully quantized or "
    "in float32", "FAKE_QUANT",
)
registry.help_for(
    "random numbers do not convert: give them as an input of the model (input_tensors in the YAML)",
    "RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL", "MULTINOMIAL", "STABLEHLO_RNG_BIT_GENERATOR",
)
registry.help_for(
    "complex numbers convert only between an RFFT2D and the COMPLEX_ABS, REAL, IMAG or CAST of its "
    "result: compute the spectrum in the app and begin the model behind it (input_tensors in the "
    "YAML)",
    "RFFT2D", "REAL", "IMAG", "COMPLEX_ABS",
)
registry.help_for(
    "the engine has no operations on the bits of numbers: compute it in the app "
    "(allow_custom_ops in the YAML)", "BITCAST", "BITWISE_XOR",
)
registry.help_for(
    "convert the model again with the operators of TFLite: tf.lite.TFLiteConverter writes them "
    "unless it is told to keep StableHLO",
    *(f"STABLEHLO_{name}" for name in (
        "ABS", "BROADCAST_IN_DIM", "CBRT", "CLAMP", "COMPARE", "CONCATENATE", "CONVERT",
        "CONVOLUTION", "COSINE", "CUSTOM_CALL", "DIVIDE", "DOT_GENERAL", "DYNAMIC_SLICE",
        "DYNAMIC_UPDATE_SLICE", "EXPONENTIAL", "FLOOR", "GATHER", "IOTA", "LOG", "LOGISTIC",
        "NEGATE", "OR", "POWER", "REDUCE", "REDUCE_WINDOW", "REMAINDER", "RESHAPE", "RSQRT",
        "SCATTER", "SELECT", "SLICE", "SORT", "SUBTRACT", "TANH", "TRANSPOSE")),
)
registry.help_for(
    "it stands for a part that a delegate runs: give the model as it was before it was compiled "
    "for the delegate", "DELEGATE",
)
registry.refuse_texts("'SentencepieceTokenizer'", "'TFSentencepieceTokenizeOp'",
                      *(f"'Flex{op}'" for op in string_ops.OPERATORS),
                      *(f"'{op}'" for op in string_ops.TOKENIZERS))
