# SPDX-License-Identifier: MIT
"""Guards work with any transport of an MPI library."""

from __future__ import annotations

import re

import pytest

from tests.support import MPI, MPI_IDS, lacking
from tests.watcher import runs

_OB1 = {"OMPI_MCA_pml": "ob1"}
_APART = {"MPIR_CVAR_NOLOCAL": "1"}
# Settings with which a library moves large messages by copying from another process ("cma"),
# through shared memory, or by TCP.
SETTINGS = {
    # TCP is missing, because it hangs in one of twenty runs, even without mpipp.
    "mpich4": {"cma": {"UCX_TLS": "posix,cma,self"}, "memory": {"UCX_TLS": "sysv,self"}},
    "openmpi4": {
        "cma": {"OMPI_MCA_btl": "self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism": "cma"},
        "memory": {
            "OMPI_MCA_btl": "self,vader",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        },
        "tcp": {"OMPI_MCA_btl": "self,tcp"},
    },
    "mpich5": {
        "cma": {"MPIR_CVAR_CH4_CMA_ENABLE": "1"},
        "memory": {"MPIR_CVAR_CH4_CMA_ENABLE": "0"},
        "tcp": {"UCX_TLS": "tcp,self", **_APART},
        "ofi": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", **_APART},
    },
    "openmpi5": {
        "cma": {"OMPI_MCA_btl": "self,sm", "OMPI_MCA_smsc": "cma"},
        "memory": {"OMPI_MCA_btl": "self,sm", "OMPI_MCA_smsc": "^cma"},
        "tcp": {"OMPI_MCA_btl": "self,tcp"},
    },
}
EACH = [(name, way) for name in MPI_IDS if name in SETTINGS for way in SETTINGS[name]]

# The reported line of the program, and the report.
FOUND = [
    (
        "// by its pages",
        r"error: a store to the buffer of a pending MPI_Issend\n"
        r"  rank 0: stores to buf\[5000\]\(DOUBLE\), at 0x\w+, in out\+40000\n"
        r"    at transports\.c:LINE in wrong\n",
    ),
    (
        "// by its pages, too",
        r"error: a load from the buffer of a pending MPI_Irecv\n"
        r"  rank 0: loads buf\[6000\]\(DOUBLE\), at 0x\w+, in in\+48000\n"
        r"    at transports\.c:LINE in wrong\n",
    ),
    (
        "// changed below",
        r"error: the buffer of a pending MPI_Issend was changed\n"
        r"  rank 0: MPI_Issend\(.*\n"
        r"    called at transports\.c:LINE in wrong\n"
        r"    buf\[7\]\(DOUBLE\), at 0x\w+(, in \S+)?, was 40000020008 and is 1\n",
    ),
]


@pytest.mark.parametrize(("mpi", "way"), EACH, indirect=["mpi"])
def test_buffers_are_guarded_however_data_is_moved(mpi: MPI, way: str) -> None:
    program = runs.program("transports.c", mpi, "-rdynamic")
    settings = {**SETTINGS[mpi.id][way], **_OB1}
    moved = "tcp\n" if way == "ofi" else f"{way}\n"
    if way == "cma" and mpi.run([program], n=2, preload=False, env=settings).stdout != moved:
        lacking(f"{mpi.id} may not copy from one process to another here (ptrace_scope, seccomp)")
    # The correct part runs first, and gets no report.
    run = runs.run(mpi, [program, "wrong"], "--check=buffers", n=2, **settings)
    assert (run.status, run.output) == (0, moved)
    lines = runs.program_source("transports.c").read_text().splitlines()
    for (mark, report), block in zip(FOUND, run.blocks):
        (line,) = [n for n, text in enumerate(lines, 1) if text.endswith(mark)]
        assert re.match(report.replace("LINE", str(line)), block), block
    assert len(run.blocks) == len(FOUND), run
