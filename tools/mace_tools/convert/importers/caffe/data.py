"""Layers that read data: they make the inputs of the network.

SPDX-License-Identifier: Apache-2.0
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mace_tools.convert.importers.caffe.prototxt import LayerText
from mace_tools.graph.ir import Shape
from mace_tools.support.errors import ModelError

TYPES = ("Input", "Data", "ImageData", "MemoryData", "HDF5Data", "WindowData", "DummyData",
         "AnnotatedData", "VideoData")
_READERS = {"Data": "data_param", "ImageData": "image_data_param", "WindowData":
            "window_data_param"}


def is_data(layer: LayerText) -> bool:
    """Whether a layer only makes inputs; Python layers without bottoms are such."""
    return layer.type in TYPES or layer.type == "Python" and not layer.bottoms


def shapes(layer: LayerText, path: Path) -> list[Shape | None]:
    """The shape of each top, None if the file does not state it. Errors: ModelError."""
    found = list(_shapes(layer))
    for top, shape in zip(layer.tops, found):
        if shape is not None and any(e is not None and e < 1 for e in shape):
            raise ModelError(f"{path}: input '{top}' has the shape "
                             f"{','.join(map(str, shape))}: extents must be 1 or larger")
    if len(found) != len(layer.tops):
        raise ModelError(f"{path}: {layer.type} '{layer.name}' has {len(layer.tops)} tops and "
                         f"{len(found)} shapes; give one for each")
    return found


def _shapes(layer: LayerText) -> Iterator[Shape | None]:
    m, count = layer.message, len(layer.tops)
    if layer.type in ("Input", "DummyData"):
        stated = _stated(m.input_param if layer.type == "Input" else m.dummy_data_param)
        yield from stated * count if len(stated) == 1 else stated or [None] * count
    elif layer.type == "MemoryData":
        p = m.memory_data_param
        yield (p.batch_size, p.channels, p.height, p.width)
        yield from [(p.batch_size,)] * (count - 1)
    else:
        yield _picture(layer)
        yield from [None] * (count - 1)


def _stated(param: Any) -> list[Shape | None]:
    if len(param.shape):
        return [tuple(s.dim) for s in param.shape]
    if param.DESCRIPTOR.name == "DummyDataParameter" and len(param.num):
        return list(zip(param.num, param.channels, param.height, param.width))
    return []


def _picture(layer: LayerText) -> Shape | None:
    """What a layer that reads images states: the batch, and the size to which they are cut."""
    m = layer.message
    own = getattr(m, _READERS[layer.type], None) if layer.type in _READERS else None
    size = m.transform_param.crop_size or (own.crop_size if own is not None else 0)
    height = size or getattr(own, "new_height", 0)
    width = size or getattr(own, "new_width", 0)
    if not height or not width:
        return None
    channels = 3 if m.transform_param.force_color else 1 if m.transform_param.force_gray else None
    return (own.batch_size or None if own is not None else None, channels, height, width)


def notes(layer: LayerText) -> list[str]:
    """What the layer does to images, which an app has to do."""
    m = layer.message
    if layer.type == "Input":
        return []
    p = m.transform_param
    done = [f"mean_value {', '.join(f'{v:g}' for v in p.mean_value)}"] if p.mean_value else []
    done += [f"mean_file {p.mean_file}"] if p.mean_file else []
    done += [f"scale {p.scale:g}"] if p.scale != 1 else []
    if not done:
        return []
    return [f"{layer.type} '{layer.name}' changes images before the network sees them "
            f"({'; '.join(done)}), which the converted model does not: give it as `preprocess`"]
