"""docs/pictures.md: its code compiles, and its program classifies a digit.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess

import pytest
from PIL import Image

from mace_tools import cli
from mace_tools.support.protos import REPO
from mace_tools.testing.built import build
from mace_tools.testing.documents import code_of
from mace_tools.testing.needed import need_tools

pytestmark = pytest.mark.full
DIGITS = REPO / "models" / "digits"
# What the page's code takes for granted: the app's own memory and numbers.
AROUND = """
#include <memory>
#include "mace/public/mace_image.h"
using namespace mace;
void Page(const unsigned char* pixels, size_t bytes, int width, int height,
          std::shared_ptr<float> tensor, int image_width, int image_height, const void** address,
          const size_t* capacity, const int64_t* row_stride, const int64_t* pixel_stride,
          int crop_left, int crop_top, int crop_width, int crop_height, int rotation_degrees,
          bool is_front_camera, double box_x, double box_y) {
%s
}
"""


def test_the_code_of_the_page_compiles(tmp_path):
    need_tools("g++")
    first, *others = [code.text for code in code_of(REPO / "docs" / "pictures.md")
                      if code.language == "cpp"]
    assert len(others) == 2
    body = "\n".join([first, *(f"{{\n{code}\n}}" for code in others)])
    source = tmp_path / "page.cc"
    source.write_text(AROUND % body)
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                           f"-I{REPO}", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def classify(tmp_path_factory):
    """Runs the page's program on an image; its answer and its message."""
    program = build("//mace/examples:picture")
    folder = tmp_path_factory.mktemp("model")
    config = (DIGITS / "digits_onnx.yml").read_text().replace("models/", f"{REPO}/models/")
    (folder / "digits.yml").write_text(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.main(["convert", "--config=digits.yml"]) == 0
    model = folder / "build" / "digits_onnx" / "model" / "digits_onnx"

    def run(picture, *degrees):
        file = folder / "picture.ppm"
        picture.save(file)
        done = subprocess.run([program, f"{model}.pb", f"{model}.data", file, *degrees],
                              capture_output=True, text=True, check=False)
        return done.stdout.split(), done.stderr

    return run


@pytest.mark.parametrize("digit", range(10))
def test_the_program_knows_the_digits(classify, digit):
    with Image.open(DIGITS / "images" / f"{digit}.png") as picture:
        (best, score), message = classify(picture)
        assert best == str(digit) and float(score) > 0.5, message
        # As a camera that is held the other way has it.
        turned = picture.transpose(Image.Transpose.ROTATE_90)
        assert classify(turned, "90")[0] == [best, score]
        assert classify(picture.convert("RGB"))[0] == [best, score]


def test_a_wrong_turn_is_an_error(classify):
    with Image.open(DIGITS / "images" / "3.png") as picture:
        answer, message = classify(picture, "45")
    assert not answer and "orientation is 0" in message
