# SPDX-License-Identifier: MIT
"""The options of `mpipp run` and `mpipp exec`, each with a help line, in groups."""

from __future__ import annotations

import argparse

import pytest

from mpipp.cli import run_options


def parser(of_run: bool) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="mpipp run", allow_abbrev=False)
    run_options.add_options(made, of_run)
    return made


def test_each_option_has_one_line() -> None:
    lines = parser(of_run=True).format_help().splitlines()
    assert max(map(len, lines)) <= 80
    for title, of_group in run_options.GROUPS.items():
        at = lines.index(f"{title}:")
        listed = lines[at + 1 : at + 1 + len(of_group)]
        assert [line.split()[0].split("[")[0] for line in listed] == [
            option.words[0] for option in of_group
        ]


def test_values() -> None:
    found = parser(of_run=True).parse_args(["-n", "4", "--check=rma", "--gdb=all", "./app", "-n"])
    assert (found.n, found.check, found.stop, found.program) == (
        4,
        "rma",
        "gdb=all",
        ["./app", "-n"],
    )
    plain = parser(of_run=True).parse_args([])
    assert (plain.check, plain.stop, plain.on_error, plain.rma_model) == (None, "", "report", "own")


def test_exec_has_no_option_of_run() -> None:
    with pytest.raises(SystemExit):
        parser(of_run=False).parse_args(["--error-exit", "3"])


def test_words() -> None:
    assert [run_options.spelled(word) for word in ("-np", "--check", "--strict", "--other")] == [
        "-n",
        "--check=all",
        "--strict",
        "--other",
    ]
    assert {"-n", "-np", "--report"} <= run_options.with_value()
    assert not {"--check", "--strict", "-q"} & run_options.with_value()
