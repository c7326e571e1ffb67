"""Keys of MACE's own deployment files without which the results are the same.

SPDX-License-Identifier: Apache-2.0
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field, create_model


@dataclass(frozen=True)
class Without:
    """A key without effect: what it is in MACE, why it needs none here, and a value."""

    key: str
    meaning: str
    why: str
    example: str


_OWN_REWRITES = "the converter has its own rewrites, which are always made"
_NO_CONTAINER = "Caffe models are read without a container"
_OWN_RANGES = "`quantize: {samples: FOLDER}` watches the ranges itself"
_EVERY_TENSOR = "`compare --layers` compares every tensor"

MODEL = (
    Without("backend", "what runs an ONNX model for --validate",
            "--validate runs the source framework itself", "tensorflow"),
    Without("docker_image_tag", "a container for Caffe", _NO_CONTAINER, "mace/caffe"),
    Without("dockerfile_path", "how to make that container", _NO_CONTAINER, "docker/caffe"),
    Without("dockerfile_sha256_checksum", "its checksum", _NO_CONTAINER, "71b10f54..."),
    Without("graph_optimize_options", "transforms of TensorFlow's tool", _OWN_REWRITES,
            "[fold_constants]"),
    Without("transformers", "rewrites instead of the usual ones", _OWN_REWRITES, "[FOLD_CONV]"),
    Without("change_concat_ranges", "one range for the operands of a Concat",
            "`quantize` chooses the ranges of a Concat", "1"),
    Without("quantize_stat", "whether runs log ranges", _OWN_RANGES, "0"),
    Without("opencl_cache_reuse_policy", "which GPUs may use a cache of compiled kernels",
            "a cache is for the GPU and the driver that made it", "1"),
    Without("dsp_type", "the version of a DSP", "an engine asks the DSP itself", "v66"),
    Without("hexagon_mode", "an old name of nnlib_graph_mode", "write nnlib_graph_mode", "0"),
)
SUBGRAPH = (
    Without("check_tensors", "inner tensors to compare", _EVERY_TENSOR, "conv1"),
    Without("check_shapes", "their shapes", _EVERY_TENSOR, "1,112,112,32"),
    Without("validation_outputs_data", "outputs to compare with",
            "--validate computes the outputs with the source framework", "data/output.npy"),
    Without("accuracy_validation_script", "a script that judges",
            "--validate judges by similarity and error", "accuracy.py"),
)


def with_these(name: str, base: type[BaseModel], table: tuple[Without, ...]) -> Any:
    """A class of sections with these keys, too, which may have any value."""
    keys: dict[str, Any] = {w.key: (Any, Field(
        None, description=f"of MACE: {w.meaning}; no effect", examples=[w.example]))
        for w in table}
    return create_model(name, __base__=base, __module__=__name__, **keys)
