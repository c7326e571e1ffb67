"""Phones by adb and boards by ssh: what is there, what it can run, and running mace_run on it.

SPDX-License-Identifier: Apache-2.0
"""
