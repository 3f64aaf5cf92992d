# SPDX-License-Identifier: MIT
"""Real programs give the same results with the wrapper, and mpipp works at any stop without
findings.

`make test-apps` runs this, not `make test`. It writes its results to build/tests/tested.md; with
MPIPP_UPDATE_DOCS it writes docs/reference/tested.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests import support
from tests.analysis import silence
from tests.apps.apps import APPS, WORK, App

# If the call has no such argument, gdb prints a message instead of the value.
_TYPE, _BUFFER = '$mpi_arg("datatype")', '$mpi_arg("buf")'
COMMANDS = (
    *("mpipp info", "mpipp list calls", "mpipp list types", "mpipp list requests"),
    *("mpipp list comms", "mpipp list groups", "mpipp list wins", "mpipp list ops"),
    *("mpipp list files", "mpipp list infos", "mpipp list errhandlers", "mpipp list sessions"),
    *("mpipp list epochs", "mpipp list probed", "mpipp list messages", "mpipp list types --all"),
    *("mpipp list calls --ranks", "mpipp list requests --json", "mpipp check --json", "mpipp why"),
    *("bt 8", "mpipp frame", "info locals", "mpipp compare", "output $mpi_rank()"),
    *(f"mpipp {_TYPE} --expanded", f"mpipp {_TYPE} {_BUFFER} 2", f"mpipp typesig {_TYPE} 3"),
    *(f"mpipp blocks {_TYPE} 2 --map", f"mpipp match {_TYPE} with {_TYPE} 2"),
    *(f"mpipp overlap {_TYPE} {_BUFFER} with {_TYPE} {_BUFFER}", "mpipp rank 1", "mpipp rank 0"),
    *(f"mpipp {_TYPE} at 0", f"mpipp {_TYPE} packed 0", f"mpipp watch {_TYPE} {_BUFFER}", "delete"),
    *("mpipp why --picture", "mpipp why --json", "mpipp make int", "mpipp py MPI"),
)
RUNS = 3  # the number of runs that docs/reference/tested.md names
LEAST = 20  # stops of each program
PAGE = support.ROOT / "docs/reference/tested.md"


@dataclass
class Row:
    """The results of one program."""

    app: App
    version: str = ""
    alone: list[float] = field(default_factory=list)
    wrapped: list[float] = field(default_factory=list)
    same: bool = False
    stops: int = 0


@pytest.fixture(scope="module")
def rows() -> Iterator[dict[App, Row]]:
    seen: dict[App, Row] = {app: Row(app) for app in APPS}
    yield seen
    update = os.environ.get("MPIPP_UPDATE_DOCS")
    page = table([row for row in seen.values() if row.wrapped])
    (PAGE if update else support.BUILD / "tested.md").write_text(page)


def table(rows: Sequence[Row]) -> str:
    """The page docs/reference/tested.md, with these rows in its table."""
    lines = [
        "| program | MPI | processes | alone, s | with the wrapper, s | ratio | result | stops |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        alone, wrapped = min(row.alone), min(row.wrapped)
        lines.append(
            f"| {row.app.name} | {NAMES[row.app.mpi]} | {row.app.n} | {alone:.2f} | {wrapped:.2f} "
            f"| {wrapped / alone:.2f} | {'the same' if row.same else 'differs'} "
            f"| {row.stops or '-'} |"
        )
    before, _, rest = PAGE.read_text().partition("| program")
    return before + "\n".join(lines) + "\n" + rest[rest.index("\n\n") + 1 :]


NAMES = {
    "mpich4": "MPICH 4",
    "mpich5": "MPICH 5",
    "openmpi4": "Open MPI 4",
    "openmpi5": "Open MPI 5",
}

each = pytest.mark.parametrize("app", APPS, ids=lambda app: f"{app.name}, {app.mpi}")


def prepared(app: App, patient: bool = False) -> tuple[Path, support.MPI, list[str | Path]]:
    """Prepare a program; returns its new empty directory, its MPI, and its command."""
    mpi = support.find_mpi(app.mpi, patient)
    where = WORK / f"{app.name}-{app.mpi}".replace("/", "-").replace(" ", "-")
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    return where, mpi, list(app.prepare(where, mpi))


def run(app: App, where: Path, mpi: support.MPI, words: Sequence[str | Path], preload: bool) -> str:
    """The program's exit status and result."""
    command: list[str] = [*mpi.mpiexec, "-n", str(app.n)]
    if preload:
        command += ["env", f"LD_PRELOAD={mpi.wrapper}"]
    return _result(app, where, [*command, *map(str, words)], dict(mpi.env), 500)


# The report of a watched run, in the output of the program.
_REPORT = re.compile(r"(?m)^(?:\S+: )?(?:error|warning): .*\n(?:  .*\n)*\n?|^mpipp: .*\n")


def _result(
    app: App, where: Path, command: Sequence[str], env: Mapping[str, str], patience: int
) -> str:
    done = subprocess.run(
        command,
        cwd=where,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=patience,
        check=False,
    )
    said = done.stdout + "".join((where / file).read_text() for file in app.files)
    for file in app.files:
        (where / file).unlink()
    result = app.result(_REPORT.sub("", said))
    assert result, f"it said nothing of its result:\n{said[-3000:]}"
    return f"status {done.returncode}\n{result}"


@pytest.mark.timeout(1200)
@each
def test_the_same_with_the_wrapper(app: App, rows: dict[App, Row]) -> None:
    where, mpi, words = prepared(app)
    row = rows[app]
    results = []
    for _ in range(RUNS):
        for times, preload in ((row.alone, False), (row.wrapped, True)):
            start = time.monotonic()
            results.append(run(app, where, mpi, words, preload))
            times.append(time.monotonic() - start)
    row.same = len(set(results)) == 1
    assert results[1::2] == results[::2]


@pytest.mark.timeout(1200)
@each
def test_watched(app: App) -> None:
    """Compare result and status with a run without mpipp, and accept only the known
    true findings."""
    where, mpi, words = prepared(app)
    alone = run(app, where, mpi, words, preload=False)
    command = ["run", "--check", "--mpiexec", " ".join(mpi.mpiexec), "--mpicc", mpi.mpicc]
    command += ["-n", str(app.n), "--report", str(where / "report"), "--"]
    command = [sys.executable, "-m", "mpipp.cli", *command, *map(str, words)]
    env = {**mpi.env, "PYTHONPATH": str(support.ROOT)}
    assert _result(app, where, command, env, 1000) == alone
    findings = json.loads((where / "report" / "findings.json").read_text())["findings"]
    surprising = [one for one in findings if one["check"] not in app.found]
    leaks = [one for one in surprising if app.leaks and one["check"].endswith("-leak")]
    assert surprising == leaks


@pytest.mark.timeout(600)
@each
def test_wherever_it_stops(app: App, rows: dict[App, Row]) -> None:
    if not app.stops:
        pytest.skip("is wrong on purpose, or aborts")
    where, mpi, words = prepared(app, patient=True)
    stops = silence.stops(
        words,
        mpi,
        n=app.n,
        stops=15,
        updates=5,
        interrupts=5,
        every=app.every,
        commands=COMMANDS,
        cwd=where,
    )
    late = ("at the end", "by a late signal") if app.leaks else ()
    loud = [stop for stop in stops if not stop.silent and stop.what not in late]
    assert not loud, "\n".join("\n".join([f"stop {stop.what}", *stop.said]) for stop in loud)
    assert len(stops) >= LEAST, [stop.what for stop in stops]
    rows[app].stops = len(stops)
