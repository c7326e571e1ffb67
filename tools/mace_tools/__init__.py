"""The Python side of MACE: convert, run, validate and benchmark models.

SPDX-License-Identifier: Apache-2.0
"""
