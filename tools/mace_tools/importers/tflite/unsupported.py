"""Advice about operators that cannot be converted.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.importers.tflite import registry

registry.help_for(
    "recurrent operators are not supported yet: convert the model with the cell unrolled",
    "LSTM", "RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN",
    "BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN", "SVDF",
)
registry.help_for(
    "control flow does not convert: unroll it, or cut the model around it",
    "IF", "WHILE", "CALL", "CALL_ONCE",
)
registry.help_for(
    "freeze the model: this reads or writes a variable, whose value the file does not hold",
    "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "HASHTABLE", "HASHTABLE_FIND",
)
registry.help_for(
    "quantized operators are not supported yet: use the float model", "FAKE_QUANT",
)
registry.help_for(
    "sparse weights are not supported: convert the model without sparsity", "DENSIFY",
    "SPARSE_TO_DENSE",
)
registry.help_for(
    "end the model before its post-processing: name the boxes and scores in output_tensors",
    "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "'TFLite_Detection_PostProcess'",
)
