"""The library's sources in one archive, which CMake builds.

SPDX-License-Identifier: Apache-2.0
"""
