"""Decoders whose engine keeps keys and values, of GPT-2 small's sizes and of LLaMA's kind, step by
step against ONNX Runtime, and from a deployment file to the answer.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from golden import Run, mace_run, relative_error, run_all

from mace_tools import cli
from mace_tools.convert import importers
from mace_tools.convert.importers import declared_states
from mace_tools.convert.passes.pipeline import convert
from mace_tools.graph.dynamic_dims import OpenDims
from mace_tools.graph.states import Pair
from mace_tools.testing import rotary_nets
from mace_tools.testing import transformers as nets
from mace_tools.testing.by_onnxruntime import Session

pytestmark = pytest.mark.full
BLOCKS, STEPS, TOLERANCE = 2, 24, 2e-5
WORD, PLACE = np.full((1, 1), 7), np.full((1, 1), 3)
MODELS = {"gpt2": lambda: nets.cached_decoder(BLOCKS, size=nets.GPT2),
          "llama": lambda: rotary_nets.llama(BLOCKS, cached=True),
          "llama_by_operators": lambda: rotary_nets.llama(BLOCKS, "operator", cached=True)}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


def feeds(model):
    return {i.name: PLACE if i.name == "places" else WORD
            for i in model.graph.input if not i.name.startswith("past")}


def past(model):
    """The shapes of the cache, by input, where None is the number of words."""
    return {i.name: (1, i.type.tensor_type.shape.dim[1].dim_value, None,
                     i.type.tensor_type.shape.dim[3].dim_value)
            for i in model.graph.input if i.name.startswith("past")}


@pytest.fixture(scope="module")
def answers(model):
    """Of each step of the same word again and again, by ONNX Runtime, which is given the cache."""
    session = Session(model.SerializeToString())
    state = {n: np.zeros([d or 0 for d in s], np.float32) for n, s in past(model).items()}
    found = []
    for _ in range(STEPS):
        made = session.run(None, {**feeds(model), **state})
        state = dict(zip(state, made[1:]))
        found.append(made[0])
    return found


def pairs(model, most):
    """The states, with capacity for so many words; None: for any number."""
    outputs = [o.name for o in model.graph.output[1:]]
    return {name: Pair(o, shape, most and tuple(d or most for d in shape))
            for (name, shape), o in zip(past(model).items(), outputs)}


def converted(folder, model, most):
    path = folder / "m.onnx"
    onnx.save(model, path)
    read = importers.read("onnx", path)
    own, states = [model.graph.output[0].name], pairs(model, most)
    shapes = {**{name: (1, None) for name in feeds(model)}, **declared_states.shapes(read, states)}
    graph = importers.translate("onnx", read, shapes, declared_states.outputs(own, states))
    declared_states.keep(graph, own, states)
    graph = convert(graph)
    graph.open_dims |= {name: OpenDims(("", "sequence")) for name in feeds(model)}
    return graph


@pytest.mark.parametrize("most", [STEPS, None])
def test_each_step_is_onnx_runtimes(tmp_path, model, answers, most):
    """Without a limit, the capacity of 16 rows becomes 32."""
    graph = converted(tmp_path, model, most)
    for count in (1, 2, 9, 16, 17, STEPS):
        run = Run(f"{count} steps", graph, feeds(model))
        run_all([run], tmp_path / f"{count}", [f"--round={count}"])
        assert not run.error, run.error
        made = next(iter(run.outputs.values()))
        assert relative_error(made, answers[count - 1]) < TOLERANCE, count


def test_a_step_beyond_the_limit_is_refused(tmp_path, model):
    run = Run("one more", converted(tmp_path, model, STEPS), feeds(model))
    run_all([run], tmp_path / "runs", [f"--round={STEPS + 1}"])
    most = [d or STEPS for d in past(model)["past_k0"]]
    assert f"at most those of [{','.join(map(str, most))}]" in run.error


def test_nothing_is_joined(tmp_path, model):
    """The plan of a block has two Appends, whose rows Attention reads where they are."""
    graph = converted(tmp_path, model, STEPS)
    run = Run("plan", graph, feeds(model))
    run_all([run], tmp_path / "runs")
    job = tmp_path / "runs/0"
    text = subprocess.run([mace_run(), f"--model_file={job / 'model.pb'}",
                           f"--model_data_file={job / 'model.data'}", "--dump=plan"],
                          capture_output=True, text=True, check=True).stdout
    nodes = re.findall(r"^\d+ (\w+) '([^']+)'", text, re.MULTILINE)
    ops = [op for op, _ in nodes]
    assert ops.count("Append") == 2 * BLOCKS and ops.count("Attention") == BLOCKS, text
    joined = {n.output[0] for n in model.graph.node
              if n.op_type == "Concat" and n.input[0].startswith("past")}
    assert len(joined) == 2 * BLOCKS
    assert {op for op, name in nodes if name in joined} == {"Append"}, text


def dims(shape) -> str:
    return ",".join(str(-1 if d is None else d) for d in shape)


def deployment(folder: Path, model) -> str:
    path = folder / "m.onnx"
    onnx.save(model, path)
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    states = ", ".join(f"{name}: {{next: {pair.next}, shape: '{dims(pair.shape)}', "
                       f"max_shape: '{dims(pair.most)}'}}"
                       for name, pair in pairs(model, STEPS).items())
    (folder / "d.yml").write_text(f"""\
library_name: decoder
target_abis: [host]
models:
  decoder:
    platform: onnx
    model_file_path: {path}
    model_sha256_checksum: {sha}
    runtime: cpu
    subgraphs:
      - input_tensors: [{", ".join(feeds(model))}]
        input_shapes: [{", ".join(['"1,sequence"'] * len(feeds(model)))}]
        input_data_types: [{", ".join(["int64"] * len(feeds(model)))}]
        output_tensors: {model.graph.output[0].name}
        states: {{{states}}}
""")
    return f"--config={folder / 'd.yml'}"


def test_from_file_to_answer(tmp_path, monkeypatch, model, answers):
    monkeypatch.chdir(tmp_path)
    config = deployment(tmp_path, model)
    assert cli.main(["convert", config]) == 0
    out = tmp_path / "out"
    for name, array in feeds(model).items():
        np.save(tmp_path / f"{name}.npy", array)
    folder = tmp_path / "build/decoder/model"
    done = subprocess.run(
        [mace_run(), f"--model_file={folder / 'decoder.pb'}",
         f"--model_data_file={folder / 'decoder.data'}",
         *(f"--input={name}={tmp_path / name}.npy" for name in feeds(model)),
         f"--output_dir={out}", f"--round={STEPS}", "--warmup=0"],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = np.load(next(out.glob("*.npy")))
    assert relative_error(made, answers[-1]) < TOLERANCE
