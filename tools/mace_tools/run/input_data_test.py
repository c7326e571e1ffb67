"""Inputs from files and from a seed.

SPDX-License-Identifier: Apache-2.0
"""

import os
from pathlib import Path

import numpy as np
import pytest

from mace_tools.run import input_data
from mace_tools.run.input_data import TensorSpec
from mace_tools.support.console import Console
from mace_tools.support.errors import MaceError


def spec(name="x", shape=(1, 4), dtype=np.float32, range_=(-1.0, 1.0)):
    return TensorSpec(name, shape, np.dtype(dtype), "NONE", range_)


def load(file, one=None, **kwargs):
    return input_data.load({"x": file}, [one or spec()], None, 0, Console(), **kwargs)["x"]


def test_files_are_assigned_to_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert input_data.assign(["f.npy"], ["x"], "net") == {"x": Path("f.npy")}
    assert input_data.assign(["x=f.npy"], ["x"], "net") == {"x": Path("f.npy")}
    assert input_data.assign(["a/b:0=g.npy", "x=f.npy"], ["x", "a/b:0"], "net") == {
        "x": Path("f.npy"), "a/b:0": Path("g.npy")}
    Path("odd=name.npy").write_text("")
    assert input_data.assign(["odd=name.npy"], ["x"], "net") == {"x": Path("odd=name.npy")}
    assert input_data.assign([], ["x", "a/b:0"], "net") == {}


@pytest.mark.parametrize("arguments, names, message", [
    (["imput=f.npy"], ["input"], "no input 'imput'; did you mean 'input'?; its inputs are input"),
    (["f.npy"], ["x", "y"], "has 2 inputs; write NAME=f.npy with one of x, y"),
    (["x=a", "x=b"], ["x"], "input 'x' is given twice"),
    ([""], ["x"], "--input= names no file; write --input=FILE or --input=x=FILE"),
    (["x="], ["x"], "--input=x= names no file"),
])
def test_wrong_assignments_are_reported(arguments, names, message):
    with pytest.raises(MaceError) as caught:
        input_data.assign(arguments, names, "net")
    assert message in str(caught.value)


def test_random_inputs_depend_on_seed_and_name_only():
    a = input_data.random(spec(shape=(50, 50), range_=(2, 3)), 7)
    assert np.array_equal(a, input_data.random(spec(shape=(50, 50), range_=(2, 3)), 7))
    assert not np.array_equal(a, input_data.random(spec("y", (50, 50), range_=(2, 3)), 7))
    assert not np.array_equal(a, input_data.random(spec(shape=(50, 50), range_=(2, 3)), 8))
    assert a.dtype == np.float32 and 2 <= a.min() < 2.1 and 2.9 < a.max() <= 3


def test_random_integers_stay_in_range_and_type():
    assert set(input_data.random(spec(shape=(200,), dtype=np.int64, range_=(0, 2)), 0)) == {0, 1, 2}
    small = input_data.random(spec(shape=(3000,), dtype=np.uint8, range_=(-5, 1e6)), 0)
    assert small.min() == 0 and small.max() == 255
    assert input_data.random(spec(shape=(9,), dtype=np.bool_), 0).dtype == np.bool_
    with pytest.raises(MaceError, match="input_ranges 0.2,0.8 holds no int32"):
        input_data.random(spec(dtype=np.int32, range_=(0.2, 0.8)), 0)


def test_scalars_stay_scalars(tmp_path):
    for dtype in (np.float32, np.float16, np.int64, np.bool_):
        scalar = spec(shape=(), dtype=dtype)
        made = input_data.random(scalar, 1)
        assert isinstance(made, np.ndarray) and made.shape == () and made.dtype == dtype
        np.save(tmp_path / "s.npy", np.array(1, dtype))
        assert load(tmp_path / "s.npy", scalar).shape == ()
    np.save(tmp_path / "s.npy", np.ones(1, np.float32))
    with pytest.raises(MaceError, match=r"the model takes \[\]; save array.reshape\(\(\)\)"):
        load(tmp_path / "s.npy", spec(shape=()))


def test_arrays_are_read_and_converted_where_nothing_is_lost(tmp_path):
    file = tmp_path / "x.npy"
    for array in (np.array([[1, 2, 3, 4]], np.float64), np.array([[1, 2, 3, 4]], np.uint8),
                  np.asfortranarray(np.array([[1, 2, 3, 4]], np.float32)),
                  np.array([[1, 2, 3, 4]], ">f4")):
        np.save(file, array)
        out = load(file)
        assert out.dtype == np.float32 and out.tolist() == [[1, 2, 3, 4]]
    np.save(file, np.array([[1.0, 2, 3, 4]]))
    assert load(file, spec(dtype=np.int32)).dtype == np.int32


def test_other_extents_are_allowed_other_ranks_are_not(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, np.zeros((3, 4), np.float32))
    assert load(file).shape == (3, 4)
    np.save(file, np.zeros(4, np.float32))
    with pytest.raises(MaceError, match=r"shape \[4\], the model takes \[1, 4\]; save "
                                        r"array.reshape\(\(1, 4\)\)"):
        load(file)


@pytest.mark.parametrize("array, dtype, message", [
    (np.array([["a"]]), np.float32, "elements of type <U1 cannot be used"),
    (np.array([[1j]]), np.float32, "complex128 cannot be used"),
    (np.zeros((1, 0), np.float32), np.float32, r"shape \[1, 0\]"),
    (np.array([[1.5]]), np.int32, "float64 elements that do not fit int32"),
    (np.array([[300]]), np.uint8, "int64 elements that do not fit uint8"),
])
def test_arrays_that_do_not_fit_are_reported(tmp_path, array, dtype, message):
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(MaceError, match=f"^input 'x' from .*x.npy: .*{message}"):
        load(tmp_path / "x.npy", spec(shape=(1, 1), dtype=dtype))


def test_files_that_are_no_arrays_are_reported(tmp_path):
    file = tmp_path / "x.npy"
    with pytest.raises(MaceError, match="input 'x': there is no file '.*x.npy'"):
        load(file)
    np.save(file, np.zeros((1, 4), np.float32))
    whole = file.read_bytes()
    for content in (b"", b"hello", whole[:20], whole[:-4],
                    whole.replace(b"(1,", b"{1,"), b"\x93NUMPY\x09\x00" + whole[8:]):
        file.write_bytes(content)
        with pytest.raises(MaceError, match="not a whole .npy file"):
            load(file)
    np.save(file, np.array([{}]), allow_pickle=True)
    with pytest.raises(MaceError, match="not a whole .npy file"):
        load(file)
    with file.open("wb") as out:
        np.savez(out, np.zeros(3))
    with pytest.raises(MaceError, match="archives"):
        load(file)


def test_a_full_disk_is_reported_and_leaves_nothing(tmp_path, monkeypatch):
    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MaceError, match="cannot write .*x.npy: No space left .*free some space"):
        input_data.save(tmp_path / "x.npy", np.zeros(3))
    assert list(tmp_path.iterdir()) == []


def test_nan_is_refused_unless_allowed(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, np.array([[1, np.nan, np.inf, 2]], np.float32))
    with pytest.raises(MaceError, match=r"2 of 4 elements are NaN or infinite, the first at "
                                        r"\[0, 1\] \(nan\); fix the file, or pass --allow_nan"):
        load(file)
    assert np.isnan(load(file, allow_nan=True)[0, 1])
