# SPDX-License-Identifier: MIT
"""Write a C program that calls every procedure with NULL for each of its pointers in turn.

It also passes a null handle for each handle, by value or by pointer. The other arguments are valid,
as far as the standard's kinds of parameters allow that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.support import program_source

HEADER = program_source("wrapper", "null_pointers.h")

# They begin or end MPI, which is too late in a child process, or need other processes.
LEFT_OUT = {
    "Init", "Init_thread", "Abort", "Finalize", "Comm_spawn", "Comm_spawn_multiple",
    "Comm_accept", "Comm_connect", "Publish_name", "Unpublish_name",
}  # fmt: skip

# Values by kind, else by name, else 1.
VALUES = {
    "COMMUNICATOR": "MPI_COMM_SELF", "DATATYPE": "MPI_INT", "GROUP": "group", "WINDOW": "win",
    "FILE": "file", "INFO": "info", "OPERATION": "MPI_SUM", "ERRHANDLER": "MPI_ERRORS_RETURN",
    "SESSION": "session", "REQUEST": "request", "MESSAGE": "message", "OFFSET": "0",
    "RANK": "0", "RANK_NNI": "0", "RMA_DISPLACEMENT_NNI": "0", "ASSERT": "0", "COLOR": "0",
    "KEY": "0", "KEY_INDEX": "0", "ACCESS_MODE": "MPI_MODE_CREATE | MPI_MODE_RDWR",
    "LOCK_TYPE": "MPI_LOCK_SHARED", "ORDER": "MPI_ORDER_C", "UPDATE_MODE": "MPI_SEEK_SET",
    "SPLIT_TYPE": "MPI_COMM_TYPE_SHARED", "TYPECLASS": "MPI_TYPECLASS_INTEGER",
    "ERROR_CODE": "MPI_ERR_OTHER", "ERROR_CLASS": "MPI_ERR_OTHER",
    "dest": "MPI_PROC_NULL", "source": "MPI_PROC_NULL", "comm_keyval": "comm_keyval",
    "type_keyval": "type_keyval", "win_keyval": "win_keyval", "keyval": "comm_keyval",
    "etype": "MPI_BYTE", "filetype": "MPI_BYTE", "insize": "64", "outsize": "64", "size": "4",
    "value_type": "MPI_DOUBLE", "index_type": "MPI_INT", "p": "6", "r": "30", "valuelen": "10",
    "local_comm": "comm", "intercomm": "comm", "partition_low": "0", "partition_high": "0",
    "fd": "-1",
}  # fmt: skip
COMMS = {"Cart": "cart", "Graph": "graph", "Dist": "neighbors", "Neighbor": "neighbors",
         "Ineighbor": "neighbors"}  # fmt: skip
# Valid targets of pointers, by kind.
OBJECTS = {
    "COMMUNICATOR": "&comm", "DATATYPE": "&type", "GROUP": "&group", "WINDOW": "&win",
    "FILE": "&file", "INFO": "&info", "OPERATION": "&op", "ERRHANDLER": "&errhandler",
    "SESSION": "&session", "REQUEST": "&request", "MESSAGE": "&message", "STATUS": "status",
    "FUNCTION": "(void *)nothing", "POLYFUNCTION": "(void *)nothing", "C_BUFFER": "&address",
    "C_BUFFER2": "&address", "STRING_ARRAY": "words", "STRING_2DARRAY": "lists",
    "array_of_datatypes": "types", "array_of_types": "types", "sendtypes": "types",
    "recvtypes": "types", "array_of_requests": "requests", "array_of_info": "infos",
    "ranges": "triples", "key": '"key"', "datarep": '"native"',
}  # fmt: skip
NULLS = {
    "COMMUNICATOR": "MPI_COMM_NULL", "DATATYPE": "MPI_DATATYPE_NULL", "GROUP": "MPI_GROUP_NULL",
    "WINDOW": "MPI_WIN_NULL", "FILE": "MPI_FILE_NULL", "INFO": "MPI_INFO_NULL",
    "OPERATION": "MPI_OP_NULL", "ERRHANDLER": "MPI_ERRHANDLER_NULL", "REQUEST": "MPI_REQUEST_NULL",
    "MESSAGE": "MPI_MESSAGE_NULL", "SESSION": "MPI_SESSION_NULL",
}  # fmt: skip
PLACES = {"displs", "sdispls", "rdispls", "array_of_starts", "array_of_displacements", "ranks",
          "ranks1", "coords", "sources", "destinations", "edges", "position"}  # fmt: skip
ARRAYS = {"int": "", "MPI_Aint": "aint_", "MPI_Count": "count_", "MPI_Fint": ""}


def program(procedures: Iterable[Any]) -> str:
    """The C text of the program."""
    calls, table = [], []
    for procedure in procedures:
        if procedure.base in LEFT_OUT or procedure.base.startswith("T_"):
            continue
        found = [(p.name, _call(procedure, p, "NULL")) for p in procedure.parameters if p.indirect]
        found += [
            (
                f"{p.name}_null",
                _call(procedure, p, f"&null_{p.kind}" if p.indirect else NULLS[p.kind]),
            )
            for p in procedure.parameters
            if p.kind in NULLS and p.direction != "out"
        ]
        if not found:
            continue
        guard = f"#ifdef MPIPP_HAVE_{procedure.name}"
        calls.append(guard)
        table.append(guard)
        for name, call in found:
            function = f"{procedure.name}_{name}"
            calls.append(f"static int {function}(void) {{ return {call}; }}")
            table.append(f'    {{"MPI_{procedure.name} {name}", {function}}},')
        calls.append("#endif")
        table.append("#endif")
    return "\n".join(
        [
            HEADER.read_text(),
            *calls,
            "static const struct one cases[] = {",
            *table,
            "};",
            "int main(int argc, char **argv) {",
            "  return run_all(argc, argv, cases, sizeof cases / sizeof *cases);",
            "}",
            "",
        ]
    )


def _call(procedure: Any, null: Any, value: str) -> str:
    arguments = [
        value if p is null else _pointer(p) if p.indirect else _value(procedure, p)
        for p in procedure.parameters
    ]
    return f"MPI_{procedure.name}({', '.join(arguments)})"


def _value(procedure: Any, parameter: Any) -> str:
    if parameter.kind == "COMMUNICATOR":
        first = procedure.base.split("_")[0].removesuffix("dim").removesuffix("dims")
        if not procedure.base.endswith(("create", "create_adjacent", "map")):
            return COMMS.get(first, VALUES.get(parameter.name, "MPI_COMM_SELF"))
    return VALUES.get(parameter.name) or VALUES.get(parameter.kind, "1")


def _pointer(parameter: Any) -> str:
    found = OBJECTS.get(parameter.name) or OBJECTS.get(parameter.kind)
    if found:
        return found
    if parameter.kind == "STRING":
        return "text"
    element = parameter.declaration.replace("const ", "").replace("*", " ").split()[0]
    if element == "MPI_Offset":
        return "&offset"
    if element not in ARRAYS:
        return "(void *)memory"
    return ARRAYS[element] + ("zeros" if parameter.name in PLACES else "ones")
