"""Detects the format of a model file by its contents, not by its name.

SPDX-License-Identifier: Apache-2.0
"""

import mmap
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mace_tools.support.limits import open_file
from mace_tools.support.protobuf_wire import BYTES, VARINT, FieldAt, NotWire, fields

HEAD_BYTES = 4096
TORCH_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
MAX_FIELDS = 4096  # of a message; far fewer tell what a file is


@dataclass(frozen=True)
class Kind:
    """A format: its name with an article, the platform that reads it or "", and the cure."""

    name: str
    platform: str = ""
    cure: str = ""


_FREEZE = ("export it as a SavedModel (tf.saved_model.save, or model.export of Keras) and name its "
           "folder, or freeze it into one .pb file "
           "(tf.compat.v1.graph_util.convert_variables_to_constants)")
_TORCH = ("reading it would run the code in it, or it holds weights without a model: in the "
          "program that made it, write torch.export.save(torch.export.export(model.eval(), "
          "(example_input,)), 'model.pt2') and give that file")
_NETWORK = "give its network (.prototxt), and this file as weight_file_path, or --weights of init"
_CONVERTED = "it is what a conversion writes: give the model that it was made from"
_UNPACK = "unpack it and give the model in it"

ONNX = Kind("an ONNX model", "onnx")
TENSORFLOW = Kind("a TensorFlow graph", "tensorflow")
TFLITE = Kind("a TFLite model", "tflite")
CAFFE_NET = Kind("a Caffe network (.prototxt)", "caffe")
CAFFE_WEIGHTS = Kind("a Caffe weights file (.caffemodel)", "", _NETWORK)
CAFFE_OLD_WEIGHTS = Kind(CAFFE_WEIGHTS.name + " of before Caffe 1.0", "", _NETWORK)
SAVED_MODEL = Kind("a TensorFlow SavedModel", "tensorflow")
CHECKPOINT_FOLDER = Kind("a Hugging Face checkpoint (config.json and safetensors)", "huggingface")
GENAI_FOLDER = Kind("a model of onnxruntime-genai (genai_config.json)", "onnx")
GENAI_CONFIG = "genai_config.json"
GGUF = Kind("a GGUF file", "gguf")
SAFETENSORS = Kind("weights (safetensors)", "", "give the folder that has them and their "
                   "config.json")
META_GRAPH = Kind("the graph of a TensorFlow checkpoint (.meta)", "", _FREEZE)
CHECKPOINT = Kind("a TensorFlow checkpoint (.index)", "", _FREEZE)
KERAS_H5 = Kind("an HDF5 file, as Keras writes (.h5)", "keras")
KERAS = Kind("a Keras model (.keras)", "keras")
TORCH_PROGRAM = Kind("an exported program of PyTorch (.pt2)", "pytorch")
TORCH_SCRIPT = Kind("a TorchScript model of PyTorch", "pytorch")
TORCH_COMPILED = Kind(
    "a program that AOTInductor compiled for one kind of machine (.pt2)", "",
    "give the exported program that was compiled: torch.export.save(torch.export.export("
    "model.eval(), (example_input,)), 'model.pt2')")
TORCH = Kind("a pickled PyTorch file", "", _TORCH)
TORCH_OLD = Kind("a pickled PyTorch file of the old kind", "", _TORCH)
MACE_GRAPH = Kind("a model that MACE converted (.pb)", "", _CONVERTED)
MACE_WEIGHTS = Kind("the weights of a model that MACE converted (.data)", "", _CONVERTED)
ONNX_TENSOR = Kind("a single ONNX tensor", "", "give the model that it belongs to")
NUMPY = Kind("a NumPy file", "", "give the model; arrays are for --input")
PICTURE = Kind("an image", "", "give the model; images are for --input")
ZIP, GZIP, TAR = (Kind(f"a {what} archive", "", _UNPACK) for what in ("zip", "gzip", "tar"))
LFS = Kind("a Git LFS pointer, not the file itself", "", "`git lfs pull` fetches the file")
HTML = Kind("a web page", "", "download the file itself; a page about it was saved instead")
NCNN = Kind("an ncnn network (.param)", "", "give the model that it was converted from")


def detect(path: Path) -> Kind | None:
    """The format, or None if it is unknown. Errors: OSError."""
    if path.is_dir():
        if graph_file(path) is not None:
            return SAVED_MODEL
        if (path / GENAI_CONFIG).is_file():
            return GENAI_FOLDER
        return CHECKPOINT_FOLDER if (path / "config.json").is_file() else None
    if not path.stat().st_size:
        return None
    with open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        head = data[:HEAD_BYTES]
        with memoryview(data) as view:
            return _by_magic(path, head, view) or _by_text(head) or _by_fields(view) or (
                _weights_of(path))


def graph_file(folder: Path) -> Path | None:
    """The graph in the folder of a SavedModel; None: it is no such folder."""
    return next((file for name in ("saved_model.pb", "saved_model.pbtxt")
                 if (file := folder / name).is_file()), None)


def checkpoint_files(folder: Path) -> list[Path]:
    """What the checksum is about, of a Hugging Face checkpoint or a folder of onnxruntime-genai."""
    first, rest = ((GENAI_CONFIG, "*.onnx*") if (folder / GENAI_CONFIG).is_file() else
                   ("config.json", "*.safetensors"))
    return [folder / first, *sorted(p for p in folder.glob(rest) if p.is_file())]


def _by_magic(path: Path, head: bytes, data: memoryview) -> Kind | None:
    for magic, kind in ((b"\x89HDF\r\n\x1a\n", KERAS_H5), (b"\x93NUMPY", NUMPY),
                        (b"\x89PNG\r\n", PICTURE), (b"\xff\xd8\xff", PICTURE), (b"GIF8", PICTURE),
                        (b"GGUF", GGUF), (b"\x1f\x8b", GZIP), (TORCH_MAGIC, TORCH_OLD),
                        (b"version https://git-lfs", LFS), (b"7767517\n", NCNN)):
        if head.startswith(magic):
            return kind
    if head[4:8] == b"TFL3":
        return TFLITE
    if head[257:262] == b"ustar":
        return TAR
    # A table of LevelDB ends with this number.
    if data[-8:] == bytes.fromhex("57fb808b247547db"):
        return CHECKPOINT
    if head[8:9] == b"{" and b'"data_offsets"' in head:
        return SAFETENSORS
    return _zip(path) if head.startswith(b"PK\x03\x04") else None


def _zip(path: Path) -> Kind:
    import zipfile  # which most files do not need

    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return ZIP
    inner = [n.partition("/")[2] for n in names]
    if any(n.endswith(("serialized_exported_program.json", "models/model.json")) for n in names):
        return TORCH_PROGRAM
    if any("aotinductor" in n.split("/") for n in names):
        return TORCH_COMPILED
    if "constants.pkl" in inner and any(n.startswith("code/") for n in inner):
        return TORCH_SCRIPT
    if any(n.endswith("data.pkl") for n in names):
        return TORCH
    if "config.json" in names and any(n.endswith(".h5") for n in names):
        return KERAS
    return NUMPY if names and all(n.endswith(".npy") for n in names) else ZIP


def _by_text(head: bytes) -> Kind | None:
    try:
        text = head.decode("utf-8", "strict" if len(head) < HEAD_BYTES else "ignore")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    if re.match(r"\s*<(!doctype html|html)", text, re.IGNORECASE):
        return HTML
    text = re.sub(r"#.*", "", text).lstrip()
    if re.match(r"node\s*{", text):
        return TENSORFLOW
    layers = re.search(r"^\s*layers?\s*{", text, re.MULTILINE)
    return CAFFE_NET if layers and re.search(r"\b(type|top)\s*:", text) else None


def _by_fields(data: memoryview) -> Kind | None:
    found = _known(data)
    for kind, (allowed, needed, inner) in _MESSAGES.items():
        types = {(f.number, f.kind) for f in found}
        if not types or not types <= allowed or not needed <= types:
            continue
        if inner is None or inner(data, found):
            return kind
    return None


def _known(data: memoryview, begin: int = 0, end: int | None = None) -> list[FieldAt]:
    """The first fields of a message, if it has any."""
    found: list[FieldAt] = []
    try:
        for field in fields(data, begin, end):
            found.append(field)
            if len(found) == MAX_FIELDS:
                break
    except NotWire as e:
        if str(e) != "cut off":
            return []
    return found


def _set(*lengths: int, numbers: tuple[int, ...] = ()) -> frozenset[tuple[int, int]]:
    """Fields of text, bytes or messages, and of whole numbers."""
    return frozenset({(n, BYTES) for n in lengths} | {(n, VARINT) for n in numbers})


def _has_nodes(data: memoryview, found: list[FieldAt]) -> bool:
    """Field 1 is a NodeDef: 1 is its name, 2 its operator."""
    node = next(f for f in found if f.number == 1)
    parts = {f.number: f for f in _known(data, node.begin, node.end)}
    if not {1, 2} <= set(parts) or not set(parts) <= set(range(1, 9)):
        return False
    op = bytes(data[parts[2].begin : parts[2].end])
    return re.fullmatch(rb"[A-Za-z_>.][\w>.]*", op) is not None


def _has_graph(data: memoryview, found: list[FieldAt]) -> bool:
    """Field 2 is a GraphDef."""
    graph = next(f for f in found if f.number == 2)
    parts = _known(data, graph.begin, graph.end)
    return any(f.number == 1 for f in parts) and _has_nodes(data, parts)


def _has_meta_graph(data: memoryview, found: list[FieldAt]) -> bool:
    """Field 2 is a MetaGraphDef."""
    meta = next(f for f in found if f.number == 2)
    parts = _known(data, meta.begin, meta.end)
    return any(f.number == 2 for f in parts) and _has_graph(data, parts)


# For each message: fields that it may have, fields that it must have, and a check of one of them.
_MESSAGES: dict[Kind, tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]],
                            Callable[[memoryview, list[FieldAt]], bool] | None]] = {
    # onnx.proto: ModelProto, TensorProto
    ONNX: (_set(2, 3, 4, 6, 7, 8, 14, 20, 25, 26, numbers=(1, 5)), _set(7), None),
    ONNX_TENSOR: (_set(1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, numbers=(1, 2, 14)),
                  _set(9, numbers=(2,)), None),
    # tensorflow/core: GraphDef, SavedModel, MetaGraphDef
    TENSORFLOW: (_set(1, 2, 4, 5, numbers=(3,)), _set(1), _has_nodes),
    SAVED_MODEL: (_set(2, numbers=(1,)), _set(2), _has_meta_graph),
    META_GRAPH: (_set(1, 2, 3, 4, 5, 6, 7), _set(1, 2), _has_graph),
    # mace.proto: NetDef
    MACE_GRAPH: (_set(1, 2, 3, 4, 5, 100, 101, *range(203, 209), numbers=(200, 201)) |
                 {(202, 1), (209, 1)},
                 _set(2, numbers=(200,)), None),
    # caffe.proto: NetParameter, with layers of today or of before
    CAFFE_WEIGHTS: (_set(1, 2, 3, 6, 8, 100, numbers=(4, 5, 7)), _set(100), None),
    CAFFE_OLD_WEIGHTS: (
        _set(1, 2, 3, 6, 8, numbers=(4, 5, 7)), _set(1, 2), None),
}


def _weights_of(path: Path) -> Kind | None:
    """Weights of MACE cannot be recognized by themselves, but by the graph beside them."""
    graph = path.with_suffix(".pb")
    beside = path.suffix == ".data" and graph.is_file() and detect(graph) is MACE_GRAPH
    return MACE_WEIGHTS if beside else None
