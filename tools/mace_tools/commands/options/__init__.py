"""The command line: the options of every command. Nothing here imports what the commands do.

SPDX-License-Identifier: Apache-2.0
"""
