# SPDX-License-Identifier: MIT
"""Parts of reports of --check=rma on loads and stores."""

from __future__ import annotations


def told(block: str) -> tuple[str, str, str]:
    """The conflict in a report, and the process and function of its second party."""
    lines = block.splitlines()
    at = next(i for i, line in enumerate(lines) if ": a " in line)
    headline = lines[0].removeprefix("error: ").partition(":")[0]
    function = lines[at + 1].rpartition(" in ")[2].removesuffix(" (inlined)")
    return headline, lines[at].strip(), function
