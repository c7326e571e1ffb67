"""Single values of a deployment file that Python can hardly show.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.config import values


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("read", [
    values.number, values.between(0, 1), values.whole(0, 9), lambda v: values.ranges([v, 1]),
    lambda v: values.tensor_values({"x": v}), lambda v: values.tensor_values({"x": [0, v]})])
def test_numbers_of_very_many_digits_are_refused(digits, read):
    with pytest.raises(ValueError) as caught:
        read(10**digits)
    assert len(str(caught.value)) < 200
    assert str(caught.value).startswith(("a number of more than 64 bits", "'[0, 1000", "'[1000",
                                         "a list with a number of more than 64 bits"))


def test_whole_numbers_of_64_bits_are_values():
    assert values.tensor_values({"x": [2**64 - 1, -(2**63)]})
    assert values.shown(2**64 - 1) == f"'{2**64 - 1}'"
