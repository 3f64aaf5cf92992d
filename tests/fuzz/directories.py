# SPDX-License-Identifier: MIT
"""Damaged directories of runs: `mpipp report` writes its reports, or one sentence."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import pickle
import random
import re
import resource
import shutil
import sys
import tempfile
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

from mpipp.cli.main import main
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import DATA, LOGS, NODES, PROCESSES, TEXT
from mpipp.reports import stop_targets
from tests import support
from tests.fuzz.cases import patience

MEMORY = 3 << 30  # bytes of address space for a case, as for `ulimit -v`
TESTS = support.ROOT / "tests"
LAUNCHER = TESTS / "watcher" / "node_launcher.py"
Files = dict[str, bytes]
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_KINDS = ("text", "html", "sarif", "json", "junit", "github")

# For each run: options, processes on a node, all processes, program and arguments.
_RUNS: tuple[tuple[list[str], int, int, Path, list[str]], ...] = (
    (
        ["--check"],
        2,
        4,
        TESTS / "watcher" / "programs" / "nodes" / "nodes.c",
        ["type", "near", "lost", "op"],
    ),
    (
        ["--check=rma,messages"],
        1,
        3,
        TESTS / "analysis" / "rma" / "programs" / "conflicts" / "conflicts.c",
        [],
    ),
    (["--check=buffers,all", "--provoke=1"], 4, 4, support.ROOT / "examples" / "rows.c", ["wrong"]),
)


def limit_memory() -> None:
    """Limit the memory of this process. Larger requests raise MemoryError."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(seed: int, mpi_id: str) -> str:
    """Run the case of a seed. Returns its failure, or ""."""
    chance = random.Random(seed)
    files = dict(chance.choice(_taken(mpi_id)))
    with tempfile.TemporaryDirectory(prefix="mpipp-fuzz-") as directory:
        report, victim = Path(directory) / "report", Path(directory) / "victim"
        victim.mkdir()
        (victim / "own").write_text("mine")
        try:
            damage(chance, files)
            _write(report, files)
            _plant(chance, report, victim)
            wrong = _look(chance, report)
        except Exception as error:
            last = "".join(traceback.format_exception(error)[-12:])
            wrong = f"{type(error).__name__}\n{last[-3000:]}"
        if (victim / "own").read_text() != "mine" or os.listdir(victim) != ["own"]:
            wrong += "\na file of the user's was changed"
    return wrong and f"directory, seed {seed}: {wrong}"


def _look(chance: random.Random, report: Path) -> str:
    for kind in chance.sample(_KINDS, 2):
        out, said = report.parent / "out", io.StringIO()
        with contextlib.redirect_stderr(said), patience():
            status = main(["report", str(report), "--format", kind, "-o", str(out)])
        if status not in (0, 2) or _CONTROL.search(said.getvalue()):
            return f"{kind}: status {status}, {said.getvalue()!r}"
        if status == 2:
            return "" if said.getvalue().count("\n") == 1 else f"said {said.getvalue()!r}"
        found = _CONTROL.search(out.read_text())
        if found is not None:
            return f"{kind}: a control character at {found.start()}"
    with contextlib.suppress(MpippError), patience():
        stop_targets.targets(f"{report}:1")
    return ""


def _write(report: Path, files: Files) -> None:
    for name, content in files.items():
        at = report / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(content)


def _plant(chance: random.Random, report: Path, victim: Path) -> None:
    # Replace a file by another kind of file.
    if chance.random() > 0.1:
        return
    at = chance.choice(list(report.rglob("*")))
    if at.is_dir():
        shutil.rmtree(at)
    else:
        at.unlink()
    chance.choice(
        (
            lambda: at.symlink_to(victim / "own"),
            lambda: at.symlink_to(victim),
            lambda: os.mkfifo(at),
            at.mkdir,
            lambda: at.symlink_to("/dev/zero"),
        )
    )()


# Ways to damage files.


def damage(chance: random.Random, files: Files) -> None:
    """Damage some of the files. Often leave out the merged results, as mpipp exec does."""
    if chance.random() < 0.7:
        files.pop(DATA, None)
        files.pop(TEXT, None)
    for _ in range(chance.randrange(1, 4)):
        names = sorted(files)
        name = chance.choice(names)
        kind = next((one for one in _DAMAGE if name.startswith(one)), "")
        how = _DAMAGE[kind] if chance.random() < 0.85 else _bytes
        files[name] = how(chance, files[name])


def _bytes(chance: random.Random, content: bytes) -> bytes:
    at = chance.randrange(len(content) + 1)
    length = chance.choice((1, 1, 1, 8, 100))
    return chance.choice(
        (
            lambda: content[:at],
            lambda: content[:at] + chance.randbytes(length) + content[at + length :],
            lambda: content[:at] + content[at + length :],
            lambda: content[:at] + content[at : at + length] * 50 + content[at:],
            lambda: b"",
        )
    )()


def _document(chance: random.Random, content: bytes) -> bytes:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):  # damaged before
        return _bytes(chance, content)
    text = json.dumps(_changed(chance, value), ensure_ascii=chance.random() < 0.5)
    return text.replace('"@deep"', "[" * 10**5).encode(errors="surrogatepass")


def _process(chance: random.Random, content: bytes) -> bytes:
    head, _, rest = content.partition(b"\n")
    try:
        lines = zlib.decompress(rest).splitlines()
        known = json.loads(head)
    except (ValueError, zlib.error):
        return _bytes(chance, content)
    if chance.random() < 0.15:
        known = _changed(chance, known)
        if not isinstance(known, dict):
            known = {}
    else:
        for _ in range(chance.randrange(1, 4)):
            _line(chance, lines)
    rest = zlib.compress(b"\n".join(lines), 1)
    if chance.random() < 0.98:
        known["bytes"] = len(rest)
    return json.dumps(known).encode() + b"\n" + rest


def _line(chance: random.Random, lines: list[bytes]) -> None:
    at = chance.randrange(len(lines)) if lines else 0
    choice = chance.random()
    if not lines or choice < 0.05:
        lines.insert(at, b"[]")
    elif choice < 0.1:
        del lines[at]
    elif choice < 0.15:
        lines.insert(chance.randrange(len(lines)), lines[at])
    elif choice < 0.17:
        lines[at:at] = [lines[at]] * 1000
    elif choice < 0.2:
        lines.insert(chance.randrange(len(lines)), lines.pop(at))
    else:
        # Choose a kind of line first, because some kinds have many lines.
        kind = chance.choice(sorted({line[:8] for line in lines}))
        same = [n for n, line in enumerate(lines) if line[:8] == kind]
        at, other = chance.choice(same), chance.choice(same)
        if choice < 0.4:
            lines[at] = _crossed(chance, lines[at], lines[other])
        else:
            lines[at] = _document(chance, lines[at])


def _crossed(chance: random.Random, line: bytes, other: bytes) -> bytes:
    # Insert a part of another line of the same kind.
    pieces, others = line.split(b","), other.split(b",")
    at = chance.randrange(len(pieces))
    pieces[at] = others[min(at, len(others) - 1)]
    return b",".join(pieces)


def _log(chance: random.Random, content: bytes) -> bytes:
    head, _, rest = content.partition(b"\n")
    try:
        words = bytearray(zlib.decompress(rest))
        known = json.loads(head)
    except (ValueError, zlib.error):
        return _bytes(chance, content)
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(max(1, len(words) - 8))
        words[at : at + 8] = chance.randbytes(8)
    rest = zlib.compress(bytes(words), 1)
    return json.dumps({**known, "bytes": len(rest)}).encode() + b"\n" + rest


_DAMAGE: dict[str, Callable[[random.Random, bytes], bytes]] = {
    DATA: _document,
    NODES: _document,
    PROCESSES: _process,
    LOGS: _log,
    "": _bytes,
}

Plain = Union[dict[str, Any], list[Any], str, int, float, bool, None]


def _changed(chance: random.Random, value: Plain) -> Plain:
    # Replace one value somewhere in it.
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        choice = chance.random()
        if choice < 0.03:
            return {one: known for one, known in value.items() if one != key}
        if choice < 0.05:
            return {**value, f"{key}s": value[key]}
        return {**value, key: _changed(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        choice = chance.random()
        if choice < 0.05:
            return value[:at] + value[at + 1 :]
        if choice < 0.1:
            return value[:at] + [value[at]] * chance.choice((2, 1000)) + value[at:]
        return [*value[:at], _changed(chance, value[at]), *value[at + 1 :]]
    return _odd(chance, value)


def _odd(chance: random.Random, value: Plain) -> Plain:
    if type(value) is int and chance.random() < 0.8:
        exponent = chance.choice((0, 1, 2, 3, 5, 20, 31, 32, 40, 62, 63, 64))
        return chance.choice((value + 1, value - 1, -value, 1 << exponent, (1 << exponent) - 1))
    if type(value) is bool and chance.random() < 0.8:
        return not value
    if isinstance(value, str) and chance.random() < 0.6:
        at = chance.randrange(len(value) + 1)
        texts = (
            "MPI_COMM_WORLD",
            "send",
            "\x1b[31m",
            "\0",
            "\u202e",
            "\udcff",
            "\ud800",
            "\n",
            "<b>",
            "9" * 30,
            "/../",
            " ",
        )
        return chance.choice(
            (
                value[:at] + chance.choice(texts) + value[at:],
                value[:at] + value[at + 1 :],
                "",
                "ranks 0 to 99999999999",
                value * 1000,
                f'<svg xmlns="http://www.w3.org/2000/svg">{"<g>" * 10**5}',
            )
        )
    return chance.choice(
        (
            None,
            True,
            0,
            -1,
            1 << 40,
            1.5,
            float("nan"),
            "",
            "MPI_INT",
            [],
            {},
            [[]],
            {"range": 1 << 40},
            {"range": 100},
            "@deep",
            [value] * 3,
        )
    )


# The test cases: damage a directory, and read it.


def take(mpi_id: str) -> None:
    """Run the programs whose results are damaged, if that was not done yet."""
    _taken(mpi_id)


@functools.cache
def _taken(mpi_id: str) -> list[Files]:
    # The files of runs of a few programs. They are made once for each build of the wrapper.
    mpi = support.find_mpi(mpi_id)
    made_by = hashlib.sha256(mpi.wrapper.encode() + Path(__file__).read_bytes())
    for path in sorted((support.ROOT / "mpipp").rglob("*.py")):
        made_by.update(path.read_bytes())
    kept = support.BUILD / f"fuzz-directories-{mpi.id}-{made_by.hexdigest()[:10]}.pickle"
    with support.locked(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_bytes(pickle.dumps([_left(mpi, *one) for one in _RUNS]))
        result: list[Files] = pickle.loads(kept.read_bytes())
        return result


def _left(
    mpi: support.MPI, options: list[str], per_node: int, n: int, source: Path, words: list[str]
) -> Files:
    program = support.compile_program(source, mpi)
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(per_node), *mpi.mpiexec]
    with tempfile.TemporaryDirectory(prefix="mpipp-fuzz-") as directory:
        command = ["run", *options, "--report", "report", "--mpiexec", " ".join(launcher)]
        known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
        done = support.shell(
            *command, "-n", str(n), "--", program, *words, env=known, cwd=Path(directory)
        )
        report = Path(directory) / "report"
        assert (report / DATA).exists(), done.stderr
        found = (path for path in report.rglob("*") if path.is_file())
        return {path.relative_to(report).as_posix(): path.read_bytes() for path in found}
