"""Advice about operators that cannot be converted.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.importers.tensorflow import registry

registry.help_for(
    "audio front ends stay outside the model: name the tensor after it in input_tensors "
    "(with its shape in input_shapes) and feed the features",
    "DecodeWav", "AudioSpectrogram", "Mfcc",
)
registry.help_for(
    "decode pictures outside the model: name the tensor after it in input_tensors",
    "DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeImage", "DecodeRaw", "ParseExample",
)
registry.help_for(
    "freeze the graph: this reads a variable that is not in the file",
    "Variable", "VariableV2", "VarHandleOp", "RestoreV2", "HashTableV2", "IteratorGetNext",
)
registry.help_for(
    "control flow does not convert: unroll it, or cut the model around it",
    "Enter", "Switch", "Merge", "NextIteration", "Exit", "LoopCond", "RefEnter", "RefSwitch",
    "RefMerge", "RefNextIteration", "RefExit", "If", "StatelessIf", "While", "StatelessWhile",
    "Case", "StatelessCase", "For", "TensorArrayV3", "TensorArrayReadV3", "TensorArrayWriteV3",
    "TensorArrayGatherV3", "TensorArrayScatterV3", "TensorArraySizeV3", "TensorListReserve",
    "TensorListFromTensor", "TensorListGetItem", "TensorListSetItem", "TensorListStack",
)
registry.help_for(
    "functions must be inlined when the graph is frozen",
    "PartitionedCall", "StatefulPartitionedCall",
)
registry.help_for(
    "quantized operators are not supported yet: use the float model",
    "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVarsPerChannel",
    "QuantizeV2", "Dequantize", "QuantizedConv2D", "QuantizeAndDequantizeV2",
)
