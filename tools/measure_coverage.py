#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests and print how many lines of mpipp/ they execute, in each folder.

tools/measure_coverage.py [PYTEST-ARGUMENT...]

This measures every Python of .venv that a test starts: the shell command, the watcher, mpi4py
programs. It measures gdb if a test starts it with the words of tests/support/gdb_sessions.py. It
does not measure a process that a signal ends: its lines count only if another process executes
them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "coverage"
LEAST = 15  # modules with the lowest coverage to list

# Absolute paths, because tests run in other directories.
SETTINGS = f"""\
[run]
source = {ROOT}/mpipp
data_file = {WORK}/data
parallel = true
"""


def main(words: list[str]) -> int:
    """Run the tests and print the table. Returns the exit status of pytest."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    WORK.chmod(0o1777)  # some tests run processes of another user
    settings = WORK / "settings"
    settings.write_text(SETTINGS)
    environment = {**os.environ, "COVERAGE_PROCESS_START": str(settings)}
    pytest = ["-m", "pytest", "-n", "4", "--dist", "worksteal", *words]
    status = subprocess.run([sys.executable, *pytest], cwd=ROOT, env=environment).returncode
    command = [sys.executable, "-m", "coverage"]
    subprocess.run([*command, "combine", "-q", f"--rcfile={settings}"], check=True)
    output = WORK / "coverage.json"
    subprocess.run([*command, "json", "-q", f"--rcfile={settings}", "-o", output], check=True)
    for line in table(json.loads(output.read_text())["files"]):
        print(line)
    return status


def table(files: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the table.

    Args:
        files: `files` from the JSON report of coverage.
    """
    executed: Counter[str] = Counter()
    statements: Counter[str] = Counter()
    modules = {}
    for name, report in files.items():
        path = Path(ROOT, name).relative_to(ROOT)
        summary = report["summary"]
        for key in ("all of mpipp/", f"{path.parent}/"):
            executed[key] += summary["covered_lines"]
            statements[key] += summary["num_statements"]
        if summary["num_statements"]:
            modules[str(path)] = summary["covered_lines"], summary["num_statements"]
    yield "lines that the tests execute:"
    for key in sorted(statements):
        yield row(key, executed[key], statements[key])
    yield f"the {LEAST} modules with the smallest part:"
    for key in sorted(modules, key=lambda key: modules[key][0] / modules[key][1])[:LEAST]:
        yield row(key, *modules[key])


def row(key: str, executed: int, statements: int) -> str:
    """ "  mpipp/render/  97 %  1000 of 1030"."""
    percent = 100 * executed // max(statements, 1)
    return f"  {key:40} {percent:3} %  {executed} of {statements}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
