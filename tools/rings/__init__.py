"""The rings of tests: what tools/test.sh runs, and the results of the deep suites in git.

SPDX-License-Identifier: Apache-2.0

Uses the standard library only, as it also runs before set-up.
"""
