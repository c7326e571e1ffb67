"""Transformers with open dimensions, and decoders that keep what they have seen, against ONNX
Runtime.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import onnx
import pytest
from golden import Run, relative_error, run_all

from mace_tools.convert import importers
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.states import State
from mace_tools.testing import rotary_nets
from mace_tools.testing import transformers as nets
from mace_tools.testing.by_onnxruntime import Session

RNG = np.random.default_rng(8)
TOLERANCE = 1e-5
STEPS = 6


def converted(folder, model):
    """The graph, whose inputs are open where the file names their dimensions."""
    path = folder / "m.onnx"
    onnx.save(model, path)
    dims = {i.name: i.type.tensor_type.shape.dim for i in model.graph.input}
    graph = convert(importers.load("onnx", path, {
        name: tuple(d.dim_value or None for d in found) for name, found in dims.items()}))
    graph.open_dims = {name: OpenDims(tuple(d.dim_param for d in found))
                       for name, found in dims.items() if any(d.dim_param for d in found)}
    return graph


def session_of(model):
    return Session(model.SerializeToString())


NETS = nets.with_feeds(RNG)


@pytest.mark.parametrize("name", NETS)
def test_any_batch_and_any_number_of_words(tmp_path, name):
    make, feeds = NETS[name]
    model = make(2)
    graph = converted(tmp_path, model)
    runs = [Run(f"{n}x{s}", graph, feeds(n, s)) for n, s in ((1, 1), (1, 9), (3, 4), (5, 32))]
    run_all(runs, tmp_path / "runs")
    session = session_of(model)
    for run in runs:
        assert not run.error, run.error
        want = session.run(None, run.feeds)[0]
        got = next(iter(run.outputs.values()))
        assert relative_error(got, want) < TOLERANCE, run.name


@pytest.mark.parametrize("size", [nets.DEPTH, nets.DEPTH // 2])
@pytest.mark.parametrize("spelling", rotary_nets.SPELLINGS)
def test_rotary_embeddings(tmp_path, spelling, size):
    model = rotary_nets.llama(2, spelling, size)
    graph = converted(tmp_path, model)
    places = np.arange(32)[None].repeat(5, 0)
    runs = [Run(f"{n}x{s}", graph, {"ids": nets.words(RNG, n, s), "places": places[:n, :s]})
            for n, s in ((1, 1), (1, 9), (3, 4), (5, 32))]
    run_all(runs, tmp_path / "runs")
    session = session_of(model)
    for run in runs:
        assert not run.error, run.error
        want = session.run(None, run.feeds)[0]
        assert relative_error(next(iter(run.outputs.values())), want) < TOLERANCE, run.name


def test_dimensions_of_one_name_must_agree(tmp_path):
    graph = converted(tmp_path, nets.encoder(1))
    run = Run("odd", graph, {"ids": nets.words(RNG, 2, 5), "mask": np.ones((2, 4), np.int64)})
    run_all([run], tmp_path / "runs")
    assert ("dimension 1 ('sequence') of input 'mask' is 4, but dimension 1 ('sequence') of input "
            "'ids' is 5") in run.error


@pytest.mark.parametrize("kv_heads", [nets.HEADS, 2])
def test_a_cache_that_the_caller_keeps(tmp_path, kv_heads):
    """Each step reads the keys and values that the engine returned in the step before."""
    model = nets.cached_decoder(2, kv_heads)
    graph = converted(tmp_path, model)
    session, past = session_of(model), [i.name for i in model.graph.input[1:]]
    state = {n: np.zeros((1, kv_heads, 0, nets.DEPTH), np.float32) for n in past}
    theirs = dict(state)
    for step, count in enumerate((5, 1, 1, 3)):
        ids = nets.words(RNG, 1, count)
        run = Run(f"step {step}", graph, {"ids": ids, **state})
        run_all([run], tmp_path / str(step))
        assert not run.error, run.error
        want = session.run(None, {"ids": ids, **theirs})
        got = [run.outputs[o.name] for o in model.graph.output]
        assert relative_error(got[0], want[0]) < TOLERANCE
        state, theirs = dict(zip(past, got[1:])), dict(zip(past, want[1:]))
    assert state[past[0]].shape == (1, kv_heads, 10, nets.DEPTH)


def test_a_cache_that_the_engine_keeps(tmp_path):
    """The same word again and again: the engine's states grow with each run."""
    model = nets.cached_decoder(2)
    graph = converted(tmp_path, model)
    past = [i.name for i in model.graph.input[1:]]
    own, *presents = (o.name for o in model.graph.output)
    graph.states = {name: State(next=made) for name, made in zip(past, presents)}
    shape = (1, nets.HEADS, STEPS, nets.DEPTH)
    for name in past:
        graph.open_dims[name] = OpenDims(("", "", "", ""), shape)
        graph.tensors[name].shape = (1, nets.HEADS, None, nets.DEPTH)
    ids = nets.words(RNG, 1, 1)
    session = session_of(model)
    state = {n: np.zeros((1, nets.HEADS, 0, nets.DEPTH), np.float32) for n in past}
    for _ in range(STEPS):
        want = session.run(None, {"ids": ids, **state})
        state = dict(zip(past, want[1:]))
    run = Run("steps", graph, {"ids": ids})
    run_all([run], tmp_path / "runs", [f"--round={STEPS}"])
    assert not run.error, run.error
    assert relative_error(run.outputs[own], want[0]) < TOLERANCE
    more = Run("one more", graph, {"ids": ids})
    run_all([more], tmp_path / "more", [f"--round={STEPS + 1}"])
    assert "at most those of [1,4,6,8]" in more.error
