"""Names of operators of texts, which TensorFlow and, as Flex operators, TFLite have.

SPDX-License-Identifier: Apache-2.0
"""

_OF_TEXT = (
    "CaseFoldUTF8", "FastBertNormalize", "FastSentencepieceDetokenize",
    "FastSentencepieceTokenizeOp", "FastWordpieceTokenizeWithOffsets", "NgramsStringJoin",
    "NormalizeUTF8", "RegexSplitWithOffsets", "SentencepieceDetokenizeOp", "SentencepieceOp",
    "SentencepieceTokenizeOp", "SentencepieceTokenizeWithOffsetsOp",
    "SplitMergeTokenizeWithOffsets", "UnicodeScriptTokenizeWithOffsets",
    "WhitespaceTokenizeWithOffsets", "WhitespaceTokenizeWithOffsetsV2",
    "WordpieceTokenizeWithOffsets",
)
OPERATORS = (
    "AsString", "DecodeBase64", "EncodeBase64", "ReduceJoin", "RegexFullMatch", "RegexReplace",
    "StaticRegexFullMatch", "StaticRegexReplace", "StringFormat", "StringJoin", "StringLength",
    "StringLower", "StringNGrams", "StringSplit", "StringSplitV2", "StringStrip",
    "StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong", "StringToNumber",
    "StringUpper", "Substr", "UnicodeDecode", "UnicodeDecodeWithOffsets", "UnicodeEncode",
    "UnicodeScript", "UnicodeTranscode", "UnsortedSegmentJoin",
)
TOKENIZERS = (*_OF_TEXT, *(f"TFText>{op}" for op in _OF_TEXT))  # TensorFlow Text has these
