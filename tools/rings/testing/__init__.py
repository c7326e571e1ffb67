"""What tests of the rings share.

SPDX-License-Identifier: Apache-2.0
"""
