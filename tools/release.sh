#!/bin/bash
# Makes the files of a release, and uploads nothing; docs/releasing.md. --help has the options.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
python=${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python
if [[ ! -x $python ]]; then
  echo "release: the Python environment is missing; cure: tools/setup.sh --for test" >&2
  exit 6
fi
tools=$(cd "$(dirname "$0")" && pwd)
PYTHONPATH=$tools exec "$python" -m mace_tools.package.release "$@"
