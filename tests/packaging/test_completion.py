# SPDX-License-Identifier: MIT
"""Shell completion: the Tab key in real shells."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.support import ROOT, lacking, need

try:
    from tools.completion.__main__ import FILES, generated
except ImportError:
    lacking("there is no shtab: run tools/setup.sh")

_COMPLETION = ROOT / "packaging" / "completion"
_SOURCE = {shell: str(_COMPLETION / FILES[shell]) for shell in FILES}
_BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"
# Each shell defines mpipp as a function that prints its arguments.
_SHOW = """mpipp() { printf '<%s>' "$@"; echo ' END'; }"""
_START = {
    "bash": ("--norc --noprofile -i", f"{_SHOW}; source {_SOURCE['bash']}"),
    "bash-completion": (
        "--norc --noprofile -i",
        f"{_SHOW}; source {_BASH_COMPLETION}; source {_SOURCE['bash']}",
    ),
    "zsh": (
        "-f -i",
        f"{_SHOW}; fpath=({Path(_SOURCE['zsh']).parent} $fpath); autoload -U compinit; "
        "compinit -u -D; setopt no_auto_remove_slash",
    ),
    "fish": (
        "--private",
        f"function mpipp; printf '<%s>' $argv; echo ' END'; end; source {_SOURCE['fish']}",
    ),
}


def test_files_are_current() -> None:
    assert [path.name for path, text in generated().items() if path.read_text() != text] == []


@pytest.fixture(params=_START)
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    """A shell at a terminal, in a folder with the program `ring` and the folder `results`."""
    program = request.param.partition("-")[0]
    if request.param == "bash-completion" and not Path(_BASH_COMPLETION).exists():
        lacking("there is no bash-completion: run tools/setup.sh")
    options, start = _START[request.param]
    work = tmp_path / "work"
    (work / "results").mkdir(parents=True)
    (work / "ring").write_text("#!/bin/sh\n")
    (work / "ring").chmod(0o755)
    # Without this folder, fish makes completions from all man pages of the machine.
    (tmp_path / ".local/share/fish/generated_completions").mkdir(parents=True)
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    child = pexpect.spawn(
        need(program), options.split(), cwd=work, env=env, encoding="utf-8", timeout=100
    )
    child.delaybeforesend = None
    child.sendline(f"{start}; echo REA''DY")
    child.expect("READY")
    yield child
    child.close(force=True)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("rep\t resu\t", "<report><results/>"),
        ("report --for\t sar\t resu\t", "<report><--format><sarif><results/>"),
        ("run --on-e\t han\t -- ./ri\t", "<run><--on-error><handler><--><./ring>"),
        ("run --on-error=han\t", "<run><--on-error=handler>"),
        ("run --check=overl\t", "<run><--check=overlap>"),
        ("run --gdb=\t -n 2 -- ./ri\t resu\t", "<run><--gdb=all><-n><2><--><./ring><results/>"),
        ("exec --check -- ./ri\t", "<exec><--check><--><./ring>"),
        ("check ri\t", "<check><ring>"),
    ],
)
def test_tab_completes(shell: pexpect.spawn[str], typed: str, words: str) -> None:
    shell.sendline(f"mpipp {typed}")
    shell.expect(r"(<\S*) END")
    assert shell.match.group(1) == words
