"""Links in the documents lead somewhere, and code in sentences stands on one line.

SPDX-License-Identifier: Apache-2.0
"""

import re

from lint.tree import ROOT, files

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCE = re.compile(r"\s*(```+|~~~+)")


def broken_links(root):
    found = []
    for path in files(root, ".md"):
        for target in _LINK.findall((root / path).read_text()):
            file = target.partition("#")[0]
            if "://" not in target and file and not (root / path.parent / file).exists():
                found.append(f"{path}: {target}")
    return found


def test_every_link_leads_somewhere():
    assert broken_links(ROOT) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "a.md").write_text("[a](b.md) [b](a.md#top) [c](https://x.org/y) [d](#here)\n")
    assert broken_links(tmp_path) == ["a.md: b.md"]


def split_spans(root):
    """Lines on which a span of code begins or ends that continues on another: the checks of names
    in documents read spans line by line."""
    found = []
    for path in files(root, ".md"):
        fence = ""
        for number, line in enumerate((root / path).read_text().split("\n"), 1):
            mark = _FENCE.match(line)
            if mark:
                fence = "" if fence else mark[1]
            elif not fence and line.replace("``", "").count("`") % 2:
                found.append(f"{path}:{number}")
    return found


def test_code_in_sentences_stands_on_one_line():
    assert split_spans(ROOT) == []


def test_code_on_two_lines_is_found(tmp_path):
    (tmp_path / "a.md").write_text("`a b`\n\n```\n`\n```\n\nRun `a\nb` now.\n")
    assert split_spans(tmp_path) == ["a.md:7", "a.md:8"]
