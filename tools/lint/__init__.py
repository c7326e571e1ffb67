"""Checks over the source tree: layers, licences, words, sizes and formatting.

SPDX-License-Identifier: Apache-2.0
"""
