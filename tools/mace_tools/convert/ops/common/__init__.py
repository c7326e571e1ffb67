"""Code that several ops share.

SPDX-License-Identifier: Apache-2.0
"""
