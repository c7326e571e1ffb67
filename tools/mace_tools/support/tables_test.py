"""Tables that fit.

SPDX-License-Identifier: Apache-2.0
"""

import doctest

import pytest

from mace_tools.support import tables
from mace_tools.support.tables import Column, Fitter

COLUMNS = (Column("node", least=8), Column("rare", rank=2, right=True), Column("kind", rank=1),
           Column("bytes", right=True))
ROWS = [("a/long/path/to/conv", "1", "x", "123456"), ("b", "22", "y", "7")]


def test_what_fits_is_whole():
    for width in (0, 40, 100):
        fitter = Fitter(width)
        assert fitter.lines(COLUMNS, ROWS) == [
            "node                 rare  kind   bytes",
            "a/long/path/to/conv     1  x     123456",
            "b                      22  y          7"]
        assert fitter.note() == []


@pytest.mark.parametrize("width", range(16, 39))
def test_it_fits(width):
    fitter = Fitter(width)
    lines = fitter.lines(COLUMNS, ROWS)
    assert max(map(len, lines)) <= width and "123456" in lines[1]
    note = " ".join(fitter.note())
    assert f"to fit {width} columns" in note and "--wide" in note


def test_the_note_names_what_is_left_out():
    fitter = Fitter(16)
    fitter.lines(COLUMNS, ROWS)
    assert fitter.lines(COLUMNS, ROWS)[1] == "a/lon…nv  123456"
    note = " ".join(fitter.note())
    assert "cells were shortened and left out: rare, kind;" in note
    assert max(map(len, fitter.note())) <= 16


def test_columns_without_content_go_first_and_in_silence():
    fitter = Fitter(20)
    columns = (Column("op"), Column("full", rank=2), Column("nothing at all", rank=1))
    assert fitter.lines(columns, [("Conv2d", "123456", "")])[1] == "Conv2d  123456"
    assert fitter.note() == []


def test_a_name_cannot_break_a_line():
    assert Fitter(0).lines((Column("name"),), [("a\nb\x1b[31m",)])[1] == "a b�[31m"


def test_a_margin_is_left():
    assert max(map(len, Fitter(30, margin=4).lines(COLUMNS, ROWS))) <= 26


def test_the_width_is_that_of_the_environment(monkeypatch):
    monkeypatch.setenv("COLUMNS", "77")
    assert (tables.output_width(), tables.output_width(wide=True)) == (77, 0)
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr("shutil.os.get_terminal_size", lambda _: (_ for _ in ()).throw(OSError()))
    assert tables.output_width() == tables.NO_TERMINAL


def test_examples_in_comments():
    found = doctest.testmod(tables)
    assert found.attempted and not found.failed
