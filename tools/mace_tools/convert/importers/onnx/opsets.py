"""The versions of ONNX's operator sets that the importers follow.

SPDX-License-Identifier: Apache-2.0
"""

from typing import Any

NEWEST = {"": 28, "ai.onnx.preview": 1, "com.microsoft": 1}


def newer(proto: Any) -> list[str]:
    """Warnings about operator sets that are newer than known."""
    used: dict[str, int] = {}
    for o in (o for owner in (proto, *proto.functions) for o in owner.opset_import):
        domain = "" if o.domain == "ai.onnx" else o.domain
        used[domain] = max(o.version, used.get(domain, 0))
    return [f"it is of version {version} of the operator set {domain or 'ai.onnx'}, and this "
            f"converter knows version {NEWEST[domain]} and older: operators whose definition "
            f"changed since may be computed wrongly; export with opset_version="
            f"{NEWEST[domain]}, or compare the results (run --validate)"
            for domain, version in used.items() if version > NEWEST.get(domain, version)]
