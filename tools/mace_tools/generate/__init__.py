"""The lists that are generated from the code and kept in git; run each as a module.

SPDX-License-Identifier: Apache-2.0
"""
