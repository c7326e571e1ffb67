"""Quantizes float models: observes what flows through them, chooses ranges and scales, and writes
graphs that compute in int8.

SPDX-License-Identifier: Apache-2.0
"""
