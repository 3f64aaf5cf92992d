# SPDX-License-Identifier: MIT
"""The local procedures (MPI-4.1, section 2.4), for perturbed schedules (perturb/)."""

from __future__ import annotations

from collections.abc import Sequence

from wrapper.generator.mpi_standard import Procedure

# Local procedures: they do not wait for other processes, which do not wait for them.
_LOCAL = {
    *("Irecv", "Recv_init", "Send_init", "Ssend_init", "Pack", "Unpack", "Grequest_start"),
    *("Comm_set_name", "Comm_create_errhandler", "Comm_group", "Comm_get_errhandler"),
}
_LOCAL_PREFIXES = (
    *("Type_", "Group_", "Info_", "Op_", "Errhandler_", "Comm_remote_", "Dist_graph_neighbors"),
    *("Cart_get", "Cart_rank", "Cart_coords", "Cart_shift", "Cartdim_get"),
    *("Graph_neighbors", "Graph_get", "Graphdims_get"),
)
# Unrecorded procedures that are not local; all other unrecorded procedures are treated as local.
_MARKED_PREFIXES = (
    *("Lookup_", "Publish_", "Unpublish_", "File_", "Buffer_", "Comm_flush_"),
    *("Session_flush_", "Close_"),
)


def text(recorded: Sequence[Procedure], marked: Sequence[Procedure]) -> str:
    """The text of generated/locality.inc: a macro call for each procedure."""
    local = [p.name for p in recorded if p.base in _LOCAL or p.base.startswith(_LOCAL_PREFIXES)]
    others = [p.name for p in marked if p.base.startswith(_MARKED_PREFIXES)]
    rows = [f"LOCAL({name})" for name in sorted(local)]
    return "\n".join([*rows, *(f"MARKED({name})" for name in sorted(others)), ""])
