"""Rewrites of the converter's graph: one file each, Graph -> Graph in place, semantics kept.

SPDX-License-Identifier: Apache-2.0
"""
