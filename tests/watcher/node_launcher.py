# SPDX-License-Identifier: MIT
"""A launcher that starts processes on simulated nodes.

node_launcher.py PER-NODE MPIEXEC-WORD... -n N COMMAND...
"""

from __future__ import annotations

import os
import sys

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")


def main() -> None:
    """Become the real launcher or, in a process of the job, its command."""
    if sys.argv[1] == "--process":
        rank = next(int(os.environ[name]) for name in RANKS if name in os.environ)
        os.environ["MPIPP_NODE"] = f"node{rank // int(sys.argv[2])}"
        os.execvp(sys.argv[3], sys.argv[3:])
    per_node, *words = sys.argv[1:]
    own = words.index("-n") + 2
    process = [sys.executable, "-I", "-S", os.path.abspath(__file__), "--process", per_node]
    command = [*words[:own], *process, *words[own:]]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
