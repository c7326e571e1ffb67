"""What apps get: libraries, Java and Python packages, sources, encrypted models.

SPDX-License-Identifier: Apache-2.0
"""
