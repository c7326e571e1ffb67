"""The options of the commands about this machine and connected devices.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
from pathlib import Path

# What `doctor` checks: a flag for each group, and its title.
GROUPS = {
    "cpu": "This machine's CPU",
    "gpu": "OpenCL: drivers of this machine, and their devices",
    "dsp": "Hexagon DSPs, and the emulator of one",
    "programs": "Programs that build MACE and its libraries",
    "frameworks": "Source frameworks, for --validate and for exporting models",
    "devices": "Phones by adb, and boards by ssh",
}


def devices(p: argparse.ArgumentParser) -> None:
    p.add_argument("--target_devices", metavar="NAME,...",
                   help="only these phones, by the serial numbers of `adb devices`, and these "
                   "boards, by their names in the device yml")
    p.add_argument("--device_yml", type=Path, metavar="YML",
                   help="boards with Linux that ssh reaches")
    p.add_argument("--clear", action="store_true",
                   help="remove the models, programs and compiled kernels that MACE keeps on them")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write the list as JSON")
    p.add_argument("--wide", action="store_true", help="the table as wide as it is")


def doctor(p: argparse.ArgumentParser) -> None:
    for name, title in GROUPS.items():
        p.add_argument(f"--{name}", action="store_true", help=f"check: {title}")
    p.add_argument("--device_yml", type=Path, metavar="YML",
                   help="check these boards with Linux, too, which ssh reaches")
    p.add_argument("--mace_dsp", type=Path, metavar="FILE",
                   help="a built executor for the DSP's emulator, mace_dsp.elf (default: that of "
                   "this checkout)")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write the findings as JSON")
