"""Shared code of the converter's tests.

SPDX-License-Identifier: Apache-2.0
"""
