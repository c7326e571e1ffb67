"""The keys of `quantize:`.

SPDX-License-Identifier: Apache-2.0
"""

import pytest
from pydantic import ValidationError

from mace_tools.config.sections import Quantize

WRONG = [
    ({}, "there are no samples"), ({"method": "mean"}, "is not one of minmax, percentile, kl, mse"),
    ({"percentile": 101}, "'101' is not above 50 and at most 100"),
    ({"accuracy_budget": 0}, "'0' is not above 0 and at most 1"),
    ({"num_samples": 0}, "'0' is not a whole number from 1"),
    ({"seed": True}, "is not a whole number from 0"), ({"methd": "mse"}, "Extra inputs"),
]


@pytest.mark.parametrize("given, message", WRONG)
def test_wrong_values_are_refused(given, message):
    samples = {"samples": "data"} if given else {}
    with pytest.raises(ValidationError, match=message):
        Quantize.model_validate({**samples, **given})


def test_only_samples_are_needed():
    found = Quantize.model_validate({"samples": ["a", "b"]})
    assert found.samples == ("a", "b") and found.method == "mse" and found.num_samples == 100


def test_dynamic_needs_no_samples_and_takes_them():
    assert Quantize.model_validate({"dynamic": "int8"}).stored_weights == "int8"
    found = Quantize.model_validate({"dynamic": "int8", "samples": "a", "num_samples": 5})
    assert found.samples == ("a",) and found.weights_only is None
    with pytest.raises(ValidationError, match="weights_only and dynamic exclude one another"):
        Quantize.model_validate({"dynamic": "int8", "weights_only": "int4"})
    with pytest.raises(ValidationError, match="dynamic: int4 does not use method; leave it out"):
        Quantize.model_validate({"dynamic": "int4", "method": "mse"})
    with pytest.raises(ValidationError, match="is not one of int8, int4"):
        Quantize.model_validate({"dynamic": "int16"})


def test_weights_alone_need_no_samples():
    assert Quantize.model_validate({"weights_only": "int4"}).samples == ()
    found = Quantize.model_validate({"weights_only": "int4", "samples": "a", "num_samples": 5})
    assert found.samples == ("a",) and found.num_samples == 5
    with pytest.raises(ValidationError, match="int4 does not use num_samples; leave it out"):
        Quantize.model_validate({"weights_only": "int4", "num_samples": 5})
    with pytest.raises(ValidationError, match="does not use method, samples; leave it out"):
        Quantize.model_validate({"weights_only": "int8", "samples": "a", "method": "mse"})
    with pytest.raises(ValidationError, match="is not one of int8, int4"):
        Quantize.model_validate({"weights_only": "int2"})
