#!/bin/bash
# Unpacks Debian's source packages, with its patches, into folders of their names.
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch_sources.sh RELEASE FOLDER PACKAGE...
set -euo pipefail

release=$1
folder=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
arch=$(dpkg --print-architecture)
# shellcheck source=third_party/toolchains/own_apt.sh
source "$(dirname "$0")/own_apt.sh"

own_apt_begin deb-src "$release"
mkdir "$work/sources"
(cd "$work/sources" && own_apt source --download-only "$@")

# Unpacked beside the folder and moved into place, so that an interrupted run leaves no half of it.
rm -rf "$folder.new"
mkdir -p "$folder.new"
for package in "$@"; do
  dpkg-source --no-copy -x "$work/sources/${package}_"*.dsc "$folder.new/$package"
done
printf '%s\n' "$@" >"$folder.new/packages.txt"
rm -rf "$folder"
mv "$folder.new" "$folder"
