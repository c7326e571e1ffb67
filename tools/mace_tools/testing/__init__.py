"""What tests of the converter share.

SPDX-License-Identifier: Apache-2.0
"""
