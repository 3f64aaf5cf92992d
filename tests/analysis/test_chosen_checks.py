# SPDX-License-Identifier: MIT
"""`mpipp check LIST` runs only some of the checks."""

from __future__ import annotations

from mpipp.analysis.rules.selection import GROUPS
from tests import support, typed

PROGRAM = """\
#include <mpi.h>

int main(int argc, char **argv) {
  double row[4] = {0};
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Info_create(&info);
  MPI_Bcast(row, -1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
"""
COUNTED = "1 process, 1 active call, 0 pending requests"
NEGATIVE = "error: the count -1 of buffer is negative\n"
LEAK = "warning: 1 info object is not freed\n"


@support.on_mpi("mpich4", "openmpi4")
def test_some_checks(mpi: support.MPI) -> None:
    lines = [
        ("mpipp check argument", f"{NEGATIVE}...\n\n1 finding in {COUNTED}"),
        ("mpipp check leaks --leaks", f"{LEAK}...\n\n1 finding in {COUNTED}"),
        ("mpipp check all --leaks", f"{NEGATIVE}...{LEAK}...\n\n2 findings in {COUNTED}"),
        ("mpipp check messages,overlap", f"no findings in {COUNTED}"),
        (
            "mpipp check messages,leak",
            f'There is no check "leak": write a group ({", ".join(GROUPS)}, all or fast) or a word '
            "of docs/reference/checks.",
        ),
        (
            "mpipp check messages, leaks",
            'Cannot read "messages, leaks": write mpipp check [LIST] [--leaks] [--json].',
        ),
    ]
    program = support.compile_program(PROGRAM, mpi)
    stop = ["set breakpoint pending on", "mpipp break MPI_Bcast", "run"]
    typed.hold(lines, marks=typed.ANYTHING, program=program, mpi=mpi, stop=stop)
