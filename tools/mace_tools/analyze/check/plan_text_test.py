"""Messages about a plan.

SPDX-License-Identifier: Apache-2.0
"""

from mace_tools.analyze.check.plan_text import product_types


def node(kernel: str, macs: int, stored: str = "") -> dict:
    return {"kernel": kernel, "macs": macs, "stored": stored}


def test_types_of_products_where_some_are_of_16_bits():
    nodes = [node("gemm_bf16_14x32__avx512bf16 packing rows", 3_000_000),
             node("dwconv_f32_3s1__avx512 + gemm_bf16_14x32__avx512bf16 by lines", 2_000_000),
             node("winograd 4 gemm_f32_14x32__avx512", 4_500_000), node("scalar", 0)]
    line, = product_types(nodes)
    assert line.endswith("2 steps in bf16, 5.00 million multiply-adds; "
                         "1 steps in f32, 4.50 million multiply-adds")


def test_says_that_stored_types_are_not_multiplied_in():
    line, = product_types([node("gemm_f32_14x32__avx512 in place", 5, "bf16"), node("scalar", 0)])
    assert line == ("weights are stored as bf16; products are of float32, which this CPU "
                    "multiplies at least as fast")


def test_nothing_to_say_of_floats():
    assert product_types([node("gemm_f32_6x16__avx2 in place", 5), node("scalar", 0)]) == []
    assert product_types([]) == []
