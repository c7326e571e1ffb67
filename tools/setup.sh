#!/bin/bash
# Installs what building, running or testing MACE needs on Debian 12, and only what is missing.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'TXT'
usage: tools/setup.sh [--for run|devices|validate|docs|test]

  run       compiler, Bazel, libraries and the Python packages of tools/converter.py (default)
  devices   run, and adb and ssh, by which models run on phones and boards
  validate  run, and the source frameworks of `converter.py run --validate`
  docs      run, and what tools/docs.sh makes the documentation's site with
  test      validate and docs, and what tools/test.sh needs: Arm cross compilers with their
            libraries, qemu, clang, a JDK, a browser

Debian packages are installed with apt-get, sources of Debian that the library compiles into
/opt/mace-sources, Python packages into $MACE_CACHE/venv, the Arm libraries into /opt/mace-sysroot,
jars of Maven Central into $MACE_CACHE/maven. MACE_CACHE defaults to ~/.cache/mace.
TXT
}

level=run
while (($#)); do
  case $1 in
    --for) level=${2:-}; shift ;;
    --for=*) level=${1#--for=} ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
case $level in
  run) groups=(run) requirements=(convert) ;;
  devices) groups=(run devices) requirements=(convert) ;;
  validate) groups=(run) requirements=(convert validate) ;;
  docs) groups=(run) requirements=(convert docs) ;;
  test) groups=(run test) requirements=(convert validate docs test) ;;
  *) echo "setup: --for takes run, devices, validate, docs or test, not '$level'" >&2; exit 2 ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${MACE_CACHE:-$HOME/.cache/mace}
venv=$cache/venv
log=$cache/setup.log
mkdir -p "$cache"

say() { echo "setup: $*" >&2; }

fail() {
  say "$1"
  [[ -z ${2:-} ]] || say "cure: $2"
  exit 1
}

# Runs a command with its output in the log, and shows the end of it on failure.
logged() {
  local what=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    fail "$what failed (all of it: $log)" "see the lines above; then run tools/setup.sh again"
  fi
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

listed() { # packages named in tools/requirements/debian_<group>.txt
  local group
  for group in "$@"; do
    sed 's/#.*//' "$root/tools/requirements/debian_$group.txt"
  done | xargs -n1
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this machine has no apt-get" "use Debian 12, or the image of docker/Dockerfile"
  local missing
  missing=$(comm -13 \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u) \
    <(listed "${groups[@]}" | sort -u) | xargs)
  if [[ -z $missing ]]; then
    say "Debian packages: all there"
    return
  fi
  ((EUID == 0)) || command -v sudo >/dev/null ||
    fail "these Debian packages are missing, and installing needs root: $missing" \
      "as root: apt-get update && apt-get install -y --no-install-recommends $missing"
  say "installing Debian packages: $missing"
  as_root true || fail "installing needs root, and sudo refused" "run tools/setup.sh as root"
  logged "apt-get update" as_root apt-get update
  # shellcheck disable=SC2086
  logged "apt-get install" as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $missing
}

install_sources() {
  local dir=/opt/mace-sources want
  want=$(listed sources)
  if [[ -f $dir/packages.txt && $(<"$dir/packages.txt") == "$want" ]]; then
    say "sources of Debian: all there"
    return
  fi
  say "fetching sources of Debian into $dir: $(xargs <<<"$want")"
  # shellcheck disable=SC2086
  logged "fetching sources of Debian" \
    as_root "$root/third_party/toolchains/fetch_sources.sh" "$dir" $want
}

install_sysroots() {
  local arch dir want
  want=$(listed sysroot)
  for arch in arm64 armhf; do
    dir=/opt/mace-sysroot/$arch
    if [[ -f $dir/packages.txt && $(<"$dir/packages.txt") == "$want" ]]; then
      say "libraries for $arch: all there"
      continue
    fi
    say "fetching libraries for $arch into $dir"
    # shellcheck disable=SC2086
    logged "fetching libraries for $arch" \
      as_root "$root/third_party/toolchains/fetch_sysroot.sh" "$arch" "$dir" $want
  done
}

install_python() {
  local name files=() names=("${requirements[@]}") state
  # What was installed for a higher level stays.
  for name in validate docs test; do
    [[ -f $venv/have_$name && " ${names[*]} " != *" $name "* ]] && names+=("$name")
  done
  for name in "${names[@]}"; do files+=("$root/tools/requirements/$name.txt"); done
  state=$(cat "${files[@]}" "$root/tools/requirements/constraints.txt" | sha256sum)
  if [[ -f $venv/state && $(<"$venv/state") == "$state" ]]; then
    say "Python packages: all there"
    return
  fi
  say "installing Python packages (${names[*]}) into $venv"
  # A half-made environment, or one whose interpreter is gone, is made again.
  if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    rm -rf "$venv"
    logged "creating the Python environment" /usr/bin/python3 -m venv "$venv"
  fi
  rm -f "$venv/state"
  logged "pip install" "$venv/bin/python" -m pip install --disable-pip-version-check \
    -c "$root/tools/requirements/constraints.txt" "${files[@]/#/-r}"
  for name in "${names[@]}"; do touch "$venv/have_$name"; done
  echo "$state" >"$venv/state"
}

install_jars() {
  MACE_CACHE=$cache logged "fetching jars of Maven Central" \
    /usr/bin/python3 "$root/tools/mace_tools/maven.py"
}

exec 9>"$cache/setup.lock"
flock 9 2>/dev/null || true # two of us at once would fight over apt
install_packages
install_sources
[[ $level != test ]] || install_sysroots
[[ $level != test ]] || install_jars
install_python
