"""Quantizes float models: observes what flows through them, chooses ranges and scales, and writes
graphs that compute in codes of 8 bits.

SPDX-License-Identifier: Apache-2.0
"""
