"""Writes the tables of docs/performance_arm.md, all by emulation.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import counting
import mca

sys.path[:0] = [str(counting.ROOT / "test/peers"), str(counting.ROOT / "tools")]

from files import Files  # noqa: E402
from networks import NETWORKS, resnet50  # noqa: E402
from small_nets import count_small_nets  # noqa: E402
from to_tflite import write_tflite  # noqa: E402

from mace_tools.convert.emit import write_model  # noqa: E402
from mace_tools.convert.importers import load  # noqa: E402
from mace_tools.convert.passes.pipeline import convert  # noqa: E402

# Of the micro-kernels of which the table shows the loops.
ARCHIVES = [f"mace/cpu/ukernels/lib{isa}.a" for isa in ("neon", "aarch64")]
PAGE = counting.ROOT / "docs/performance_arm.md"
TARGET = 0.95  # of the best peer


@dataclass(frozen=True)
class Peers:
    """Millions of instructions, counted the same way."""

    ncnn: float
    mnn: float
    xnnpack: float

    @property
    def best(self) -> float:
        return min(self.ncnn, self.mnn, self.xnnpack)


# The peers with fp16 arithmetic.
FP16_NETS = {
    "mobilenet_v1": Peers(90.2, 90.9, 105.9),
    "mobilenet_v2": Peers(53.9, 57.5, 63.8),
    "squeezenet_1_1": Peers(48.1, 46.1, 74.4),
    "resnet18": Peers(131.3, 140.6, 332.4),
    "resnet50": Peers(412.8, 420.1, 692),
}
NETS = {
    "mobilenet_v1": Peers(171.5, 173.6, 202.3),
    "mobilenet_v2": Peers(101.1, 110.6, 120.4),
    "squeezenet_1_1": Peers(82.6, 86.7, 142.8),
    "resnet18": Peers(240.4, 266.3, 638.6),
    "resnet50": Peers(775.1, 796.1, 1327),
}


# The best peer with int8: with SDOT and without.
INT8_CORES = ("cortex-a76", "cortex-a53")
INT8_NETS: dict[str, tuple[float, float | None]] = {
    "mobilenet_v1": (63.1, 155.4),
    "mobilenet_v2": (50.1, None),
    "squeezenet_1_1": (42.8, 89.6),
    "resnet18": (159.9, 233.7),
    "resnet50": (338.4, 709.3),
}
INT8_TARGETS = (0.9, 0.95)
RESNET18_TARGETS = (0.9, 1.0)


def write_net(name: str, folder: Path, stored: str) -> Path:
    """Converts one of the networks of test/peers. The path of its files lacks suffixes."""
    write_tflite(NETWORKS[name](), str(folder / f"{name}.tflite"))
    path = folder / name
    write_model(convert(load("tflite", path.with_suffix(".tflite"))),
                path.with_suffix(".pb"), path.with_suffix(".data"), stored=stored)
    return path


def ukernel_table(built: Path, plugin: Path) -> list[str]:
    loops = {loop.kernel: loop for loop in mca.hot_loops([built / name for name in ARCHIVES])}
    counts = counting.count_ukernels(built / "test/arm/ukernel_calls", plugin)
    rows = ["| micro-kernel | multiply-adds of the loop | % of the bound, A55 | A76"
            " | instructions per multiply-add |", "|---|---|---|---|---|"]
    for name, loop in loops.items():
        shares = [f"{mca.percent_of_bound(loop, core):.0f}" for core in mca.CORES]
        each = f"{counts[name]:.3f}" if name in counts else ""
        rows.append(f"| {name} | {len(loop.fmas)} of {len(loop.lines)} | {' | '.join(shares)}"
                    f" | {each} |")
    return rows


def net_table(built: Path, plugin: Path, names: list[str], functions: bool,
              stored: str) -> list[str]:
    """With weights stored as f16 and f16 arithmetic, or with floats."""
    rows = ["| network | MACE | ncnn | MNN | XNNPACK | MACE / best |", "|---|---|---|---|---|---|"]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            third = counting.count_net(built / "tools/mace_run/mace_run", plugin,
                                       write_net(name, Path(folder), stored),
                                       functions=functions)
        millions = third.instructions / 1e6
        peers = (NETS if stored == "f32" else FP16_NETS)[name]
        ratio = millions / peers.best
        rows.append(f"| {name} | {millions:.1f} | {peers.ncnn} | {peers.mnn} | {peers.xnnpack}"
                    f" | {ratio:.2f}{'' if ratio <= TARGET else ' (above the target)'} |")
        print(rows[-1], flush=True)
        print_functions(third)
    return rows


def int8_table(built: Path, plugin: Path, names: list[str], functions: bool) -> list[str]:
    """Of the full integer networks of test/peers; ResNet-50 has the strides of the peers'."""
    heads = [f"{core}: MACE | best peer | MACE / best" for core in INT8_CORES]
    rows = [f"| network | {' | '.join(heads)} |", "|---" * (1 + 3 * len(heads)) + "|"]
    for name in names:
        net = resnet50(strides_first=True) if name == "resnet50" else NETWORKS[name]()
        model = Files.of(net).mace_int8().with_suffix("")
        row = f"| {name}"
        targets = RESNET18_TARGETS if name == "resnet18" else INT8_TARGETS
        for core, best, target in zip(INT8_CORES, INT8_NETS[name], targets, strict=True):
            third = counting.count_net(built / "tools/mace_run/mace_run", plugin, model, cpu=core,
                                       functions=functions)
            millions = third.instructions / 1e6
            row += f" | {millions:.1f} | {best or '-'} | "
            row += f"{millions / best:.2f}" if best else "-"
            row += " (above the target)" if best and millions > target * best else ""
            print_functions(third)
        rows.append(row + " |")
        print(rows[-1], flush=True)
    return rows


def print_functions(interval: counting.Interval) -> None:
    for function, instructions in sorted(interval.functions.items(), key=lambda f: -f[1])[:12]:
        print(f"    {instructions / 1e6:8.2f} M  {function}")


def replace_section(text: str, name: str, rows: list[str]) -> str:
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, _, rest = text.partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        sys.exit(f"{PAGE} has lost its section '{name}'")
    return head + begin + "\n".join(rows) + "\n" + end + tail


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--models", default=",".join(NETS), help="comma list; empty: none")
    parser.add_argument("--functions", action="store_true", help="print costly functions")
    parser.add_argument("--fp16", action="store_true", help="the networks with fp16 arithmetic")
    parser.add_argument("--int8", action="store_true", help="the networks in int8")
    parser.add_argument("--write", action="store_true", help=f"replace the tables of {PAGE.name}")
    parser.add_argument("--budget", action="store_true",
                        help="store the counts of micro-kernels and small networks as the"
                        " budget of budget_test.py")
    args = parser.parse_args()
    names = [name for name in args.models.split(",") if name]
    unknown = set(names) - set(NETS)
    if unknown:
        parser.error(f"no such model: {', '.join(sorted(unknown))}; there are {', '.join(NETS)}")
    if missing := counting.missing_tools():
        parser.error(f"not installed: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        plugin = counting.build_plugin(Path(folder))
        with_nets = names or args.budget
        targets = ["//test/arm:ukernel_calls"] + (["//tools:mace_run"] if with_nets else [])
        built = counting.build(*targets, files=ARCHIVES)
        ukernels = ukernel_table(built, plugin)
        print("\n".join(ukernels), flush=True)
        if args.budget:
            counts = counting.count_ukernels(built / "test/arm/ukernel_calls", plugin)
            counts |= count_small_nets(built / "tools/mace_run/mace_run", plugin, Path(folder))
            (counting.HERE / "budget.json").write_text(json.dumps(
                {name: round(each, 4) for name, each in sorted(counts.items())}, indent=1) + "\n")
        nets = (int8_table(built, plugin, names, args.functions) if args.int8 else
                net_table(built, plugin, names, args.functions, "f16" if args.fp16 else "f32"))
    if args.write:
        text = replace_section(PAGE.read_text(), "micro-kernels", ukernels)
        if names == list(NETS):
            section = ("int8 networks" if args.int8 else "fp16 networks" if args.fp16 else
                       "networks")
            text = replace_section(text, section, nets)
        PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
