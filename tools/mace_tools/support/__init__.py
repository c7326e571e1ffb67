"""What the layers above share and what knows no model: files, messages, errors, other programs.

SPDX-License-Identifier: Apache-2.0
"""
