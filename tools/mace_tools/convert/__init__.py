"""From a source model to MACE's file: import, passes, emission.

SPDX-License-Identifier: Apache-2.0
"""
