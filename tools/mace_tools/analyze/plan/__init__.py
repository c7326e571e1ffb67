"""Memory plans as data, tables and charts. The planning itself is C++ (mace/memory).

SPDX-License-Identifier: Apache-2.0
"""
