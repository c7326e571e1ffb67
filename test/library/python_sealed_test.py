"""Sealed models in Python: `converter.py seal` encrypts them by another library than the engine's.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest
import small_models

from mace_tools.package import encryption

pytestmark = pytest.mark.deep
SECRET = bytes(range(7, 39))


@pytest.fixture
def sealed(models, tmp_path):
    """The digits, encrypted by another library than that of the engine."""
    out = tmp_path / "digits.sealed"
    encryption.seal(models["digits"], models["digits"].with_suffix(".data"),
                 encryption.Key(SECRET, "k7"), out)
    return out


def test_a_sealed_model_runs_as_the_plain_one(mace, models, sealed):
    x = small_models.pixels(3)
    with mace.Engine(models["digits"]) as plain:
        wanted = plain(x)
    names = []
    for source in (sealed, str(sealed), sealed.read_bytes(),
                   np.frombuffer(sealed.read_bytes(), np.uint8)):
        for key in (SECRET, bytearray(SECRET), lambda name: names.append(name) or SECRET):
            with mace.Engine(mace.Model.from_sealed(source, key)) as engine:
                np.testing.assert_array_equal(engine(x), wanted)
    assert set(names) == {"k7"} and len(names) == 4


def test_sealed_models_are_refused_with_the_reason(mace, models, sealed):
    def refuses(kind, words, source=sealed, key=SECRET):
        with pytest.raises(kind, match=words) as caught:
            mace.Model.from_sealed(source, key)
        return caught.value

    refuses(mace.InvalidArgumentError, "another key than the key 'k7'", key=bytes(32))
    error = refuses(mace.InvalidArgumentError, "did not give the key 'k7'.*division by zero",
                    key=lambda name: 1 / 0)
    assert isinstance(error.__cause__, ZeroDivisionError)
    for key, words in ((b"short", "32 bytes, not 5"), (lambda name: None, "NoneType")):
        refuses(mace.InvalidArgumentError, words, key=key)
    data = bytearray(sealed.read_bytes())
    data[-20] ^= 1
    refuses(mace.InvalidModelError, "is not what was sealed", source=bytes(data))
    refuses(mace.InvalidModelError, "cut short", source=bytes(data[:-1]))
    refuses(mace.InvalidModelError, "not a sealed model", source=models["digits"])
    refuses(mace.InvalidArgumentError, "none.sealed", source="none.sealed")
    refuses(mace.InvalidArgumentError, "a path, bytes or an array", source=7)
    with pytest.raises(mace.InvalidArgumentError, match="the model is sealed: load it by"):
        mace.Engine(sealed)
