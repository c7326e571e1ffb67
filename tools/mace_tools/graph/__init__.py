"""The graph of the converter: tensors, nodes, attributes, states, the schemas of ops.

SPDX-License-Identifier: Apache-2.0
"""
