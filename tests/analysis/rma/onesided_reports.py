# SPDX-License-Identifier: MIT
"""Texts in reports of --check=rma on loads and stores, and on threads."""

from __future__ import annotations

# A template to format with the processes.
IN_ORDER = (
    "mpipp: not checked: data races between threads of {}: mpipp assumes that one-sided "
    "operations, loads and stores of several threads happened in the order of its log"
)


def told(block: str) -> tuple[str, str, str]:
    """The conflict in a report, and the process and function of its second party."""
    lines = block.splitlines()
    at = next(i for i, line in enumerate(lines) if ": a " in line)
    headline = lines[0].removeprefix("error: ").partition(":")[0]
    function = lines[at + 1].rpartition(" in ")[2].removesuffix(" (inlined)")
    return headline, lines[at].strip(), function
