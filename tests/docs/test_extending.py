# SPDX-License-Identifier: MIT
"""The hook in docs/reference/hooks.md works as the text around it says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.support import MPI, ROOT, compile_program, every_mpi, need

TEXT = (ROOT / "docs" / "reference" / "hooks.md").read_text()

PROGRAM = """
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int sent[2] = {17, 4}, dropped = 0, received[2] = {1, 2}, flag;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Irecv(&dropped, 1, MPI_INT, 0, 666, MPI_COMM_SELF, &request);
  MPI_Send(sent, 1, MPI_INT, 0, 666, MPI_COMM_SELF);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  if (!flag) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Isend(sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Recv(received, 2, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  MPI_Finalize();
  const char *counters[] = {"calls_seen", "messages_ignored", "receives_completed"};
  printf("%d %d %d", received[0], received[1], dropped);
  for (int i = 0; i < 3; i++) {
    unsigned long *counter = dlsym(RTLD_DEFAULT, counters[i]);
    printf(" %lu", counter ? *counter : 0);
  }
  printf("\\n");
  return 0;
}
"""


def hook(directory: Path) -> Path:
    """The example, compiled by the command in its comment."""
    found = re.search(r"<!-- test: hook\.c -->\n```c\n(// (gcc [^\n]*)\n.*?)```", TEXT, re.DOTALL)
    assert found
    (directory / "hook.c").write_text(found.group(1))
    words = found.group(2).replace("-I wrapper", f"-I {ROOT / 'wrapper'}").split()
    need("gcc")
    subprocess.run([*words, "-Wall", "-Wextra", "-Werror"], cwd=directory, check=True)
    return directory / "hook.so"


@every_mpi
def test_the_hook(mpi: MPI, tmp_path: Path) -> None:
    program = compile_program(PROGRAM, mpi, ["-Wl,--no-as-needed", "-ldl"])
    preload = f"LD_PRELOAD={hook(tmp_path)}:{mpi.wrapper}"
    done = mpi.run(["env", preload, program], preload=False)
    assert done.stdout == "17 2 0 11 1 1\n", done.stderr
    assert mpi.run([program]).stdout == "17 2 17 0 0 0\n"
