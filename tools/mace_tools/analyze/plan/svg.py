"""SVG elements as text.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from html import escape

from mace_tools.support.tables import printable

CHAR = 6.6  # mean width of a character at 11 px


def rect(style: str, x: float, y: float, width: float, height: float, more: str = "",
         hover: str = "") -> str:
    """`hover`: what viewers show when the pointer is on it."""
    more = " " + more if more else ""
    end = f"><title>{xml(hover)}</title></rect>" if hover else "/>"
    return (f'<rect class="{style}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" '
            f'height="{height:.2f}"{more}{end}\n')


def line(style: str, x1: float, y1: float, x2: float, y2: float, more: str = "") -> str:
    more = " " + more if more else ""
    return f'<path class="{style}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"{more}/>\n'


def text(x: float, y: float, words: str, style: str, anchor: str = "start") -> str:
    end = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}"{end}>{xml(words)}</text>\n'


def hatch(name: str) -> str:
    """A pattern of stripes that is visible on any colour and leaves text readable."""
    return (f'<defs><pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><rect width="2" height="8" fill="#16181d" '
            'fill-opacity=".5"/></pattern></defs>\n')


def xml(words: str) -> str:
    """
    >>> xml("a<b\\x00")
    'a&lt;b�'
    """
    return escape("\n".join(printable(part) for part in words.split("\n")))
