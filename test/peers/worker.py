"""One engine with one network in a process of its own, as `mace_run --interactive` is for MACE.

SPDX-License-Identifier: Apache-2.0

usage: worker.py ENGINE THREADS [MODEL INPUT.npy OUTPUTS.npz]

Prints how long loading took, then runs once per line on stdin and prints how long that took,
in milliseconds. At the end of stdin it writes the last outputs, NHWC. Without a model it only
imports the engine, to measure what such a process needs by itself.
"""

import re
import sys
import time
from abc import ABC, abstractmethod

import numpy as np


class Peer(ABC):
    """`load` and `run` are timed; an input is given before, outputs are taken after."""

    def __init__(self, threads: int) -> None:
        """Imports the engine."""
        self.threads = threads

    @abstractmethod
    def load(self, model: str) -> None: ...

    @abstractmethod
    def feed(self, picture: np.ndarray) -> None:
        """An NHWC image, for all runs."""

    def before_run(self) -> None:  # noqa: B027 - most have nothing to do
        """Not included in the times."""

    @abstractmethod
    def run(self) -> None: ...

    @abstractmethod
    def outputs(self) -> list[np.ndarray]:
        """The outputs of the last run, NHWC or flat."""


def _nchw(picture: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(picture.transpose(0, 3, 1, 2))


def _nhwc(y: np.ndarray) -> np.ndarray:
    return y.transpose(0, 2, 3, 1) if y.ndim == 4 else y


class LiteRt(Peer):
    """TensorFlow Lite with XNNPACK, its default on the CPU."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter = Interpreter

    def load(self, model: str) -> None:
        self._net = self._interpreter(model, num_threads=self.threads)
        self._net.allocate_tensors()

    def feed(self, picture: np.ndarray) -> None:
        self._net.set_tensor(self._net.get_input_details()[0]["index"], picture)

    def run(self) -> None:
        self._net.invoke()

    def outputs(self) -> list[np.ndarray]:
        return [self._net.get_tensor(d["index"]) for d in self._net.get_output_details()]


class LiteRtReference(LiteRt):
    """Its reference kernels, which define the quantized values of quantized models."""

    def load(self, model: str) -> None:
        from ai_edge_litert.interpreter import OpResolverType

        self._net = self._interpreter(
            model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        self._net.allocate_tensors()


class OnnxRuntime(Peer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        import onnxruntime

        self._ort = onnxruntime

    def load(self, model: str) -> None:
        options = self._ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        self._net = self._ort.InferenceSession(model, options)

    def feed(self, picture: np.ndarray) -> None:
        self._feed = {"input": _nchw(picture)}

    def run(self) -> None:
        self._last = self._net.run(None, self._feed)

    def outputs(self) -> list[np.ndarray]:
        return [_nhwc(y) for y in self._last]


class Ncnn(Peer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        import ncnn

        self._ncnn = ncnn

    def load(self, model: str) -> None:
        self._net = self._ncnn.Net()
        self._net.opt.num_threads = self.threads
        self._set_options(self._net.opt)
        if self._net.load_param(model) or self._net.load_model(model.replace(".param", ".bin")):
            raise RuntimeError("ncnn cannot load this network")

    def _set_options(self, options: object) -> None:
        for name in dir(options):  # float32 throughout
            if name.startswith("use_") and re.search("fp16|bf16|int8", name):
                setattr(options, name, False)

    def feed(self, picture: np.ndarray) -> None:
        array = _nchw(picture)[0]  # a Mat does not keep its memory alive
        self._picture = self._ncnn.Mat(array).clone()

    def run(self) -> None:
        extractor = self._net.create_extractor()
        extractor.input(self._net.input_names()[0], self._picture)
        self._last = [extractor.extract(name)[1] for name in self._net.output_names()]

    def outputs(self) -> list[np.ndarray]:
        arrays = [np.array(y)[None] for y in self._last]
        return [_nhwc(y) for y in arrays]


class NcnnVulkan(Ncnn):
    """With the options that ncnn has by itself, fp16 among them."""

    def _set_options(self, options: object) -> None:
        if self._ncnn.get_gpu_count() == 0:
            raise RuntimeError("ncnn finds no Vulkan device")
        options.use_vulkan_compute = True  # type: ignore[attr-defined]


class LiteRtWebGpu(Peer):
    """LiteRT's compiled model on its WebGPU accelerator, which must take all nodes."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        from ai_edge_litert import compiled_model

        self._litert = compiled_model

    def load(self, model: str) -> None:
        self._net = self._litert.CompiledModel.from_file(
            model, hardware_accel=self._litert.HardwareAccelerator.GPU)
        if not self._net.is_fully_accelerated():
            raise RuntimeError("LiteRT leaves nodes to the CPU")
        self._inputs = self._net.create_input_buffers(0)
        self._outputs = self._net.create_output_buffers(0)
        self._sizes = [int(np.prod(buffer.get_tensor_details()["shape"]))
                       for buffer in self._outputs]

    def feed(self, picture: np.ndarray) -> None:
        self._picture = picture

    def run(self) -> None:
        self._inputs[0].write(self._picture)
        self._net.run_by_index(0, self._inputs, self._outputs)
        self._last = [buffer.read(size, np.float32)
                      for buffer, size in zip(self._outputs, self._sizes, strict=True)]

    def outputs(self) -> list[np.ndarray]:
        return self._last


class Mnn(Peer):
    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        import MNN

        self._mnn = MNN

    def load(self, model: str) -> None:
        self._net = self._mnn.Interpreter(model)
        self._session = self._net.createSession(
            {"backend": "CPU", "numThread": self.threads, "precision": "high"})

    def feed(self, picture: np.ndarray) -> None:
        self._input = self._net.getSessionInput(self._session)
        self._array = _nchw(picture)  # a Tensor does not keep its memory alive
        self._picture = self._tensor(self._array)

    def before_run(self) -> None:
        self._input.copyFrom(self._picture)  # a run overwrites it

    def run(self) -> None:
        self._net.runSession(self._session)

    def outputs(self) -> list[np.ndarray]:
        results = []
        for tensor in self._net.getSessionOutputAll(self._session).values():
            array = np.zeros(tensor.getShape(), np.float32)
            host = self._tensor(array)
            tensor.copyToHostTensor(host)
            results.append(_nhwc(np.array(host.getNumpyData(), copy=True)))
        return results

    def _tensor(self, array: np.ndarray) -> object:
        return self._mnn.Tensor(array.shape, self._mnn.Halide_Type_Float, array,
                                self._mnn.Tensor_DimensionType_Caffe)


PEERS: dict[str, type[Peer]] = {
    "xnnpack": LiteRt, "onnxruntime": OnnxRuntime, "ncnn": Ncnn, "mnn": Mnn,
    "ncnn_vulkan": NcnnVulkan, "litert_webgpu": LiteRtWebGpu, "litert_reference": LiteRtReference}


def _timed_ms(what: object) -> float:
    begin = time.perf_counter()
    what()  # type: ignore[operator]
    return 1e3 * (time.perf_counter() - begin)


def main(arguments: list[str]) -> int:
    peer = PEERS[arguments[0]](int(arguments[1]))
    if len(arguments) == 2:
        print("mace 0", flush=True)
        sys.stdin.read()
        return 0
    model, picture, outputs = arguments[2:]
    # The engines print to stdout too; ours are the lines that begin with "mace".
    print("mace", _timed_ms(lambda: peer.load(model)), flush=True)
    peer.feed(np.load(picture))
    for _ in sys.stdin:
        peer.before_run()
        print("mace", _timed_ms(peer.run), flush=True)
    np.savez(outputs, *peer.outputs())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
