# SPDX-License-Identifier: MIT
"""The reference of the commands agrees with gdb's help."""

from __future__ import annotations

from tests import support


def test_commands_reference_is_up_to_date() -> None:
    output = support.gdb_batch([f"source {support.ROOT / 'tools' / 'commands_doc.py'}"])
    assert output == (support.ROOT / "docs/reference/gdb.md").read_text(), "run make docs"
