"""Runs models: the C++ programs of this repository, and the inputs that they read.

SPDX-License-Identifier: Apache-2.0
"""
