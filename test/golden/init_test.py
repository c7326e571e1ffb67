"""The draft that `init` makes of every real model converts and runs unchanged, or says why not.

SPDX-License-Identifier: Apache-2.0
"""

import json
import shutil

import pytest
from golden import data_folder

from mace_tools import cli
from mace_tools.convert import importers
from mace_tools.support.exit_codes import ExitCode
from mace_tools.support.model_format import detect

pytestmark = pytest.mark.full
# Models whose files state no shape: the shapes to fill in.
OPEN = {"ESPCN_x2": "1,12,16,1", "FSRCNN-small_x3": "1,12,16,1"}
# Models with operators or types that do not convert.
# Models with notes: weights of layers that only training has.
NOTED = {"det2"}
UNSUPPORTED = {"DS_CNN_S", "conv_actions_frozen"}


def _models():
    folder = data_folder("models")
    suffixes = (".pb", ".onnx", ".tflite", ".prototxt")
    files = (f for f in sorted(folder.rglob("*")) if f.suffix in suffixes)
    return [f for f in files if getattr(detect(f), "platform", "") in importers.platforms()]


@pytest.mark.skipif(shutil.which("bazel") is None, reason="bazel is not installed")
def test_every_draft_runs(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    models = _models()
    assert len(models) >= 25
    for model in models:
        code = cli.main(["init", str(model)])
        text, err = capfd.readouterr()
        assert code == ExitCode.OK, err
        open_shape = "'?'" in text
        assert open_shape == (model.stem in OPEN or "wav_data" in text), model
        assert ("cannot be converted" in err) == (model.stem in UNSUPPORTED), err
        (tmp_path / "my.yml").write_text(text.replace("'?'", OPEN.get(model.stem, "1,1")))
        code = cli.main(["run", "--config=my.yml", "--json=report.json"])
        out, err = capfd.readouterr()
        if model.stem in UNSUPPORTED:
            assert code == ExitCode.UNSUPPORTED_OPS, err
            continue
        assert code == ExitCode.OK and "Average latency" in out, f"{model}: {err}"
        assert ("WARNING" in err) == (model.stem in NOTED), f"{model}: {err}"
        (report,) = json.loads((tmp_path / "report.json").read_text())["models"].values()
        assert report["latency"]["runs"] == 1
