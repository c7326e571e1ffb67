"""A layer as importer functions see it: its bottoms, its settings and its weights.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mace_tools.convert.importers.builder import Builder
from mace_tools.convert.importers.caffe.weights import Blob
from mace_tools.convert.importers.source import SourceNode
from mace_tools.support.errors import ModelError

# The message of a layer's type, where it is not the type's name in small letters and underscores.
OWN_FIELDS = {
    "ArgMax": "argmax_param", "BatchNorm": "batch_norm_param", "Deconvolution": "convolution_param",
    "ConvolutionDepthwise": "convolution_param", "DepthwiseConvolution": "convolution_param",
    "DetectionOutput": "detection_output_param", "DummyData": "dummy_data_param",
    "ImageData": "image_data_param", "InnerProduct": "inner_product_param",
    "MemoryData": "memory_data_param", "NormalizeBBox": "norm_param", "Normalize": "norm_param",
    "PSROIPooling": "psroi_pooling_param",
    "PriorBox": "prior_box_param", "ROIPooling": "roi_pooling_param",
    "ShuffleChannel": "shuffle_channel_param",
}


@dataclass(eq=False)
class Layer(SourceNode):
    """The first `num_bottoms` inputs are its bottoms; the others are its weights."""

    num_bottoms: int = 0
    blobs: list[Blob] = field(default_factory=list)
    no_blobs: str = ""  # why there are none, for an error
    weights_file: str = ""

    @property
    def bottoms(self) -> list[str]:
        return self.inputs[: self.num_bottoms]

    @property
    def weights(self) -> list[str]:
        return self.inputs[self.num_bottoms :]

    def check_bottoms(self, least: int = 1, most: int | None = None) -> None:
        """Errors: ModelError for another number of bottoms; `most` is `least` if not given."""
        most = least if most is None else most
        if not least <= self.num_bottoms <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise ModelError(f"{self.op} '{self.name}' has {self.num_bottoms} bottoms, it takes "
                             f"{wanted}")

    def needed(self, name: str) -> Any:
        """A field that has no default. Errors: ModelError if it is absent."""
        value = self.attr(name)
        if value is None:
            raise ModelError(f"{self.op} '{self.name}' lacks its field {name}")
        return value

    def check_weights(self, shapes: Sequence[tuple[int, ...] | None]) -> list[np.ndarray]:
        """The weights, which must have these shapes; None: any.

        Errors: ModelError if the file lacks them or has others."""
        self.attr("num_blobs")
        if not self.blobs and shapes:
            raise ModelError(f"{self.op} '{self.name}' needs weights, but {self.no_blobs}")
        if len(self.blobs) != len(shapes):
            raise ModelError(
                f"{self.op} '{self.name}': {self.weights_file} has {len(self.blobs)} blobs for it, "
                f"the network asks for {len(shapes)}: the weights are of another network")
        arrays = []
        for k, (blob, shape) in enumerate(zip(self.blobs, shapes)):
            if shape is not None and not blob.fits(shape):
                raise ModelError(
                    f"{self.op} '{self.name}': blob {k} of {self.weights_file} has the shape "
                    f"{list(blob.array.shape)}, the network asks for {list(shape)}: the weights "
                    "are of another network")
            array = np.asarray(blob.array)  # a view: weights are copied when they are written
            arrays.append(array if shape is None else array.reshape(shape))
        return arrays

    def axis(self, b: Builder, name: str = "axis", rank: int | None = None) -> int:
        """An axis of the first bottom, counted from its beginning.

        Errors: Unsupported if the rank is unknown, ModelError if it is out of range."""
        value, rank = self.needed(name), b.rank(self.inputs[0]) if rank is None else rank
        if not -rank <= value < max(rank, 1):
            raise ModelError(f"{self.op} '{self.name}': {name} {value} is out of range for "
                             f"{rank} axes")
        return value % rank if rank else 0


def own_fields(kind: str) -> str:
    """The name of the message with the settings of a type of layers, such as pooling_param."""
    return OWN_FIELDS.get(kind, f"{kind.lower()}_param")
