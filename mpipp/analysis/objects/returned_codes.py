# SPDX-License-Identifier: MIT
"""Check for error codes that MPI returned to the program (MPI-4.1, section 9.3).

mpipp does not know whether the program tests them, so the findings are remarks. In Python mpi4py
turns the codes into exceptions.
"""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import ReturnedCode
from mpipp.render.phrases import Phrase, Varies

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
        if code.site.python is None:
            facts = {"procedure": code.procedure, "error_class": code.error_class}
            yield Finding.of("returned-code", [_party(process, code)], **facts)


def with_cause(finding: Finding, process: Process, kind: str) -> Finding:
    """Return a finding about a null handle, with the last call that failed to create its object.

    If there was no such call, the finding is returned unchanged.
    """
    makers = _MAKERS.get(kind, ())
    codes = [one for one in process.registry.returned_codes() if one.procedure.startswith(makers)]
    if not codes or not makers:
        return finding
    last = max(codes, key=lambda one: one.last)
    template = "{procedure} returned {error_class} before"
    subject = Phrase.of(template, procedure=last.procedure, error_class=last.error_class)
    advice = Phrase.of(
        "test the code that {procedure} returns before you use the object",
        procedure=last.procedure,
    )
    cause = replace(_party(process, last, subject), is_wrong=False)
    parties = (*finding.parties, cause)
    return replace(finding, parties=parties, advice=advice)


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
