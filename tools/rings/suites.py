"""The table of suites of the quick and the full ring, and of the names that tools/test.sh takes.

SPDX-License-Identifier: Apache-2.0
"""

from rings.steps import Bazel, Pytest, Step, Suite

RINGS = ("quick", "full", "deep")
# Shown beside the seconds that a ring took on 2 cores, and never judged.
BOUNDS = {"quick": "4 min warm, 25 min cold", "full": "12 min warm, 50 min cold",
          "deep": "30 min a slice, 4 h in all"}
EVERYTHING = ("//mace/...", "//tools/...", "//test/...")
# Which grid of shapes the GPU's tests take (MACE_TEST_GRID).
GRIDS = {"quick": "small", "full": "small", "deep": "full"}
DSP = ("//mace/hexagon:dsp_tests", "//mace/hexagon:library_test", "//test/hexagon:device_test",
       "//test/hexagon:engine_test", "//test/hexagon:vendor_engine_test",
       "//test/hexagon:vendor_mapping_test")
ENGINE_TOOLS = ("//tools:mace_run", "//tools:mace_plan")


def outside(ring: str) -> str:
    """The filter of tags that leaves out what belongs to outer rings."""
    return "".join(f",-{name}" for name in RINGS[RINGS.index(ring) + 1:])


def host(ring: str, targets: tuple[str, ...] = EVERYTHING) -> Step:
    return Bazel(targets, f"-gpu{outside(ring)}")


def gpu(driver: str, grid: str, targets: tuple[str, ...], tags: str = "gpu",
        flags: tuple[str, ...] = (), is_optional: bool = False) -> Bazel:
    # A suite that found no driver would test nothing: MACE_TEST_NEEDS_GPU makes it fail.
    return Bazel(targets, tags, (f"--test_env=OCL_ICD_VENDORS={driver}",
                                 "--test_env=MACE_TEST_NEEDS_GPU=1",
                                 f"--test_env=MACE_TEST_GRID={grid}", *flags),
                 driver if is_optional else "")


def pocl(ring: str, targets: tuple[str, ...] = ("//mace/...",)) -> Bazel:
    """PoCL compiles each kernel for each group size, and keeps the results in a folder."""
    return gpu("/etc/OpenCL/vendors/pocl.icd", GRIDS[ring], targets, f"gpu{outside(ring)}",
               ("--test_env=POCL_CACHE_DIR={cache}/pocl",))


def dsp(ring: str) -> tuple[Step, ...]:
    return Bazel(DSP, f"dsp{outside(ring)}"), Pytest(("test/hexagon",), ring)


def python(ring: str, files: tuple[str, ...] = ()) -> Step:
    chosen = files or ("--ignore=tools/lint", "--ignore=test/hexagon", "tools", "test")
    return Pytest(chosen, ring, build=ENGINE_TOOLS)


def standard(ring: str) -> tuple[Suite, ...]:
    """The suites of the quick or the full ring; `deep` has their cases of all rings."""
    return (
        Suite("lint", "layers, licences, banned words, sizes, formatting",
              (Pytest(("tools/lint",), ring),)),
        Suite("host", "C++ unit tests on this machine", (host(ring),)),
        Suite("gpu", "every op on the GPU by PoCL (OpenCL on the CPU), on a small grid of shapes",
              (pocl(ring),)),
        Suite("dsp", "the executor for Hexagon DSPs under qemu-hexagon, and a fake vendor library",
              dsp(ring)),
        Suite("python", "tests of tools/, and of whole models from their file to their output",
              (python(ring),)),
    )
