"""Tests of the place of temporary files.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import pytest

from rings import temporary


@pytest.fixture
def memory(monkeypatch, tmp_path):
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(temporary, "MEMORY", tmp_path)
    monkeypatch.setattr(temporary, "ENOUGH", 1)
    return tmp_path


def test_they_lie_in_memory_and_are_removed(memory):
    with temporary.files() as environment:
        folder = Path(environment["TMPDIR"])
        (folder / "x").write_text("x")
        assert folder.parent == memory
    assert not list(memory.iterdir())


def test_without_room_or_by_the_user_they_lie_elsewhere(memory, monkeypatch):
    monkeypatch.setattr(temporary, "ENOUGH", 1 << 60)
    assert not temporary.is_large_enough()
    monkeypatch.setattr(temporary, "ENOUGH", 1)
    monkeypatch.setattr(temporary, "MEMORY", memory / "missing")
    assert not temporary.is_large_enough()
    monkeypatch.setattr(temporary, "MEMORY", memory)
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    with temporary.files() as environment:
        assert environment == {}
