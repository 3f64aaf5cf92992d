# SPDX-License-Identifier: MIT
"""The picture of a terminal session."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from rich.text import Text

from tools.record_terminal import Line, svg

NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_a_line_keeps_its_colours_and_columns() -> None:
    line = Text.from_ansi("  \x1b[1;31merror:\x1b[0m 1 < 2")
    root = ElementTree.fromstring(svg([Line(line, 0.5)]))
    first, second = root.iter(f"{NAMESPACE}tspan")
    assert (first.text, first.get("class"), first.get("fill")) == ("error:", "b", "#ff7b72")
    assert (second.text, second.get("fill")) == ("1 < 2", None)
    assert float(second.get("x", "0")) - float(first.get("x", "0")) == 7 * 8


def test_the_session_can_be_read_aloud() -> None:
    root = ElementTree.fromstring(svg([Line(Text("$ a"), 0), Line(Text("b & c"), 1)]))
    assert root.get("role") == "img"
    assert root.findtext(f"{NAMESPACE}desc") == "$ a\nb & c"
