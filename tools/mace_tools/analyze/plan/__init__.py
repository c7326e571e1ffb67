"""Memory plans as data, tables and pictures. The planning itself is C++ (mace/memory).

SPDX-License-Identifier: Apache-2.0
"""
