#!/bin/bash
# Tests on a CPU with AMX-INT8 that Bochs emulates, under Linux: test/amx/run.sh
# SPDX-License-Identifier: Apache-2.0
#
# Everything is built or unpacked in the folder of the cache; nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/test/amx
cache=${MACE_CACHE:-$HOME/.cache/mace}
work=$cache/amx
tests=(//mace/cpu/ukernels:gemm/gemm_q8_test //mace/cpu/ukernels:gemm/gemm_blocks_test
  //mace/cpu:quantized/requantize_q8_test //mace/cpu:conv/conv_q8_test)
micro_kernel=gemm_q8_16x32__amxint8
# Debian 13's source of Bochs: the Bochs of Debian 12 has no AMX.
source=http://deb.debian.org/debian/pool/main/b/bochs/bochs_3.0+dfsg.orig.tar.xz
sha256=78f6c73d4a6472d5130a87ab9dc306d02c7c71ed8e25b3a8ef642e2a7acd282b

say() { echo "amx: $*" >&2; }

# apt-get or another of apt's commands on the packages of Debian 13: the Linux of Debian 12 does not
# start in Bochs.
of_debian_13() {
  local lists=$work/lists
  mkdir -p "$lists/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
    "http://deb.debian.org/debian trixie main" >"$work/debian_13.list"
  "$1" -o Dir::Etc::SourceList="$work/debian_13.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "${@:2}"
}

# Unpacks what boots Linux to $work/debian.
unpack() {
  [[ ! -e $work/debian/done ]] || return 0
  say "unpacks a boot loader, a BIOS and Linux"
  rm -rf "$work/debian" && mkdir -p "$work/debian/packages"
  of_debian_13 apt-get -qq update
  local linux package
  linux=$(of_debian_13 apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p')
  (
    cd "$work/debian/packages"
    of_debian_13 apt-get -qq download bochsbios vgabios isolinux syslinux-common "$linux"
    apt-get -qq download genisoimage libmagic1  # which run here
  )
  for package in "$work"/debian/packages/*.deb; do dpkg -x "$package" "$work/debian"; done
  touch "$work/debian/done"
}

build_bochs() {
  local folder=$work/bochs log=$work/bochs.log
  cmp -s "$here/bochs.patch" "$folder/done" && return
  say "builds Bochs, which takes some minutes"
  rm -rf "$folder" && mkdir -p "$folder"
  curl -fsS -o "$work/bochs.tar.xz" "$source"
  sha256sum -c --quiet <<<"$sha256  $work/bochs.tar.xz"
  tar -xf "$work/bochs.tar.xz" -C "$folder" --strip-components=1
  patch -d "$folder" -p1 -s <"$here/bochs.patch"
  if ! (cd "$folder" && ./configure --with-nogui --without-x --disable-plugins \
    --disable-readline --disable-docbook --enable-x86-64 --enable-cpu-level=6 --enable-avx \
    --enable-evex --enable-amx --enable-long-phy-address --enable-all-optimizations --enable-pci \
    --enable-cdrom && make -j"$(nproc)") >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    say "Bochs does not build; $log has all of it"
    exit 1
  fi
  cp "$here/bochs.patch" "$folder/done"
}

# Writes a CD that boots Linux with the tests.
make_cd() {
  local debian=$work/debian cd=$work/cd programs=() test
  bazel build --disk_cache="$cache/bazel" --show_result=0 --noshow_progress "${tests[@]}"
  for test in "${tests[@]#//}"; do programs+=("bazel-bin/${test/://}"); done
  rm -rf "$cd" && mkdir -p "$cd/isolinux"
  cp "$debian/usr/lib/ISOLINUX/isolinux.bin" "$cd/isolinux"
  cp "$debian/usr/lib/syslinux/modules/bios/ldlinux.c32" "$cd/isolinux"
  cp "$debian"/boot/vmlinuz-* "$cd/vmlinuz"
  gcc -static -O1 -o "$work/init" "$here/init.c"
  "$cache/venv/bin/python" "$here/initramfs.py" "$cd/initrd" "$work/init" "${programs[@]}"
  # Bochs cannot switch ACPI on; a triple fault ends it.
  cat >"$cd/isolinux/isolinux.cfg" <<'TXT'
DEFAULT linux
LABEL linux
  KERNEL /vmlinuz
  APPEND initrd=/initrd console=ttyS0 earlycon=uart8250,io,0x3f8,115200 mitigations=off acpi=off reboot=t panic=-1
TXT
  LD_LIBRARY_PATH=$debian/usr/lib/x86_64-linux-gnu \
    "$debian/usr/bin/genisoimage" -quiet -R -o "$work/cd.iso" -b isolinux/isolinux.bin \
    -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$cd"
}

# Writes all that Linux and the tests print to $work/serial.txt.
# Bochs prints its speed in a signal handler: with `info` it hangs where that meets other output.
emulate() {
  cat >"$work/bochsrc" <<TXT
config_interface: textconfig
display_library: nogui
cpu: model=sapphire_rapids, count=1, ips=200000000, reset_on_triple_fault=0
memory: guest=512, host=512
romimage: file=$work/debian/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$work/debian/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=$work/cd.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/serial.txt
log: $work/emulation.log
panic: action=fatal
info: action=ignore
TXT
  say "emulates the tests, which takes some minutes"
  rm -f "$work/serial.txt"
  timeout 3600 "$work/bochs/bochs" -q -f "$work/bochsrc" >"$work/emulation.out" 2>&1 </dev/null ||
    true  # by a triple fault
}

for tool in curl patch make g++; do
  command -v "$tool" >/dev/null || { say "'$tool' is missing: apt-get install $tool"; exit 1; }
done
mkdir -p "$work"
unpack
build_bochs
make_cd
emulate
grep -aE '^\[ *(OK|FAILED|PASSED|SKIPPED) |^status|Failure|programs ran' "$work/serial.txt" || true
if ! grep -aq "^${#tests[@]} programs ran, 0 failed" "$work/serial.txt"; then
  say "tests failed, or Linux did not start: $work/serial.txt, $work/emulation.log"
  exit 1
fi
if ! grep -aq "name=\"$micro_kernel\" value=\"executed\"" "$work/serial.txt"; then
  say "no test ran $micro_kernel: $work/serial.txt"
  exit 1
fi
