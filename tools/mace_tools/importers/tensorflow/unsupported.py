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
    "give the folder of the SavedModel, or a frozen graph: this reads a variable whose value is "
    "not in the file",
    "Variable", "VariableV2", "VarHandleOp", "RestoreV2",
)
registry.help_for(
    "look up and read data in the app: name the tensor after it in input_tensors",
    "HashTableV2", "LookupTableFindV2", "IteratorGetNext", "StaticHashTable", "ParseExampleV2",
)
registry.help_for(
    "it changes a variable, a state that lasts from one run to the next, which the engine does not "
    "have: make the state an input and an output of the model",
    "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "Assign", "AssignAdd",
    "AssignSub", "ScatterUpdate", "ResourceScatterUpdate",
)
registry.help_for(
    "its results are random, which no output of an engine is: give the numbers as an input "
    "(input_tensors)",
    "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "StatelessRandomUniform",
    "StatelessRandomUniformV2", "StatelessRandomNormalV2", "Multinomial", "RandomUniformInt",
)
registry.help_for(
    "the size of its result depends on the numbers in it: end the model before it (output_tensors) "
    "and do the rest in the app",
    "Where", "Unique", "UniqueV2", "NonMaxSuppression", "NonMaxSuppressionV2",
    "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5",
    "DynamicPartition", "BooleanMask", "ListDiff",
)
registry.help_for(
    "only conditionals with a constant condition convert: make its inputs constant (`input_values` "
    "in the YAML), or cut the model around it",
    "Switch", "Merge", "RefSwitch", "RefMerge", "If", "StatelessIf",
)
registry.help_for(
    "control flow does not convert: unroll it, or cut the model around it",
    "Enter", "NextIteration", "Exit", "LoopCond", "RefEnter", "RefNextIteration", "RefExit",
    "While", "StatelessWhile",
    "Case", "StatelessCase", "For", "TensorArrayV3", "TensorArrayReadV3", "TensorArrayWriteV3",
    "TensorArrayGatherV3", "TensorArrayScatterV3", "TensorArraySizeV3", "TensorListReserve",
    "TensorListFromTensor", "TensorListGetItem", "TensorListSetItem", "TensorListStack",
)
registry.help_for(
    "convert the float model, or the graph with FakeQuant operators from which this one was made",
    "QuantizeV2", "Dequantize", "QuantizedConv2D", "QuantizeAndDequantizeV2", "QuantizedMatMul",
    "QuantizedRelu", "QuantizedRelu6", "QuantizedReluX", "QuantizedMaxPool", "QuantizedAvgPool",
    "QuantizedBiasAdd", "QuantizedConcat", "QuantizedReshape", "QuantizedAdd", "QuantizedMul",
    "QuantizedResizeBilinear", "QuantizeDownAndShrinkRange", "Requantize", "RequantizationRange",
    "RequantizePerChannel", "RequantizationRangePerChannel", "QuantizeAndDequantize",
    "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4", "QuantizedInstanceNorm",
    "QuantizedBatchNormWithGlobalNormalization", "QuantizedConv2DPerChannel",
    "QuantizedConv2DWithBias", "QuantizedConv2DAndRelu", "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DAndRequantize", "QuantizedConv2DWithBiasAndRequantize",
    "QuantizedConv2DAndReluAndRequantize", "QuantizedConv2DWithBiasAndReluAndRequantize",
    "QuantizedConv2DWithBiasSumAndRelu", "QuantizedConv2DWithBiasSumAndReluAndRequantize",
    "QuantizedDepthwiseConv2D", "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", "QuantizedMatMulWithBias",
    "QuantizedMatMulWithBiasAndRelu", "QuantizedMatMulWithBiasAndReluAndRequantize",
    "QuantizedMatMulWithBiasAndRequantize", "QuantizedMatMulWithBiasAndDequantize",
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
)
