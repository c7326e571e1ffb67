"""Compares the layers of a converted model with those of its source, or of another run.

SPDX-License-Identifier: Apache-2.0

Every layer is computed twice: within the whole model, where errors accumulate, and alone, from the
reference's own inputs, which tells whether the layer itself is wrong.
"""
