"""Errors of a deployment file that concern several keys.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.config.load import load
from mace_tools.config.problems import ConfigError


def refused(tmp_path, keys, name="net"):
    (tmp_path / "net.onnx").write_bytes(b"a model")
    path = tmp_path / "deploy.yml"
    path.write_text(f"""\
library_name: lib
target_abis: [host]
{keys}
models:
  {name}:
    platform: onnx
    model_file_path: net.onnx
    model_sha256_checksum: {"a" * 64}
    runtime: cpu
    subgraphs:
      - {{input_tensors: x, input_shapes: "1,4", output_tensors: y, output_shapes: "1,4"}}
""")
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    return str(caught.value)


def test_a_name_that_cannot_be_compiled_in_is_refused_once(tmp_path):
    message = refused(tmp_path, "build_type: code", "2net")
    assert message.count("which is none; call the model '_2net'") == 1


@pytest.mark.parametrize("keys, words", [
    ("cxx: static", ["deploy.yml:3: cxx: 'static' is not one of app, none", "example: cxx: none"]),
    ("cxx:", ["deploy.yml:3: cxx: an empty value is not one of app, none"]),
    ("cxx: none", ["deploy.yml:3: cxx: 'none' makes libmace.so, which contains the C++ library; a "
                   "static library needs that of the app: add linkshared: 1"]),
    ("cxx: none\nbuild_type: code", [
        "cxx: 'none' makes libmace.so, and build_type: code a static library, which needs the C++ "
        "library of the app; write build_type: proto and linkshared: 1"]),
    ("linkshared: 1\ncxx: none\nmodel_graph_format: code", ["cxx: 'none' makes libmace.so, and"]),
])
def test_a_library_without_a_cxx_library_of_the_app_is_a_shared_one(tmp_path, keys, words):
    message = refused(tmp_path, keys)
    for text in words:
        assert text in message
