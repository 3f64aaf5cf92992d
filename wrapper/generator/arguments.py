# SPDX-License-Identifier: MIT
"""C text for arguments of special procedures: datatype constructors, and calls that free."""

from __future__ import annotations

from wrapper.generator import procedures as known
from wrapper.generator.mpi_standard import Parameter, Procedure


def declaration(parameter: Parameter) -> str:
    """The declaration of a wrapper's parameter; a handle by value occupies a whole register."""
    if parameter.by_value_handle:
        return f"mpipp_{known.HANDLES[parameter.kind][0]} {parameter.name}"
    return parameter.declaration


def key(parameter: Parameter) -> str:
    return f"MPIPP_KEY(({known.HANDLES[parameter.kind][0]}){parameter.name})"


def of_freed(name: str) -> list[str]:
    """Statements that show the debugger, during the call, which object the call frees."""
    role = f"mpipp_role(MPIPP_ROLE_{name})"
    return [
        "struct mpipp_input inputs[] = "
        f"{{{{&handle, 1, sizeof handle, MPIPP_SHAPE_HANDLE, {role}}}}};",
        "mpipp_constructing(call, MPIPP_COMBINER_NAMED, inputs, 1, NULL, 0);",
    ]


def of_procedure(procedure: Procedure) -> list[str]:
    """Statements that show the debugger this procedure's named arguments while MPI checks them."""
    parameters = {p.name: p for p in procedure.parameters}
    lines, inputs = [], []
    for argument in known.ARGUMENTS[procedure.base].split():
        name, sign, length = known.argument(argument)
        role = f"mpipp_role(MPIPP_ROLE_{name})"
        if length == "text":
            inputs.append(f"{{{name}, -1, 1, MPIPP_SHAPE_TEXT, {role}}}")
        elif length == "extent":
            lines.append(f"int64_t {name}_extent = mpipp_recorder_extent({key(parameters[name])});")
            inputs.append(
                f"{{&{name}_extent, 1, sizeof {name}_extent, MPIPP_SHAPE_NUMBER, {role}}}"
            )
        elif length:
            of_one = f"sizeof {'*' * (1 + (length[0] == '3'))}{name}"
            values = f"mpipp_abi_weights({name})" if name.endswith("weights") else name
            shape = "MPIPP_SHAPE_RESULT" if sign == ">" else "MPIPP_SHAPE_ARRAY"
            inputs.append(f"{{{values}, {length}, {of_one}, {shape}, {role}}}")
        elif parameters[name].by_value_handle:
            lines.append(f"uint64_t {name}_key = {key(parameters[name])};")
            inputs.append(f"{{&{name}_key, 1, sizeof {name}_key, MPIPP_SHAPE_HANDLE, {role}}}")
        else:
            inputs.append(f"{{&{name}, 1, sizeof {name}, MPIPP_SHAPE_NUMBER, {role}}}")
    lines.append(f"struct mpipp_input inputs[] = {{{', '.join(inputs)}}};")
    types = [f"(MPI_Datatype){name}" for name in known.TYPES.get(procedure.base, "").split()]
    if types:
        lines.append(f"MPI_Datatype types[] = {{{', '.join(types)}}};")
    given = f"{len(inputs)}, {'types' if types else 'NULL'}, {len(types)}"
    lines.append(f"mpipp_constructing(call, MPIPP_COMBINER_NAMED, inputs, {given});")
    return lines


def of_constructor(procedure: Procedure) -> list[str]:
    """Statements that show the debugger a constructor's arguments while MPI checks them."""
    inputs, lines = [], []
    for p in procedure.parameters:
        if p.kind == "DATATYPE":
            continue
        if p.array:
            inputs.append(f"{{{p.name}, {p.length}, sizeof *{p.name}, 0, 0}}")
        else:
            inputs.append(f"{{&{p.name}, 1, sizeof {p.name}, 0, 0}}")
    given = [f"(MPI_Datatype){p.name}" for p in _components(procedure) if not p.array]
    if given:
        lines.append(f"MPI_Datatype components[] = {{{', '.join(given)}}};")
    combiner = f"MPIPP_COMBINER_{known.COMBINERS[procedure.base]}"
    lines.append(f"struct mpipp_input inputs[] = {{{', '.join([*inputs, '{NULL, 0, 0, 0, 0}'])}}};")
    lines.append(
        f"mpipp_constructing(call, {combiner}, inputs, {len(inputs)}, {_type_list(procedure)});"
    )
    return lines


def _components(procedure: Procedure) -> list[Parameter]:
    """The datatype parameters of a constructor: one array, or single datatypes."""
    return [p for p in procedure.parameters if p.kind == "DATATYPE" and p.direction != "out"]


def _type_list(procedure: Procedure) -> str:
    """The C arguments for a constructor's datatypes: their array, and its length."""
    found = _components(procedure)
    if not found:
        return "NULL, 0"
    return f"{found[0].name}, count" if found[0].array else f"components, {len(found)}"


def constructed(procedure: Procedure) -> list[str]:
    made = next(
        p.name for p in procedure.parameters if p.kind == "DATATYPE" and p.direction == "out"
    )
    combiner = f"MPIPP_COMBINER_{known.COMBINERS[procedure.base]}"
    return [
        f"mpipp_recorder_add_datatype(call, {combiner}, {int(procedure.large)}, *{made},",
        f"                    inputs, {_type_list(procedure)});",
    ]
