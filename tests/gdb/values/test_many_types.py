# SPDX-License-Identifier: MIT
"""Very many live datatypes: commands that read all of them keep none in memory."""

from __future__ import annotations

import re

from tests import support

TYPES = 100_000
PROGRAM = f"""\
#include <mpi.h>

static void done(void) {{}}

int main(int argc, char **argv) {{
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < {TYPES}; i++) MPI_Type_contiguous(2, MPI_INT, &type);
  done();
}}
"""
# The peak memory of gdb in KiB.
MOST = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"


@support.on_mpi("mpich4")
def test_all_are_looked_at_and_none_is_kept(mpi: support.MPI) -> None:
    output = support.gdb_batch(
        [
            "mpipp list comms",  # the memory that every command needs
            f"python import resource; before = {MOST}",
            "mpipp list types --limit 1",
            "mpipp check --leaks",
            "set mpipp summary on",
            "finish",
            f"python print('cost', {MOST} - before)",
        ],
        program=support.compile_program(PROGRAM, mpi),
        mpi=mpi,
        stop=["break done", "run"],
        timeout=200,
    )
    assert f"{TYPES} types, the first 1 shown (--limit)" in output, output
    assert f"not in MPI; {TYPES} types, 0 pending requests" in output, output
    assert f"warning: {TYPES} datatypes are not freed" in output, output
    found = re.search(r"^cost (\d+)$", output, re.MULTILINE)
    assert found, output
    assert int(found[1]) < 80_000  # each datatype in memory would take a kilobyte
