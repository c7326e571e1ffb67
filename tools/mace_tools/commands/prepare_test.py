"""Files of several models.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.support.exit_codes import ExitCode
from mace_tools.testing.workplace import Workplace


@pytest.fixture
def place(tmp_path, monkeypatch, capfd):
    return Workplace(tmp_path, monkeypatch, capfd)


def test_several_models_run_in_turn(place):
    place.answer(0)
    text = place.config.read_text()
    model = text[text.index("  digits_onnx:") :]
    place.config.write_text(text + "\n" + model.replace("digits_onnx:", "second:", 1))
    code, out, _ = place.call("convert")
    assert code == 0 and "digits_onnx: converted" in out and "second: converted" in out
    code, out, _ = place.call("convert", "--model_name=second")
    assert code == 0 and "second: up to date" in out and "digits_onnx:" not in out
    assert place.call("benchmark", "--trace=t.json")[0] == 0
    assert (place.folder / "t_second.json").exists()
    assert place.call("run", "--output_dir=outputs")[0] == 0
    assert sorted(f.relative_to(place.folder / "outputs").as_posix()
                  for f in (place.folder / "outputs").rglob("*.npy")) == [
        "digits_onnx/probabilities.npy", "second/probabilities.npy"]
    code, _, err = place.call("run", "--model_name=secnd")
    assert code == ExitCode.USAGE and "did you mean 'second'?; it has digits_onnx, second" in err


def test_all_models_are_checked_before_the_first_runs(place):
    place.answer(0)
    text = place.config.read_text()
    model = text[text.index("  digits_onnx:") :]
    second = model.replace("digits_onnx:", "second:", 1)
    picture = "models/digits/images/3.png"

    def refused(config, *arguments):
        place.config.write_text(config)
        code, out, err = place.call("run", *arguments)
        assert code != 0 and out == "" and place.calls() == [], err
        return err

    tflite = (place.config.with_name("digits_tflite.yml")).read_text()
    other = tflite[tflite.index("  digits_tflite:") :].replace("input_tensors: input",
                                                               "input_tensors: picture")
    err = refused(text + other, f"--input=input={picture}")
    assert "model 'digits_tflite' has no input 'input'" in err
    assert "The file has 2 models: --model_name=digits_onnx runs one of them" in err
    err = refused(text + second, f"--input=inpu={picture}")
    assert "did you mean 'input'?" in err and "--model_name=NAME runs one of them" in err
    assert "there is no file 'nope.png'" in refused(text + second, "--input=nope.png")
    err = refused(text + second.replace("resize: [8, 8]", "resize: [9, 9]"), f"--input={picture}")
    assert "the image is 9 high and 9 wide" in err
    err = refused(text + second.replace("input_tensors: input", "input_tensors: inptu"))
    assert "no tensor 'inptu'; did you mean 'input'?" in err
    place.config.write_text(text + second)
    assert place.call("run", f"--input={picture}")[0] == 0 and len(place.calls()) == 2
