#!/bin/bash
# Prints docker/setup.shar: the files of which tools/setup.sh consists, as a shell archive, for
# builds of the image can read nothing outside of docker/. A change of such a file is followed by
# SPDX-License-Identifier: Apache-2.0
#
#   docker/pack.sh >docker/setup.shar
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s failglob
export LC_ALL=C # the order of names

cat <<'TXT'
#!/bin/sh
# Written by docker/pack.sh: a copy of the files of which tools/setup.sh consists.
# SPDX-License-Identifier: Apache-2.0
#
# usage: sh setup.shar FOLDER      writes them below FOLDER
set -eu
mkdir -p "$1"
cd "$1"
TXT
for file in tools/setup.sh tools/requirements/*.txt tools/mace_tools/setup/maven.py \
  third_party/toolchains/{own_apt,fetch_sources,fetch_sysroot}.sh; do
  printf '\nmkdir -p %s\n' "${file%/*}"
  printf "cat >%s <<'END OF %s'\n" "$file" "$file"
  cat "$file"
  printf 'END OF %s\n' "$file"
  [[ ! -x $file ]] || printf 'chmod +x %s\n' "$file"
done
