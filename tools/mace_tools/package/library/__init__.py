"""The library that apps link: the engine with the ops of some models, packed with what they need.

SPDX-License-Identifier: Apache-2.0
"""
