"""Small tokenizers with the components of public ones, trained by their own libraries.

SPDX-License-Identifier: Apache-2.0

Needs the packages tokenizers and sentencepiece, which against_libraries.py installs.
"""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import strings
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, trainers
from tokenizers import pre_tokenizers as pre
from tokenizers import processors as post

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from mace_tools.convert.tokenizers import patterns
from mace_tools.convert.tokenizers.tokenizer_file import Step

PATTERN = {step: pattern for pattern, step in patterns.PATTERNS.items()}
LLAMA3, QWEN = PATTERN[Step.LLAMA3, 3, 0], PATTERN[Step.LLAMA3, 1, 0]
QWEN35, GPT4O, TEKKEN = (PATTERN[Step.LLAMA3, 1, 1], PATTERN[Step.GPT4O, 3, 1],
                         PATTERN[Step.GPT4O, 1, 0])
CORPUS = strings.corpus()
NARROW = [strings.narrow(text) for text in CORPUS]


def bytes_bpe(pre_tokenizer: Any, normalizer: Any = None, size: int = 420,
              **changes: Any) -> Tokenizer:
    t = Tokenizer(models.BPE())
    t.pre_tokenizer, t.decoder = pre_tokenizer, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre.ByteLevel.alphabet(), show_progress=False,
        special_tokens=["<s>", "</s>", "<|end|>"]))
    return changed(t, **changes)


def changed(t: Tokenizer, **changes: Any) -> Tokenizer:
    """With other values of the model."""
    document = json.loads(t.to_str())
    document["model"].update(changes)
    document["added_tokens"] = [token for token in document["added_tokens"]
                                if not token["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(document))


def split(pattern: str) -> Any:
    return pre.Sequence([pre.Split(Regex(pattern), "isolated", invert=False),
                         pre.ByteLevel(add_prefix_space=False, use_regex=False)])


GPT2 = pre.ByteLevel(add_prefix_space=False)


def llama3() -> Tokenizer:
    t = bytes_bpe(split(LLAMA3), ignore_merges=True)
    t.post_processor = post.TemplateProcessing(single="<s> $A </s>",
                                               special_tokens=[("<s>", 0), ("</s>", 1)])
    return t


def pieces_bpe(normalizer: Any, pre_tokenizer: Any, strip: bool) -> Tokenizer:
    t = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    if normalizer:
        t.normalizer = normalizer
    if pre_tokenizer:
        t.pre_tokenizer = pre_tokenizer
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=520, limit_alphabet=120, show_progress=False,
        special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    t.decoder = decoders.Sequence(steps + [decoders.Strip(" ", 1, 0)] * strip)
    return changed(t)


def unigram(pre_tokenizer: Any, normalizer: Any) -> Tokenizer:
    t = Tokenizer(models.Unigram())
    t.pre_tokenizer, t.normalizer, t.decoder = pre_tokenizer, normalizer, decoders.Metaspace()
    t.train_from_iterator(NARROW, trainers.UnigramTrainer(
        vocab_size=450, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>",
        show_progress=False))
    return t


def bert(lowercase: bool) -> Tokenizer:
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=lowercase), (
        pre.BertPreTokenizer())
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=500, limit_alphabet=150, show_progress=False,
        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    t.post_processor = post.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return t


def words_bpe(pre_tokenizer: Any) -> Tokenizer:
    t = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    t.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(),
                                         normalizers.Strip()])
    t.pre_tokenizer, t.decoder = pre_tokenizer, decoders.BPEDecoder(suffix="</w>")
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=450, limit_alphabet=150, end_of_word_suffix="</w>", special_tokens=["<unk>"],
        show_progress=False))
    return t


def added() -> Tokenizer:
    t = bytes_bpe(GPT2, normalizers.NFKC())
    t.add_tokens([AddedToken("world", single_word=True), AddedToken("  ", normalized=False),
                  AddedToken("hello", lstrip=True, rstrip=True), AddedToken("мир")])
    t.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True), "你"])
    return t


def sequence(*parts: Any) -> Any:
    return pre.Sequence(list(parts))


NORMALIZE_SPACES = [normalizers.NFKC(), normalizers.Lowercase(),
                    normalizers.Replace(Regex(" {2,}"), " ")]
TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "gpt2": lambda: bytes_bpe(GPT2),
    "gpt2_space": lambda: bytes_bpe(pre.ByteLevel(add_prefix_space=True)),
    "gpt_neox": lambda: bytes_bpe(GPT2, normalizers.NFC()),
    "llama3": llama3,
    "qwen": lambda: bytes_bpe(split(QWEN), normalizers.NFC()),
    "qwen35": lambda: bytes_bpe(split(QWEN35), normalizers.NFC()),
    "gpt4o": lambda: bytes_bpe(split(GPT4O)),
    "tekken": lambda: bytes_bpe(split(TEKKEN), normalizers.NFKD()),
    "smollm": lambda: bytes_bpe(sequence(pre.Digits(individual_digits=True), GPT2)),
    "contiguous": lambda: bytes_bpe(sequence(pre.Punctuation("contiguous"), pre.ByteLevel(
        add_prefix_space=False, use_regex=False))),
    "llama2_old": lambda: pieces_bpe(
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]), None,
        True),
    "llama2_new": lambda: pieces_bpe(
        None, pre.Metaspace("▁", prepend_scheme="first", split=False), True),
    "gemma": lambda: pieces_bpe(normalizers.Replace(" ", "▁"),
                                pre.Split(" ", "merged_with_previous"), False),
    "t5": lambda: unigram(sequence(pre.WhitespaceSplit(), pre.Metaspace()), normalizers.NFKC()),
    "xlm_r": lambda: unigram(pre.Metaspace(), normalizers.Sequence(NORMALIZE_SPACES)),
    "bert": lambda: bert(True),
    "bert_cased": lambda: bert(False),
    "clip": lambda: words_bpe(pre.Whitespace()),
    "words": lambda: words_bpe(sequence(
        pre.WhitespaceSplit(), pre.Punctuation("merged_with_previous"), pre.Digits(False))),
    "added": added,
}  # fmt: skip

# Options of SentencePiece. `rules`: a small map in place of nmt_nfkc's 240 KB.
SENTENCEPIECE: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "rules": True},
    "unigram_bytes": {"model_type": "unigram", "byte_fallback": True,
                      "normalization_rule_name": "nfkc_cf"},
    "unigram_symbols": {"model_type": "unigram", "rules": True,
                        "user_defined_symbols": ["<sep>", "▁▁", "ab", "½x"]},
    "bpe_llama": {"model_type": "bpe", "byte_fallback": True, "split_digits": True,
                  "normalization_rule_name": "identity", "remove_extra_whitespaces": False,
                  "allow_whitespace_only_pieces": True},
    "bpe_symbols": {"model_type": "bpe", "rules": True,
                    "user_defined_symbols": ["<sep>", "▁▁", "ab"]},
    "bpe_no_prefix": {"model_type": "bpe", "add_dummy_prefix": False,
                      "normalization_rule_name": "nmt_nfkc_cf"},
}  # fmt: skip
RULES = "FB01\t66 69\nFB01 66\t66 69 66\n301\t\n41\t61\n3000\t20\nFFFD\t20\n1F44D 1F3FD\t2B\n"


def sentencepiece_model(name: str, folder: Path) -> bytes:
    """The bytes of a model file."""
    options = dict(SENTENCEPIECE[name])
    if options.pop("rules", False):
        (folder / "rules.tsv").write_text(RULES)
        options["normalization_rule_tsv"] = str(folder / "rules.tsv")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(NARROW), model_writer=model, vocab_size=500, minloglevel=2,
        hard_vocab_limit=False, **options)
    return model.getvalue()
