# SPDX-License-Identifier: MIT
"""Check for error codes that MPI returned to the program (MPI-4.1, section 9.3), and the cause of
null handles.

mpipp does not know whether the program tests them, so the findings are remarks. In Python mpi4py
turns the codes into exceptions.
"""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Broken, ReturnedCode
from mpipp.render.phrases import Phrase, Value, Varies

_MOST_OBJECTS = 1000  # objects among which the only freed one is searched
# The beginnings of the names of procedures that create an object, by its kind.
_MAKERS = {
    "file": ("MPI_File_open",),
    "comm": (
        *("MPI_Comm_dup", "MPI_Comm_idup", "MPI_Comm_create", "MPI_Comm_split"),
        *("MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn"),
        *("MPI_Intercomm_create", "MPI_Intercomm_merge", "MPI_Cart_create", "MPI_Cart_sub"),
        *("MPI_Graph_create", "MPI_Dist_graph_create"),
    ),
    "win": ("MPI_Win_create", "MPI_Win_allocate"),
    "group": (
        *("MPI_Group_incl", "MPI_Group_excl", "MPI_Group_range_", "MPI_Group_union"),
        *("MPI_Group_intersection", "MPI_Group_difference", "MPI_Group_from_session"),
        *("MPI_Comm_group", "MPI_Win_get_group", "MPI_File_get_group"),
    ),
    "op": ("MPI_Op_create",),
    "info": ("MPI_Info_create", "MPI_Info_dup", "MPI_Comm_get_info", "MPI_File_get_info"),
    "datatype": (
        *("MPI_Type_create_", "MPI_Type_contiguous", "MPI_Type_vector", "MPI_Type_hvector"),
        *("MPI_Type_indexed", "MPI_Type_hindexed", "MPI_Type_struct", "MPI_Type_dup"),
    ),
    "session": ("MPI_Session_init",),
}


def check(process: Process) -> Findings:
    """Yield each error class that a procedure returned at one place."""
    for code in process.registry.returned_codes():
        if code.error_class and code.site.python is None:
            facts = {"procedure": code.procedure, "error_class": code.error_class}
            yield Finding.of("returned-code", [_party(process, code)], **facts)


def with_cause(finding: Finding, process: Process, kind: str) -> Finding:
    """Return a finding about a null handle, with the call that made the handle null.

    It is the last call that failed to create an object, or returned MPI_COMM_NULL, else the free of
    the only freed object. Without such a call the finding is returned unchanged.
    """
    makers = _MAKERS.get(kind, ())
    codes = [one for one in process.registry.returned_codes() if one.procedure.startswith(makers)]
    if not codes or not makers:
        return _with_free(finding, process, kind)
    last = max(codes, key=lambda one: one.last)
    facts: dict[str, Value] = {"procedure": last.procedure}
    if last.error_class:
        template = "{procedure} returned {error_class} before"
        facts["error_class"] = last.error_class
        advice = "test the code that {procedure} returns before you use the object"
    else:
        template = "{procedure} returned MPI_COMM_NULL before"
        advice = (
            "compare the handle with MPI_COMM_NULL before you use it: {procedure} returns it to "
            "processes that are not in the new communicator"
        )
    cause = replace(_party(process, last, Phrase.of(template, **facts)), is_wrong=False)
    parties = (*finding.parties, cause)
    return replace(finding, parties=parties, advice=Phrase.of(advice, procedure=last.procedure))


def _with_free(finding: Finding, process: Process, kind: str) -> Finding:
    if process.registry.record_count(kind) > _MOST_OBJECTS:
        return finding
    objects = process.registry.objects(kind, ended=True)
    every = (one for one in objects if not isinstance(one, Broken))
    freed = [one for one in every if one.header.freed and one.header.freed_at is not None]
    if len(freed) != 1:
        return finding
    parties = (process.object_party(freed[0]), *process.freeing_call(freed[0]))
    return replace(finding, parties=(*finding.parties, *parties))


def _party(process: Process, code: ReturnedCode, subject: Phrase | None = None) -> Party:
    subject = subject or Phrase.of("{procedure}", procedure=code.procedure)
    details = []
    if code.text:
        text = Phrase.of("MPI says: {text}", text=code.text)
        details.append(Phrase(text.template, text.facts, Varies.RANKS))
    if code.times > 1:
        times = Phrase.of("{times} times", times=code.times)
        details.append(Phrase(times.template, times.facts, Varies.RANKS))
    return Party(process.number, subject, "called at", code.site, details=tuple(details))
