# SPDX-License-Identifier: MIT
"""The command lines that run a command on another node."""

from __future__ import annotations

import shlex

import pytest

from mpipp.common.errors import MpippError
from mpipp.toolchain import remote_shell


def test_ssh_gets_one_line_and_srun_words(monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["ls", "a b"]
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    found = remote_shell.on_node(remote_shell.words(None), "n1", command)
    assert (found[0], found[-2:]) == ("ssh", ["n1", "ls 'a b'"])
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    found = remote_shell.on_node(remote_shell.words(None), "n1", command)
    assert found[:2] == ["srun", "--jobid=17"]
    assert found[-3:] == ["--nodelist=n1", *command]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("rsh", ["rsh", "n1"]),
        ("ssh -p 22", ["ssh", "-p", "22", "n1"]),
        ("ssh {}.example -q", ["ssh", "n1.example", "-q"]),
    ],
)
def test_the_users_words(chosen: str, expected: list[str]) -> None:
    words = remote_shell.words(chosen)
    assert remote_shell.on_node(words, "n1", ["true"]) == [*expected, "true"]


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "", "a b", "a;b", "../a", "n" * 300])
def test_a_name_that_no_node_has(name: str) -> None:
    with pytest.raises(MpippError, match="is not the name of a node"):
        remote_shell.on_node(["ssh", "{}"], name, ["true"])


@pytest.mark.parametrize("chosen", ["", "ssh 'a"])
def test_wrong_words(chosen: str) -> None:
    with pytest.raises(MpippError, match="--remote-shell"):
        remote_shell.words(chosen)


def test_the_modules_that_nodes_run() -> None:
    words = remote_shell.python("json.tool", "a b")
    assert words[0] == "env" and words[-3:] == ["-m", "json.tool", "a b"]
    assert shlex.split(shlex.join(words)) == words
