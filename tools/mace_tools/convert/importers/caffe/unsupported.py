"""Advice about layers that have no importer.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence

from mace_tools.convert.importers.caffe.prototxt import LayerText

_APP = ("end the model before it (output_tensors in the YAML) and do the rest in the app, or "
        "compute the layer in the app (allow_custom_ops in the YAML, docs/custom_ops.md)")
_ADVICE = {
    "LSTM": "recurrent layers come later; train it in a framework that writes ONNX",
    "RNN": "recurrent layers come later; train it in a framework that writes ONNX",
    "Recurrent": "recurrent layers come later; train it in a framework that writes ONNX",
    "ROIPooling": f"R-FCN's PSROIPooling converts; else {_APP}",
    "SPP": "replace it by Pooling layers of each size, Flatten and Concat", "Im2col": _APP,
    "BatchReindex": f"the size of its result depends on the numbers in it; {_APP}",
    "Filter": f"the size of its result depends on the numbers in it; {_APP}",
}


def help_for(layer: LayerText, bottoms: Sequence[str]) -> str:
    """The cure for a layer of a type that does not convert, or ""."""
    if layer.type == "Python":
        return f"the code of a Python layer is not in the model; {_APP}"
    return _ADVICE.get(layer.type, "")
