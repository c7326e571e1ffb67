"""Caffe importer: a network's text (.prototxt), with its weights (.caffemodel).

SPDX-License-Identifier: Apache-2.0

Blobs are NCHW, as Caffe has them: spatial layers become NHWC engine ops between Transposes, which
the layout pass sinks and cancels.
"""

from mace_tools.convert.importers.caffe.reader import read
from mace_tools.convert.importers.registry import Registry

registry = Registry("Caffe", __name__)

__all__ = ["read", "registry"]
