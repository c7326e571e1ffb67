"""Graphs and timelines of pages: where nodes are placed, and what a browser makes of them.

SPDX-License-Identifier: Apache-2.0
"""

import doctest
import itertools
import random

import pytest

from mace_tools.analyze import reports
from mace_tools.analyze.reports import graph_layout, graph_view, palette, table, timeline
from mace_tools.analyze.reports.graph_view import Amounts, Graph, Node
from mace_tools.testing import chromium

EVIL = '</script><img src=x onerror=alert(1)>&"\'\x00'


def chain(count):
    return [(k, k + 1) for k in range(count - 1)]


def random_edges(seed, count):
    rng = random.Random(seed)
    return sorted({(rng.randrange(max(0, k - 9), k), k) for k in range(1, count)
                   for _ in range(rng.choice((1, 1, 2, 4)))}
                  | {tuple(sorted(rng.sample(range(count), 2))) for _ in range(count // 8)})


GRAPHS = {"none": (0, []), "one": (1, []), "apart": (3, []), "chain": (300, chain(300)),
          "fan": (202, [e for k in range(1, 201) for e in ((0, k), (k, 201))]),
          "skips": (60, chain(60) + [(0, k) for k in range(2, 60)]),
          **{f"random {k}": (120, random_edges(k, 120)) for k in range(4)}}


@pytest.mark.parametrize("count, edges", GRAPHS.values(), ids=GRAPHS)
def test_nodes_do_not_overlap_and_stand_below_what_they_read(count, edges):
    layout = graph_layout.place(count, edges)
    assert len(layout.places) == count and len(layout.points) == len(edges)
    width, height = graph_layout.WIDTH, graph_layout.HEIGHT
    by_row = {}
    for x, y in layout.places:
        assert 0 <= x <= layout.width - width and 0 <= y <= layout.height - height
        by_row.setdefault(y, []).append(x)
    for row in by_row.values():
        for left, right in itertools.pairwise(sorted(row)):
            assert right - left >= width
    for (start, end), points in zip(edges, layout.points):
        line = [layout.places[start], *points, layout.places[end]]
        falls = sum(b[1] < a[1] for a, b in itertools.pairwise(line))
        turns = sum(a == (b[0], a[1]) or a[0] == b[0] for a, b in itertools.pairwise(points))
        assert falls == 0 or turns  # an edge goes up only between columns


def test_long_graphs_fill_the_page():
    """Not a column of 3,000 nodes one above the other."""
    for count in (30, 300, 3000):
        layout = graph_layout.place(count, chain(count))
        assert 0.7 < layout.width / layout.height / graph_layout.ASPECT < 1.4


def test_positions_are_the_nearest_that_do_not_overlap():
    found = graph_layout.spread([0, 100, 100, 500], [10] * 4)
    step = 10 + graph_layout.GAP
    assert found == [0, 100 - step / 2, 100 + step / 2, 500]
    assert not doctest.testmod(graph_layout).failed


@pytest.mark.parametrize("edge", [(1, 0), (0, 0), (0, 2), (-1, 1)])
def test_an_edge_leads_to_a_later_node(edge):
    with pytest.raises(ValueError, match="does not lead to a later node"):
        graph_layout.place(2, [edge])


def test_edges_are_who_reads_whom():
    nodes = [Node("a", "A", (), (("t", ""), ("u", ""))), Node("b", "B", (("t", ""), ("t", "")),
                                                              (("t2", ""),)),
             Node("c", "C", (("u", ""), ("t2", ""), ("w", "")))]
    assert graph_view.edges(nodes) == [(0, 1, "t"), (0, 2, "u"), (1, 2, "t2")]


def test_rare_kinds_share_a_colour():
    kinds = [f"op {k}" for k in range(9) for _ in range(9 - k)] + [""]
    found = palette.by_kind("op", kinds)
    assert found.entries[0] == ("op 0", palette.KINDS[0])
    assert found.entries[-1] == ("2 others", palette.OTHER)
    assert found.of_node[0] == 0 and found.of_node[-2] == len(found.entries) - 1
    assert found.of_node[-1] is None


def page_of(count, edges=None):
    """A page with a graph of `count` nodes, a table of as many rows, and a timeline."""
    before = {}
    for start, end in chain(count) if edges is None else edges:
        before.setdefault(end, []).append(start)
    nodes = [Node(f"features/stage{k}/{EVIL}", "Conv2d" if k % 3 else EVIL,
                  [(f"t{b}", "float32[1, 8, 8, 16]") for b in before.get(k, [])],
                  [(f"t{k}", "float32[1, 8, 8, 16]")], [("kernel", "gemm"), ("why here", EVIL)])
             for k in range(count)]
    graph = Graph(nodes, [palette.by_kind("op", [n.op for n in nodes]),
                          Amounts("time", "0", "3 ms", [k / count for k in range(count)])])
    bars = [timeline.Bar("CPU" if k % 2 else "GPU", n.name, k, 1.5, "#88ccee", EVIL)
            for k, n in enumerate(nodes)]
    rows = [(n.name, n.op, table.Cell(f"{k} ms", k)) for k, n in enumerate(nodes)]
    columns = (table.Column("name"), table.Column("op"),
               table.Column("time", True))
    return reports.render("Report", "of a test", [], [
        reports.section("Graph", graph_view.render("the graph", graph)),
        reports.section("Timeline", timeline.render("the run", "ms", bars)),
        reports.section("Table", table.render("rows", columns, rows))])


# Kept when the browser has drawn the page once more.
DRAWN = ("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => "
         "done(performance.now()))))")


def test_five_thousand_nodes_open(tmp_path, capsys):
    text = page_of(5000, random_edges(1, 5000))
    assert len(text) < 2_000_000
    with chromium.opened(text, tmp_path, 1400, 700) as shown:
        shown.wait("['graph', 'timeline'].every(n => document.querySelector('.' + n).dataset.ready "
                   "=== '5000')")
        drawn = shown.value(DRAWN)
        with capsys.disabled():
            print(f"5,000 nodes: {len(text):,} bytes, drawn after {drawn:.0f} ms (bound: 3,000 ms)")
        # The rows of the long table come when it is in view.
        assert shown.value("document.querySelectorAll('tbody tr').length") == 0
        shown.value("document.querySelector('table').scrollIntoView()")
        shown.wait("document.querySelectorAll('tbody tr').length === 5000")
        assert shown.value("document.querySelectorAll('img').length") == 0


def test_a_click_shows_a_node_and_its_neighbours(tmp_path):
    with chromium.opened(page_of(40), tmp_path) as shown:
        shown.wait("document.querySelector('.graph').dataset.ready")
        shown.value(DRAWN)
        x, y = shown.value("""(() => {
          const { view, data } = document.querySelector('.graph').view;
          const box = view.canvas.getBoundingClientRect(), [left, top] = data.nodes[7];
          return [box.left + (left + 20 - view.x) * view.scale,
                  box.top + (top + 10 - view.y) * view.scale]; })()""")
        shown.click(x, y)
        shown.wait("document.querySelector('.panel').innerText.includes('Conv2d')")
        panel = shown.value("document.querySelector('.panel').innerText")
        for words in ("Conv2d", "features/stage7/", "gemm", "float32[1, 8, 8, 16]", "from "):
            assert words in panel, words
        shown.value("document.querySelector('.panel li button').click()")
        assert "features/stage6/" in shown.value("document.querySelector('.panel').innerText")
        before = shown.value("document.querySelector('.graph').view.view.scale")
        shown.value("document.querySelector('.graph .zoom button').click()")
        assert shown.value("document.querySelector('.graph').view.view.scale") == pytest.approx(
            1.5 * before)
