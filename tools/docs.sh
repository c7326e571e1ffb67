#!/bin/bash
# Builds the documentation as a site of HTML pages; broken links are errors. --help has the options.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
python=${MACE_CACHE:-$HOME/.cache/mace}/venv/bin/python
if [[ ! -x $python ]]; then
  echo "docs: the Python environment is missing; cure: tools/setup.sh --for docs" >&2
  exit 6
fi
tools=$(cd "$(dirname "$0")" && pwd)
PYTHONPATH=$tools exec "$python" -m mace_tools.site "$@"
