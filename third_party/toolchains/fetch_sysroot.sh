#!/bin/bash
# Unpacks Debian libraries of another architecture into a folder for the cross compilers to use.
# SPDX-License-Identifier: Apache-2.0
#
# usage: fetch_sysroot.sh arm64|armhf FOLDER PACKAGE...
#
# apt runs with its own package lists and an empty idea of what is installed, so the machine's own
# package state, foreign architectures and other sources stay as they are.
set -euo pipefail

arch=$1
folder=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/none" "$work/debs"
touch "$work/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
  "http://deb.debian.org/debian bookworm main" >"$work/sources.list"

foreign_apt() {
  apt-get -qq \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
    -o APT::Sandbox::User=root -o Acquire::Languages=none \
    -o Dir::State="$work" -o Dir::State::status="$work/status" \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work" \
    -o Dir::Etc::sourcelist="$work/sources.list" \
    -o Dir::Etc::sourceparts="$work/none" -o Dir::Etc::preferencesparts="$work/none" "$@"
}

foreign_apt update
(cd "$work/debs" && foreign_apt download "$@")

# Unpacked beside the folder and moved into place, so that an interrupted run leaves no half of it.
rm -rf "$folder.new"
mkdir -p "$folder.new"
for deb in "$work"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder.new"
done
printf '%s\n' "$@" >"$folder.new/packages.txt"
rm -rf "$folder"
mv "$folder.new" "$folder"
