"""Rewrites of the converter's graph: one file each. They change the graph in place and keep its
meaning.

SPDX-License-Identifier: Apache-2.0
"""
