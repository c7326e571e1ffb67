"""The order of dimensions that the shapes of a Caffe network are given in.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.commands.context import Context
from mace_tools.config.schema import Model
from mace_tools.config.values import OPEN, Dims
from mace_tools.convert.importers.source import SourceModel
from mace_tools.graph.ir import Shape

TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


def chosen(context: Context, tag: str, model: Model, read: SourceModel) -> Model:
    """The model with its orders of dimensions, where a Caffe network's input_shapes are in NHWC, as
    in MACE's own deployment files, and no key says so. The network itself is in NCHW, and tells by
    its shapes or its channels which of the two is meant."""
    sub = model.subgraph
    if model.platform != "caffe" or sub.input_data_formats is not None:
        return model
    turned = [name for name, dims in zip(sub.input_names, sub.input_shapes)
              if _is_nhwc(dims, read.own_shape(name))]
    if not turned:
        return model
    context.console.info(f"{tag}: input_shapes is taken as NHWC ({', '.join(turned)}), and so are "
                         "all four-dimensional inputs and outputs of the converted model; "
                         "`input_data_formats: NHWC` says the same, and with NCHW they have the "
                         "order of the network")
    return model.model_copy(update={"subgraphs": [sub.model_copy(update={
        "input_data_formats": tuple("NHWC" if len(d) == 4 else "NONE" for d in sub.input_shapes),
        "output_data_formats": sub.output_data_formats or ("NHWC",)})]})


def _is_nhwc(dims: Dims, own: Shape | None) -> bool:
    if len(dims) != 4 or own is None or len(own) != 4:
        return False
    given = tuple(None if isinstance(d, str) or d == OPEN else d for d in dims)
    moved = tuple(given[i] for i in TO_NCHW)
    if fits(given, own) or fits(moved, own):
        return not fits(given, own)
    return moved[1] == own[1] and given[1] != own[1]


def fits(shape: Shape, own: Shape | None) -> bool:
    """Whether a shape is one that the file allows."""
    return own is None or all(e is None or e == s for s, e in zip(shape, own))
