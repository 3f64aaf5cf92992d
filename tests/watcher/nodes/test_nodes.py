# SPDX-License-Identifier: MIT
"""Runs on several nodes, which share only MPI and the run's directory."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.common.run_directory import PROCESSES
from mpipp.common.run_directory import paths as paths_in
from mpipp.distributed import compare, select_channels
from mpipp.distributed.process_file.writer import head, read
from tests import support
from tests.support import MPI, ROOT, on_mpi, short_directory
from tests.unit.node_reports import of_nodes
from tests.watcher import runs

LAUNCHER = Path(__file__).resolve().parents[1] / "node_launcher.py"
WRONG = [
    # The watcher of ranks 0 and 1 reports this finding.
    """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_UNSIGNED received
  rank 0: MPI_Send(dest = 1, tag = 2, comm = "MPI_COMM_WORLD", buf = 2 MPI_INT)
    called at nodes.c:19 in send
    sends MPI_INT: buf(INT)
  rank 1: MPI_Recv(source = 0, tag = 2, comm = "MPI_COMM_WORLD", buf = 2 MPI_UNSIGNED)
    called at nodes.c:24 in receive
    receives MPI_UNSIGNED: buf(UNSIGNED)
    message number 1
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH""",
    # These findings need the records of all processes.
    """\
error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 1: MPI_Send(dest = 2, tag = 1, comm = "MPI_COMM_WORLD", buf = 2 MPI_INT)
    called at nodes.c:19 in send
    sends MPI_INT: buf(INT)
  rank 2: MPI_Irecv(source = 1, tag = 1, comm = "MPI_COMM_WORLD", buf = 2 MPI_FLOAT)
    called at nodes.c:31 in ring
    receives MPI_FLOAT: buf(FLOAT)
    message number 4
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH""",
    """\
error: a message is sent and never received
  rank 1: MPI_Send(dest = 2, tag = 7, comm = "MPI_COMM_WORLD", buf = 2 MPI_INT)
    called at nodes.c:19 in send
  rule: MPI-4.1, section 11.2.2: every message must have been received before MPI is finalized
  to do: receive it, or do not send it
  MUST: MUST_ERROR_MESSAGE_LOST""",
    """\
error: the processes reduce with different operations: MPI_SUM and MPI_MAX
  rank 0: MPI_Allreduce(comm = "MPI_COMM_WORLD", op = "MPI_SUM", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at nodes.c:58 in main
  rank 2: MPI_Allreduce(comm = "MPI_COMM_WORLD", op = "MPI_MAX", sendbuf = 1 MPI_INT, \
recvbuf = 1 MPI_INT)
    called at nodes.c:58 in main
    collective call number 2
  rule: MPI-4.1, section 6.9: the argument op must be the same in all processes
  to do: pass the same operation in all processes
  MUST: MUST_ERROR_COLLECTIVE_OP_MISMATCH""",
]

CROSSED = """\
error: the order of collective calls differs between MPI_COMM_WORLD and communicator "some", \
which is a deadlock if they synchronize
  rank 0: MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD", buffer = 1 MPI_INT)
    called at crossed.c:11 in bcast
    collective call number 102 on MPI_COMM_WORLD, before number 101 on communicator "some"
  rank 2: MPI_Bcast(root = 0, comm = "some", buffer = 1 MPI_INT)
    called at crossed.c:11 in bcast
    collective call number 101 on communicator "some", before number 102 on MPI_COMM_WORLD
  rule: MPI-4.1, section 6.14: the order of collective calls must not let processes wait for each \
other in a cycle, even if every call synchronizes
  to do: call them in the same order in all processes, or use nonblocking collectives"""


def watched(
    mpi: MPI,
    cwd: Path,
    *words: str,
    options: tuple[str, ...] = (),
    source: str = "nodes.c",
    **environment: str,
) -> runs.Run:
    """Four processes on two nodes, and the files that they write."""
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), "2", *mpi.mpiexec]
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    command = ["run", "--check=fast", "--mpiexec", " ".join(launcher), "-n", "4", *options, "--"]
    program = runs.program(source, mpi)
    return runs.read(
        support.shell(*command, program, *words, env={**known, **environment}, cwd=cwd)
    )


@on_mpi("mpich4", "openmpi4")
def test_all_processes_are_compared(mpi: MPI, tmp_path: Path) -> None:
    words = "type", "near", "lost", "op"
    found = watched(mpi, tmp_path, *words, options=("--report", "report"))
    assert found.status == 0
    assert found.blocks == [mpi.cited(block) for block in WRONG]
    assert found.last == ["mpipp: 4 errors in 4 processes (159 MPI calls checked)"]
    report = tmp_path / "report"
    text = (report / "findings.txt").read_text().splitlines()
    assert text[-1:] == ["4 errors in 4 processes (159 MPI calls checked)"]
    assert support.without_points("\n".join(text[:-2])) == "\n\n".join(found.blocks)
    told = json.loads((report / "findings.json").read_text())
    checks = ["type-mismatch", "type-mismatch", "lost-message", "op-mismatch"]
    assert [one["check"] for one in told["findings"]] == checks
    # A second run into the same directory must not read files of the first.
    found = watched(mpi, tmp_path, options=("--report", "report"))
    assert found.blocks == []
    assert found.last == ["mpipp: no errors in 4 processes (156 MPI calls checked)"]
    for path in paths_in(str(report / PROCESSES)):
        process = read(path)
        assert (process.info, process.node) == (head(path).info, head(path).node)


@pytest.mark.parametrize("topology", ["cart", "graph", "dist_graph"])
@on_mpi("mpich4", "openmpi4")
def test_what_neighbors_send_each_other(mpi: MPI, tmp_path: Path, topology: str) -> None:
    """Each wrong call is found, even if sums select the compared channels, as for many
    processes."""
    forms = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
    first = "at the first element: MPI_FLOAT"
    between = f"the types sent and received do not match, {first} is sent, MPI_INT received"
    what = dict.fromkeys((f"MPI_Neighbor_{form}" for form in forms), between)
    if topology == "dist_graph":  # in this topology, rank 1 is also a neighbor of itself
        itself = (
            f"the data that a process sends itself do not match the data that it receives, "
            f"{first} and MPI_INT"
        )
        what = {name: between if name.endswith("w") else itself for name in what}
    keys = []
    for how in ("right", "wrong"):
        options = ("--report", how)
        found = watched(mpi, tmp_path, topology, how, options=options, source="neighbors.c")
        told = {tuple(block.split("(")[0].splitlines()) for block in found.blocks}
        names = set(what) if how == "wrong" else set[str]()
        expected = {(f"error: {what[name]}", f"  rank 1: {name}") for name in names}
        assert told == expected
        compared = compare.compare(str(tmp_path / how), (), select_channels.SingleProcess())
        assert {one.what.text for one in compared.findings} == {what[name] for name in names}
        assert len(compared.findings) == len(found.blocks) == len(names)
        paths = paths_in(str(tmp_path / how / PROCESSES))
        portions = select_channels.select(paths, select_channels.SingleProcess()).portions
        keys.append({key for portion in portions for key in portion.keys})
    right, wrong = keys
    assert len(wrong - right) == len(forms)


@on_mpi("mpich4", "openmpi4")
def test_the_order_of_calls_on_several_communicators(mpi: MPI, tmp_path: Path) -> None:
    """Errors between nodes are found even if sums select the compared processes."""
    for how, blocks, orders in (("right", [], []), ("wrong", [mpi.cited(CROSSED)], [[0, 2]])):
        options = ("--report", how)
        found = watched(mpi, tmp_path, how, options=options, source="crossed.c")
        assert (found.status, found.blocks) == (0, blocks)
        paths = paths_in(str(tmp_path / how / PROCESSES))
        chosen = select_channels.select(paths, select_channels.SingleProcess())
        assert [[head(path).info.world_rank for path in some] for some in chosen.orders] == orders
        compared = compare.compare(str(tmp_path / how), (), select_channels.SingleProcess())
        assert [one.rule.id for one in compared.findings] == ["comm-order"] * len(blocks)
        where = [compared.view.where(party) for one in compared.findings for party in one.parties]
        assert where == [["crossed.c:11 in bcast"]] * 2 * len(blocks)


@on_mpi("mpich4", "openmpi4")
def test_another_launcher(mpi: MPI, tmp_path: Path) -> None:
    launcher = [sys.executable, "-I", "-S", str(LAUNCHER), "2", *mpi.mpiexec, "-n", "4"]
    command = [
        sys.executable,
        "-m",
        "mpipp.cli",
        "exec",
        "--check=fast",
        "--report",
        "report",
        "--",
    ]
    known = {"PYTHONPATH": str(ROOT), "MPIPP_WRAPPER": mpi.wrapper}
    with short_directory() as sockets:
        done = subprocess.run(
            [*launcher, *command, runs.program("nodes.c", mpi), "near", "op"],
            env={**mpi.env, **known, "XDG_RUNTIME_DIR": str(sockets)},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    # Each watcher reports its own findings.
    found = runs.read(done)
    assert (found.status, found.blocks) == (0, [mpi.cited(WRONG[0])])
    assert sorted(found.last) == [
        "mpipp: 1 error in 2 processes (80 MPI calls checked)",
        "mpipp: no errors in 2 processes (78 MPI calls checked)",
    ]
    shown = support.shell("report", "report", cwd=tmp_path)
    lines = [line for line in shown.stdout.splitlines() if not re.match(r" +\d+ \| ", line)]
    expected = [
        mpi.cited(WRONG[0]),
        "  stop there: --stop-at report:1",
        "",
        mpi.cited(WRONG[3]),
        "  stop there: --stop-at report:2",
        "",
        "2 errors in 4 processes (158 MPI calls checked)",
    ]
    assert support.without_points("\n".join(lines)) == "\n".join(expected)
    # The merged result stays in the directory.
    again = support.shell("report", "report", cwd=tmp_path)
    assert again.stdout == shown.stdout


@on_mpi("mpich4", "openmpi4")
def test_what_two_nodes_find_alike_is_printed_once(mpi: MPI, tmp_path: Path) -> None:
    """The first of the nodes prints the finding. The temporary directory is removed."""
    found = watched(mpi, tmp_path, "op", "leak")
    assert found.blocks[1:] == [mpi.cited(WRONG[3])]
    leak = found.blocks[0].splitlines()
    assert leak[0] == "warning: 1 datatype is not freed"
    own = re.match(r"  ranks (0 and 1|2 and 3): ", leak[1])
    assert own, found  # the two processes of a node end at almost the same time
    assert found.last == ["mpipp: 1 error, 1 warning in 4 processes (152 MPI calls checked)"]
    assert list(tmp_path.iterdir()) == []


@on_mpi("mpich4")
def test_a_directory_that_cannot_be_written(mpi: MPI) -> None:
    # mpipp cannot create a directory there.
    found = watched(mpi, Path("/proc"), "near", "op")
    assert (found.status, found.blocks) == (0, [mpi.cited(WRONG[0])])
    said = {re.sub(r"\.mpipp-\S+-\d+-[0-9a-f]+", "DIR", line) for line in found.last}
    left_out = re.compile(
        r"mpipp: not checked: (ranks? .+) could not write the data to compare with other nodes to "
        r"/proc/DIR \(No such file or directory\)"
    )
    ranks = [done[1] for done in map(left_out.fullmatch, said) if done]
    assert sorted(re.findall(r"\d", " ".join(ranks))) == ["0", "1", "2", "3"]
    assert {line for line in said if not left_out.fullmatch(line)} == {
        "mpipp: cannot write /proc/DIR: No such file or directory",
        "mpipp: 1 error in 2 processes (80 MPI calls checked)",
        "mpipp: no errors in 2 processes (78 MPI calls checked)",
        "mpipp: not checked: no watcher was running",
        "mpipp: nothing found in 0 processes (0 MPI calls checked)",
    }


# Python runs this at its start, also in the watchers.
SLOW = """\
import os, time
def replace(*names, real=os.replace, **where):
    time.sleep(0.7)
    real(*names, **where)
with open("/proc/self/cmdline") as file:
    if "mpipp.watcher" in file.read().split("\\0"):
        os.replace = replace
        time.sleep(2.5)
"""


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_watchers_that_come_late_to_a_slow_disk(mpi: MPI, tmp_path: Path) -> None:
    """A process waits for its watcher only for a limited time. These watchers start after that
    time."""
    (tmp_path / "sitecustomize.py").write_text(SLOW)
    path = os.pathsep.join(map(str, (tmp_path, ROOT)))
    found = watched(mpi, tmp_path, "near", "op", PYTHONPATH=path)
    assert (found.status, found.blocks) == (0, [mpi.cited(WRONG[0]), mpi.cited(WRONG[3])])
    assert found.last == ["mpipp: 2 errors in 4 processes (158 MPI calls checked)"]


# A file system that shows the files of other processes only some seconds after they are written,
# as NFS may do. Python runs this at its start, in the watchers and in `mpipp run`.
LAGGING = """\
import os, stat, time
own = set()
def replace(old, new, real=os.replace, **where):
    own.add(os.path.basename(new))
    real(old, new, **where)
def is_hidden(name, **where):
    found = status(name, follow_symlinks=False, **where)
    is_new = stat.S_ISREG(found.st_mode) and time.time() - found.st_ctime < 3
    return is_new and os.path.basename(name) not in own
def names(folder, real=os.listdir):
    if not isinstance(folder, int):
        return real(folder)
    return [name for name in real(folder) if not is_hidden(name, dir_fd=folder)]
def of_path(path, real=os.lstat):
    if "/mpipp/" in str(path) and is_hidden(path):
        raise FileNotFoundError(2, "No such file", path)
    return real(path)
with open("/proc/self/cmdline") as file:
    if {"mpipp.watcher", "mpipp.cli"} & {*file.read().split("\\0")}:
        status, os.replace, os.listdir, os.lstat = os.stat, replace, names, of_path
"""


@on_mpi("mpich4", "openmpi4")
def test_a_file_system_that_lags(mpi: MPI, tmp_path: Path) -> None:
    """No finding is lost, and no process is missing."""
    (tmp_path / "sitecustomize.py").write_text(LAGGING)
    path = os.pathsep.join(map(str, (tmp_path, ROOT)))
    wrong = "type", "near", "lost", "op"
    found = watched(mpi, tmp_path, *wrong, PYTHONPATH=path)
    assert found.blocks == [mpi.cited(block) for block in WRONG]
    assert found.last == ["mpipp: 4 errors in 4 processes (159 MPI calls checked)"]
    found = watched(mpi, tmp_path, PYTHONPATH=path)
    assert found.blocks == []
    assert found.last == ["mpipp: no errors in 4 processes (156 MPI calls checked)"]


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run."""
    made: Path = tmp_path_factory.mktemp("left")
    watched(support.find_mpi("mpich4"), made, "type", "near", options=("--report", "report"))
    return made / "report"


def test_a_damaged_file_is_one_sentence(left: Path, tmp_path: Path) -> None:
    good = Path(paths_in(str(left / PROCESSES))[1])
    first, rest = good.read_bytes().split(b"\n", 1)
    lines = zlib.decompress(rest).splitlines(keepends=True)

    def again(changed: list[bytes]) -> bytes:
        packed = zlib.compress(b"".join(changed))
        size = f'"bytes":{len(rest)}'.encode()
        return first.replace(size, f'"bytes":{len(packed)}'.encode()) + b"\n" + packed

    path = tmp_path / "file"
    for content, reason in (
        (b"", "is not a process file of mpipp"),
        (b'{"mpipp":"node"}\n', "is not a process file of mpipp"),
        (
            first.replace(b'"version":5', b'"version":9') + b"\n" + rest,
            "was written by another version of mpipp: use that version to compare it",
        ),
        (first.replace(b'"pid"', b'"dip"') + b"\n" + rest, "is damaged: its header is invalid"),
        (first + b"\n" + rest[:-9], f"has {len(rest) - 9} bytes of {len(rest)}: it is not whole"),
        (again([*lines, b'{"call":7}\n']), "is damaged: it has an invalid line"),
        (again([*lines, b'{"comm":{"rank":"a"}}']), "is damaged: it has a Comm that is none"),
    ):
        path.write_bytes(content)
        with pytest.raises(MpippError, match=f"{path} {reason}"):
            read(str(path))
    for number in range(0, len(rest) - 8, 7):  # the last bits of compressed data have no meaning
        damaged = rest[:number] + bytes([rest[number] ^ 8]) + rest[number + 1 :]
        with contextlib.suppress(zlib.error):
            zlib.decompress(damaged)
            continue  # the damage copied bytes that have the same checksum
        path.write_bytes(first + b"\n" + damaged)
        with pytest.raises(MpippError, match="is damaged"):
            read(str(path))
    path.write_bytes(again(lines))
    assert read(str(path)).info == read(str(good)).info


BOMBS = {
    # Sets with very large numbers, tables of that length, and lists of that depth.
    "head": (rb'"world_size":4', b'"world_size":1099511627776', "its header is invalid"),
    "rank": (rb'"world_rank":\d', b'"world_rank":1099511627776', "its header is invalid"),
    "digits": (
        rb'"world_rank":\d',
        b'"world_rank":' + b"9" * 10**6,
        "is not a process file of mpipp",
    ),
    "range": (rb'"world_ranks":\{"range":4\}', b'"world_ranks":{"range":1099511627776}', "a Comm"),
    "size": (rb'"size":4', b'"size":1099511627776', "it has a Comm that is none"),
    "deep": (rb'"channel":\[.*\]', b'"channel":' + b"[" * 10**5, "it is nested too deeply"),
    "empty": (rb"\[\[(\d+),(\d+),\[.+?\]", rb"[[\1,\2,[]", ""),
}


@pytest.mark.parametrize("kind", [*[*BOMBS][:2], *support.repeated(*[*BOMBS][2:])])
def test_a_file_that_would_take_all_memory(left: Path, tmp_path: Path, kind: str) -> None:
    """The file is left out and reported in a sentence, even if the watcher has little memory."""
    shutil.copytree(left, tmp_path / "report")
    (tmp_path / "report" / "findings.json").unlink()
    path = Path(paths_in(str(tmp_path / "report" / PROCESSES))[1])
    first, rest = path.read_bytes().split(b"\n", 1)
    lines = zlib.decompress(rest)
    old, new, reason = BOMBS[kind]
    assert re.search(old, first + lines)
    first, lines = re.sub(old, new, first, count=1), re.sub(old, new, lines)
    packed = zlib.compress(lines, 1)
    first = first.replace(f'"bytes":{len(rest)}'.encode(), f'"bytes":{len(packed)}'.encode())
    path.write_bytes(first + b"\n" + packed)
    little = ["sh", "-c", f'ulimit -v {2 << 20}; exec "$@"', "sh"]
    done = subprocess.run(
        [*little, sys.executable, "-m", "mpipp.cli", "report", tmp_path / "report"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not reason or f"not checked: {path} " in done.stdout
    assert reason in done.stdout


def test_what_is_missing_is_said(left: Path, tmp_path: Path) -> None:
    shutil.copytree(left, tmp_path / "some")
    paths = [Path(path) for path in paths_in(str(tmp_path / "some" / PROCESSES))]
    paths[0].unlink()
    paths[3].write_bytes(b"")
    found = compare.compare(str(tmp_path / "some"), told=[])
    assert found.unchecked == [
        f"{paths[3]} is not a process file of mpipp",
        f"ranks 0 and 3 have left nothing in {tmp_path / 'some'} to compare: all nodes must share "
        "this directory",
    ]
    assert [one.rule.id for one in found.findings] == ["message-types"]


def test_what_a_watcher_has_told_is_not_told_again(left: Path) -> None:
    found = compare.compare(str(left), told=[])
    assert [one.rule.id for one in found.findings] == ["message-types"] * 2
    found = compare.compare(str(left), told=of_nodes(left, "node0", "node1"))
    assert [one.rule.id for one in found.findings] == ["message-types"]
    assert found.unchecked == []
