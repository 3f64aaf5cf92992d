# SPDX-License-Identifier: MIT
"""Directories of runs that belong to another user, or contain the user's own files."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpipp.common.run_directory import DATA, NODES, TEXT, RunDirectory
from mpipp.watcher.output import node_results
from mpipp.watcher.output.finding_blocks import Block
from mpipp.watcher.output.totals import NOTHING
from tests.support import (
    MPI,
    ROOT,
    compile_program,
    lacking,
    on_mpi,
    shell,
    short_directory,
)

NOBODY = 65534
FOUND = "error: something is wrong\n  rank 0: MPI_Send(dest = 1)"
RECORD = {
    "id": "x",
    "check": "x",
    "severity": "error",
    "what": "something is wrong",
    "text": FOUND,
    "parties": [],
}
SAID = "no errors in 1 process (3 MPI calls checked)"


def left(directory: Path) -> Path:
    """Write files as `mpipp exec` does, for `mpipp report` to merge. Returns the node's file."""
    found = node_results.Node("one", True, NOTHING._replace(processes=1, calls=3, errors=1), [])
    node_results.save(str(directory), found._replace(blocks=[Block(FOUND, [RECORD])]))
    (path,) = (directory / NODES).iterdir()
    return path


@pytest.fixture
def hostile() -> Iterator[Path]:
    """A directory of another user with the files of a run. This user may enter it."""
    if os.geteuid() != 0:
        lacking("only root gives files to another user")
    with short_directory() as made:
        made.chmod(0o755)
        left(made / "report")
        yield made / "report"
        shutil.rmtree(made / "report")


def given_away(directory: Path) -> None:
    for path in (directory, *directory.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def test_nothing_is_written_in_it(hostile: Path, tmp_path: Path) -> None:
    """`mpipp report` shows the directory's content and writes no file: a link there may lead to a
    file of the reader."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (hostile / TEXT).symlink_to(victim)
    given_away(hostile)
    before = sorted(os.listdir(hostile))
    done = shell("report", hostile)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{FOUND}\n\n1 error in 1 process (3 MPI calls checked)\n"
    assert victim.read_text() == "mine"
    assert sorted(os.listdir(hostile)) == before


def test_nothing_is_removed_through_it(hostile: Path, tmp_path: Path) -> None:
    """Folders of old calls are removed. Here one is a link to a run of the reader,
    which must stay."""
    victim = tmp_path / "victim"
    RunDirectory(str(victim)).publish("mpipp/strict/started-7/one.json", b"{}")
    (hostile / "mpipp" / "strict").symlink_to(victim / "mpipp" / "strict")
    given_away(hostile)
    assert shell("report", hostile).returncode == 0
    assert (victim / "mpipp" / "strict" / "started-7" / "one.json").exists()


def test_its_own_reader_keeps_what_was_put_together(tmp_path: Path) -> None:
    left(tmp_path / "report")
    assert shell("report", tmp_path / "report").returncode == 0
    assert sorted(os.listdir(tmp_path / "report")) == [DATA, TEXT, "mpipp"]
    assert json.loads((tmp_path / "report" / DATA).read_text())["errors"] == 1


@pytest.mark.parametrize("kind", ["findings", "node"])
def test_a_pipe_is_not_awaited(tmp_path: Path, kind: str) -> None:
    at = left(tmp_path / "report")
    at = at if kind == "node" else tmp_path / "report" / DATA
    at.unlink(missing_ok=True)
    os.mkfifo(at)
    done = shell("report", tmp_path / "report")
    if kind == "node":
        assert f"not checked: cannot read {at}: it is not a regular file" in done.stdout
    else:
        os.utime(at, (4e9, 4e9))  # newer than the files of the nodes
        done = shell("report", tmp_path / "report")
        said = "a run with mpipp run --check --report DIR writes it"
        assert done.stderr == f"mpipp: cannot read {at} (it is not a regular file): {said}\n"


def test_names_and_json_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    done = shell("report", tmp_path / "\x1b[31m\u202enone")
    said = r"\033[31m\u202enone/findings.json (No such file or directory): a run with "
    assert (done.returncode, said in done.stderr, "\x1b" in done.stderr) == (2, True, False)
    left(tmp_path / "report")
    shell("report", tmp_path / "report")
    path = tmp_path / "report" / DATA
    path.write_text(path.read_text().replace("is wrong", "is \x7f\x9b[2J\u202e wrong"))
    for kind in ("text", "json", "html", "sarif", "junit", "github"):
        done = shell("report", tmp_path / "report", "--format", kind)
        assert (done.returncode, done.stderr) == (0, "")
        assert not {"\x7f", "\x9b", "\u202e"} & set(done.stdout), kind
    document = json.loads(shell("report", tmp_path / "report", "--format", "json").stdout)
    assert document["findings"][0]["what"] == "something is \x7f\x9b[2J\u202e wrong"


@on_mpi("mpich4")
@pytest.mark.parametrize("command", ["run", "exec"])
def test_what_is_the_users_own_stays(mpi: MPI, tmp_path: Path, command: str) -> None:
    """The program does not start."""
    program = compile_program(ROOT / "examples" / "halo.c", mpi)
    for name in ("logs", "nodes", "strict"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results").write_text("mine")
    launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2"] if command == "run" else []
    words: list[str | Path] = [command, "--check", "--report", ".", *launcher, "--", program]
    done = shell(*words, env={"MPIPP_WRAPPER": mpi.wrapper}, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    said = "it has 'logs', which mpipp did not create: name a directory that only mpipp uses"
    assert done.stderr == f"mpipp: --report .: {said}\n"
    assert len(list(tmp_path.glob("*/results"))) == 3


@on_mpi("mpich4")
@pytest.mark.parametrize("command", ["run", "exec"])
def test_a_directory_of_another_user_is_refused(mpi: MPI, hostile: Path, command: str) -> None:
    program = compile_program(ROOT / "examples" / "halo.c", mpi)
    given_away(hostile)
    launcher = ["--mpiexec", " ".join(mpi.mpiexec), "-n", "2"] if command == "run" else []
    words: list[str | Path] = [command, "--check", "--report", hostile, *launcher, "--", program]
    done = shell(*words, env={"MPIPP_WRAPPER": mpi.wrapper})
    assert (done.returncode, done.stdout) == (2, "")
    said = f"it belongs to another user ({NOBODY}): name a directory that only mpipp uses"
    assert done.stderr == f"mpipp: --report {hostile}: {said}\n"
