"""Lists the OpenCL devices of this machine as JSON, in a process of its own: drivers crash.

SPDX-License-Identifier: Apache-2.0

Names and numbers are those of the OpenCL specification, version 1.2.
"""

import ctypes
import json
import sys
from typing import Any

LIBRARIES = ("libOpenCL.so.1", "libOpenCL.so", "/usr/lib/libOpenCL.so.1",
             "/usr/local/lib/libOpenCL.so.1", "libmali.so")
ALL = 0xFFFFFFFF
TEXTS = {"name": 0x102B, "vendor": 0x102C, "driver": 0x102D, "version": 0x102F,
         "extensions": 0x1030}  # fmt: skip
# The attribute, and how many bytes it has.
NUMBERS = {"type": (0x1000, 8), "units": (0x1002, 4), "group": (0x1004, 8), "images": (0x1016, 4),
           "image_width": (0x1011, 8), "image_height": (0x1012, 8), "memory": (0x101F, 8),
           "available": (0x1027, 4), "compiler": (0x1028, 4)}  # fmt: skip


def library() -> Any:
    for name in LIBRARIES:
        try:
            found = ctypes.CDLL(name)
        except OSError:
            continue
        if hasattr(found, "clGetPlatformIDs"):
            return found, name
    return None, ""


def text(ask: Any, handle: Any, attribute: int) -> str:
    size = ctypes.c_size_t()
    if ask(handle, attribute, 0, None, ctypes.byref(size)) != 0 or size.value == 0:
        return ""
    raw = ctypes.create_string_buffer(size.value)
    ask(handle, attribute, ctypes.c_size_t(size.value), raw, None)
    return raw.value.decode(errors="replace").strip()


def number(ask: Any, handle: Any, attribute: int, size: int) -> int:
    raw = ctypes.create_string_buffer(size)
    if ask(handle, attribute, ctypes.c_size_t(size), raw, None) != 0:
        return 0
    return int.from_bytes(raw.raw, sys.byteorder)


def handles(ask: Any) -> list[Any]:
    """What a function of the form (count, array, count) lists."""
    count = ctypes.c_uint()
    if ask(0, None, ctypes.byref(count)) != 0 or count.value == 0:
        return []
    found = (ctypes.c_void_p * count.value)()
    ask(count.value, found, None)
    return [ctypes.c_void_p(h) for h in found]


def main() -> None:
    cl, name = library()
    report: dict[str, Any] = {"library": name, "platforms": []}
    for platform in handles(cl.clGetPlatformIDs) if cl is not None else []:
        own = {"name": text(cl.clGetPlatformInfo, platform, 0x0902),
               "version": text(cl.clGetPlatformInfo, platform, 0x0901), "devices": []}
        for device in handles(lambda *a, p=platform: cl.clGetDeviceIDs(
                p, ctypes.c_uint64(ALL), *a)):
            ask = cl.clGetDeviceInfo
            own["devices"].append(
                {**{k: text(ask, device, v) for k, v in TEXTS.items()},
                 **{k: number(ask, device, *v) for k, v in NUMBERS.items()}})
        report["platforms"].append(own)
    print("\n" + json.dumps(report))


if __name__ == "__main__":
    main()
