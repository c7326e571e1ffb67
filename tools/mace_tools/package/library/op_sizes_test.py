"""The estimate of a library's size; test/library/sizes_test.py compares it with linked ones.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.graph.op_schema import all_ops
from mace_tools.package.library import link, op_sizes, sizes
from mace_tools.package.library.abis import ABIS

VARIANT = {"base": 1000, "objects": ["a.o", "b.o", "c.o"],
           "ops": {"A": [[0, 10], [1, 200]], "B": [[1, 300], [2, 5]]}}


@pytest.mark.parametrize("ops, size", [((), 1000), (("A",), 1210), (("B",), 1305),
                                       (("A", "B"), 1315), (("mine",), 1000)])
def test_code_that_ops_share_counts_once(ops, size):
    assert op_sizes.total(VARIANT, ops) == size


def test_functions_of_an_object_with_all_micro_kernels_count_alone(tmp_path):
    kept = tmp_path / "map"
    kept.write_text("""Linker script and memory map

 .text.Pool     0x0000000000001000       0x20 14-libneon.a(simd__neon.pic.o)
 .text.Gemv
                0x0000000000001020       0x30 14-libneon.a(simd__neon.pic.o)
 .text.Infer    0x0000000000001050        0x8 21-libops.a(pooling.pic.o)
 .rodata.Infer  0x0000000000001058        0x4 21-libops.a(pooling.pic.o)
""")
    assert sizes.by_object(kept) == {"14-libneon.a(simd__neon.pic.o) .text.Pool": 32,
                                     "14-libneon.a(simd__neon.pic.o) .text.Gemv": 48,
                                     "21-libops.a(pooling.pic.o)": 12}


def test_small_libraries_for_arm64_name_every_place_by_one_instruction():
    arm64 = ABIS["arm64"]
    assert op_sizes.is_near(arm64, ()) and op_sizes.is_near(arm64, ("Conv2d", "Softmax"))
    assert op_sizes.is_near(arm64, ("Conv2d",), gpu=True, quantized=True)
    assert op_sizes.is_near(arm64, ("Conv2d",), types_of_16_bits=True, quantized=True)
    assert not op_sizes.is_near(arm64, None) and not op_sizes.is_near(arm64, all_ops())
    assert not op_sizes.is_near(arm64, (), dsp=True)
    assert not any(op_sizes.is_near(abi, ()) for name, abi in ABIS.items() if name != "arm64")
    # Estimates are within 6 % (sizes_test.py), and three pages lie between the segments.
    assert op_sizes.NEAR_BYTES * 1.06 + 3 * link.PAGE_BYTES < 2**20


def test_the_table_has_every_op_and_is_plausible():
    table = op_sizes.stored()
    assert table["abi"] in ABIS and set(table["variants"]) == set(op_sizes.VARIANTS)
    assert op_sizes.is_complete(), "run `python -m mace_tools.generate` in tools/"
    none, one, all_of_them = (op_sizes.estimate(ops) for ops in ((), ("Conv2d",), all_ops()))
    assert none < one < all_of_them < op_sizes.estimate(all_ops(), gpu=True)
    assert one < op_sizes.estimate(("Conv2d",), quantized=True)
    assert op_sizes.estimate(("Conv2d",), gpu=True) < op_sizes.estimate(
        ("Conv2d",), gpu=True, quantized=True)
