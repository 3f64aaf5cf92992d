# SPDX-License-Identifier: MIT
"""gdb ends normally while a browser waits for an answer."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.browser.browsed_gdb import PROGRAM, Peer


@pytest.mark.parametrize("end", ["", "quit 3"])
def test_quit_while_a_request_is_queued(tmp_path: Path, end: str) -> None:
    mpi = support.find_mpi("openmpi4")
    place, gate = tmp_path / "place", tmp_path / "gate"
    for pipe in (place, gate):
        os.mkfifo(pipe)
    words = [*support.gdb_words(mpi), "-batch"]
    for command in (
        "break mark",
        "run",
        "mpipp browse --terminal",
        "python import mpipp.gdb.browser_server.open_client as browse",
        f"python open('{place}', 'w').write(str(browse._browsed.server.path))",
        f"shell cat {gate}",  # gdb waits for the gate, and answers nothing meanwhile
        "echo last\\n",
        end or "echo\\n",
    ):
        words += ["-ex", command]
    words += ["--args", str(support.compile_program(PROGRAM, mpi))]
    with subprocess.Popen(
        words, env=dict(mpi.env), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            path = Path(place.read_text())
            assert Peer(path).ask(do="status")["busy"]  # gdb has the request
            gate.write_text("")
            output, _ = process.communicate(timeout=240)
        finally:
            process.kill()
    assert process.returncode == (3 if end else 0), output
    assert "last\n" in output and "Fatal" not in output, output
    assert not path.exists()
