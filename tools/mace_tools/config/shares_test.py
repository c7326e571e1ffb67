"""Shares of devices, as in `require: {gpu: 0.9}`.

SPDX-License-Identifier: Apache-2.0
"""

import pytest

from mace_tools.config import values


@pytest.mark.parametrize("given, read", [
    ({"gpu": 0.9, "cpu": 0}, ("gpu=0.9", "cpu=0")),
    ({"dsp": 1}, ("dsp=1",)),
    (["gpu=0.25", "cpu=1e-3"], ("gpu=0.25", "cpu=1e-3")),
    ("gpu=1", ("gpu=1",)),
])
def test_both_forms_are_read(given, read):
    assert values.shares(given) == read


@pytest.mark.parametrize("given, words", [
    ({"gpu": 2}, "'gpu=2' is not a device .* with a share from 0 to 1"),
    ({"gpu": -0.1}, "is not a device"),
    ({"npu": 0.5}, "'npu=0.5' is not a device"),
    ({"gpu": float("nan")}, "is not a device"),
    ({"gpu": "much"}, "'gpu=much' is not a device"),
    (["gpu=0.1", "gpu=0.2"], "'gpu' appears twice"),
    ("gpu", "'gpu' is not a device"),
    (0.9, "0.9"),
    ({}, "the list is empty"),
])
def test_others_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        values.shares(given)
