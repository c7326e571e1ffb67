"""Checks of this machine's CPU: what its kernels can use, its cores and their clocks.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.devices import properties
from mace_tools.devices.device import Device, DeviceError, Here
from mace_tools.doctor.finding import Check, Finding, Machine, State

# Instruction sets that kernels of MACE are written for, by the words of /proc/cpuinfo that must all
# be there; the fastest last.
KERNELS = {
    "x86_64": (("AVX2 and FMA", ("avx2", "fma", "f16c")), ("AVX-VNNI", ("avx_vnni",)),
               ("AVX-512", ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
               ("AVX-512 VNNI", ("avx512_vnni",)), ("AVX-512 BF16", ("avx512_bf16",)),
               ("AMX INT8", ("amx_tile", "amx_int8"))),
    "arm": (("NEON", ("asimd",)), ("NEON", ("neon", "vfpv4")), ("fp16", ("asimdhp",)),
            ("dot products", ("asimddp",)), ("bf16", ("bf16",)), ("int8 matrices", ("i8mm",))),
}  # fmt: skip


def kernels_for(features: tuple[str, ...]) -> list[str]:
    """The instruction sets of KERNELS that a CPU with these features has."""
    return [name for sets in KERNELS.values() for name, words in sets
            if set(words) <= set(features)]


def of_device(device: Device, own: properties.Machine, what: str) -> list[Finding]:
    """The CPU's features, cores and state. Errors: DeviceError."""
    found = kernels_for(own.features)
    name = f"{own.cpu_name}: " if own.cpu_name else ""
    features = Finding(f"{what}instructions", State.OK, name + ", ".join(found)) if found else (
        Finding(f"{what}instructions", State.ABSENT, f"{name}none that kernels are written for: "
                "plain C++ runs, several times slower"))
    state = properties.state_of(device)
    cores = Finding(f"{what}cores", State.OK if state.clusters else State.ABSENT,
                    "; ".join(c.text for c in state.clusters) or "the system does not list them")
    return [features, cores, _warmth(state, what)]


def _warmth(state: properties.State, what: str) -> Finding:
    capped = [c for c in state.clusters if c.is_capped]
    warm = "no thermometer" if state.celsius is None else f"{state.celsius:.0f} °C at the cores"
    if capped:
        return Finding(f"{what}temperature and clocks", State.MISSING,
                       f"{warm}; {len(capped)} group(s) of cores are held below their highest "
                       "clock, so that times are too long", "let it cool down, connect it to "
                       "power, and leave power-saving modes before measuring")
    governors = sorted({c.governor for c in state.clusters} - {"0", "-", ""})
    return Finding(f"{what}temperature and clocks",
                   State.ABSENT if state.celsius is None else State.OK,
                   warm + (f"; governor {', '.join(governors)}" if governors else
                           "; the system does not control clocks"))


def this_machine(machine: Machine) -> list[Finding]:
    device = Here()
    try:
        own = properties.machine_of(device)
        memory = f"{own.memory_kb / 1e6:.1f} GB, {own.available_kb / 1e6:.1f} GB available"
        return [*of_device(device, own, ""), Finding("memory", State.OK, memory),
                Finding("system", State.OK, f"{own.system}, kernel {own.kernel}")]
    except DeviceError as e:
        return [Finding("CPU", State.MISSING, str(e), "report this, with the output of "
                        "`cat /proc/cpuinfo`")]


CHECKS: tuple[Check, ...] = (this_machine,)
