"""Frame, tables and charts of pages.

SPDX-License-Identifier: Apache-2.0
"""

import doctest
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from mace_tools.analyze import reports
from mace_tools.analyze.reports import Tile, chart, table
from mace_tools.testing import chromium

EVIL = '</script><img src=x onerror=alert(1)>&"\'\x00]]>'
COLUMNS = (table.Column("name"), table.Column("ms", is_number=True, hint="milliseconds"))


def page(*sections):
    return reports.render("Report", "of a test", [Tile("time", "3 ms", "one thread")],
                            list(sections))


def rows(count):
    return [(f"layer {k}", table.Cell(f"{k % 7} ms", k % 7, k / count)) for k in range(count)]


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.attributes = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_every_text_is_escaped_and_every_tag_closed():
    cells = [(EVIL, table.Cell(EVIL, 1.0, 0.5, EVIL))] * table.FINDER_FROM
    points = (chart.Point(1, 1, EVIL, EVIL), chart.Point(2, 2, EVIL, EVIL))
    axis = chart.Axis(EVIL, 1, 3)
    text = reports.render(EVIL, EVIL, [Tile(EVIL, EVIL, EVIL)], [
        reports.section(EVIL, reports.paragraph(EVIL), reports.items([EVIL]), note=EVIL),
        reports.folded(EVIL, reports.badge(EVIL, EVIL)),
        table.render(EVIL, (table.Column(EVIL, hint=EVIL), table.Column(EVIL, True)), cells),
        chart.render(EVIL, axis, axis, [chart.Series(kind, points) for kind in
                                        ("line", "limit", "area", "dots")], EVIL,
                     [(EVIL, EVIL)])])
    tags = Tags(text)
    assert not tags.open and "img" not in tags.found and tags.found.count("script") == 1
    assert not any(name.startswith("on") for name, _ in tags.attributes)
    assert "\x00" not in text


def test_needs_no_network():
    text = page(table.render("layers", COLUMNS, rows(20)))
    assert not {"src", "href"} & {name for name, _ in Tags(text).attributes}
    assert not re.search(r"https?:|@import|fetch\(|url\(", text)


def test_a_table_is_one_for_screen_readers():
    text = str(table.render("layers", COLUMNS, rows(3)))
    assert "<caption>layers</caption>" in text and text.count('scope="col"') == 2
    assert 'type="search"' not in text  # too few rows for it
    assert 'type="search"' in table.render("layers", COLUMNS, rows(table.FINDER_FROM))


def test_points_of_a_chart_are_where_their_numbers_say():
    x, y = chart.Axis("x", 1, 100, is_log=True), chart.Axis("y", 0, 8)
    text = chart.render("label", x, y, [chart.Series("dots", (
        chart.Point(1, 0), chart.Point(10, 4), chart.Point(100, 8), chart.Point(1e9, 99)))])
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", text, re.DOTALL)[0])
    found = [(float(c.get("cx")), float(c.get("cy"))) for c in svg.iter("circle")]
    middle = ((chart.LEFT + chart.WIDTH - chart.RIGHT) / 2,
              (chart.TOP + chart.HEIGHT - chart.BOTTOM) / 2)
    corner = (chart.WIDTH - chart.RIGHT, chart.TOP)
    assert found == [(chart.LEFT, chart.HEIGHT - chart.BOTTOM), middle, corner, corner]
    assert svg.get("role") == "img" and svg.get("aria-label") == "label"


@pytest.mark.parametrize("module", [reports, chart], ids=lambda m: m.__name__)
def test_examples_in_comments(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize("low, high", [(0, 1e-9), (1, 1e12), (-3, 4), (5, 5)])
def test_ticks_are_few_and_inside(low, high):
    found = chart.round_numbers(low, high, 10)
    assert 1 <= len(found) <= 11
    slack = 1e-9 * (high - low)
    assert low - slack <= found[0] and found[-1] <= high + slack


@pytest.mark.parametrize("top", [1, 90, 4816896, 2**40])
def test_steps_and_addresses_are_few_and_inside(top):
    found = chart.addresses(top, 10)
    assert 2 <= len(found) <= 10 and found[0] == 0 and found[-1] <= top
    found = chart.steps(7, 7 + top, 12)
    assert 1 <= len(found) <= 13 and found[0] >= 7 and found[-1] < 7 + top


def test_headings_sort(tmp_path):
    """A second click turns the order; empty cells stand last in both."""
    click = "document.querySelectorAll('th button')[1].click();"
    text = page(table.render("layers", COLUMNS, [("none", ""), *rows(4)]))
    for clicks, order, names in ((1, "descending", "3210"), (2, "ascending", "0123")):
        found = chromium.elements(
            text.replace("})();\n</script>", click * clicks + "})();\n</script>"), tmp_path)
        assert re.findall(r"<td>layer (\d)|<td>(none)", found) == [
            *((name, "") for name in names), ("", "none")]
        assert f'aria-sort="{order}"' in found and 'data-theme="light"' in found
