"""The C++ code of docs/engine.md and README.md compiles as an app would compile it, and the
messages that docs/faq.md explains are those of the sources.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess

import pytest

from mace_tools.support.protos import REPO
from mace_tools.testing.documents import code_of
from mace_tools.testing.needed import need_tools

# What the page's code takes for granted: the app's own log, engines and tensors.
BEFORE = """
#include <thread>
#include "mace/public/mace.h"
#include "mace/public/mace_async.h"
using namespace mace;
void write_to_the_log_of_the_app(int level, const char* message);
void show(const MaceTensor& tensor);
bool more();
"""
FUNCTION = """
void Page(std::shared_ptr<MaceModel> model, std::shared_ptr<MaceEngine> engine,
          std::shared_ptr<MaceEngine> detector, std::shared_ptr<MaceEngine> classifier,
          std::map<std::string, MaceTensor> inputs, std::map<std::string, MaceTensor> outputs) {
%s
}
"""


README = """
#include <cstdio>
%s
void Page(std::shared_ptr<float> pixels) {
%s
}
"""


def compiles(source, standard):
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
             "-Wno-unused-but-set-variable", "-Wno-unused-parameter"]
    done = subprocess.run(["g++", f"-std={standard}", *flags, f"-I{REPO}", source],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("standard", ["c++11", "c++20"])
def test_the_code_of_the_page_compiles(tmp_path, standard):
    need_tools("g++")
    first, *others = [code.text for code in code_of(REPO / "docs" / "engine.md")
                      if code.language == "cpp"]
    assert len(others) == 8
    callback, call = first.split("\n\n")
    body = "\n".join(f"{{\n{code}\n}}" for code in (call, *others))
    source = tmp_path / "page.cc"
    source.write_text(BEFORE + callback + FUNCTION % body)
    compiles(source, standard)


def test_the_code_of_readme_compiles(tmp_path):
    need_tools("g++")
    (code,) = [c.text for c in code_of(REPO / "README.md") if c.language == "cpp"]
    include, body = code.split("\n\n")
    source = tmp_path / "readme.cc"
    source.write_text(README % (include, body))
    compiles(source, "c++11")


def test_the_messages_that_the_faq_explains_exist():
    text = (REPO / "docs" / "faq.md").read_text().partition("\n## Messages\n")[2]
    messages = re.findall(r"^\| `([^`]+)` \|", text.partition("\n## ")[0], re.MULTILINE)
    assert len(messages) > 9
    folders = [REPO / name for name in ("mace", "tools/mace_tools")]
    code = "\n".join(path.read_text() for folder in folders for path in folder.rglob("*.*")
                     if path.suffix in (".cc", ".py", ".java") and "_test." not in path.name)
    code = re.sub(r'"\s*f?"', "", code)  # literals that continue on the next line
    assert [message for message in messages if message not in code] == []
