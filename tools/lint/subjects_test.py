"""Subjects of the commits since the lint came, and that each check can fail.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest

from lint import subjects
from lint.tree import ROOT


def test_subjects_are_imperative_and_short():
    found = subjects.commits(ROOT)
    if found is None:
        pytest.skip("this build: no git history back to the commit that the lint names")
    wrong = [f"{name} {subject}: {problem}" for name, subject in found
             for problem in subjects.problems(subject)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("subject, problem", [
    ("Products of int8 by the tiles of AMX-INT8", "imperative verb"),
    ("The tool prints more", "imperative verb"),
    ("add a test", "imperative verb"),
    ("Added a test", "imperative verb"),
    ("test/peers: measure more", "imperative verb"),
    ("", "imperative verb"),
    ("Add a test.", "full stop"),
    (f"Add {'x' * 69}", "73 characters, more than 72"),
])
def test_a_wrong_subject_is_found(subject, problem):
    assert problem in "\n".join(subjects.problems(subject))


@pytest.mark.parametrize("subject", [
    "Add AMX-INT8 GEMM micro-kernel", "Split lookup tests into their own file",
    "Read exit codes of children"])
def test_a_right_subject_is_silent(subject):
    assert subjects.problems(subject) == []


def test_a_folder_without_history_is_no_error(tmp_path):
    assert subjects.commits(tmp_path) is None
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert subjects.commits(tmp_path) is None
