"""Colours for kinds, distinct for readers with any colour vision, on white and on black.

SPDX-License-Identifier: Apache-2.0

The scheme is Paul Tol's "muted" (Colour Schemes, SRON technical note EPS/TN/09-002, issue 3.2).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from mace_tools.analyze.reports.graph_view import Kinds

KINDS = ("#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa4499", "#6f7fd6")
OTHER = "#a9abb0"


def color_of(kinds: Iterable[str]) -> dict[str, str]:
    """A colour for each kind; rare ones share one. They come in order of importance."""
    distinct = list(dict.fromkeys(kinds))
    return {kind: KINDS[k] if k < len(KINDS) else OTHER for k, kind in enumerate(distinct)}


def by_kind(title: str, of_node: Sequence[str]) -> Kinds:
    """Colours of a graph's nodes by their kinds, the most frequent first; "" is none."""
    counts = Counter(kind for kind in of_node if kind)
    common = [kind for kind, _ in counts.most_common(len(KINDS))]
    entries = [(kind, KINDS[k]) for k, kind in enumerate(common)]
    if len(counts) > len(common):
        entries.append((f"{len(counts) - len(common)} others", OTHER))
    place = {kind: k for k, kind in enumerate(common)}
    return Kinds(title, entries, [place.get(kind, len(common)) if kind else None
                                  for kind in of_node])
