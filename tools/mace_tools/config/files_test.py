"""Paths of the files that a deployment file names.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

import pytest

from mace_tools.config import files


@pytest.mark.parametrize("name, is_address", [
    ("http://a/b", True), ("HTTPS://a/b", True), ("ftp://a/b", None), ("a/b", False),
    ("C:x", False),
])
def test_addresses_are_told_from_paths(name, is_address):
    assert files.is_address(name) is is_address


def test_paths_are_below_the_working_folder_or_beside_the_file(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "b").write_text("")
    monkeypatch.chdir(tmp_path / "here")
    config = tmp_path / "there" / "x.yml"
    assert files.local_path("b", config) == tmp_path / "there" / "b"
    Path("b").write_text("")
    assert files.local_path("b", config) == Path("b")
    assert files.local_path("c", config) is None and files.local_path("", config) is None


@pytest.mark.parametrize("target", ["link", "nothing"])
def test_links_that_lead_nowhere_are_named(tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(target)
    for name in ("link", str(tmp_path / "link")):
        assert files.missing(name).startswith(
            f"'{name}' is a link to '{target}', which leads to no file")
