"""The file of results: what it refuses, and that it is replaced at once.

SPDX-License-Identifier: Apache-2.0
"""

import os

import pytest

from rings import results
from rings.errors import RingsError
from rings.results import FILE, Line

LINE = Line("asan", "low", "01234567-0123456789abcdef", "0123456789ab", 340, 0, 12, 4, 1234)
TEXT = "asan low 01234567-0123456789abcdef 0123456789ab 340 0 12 4 1234"


def test_what_is_written_is_read(tmp_path):
    other = Line("tsan", "base", LINE.inputs, "0123456789ab+", 1, 2, 0, 0, 3)
    gone = Line("old", "slice", LINE.inputs, LINE.commit, 1, 0, 0, 0, 3)
    results.write(tmp_path, [other, gone, LINE], ["asan/low", "asan/ops", "tsan/base"])
    text = (tmp_path / FILE).read_text()
    assert text.startswith(results.HEAD)
    assert text.removeprefix(results.HEAD).splitlines() == [TEXT, other.text()]
    assert results.read(tmp_path) == {"asan/low": LINE, "tsan/base": other}


def test_no_file_has_no_lines(tmp_path):
    assert results.read(tmp_path) == {}


def test_a_case_that_needs_another_cpu_counts_as_there():
    assert LINE.counts() == (344, 0, 8)


@pytest.mark.parametrize(("text", "message"), [
    ("<<<<<<< HEAD\n", ":1: a merge conflict was not resolved"),
    (f"{TEXT}\n=======\n{TEXT}\n", ":2: a merge conflict"),
    ("# words\n\nasan low passed\n", ":3: this is no result of a slice: 'asan low passed'"),
    (f"{TEXT} more\n", ":1: this is no result"),
    (f"{TEXT[:-3]}-5\n", ":1: this is no result"),
    (TEXT.replace("0123456789ab 3", "HEAD 3"), ":1: this is no result"),
    (TEXT.replace(" 12 4 ", " 12 13 "), ":1: of 12 skipped cases 13 need another CPU"),
    (f"{TEXT}\n{TEXT}\n", ":2: asan/low has a line before this one"),
])
def test_garbage_is_refused_with_its_place(text, message):
    with pytest.raises(RingsError) as refused:
        results.parse(text)
    assert f"{FILE}{message}" in str(refused.value)
    assert refused.value.cure


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RingsError, match="is no text"):
        results.read(tmp_path)


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    results.write(tmp_path, [LINE], ["asan/low"])
    before = (tmp_path / FILE).read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RingsError, match="cannot write .*: No space left on device"):
        results.write(tmp_path, [], [])
    assert (tmp_path / FILE).read_text() == before
    assert [path.name for path in (tmp_path / "test").iterdir()] == ["deep_results.txt"]
