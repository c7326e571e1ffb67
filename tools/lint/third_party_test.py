"""Every package that setup installs is explained in third_party/README.md, and no other.

SPDX-License-Identifier: Apache-2.0
"""

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lint.tree import ROOT

REQUIREMENTS = ROOT / "tools" / "requirements"


def installed():
    names = set()
    for path in REQUIREMENTS.glob("*.txt"):
        if path.stem != "constraints":  # those come along with the others
            names |= {re.split(r"[\s<>=]", line)[0] for line in lines(path)}
    return names


def lines(path):
    found = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in found if line]


def explained():
    text = (ROOT / "third_party" / "README.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return {name for row in rows for name in row.split(", ")
            if name not in ("package", "folder") and not name.startswith("`")}


def test_every_package_is_explained():
    assert installed() - explained() == set()


def test_no_package_is_explained_that_is_not_installed():
    assert explained() - installed() == set()


def test_python_packages_are_pinned():
    pins = [Requirement(line) for line in lines(REQUIREMENTS / "constraints.txt")]
    assert all(re.fullmatch(r"==[^*,]+", str(pin.specifier)) for pin in pins)
    of = {canonicalize_name(pin.name): str(pin.specifier)[2:] for pin in pins}
    for name in ("convert", "validate", "test", "docs"):
        for line in lines(REQUIREMENTS / f"{name}.txt"):
            wanted = Requirement(line)
            assert of[canonicalize_name(wanted.name)] in wanted.specifier, line
    assert not [line for line in lines(REQUIREMENTS / "train.txt") if "==" not in line]
