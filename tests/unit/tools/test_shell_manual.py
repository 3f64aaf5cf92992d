# SPDX-License-Identifier: MIT
"""The reference of the shell command, and its man pages."""

from __future__ import annotations

import argparse

import pytest

from mpipp.cli.manual import COMMANDS, OPTIONS
from mpipp.cli.run_options import GROUPS
from tools import shell_manual
from tools.shell_manual import Entry


def test_every_option_is_described_in_full() -> None:
    words = [option.words[0] for options in GROUPS.values() for option in options]
    assert list(OPTIONS) == words


def test_files_are_current() -> None:
    files = shell_manual.generated()
    assert [path.name for path, text in files.items() if path.read_text() != text] == []
    assert len(files) == len(COMMANDS) + 2


def test_an_option_is_described_with_all_its_words() -> None:
    run = next(command for command in shell_manual.commands() if command.name == "mpipp run")
    entries = [entry for _, entries in run.groups for entry in entries]
    assert Entry("-n N, -np N", OPTIONS["-n"]) in entries
    assert Entry("--check[=LIST]", OPTIONS["--check"]) in entries
    assert Entry("--stop", OPTIONS["--stop"]) in entries


def test_choices_are_listed() -> None:
    parser = argparse.ArgumentParser("mpipp x")
    option = parser.add_argument("--to", choices=("a", "b"), help="to %(choices)s")
    assert list(shell_manual._entries(parser, option)) == [Entry("--to {a,b}", "to a, b")]


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("a-b\\n", "a\\-b\\en"),
        ("see `x -y`", "see \\fBx \\-y\\fR"),
        (".x\n'y", "\\&.x\n\\&'y"),
    ],
)
def test_text_is_no_request_of_roff(text: str, roff: str) -> None:
    assert shell_manual._roff(text) == roff
