"""Checks of OpenCL: the library, its drivers, and whether their devices have what MACE needs.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from mace_tools.doctor.finding import Check, Finding, Machine, State

CHILD = Path(__file__).parent / "opencl_child.py"
TIMEOUT = 60  # seconds for drivers to start
GPU = 4  # CL_DEVICE_TYPE_GPU
MIN_IMAGE = 8192  # pixels a side, that the specification demands of a full profile
# Drivers with faults that tests of MACE met, by a pattern of platform, device and driver.
FAULTS = (
    (r"Portable Computing Language", "it computes on the CPU and emulates images, so that its "
     "times say nothing about GPUs; it compiles a kernel again for each size of its work groups"),
    (r"rusticl.*llvmpipe|llvmpipe.*rusticl", "it computes on the CPU, so that its times say "
     "nothing about GPUs; it is there only with RUSTICL_ENABLE=llvmpipe"),
    (r"[Oo]clgrind", "it interprets kernels, some thousand times slower than a GPU; "
     "--uninitialized does not work with images"),
)  # fmt: skip


def opencl(machine: Machine) -> list[Finding]:
    """The library, and a finding for each device."""
    command = machine.known.get("opencl", [sys.executable, str(CHILD)])
    try:
        done = subprocess.run([str(w) for w in command], capture_output=True,  # type: ignore
                              text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return [_broken(f"a driver did not start within {TIMEOUT} s")]
    if done.returncode < 0:
        return [_broken(f"a driver ended the process by {signal.Signals(-done.returncode).name}")]
    try:
        report = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        return [_broken(f"asking for the devices failed: {last[0][:200]}")]
    if not report["library"]:
        return [Finding("library", State.MISSING, "no libOpenCL.so: models with runtime: gpu run "
                        "on the CPU here", "`apt-get install ocl-icd-libopencl1` and the driver of "
                        "your GPU; without a GPU, `pocl-opencl-icd` computes on the CPU")]
    found = [Finding("library", State.OK, report["library"])]
    devices = [(p, d) for p in report["platforms"] for d in p["devices"]]
    if not devices:
        found.append(Finding("devices", State.MISSING, "the library finds no driver with a device",
                             "install the driver of your GPU (mesa-opencl-icd, "
                             "intel-opencl-icd, nvidia-opencl-icd), or `pocl-opencl-icd`, and see "
                             "/etc/OpenCL/vendors"))
    return found + [of_device(p, d) for p, d in devices]


def of_device(platform: dict[str, Any], device: dict[str, Any]) -> Finding:
    what = device["name"] or "a device without a name"
    text = f"{device['version']}, driver {device['driver']}, of {platform['name']}"
    lack = why_unfit(device)
    if lack:
        return Finding(what, State.ABSENT, f"{text}: {lack}, so that MACE does not use it")
    kind = "GPU" if device["type"] & GPU else "not a GPU"
    fp16 = "fp16" if "cl_khr_fp16" in device["extensions"].split() else "no fp16 arithmetic"
    text += (f"; {kind}, {device['units']} compute units, images up to "
             f"{device['image_width']}x{device['image_height']}, {fp16}")
    fault = next((fault for pattern, fault in FAULTS
                  if re.search(pattern, f"{platform['name']} {what} {device['driver']}")), "")
    if not fault and min(device["image_width"], device["image_height"]) < MIN_IMAGE:
        fault = "its images are small: nodes with larger tensors run on the CPU"
    return Finding(what, State.OK, text + (f". Known: {fault}" if fault else ""))


def why_unfit(device: dict[str, Any]) -> str:
    """What a device lacks, as mace/opencl/driver/device_info.cc decides it; or nothing."""
    version = re.search(r"OpenCL (\d+)\.(\d+)", device["version"])
    if not device["available"]:
        return "it is not available"
    if not device["compiler"]:
        return "it has no compiler"
    if version is None or (int(version[1]), int(version[2])) < (1, 2):
        return "OpenCL 1.2 is needed"
    if not (device["images"] and device["image_width"] and device["image_height"]):
        return "it has no images"
    return "" if device["group"] else "it does not report the size of its work groups"


def _broken(text: str) -> Finding:
    return Finding("drivers", State.MISSING, text, "leave drivers out, one after the other, with "
                   "OCL_ICD_VENDORS=/path/to/one.icd, and update the one that fails")


CHECKS: tuple[Check, ...] = (opencl,)
