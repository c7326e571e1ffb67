"""What tools/setup.sh runs: pinned jars, and the pins that newer versions passed.

SPDX-License-Identifier: Apache-2.0
"""
