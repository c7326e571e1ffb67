"""A library for models with `runtime: dsp` has the DSP, by the vendor's library, which a fake
replaces here; another library says which line of the deployment file adds it.

SPDX-License-Identifier: Apache-2.0
"""

import os
from pathlib import Path

import consumers
import numpy as np
import pytest

from mace_tools.testing.needed import need_tools

SOURCE = Path(__file__).parent / "app_dsp" / "on_dsp.cc"
# What a shared library for this machine grows by.
MAX_BYTES = 175_000
DIGIT = 3

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_LIBRARY") != "all",
                       reason="covered elsewhere: tools/test.sh library"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    need_tools("bazel", "pkg-config")
    return consumers.Place(tmp_path_factory.mktemp("dsp"))


def answer(place, name, runtime, stand_in):
    """What the app prints of the quantized digits: the probabilities, and the plan."""
    config = place.config(
        name, "linkshared: 1\n", "    quantize: {samples: models/digits/images}\n")
    config.write_text(config.read_text().replace("runtime: cpu", f"runtime: {runtime}"))
    assert place.build(config) == 0
    package = place.unpacked(name)
    app = consumers.compile_app(package, place.folder / f"app_{name}", source=SOURCE)
    model = [package / "model" / f"digits.{end}" for end in ("pb", "data")]
    done = consumers.start(app, "host", *model, stand_in, digit=DIGIT)
    assert done.returncode == 0, done.stderr.decode()
    numbers, _, plan = done.stdout.decode().partition("\n")
    size = (package / "lib" / "host" / "libmace.so").stat().st_size
    return [float.fromhex(word) for word in numbers.split()], plan, size


@pytest.fixture(scope="module")
def without(place, stand_in):
    return answer(place, "without", "cpu", stand_in)


@pytest.fixture(scope="module")
def with_dsp(place, stand_in):
    return answer(place, "with_dsp", "dsp", stand_in)


def test_a_library_for_the_dsp_runs_there(with_dsp):
    probabilities, plan, _ = with_dsp
    assert "on DSP: hexagon_nn" in plan and np.argmax(probabilities) == DIGIT
    np.testing.assert_allclose(probabilities, consumers.EXPECTED["onnx"][DIGIT], atol=0.02)


def test_another_one_runs_on_the_cpu_and_names_the_line_to_add(without):
    probabilities, plan, _ = without
    assert "on DSP" not in plan and np.argmax(probabilities) == DIGIT
    assert "no DSP, the CPU takes over: this library was built without the DSP: give a model of " \
           "its deployment file `runtime: dsp`" in plan  # fmt: skip


def test_the_dsp_takes_few_bytes(with_dsp, without):
    assert 0 < with_dsp[2] - without[2] <= MAX_BYTES, with_dsp[2] - without[2]
