"""The keys of a deployment file: their types, defaults, meaning and an example of each.

SPDX-License-Identifier: Apache-2.0

`load.py` turns pydantic's errors into messages with line numbers, which show the example of the
key. Keys whose feature does not exist yet are in `unsupported_keys.py`; those that are settings of
engines follow from tools/settings.json (`setting_keys.py`).
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from mace_tools.config import mace_keys, values
from mace_tools.config.names import ABIS, ALL_DATA_TYPES, CXX, PACKED_WEIGHTS, RUNTIMES
from mace_tools.config.sections import (
    CustomOps,
    Elements,
    Extras,
    FileName,
    Formats,
    KvCache,
    Names,
    Quantize,
    Section,
    Sha256,
    Shapes,
    Strings,
    Switch,
    Text,
)
from mace_tools.config.setting_keys import with_settings
from mace_tools.graph.op_schema import all_ops
from mace_tools.graph.settings import all_settings

KERNEL_MICROS = 1000  # limit for parts of GPU kernels, with limit_opencl_kernel_time


class Subgraph(mace_keys.with_these("Ends", Extras, mace_keys.SUBGRAPH)):
    """The part of the source model to convert."""

    model_config = ConfigDict(defer_build=False)

    input_tensors: Annotated[tuple[str, ...], BeforeValidator(values.input_names)] = Field(
        description="names of the inputs; [] if there are none", examples=["input"])
    input_shapes: Shapes = Field(
        description="a shape for each input; an extent that each run chooses is -1, or a name, "
        "which dimensions share that are always equal", examples=["1,224,224,3"])
    max_shape: Shapes | None = Field(
        None, description="the largest shape of each input, where extents are open: the memory is "
        "planned for it once and for all", examples=["8,224,224,3"])
    output_tensors: Names = Field(description="names of the outputs", examples=["prob"])
    input_aliases: Names | None = Field(
        None, description="what the converted model calls the inputs, in place of input_tensors",
        examples=["image"])
    output_aliases: Names | None = Field(
        None, description="what the converted model calls the outputs", examples=["scores"])
    output_shapes: Shapes | None = Field(None, description="a shape for each output",
                                         examples=["1,1001"])
    input_ranges: Annotated[
        tuple[tuple[float, float], ...], BeforeValidator(values.ranges)
    ] = Field(((-1.0, 1.0),), description="range of made-up inputs", examples=["-1,1"])
    input_data_formats: Formats | None = Field(
        None, description="dimension order of the inputs", examples=["NHWC"])
    output_data_formats: Formats | None = Field(
        None, description="dimension order of the outputs", examples=["NHWC"])
    input_data_types: Elements | None = Field(
        None, description="element types of the inputs", examples=["float32"])
    output_data_types: Elements | None = Field(
        None, description="element types of the outputs", examples=["float32"])
    input_values: Annotated[
        dict[str, Any] | None, BeforeValidator(values.tensor_values)
    ] = Field(None, description="values of inputs that are to be constants",
              examples=["{sr: 16000}"])
    states: Annotated[dict[str, Any] | None, BeforeValidator(values.states)] = Field(
        None, description="inputs that the engine keeps, each with the output that becomes its "
        "value for the next run", examples=["{h: hn, c: cn}"])

    @model_validator(mode="before")
    @classmethod
    def _without_inputs(cls, given: Any) -> Any:
        """Where there are no inputs, `[]` is no shape, rather than that of a scalar."""
        if isinstance(given, dict) and given.get("input_tensors") == [] and given.get(
                "input_shapes", []) == []:
            return {**given, "input_shapes": ()}
        return given

    @property
    def input_names(self) -> tuple[str, ...]:
        """Of the converted model."""
        return self.input_aliases or self.input_tensors

    @property
    def output_names(self) -> tuple[str, ...]:
        return self.output_aliases or self.output_tensors

    @property
    def renamed(self) -> dict[str, str]:
        """The tensors that names of the converted model stand for, where these are others."""
        pairs = zip((*self.input_names, *self.output_names),
                    (*self.input_tensors, *self.output_tensors))
        return {name: tensor for name, tensor in pairs if name != tensor}


def _quantize(value: Any) -> Any:
    """1 of MACE's own files, without a file of ranges: see Model.has_own_ranges."""
    return None if isinstance(value, int) and value == 1 else value


def _thresholds(value: Any) -> dict[str, float]:
    """One cosine similarity, or one for each runtime."""
    table = value if isinstance(value, dict) else dict.fromkeys(("cpu", "gpu", "dsp"), value)
    result = {}
    for given, bound in table.items():
        runtime = values.choice("cpu", "gpu", "dsp", aliases={"hexagon": "dsp"})(
            given.lower() if isinstance(given, str) else given)
        result[runtime] = values.number(bound)
        if not 0 < result[runtime] <= 1:
            raise ValueError(f"{values.shown(bound)} is not above 0 and at most 1")
    return result


class Model(with_settings("Settings", mace_keys.with_these("Keys", Extras, mace_keys.MODEL))):
    """One model to deploy. It also has the keys that are settings."""

    model_config = ConfigDict(defer_build=False)

    platform: Annotated[
        str, BeforeValidator(values.choice(
            "tensorflow", "onnx", "tflite", "caffe", "keras", "pytorch", "huggingface", "gguf"))
    ] = Field(description="the source framework: tensorflow, onnx, tflite, keras, pytorch or caffe;"
              " of language models huggingface (a folder) or gguf",
              examples=["tensorflow"])
    model_file_path: Text = Field(description="a path, or an http(s) address",
                                  examples=["models/mobilenet.pb"])
    model_sha256_checksum: Sha256 = Field(description="`sha256sum FILE` prints it",
                                          examples=["71b10f54... (64 digits)"])
    signature: Text | None = Field(
        None, description="which signature of a SavedModel or a TFLite model",
        examples=["serving_default"])
    weight_file_path: Text | None = Field(None, description="weights of a Caffe model",
                                          examples=["models/mobilenet.caffemodel"])
    weight_sha256_checksum: Sha256 | None = Field(None, description="`sha256sum FILE` prints it",
                                                  examples=["71b10f54... (64 digits)"])
    subgraphs: Annotated[list[Subgraph], Field(min_length=1, max_length=1)] = Field(
        description="one entry with the inputs and outputs",
        examples=["[{input_tensors: input, input_shapes: '1,224,224,3', output_tensors: prob, "
                  "output_shapes: '1,1001'}]"])
    runtime: Annotated[
        str, BeforeValidator(values.choice(*RUNTIMES, aliases={"cpu_gpu": "cpu+gpu"}))
    ] = Field(description="the device: cpu, gpu, dsp, cpu+gpu or cpu+dsp", examples=["cpu"])
    data_type: Annotated[
        str | None, BeforeValidator(values.choice(
            *ALL_DATA_TYPES, aliases={"fp16_fp16": "fp16_fp32"}))
    ] = Field(None, description="type of weights and computation; fp16_fp16 is fp16_fp32, which "
              "adds up in float32", examples=["fp32"])
    limit_opencl_kernel_time: Switch = Field(
        0, description="0 or 1: GPU kernels are split into parts of at most 1 ms", examples=["1"])
    obfuscate: Switch = Field(0, description="0 or 1", examples=["0"])
    embed_memory_plan: Switch = Field(
        0, description="0 or 1: the memory plan is made ahead and kept in the model file",
        examples=["1"])
    packed_weights: Annotated[
        str | None, BeforeValidator(values.choice(*PACKED_WEIGHTS))
    ] = Field(None, description="a CPU for which weights are packed in the file too",
              examples=["avx512"])
    allow_custom_ops: CustomOps = Field(
        (), description="operators that the app computes: their names, or 1 for all that the "
        "converter does not know", examples=["[com.acme.Blur]"])
    cl_mem_type: Annotated[
        str | None, BeforeValidator(values.choice("image", "buffer"))
    ] = Field(None, description="of MACE: image or buffer; the GPU has images",
              examples=["image"])
    quantize_large_weights: Switch = Field(
        0, description="of MACE: 1 is quantize: {weights_only: int8}", examples=["0"])
    quantize_range_file: Text | None = Field(
        None, description="of MACE: with quantize: 1 it is quantize: {range_file: FILE}",
        examples=["models/mobilenet.range"])
    quantize_schema: Annotated[
        str | None, BeforeValidator(values.choice("int8"))
    ] = Field(None, description="of MACE: int8; no effect", examples=["int8"])
    quantize: Annotated[Quantize | None, BeforeValidator(_quantize)] = Field(
        None, description="makes an int8 model",
        examples=["{samples: data/samples, method: mse}"])
    kv_cache: KvCache | None = Field(
        None, description="of a language model: {tokens: CAPACITY, type: fp32, fp16 or int8}",
        examples=["{tokens: 2048, type: fp16}"])
    validation_threshold: Annotated[
        dict[str, float] | None, BeforeValidator(_thresholds)
    ] = Field(None, description="cosine similarity that --validate asks for",
              examples=["0.999"])

    @model_validator(mode="before")
    @classmethod
    def _with_keys_of_mace(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        asked, file = given.get("quantize"), given.get("quantize_range_file")
        if asked == 1 and file is not None:
            return {**given, "quantize": {"range_file": file}}
        if asked in (None, 0):
            given = {key: value for key, value in given.items() if key != "quantize"}
        if "quantize" not in given and given.get("quantize_large_weights") == 1:
            return {**given, "quantize": {"weights_only": "int8"}}
        return given

    @property
    def has_own_ranges(self) -> bool:
        """Whether the file says that the source is quantized, or trained for it: `quantize: 1` of
        MACE, which leaves nothing to do."""
        return self.quantize is None and "quantize" in self.model_fields_set

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that `runtime` names. A model for several devices runs on one after the
        other."""
        return tuple(self.runtime.split("+"))

    @property
    def stored_type(self) -> str:
        """The type in which float weights are stored: 16-bit if a model for the CPU says so."""
        fp16 = {"fp16_fp32": "f16", "bf16_fp32": "bf16"} if self.runtime == "cpu" else {}
        return fp16.get(self.data_type or "", "f32")

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of engines that the file chooses, by the names of tools/settings.json."""
        # Two keys are not described in the settings, because their values are not those of one
        # setting. data_type also decides how weights are stored (stored_type), and has a default
        # for each runtime; limit_opencl_kernel_time is a switch that MACE's deployment files have
        # for a number of microseconds.
        chosen = {s.name: getattr(self, s.yaml) for s in all_settings().values() if s.yaml}
        if "gpu" in self.devices:
            type_of_both = {None: "fp16_fp32", "fp32": "fp32_fp32"}
            chosen["gpu_data_type"] = type_of_both.get(self.data_type, self.data_type)
        if self.limit_opencl_kernel_time:
            chosen["gpu_kernel_micros"] = KERNEL_MICROS
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def subgraph(self) -> Subgraph:
        return self.subgraphs[0]

    def extra(self, key: Literal["preprocess", "labels", "validation_inputs_data"]) -> Any:
        """A key that may stand in the subgraph or, for all, in the model."""
        own = getattr(self.subgraph, key)
        return own if own is not None else getattr(self, key)


Components = Annotated[tuple[str, ...] | None, BeforeValidator(values.components)]


class Library(Section):
    """The top of the file."""

    library_name: FileName = Field(description="names the folder under build/",
                                   examples=["mobilenet"])
    target_abis: Annotated[
        tuple[str, ...], BeforeValidator(values.list_of(values.choice(*ABIS)))
    ] = Field(description="what to build for", examples=["[host]"])
    target_socs: Strings | None = Field(None, description="SoCs to tune for",
                                        examples=["[msm8998]"])
    embed_model_data: Switch = Field(0, description="0 or 1", examples=["0"])
    build_type: Annotated[
        str | None, BeforeValidator(values.choice("proto", "code"))
    ] = Field(None, description="proto or code", examples=["proto"])
    model_graph_format: Annotated[
        str | None, BeforeValidator(values.choice("file", "code"))
    ] = Field(None, description="another name of build_type: file or code", examples=["file"])
    model_data_format: Annotated[
        str | None, BeforeValidator(values.choice("file", "code"))
    ] = Field(None, description="another name of embed_model_data: file or code",
              examples=["file"])
    linkshared: Switch = Field(0, description="0 or 1", examples=["0"])
    cxx: Annotated[str, BeforeValidator(values.choice(*CXX))] = Field(
        "app", description="app, or none: libmace.so needs no C++ library and has the C API alone",
        examples=["none"])
    extra_ops: Annotated[
        tuple[str, ...] | None, BeforeValidator(values.some_of("all", *all_ops()))
    ] = Field(None, description="ops that the library holds besides those of its models",
              examples=["[Softmax]"])
    extra_data_types: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(values.list_of(values.choice("fp16", "bf16", "int8"))),
    ] = Field(None, description="types that the library computes besides those of its "
              "models", examples=["[fp16]"])
    components: Components = Field(
        None, description="what the library can do besides running models",
        examples=["[interfaces]"])
    parts: Components = Field(
        None, description="another name of components, and its former names",
        examples=["[interfaces]"])
    kernel_self_test: Switch = Field(
        1, description="1 or 0: whether the library tests each micro-kernel before its first use",
        examples=["0"])
    models: dict[FileName, Model] = Field(
        description="a mapping from model names to models",
        examples=["{mobilenet: {platform: tensorflow, ...}}"])

    @property
    def graph_format(self) -> str:
        """proto or code."""
        same = {"file": "proto", "code": "code", None: "proto"}
        return self.build_type or same[self.model_graph_format]

    @property
    def asked_components(self) -> tuple[str, ...] | None:
        """What the file lists, by old or new names."""
        return self.parts if self.components is None else self.components

    @property
    def embeds_weights(self) -> bool:
        """Whether weights are compiled into the library."""
        asked = bool(self.embed_model_data) or self.model_data_format == "code"
        return self.graph_format == "code" and asked
