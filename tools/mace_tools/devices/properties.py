"""What a machine says of itself: its SoC, ABIs, cores and their clocks, temperature and memory.

SPDX-License-Identifier: Apache-2.0

One script of a POSIX shell prints lines `key value`, from files of Linux and properties of Android,
so that phones, boards and this machine are asked alike. What a machine does not tell is left empty.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from mace_tools.devices.device import Device

# Few programs are started, since that is slow on small devices; and the text is short enough for
# old versions of adb (4096 bytes).
SCRIPT = r"""
getprop 2>/dev/null | grep -E 'ro\.(product\.(model|cpu)|board\.plat|soc\.model|build\.version)'
for f in model compatible; do
  [ -r /proc/device-tree/$f ] && echo "tree_$f $(tr '\0' ' ' < /proc/device-tree/$f)"; done
echo "uname $(uname -mr)"
[ -e /lib/ld-linux-armhf.so.3 ] && echo "armhf yes"
grep -hE '^(PRETTY_NAME|MemTotal|MemAvailable|model name|Features|flags)' /etc/os-release \
  /proc/meminfo /proc/cpuinfo 2>/dev/null; true
"""
STATE = r"""
r() { v=; { read -r v < "$1"; } 2>/dev/null; }
for z in /sys/class/thermal/thermal_zone*; do
  r $z/temp; t=$v; r $z/type; [ -n "$t" ] && echo "zone $t $v"; done
for c in /sys/devices/system/cpu/cpu[0-9]*; do
  d=$c/cpufreq; s="core ${c##*cpu}"
  for f in cpuinfo_max_freq scaling_max_freq scaling_cur_freq scaling_governor; do
    r $d/$f; s="$s ${v:-0}"; done
  echo "$s"; done
"""
# Names of Linux's thermal zones near the cores.
_CORES = re.compile(r"cpu|soc|core|pkg|tsens|cluster|big|little|mtktsAP", re.IGNORECASE)
_MACHINES = {"aarch64": "arm64", "arm64": "arm64", "armv7l": "armhf", "armv8l": "armhf"}
CAPPED = 0.95  # of a core's highest clock: below it the device holds its cores back
HOT = 10.0  # kelvins by which a run may warm a device before its times are doubtful


@dataclass(frozen=True)
class Cluster:
    """Cores with the same highest clock."""

    cores: tuple[int, ...]
    max_mhz: int  # 0: the machine does not say
    allowed_mhz: int  # that the system allows now
    governor: str

    @property
    def text(self) -> str:
        clock = f" at up to {self.max_mhz} MHz" if self.max_mhz else ""
        held = f", held at {self.allowed_mhz} MHz" if self.is_capped else ""
        return f"{len(self.cores)} core{'s' if len(self.cores) > 1 else ''}{clock}{held}"

    @property
    def is_capped(self) -> bool:
        return 0 < self.allowed_mhz < CAPPED * self.max_mhz


@dataclass(frozen=True)
class State:
    """How warm a device is, and which clocks its cores may have, at one time."""

    celsius: float | None
    clusters: tuple[Cluster, ...]

    @property
    def clock_share(self) -> float | None:
        """The least share of its highest clock that a cluster may have."""
        shares = [c.allowed_mhz / c.max_mhz for c in self.clusters if c.max_mhz and c.allowed_mhz]
        return min(shares, default=None)

    def report(self) -> dict[str, Any]:
        return {"celsius": self.celsius, "clock_share": self.clock_share,
                "clusters": [{"cores": list(c.cores), "max_mhz": c.max_mhz,
                              "allowed_mhz": c.allowed_mhz, "governor": c.governor}
                             for c in self.clusters]}


@dataclass(frozen=True)
class Machine:
    """What does not change while a device is on."""

    model: str
    soc: str
    abis: tuple[str, ...]
    system: str
    kernel: str
    features: tuple[str, ...]  # of the CPU, as Linux calls them
    cpu_name: str = ""
    memory_kb: int = 0
    available_kb: int = 0
    known: dict[str, str] = field(default_factory=dict, compare=False)

    def report(self) -> dict[str, Any]:
        return {"model": self.model, "soc": self.soc, "abis": list(self.abis),
                "system": self.system, "kernel": self.kernel, "features": list(self.features),
                "memory_kb": self.memory_kb}


def machine_of(device: Device) -> Machine:
    """Errors: DeviceError."""
    known = _known(device.check(SCRIPT, "asking what it is"))
    compatible = known.get("tree_compatible", "").split()
    soc = known.get("ro.board.platform") or (
        compatible[-1].rpartition(",")[2] if compatible else "")
    version = known.get("ro.build.version.release")
    return Machine(model=known.get("ro.product.model") or known.get("tree_model", ""), soc=soc,
                   abis=_abis(known), system=f"Android {version}" if version else
                   known.get("PRETTY_NAME", "Linux").strip('"'), kernel=next((
                     w for w in known.get("uname", "").split() if w[0].isdigit()), ""),
                   features=tuple((known.get("Features") or known.get("flags", "")).split()),
                   cpu_name=known.get("model name", ""),
                   memory_kb=_number(known.get("MemTotal")),
                   available_kb=_number(known.get("MemAvailable")), known=known)


def _known(text: str) -> dict[str, str]:
    """Of lines such as `[key]: [value]`, `key : value`, `key=value` and `key value`, the first of
    each key that has a value."""
    known: dict[str, str] = {}
    for line in text.splitlines():
        found = re.match(r"\[(.*?)\]: \[(.*)\]$|(model name|\w+)\s*[:= ]\s*(.*)$", line.strip())
        key, value = (found[1] or found[3], found[2] or found[4]) if found else ("", "")
        if key and value and value.strip():
            known.setdefault(key, value.strip())
    return known


def named(own: Machine, model: str, socs: tuple[str, ...]) -> Machine:
    """With the model and the SoC that a device yml names, which users know it by."""
    return replace(own, model=model or own.model, soc=socs[0] if socs else own.soc)


def _machine(known: dict[str, str]) -> str:
    """Of `uname -mr`, whose words stand in an order of their own."""
    words = known.get("uname", "").split()
    return next((w for w in words if not w[0].isdigit()), "")


def _abis(known: dict[str, str]) -> tuple[str, ...]:
    listed = [known.get(f"ro.product.cpu.{key}", "") for key in ("abilist", "abi", "abi2")]
    names = [name.strip() for text in listed for name in text.split(",") if name.strip()]
    if names:
        return tuple(dict.fromkeys(names))
    own = _MACHINES.get(_machine(known), _machine(known))
    return (own, "armhf") if own == "arm64" and known.get("armhf") else (own,) if own else ()


def state_of(device: Device) -> State:
    """Errors: DeviceError."""
    zones: list[tuple[float, str]] = []
    groups: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for line in device.check(STATE, "asking how warm it is").splitlines():
        words = line.split()
        if len(words) >= 2 and words[0] == "zone" and _is_number(words[1]):
            celsius = float(words[1])
            celsius = celsius / 1000 if abs(celsius) >= 1000 else celsius  # old kernels: whole
            if -40 < celsius < 150:
                zones.append((celsius, " ".join(words[2:])))
        elif len(words) == 6 and words[0] == "core" and all(w.isdigit() for w in words[1:5]):
            core, most, allowed, _ = map(int, words[1:5])
            groups[(most // 1000, allowed // 1000, words[5])].append(core)
    near = [celsius for celsius, kind in zones if _CORES.search(kind)] or [c for c, _ in zones]
    clusters = tuple(Cluster(tuple(sorted(cores)), most, allowed, governor)
                     for (most, allowed, governor), cores in
                     sorted(groups.items(), key=lambda g: (-g[0][0], g[1])))
    return State(max(near, default=None), clusters)


def _number(text: str | None) -> int:
    """That a text begins with; 0 without one."""
    found = re.match(r"\d+", text or "")
    return int(found[0]) if found else 0


def _is_number(word: str) -> bool:
    return bool(re.fullmatch(r"-?\d+", word))


def warnings(before: State, after: State) -> list[str]:
    """What about a device's state makes its times doubtful."""
    found = []
    capped = [c for c in after.clusters if c.is_capped]
    if capped:
        found.append("its system holds cores back: " + "; ".join(
            f"cores {_numbers(c.cores)} run at up to {c.allowed_mhz} of {c.max_mhz} MHz"
            for c in capped) + ": let it cool down, charge it, or leave its power-saving mode")
    if before.celsius is not None and after.celsius is not None and (
            after.celsius - before.celsius > HOT):
        found.append(f"it grew warmer by {after.celsius - before.celsius:.0f} K while it ran "
                     f"(now {after.celsius:.0f} °C): later runs may be slower; let it cool down "
                     "between measurements")
    return found


def _numbers(cores: tuple[int, ...]) -> str:
    return ", ".join(map(str, cores)) if len(cores) < 3 or cores[-1] - cores[0] + 1 != len(cores) \
        else f"{cores[0]} to {cores[-1]}"
