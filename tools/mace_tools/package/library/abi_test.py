"""The committed binary interface is that of the headers; additions are told from what breaks apps.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.package.library import abi, exports

HEADER = """\
namespace mace {
enum class Kind { A = 0, B = 1 };
struct Box { int width; Kind kind; const char* name; };
class Store {
 public:
  virtual ~Store() = default;
  virtual bool Load(int key) = 0;
  int count() const { return count_; }
  Kind Make(const Box& box, unsigned long bytes);
 private:
  int count_;
  double list_[3];
};
void More(int a);
}
"""
FUNCTION = "mace::Store::Make(mace::Box const&, unsigned)"


def test_the_committed_interface_is_that_of_this_library():
    assert not abi.problems(abi.read(), abi.current())


@pytest.fixture
def declarations(tmp_path, monkeypatch):
    monkeypatch.setattr(exports, "listed", lambda: [FUNCTION])

    def read(header=HEADER, version="1.0.0", symbols="MACE_1"):
        (tmp_path / "box.h").write_text(header)
        found = sorted({f"function {FUNCTION}",
                        *abi.declarations_of([tmp_path / "box.h"], tmp_path)})
        return [f"version {version} {symbols}", *found]

    return read


def test_declarations_are_of_types_and_functions(declarations):
    assert declarations() == [
        "version 1.0.0 MACE_1",
        "enumerator mace::Kind A = 0",
        "enumerator mace::Kind B = 1",
        "field mace::Box at 0: width, int",
        "field mace::Box at 4: kind, Kind",
        "field mace::Box at 8: name, char const*",
        "field mace::Store at 0: _vptr.Store, int()**",
        "field mace::Store at 16: list_, double[3]",
        "field mace::Store at 8: count_, int",
        f"function {FUNCTION}",
        f"returns {FUNCTION}: Kind",
        "type mace::Box has 16 bytes",
        "type mace::Kind has 4 bytes",
        "type mace::Store has 40 bytes",
        "virtual mace::Store at 2: Load",
    ]


@pytest.mark.parametrize("old, new", [
    ("B = 1 }", "B = 1, C = 2 }"),
    ("struct Box", "struct Other { int a; }; struct Box"),
    ("int count() const", "int twice() const { return 2 * count_; }\n  int count() const"),
    ("void More(int a);", "void More(int a);\nvoid Most(int a);"),
])
def test_additions_break_nothing_but_make_the_list_stale(declarations, old, new):
    assert HEADER.count(old) == 1
    before, now = declarations(), declarations(HEADER.replace(old, new))
    assert not abi.broken(before, now)
    # Only what apps can meet is in the list: inline functions and unexported ones are not.
    added = [f"+ {line}" for line in now if line not in before]
    problem = abi.problems(before, now)
    assert bool(problem) == bool(added)
    if added:
        assert problem.startswith("mace/public/abi.txt is stale: it lacks\n" + "\n".join(added))
        assert "No app breaks" in problem and abi.COMMAND in problem
    assert not abi.problems(now, now)


def test_an_exported_function_that_the_list_lacks_makes_it_stale(declarations):
    before = [line for line in declarations() if not line.startswith(("function", "returns"))]
    assert f"+ function {FUNCTION}" in abi.problems(before, declarations()).splitlines()


@pytest.mark.parametrize("old, new, message", [
    ("B = 1 }", "B = 2 }", "- enumerator mace::Kind B = 1"),
    ("int width; Kind kind;", "Kind kind; int width;", "- field mace::Box at 0: width, int"),
    ("int width;", "float width;", "+ field mace::Box at 0: width, float"),
    ("const char* name;", "const char* name; int more;", "- type mace::Box has 16 bytes"),
    ("virtual bool Load(int key) = 0;", "virtual bool Load(int key) = 0; virtual int Size() = 0;",
     "+ virtual mace::Store at 3: Size"),
    ("virtual bool Load", "virtual int Size() = 0; virtual bool Load",
     "- virtual mace::Store at 2: Load"),
    ("enum class Kind {", "enum class Kind : char {", "- type mace::Kind has 4 bytes"),
    ("Kind Make", "int Make", f"- returns {FUNCTION}: Kind"),
])
def test_what_breaks_apps_is_named_with_the_cure(declarations, old, new, message):
    assert HEADER.count(old) == 1
    problem = abi.problems(declarations(), declarations(HEADER.replace(old, new)))
    assert message in problem.splitlines()
    assert "raise MACE_VERSION_MAJOR and SYMBOL_VERSION" in problem and abi.COMMAND in problem


def test_a_function_that_went_breaks_apps(declarations):
    now = [line for line in declarations() if not line.startswith("function")]
    assert f"- function {FUNCTION}" in abi.problems(declarations(), now).splitlines()


def test_a_raised_version_asks_for_a_new_baseline(declarations):
    changed = HEADER.replace("int width;", "float width;")
    now = declarations(changed, "2.0.0", "MACE_2")
    assert "is of version 1.0.0, the headers are of 2.0.0: renew" in abi.problems(declarations(),
                                                                                  now)
    assert not abi.problems(now, now)
    assert "it is to be MACE_2" in abi.problems(declarations(),
                                                declarations(changed, "2.0.0", "MACE_1"))
