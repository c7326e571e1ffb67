"""Examines models: checks, comparisons, memory plans, quantization, reports.

SPDX-License-Identifier: Apache-2.0
"""
