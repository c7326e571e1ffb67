"""Advice about operators that have no importer.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.convert.importers.onnx import registry

registry.help_for(
    "quantize the model statically (quantize_static)",
    "com.microsoft.QOrderedMatMul",
)
registry.help_for(
    "end the model before it (output_tensors in the YAML), or export without optional values",
    "Optional",
)
registry.help_for(
    "its results are random, which no output of an engine is: give the numbers as an input "
    "(input_tensors in the YAML)",
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
    "RandomUniformLike",
)
registry.help_for(
    "decode images in the app, and begin the model with their pixels (input_tensors in the YAML)",
    "ImageDecoder",
)
registry.help_for(
    "end the model before it (output_tensors in the YAML) and do the rest in the app",
    "MaxRoiPool", "TfIdfVectorizer",
)
registry.refuse_texts(
    "StringConcat", "StringNormalizer", "StringSplit", "RegexFullMatch", "com.microsoft.Tokenizer",
    *(f"ai.onnx.contrib.{op}" for op in (
        "BasicTokenizer", "BertTokenizer", "BertTokenizerDecoder", "BlingFireSentenceBreaker",
        "CLIPTokenizer", "GPT2Tokenizer", "HfBertTokenizer", "HfJsonTokenizer", "RobertaTokenizer",
        "SentencepieceDecoder", "SentencepieceTokenizer", "StringConcat", "StringEqual",
        "StringHash", "StringHashFast", "StringJoin", "StringLength", "StringLower",
        "StringMapping", "StringRegexReplace", "StringRegexSplitWithOffsets", "StringSplit",
        "StringStrip", "StringToVector", "StringUpper", "TrieTokenizer", "VectorToString",
        "WordpieceTokenizer")),
)
