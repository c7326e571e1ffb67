"""Element types of few bits, against ml_dtypes and the definitions.

SPDX-License-Identifier: Apache-2.0
"""

import ml_dtypes
import numpy as np
import pytest

from mace_tools.convert.importers import narrow_types

ML_DTYPES = {"float8e4m3fn": "float8_e4m3fn", "float8e4m3fnuz": "float8_e4m3fnuz",
             "float8e5m2": "float8_e5m2", "float8e5m2fnuz": "float8_e5m2fnuz",
             "float8e8m0": "float8_e8m0fnu", "float4e2m1": "float4_e2m1fn",
             "float6e2m3": "float6_e2m3fn", "float6e3m2": "float6_e3m2fn",
             "int4": "int4", "uint4": "uint4", "int2": "int2", "uint2": "uint2"}  # fmt: skip


@pytest.mark.parametrize("kind", narrow_types.TYPES)
def test_every_value_is_that_of_ml_dtypes(kind):
    bits = np.arange(1 << narrow_types.TYPES[kind].bits, dtype=np.uint8)
    want = bits.view(getattr(ml_dtypes, ML_DTYPES[kind])).astype(np.float32)
    got = narrow_types.numbers(kind, bits)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]),
                                  np.signbit(want[~np.isnan(want)]))


def test_elements_lie_one_after_the_other_from_the_lowest_bits_on():
    assert narrow_types.unpacked("int4", b"\x8f\x07", 3).tolist() == [-1, -8, 7]
    assert narrow_types.unpacked("uint4", b"\x8f\x07", 3).tolist() == [15, 8, 7]
    assert narrow_types.unpacked("int2", b"\xe4\x02", 5).tolist() == [0, 1, -2, -1, -2]
    assert narrow_types.unpacked("uint2", b"\xe4", 4).tolist() == [0, 1, 2, 3]
    assert narrow_types.unpacked("float4e2m1", b"\xf2", 2).tolist() == [1.0, -6.0]
    assert narrow_types.unpacked("float6e2m3", b"\x48\x00", 2).tolist() == [1.0, 0.125]
    assert [narrow_types.packed_bytes(kind, 5) for kind in ("float6e3m2", "int2")] == [4, 2]
    assert narrow_types.unpacked("int4", b"", 0).tolist() == []
    limits = {kind: form.limits for kind, form in narrow_types.INTEGERS.items()}
    assert limits == {"int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3)}
