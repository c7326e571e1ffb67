"""Errors of a deployment file that concern several keys.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import pytest

from mace_tools.config.load import load
from mace_tools.config.problems import ConfigError


def test_a_name_that_cannot_be_compiled_in_is_refused_once(tmp_path):
    (tmp_path / "net.onnx").write_bytes(b"a model")
    path = tmp_path / "deploy.yml"
    path.write_text(f"""\
library_name: lib
target_abis: [host]
build_type: code
models:
  2net:
    platform: onnx
    model_file_path: net.onnx
    model_sha256_checksum: {"a" * 64}
    runtime: cpu
    subgraphs:
      - {{input_tensors: x, input_shapes: "1,4", output_tensors: y, output_shapes: "1,4"}}
""")
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    assert str(caught.value).count("which is none; call the model '_2net'") == 1
