"""Reads deployment files and checks them against the schema; reports all problems at once.

SPDX-License-Identifier: Apache-2.0
"""
