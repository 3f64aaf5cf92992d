# SPDX-License-Identifier: MIT
"""Ranks run and stop together, or one by one."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.dap.session import PROGRAMS, Session, serving
from tests.support import MPI, ROOT, compile_program, on_mpi

SOURCE = PROGRAMS / "shapes.c"


def documented(name: str) -> Any:
    """The example of an answer in the documents."""
    page = (ROOT / "docs" / "reference" / "dap.md").read_text()
    found = re.search(rf"<!-- dap: {name} -->\n```json\n(.*?)```", page, re.DOTALL)
    assert found, name
    return json.loads(found[1])


def shape(answer: Any) -> Any:
    """The names in an answer, with those in the first element of each list."""
    if isinstance(answer, dict):
        return {name: shape(value) for name, value in answer.items()}
    if isinstance(answer, list):
        return [shape(one) for one in answer[:1]]
    return None


def places(client: Session) -> list[str]:
    return [name.partition(": ")[2] for name in sorted(client.threads().values())]


@on_mpi("mpich4", "openmpi4")
def test_steps_are_for_the_focus_or_one_thread(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        client.begin(client.launch(program, 3, stopOnEntry=True))
        stop = client.all_stopped()
        assert stop["reason"] == "entry"
        first, second, third = sorted(client.threads())
        client.ask("next", threadId=first)
        assert client.all_stopped()["reason"] == "step"
        assert places(client) == ["main at shapes.c:19"] * 3
        client.ask("next", threadId=first, singleThread=True)
        assert client.all_stopped()["threadId"] == first
        assert places(client) == ["main at shapes.c:20", *["main at shapes.c:19"] * 2]
        assert client.ask("mpipp/focus", ranks="1-2") == {"ranks": "1-2", "focus": "1-2"}
        client.ask("next", threadId=second)
        client.all_stopped()
        assert places(client) == ["main at shapes.c:20"] * 3
        client.ask("next", threadId=first)  # rank 0 is not in the focus
        client.all_stopped()
        assert places(client) == ["main at shapes.c:21", *["main at shapes.c:20"] * 2]
        assert client.refusal("stepOut", threadId=first) == (
            "rank 0 is in its outermost function: it cannot step out"
        )
        assert client.ask("mpipp/focus", ranks="all")["focus"] == "all"
        client.lines(SOURCE, 27)
        client.ask("continue", threadId=third)
        client.all_stopped()
        client.ask("stepIn", threadId=third)
        client.all_stopped()
        assert places(client) == ["mark at shapes.c:13"] * 3
        client.lines(SOURCE)
        client.ask("stepOut", threadId=third)
        client.all_stopped()
        assert {place.partition(":")[0] for place in places(client)} == {"main at shapes.c"}
        assert client.leave() == 0


@on_mpi("mpich4", "openmpi4")
def test_a_hang_is_paused_and_explained(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2, args=["hang"])
        conditions = ((31 + rank, f"rank == {rank}") for rank in (0, 1))
        client.lines(SOURCE, *({"line": line, "condition": one} for line, one in conditions))
        client.begin(start)
        client.all_stopped()
        first = min(client.threads())
        client.ask("next", threadId=first)
        client.output("rank 0 has not stopped: in MPI_Recv(source 1, tag 7)")
        assert client.refusal("stackTrace", threadId=first) == "rank 0 runs: pause it first"
        assert client.threads()[first] == (
            "rank 0: in MPI_Recv(source 1, tag 7), called at shapes.c:31 in main"
        )
        assert client.refusal("evaluate", expression="1") == (
            "all ranks run: pause one of them first"
        )
        deadlock = "deadlock: rank 0 and rank 1 wait for each other"
        assert client.ask("mpipp/why")["text"][0] == deadlock
        assert client.ask("mpipp/check")["not_checked"] == []
        assert client.refusal("stackTrace", threadId=first) == "rank 0 runs: pause it first"
        client.ask("pause", threadId=first)
        stop = client.all_stopped()
        assert stop["reason"] == "pause"
        assert client.refusal("pause", threadId=first) == "these ranks have stopped already"
        frame = client.program_frame(first)
        assert (frame["name"], frame["line"]) == ("main", 31)
        why = client.ask("mpipp/why")
        assert why["text"][0] == deadlock
        assert len(why["jobs"]) == 1
        where = client.ask("mpipp/where")
        assert where["jobs"][0]["stacks"]["ranks"] == "0-1"
        assert where["text"][0].split() == "count ranks stack, outermost call first".split()
        status = client.ask("mpipp/status")
        assert shape(status) == shape(documented("mpipp/status"))
        states = status["states"]
        assert [(one["ranks"], one["call"], one["place"]) for one in states] == [
            ("0", "MPI_Recv", "shapes.c:31 in main"),
            ("1", "MPI_Recv", "shapes.c:32 in main"),
        ]
        assert client.ask("mpipp/messages")["jobs"][0]["pairs"] == []
        values = client.ask("mpipp/printRanks", expression="rank")
        assert [(one["ranks"], one["numbers"]) for one in values["values"]] == [
            ("0", [0]),
            ("1", [1]),
        ]
        values = client.ask("mpipp/printRanks", expression="size")
        assert values["values"][0]["ranks"] == "0-1"
        assert shape(values) == shape(documented("mpipp/printRanks"))
        focus = client.ask("mpipp/focus", ranks="where:rank==1")
        assert focus == {"ranks": "1", "focus": "1"}
        assert shape(focus) == shape(documented("mpipp/focus"))
        stops = client.event("mpipp/stops")
        assert shape(stops) == shape(documented("mpipp/stops"))
        assert client.refusal("mpipp/printRanks", expression="none") == (
            'No symbol "none" in current context'
        )
        assert "findings" in client.ask("mpipp/check")
        assert client.leave() == 0
