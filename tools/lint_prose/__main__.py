# SPDX-License-Identifier: MIT
"""Check prose: `python -m tools.lint_prose [--count] [PATH...]`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tools.lint_prose import source_files
from tools.lint_prose.clean_files import CleanFiles
from tools.lint_prose.rules import RULES, Problem

ROOT = Path(__file__).resolve().parents[2]
_CLEAN = ROOT / "build" / "lint_prose.json"
_GENERATED = ("wrapper/generated/", "docs/reference/procedures.md", "tests/apps/data/")


def main() -> int:
    """Check the files. Returns 1 if there are violations, else 0."""
    parser = argparse.ArgumentParser(prog="lint_prose", description=__doc__)
    parser.add_argument("--count", action="store_true", help="count by rule and folder")
    parser.add_argument("paths", nargs="*", help="check files that begin with these paths only")
    options = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    failed = False
    for name, kind, problem in _violations(tuple(options.paths)):
        failed = True
        counts.setdefault(f"{kind} {_folder(name)}", Counter())[problem.rule] += 1
        if not options.count:
            print(f"{name}:{problem.line}: {problem.rule}: {problem.text}: {problem.advice}")
    if options.count:
        _print_counts(counts)
    return int(failed)


def _violations(paths: tuple[str, ...]) -> Iterator[tuple[str, str, Problem]]:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    clean = CleanFiles(_CLEAN)
    for name in listed.stdout.splitlines():
        if name.startswith(_GENERATED) or Path(name).suffix not in source_files.SUFFIXES:
            continue
        text = (ROOT / name).read_text("utf-8")
        if clean.has(name, text) or (paths and not name.startswith(paths)):
            continue
        found = list(source_files.check(name, text))
        if not found:
            clean.add(name, text)
        yield from ((name, kind, problem) for kind, problem in found)
    clean.save()


def _folder(name: str) -> str:
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else name if name.endswith(".md") else parts[0]


def _print_counts(counts: dict[str, Counter[str]]) -> None:
    for title, found in (*sorted(counts.items()), ("total", sum(counts.values(), Counter()))):
        row = "".join(f"{found[rule]:6}" for rule in RULES)
        print(f"{title:40}{row}{found.total():7}")


if __name__ == "__main__":
    sys.exit(main())
