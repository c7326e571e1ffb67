"""The documents use the field's words, and each check can fail.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from lint import words
from lint.tree import ROOT


def test_documents_use_the_words_that_users_search_for():
    found = words.refused(ROOT)
    assert not found, "\n".join(found)


def test_every_exception_is_needed():
    assert words.needless(ROOT) == []


def written(place, text, name="docs/a.md"):
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_text(text)
    return words.refused(place)


@pytest.mark.parametrize("text, word", [
    ("Models in codes\nof 8 bits.", "codes"), ("a code of 8 bits", "code of 8 bits"),
    ("computed in floats", "in floats"), ("numbers or real numbers", "real numbers"),
    ("a network of 8 bits", "network of 8 bits"), ("within a step of 8 bits", "step of 8 bits"),
    ("Weights alone", "Weights alone"), ("channels get like ranges", "like ranges"),
    ("a matrix product", "matrix product"), ("an open extent", "extent"),
    ("an open shape", "open shape"), ("rows in a room", "room"),
    ("the plan waits", "plan waits"), ("run line by line", "run line by line"),
    ("where each tensor lies", "where each tensor lies"), ("in place of it", "in place of"),
    ("the CPU takes over", "CPU takes over"), ("an op fact, op_facts", "op_facts"),
    ("parts of the library", "parts of the library"), ("least of 25 rounds", "least of 25"),
    ("as it said", "said"), ("a sealed model", "sealed model"), ("two pictures", "pictures"),
    ("a stand-in for it", "stand-in"), ("it is the judge", "the judge"),
    ("Python's global lock", "global lock"), ("Nothing is copied", "Nothing is copied"),
    ("the second-level cache", "second-level cache"), ("the log says so", "says so"),
    ("GPUs by OpenCL", "by OpenCL"), ("in a checkout", "in a checkout"),
    ("by CMake alone", "by CMake alone"), ("## What may be wrong", "What may be wrong"),
])
def test_an_old_word_is_found(tmp_path, text, word):
    found = written(tmp_path, f"# A\n\n{text}\n")
    assert any(line.startswith("docs/a.md:3: ") and f"'{word}'" in line for line in found), found


def test_every_word_has_its_example():
    (mark,) = test_an_old_word_is_found.pytestmark
    shown = "\n".join(text for text, _ in mark.args[1])
    (mark,) = test_an_old_word_is_found_in_sources.pytestmark
    in_sources = "\n".join(text for text, _ in mark.args[1])
    assert [w.name for w in words.WORDS if not words.compiled(w).search(shown)] == []
    assert [w.name for w in words.SOURCE_WORDS
            if not words.compiled(w).search(in_sources)] == []
    (mark,) = test_an_old_word_is_found_in_cpp.pytestmark
    in_cpp = "\n".join(text for text, _ in mark.args[1])
    assert [w.name for w in words.CPP_WORDS if not words.compiled(w).search(in_cpp)] == []


@pytest.mark.parametrize("text, word", [
    ("codes = values", "codes"), ("def bias_codes(x):", "bias_codes"), ("# in codes", "codes"),
    ("op_facts = 1", "op_facts"), ("said = 1", "said"), ("_MOST_BYTES = 1", "_MOST_BYTES"),
    ("rounds_reals", "rounds_reals"), ("with_room(x)", "with_room"),
    ("# of a picture", "a picture"), ("# a stand-in", "stand-in"), ("# the judge", "the judge"),
    ("# computed in floats", "computed in floats"),
])
def test_an_old_word_is_found_in_sources(tmp_path, text, word):
    (found,) = written(tmp_path, f"# A\n{text}\n", "test/a.py")
    assert found.startswith(f"test/a.py:2: '{word}': write ")


@pytest.mark.parametrize("text, word", [
    ("constexpr int kMostBytes = 1;", "kMostBytes"), ("DeviceFacts facts_;", "DeviceFacts"),
    ("// What is said of it.", "said"), ("CodeRows rows; auto codes = rows.h_codes;", "codes"),
])
def test_an_old_word_is_found_in_cpp(tmp_path, text, word):
    found = written(tmp_path, f"// A.\n{text}\n", "mace/ops/a.cc")
    assert found[0].startswith(f"mace/ops/a.cc:2: '{word}': write ")


@pytest.mark.parametrize("text", [
    "exit_codes = 1  # exit codes", "decodes", "error codes", "operatorCodes", "code = 1",
    "artifacts in fact",
])
def test_an_innocent_source_is_silent(tmp_path, text):
    assert written(tmp_path, f"{text}\n", "test/a.py") == []


@pytest.mark.parametrize("text", [
    "Exit codes and error codes", "the source code", "`codes of 8 bits` is a message of today",
    "```\nin codes\n```", "<!-- sealed model -->", "[an image](pictures.md)",
    "[docs/pictures.md](pictures.md)", "in place, at most 5, opening", "Plans are waiting.",
    "  ```sh\n  in codes\n  ```",
])
def test_an_innocent_text_is_silent(tmp_path, text):
    assert written(tmp_path, f"{text}\n") == []


def test_code_does_not_hide_what_follows(tmp_path):
    assert written(tmp_path, "`a`\n\n```\nx\n```\n\nin codes\n")[0].startswith("docs/a.md:7: ")


def test_earlier_entries_keep_their_words(tmp_path):
    text = f"# Changes\n\nSaid.\n\n{words.EARLIER}\n\nIn codes.\n"
    (line,) = written(tmp_path, text, "CHANGELOG.md")
    assert line.startswith("CHANGELOG.md:3: 'Said'")


def test_an_exception_that_nothing_needs_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "ALLOWED", {("docs/a.md", "said"): "why",
                                           ("docs/a.md", "room"): "why"})
    assert written(tmp_path, "It said.\n") == []
    assert words.needless(tmp_path) == ["docs/a.md: 'room' is allowed, and does not occur"]
