# SPDX-License-Identifier: MIT
"""Write the tables of docs/reference/checks: `python -m tools.checks_doc [--check]`.

A page has its text first, then a mark, and its table to the end.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.checks_doc import agreement, rules

PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "checks"
TABLES = {
    "agreement.md": agreement.table,
    "by-message.md": rules.by_message,
    "by-must.md": rules.by_must,
    "by-rule.md": rules.by_rule,
}
MARK = "<!-- written by make docs -->\n\n"


def outputs() -> dict[Path, str]:
    """The expected text of each page, by its path."""
    return {
        PAGES / name: (PAGES / name).read_text().partition(MARK)[0] + MARK + table()
        for name, table in TABLES.items()
    }


def main() -> int:
    """Write or check the pages. Returns 1 if a checked page is out of date, else 0."""
    parser = argparse.ArgumentParser(prog="checks_doc", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check, differs = parser.parse_args().check, False
    for path, text in outputs().items():
        if path.read_text() == text:
            continue
        differs = True
        if not check:
            path.write_text(text)
        state = "differs from what is generated: run make docs" if check else "written"
        print(f"docs/reference/checks/{path.name}: {state}")
    return int(check and differs)


if __name__ == "__main__":
    sys.exit(main())
