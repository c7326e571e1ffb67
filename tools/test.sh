#!/bin/bash
# Runs a ring of tests, suites, or what a change affects; ends with "N passed, N failed, N skipped".
# SPDX-License-Identifier: Apache-2.0
#
# The table of suites and all the rest is in tools/rings. A bare machine may have no Python yet.
cd "$(dirname "$0")" || exit 3
python=/usr/bin/python3
[[ -x $python ]] || ./setup.sh --for test || exit 3
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "test: $python is older than 3.11" >&2
  echo "test: cure: use Debian 12 or newer" >&2
  exit 3
fi
exec "$python" -B -m rings "$@"
