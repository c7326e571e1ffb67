"""Fields of Caffe's layers that do not change what a layer computes in use, with the reason.

SPDX-License-Identifier: Apache-2.0

The importer function must read every other field, or the layer is refused. `training.py` has those
that every layer may have.
"""

from mace_tools.convert.importers.caffe import registry

registry.without_meaning(
    "how weights begin in training", "weight_filler", "bias_filler", "filler", "scale_filler",
)
registry.without_meaning("which library computes it", "engine", "force_nd_im2col")
registry.without_meaning(
    "how running averages are updated in training", "moving_average_fraction", ops=["BatchNorm"],
)
registry.without_meaning("how gradients are computed", "stable_prod_grad", ops=["Eltwise"])
registry.without_meaning(
    "how elements are dropped in training", "dropout_ratio", ops=["Dropout"],
)
