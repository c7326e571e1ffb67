#!/bin/bash
# Runs a test under oclgrind, which watches its kernels, and fails if oclgrind has anything to say.
# SPDX-License-Identifier: Apache-2.0
#
# Used as --run_under. oclgrind itself never fails a program; what it sees goes to a log.
log=${TEST_TMPDIR:-/tmp}/oclgrind.$$.log
: >"$log"
OCLGRIND_LOG=$log OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 "$@"
status=$?
if [[ -s $log ]]; then
  echo "FAILED: oclgrind reports ($(grep -c . "$log") lines, the first):"
  head -n 40 "$log"
  ((status)) || status=1
fi
rm -f "$log"
exit $status
