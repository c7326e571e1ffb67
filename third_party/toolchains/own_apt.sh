# own_apt: apt-get with package lists of its own, for the scripts here. Sourced.
# SPDX-License-Identifier: Apache-2.0
#
# The machine's package state, architectures and sources stay as they are. The caller sets $work, a
# new folder, and $arch, and calls `own_apt_begin deb|deb-src RELEASE` first.

own_apt_begin() {
  mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/none"
  touch "$work/status"
  echo "$1 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian $2 main" >"$work/sources.list"
  own_apt update -o APT::Update::Error-Mode=any
}

own_apt() {
  apt-get -qq \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
    -o APT::Sandbox::User=root -o Acquire::Languages=none \
    -o Dir::State="$work" -o Dir::State::status="$work/status" \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work" \
    -o Dir::Etc::sourcelist="$work/sources.list" \
    -o Dir::Etc::sourceparts="$work/none" -o Dir::Etc::preferencesparts="$work/none" "$@"
}
