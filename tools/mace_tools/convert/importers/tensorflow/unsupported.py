"""Advice about operators that cannot be converted.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers import string_ops
from mace_tools.convert.importers.tensorflow import registry

registry.help_for(
    "audio front ends stay outside the model: name the tensor after it in input_tensors "
    "(with its shape in input_shapes) and feed the features",
    "DecodeWav",
)
registry.help_for(
    "complex numbers convert only between a transform of real numbers (RFFT, RFFT2D) and their "
    "magnitudes, real or imaginary parts: compute the rest in the app",
    "RFFT", "RFFT2D", "RFFT3D", "FFT", "FFT2D", "IFFT", "IRFFT", "IRFFT2D", "Complex", "ComplexAbs",
    "Real", "Imag", "Angle", "Conj",
)
registry.help_for(
    "decode images outside the model: name the tensor after it in input_tensors",
    "DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeImage", "DecodeRaw", "ParseExample",
)
registry.help_for(
    "give the folder of the SavedModel, or a frozen graph: this reads a variable whose value is "
    "not in the file",
    "Variable", "VariableV2", "VarHandleOp", "RestoreV2",
)
registry.help_for(
    "look up and read data in the app: name the tensor after it in input_tensors",
    "HashTable", "HashTableV2", "MutableHashTableV2", "IteratorGetNext", "ParseExampleV2",
)
registry.help_for(
    "it changes a variable, a state that lasts from one run to the next: states convert from "
    "SavedModels that assign to all of a variable; or make the state an input and an output",
    "AssignAddVariableOp", "AssignSubVariableOp", "Assign", "AssignAdd",
    "AssignSub", "ScatterUpdate", "ResourceScatterUpdate",
)
registry.help_for(
    "its results are random, which no output of an engine is: give the numbers as an input "
    "(input_tensors), or, if only training needs them, decide the condition (`input_values` in the "
    "YAML)",
    "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "StatelessRandomUniform",
    "StatelessRandomUniformV2", "StatelessRandomNormalV2", "Multinomial", "RandomUniformInt",
)
registry.help_for(
    "the size of its result depends on the numbers in it: end the model before it (output_tensors) "
    "and do the rest in the app",
    "ListDiff", "SparseToDense",
)
registry.help_for(
    "loops and conditionals convert as tf.while_loop and tf.cond write them: freeze the model "
    "again with a newer TensorFlow, or cut it around this one",
    "Switch", "Merge", "RefSwitch", "RefMerge", "Enter", "NextIteration", "Exit", "LoopCond",
    "RefEnter", "RefNextIteration", "RefExit",
)
registry.help_for(
    "write it as tf.cond and tf.while_loop in the source model, or cut the model around it",
    "For",
)
registry.help_for(
    "lists convert that have their number of elements from the beginning: give tf.TensorArray its "
    "size, with dynamic_size=False",
    "EmptyTensorList", "TensorListPushBack", "TensorListPopBack", "TensorListResize",
    "TensorListConcat", "TensorListConcatV2", "TensorListSplit", "TensorListScatter",
    "TensorListScatterV2", "TensorListScatterIntoExistingList", "TensorArrayConcatV3",
    "TensorArraySplitV3", "TensorArrayV2", "TensorArrayGradV3",
)
registry.help_for(
    "convert the float model, or the graph with FakeQuant operators from which this one was made",
    "QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3",
    "QuantizeAndDequantizeV4", "QuantizedInstanceNorm", "RequantizePerChannel",
    "RequantizationRangePerChannel", "QuantizedBatchNormWithGlobalNormalization",
    "QuantizedConv2DPerChannel",
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
registry.refuse_texts(*string_ops.OPERATORS, *string_ops.TOKENIZERS)
