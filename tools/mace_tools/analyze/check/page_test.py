"""The pages of check and benchmark.

SPDX-License-Identifier: Apache-2.0
"""

import json
import re
from html.parser import HTMLParser

import pytest

from mace_tools.analyze.check import benchmark_page, graph, page
from mace_tools.support import protos
from mace_tools.testing import chromium

EVIL = "</script><img src=x onerror=alert(1)>"
MEMORY = json.dumps({
    "records": [{"name": "conv", "size": 96, "first": 0, "last": 1, "align": 32},
                {"name": EVIL, "size": 64, "first": 1, "last": 2, "align": 32}],
    "offsets": [0, 96], "total_size": 160, "bound": 160, "status": "optimal",
    "strategy": "offsets/AUTO", "nodes": 0, "us": 1,
    "steps": ["Conv2d 'conv'", "Pooling 'pool'", "Softmax 'y'"]})


def step(op, name, device="GPU", macs=0, reason="", part_of=""):
    return {"op": op, "name": name, "device": device, "kernel": "gemm", "reason": reason,
            "part_of": part_of, "macs": macs, "stored": "", "outputs": ["f32[1,4]"]}


PLAN = {
    "device": "gpu", "macs": 3_000_000, "note": "",
    "nodes": [step("Conv2d+Pooling", "conv + pool", macs=3_000_000),
              step("Conv2d", "conv", macs=3_000_000, part_of="conv + pool"),
              step("ArgMax", EVIL, "CPU", reason=f"ArgMax '{EVIL}': the GPU has no kernel")],
    "moves": [{"tensor": EVIL, "to": "CPU", "bytes": 2048}],
    "memory": {"arena_bytes": 160, "image_bytes": 0, "num_images": 0, "lower_bound_bytes": 160,
               "peak_bytes": 160, "peak_node": "Pooling 'pool'", "image_peak_bytes": 0,
               "anonymous_bytes": 5000, "mapped_bytes": 40,
               "peak_holders": [{"name": "conv", "bytes": 96}, {"name": EVIL, "bytes": 64}],
               "categories": {}}}
REPORT = {
    "version": 1, "model": f"folder/{EVIL.replace('/', '')}.onnx", "platform": "onnx",
    "notes": [EVIL],
    "source": {"framework": "ONNX", "opset": 13, "nodes": 4,
               "ops": {"Conv": {"nodes": 3, "refused": 0}, EVIL: {"nodes": 1, "refused": 1}},
               "parameters": {"count": 10, "bytes": 40,
                              "by_type": {"float32": {"count": 10, "bytes": 40}}}},
    "inputs": [{"name": EVIL, "dtype": "float32", "stated_shape": ["batch", 3], "shape": [1, None],
                "data_format": "NONE", "open": True, "flag": "--input_shape=x=1,?"}],
    "outputs": [{"name": "y"}],
    "refused": [{"op": EVIL, "nodes": [EVIL], "reason": "why not", "cure": "do this"}],
    "converts": {"all": False, "nodes": 3, "of": 4,
                 "part": {"output_tensors": [EVIL], "nodes": 2}},
    "graph": {"nodes": 2, "ops": {"Conv2d": 1, "ArgMax": 1}, "custom_ops": {"mine": [EVIL]},
              "parameters": {"count": 10, "bytes": 40, "by_type": {}},
              "layout_transposes": [{"name": "t", "to": "NHWC", "shape": [1], "why": EVIL}]},
    "plan": PLAN,
    "library": {"ops": ["Conv2d"], "gpu": True, "quantized": True, "bytes": 700_000,
                "abi": "arm64", "how": "estimated"}}


def timed(name, op, us, macs, count, device="CPU"):
    return {"name": name, "type": op, "start_us": 0.0, "avg_us": us, "min_us": us / 2, "macs": macs,
            "bytes": count, "gflops": 2 * macs / us / 1000 if us else 0.0, "device": device,
            "kernel": "gemm", "chosen_by": "", "output_shape": [[1, 4]]}


STAT = {"count": 5, "first": 3.0, "min": 2.0, "max": 4.0, "avg": 3.0, "median": 2.5, "std": 0.1}
RESULT = {"run": STAT, "run_with_statistics": STAT, "warmup": STAT, "init_ms": 7.0, "ops": [
    timed("conv + pool", "Conv2d+Pooling", 2000.0, 2_000_000, 50_000),
    timed(EVIL, "ArgMax", 500.0, 0, 1000), timed("none", "Reshape", 0.0, 0, 0)]}


def net():
    """Conv2d 'conv' -> Pooling 'pool' -> ArgMax."""
    made = protos.mace().NetDef()
    made.tensors.add(name="w", dims=[4, 3, 1, 1], data_type=1)
    for op, name, inputs in (("Conv2d", "conv", ["x", "w"]), ("Pooling", "pool", ["conv"]),
                             ("ArgMax", EVIL, ["pool"])):
        added = made.op.add(type=op, name=name, input=inputs, output=[name], output_type=[1])
        added.output_shape.add(dims=[1, 4])
    added.arg.add(name="axis", type=added.arg.add().INT, i=3)
    del added.arg[0]
    made.input_info.add(name="x", dims=[1, 3, 2, 2], data_type=1)
    made.output_info.add(name=EVIL, dims=[1, 4], data_type=1)
    return made


LIMITS = benchmark_page.Limits(100.0, 10.0, "measured")


def benchmark(result=RESULT, limits=LIMITS):
    return benchmark_page.render(EVIL, "cpu", result, PLAN, MEMORY, limits, net())


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("text", [page.render(REPORT, MEMORY, net()), benchmark()],
                         ids=["check", "benchmark"])
def test_pages_stand_alone_and_take_any_name(text):
    tags = Tags(text).found
    assert [t for t, _ in tags].count("script") == 1
    assert not any(name.startswith("on") for _, attrs in tags for name in attrs)
    assert not [a for _, attrs in tags for k, a in attrs.items() if k in ("src", "href")]
    assert all(attrs.get("alt") for t, attrs in tags if t == "img")
    assert all(attrs.get("aria-label") for t, attrs in tags if t == "svg")
    tables = [t for t, _ in tags].count("table")
    assert tables > 3 and [t for t, _ in tags].count("caption") == tables


def test_check_says_what_does_not_convert_and_why():
    text = page.render(REPORT, MEMORY)
    for words in ("3 of 4", "not converted: 1", "why not", "do this", "1 refused",
                  "--input_shape=x=1,?", "[batch, 3]", "the GPU has no kernel", "3.00",
                  "move between devices in each run (1, 2 KiB in all)", "683.6 KiB", "160 bytes"):
        assert words in text, words


def test_check_without_a_graph():
    """Of a model of which nothing converts, or whose shapes are open."""
    text = page.render({**REPORT, "graph": None, "plan": None, "library": None}, "")
    assert "why not" in text and "Memory over the run" not in text


def test_a_bar_is_as_long_as_its_share():
    widths = [float(w) for w in re.findall(r'class="track" style="width:([\d.]+)%', benchmark())]
    assert widths[:2] == [100.0, 25.0]  # of 2000 and 500 microseconds


def test_roofline_says_where_its_limits_are_from():
    text = benchmark()
    assert "100 GFLOP/s and 10.0 GB/s, measured" in text
    assert text.count('class="dot"') == 1  # the only step that multiplies
    found = benchmark_page.derived(RESULT["ops"])
    assert (found.gflops, found.gbps) == (2.0, 0.025) and "derived from this run" in found.source
    assert benchmark_page.derived([]) is None
    assert "Roofline" not in benchmark(limits=None)


def test_a_benchmark_of_nothing():
    for ops in ([], [timed("none", "Reshape", 0.0, 0, 0)]):
        assert "No step of this model multiplies" in benchmark({**RESULT, "ops": ops})


@pytest.mark.parametrize("text", [page.render(REPORT, MEMORY, net()), benchmark()],
                         ids=["check", "benchmark"])
def test_pages_draw_in_a_browser(text, tmp_path):
    """Wide and narrow, light and dark; nothing is wider than the window."""
    with chromium.opened(text, tmp_path) as shown:
        for width, dark in ((1400, False), (400, True)):
            shown.size(width, 900, dark)
            shown.wait("document.querySelector('.graph').dataset.ready")
            assert shown.value("document.documentElement.scrollWidth") == width
            shown.wait("document.documentElement.dataset.theme === "
                       f"'{'dark' if dark else 'light'}'")
        shown.value("document.querySelector('details').open = true")
        shown.wait("document.querySelector('details img').naturalWidth > 100")
        assert shown.value("document.querySelectorAll('.area').length") == 1
        assert shown.picture().startswith(b"\x89PNG")


def test_graph_shows_shapes_and_reasons(tmp_path):
    with chromium.opened(benchmark(), tmp_path) as shown:
        shown.wait("document.querySelector('.graph').dataset.ready && "
                   "document.querySelector('.timeline').dataset.ready")
        graph = "document.querySelector('.graph').view"
        assert shown.value("document.querySelector('.graph').dataset.ready") == "5"
        assert shown.value(f"{graph}.data.colors.map(c => c.title)") == [
            "time", "op", "device", "data type"]
        shown.value(f"{graph}.show(3)")
        panel = shown.value("document.querySelector('.panel').innerText")
        for words in ("ArgMax", EVIL, "the GPU has no kernel", "500 µs", "float32[1, 4]", "axis",
                      "from Pooling"):
            assert words in panel, words
        shown.value("document.querySelector('.graph input').value = 'pool'; document."
                    "querySelector('.graph input').dispatchEvent(new Event('input'))")
        assert shown.value("document.querySelector('.graph output').textContent") == "3 found"
        shown.value("document.querySelector('.timeline').view.choose("
                    "document.querySelector('.timeline').view.data.bars[1])")
        assert EVIL in shown.value("document.querySelector('.timeline > p').innerText")


def test_a_subgraph_has_a_graph_of_its_own():
    model = net()
    assert len(graph.sections(model, None)) == 1 and not graph.sections(None, PLAN)
    model.subgraphs.add(name="then").op.add(name="inner", type="Identity", input=["x"],
                                           output=["y2"])
    main, sub = graph.sections(model, PLAN)
    assert "<details" in sub and "then" in sub


def test_a_fused_node_has_the_time_of_its_step():
    run = graph.Run.of(PLAN, RESULT["ops"])
    assert run.time_of("conv") == run.time_of("conv + pool") == 2000.0
    assert run.time_of("unknown") is None and graph.Run.of(PLAN).time_of("conv") is None
