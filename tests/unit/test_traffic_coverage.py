# SPDX-License-Identifier: MIT
"""The random correct traffic calls every recorded procedure, so a false finding cannot
stay hidden."""

from __future__ import annotations

import re

from mpipp.model.procedures import NAMES
from tests.support import program_source

PROGRAMS = program_source("analysis", "traffic")
FORMS = re.compile(r"\b(?:EACH|EACH_LARGE|EITHER)\((\w+), (\w+)")

# Procedures that are tested elsewhere: the test, or the reason why there is none.
ELSEWHERE = {
    "removed from MPI: others' names": "Errhandler_(create|get|set)|Type_(hindexed|hvector|struct)",
    "tests/watcher/test_sessions.py": "Session_.*|.*_from_groups?|Group_from_session_pset",
    "tests/watcher/test_spawned.py": "Comm_(spawn.*|accept|connect|join)",
    "tests/wrapper/objects/test_constructors.py": "Type_create_f90_.*|Type_get_value_index",
    "the same as of communicators": "(Win|File)_.*(errhandler|_info|_group|_name)",
    "MPI-4.1 alone": r"(Buffer|Comm)_(iflush|attach|detach).*|Request_get_status_\w+",
    "MPI-5.0 alone": "Abi_.*",
    "of no communication": "Get_hw_resource_info|Info_create_env|Init|Comm_remote_group",
}


def test_each_recorded_procedure_is_in_the_traffic_or_has_a_reason() -> None:
    main = (PROGRAMS / "traffic.c").read_text()
    names = set(re.findall(r'"(\w+\.h)"', main)) - {"planted.h"}
    text = "".join([main, *((PROGRAMS / name).read_text() for name in names)])
    used = set(re.findall(r"MPI_(\w+)", text))
    for name, small in FORMS.findall(text):
        used |= {name, f"I{small}", f"{name}_init"}
    wanted = {name.removeprefix("MPI_").removesuffix("_c") for name in NAMES}
    reasons = re.compile("|".join(ELSEWHERE.values()))
    assert {name for name in wanted - used if not reasons.fullmatch(name)} == set()
