# SPDX-License-Identifier: MIT
"""gdb opens on a process that stopped in a wrong call, in the terminal of the run."""

from __future__ import annotations

import codecs
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from mpipp.watcher.processes import liveness
from tests import support
from tests.support import MPI
from tests.watcher import runs

PROGRAM = """\
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int data[8] = {0}, from[4] = {0}, to[4];
    MPI_Request requests[4];
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 50; i++) {
        MPI_Isend(data, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
        MPI_Irecv(data + WRONG, 4, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);
        MPI_Isend(from, 4, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[2]);
        MPI_Irecv(to, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    puts("done");
    return 0;
}
"""
PROMPT = "(gdb) "
QUIT = "Quit anyway? (y or n) "
_LATEST = 200.0  # seconds without output: gdb may get little processor time


class Terminal:
    """A command in a new terminal."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, env)
        self._said = ""
        self._decoded = codecs.getincrementaldecoder("utf-8")("replace")

    def until(self, what: str) -> str:
        """The output up to this text."""
        while what not in self._said:
            more = self._read()
            assert more, self._said
            self._hear(more)
        said, _, self._said = self._said.partition(what)
        return said

    def type(self, line: str) -> None:
        """Type a line."""
        os.write(self._file, f"{line}\n".encode())

    def rest(self) -> tuple[str, int]:
        """The remaining output, and the exit status."""
        more = self._read()
        while more:
            self._hear(more)
            more = self._read()
        os.close(self._file)
        return self._said, os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self) -> int:
        """Close the terminal; return the exit status."""
        os.close(self._file)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _hear(self, more: bytes) -> None:
        # A read may end within a line end, or within a character.
        self._said = (self._said + self._decoded.decode(more)).replace("\r\n", "\n")

    def _read(self) -> bytes:
        if not select.select([self._file], [], [], _LATEST)[0]:
            os.kill(self.pid, signal.SIGTERM)
            raise AssertionError(self._said)
        try:
            return os.read(self._file, 1 << 16)
        except OSError:  # the last process has closed the terminal
            return b""


def opened(
    mpi: MPI, program: Path, *options: str, n: int = 2, arguments: tuple[str, ...] = ()
) -> Terminal:
    """A watched run in a terminal."""
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    known = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH",) if name in mpi.env}
    env = support.clean_environment(PYTHONPATH=str(support.ROOT), TERM="dumb", **known)
    words = [*runs.words(mpi, *options, n=n), str(program), *arguments]
    return Terminal([sys.executable, "-m", "mpipp.cli", *words], env)


def program(mpi: MPI, wrong: bool) -> Path:
    """The program with its error, or the correct twin."""
    return support.compile_program(
        PROGRAM, mpi, ("-g", "-O0", "-w", f"-DWRONG={3 if wrong else 4}")
    )


@support.on_mpi("mpich4", "openmpi4")
def test_gdb_opens_in_the_users_frame(mpi: MPI) -> None:
    """gdb opens once for all ranks with the same error. The program continues when the user leaves
    gdb."""
    run = opened(mpi, program(mpi, True), "--gdb")
    found = run.until(PROMPT)
    assert "error: MPI_Irecv and MPI_Isend write and read the same memory" in found
    lines = found.splitlines()
    line = next(
        one
        for one in lines
        if one.endswith("stops there: gdb opens; the program continues when you leave gdb")
    )
    rank = line.split()[1]
    assert f"attached: rank {rank} (inferior 1)" in lines
    assert " in main (argc=1, argv=" in found
    assert (
        lines[-1]
        == "10\t        MPI_Irecv(data + WRONG, 4, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);"
    )
    run.type("print i")
    assert run.until(PROMPT) == "print i\n$1 = 0\n"
    run.type("next")  # the program stops only once
    assert "SIGSTOP" not in run.until(PROMPT)
    run.type("quit")
    run.until(QUIT)
    run.type("y")
    said, status = run.rest()
    assert (status, said.count("done"), said.count(PROMPT)) == (0, 2, 0), said
    assert said.splitlines()[-1] == "mpipp: 1 error in 2 processes (506 MPI calls checked)"


@support.on_mpi("mpich4", "openmpi4")
def test_gdb_opens_on_all_of_the_node(mpi: MPI) -> None:
    """Commands in gdb work: here the user kills one process."""
    run = opened(mpi, program(mpi, True), "--gdb=all")
    lines = run.until(PROMPT).splitlines()
    (attached,) = [line for line in lines if line.startswith("attached: ")]
    assert re.fullmatch(r"attached: rank 0 \(inferior \d\), rank 1 \(inferior \d\)", attached)
    run.type("kill inferiors 1 2")
    run.until(PROMPT)
    run.type("quit")
    said, status = run.rest()
    assert status != 0 and "done" not in said, said


@support.on_mpi("mpich4")
def test_nothing_opens_where_nothing_is_wrong(mpi: MPI) -> None:
    run = opened(mpi, program(mpi, False), "--gdb")
    said, status = run.rest()
    # The output of two processes may mix.
    printed, _, rest = said.partition("mpipp: ")
    assert (status, printed.replace("\n", "")) == (0, "donedone"), said
    assert rest == "no errors in 2 processes (506 MPI calls checked)\n"


@support.on_mpi("mpich4")
def test_control_c_ends_the_program(mpi: MPI) -> None:
    """Ctrl-C in the terminal does not reach the launcher."""
    text = "#include <mpi.h>\n#include <stdio.h>\nint main(void) { MPI_Init(0, 0);"
    text += 'fprintf(stderr, "here\\n"); MPI_Recv(0, 0, MPI_INT, 0, 0, MPI_COMM_SELF,'
    text += "MPI_STATUS_IGNORE); }"
    run = opened(mpi, support.compile_program(text, mpi, ("-g", "-w")), "--gdb", n=1)
    run.until("here")
    run.type("\x03")
    said, _ = run.rest()
    assert said.splitlines()[-1].startswith("mpipp: ") and "Traceback" not in said, said


@support.on_mpi("mpich4")
def test_on_another_node_the_command_is_told(mpi: MPI) -> None:
    """On a node without launcher, the command is printed on the stderr of a process."""
    assert mpi.wrapper
    words = runs.words(mpi, "--gdb", n=1)
    where = words.index("--mpiexec") + 1
    launcher = Path(__file__).resolve().parents[1] / "node_launcher.py"
    words[where] = f"{sys.executable} {launcher} 1 {words[where]}"
    env = support.clean_environment(PYTHONPATH=str(support.ROOT))
    command = [sys.executable, "-m", "mpipp.cli", *words, str(program(mpi, True))]
    run = Terminal(command, env)
    line = run.until(" continues it").splitlines()[-1]
    found = re.fullmatch(r"  rank 0 stops there: on node0 mpipp attach (\d+); kill -CONT \1", line)
    assert found, line
    stat = Path(f"/proc/{found[1]}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "T":
        os.sched_yield()
    os.kill(int(found[1]), signal.SIGCONT)
    assert run.rest()[1] == 0


@support.on_mpi("mpich4")
def test_gdb_needs_a_terminal(mpi: MPI) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mpipp.cli", *runs.words(mpi, "--gdb"), program(mpi, True)],
        env=support.clean_environment(PYTHONPATH=str(support.ROOT)),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    sentence = "mpipp: --gdb needs a terminal: use --stop, and attach from a terminal\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


HANGS = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("here: %d.\\n", (int)getpid());
    fflush(stdout);
    MPI_Recv(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_who_closes_the_terminal_ends_the_program(mpi: MPI) -> None:
    run = opened(mpi, support.compile_program(HANGS, mpi, ("-g", "-w")), "--gdb")
    run.until("here: ")
    pid = int(run.until("."))
    run.close()
    latest = time.monotonic() + 60
    while liveness.goes_on(pid) and time.monotonic() < latest:
        time.sleep(0.05)
    assert not liveness.goes_on(pid)
