#!/bin/bash
# Installs what building, running or testing MACE needs on Debian 12 or 13, and only what is missing.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
  cat <<'TXT'
usage: tools/setup.sh [--for run|devices|validate|docs|test] [--outdated]

  run       compiler, Bazel, libraries and the Python packages of tools/converter.py (default)
  devices   run, and adb and ssh, by which models run on phones and boards
  validate  run, and the source frameworks of `converter.py run --validate`
  docs      run, and what tools/docs.sh makes the documentation's site with
  test      validate and docs, and what tools/test.sh needs: Arm cross compilers with their
            libraries, qemu, clang, a JDK, a browser

  --outdated  installs nothing; lists the pins that have newer versions, and since when they stand

Debian packages are installed with apt-get, sources of Debian that the library compiles into
/opt/mace-sources, Python packages into $MACE_CACHE/venv, the Arm libraries into /opt/mace-sysroot,
jars of Maven Central into $MACE_CACHE/maven. MACE_CACHE defaults to ~/.cache/mace.
TXT
}

level=run
task=install
while (($#)); do
  case $1 in
    --for) level=${2:-}; shift ;;
    --for=*) level=${1#--for=} ;;
    --outdated) task=outdated ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
  shift || true
done
case $level in
  run) groups=(run) requirements=(convert wheel) ;;
  devices) groups=(run devices) requirements=(convert wheel) ;;
  validate) groups=(run) requirements=(convert wheel validate) ;;
  docs) groups=(run) requirements=(convert wheel docs) ;;
  test) groups=(run test) requirements=(convert wheel validate docs test) ;;
  *) echo "setup: --for takes run, devices, validate, docs or test, not '$level'" >&2; exit 2 ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
cache=${MACE_CACHE:-$HOME/.cache/mace}
venv=$cache/venv
log=$cache/setup.log

say() { echo "setup: $*" >&2; }

fail() {
  say "$1"
  [[ -z ${2:-} ]] || say "cure: $2"
  exit 1
}

# What to do about the failure that the log ends with.
cure_of() {
  local full offline='Could not resolve|Temporary failure (in name )?resol|Could not connect|'
  offline+='Name or service not known|Network is unreachable|Connection (refused|timed out)'
  full=$(df --output=avail,target "$cache" /usr /opt /tmp | awk 'NR > 1 && $1 < 51200 {print $2}' |
    sort -u | xargs)
  if [[ -n $full ]] || grep -qE 'No space left on device|enough free space' "$log"; then
    echo "the disk is full${full:+ (${full// /, })}: make room, then run tools/setup.sh again"
  elif grep -qE "$offline" "$log"; then
    echo "the network does not answer: check it, and http_proxy and https_proxy if it has a" \
      "proxy, then run tools/setup.sh again"
  elif grep -qE 'Unable to locate package|has no installation candidate' "$log"; then
    echo "install by hand, under the names that $distribution has for them:" \
      "$(listed "${groups[@]}" | xargs)"
  else
    echo "see the lines above; then run tools/setup.sh again"
  fi
}

# Runs a command with its output in the log, and shows the end of it on failure.
logged() {
  local what=$1
  shift
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    fail "$what failed (all of it: $log)" "$(cure_of)"
  fi
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# $distribution for people, and $release: whose package names it has. Others than Debian 12 and 13
# are taken for the newer one.
find_distribution() {
  local ID='' VERSION_CODENAME='' PRETTY_NAME='an unknown distribution'
  # shellcheck source=/dev/null
  [[ ! -r /etc/os-release ]] || . /etc/os-release
  distribution=$PRETTY_NAME
  case $ID/$VERSION_CODENAME in
    debian/bookworm | debian/trixie) release=$VERSION_CODENAME ;;
    *)
      release=trixie
      say "$distribution has not been tried, Debian 12 and 13 have: going on as on Debian 13" ;;
  esac
}

listed() { # packages named in tools/requirements/debian_<group>.txt, for this release
  local group
  for group in "$@"; do
    sed -nE "s/#.*//; s/^(\\S+)( \\[$release\\])?\\s*\$/\\1/p" \
      "$root/tools/requirements/debian_$group.txt"
  done
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    fail "this machine has no apt-get, by which these are installed: $(listed "${groups[@]}" | xargs)" \
      "use Debian 12 or 13, or the image of docker/Dockerfile"
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
  # First what an installation that was killed left half done. A source of packages that does not
  # answer is an error only if a package is missing then.
  # shellcheck disable=SC2016,SC2086
  logged "installing Debian packages" as_root env DEBIAN_FRONTEND=noninteractive sh -c '
    dpkg --configure -a && apt-get update &&
      apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"' sh $missing
}

# Names a compiler or a Python that has not been tried, and refuses a Python that is too old.
check_versions() {
  local compiler=${CC:-gcc} python title
  title=$("$compiler" --version 2>/dev/null | head -n 1) || true
  case "$title $("$compiler" -dumpversion 2>/dev/null)" in
    *clang*' 19.'* | gcc*' '1[2-4] | gcc*' '1[2-4].*) ;;
    *) say "the compiler ${title:-$compiler} has not been tried, GCC 12 and 14 and Clang 19 have:" \
      "going on" ;;
  esac
  python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])') ||
    fail "/usr/bin/python3 does not run" "apt-get install --reinstall python3"
  case $python in
    3.1[1-4]) ;;
    2.* | 3.? | 3.10)
      fail "/usr/bin/python3 is Python $python, MACE needs 3.11 or newer" \
        "use Debian 12 or 13, or the image of docker/Dockerfile" ;;
    *) say "Python $python has not been tried, 3.11 to 3.14 have: going on" ;;
  esac
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
    as_root "$root/third_party/toolchains/fetch_sources.sh" bookworm "$dir" $want
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
      as_root "$root/third_party/toolchains/fetch_sysroot.sh" "$release" "$arch" "$dir" $want
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
  # An environment that a killed run left half made, or whose interpreter is gone, is made again.
  if [[ ! -f $venv/state ]] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
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
    /usr/bin/python3 "$root/tools/mace_tools/setup/maven.py"
}

find_distribution
if [[ $task == outdated ]]; then
  [[ -f $venv/have_test ]] || fail "$venv lacks packages that are pinned" "tools/setup.sh --for test"
  cd "$root" && exec "$venv/bin/python" tools/mace_tools/setup/outdated.py "$release"
fi
mkdir -p "$cache" && touch "$log" ||
  fail "$cache cannot be written" "make room there, or name another folder in MACE_CACHE"
exec 9>"$cache/setup.lock"
flock 9 2>/dev/null || true # two of us at once would fight over apt
install_packages
check_versions
install_sources
[[ $level != test ]] || install_sysroots
[[ $level != test ]] || install_jars
install_python
