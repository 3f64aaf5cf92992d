# SPDX-License-Identifier: MIT
"""docs/reference/languages.md names the tests for each of its cells, and these tests exist."""

from __future__ import annotations

import re

from tests import support


def test_named_tests_exist() -> None:
    text = (support.ROOT / "docs/reference/languages.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) >= 7
    for path, function in named:
        assert f"def {function}(" in (support.ROOT / path).read_text(), f"{path}::{function}"


def test_every_cell_says_how_it_is_known() -> None:
    text = (support.ROOT / "docs/reference/languages.md").read_text()
    table, how = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)[:2]
    keys = set(re.findall(r"^\| (\[.+?\]) \|", how, re.MULTILINE))
    for row in table.splitlines()[2:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 7, row
        assert set(cells[1:]) <= {*keys, "-"}, row
