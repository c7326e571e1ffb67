#!/bin/bash
# Unpacks Debian libraries of another architecture into a folder for the cross compilers to use.
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch_sysroot.sh RELEASE arm64|armhf FOLDER PACKAGE...
set -euo pipefail

release=$1
arch=$2
folder=$3
shift 3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=third_party/toolchains/own_apt.sh
source "$(dirname "$0")/own_apt.sh"

own_apt_begin deb "$release"
mkdir "$work/debs"
(cd "$work/debs" && own_apt download "$@")

# Unpacked beside the folder and moved into place, so that an interrupted run leaves no half of it.
rm -rf "$folder.new"
mkdir -p "$folder.new"
for deb in "$work"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder.new"
done
printf '%s\n' "$@" >"$folder.new/packages.txt"
rm -rf "$folder"
mv "$folder.new" "$folder"
