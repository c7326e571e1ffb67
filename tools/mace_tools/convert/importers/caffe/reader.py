"""Reads a network and its weights into a SourceModel.

SPDX-License-Identifier: Apache-2.0

Layers overwrite blobs (`top` is `bottom`), so that a name stands for several tensors: the last one
has the name of the blob, earlier ones that of the blob and their layer, as in conv1@conv1.
"""

from difflib import get_close_matches
from pathlib import Path

from mace_tools.convert.importers.caffe import data, training
from mace_tools.convert.importers.caffe.layer import Layer, own_fields
from mace_tools.convert.importers.caffe.prototxt import LayerText, Net, listed, read_net, settings
from mace_tools.convert.importers.caffe.unsupported import help_for
from mace_tools.convert.importers.caffe.weights import Blob, read_weights
from mace_tools.convert.importers.source import SourceModel, ValueInfo
from mace_tools.support.errors import ModelError

SUFFIX = ".caffemodel"


def read(path: Path, weights: Path | None = None) -> SourceModel:
    """`weights` is the .caffemodel; if not given, it is looked for beside the network.

    Errors: ModelError naming the file and what is wrong with it."""
    net = read_net(path)
    found = weights or beside(path)
    blobs = read_weights(found) if found is not None else {}
    return _Wiring(path, net, found, blobs).model()


def beside(path: Path) -> Path | None:
    """The weights file in the folder of a network: the one of the same name, or the only one."""
    same = path.with_suffix(SUFFIX)
    if same.is_file():
        return same
    others = candidates(path)
    return others[0] if len(others) == 1 else None


def candidates(path: Path) -> list[Path]:
    return sorted(p for p in path.parent.glob(f"*{SUFFIX}") if p.is_file())


class _Wiring:
    """Makes nodes of layers, in the order of the file, which is the order of execution."""

    def __init__(self, path: Path, net: Net, weights: Path | None,
                 blobs: dict[str, list[Blob]]) -> None:
        self.path, self.name, self.weights, self.blobs = path, net.name, weights, blobs
        self.layers = [training.for_use(layer) for layer in net.layers]
        self.kept = [n for n in self.layers if not training.is_dropped(n.type)]
        self.notes = training.notes(net.layers)
        self.inputs: dict[str, ValueInfo] = {}
        self.now: dict[str, str] = {}  # a blob's present tensor
        self.makers: dict[str, LayerText] = {}  # of each blob, the last one so far
        self.read: set[str] = set()
        self.silenced: set[str] = set()
        self.shared: dict[str, Blob] = {}

    def model(self) -> SourceModel:
        self._check_names()
        self._share()
        last = {top: layer for layer in self.kept for top in layer.tops}
        model = SourceModel("Caffe", self.name, [], {}, {}, [], data_format="NCHW")
        for layer in self.layers:
            if training.is_dropped(layer.type):
                self._drop(layer)
            elif data.is_data(layer):
                self._add_inputs(layer)
            else:
                model.nodes.append(self._node(layer, last, model))
        model.inputs = self.inputs
        tensors = [(t, self.now[t]) for t in dict.fromkeys(
            top for n in self.kept if not data.is_data(n) for top in n.tops)]
        model.outputs = [now for _, now in tensors
                         if now not in self.read and now not in self.silenced]
        if not model.outputs:
            raise ModelError(f"{self.path} has no outputs: it has no layers that compute something")
        model.notes = self.notes + self._unused_weights()
        return model

    def _check_names(self) -> None:
        seen: set[str] = set()
        for layer in self.kept:
            if layer.name in seen:
                raise ModelError(f"{self.path}: two layers have the name '{layer.name}', so that "
                                 "their weights cannot be told apart; rename one of them")
            seen.add(layer.name)

    def _share(self) -> None:
        """Finds parameters with a name, which layers have in common: the last blobs of the file
        hold, as in Caffe."""
        for layer in self.kept:
            for name, blob in zip(layer.shared, self.blobs.get(layer.name, [])):
                if name:
                    self.shared[name] = blob

    def _own_blobs(self, layer: LayerText) -> list[Blob]:
        own = list(self.blobs.get(layer.name, []))
        for k, name in enumerate(layer.shared):
            if name and name in self.shared and k <= len(own):
                own[k : k + 1] = [_reshaped(self.shared[name], own[k] if k < len(own) else None)]
        return own

    def _drop(self, layer: LayerText) -> None:
        for bottom in layer.bottoms:
            if bottom in self.now and training.hides(layer.type):
                self.silenced.add(self.now[bottom])
        for top in layer.tops:
            self.makers[top] = layer

    def _add_inputs(self, layer: LayerText) -> None:
        if layer.bottoms:
            raise ModelError(f"{self.path}: {layer.type} '{layer.name}' has bottoms, but it makes "
                             "the inputs of the network")
        for top, shape in zip(layer.tops, data.shapes(layer, self.path)):
            self._check_top(layer, top)
            self.inputs[top] = ValueInfo("f32", shape)
            self.now[top], self.makers[top] = top, layer
        self.notes += data.notes(layer)

    def _node(self, layer: LayerText, last: dict[str, LayerText], model: SourceModel) -> Layer:
        bottoms = [self._bottom(layer, name) for name in layer.bottoms]
        outputs = []
        for k, top in enumerate(layer.tops):
            if top in layer.tops[:k]:
                raise ModelError(f"{self.path}: layer '{layer.name}' has the top '{top}' twice")
            self._check_top(layer, top)
            named = last[top] is layer and top not in self.inputs
            self.now[top] = top if named else f"{top}@{layer.name}"
            self.makers[top] = layer
            outputs.append(self.now[top])
        if not outputs:
            raise ModelError(f"{self.path}: {layer.type} '{layer.name}' has no top")
        values, at_default = settings(layer, own_fields(layer.type))
        values = training.meaningful(values)
        op = f"Python.{values.get('layer')}" if layer.type == "Python" else layer.type
        blobs, names = self._own_blobs(layer), []
        for k, blob in enumerate(blobs):
            names.append(f"{layer.name}/weights" + (f":{k}" if k else ""))
            model.constants[names[-1]] = blob.array
            if blob.stored:
                model.stored[names[-1]] = blob.stored
        if blobs:
            values["num_blobs"] = len(blobs)
        help = help_for(layer, bottoms)
        if help:
            model.help.setdefault(op, help)
        return Layer(layer.name, op, bottoms + names, outputs, values, at_default,
                     num_bottoms=len(bottoms), blobs=blobs, no_blobs=self._why_none(layer),
                     weights_file=str(self.weights or ""))

    def _bottom(self, layer: LayerText, name: str) -> str:
        if name in self.now:
            self.read.add(self.now[name])
            return self.now[name]
        where = f"{self.path}: layer '{layer.name}' reads '{name}', which "
        if name in self.makers:
            maker = self.makers[name]
            raise ModelError(f"{where}the {maker.type} '{maker.name}' makes in training only; "
                             "remove the layer, or end the model before it")
        later = next((n for n in self.kept if name in n.tops), None)
        if later is layer:
            raise ModelError(f"{where}the layer itself makes: the network has a cycle")
        if later is not None:
            raise ModelError(f"{where}only the layer '{later.name}' further down makes: the "
                             "network has a cycle, or its layers are out of order")
        near = get_close_matches(name, list(self.now), 1)
        raise ModelError(f"{where}no layer makes" + (f"; did you mean '{near[0]}'?" if near else
                                                     "; blobs before it: "
                                                     + (listed(list(self.now)) or "none")))

    def _check_top(self, layer: LayerText, top: str) -> None:
        if top in self.now and top not in layer.bottoms:
            raise ModelError(
                f"{self.path}: both '{self.makers[top].name}' and '{layer.name}' make the blob "
                f"'{top}', and the second does not read it; rename one of the tops")

    def _why_none(self, layer: LayerText) -> str:
        if self.weights is None:
            others = candidates(self.path)
            found = (f"{len(others)} weights files lie beside {self.path} "
                     f"({listed([p.name for p in others])})" if others else
                     f"no weights file (*{SUFFIX}) lies beside {self.path}")
            return f"{found}: name it by weight_file_path in the YAML, or by --weights of init"
        near = get_close_matches(layer.name, list(self.blobs), 1)
        mean = f" (it has one for '{near[0]}')" if near else ""
        return (f"{self.weights} has none for a layer of this name{mean}: the weights are of "
                "another network, or the layer was renamed")

    def _unused_weights(self) -> list[str]:
        names = {n.name for n in self.layers}
        rest = [name for name in self.blobs if name not in names]
        return [f"{self.weights} has weights for {len(rest)} layer(s) that the network does not "
                f"have: {listed(rest)}"] if rest else []


def _reshaped(blob: Blob, own: Blob | None) -> Blob:
    """A shared blob in the shape that the layer's own one has."""
    if own is None or own.array.shape == blob.array.shape or own.array.size != blob.array.size:
        return blob
    return Blob(blob.array.reshape(own.array.shape), own.legacy, blob.stored)
