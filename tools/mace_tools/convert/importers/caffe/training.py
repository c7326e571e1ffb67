"""What matters in training only: layers, and fields of layers that compute.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mace_tools.convert.importers.caffe.prototxt import LayerText, listed

# Layers that are left out. Their bottoms become outputs if nothing else reads them.
_DROPPED = frozenset(
    """Accuracy BoxAnnotatorOHEM ContrastiveLoss DetectionEvaluate EuclideanLoss HDF5Output
    HingeLoss InfogainLoss MultiBoxLoss MultinomialLogisticLoss SigmoidCrossEntropyLoss Silence
    SmoothL1Loss SmoothL1LossOHEM SoftmaxWithLossOHEM""".split())
# Layers whose bottoms nobody wants to see.
_HIDES = frozenset({"Accuracy", "DetectionEvaluate", "HDF5Output", "Silence"})
_LOSSES = frozenset(name for name in _DROPPED if "Loss" in name)

# Fields of every layer that have no meaning when a network is used, with the reason.
LAYER_FIELDS = {
    "loss_weight": "how much a loss counts", "propagate_down": "whether gradients go on",
    "phase": "Caffe writes it, the rules `include` and `exclude` decide",
    "blobs_lr": "learning rates", "weight_decay": "learning rates",
    "blob_share_mode": "checks in training", "loss_param": "how a loss is scaled",
    "transform_param": "what is done to images before the network sees them: reported in a note",
    "accuracy_param": "how accuracy is measured",
}
# Fields of networks that have no meaning.
NET_FIELDS = {"force_backward": "gradients", "debug_info": "what is logged"}


def is_dropped(kind: str) -> bool:
    return kind in _DROPPED


def hides(kind: str) -> bool:
    """Whether what the layer reads is no output of the network."""
    return kind in _HIDES


def for_use(layer: LayerText) -> LayerText:
    """The layer as a network in use has it: of a SoftmaxWithLoss only the softmax is left, without
    labels."""
    if layer.type != "SoftmaxWithLoss":
        return layer
    return replace(layer, type="Softmax", bottoms=layer.bottoms[:1],
                   tops=layer.tops[-1:] or [layer.name])


def meaningful(values: dict[str, Any]) -> dict[str, Any]:
    """The settings of a layer without those of training."""
    return {k: v for k, v in values.items() if k.partition(".")[0] not in LAYER_FIELDS}


def notes(layers: Sequence[LayerText]) -> list[str]:
    lost = [n.name for n in layers if n.type in _LOSSES]
    soft = [n for n in layers if n.type == "SoftmaxWithLoss"]
    found = [f"losses are left out: {listed(lost)}; what they read are outputs"] if lost else []
    return found + [f"SoftmaxWithLoss '{n.name}' becomes a Softmax: "
                    f"'{for_use(n).tops[0]}' are probabilities" for n in soft]
