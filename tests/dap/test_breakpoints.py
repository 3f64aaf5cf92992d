# SPDX-License-Identifier: MIT
"""Breakpoints that the client sets apply to all ranks, with conditions, hit counts and messages."""

from __future__ import annotations

from tests.dap.session import PROGRAMS, serving
from tests.support import MPI, compile_program, on_mpi

SOURCE = PROGRAMS / "shapes.c"
MARK = 13  # the line in the function mark
LOOP = 28  # the line after the call of mark


@on_mpi("mpich4", "openmpi4")
def test_conditions_counts_messages_and_functions(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        conditional, counted, logged, wrong = client.lines(
            SOURCE,
            {"line": LOOP, "condition": "rank == 1 && step == 1"},
            {"line": LOOP, "hitCondition": "== 3"},
            {"line": LOOP, "logMessage": "step {step} of {nothing}"},
            {"line": LOOP, "hitCondition": "often"},
        )
        assert wrong["verified"] is False
        assert wrong["message"] == ("often is not a hit condition: write 5, >= 5, > 5, == 5 or % 5")
        (symbol,) = client.lines(SOURCE.parent / "none.c", 3)
        assert (symbol["verified"], symbol["message"]) == (False, "no rank has code there yet")
        client.begin(start)
        client.output('step 0 of <No symbol "nothing" in current context.>')
        first = client.all_stopped()
        causes: dict[str, str] = {}
        while len(causes) < 2:
            for group in client.event("mpipp/stops")["groups"]:
                causes[group["ranks"]] = group["cause"]
        assert causes == {
            "1": f"Breakpoint {conditional['id']}",
            "0": f"Breakpoint {counted['id']}",
        }
        assert len({conditional["id"], counted["id"], logged["id"]}) == 3
        found = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "MPI_Type_free"}])
        assert found["breakpoints"][0]["verified"] is True
        client.lines(SOURCE)
        client.ask("continue", threadId=first["threadId"])
        client.all_stopped()
        assert sorted(client.threads().values()) == [
            f"rank {i}: in MPI_Type_free, called at shapes.c:35 in main" for i in range(2)
        ]
        assert client.leave() == 0


@on_mpi("mpich4")
def test_a_breakpoint_that_stays_keeps_its_number(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        client.launch(program, 1)
        (one,) = client.lines(SOURCE, MARK)
        same, other = client.lines(SOURCE, MARK, {"line": LOOP, "condition": "step == 2"})
        assert same["id"] == one["id"] != other["id"]
        (bad,) = client.lines(SOURCE, {"line": LOOP, "condition": "nothing > 1"})
        assert (bad["verified"], bad["message"]) == (
            False,
            'No symbol "nothing" in current context',
        )
        assert client.leave() == 0


@on_mpi("mpich4", "openmpi4")
def test_a_variable_of_one_rank_is_watched(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        client.lines(SOURCE, 26)
        client.begin(start)
        client.all_stopped()
        client.lines(SOURCE)
        second = max(client.threads())
        frame = client.program_frame(second)
        scopes = client.ask("scopes", frameId=frame["id"])["scopes"]
        own = next(one["variablesReference"] for one in scopes if one["name"] == "Locals")
        first = client.variables(own)["first"]["variablesReference"]
        info = client.ask("dataBreakpointInfo", variablesReference=first, name="x")
        assert info["description"] == "x in rank 1"
        assert info["accessTypes"] == ["write", "readWrite"]
        whole = client.ask("dataBreakpointInfo", variablesReference=own, name="field")
        assert (whole["dataId"], whole["description"]) == (
            None,
            "field cannot be watched: it has not 1, 2, 4 or 8 bytes: watch a part of it",
        )
        calls = client.ask("dataBreakpointInfo", frameId=frame["id"], name="calls")
        (point,) = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])[
            "breakpoints"
        ]
        assert point["verified"]
        client.ask("continue", threadId=second)
        stop = client.event("stopped", reason="data breakpoint")
        assert (stop["threadId"], stop["text"]) == (second, "watchpoint x = 2.5")
        assert stop["hitBreakpointIds"] == [point["id"]]
        assert client.program_frame(second)["line"] in (26, 28)
        client.ask("setDataBreakpoints", breakpoints=[{"dataId": calls["dataId"]}])
        client.ask("continue", threadId=second)
        stop = client.event("stopped", reason="data breakpoint")
        assert (stop["threadId"], stop["text"]) == (second, "watchpoint calls = 3")
        none = client.ask("setDataBreakpoints", breakpoints=[{"dataId": "1:x"}])["breakpoints"]
        assert none == [{"verified": False, "message": "the process of this variable has ended"}]
        client.ask("continue", threadId=second)
        client.event("terminated")
        assert client.leave() == 0
