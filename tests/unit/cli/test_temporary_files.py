# SPDX-License-Identifier: MIT
"""The command on a system without a writable directory, such as a read-only container."""

from __future__ import annotations

import tempfile

import pytest

from mpipp.cli import main


def test_no_directory_is_writable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/proc"])
    monkeypatch.setattr(main, "_run_command", lambda words: len(tempfile.mkdtemp()))
    assert main.main(["doctor"]) == 2
    sentence = "mpipp needs a directory for temporary files: make /tmp writable, or set TMPDIR"
    assert capsys.readouterr().err == f"mpipp: {sentence}\n"
