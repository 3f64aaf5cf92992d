# SPDX-License-Identifier: MIT
"""Very long output: it appears while values are read, and Ctrl-C ends it."""

from __future__ import annotations

import signal

import pexpect

from tests import support

PROMPT = "(gdb) "
MANY = """#include <mpi.h>
static int numbers[8000000];
int main(int argc, char **argv) {
  for (int i = 0; i < 8000000; i++) numbers[i] = i;
  MPI_Init(&argc, &argv);
  MPI_Finalize();
}
"""


@support.on_mpi("mpich4", "mpich3", "openmpi5")
def test_interrupted(mpi: support.MPI) -> None:
    program = support.compile_program(MANY, mpi)
    words = [*support.gdb_words(mpi), str(program)]
    gdb = pexpect.spawn(
        words[0],
        words[1:],
        env=dict(mpi.env),
        encoding="utf-8",
        timeout=120,
        echo=False,
        # gdb must handle SIGINT as at a terminal. A background job lets its children ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        for command in ("set pagination off", "break 6", "run", "set print elements 0"):
            gdb.expect_exact(PROMPT)
            gdb.sendline(command)
        gdb.expect_exact(PROMPT)
        gdb.sendline("mpipp MPI_INT numbers 8000000")
        gdb.expect_exact("{0, 1, 2, 3, 4, 5, 6, 7, ")
        gdb.sendintr()
        gdb.expect_exact(PROMPT)
        assert gdb.before is not None
        assert gdb.before.endswith("Quit\r\n") and "7999999" not in gdb.before
        gdb.sendline("mpipp MPI_INT numbers+7999998 2")
        gdb.expect_exact(PROMPT)
        assert gdb.before == "{7999998, 7999999}\r\n"
    finally:
        # `close` would end it, too, but fails if that takes the kernel longer than 0.1 s.
        gdb.kill(signal.SIGKILL)
        gdb.wait()
        gdb.close()
