# SPDX-License-Identifier: MIT
"""The client opens variables as trees; the debug console accepts every command."""

from __future__ import annotations

from tests.dap.client import Body
from tests.dap.session import PROGRAMS, serving
from tests.support import MPI, ROOT, compile_program, on_mpi

SOURCE = PROGRAMS / "shapes.c"


def values(variables: dict[str, Body]) -> dict[str, str]:
    return {name: one["value"] for name, one in variables.items()}


@on_mpi("mpich4", "openmpi4")
def test_variables_and_the_console(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        client.lines(SOURCE, 28)
        client.begin(start)
        client.all_stopped()
        first, second = sorted(client.threads())
        frame = client.program_frame(first)["id"]
        variables = client.locals(frame)
        assert variables["rank"]["value"] == "0"
        assert values(client.locals(frame, "File"))["calls"] == "0"
        point = client.variables(variables["first"]["variablesReference"])
        assert point["x"]["value"] == "1.5"
        assert point["tags"]["evaluateName"] == "first.tags"
        tags = client.variables(point["tags"]["variablesReference"])
        assert values(tags) == {"[0]": "4", "[1]": "5", "[2]": "6"}
        (pointed,) = client.variables(point["next"]["variablesReference"]).values()
        assert values(client.variables(pointed["variablesReference"]))["x"] == "0.5"
        field = variables["field"]
        assert field["indexedVariables"] == 3
        (row,) = client.variables(field["variablesReference"], 1, 1).values()
        assert (row["name"], row["evaluateName"]) == ("[1]", "field[1]")
        column = variables["column"]
        assert column["value"] == "VECTOR[3, 1, 4]"
        kind = client.variables(column["variablesReference"])
        assert values(kind)["blocklength"] == "1"
        reference = point["tags"]["variablesReference"]
        changed = client.ask("setVariable", variablesReference=reference, name="[1]", value="2*20")
        assert changed["value"] == "40"
        assert client.refusal(
            "setVariable", variablesReference=reference, name="[1]", value="none"
        ) == ('No symbol "none" in current context')
        asked = client.ask("evaluate", expression="first.tags[1]+1", frameId=frame)
        assert asked["result"] == "41"
        other = client.program_frame(second)["id"]
        asked = client.ask("evaluate", expression="rank", frameId=other, context="hover")
        assert (asked["result"], asked["type"]) == ("1", "int")
        asked = client.ask("setExpression", expression="step", value="3", frameId=other)
        assert asked["value"] == "3"
        assert client.refusal("evaluate", expression="mark(1, 2)", frameId=frame) == (
            "Cannot call functions in the program: may-call-functions is off"
        )

        def typed(text: str) -> str:
            return str(client.ask("evaluate", expression=text, context="repl")["result"])

        assert typed("mpipp on all print rank") == "rank 0: 0\nrank 1: 1"
        assert typed("print first.tags[1]").endswith(" = 40")
        assert typed("first.tags[1]") == "40"
        assert typed("mpipp focus 1") == "focus: rank 1"
        assert client.refusal("evaluate", expression="run", context="repl") == (
            "run is for one process: write mpipp restart, mpipp kill or mpipp detach"
        )
        targets = client.ask("completions", text="mpipp mess", column=11)["targets"]
        assert [one["label"] for one in targets] == ["messages"]
        client.ask("evaluate", expression="next", context="repl", frameId=other)
        assert client.event("continued") == {"threadId": second, "allThreadsContinued": False}
        assert client.all_stopped()["threadId"] == second
        assert client.refusal("scopes", frameId=other) == (
            f"there is no frame {other}: its rank has run since"
        )
        assert client.leave() == 0


@on_mpi("mpich4")
def test_arrays_of_fortran(mpi: MPI) -> None:
    source = ROOT / "examples" / "heat.f90"
    program = compile_program(source, mpi)
    with serving(mpi) as client:
        start = client.launch(program, 2)
        client.lines(source, 33)
        client.begin(start)
        stop = client.all_stopped()
        frame = client.program_frame(stop["threadId"])
        assert frame["name"] == "heat::relax"
        field = client.locals(frame["id"], "Arguments")["u"]
        assert (field["indexedVariables"], field["type"]) == (6, "real(kind=8) (0:5)")
        reference = field["variablesReference"]
        cells = client.variables(reference, 1, 2)
        assert [one["evaluateName"] for one in cells.values()] == ["u(1)", "u(2)"]
        changed = client.ask("setVariable", variablesReference=reference, name="(1)", value="2.5")
        assert changed["value"] == "2.5"
        asked = client.ask("evaluate", expression="u(1) * 2", frameId=frame["id"])
        assert asked["result"] == "5"
        assert client.leave() == 0
