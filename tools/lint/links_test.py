"""Links in the documents lead somewhere.

SPDX-License-Identifier: Apache-2.0
"""

import re

from lint.tree import ROOT, files

_LINK = re.compile(r"\]\(([^)\s]+)\)")


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
