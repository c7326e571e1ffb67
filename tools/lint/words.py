"""Words that users of other engines do not search for, and those of the field to write instead.

SPDX-License-Identifier: Apache-2.0

Of Markdown only the prose is read: neither code, which quotes names and messages of today, nor
where links lead. Phrases rather than words are refused where a word has right uses, too. Of
sources everything is read: names, comments and messages.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lint.tree import files

# What is read: to read more, add folders and endings.
FOLDERS = ("docs", "models", "mace/examples", "third_party", "docker")
AT_THE_TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
ENDINGS = (".md",)
# Sources, in which SOURCE_WORDS are refused: likewise.
SOURCE_FOLDERS = ("tools/mace_tools", "tools/rings", "test", "mace/python")
SOURCE_ENDINGS = (".py",)
# C++, C and Java, in which CPP_WORDS are refused: likewise.
CPP_FOLDERS = ("mace", "test/fuzz", "tools/cli", "tools/mace_plan", "tools/mace_run")
CPP_ENDINGS = (".cc", ".h", ".c", ".cl", ".java", ".kt")
# Entries of the changelog below this line keep the words that they had.
EARLIER = "<!-- Earlier entries keep their words. -->"


@dataclass(frozen=True)
class Word:
    """A regular expression, and what stands in its place."""

    name: str
    pattern: str
    write: str


WORDS = [
    # Quantization
    Word("codes", r"(?<!exit\s)(?<!error\s)(?<!return\s)(?<!op\s)\bcodes\b|\bcode of \d+ bits?\b",
         "quantized values, int8"),
    Word("floats", r"\bin floats\b|\breals\b|\breal numbers?\b|\bends in float",
         "float32, a float model"),
    Word("bits", r"\b(?:models?|networks?|weights?) (?:in|of) \d+ bits?\b|\bsteps? of \d+ bits?\b",
         "int8, int4; 1 LSB"),
    Word("weights alone", r"\bweights alone\b", "weight-only quantization"),
    Word("like ranges", r"\blike ranges\b|\bbiases take back\b",
         "cross-layer equalization, bias correction"),
    Word("product", r"\bmatrix products?\b|\bproducts of (?:codes|fp16|bf16|bfloat16)\b",
         "GEMM, dot product"),
    # Graphs, plans, run time
    Word("extent", r"\bextents?\b", "dimension, size"),
    Word("open", r"\bopen (?:shapes?|dimensions?|sizes?|batch)\b|\bleaves? \w+ \w* ?open\b",
         "dynamic shape, dynamic dimension"),
    Word("room", r"\brooms?\b", "KV cache, capacity; subfolder"),
    Word("waits", r"\bplans? (?:that )?waits?\b|\bwaits? for data\b|\bwhat is left to plan\b",
         "data-dependent shape, deferred subgraph"),
    Word("by lines", r"\bby lines\b|\brun line by line\b", "row-tiled fusion"),
    Word("lies", r"\bwhere (?:\w+ ){1,4}lies?\b", "location, offset"),
    Word("in place of", r"\bin (?:the |its |their )?place of\b", "instead of"),
    Word("takes over", r"\b[CG]PU takes over\b|\bwhat (?:these|it) cannot\b|\bwhat it takes\b",
         "falls back to the CPU"),
    Word("fact", r"\bop[_ ]facts\b|\bfacts of (?:an?|the|each) \w+", "schema, property"),
    Word("part", r"\bparts? of (?:a|the) library\b|\bthe parts? `", "component"),
    Word("least", r"\b(?:least|most) of \d+\b|\bleast times\b|\bthe (?:fewest|most) bytes\b",
         "minimum, maximum"),
    Word("said", r"\bsaid\b", "message, log"),
    Word("sealed", r"\bsealed models?\b|\bmodels? (?:is|are) sealed\b", "encrypted model"),
    Word("picture", r"\bpictures?\b", "image"),
    Word("stand-in", r"\bstand-ins?\b", "fake, mock, stub"),
    Word("judge", r"\b(?:the|a|as) judges?\b", "reference implementation"),
    Word("global lock", r"\bglobal lock\b", "GIL"),
    Word("copied", r"\bnothing is copied\b", "zero-copy"),
    Word("level", r"\b(?:first|second|third)-level cache\b", "L1, L2, L3 cache"),
    # Sentences
    Word("so", r"\b(?:says?|does|do|did|tells?) so\b", "a verb with its object"),
    Word("by", r"\bby (?:OpenCL|adb|ssh|JNI|pip|FastRPC)\b", "through"),
    Word("checkout", r"\bin (?:a|the|one|this) checkout\b", "from the root of a clone"),
    Word("alone", r"\bby \w+ alone\b|\bon the [CG]PU alone\b|\bAVX2 alone\b", "... only"),
    Word("what", r"\bwhat may be wrong\b|\bI come from\b|\bwhat runs where\b|\bhow the data goes\b",
         "troubleshooting, migrating, device placement, data flow"),
]  # fmt: skip
# In names and prose of sources.
SOURCE_WORDS = [
    Word("codes",
         r"(?<!exit\s)(?<!error\s)\b(?!operator)\w*(?<!en)(?<!de)(?<!exit_)(?<!op_)codes\b",
         "quantized, int8"),
    Word("fact", r"\b\w*(?<!arti)facts\b", "schema, properties, report"),
    Word("most", r"\b_?(?-i:MOST|LEAST)(?:_\w+)?\b", "MAX, MIN"),
    Word("picture", r"\ba picture\b", "an image, a chart"),
    Word("stand-in", r"\bstand-ins?\b", "fake, placeholder"),
    Word("judge", r"\bthe judge\b", "reference"),
    Word("floats", r"\b(?:computed?s?|stays?|layers?|nodes?) in floats\b", "in float32"),
    Word("reals", r"\b\w*(?<![a-z])reals\b", "floats, dequantized"),
    Word("room", r"\b(?:\w+_)?rooms?\b", "capacity, space, subfolder"),
    Word("said", r"\bsaid\b|_said\b", "message, text, stderr"),
]
CPP_WORDS = [
    Word("fact", r"\b(?-i:\w*[a-z]Facts?|\w*_facts|facts_?|Facts)\b", "schema, properties, info"),
    Word("said", r"\bsaid\b", "message, reported"),
    Word("most", r"\b(?-i:k(?:Most|Least)\w*)\b", "kMax, kMin"),
    Word("codes", r"(?<!xit\s)(?<!for\s)\b(?-i:codes|(?!relation_)\w+_codes|(?!k)\w*Codes\w*)\b",
         "quantized, int8"),
]
# (file, word) -> why it stands there.
_OPS = "generated from the comments of mace/ops"
_IMPORTERS = "generated from the importers"
_OPERATORS = "operator codes of the TFLite format"
_EXITS = "exit codes"
_SETTINGS = "in the table that is generated from mace/runtime/settings/settings.h"
ALLOWED = {
    **{("docs/ops.md", word): _OPS for word in ("extent", "product")},
    **{("docs/front_ends.md", word): _IMPORTERS for word in (
        "floats", "bits", "extent", "open", "waits")},
    ("docs/converter.md", "so"): _SETTINGS,
    ("test/hexagon/dsp_models_test.py", "room"): "a message of the DSP's emulator",
    ("mace/python/mace/_tensors.py", "codes"): "a parameter of the public TensorInfo.dequantize",
    ("test/peers/to_tflite.py", "codes"): _OPERATORS,
    ("tools/mace_tools/testing/tflite_file.py", "codes"): _OPERATORS,
    ("tools/mace_tools/commands/at_once_test.py", "codes"): _EXITS,
    ("tools/mace_tools/site/docs_test.py", "codes"): _EXITS,
}
_CODE = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`|<!--.*?-->|\[[\w./]+\.\w+\](?=\()"
                   r"|(?<=[\]`])\([^)\s]*\)", re.DOTALL | re.MULTILINE)


def prose(text: str) -> str:
    """Markdown without code, comments, names of files and links; lines keep their numbers."""
    return _CODE.sub(lambda m: "`" + "\n" * m[0].count("\n") + "`", text)


def read(path: Path) -> str:
    text = path.read_text(encoding="utf-8").partition(EARLIER)[0]
    return prose(text) if path.suffix == ".md" else text


def compiled(word: Word) -> re.Pattern[str]:
    """Spaces stand for any white space."""
    return re.compile(word.pattern.replace(" ", r"\s+"), re.IGNORECASE)


def uses(root: Path) -> Iterator[tuple[str, int, Word, str]]:
    """Each use of a refused word: file, line, the word, the text."""
    for path in files(root, *ENDINGS, *SOURCE_ENDINGS, *CPP_ENDINGS):
        name = path.as_posix()
        if name in AT_THE_TOP or _is_in(name, FOLDERS, ENDINGS):
            words = WORDS
        elif _is_in(name, SOURCE_FOLDERS, SOURCE_ENDINGS):
            words = SOURCE_WORDS
        elif _is_in(name, CPP_FOLDERS, CPP_ENDINGS):
            words = CPP_WORDS
        else:
            words = []
        if words:
            text = read(root / path)
            for word in words:
                for match in compiled(word).finditer(text):
                    yield name, text.count("\n", 0, match.start()) + 1, word, match[0]


def _is_in(name: str, folders: tuple[str, ...], endings: tuple[str, ...]) -> bool:
    return name.endswith(endings) and name.startswith(tuple(f"{folder}/" for folder in folders))


def refused(root: Path) -> list[str]:
    return [f"{name}:{line}: '{' '.join(text.split())}': write {word.write}"
            for name, line, word, text in uses(root) if (name, word.name) not in ALLOWED]


def needless(root: Path) -> list[str]:
    """Exceptions that nothing needs."""
    used = {(name, word.name) for name, _, word, _ in uses(root)}
    return [f"{name}: '{word}' is allowed, and does not occur" for name, word in ALLOWED
            if (name, word) not in used]
