"""The types of values in a deployment file, and the sections `preprocess` and `quantize`.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from mace_tools.config import values
from mace_tools.config.names import ELEMENTS, FORMATS
from mace_tools.config.quantization_options import METHODS, WEIGHTS_ONLY

Shape = values.Dims
Switch = Annotated[int, BeforeValidator(values.choice(0, 1))]
Text = Annotated[str, BeforeValidator(values.text)]
FileName = Annotated[str, BeforeValidator(values.file_name)]
Sha256 = Annotated[str, BeforeValidator(values.sha256)]
Names = Annotated[tuple[str, ...], BeforeValidator(values.texts)]
Strings = Annotated[tuple[str, ...], BeforeValidator(values.strings)]
CustomOps = Annotated[tuple[str, ...], BeforeValidator(values.custom_ops)]
Shapes = Annotated[tuple[Shape, ...], BeforeValidator(values.shapes)]
Numbers = Annotated[tuple[float, ...], BeforeValidator(values.numbers)]

Formats = Annotated[tuple[str, ...], BeforeValidator(values.list_of(values.choice(*FORMATS)))]
Elements = Annotated[tuple[str, ...], BeforeValidator(values.list_of(values.choice(*ELEMENTS)))]


class Section(BaseModel):
    """A mapping of the file, with exactly these keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Preprocess(Section):
    """How to turn an image into an input: input = (pixel - mean) * scale, per channel."""

    resize: Annotated[tuple[int, int] | None, BeforeValidator(values.size_hw)] = Field(
        None, description="[height, width] to bring images to", examples=["[224, 224]"])
    interpolation: Annotated[
        str, BeforeValidator(values.choice("bilinear", "nearest", "bicubic"))
    ] = Field("bilinear", description="how to resize", examples=["bilinear"])
    channels: Annotated[
        str, BeforeValidator(values.choice("rgb", "bgr", "gray", aliases={"grey": "gray"}))
    ] = Field("rgb", description="channel order", examples=["rgb"])
    mean: Numbers = Field((0.0,), description="subtracted first",
                          examples=["[123.7, 116.8, 103.9]"])
    scale: Numbers = Field((1.0,), description="multiplied then", examples=["0.0078125"])


class KvCache(Section):
    """The caches of keys and values of a language model."""

    tokens: Annotated[int, BeforeValidator(values.whole_from(1))] = Field(
        2048, description="their capacity, which the texts of a conversation fill",
        examples=["2048"])
    type: Annotated[str, BeforeValidator(values.choice("fp32", "fp16", "int8"))] = Field(
        "fp32", description="fp32, fp16 or int8, which has a scale for each head and token",
        examples=["fp16"])


class Quantize(Section):
    """How to quantize a float model to int8."""

    samples: Strings = Field(
        (), description="calibration data: a folder of images or .npy files, or such files",
        examples=["data/samples"])
    range_file: Text | None = Field(
        None, description="a text file of ranges, in place of samples: NAME@@LOW,HIGH in each "
        "line, as MACE's quantize_stat writes it", examples=["models/mobilenet.range"])
    weights_only: Annotated[
        str | None, BeforeValidator(values.choice(*WEIGHTS_ONLY))
    ] = Field(None, description="int8 or int4: weight-only quantization of FullyConnected, MatMul "
              "and Gather; everything computes in float32; with samples, int4 is more exact",
              examples=["int4"])
    dynamic: Annotated[
        str | None, BeforeValidator(values.choice(*WEIGHTS_ONLY))
    ] = Field(None, description="int8 or int4: dynamic quantization: weights as with weights_only, "
              "and rows of activations become int8 while the model runs; needs no samples",
              examples=["int4"])
    method: Annotated[str, BeforeValidator(values.choice(*METHODS))] = Field(
        "mse", description="calibration method: minmax, percentile, kl or mse",
        examples=["mse"])
    percentile: Annotated[float, BeforeValidator(values.between(50, 100))] = Field(
        99.99, description="the percentage of values within the ranges of `percentile`",
        examples=["99.99"])
    num_samples: Annotated[int, BeforeValidator(values.whole_from(1))] = Field(
        100, description="how many samples of a larger folder are drawn", examples=["100"])
    seed: Annotated[int, BeforeValidator(values.whole_from(0))] = Field(
        0, description="seed of what is drawn", examples=["0"])
    equalize: Switch = Field(1, description="0 or 1: cross-layer equalization",
                             examples=["1"])
    correct_bias: Switch = Field(
        1, description="0 or 1: bias correction, for what rounding weights adds on average",
        examples=["1"])
    float_nodes: Names = Field((), description="nodes that stay in float32",
                               examples=["[boxes, scores]"])
    float_ends: Switch = Field(
        1, description="0 or 1: keep first and last layers in float32: last ones, and first ones "
        "that multiply little for each pixel; with `runtime: dsp` only where it is given",
        examples=["1"])
    accuracy_budget: Annotated[
        float | None, BeforeValidator(values.between(0, 1))
    ] = Field(None, description="how much less than 1 the cosine similarity of outputs may be; "
              "layers stay in float32 for it", examples=["0.001"])

    @model_validator(mode="after")
    def _fits(self) -> Quantize:
        if self.weights_only is not None and self.dynamic is not None:
            raise ValueError("weights_only and dynamic exclude one another: arithmetic is in "
                             "float32 with the former and in int8 with the latter; keep one")
        by_file = self.range_file is not None and self.stored_weights is None
        if self.stored_weights is None and not self.samples and not by_file:
            raise ValueError("there are no samples, which show the ranges of activations: give a "
                             "folder, or a range_file, or weights_only or dynamic: int8")
        if by_file:
            self._check_used({"range_file", "float_nodes", "float_ends"}, "a range_file")
            return self
        used = {"weights_only", "dynamic", "float_nodes"}
        if self.stored_weights == "int4" or self.dynamic is not None:
            used |= {"samples"}
        if self.samples:
            used |= {"num_samples", "seed"}
        if self.stored_weights is not None:
            key = "weights_only" if self.dynamic is None else "dynamic"
            self._check_used(used, f"{key}: {self.stored_weights}")
        return self

    @property
    def stored_weights(self) -> str | None:
        """As what weights_only or dynamic stores weights, one of WEIGHTS_ONLY."""
        return self.weights_only or self.dynamic

    def _check_used(self, used: set[str], what: str) -> None:
        unused = self.model_fields_set - used
        if unused:
            raise ValueError(f"{what} does not use {', '.join(sorted(unused))}; leave it out")


class Extras(Section):
    """Keys that a model or its subgraph may have."""

    model_config = ConfigDict(defer_build=True)  # nothing is validated by a base class alone

    preprocess: Preprocess | None = Field(
        None, description="from an image to the input",
        examples=["{resize: [224, 224], channels: rgb, mean: 127.5, scale: 0.00784314}"])
    labels: Text | None = Field(None, description="a text file with one label a line",
                                examples=["models/labels.txt"])
    validation_inputs_data: Strings | None = Field(
        None, description="a .npy file for each input", examples=["data/input.npy"])
