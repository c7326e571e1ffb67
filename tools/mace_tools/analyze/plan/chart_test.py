"""The charts: complete, well-formed, and safe with any name.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import doctest
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from mace_tools.analyze.plan import chart_html, chart_svg, colors, problem, text
from mace_tools.analyze.plan.problem import (
    Overlap,
    Plan,
    Problem,
    Record,
    Saving,
    Step,
    Study,
    choose,
)
from mace_tools.testing import chromium, plans

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "</script><img src=x onerror=alert(1)>&\x00]]>"


def evil():
    study = plans.study()
    records = tuple(dataclasses.replace(r, name=EVIL, op=EVIL) for r in study.problem.records)
    return dataclasses.replace(study, problem=Problem(EVIL, records))


def boxes(text):
    return [e for e in ElementTree.fromstring(text).iter(f"{SVG}rect") if e.get("class") == "box"]


@pytest.mark.parametrize("plan", plans.study().plans, ids=lambda p: p.strategy)
def test_svg_has_a_box_for_each_record(plan):
    drawn = chart_svg.render(plans.study(), plan)
    assert len(boxes(drawn)) == 4
    words = [e.text for e in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert "peak at step 1 (prob): 40 bytes" in words
    assert f"lower bound {plan.bound} bytes" in words
    for other in plans.study().plans:
        assert other.strategy.split("/")[1] in words


def test_svg_boxes_are_where_the_plan_says():
    a, b, c, d = boxes(chart_svg.render(plans.study()))
    left, width = float(a.get("x")), (chart_svg.RIGHT - chart_svg.LEFT) / 3
    assert float(b.get("x")) == pytest.approx(left + width, abs=0.01)
    assert float(a.get("width")) == pytest.approx(2 * width, abs=0.01)
    assert float(b.get("height")) == pytest.approx(3 * float(a.get("height")), abs=0.03)
    assert float(b.get("y")) + float(b.get("height")) == pytest.approx(float(a.get("y")), abs=0.01)
    assert c.get("fill") == a.get("fill") != d.get("fill")


def test_svg_takes_any_name():
    assert len(boxes(chart_svg.render(evil()))) == 4


class Parts(HTMLParser):
    """Tags and what the scripts hold."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.addresses = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href")]
        self._in_script = tag == "script"

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script" and data.strip():
            self.scripts.append(data)


def data_of(text):
    return json.loads(Parts(text).scripts[0])


def test_html_holds_every_plan():
    data = data_of(chart_html.render(plans.study(capacity=60)))
    assert [p["strategy"] for p in data["plans"]] == [p.strategy for p in plans.study().plans]
    assert data["plans"][data["best"]]["strategy"] == "offsets/AUTO"
    assert data["plans"][2]["lanes"][0] == [0, 30, "object 0"]
    assert data["plans"][0]["peak"] == [1, 40, 2]
    assert data["profiles"] == [[[0, 20], [1, 40], [2, 38], [3, 0]]]
    assert (data["capacity"], data["naive"]) == (60, 58)
    assert [c["title"] for c in data["colorings"]] == ["op", "size", "lifetime"]


def test_html_needs_no_network():
    text = chart_html.render(plans.study())
    assert not Parts(text).addresses and "@import" not in text and "fetch(" not in text
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}


def test_html_takes_any_name():
    text = chart_html.render(evil())
    parts = Parts(text)
    assert "img" not in parts.tags and parts.tags.count("script") == 2
    assert data_of(text)["records"][0]["name"] == EVIL.replace("\x00", "�")


def test_html_draws(tmp_path):
    drawn = chromium.elements(chart_html.render(plans.study()), tmp_path)
    chart = re.search(r'<div id="chart".*?</svg>', drawn, re.DOTALL)
    assert chart and len(re.findall(r'class="box"', chart[0])) == 4
    assert drawn.count('class="mini') == 3 and "✓ proven optimal" in drawn
    assert 'class="shared"' not in drawn and "<span>safe overlap" not in drawn
    drawn = chromium.elements(chart_html.render(Study(OVER, (PLACED, APART), PLACED)), tmp_path)
    assert drawn.count('class="shared"') == 1
    assert "</svg>safe overlap: an output over its input</span>" in drawn


# b is written over the upper 6 bytes of a while step 1 reads it.
OVER = Problem("over", (Record("a", (10,), 0, 1, op="Conv2d"),
                        Record("b", (16,), 1, 2, op="DepthwiseConv2d+Conv2d",
                               overlaps=(Overlap(0, 4),))),
               steps=(Step("x", "Conv2d"), Step("y + z", "DepthwiseConv2d+Conv2d")))
PLACED = Plan("offsets/AUTO", 20, 20, "optimal", 0, 1, offsets=(0, 4))
APART = Plan("offsets/NAIVE", 26, 20, "feasible", 0, 1, offsets=(0, 10))


def marks(text):
    return [e for e in ElementTree.fromstring(text).iter(f"{SVG}rect")
            if e.get("class") == "shared"]


def test_safe_overlaps_are_marked_and_explained():
    study = Study(OVER, (PLACED, APART), PLACED)
    drawn = chart_svg.render(study)
    (mark,), (a, b) = marks(drawn), boxes(drawn)
    assert mark.get("fill") == "url(#shared)" and 'id="shared"' in drawn
    assert mark.get("x") == b.get("x")
    assert float(mark.get("width")) == pytest.approx(float(a.get("width")) / 2, abs=0.02)
    assert float(mark.get("y")) == pytest.approx(float(a.get("y")), abs=0.02)
    assert float(mark.get("height")) == pytest.approx(0.6 * float(a.get("height")), abs=0.02)
    assert "b\nlies over 6 bytes of a, read before" in mark.find(f"{SVG}title").text
    assert "safe overlap: an output over its input" in drawn
    assert [p["shared"] for p in data_of(chart_html.render(study))["plans"]] == [
        [[1, 0, 1, 1, 4, 10]], []]


def test_without_overlaps_nothing_is_marked():
    for plan in (APART, PLACED):
        problem = OVER if plan is APART else dataclasses.replace(
            OVER, records=tuple(dataclasses.replace(r, overlaps=()) for r in OVER.records))
        drawn = chart_svg.render(Study(problem, (plan,), plan))
        assert not marks(drawn) and "safe overlap" not in drawn
    both = dataclasses.replace(OVER.records[0], overlaps=(Overlap(1),))
    problem = dataclasses.replace(OVER, records=(both, OVER.records[1]))
    assert len(marks(chart_svg.render(Study(problem, (PLACED,), PLACED)))) == 1


def test_steps_of_several_nodes_have_a_color_and_a_short_name():
    coloring = colors.default(OVER)
    assert [meaning for _, meaning in coloring.legend] == ["Conv2d", "DepthwiseConv2d+Conv2d"]
    drawn = chart_svg.render(Study(OVER, (PLACED,), PLACED))
    assert "DepthwiseConv2d+Conv2d</text>" in drawn and ">other</text>" not in drawn
    assert "peak at step 1 ([2] z)" in drawn
    assert data_of(chart_html.render(Study(OVER, (PLACED,), PLACED)))["steps"][1][0] == "[2] z"


def test_thousand_records():
    records = tuple(Record(f"r{k}", (k % 7 + 1,), k, k + 9) for k in range(1000))
    offsets = tuple(k * 8 for k in range(1000))
    plan = dataclasses.replace(plans.OFFSETS, offsets=offsets, total=8000)
    study = Study(Problem("many", records), (plan,), plan)
    assert len(boxes(chart_svg.render(study))) == 1000
    assert len(data_of(chart_html.render(study))["records"]) == 1000


def test_colors_can_be_told_apart_without_ops():
    plain = Problem("x", (Record("a", (1,), 0, 0), Record("b", (2,), 0, 0)))
    assert colors.by_op(plain) is None
    coloring = colors.default(plain)
    assert coloring.title == "size" and len(set(coloring.of_record)) == 2


def test_rare_ops_share_a_color():
    records = tuple(Record("r", (1,), 0, 0, op=f"Op{k}") for k in range(12))
    coloring = colors.by_op(Problem("x", records))
    assert coloring.of_record.count(colors.OTHER) == 12 - len(colors.KINDS)
    assert coloring.legend[-1] == (colors.OTHER, "other")


@pytest.mark.parametrize("module", [colors, problem, text], ids=lambda m: m.__name__)
def test_examples_in_comments(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def test_the_smallest_is_chosen_and_of_equals_the_proven():
    assert choose((plans.OFFSETS, plans.OPTIMAL, plans.OBJECTS)) is plans.OPTIMAL
    unproven = dataclasses.replace(plans.OPTIMAL, status="feasible", us=1)
    assert choose((unproven, plans.OPTIMAL)) is plans.OPTIMAL


def test_savings_are_in_both_pictures():
    study = dataclasses.replace(plans.study(), savings=(Saving("views", 90, 40),))
    assert "−50 bytes" in chart_svg.render(study)
    assert data_of(chart_html.render(study))["savings"] == [["views", 90, 40]]
