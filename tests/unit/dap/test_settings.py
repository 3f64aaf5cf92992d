# SPDX-License-Identifier: MIT
"""The settings of sessions and of breakpoints, and their errors."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.common.errors import MpippError
from mpipp.dap import arguments, breakpoints


def refusal(action: Any, *settings: Any) -> str:
    with pytest.raises(MpippError) as caught:
        action(*settings)
    return str(caught.value)


def test_the_defaults_of_launch() -> None:
    found = arguments.launch({"program": "a", "args": ["1"], "env": {"A": "b"}, "cwd": None})
    assert found == arguments.Launch(["a", "1"], 0, "", "", None, {"A": "b"}, 0, False, False, "")
    assert arguments.attach({}) == arguments.Attach("", True, False, "")
    assert arguments.attach({"job": 17, "stopOnEntry": False}).job == "17"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "the argument program is missing"),
        ({"program": ""}, "program must name the program to debug"),
        ({"program": "a", "ranks": True}, "ranks must be a number"),
        (
            {"program": "a", "ranks": -2},
            "ranks is -2: the number of MPI processes must be at least 1",
        ),
        ({"program": "a", "args": ["b", 1]}, "args, element 1, must be a text"),
        ({"program": "a", "env": {"A": 1}}, "env, A, must be a text"),
        ({"program": "a", "stopOnEntry": 1}, "stopOnEntry must be true or false"),
        ({"program": "a", "sessions": "all"}, 'sessions is all: write "job" or "ranks"'),
    ],
)
def test_wrong_settings_are_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    assert refusal(arguments.launch, settings) == sentence


@pytest.mark.parametrize(
    ("condition", "hits"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("3", [3, 4, 5, 6]),
        (">= 3", [3, 4, 5, 6]),
        ("> 3", [4, 5, 6]),
        ("==3", [3]),
        ("% 3", [3, 6]),
    ],
)
def test_conditions_on_hits(condition: str, hits: list[int]) -> None:
    assert [i for i in range(1, 7) if breakpoints.is_hit(condition, i)] == hits


@pytest.mark.parametrize("condition", ["often", "% 0", "< 3", "3 times"])
def test_other_conditions_on_hits_are_a_sentence(condition: str) -> None:
    assert refusal(breakpoints.is_hit, condition, 1) == (
        f"{condition} is not a hit condition: write 5, >= 5, > 5, == 5 or % 5"
    )


def test_the_parts_of_a_log_message() -> None:
    assert list(breakpoints.parts("a {b + 1} c{ }{d}")) == [
        ("a ", False),
        ("b + 1", True),
        (" c", False),
        ("d", True),
    ]
    assert refusal(lambda: list(breakpoints.parts("a {b"))) == "the log message has { without }"


def test_breakpoints_as_clients_send_them() -> None:
    found = breakpoints.source(
        {"source": {"path": "/a.c"}, "breakpoints": [{"line": 3, "condition": " x > 1 "}]}
    )
    assert found == ("/a.c", [breakpoints.Breakpoint(3, "", "x > 1", "", "")])
    assert breakpoints.functions({"breakpoints": [{"name": "MPI_Send", "hitCondition": "2"}]}) == [
        breakpoints.Breakpoint(0, "MPI_Send", "", "2", "")
    ]
    assert refusal(breakpoints.source, {"source": {}}) == (
        "a breakpoint needs the path of its source file"
    )
