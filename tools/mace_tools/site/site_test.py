"""The site builds without a broken link, and every public function has its entry.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re

import pytest

from mace_tools.site import __main__ as command
from mace_tools.site import api, build, chapters, headers, java, python_api, stage
from mace_tools.site.entries import anchor, escaped, prose
from mace_tools.support.protos import REPO
from mace_tools.testing.chromium import elements

# Of a later Sphinx, about what myst-parser calls.
pytestmark = pytest.mark.filterwarnings("ignore:.*MystReferenceResolver")
# Exported for inline functions, and private.
INNER = {"MaceStatus.Release", "MaceStatus.Share"}
PAGES = api.pages(REPO)
# What users search for, among the index terms of the pages.
REQUIRED = {"calibration", "warm-up", "async", "dynamic shape", "quantization", "zero-copy",
            "image preprocessing", "cross-compile"}  # fmt: skip
# Run behind the scripts of the page for searches; the first result is there at once.
SEARCH = """<script>
const found = {};
for (const words of %s) {
  Search.performSearch(words);
  found[words] = Search.output.querySelector("li a")?.getAttribute("href") ?? null;
}
const shown = document.createElement("pre");
shown.id = "found";
shown.textContent = JSON.stringify(found);
document.body.appendChild(shown);
</script></body>"""


def names(language):
    return {name for page in PAGES[language] for name in page.all_names()}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    place = tmp_path_factory.mktemp("built") / "site"
    assert build(place) == []
    return place


@pytest.mark.full
def test_every_page_is_there_and_in_the_navigation(site):
    index = (site / "index.html").read_text()
    for page in chapters.pages()[1:]:
        made = page.removesuffix(".md") + ".html"
        assert (site / made).is_file()
        assert f'href="{made}"' in index, made
    assert (site / "searchindex.js").is_file()


def index_terms():
    """Each with the pages whose comments `<!-- index: TERM, TERM -->` have it."""
    found = {}
    for page in chapters.pages():
        for line in (REPO / page).read_text().split("\n"):
            index = stage.INDEX.fullmatch(line)
            for term in index[1].split(", ") if index else ():
                found.setdefault(term, []).append(page.replace(".md", ".html"))
    return found


def test_an_index_term_is_that_of_one_section():
    assert {term: pages for term, pages in index_terms().items() if len(pages) > 1} == {}
    assert REQUIRED - set(index_terms()) == set()


@pytest.mark.full
def test_searching_for_an_index_term_finds_its_section_first(site):
    page = (site / "search.html").read_text()
    script = SEARCH % json.dumps([*index_terms(), "no_such_word"])
    shown = elements(page.replace("</body>", script), site)
    found = json.loads(re.search(r'<pre id="found">(.*?)</pre>', shown)[1])
    assert found.pop("no_such_word") is None
    for (term, (name,)), (words, href) in zip(index_terms().items(), found.items(), strict=True):
        to, _, place = href.partition("#")
        assert (words, to) == (term, name)
        assert f'id="{place}"' in (site / to).read_text()


@pytest.mark.full
def test_every_entry_has_its_anchor_in_the_pages(site):
    for language, pages in PAGES.items():
        folder = site / "api" / language if language in ("c", "cpp") else site / "api"
        for page in pages:
            text = (folder / f"{page.name}.html").read_text()
            ids = set(re.findall(r'\bid="([^"]+)"', text))
            for name in page.all_names():
                wanted = re.sub(r"[^a-z0-9]+", "-", anchor(language, name).lower()).strip("-")
                assert wanted in ids, f"{page.name}: {name}"


def exported():
    lines = (REPO / "mace" / "public" / "exports.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_every_exported_function_of_c_has_an_entry():
    functions = {line for line in exported() if line.startswith("mace_")}
    assert len(functions) > 100
    assert functions - names("c") == set()


def test_every_exported_function_of_cpp_has_an_entry():
    functions = {line.partition("(")[0].removeprefix("mace::") for line in exported()
                 if line.startswith("mace::")}
    found = {name.replace("::", ".") for name in functions
             if "~" not in name and not re.search(r"\bImpl\b", name)}
    assert len(found) > 60
    assert found - names("cpp") == INNER


def test_every_header_has_a_page():
    there = {path.stem for path in (REPO / "mace" / "public").glob("*.h")} - {"mace_api"}
    assert {page.name for language in ("c", "cpp") for page in PAGES[language]} == there


def test_every_public_method_of_java_has_an_entry():
    found = names("java")
    for path in [*REPO.glob("mace/java/src/**/*.java"), *REPO.glob("mace/java/android/**/*.java")]:
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        if not re.search(rf"^public .*\b{path.stem}\b", text, re.MULTILINE):
            continue
        assert path.stem in found
        methods = re.findall(r"(?<!@Override)\n  public (?!final class|static final class|enum|"
                             r"interface)[^;{=(]*?\b(\w+)\(", text)
        assert {f"{path.stem}.{m}" for m in methods} - found == set()


def test_every_name_of_the_python_package_has_an_entry():
    package = REPO / "mace" / "python" / "mace"
    assert set(python_api.exported(package)) - names("python") == set()
    engine = (package / "_engine.py").read_text().partition("\nclass Engine")[2]
    methods = re.findall(r"^    def ([a-z]\w*)", engine, re.MULTILINE)
    assert len(methods) > 8
    assert {f"Engine.{m}" for m in methods} - names("python") == set()


def small_root(place, text):
    """A checkout of a README and one page."""
    (place / "docs").mkdir(parents=True)
    (place / "mace" / "public").mkdir(parents=True)
    (place / "mace" / "python" / "mace").mkdir(parents=True)
    (place / "mace" / "python" / "mace" / "__init__.py").write_text('"""A package."""\n')
    (place / "README.md").write_text("# Top\n\n[page](docs/page.md)\n")
    (place / "docs" / "page.md").write_text(f"# Page\n\n## Here\n\n{text}\n")
    return place


@pytest.mark.parametrize("text, wrong", [
    ("[a](there.md)", "docs/page.md:5: the link leads nowhere: there.md"),
    ("[a](../../x.md)", "leads nowhere"), ("[a](#gone)", "gone"),
    ("[a](../README.md#gone)", "gone"),
    ("![a](a.png)", "docs/page.md: the image is not there: a.png"),
    ("| a |\n|---|\n| [b](b.cc) |", "docs/page.md:7: the link leads nowhere: b.cc"),
    ("```{no_such_thing}\n```", "no_such_thing"),
])
def test_a_mistake_is_found_and_nothing_is_written(tmp_path, monkeypatch, text, wrong):
    monkeypatch.setattr(chapters, "CHAPTERS", {"All": {"docs/page.md": ""}})
    output = tmp_path / "site"
    problems = build(output, small_root(tmp_path / "root", text))
    assert any(wrong in problem for problem in problems), problems
    assert not output.exists()


def test_a_page_in_no_chapter_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "CHAPTERS", {"All": {"docs/gone.md": ""}})
    root = small_root(tmp_path / "root", "")
    assert [p.partition(":")[0] for p in chapters.missing(root)] == ["docs/page.md", "docs/gone.md"]


def test_right_links_are_no_mistake(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "CHAPTERS", {"All": {"docs/page.md": ""}})
    root = small_root(tmp_path / "root", "[a](#here) [page.md](page.md) [f](../mace) "
                      "[x](http://x.y)\n\n```\n[no](link.md)\n```\n\n"
                      "<!-- index: one term, another -->\n\nText.")
    output = tmp_path / "site"
    assert build(output, root) == []
    page = (output / "docs" / "page.html").read_text()
    assert ">Page<" in page and 'id="index-0"' in page and "index:" not in page
    assert (output / "source" / "mace.html").is_file()


def test_the_command_refuses_a_folder_that_is_no_site(tmp_path, capsys):
    (tmp_path / "mine").write_text("text")
    assert command.main([f"--output={tmp_path}"]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "mine").read_text() == "text"


HEADER = """// A header.
// SPDX-License-Identifier: Apache-2.0
#ifndef THING_H_
#define THING_H_
namespace mace {

// Two of them.
// Errors: MACE_INVALID_ARGS for a [bad] `x`.
MACE_API int One(int x,
                 int y);
int Two();

int Three() { return 3; }  // not this

class MACE_API Thing {
 public:
  // Makes it.
  Thing();
  Thing(const Thing&) = delete;
  int size() const { return size_; }

 private:
  int Hidden();
  int size_ = 0;
};

enum Kind { A = 1 };  // of them

}  // namespace mace
#endif  // THING_H_
"""


def test_a_header_is_read(tmp_path):
    (tmp_path / "thing.h").write_text(HEADER)
    page = headers.header_page(tmp_path / "thing.h", tmp_path)
    assert page.intro == "A header."
    assert page.all_names() == ["One", "Two", "Three", "Thing", "Thing.Thing", "Thing.size", "Kind"]
    both, three, thing, kind = page.entries
    assert both.code == ["int One(int x,", "        int y);", "int Two();"]
    assert both.comment == "Two of them.\n\n**Errors:** `MACE_INVALID_ARGS` for a \\[bad\\] `x`."
    assert three.code == ["int Three();"]
    assert not three.comment
    assert thing.code == ["class Thing;"]
    assert [m.code for m in thing.members] == [["Thing();"], ["int size() const;"]]
    assert kind.code == ["enum Kind { A = 1 };"]


def test_javadoc_is_markdown():
    text = java.javadoc("/** Takes {@code a < b}, see {@link #run}.\n *\n * <p>More.\n *\n"
                        " * @param a one\n *     of them\n * @return two\n */")
    assert text == "Takes `a < b`, see `run`.\n\nMore.\n\n* `a`: one of them\n* returns two"


def test_comments_are_markdown():
    assert escaped("a*b, mace/a_b.h, f_g(), N_2, `x*y` A::b()") == (
        "a\\*b, `mace/a_b.h`, `f_g()`, `N_2`, `x*y` `A::b()`")
    assert prose(["One", "two.", "", "  as it * stands", "", "Three."]) == (
        "One two.\n\n```text\n  as it * stands\n```\n\nThree.")
