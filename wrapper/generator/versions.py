# SPDX-License-Identifier: MIT
"""The text of have.h: the procedures of mpi.h, by its version of the standard, without a build."""

from __future__ import annotations

from wrapper.generator.mpi_standard import Procedure

# For procedures that MPI-3.1 lacks: the version of MPI that introduced them. Also for large-count
# forms, unless they came with MPI-4.0 (MPI-4.1, annex B; MPI-5.0, annex B).
_PREFIXES = {
    (4, 0): ("Session_", "T_event_", "T_source_"),
    (5, 0): ("Abi_",),
}
_FIRST = {
    **dict.fromkeys(
        (
            *("Comm_create_from_group", "Comm_idup_with_info", "Group_from_session_pset"),
            *("Info_create_env", "Info_get_string", "Intercomm_create_from_groups"),
            *("Isendrecv", "Isendrecv_replace", "Parrived", "Pready", "Pready_list"),
            *("Pready_range", "Precv_init", "Psend_init"),
            *("T_category_get_events", "T_category_get_num_events"),
        ),
        (4, 0),
    ),
    **dict.fromkeys(
        (
            *(f"{of}_{what}_buffer" for of in ("Comm", "Session") for what in ("attach", "detach")),
            *(f"{of}_{what}_buffer" for of in ("Comm", "Session") for what in ("flush", "iflush")),
            *("Buffer_flush", "Buffer_iflush", "Get_hw_resource_info", "Type_get_value_index"),
            *(f"Remove_error_{what}" for what in ("class", "code", "string")),
            *(f"Request_get_status_{what}" for what in ("all", "any", "some")),
            *(
                f"Status_{how}_{what}"
                for how in ("get", "set")
                for what in ("error", "source", "tag")
            ),
        ),
        (4, 1),
    ),
}
_FIRST_LARGE = {"Status_set_elements": (5, 0)}
_HEAD = """\
#ifndef MPIPP_GENERATED_HAVE_H
#define MPIPP_GENERATED_HAVE_H

#define MPIPP_BUILT_WITH "a compiler, by hand"
"""


def text(wrapped: list[Procedure]) -> str:
    """The lines MPIPP_HAVE_<procedure>, grouped by the MPI version that introduced each."""
    found: dict[tuple[int, int], list[str]] = {}
    for procedure in wrapped:
        if not procedure.removed:
            found.setdefault(first(procedure), []).append(procedure.name)
    lines = [_HEAD]
    for (version, minor), names in sorted(found.items()):
        lines += [f"#if {_since(version, minor)}"]
        lines += [f"#define MPIPP_HAVE_{name} 1" for name in sorted(names)]
        lines += ["#endif", ""]
    return "\n".join([*lines, "#endif", ""])


def first(procedure: Procedure) -> tuple[int, int]:
    """The first version of MPI with the procedure; (3, 1) for all older procedures."""
    base = procedure.base
    version = _FIRST.get(base, (3, 1))
    for of, prefixes in _PREFIXES.items():
        if base.startswith(prefixes):
            version = max(version, of)
    if base.endswith("_init") and base not in _PERSISTENT:
        version = max(version, (4, 0))
    return max(version, _FIRST_LARGE.get(base, (4, 0))) if procedure.large else version


# Persistent sends and receives exist since MPI-1, persistent collective operations since MPI-4.0.
_PERSISTENT = ("Bsend_init", "Recv_init", "Rsend_init", "Send_init", "Ssend_init")


def _since(version: int, minor: int) -> str:
    if not minor:
        return f"MPI_VERSION >= {version}"
    return f"MPI_VERSION > {version} || (MPI_VERSION == {version} && MPI_SUBVERSION >= {minor})"
