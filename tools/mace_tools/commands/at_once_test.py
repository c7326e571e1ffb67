"""Two commands at once about the same library.

SPDX-License-Identifier: Apache-2.0
"""

import threading

import pytest

from mace_tools import cli
from mace_tools.commands import build, convert
from mace_tools.package.library import engine
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(cli.signal, "signal", lambda *_: None)  # which threads may not
    return Workplace(tmp_path, monkeypatch, capfd)


class Slow:
    """Calls a function, but takes so long that another thread calls it, too, if it can."""

    def __init__(self, function):
        self.stages, self._function, self._pause = [], function, threading.Event()

    def __call__(self, *arguments):
        self.stages.append("begun")
        self._pause.wait(0.3)
        result = self._function(*arguments)
        self.stages.append("done")
        return result


def two(*arguments):
    """The exit codes of two calls at once."""
    codes = []
    threads = [threading.Thread(target=lambda: codes.append(cli.main(arguments)))
               for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return codes


def test_builds_of_one_library_take_turns(place, monkeypatch, capfd):
    def link(context, *_):
        (context.folder / "made").write_text("x")
        return {"files": ["made"], "ops": [], "bytes": {"made": 1}, "parts": {}}

    compile = Slow(lambda *_: engine.Engine("key", (), was_built=False))
    monkeypatch.setattr(build, "_engine", compile)
    monkeypatch.setattr(build, "_build", link)
    assert place.call("convert")[0] == 0
    assert two("build", f"--config={place.config}", "--force") == [0, 0]
    assert compile.stages == ["begun", "done"] * 2
    assert "waiting for another build of build/digits_onnx" in capfd.readouterr().err


def test_a_model_is_converted_once(place, monkeypatch, capfd):
    write = Slow(convert._write)
    monkeypatch.setattr(convert, "_write", write)
    assert two("convert", f"--config={place.config}") == [0, 0]
    out, err = capfd.readouterr()
    assert write.stages == ["begun", "done"]
    assert out.count("digits_onnx: converted") == 1 and out.count("digits_onnx: up to date") == 1
    assert "waiting for another conversion of digits_onnx" in err
    assert not list(place.folder.rglob("*.lock"))
