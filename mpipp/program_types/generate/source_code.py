# SPDX-License-Identifier: MIT
"""Writers of source code that creates the datatype of a struct, class or derived type.

Each writer yields the lines of a function for the record, after functions for nested records with
their own datatypes. Comments name the omissions, and the members that are sent as bytes. All
writers raise MpippError if there is nothing to send.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from mpipp.program_types.generate.block_plan import Entry, Plan, plans
from mpipp.program_types.types import Record


def function_name(record: Record) -> str:
    """Return the default name of the function for a record: make_particle."""
    name = re.sub(r"^(struct|union|type)\b|\(|\)", "", record.name).strip()
    name = re.sub(r"\W+", "_", name.rpartition("::")[2] if "<" not in name else name).strip("_")
    return f"make_{name or 'struct'}"


Names = Mapping[Record, str]  # the name of each record's function


def _names(found: list[Plan], name: str) -> Names:
    members = {
        entry.nested: entry.member.rpartition(".")[2]
        for plan in found
        for entry in plan.entries
        if entry.nested is not None
    }
    names: dict[Record, str] = {}
    for number, plan in enumerate(found):
        record = plan.record
        chosen = function_name(record)
        if "{" in record.name and members.get(record):
            chosen = f"make_{members[record]}"
        names[record] = f"{chosen}{number}" if chosen in names.values() else chosen
    if name:
        names[found[-1].record] = name
    return names


def c(record: Record, name: str = "", cxx: bool = False) -> Iterator[str]:
    """Yield a C (or C++) function for the datatype of `record`, as lines."""
    found = plans(record)
    yield "#include <mpi.h>"
    yield "#include <stddef.h>"
    yield from _functions(found, _names(found, name), lambda plan, names: _c(plan, names, cxx))


def fortran(record: Record, name: str = "") -> Iterator[str]:
    """Yield a Fortran function, for the module that defines the derived type."""
    found = plans(record)
    yield "! For the module that defines the type, after its contains."
    yield from _functions(found, _names(found, name), _fortran)


def mpi4py(record: Record, name: str = "") -> Iterator[str]:
    """Yield a Python function for mpi4py."""
    found = plans(record)
    yield "from mpi4py import MPI"
    yield from _functions(found, _names(found, name), _python)


def _functions(
    found: list[Plan], names: Names, write: Callable[[Plan, Names], Iterator[str]]
) -> Iterator[str]:
    for plan in found:
        yield ""
        yield from write(plan, names)


def _c(plan: Plan, names: Names, cxx: bool) -> Iterator[str]:
    record = plan.record
    named = "{" not in record.name
    full = record.name.replace("(anonymous namespace)::", "")
    spelled = "Struct" if cxx and "," in full else full
    number = len(plan.entries)
    yield f"// {record.name}, {record.size} bytes"
    for reason in plan.omitted:
        yield f"// left out: {reason}"
    yield f"MPI_Datatype {names[record]}(void) {{"
    if spelled != full:
        yield f"  using {spelled} = {full};"
    variables = _nested_variables(plan, names)
    for nested, variable in variables.items():
        yield f"  MPI_Datatype {variable} = {names[nested]}();"
    lengths = ", ".join(str(entry.blocklength) for entry in plan.entries)
    yield f"  const int blocklengths[{number}] = {{{lengths}}};"
    yield f"  const MPI_Aint displacements[{number}] = {{"
    for entry in plan.entries:
        yield f"    {_c_place(entry, spelled, named)},{_comment(entry, '  // ')}"
    yield "  };"
    yield f"  const MPI_Datatype types[{number}] = {{"
    for entry in plan.entries:
        yield f"    {variables[entry.nested] if entry.nested else _cxx(entry.datatype, cxx)},"
    yield "  };"
    yield "  MPI_Datatype members, type;"
    yield f"  MPI_Type_create_struct({number}, blocklengths, displacements, types, &members);"
    size = f"sizeof({spelled})" if named else str(record.size)
    yield f"  MPI_Type_create_resized(members, 0, {size}, &type);"
    for variable in ("members", *variables.values()):
        yield f"  MPI_Type_free(&{variable});"
    yield "  MPI_Type_commit(&type);"
    yield "  return type;"
    yield "}"


def _nested_variables(plan: Plan, names: Names) -> Names:
    found: dict[Record, str] = {}
    for entry in plan.entries:
        if entry.nested is not None:
            found[entry.nested] = names[entry.nested].removeprefix("make_") + "_type"
    return found


def _c_place(entry: Entry, spelled: str, named: bool) -> str:
    if not entry.member or not named:
        return str(entry.offset)
    extra = f" + {entry.extra}" if entry.extra else ""
    return f"offsetof({spelled}, {entry.member}){extra}"


def _cxx(datatype: str, cxx: bool) -> str:
    return "MPI_CXX_BOOL" if cxx and datatype == "MPI_C_BOOL" else datatype


def _comment(entry: Entry, start: str) -> str:
    return f"{start}{entry.comment}" if entry.comment else ""


def _fortran(plan: Plan, names: Names) -> Iterator[str]:
    record = plan.record
    name = names[record]
    number = len(plan.entries)
    variables = _nested_variables(plan, names)
    yield f"! {record.name}, {record.size} bytes"
    for reason in plan.omitted:
        yield f"! left out: {reason}"
    yield f"function {name}() result(newtype)"
    yield "  use mpi_f08"
    yield f"  type(MPI_Datatype) :: newtype, members, types({number})"
    for variable in variables.values():  # a Fortran line has at most 132 characters
        yield f"  type(MPI_Datatype) :: {variable}"
    yield f"  {record.name}, target :: sample(2)"
    yield f"  integer(MPI_ADDRESS_KIND) :: start, extent, displacements({number})"
    yield f"  integer :: blocklengths({number})"
    for nested, variable in variables.items():
        yield f"  {variable} = {names[nested]}()"
    yield "  call MPI_Get_address(sample(1), start)"
    yield "  call MPI_Get_address(sample(2), extent)"
    for i, entry in enumerate(plan.entries, 1):
        yield f"  call MPI_Get_address(sample(1)%{entry.member}, displacements({i}))"
        yield f"  blocklengths({i}) = {entry.blocklength}{_comment(entry, '  ! ')}"
        yield f"  types({i}) = {variables[entry.nested] if entry.nested else entry.datatype}"
    yield "  extent = extent - start"
    yield "  displacements = displacements - start"
    yield f"  call MPI_Type_create_struct({number}, blocklengths, displacements, types, members)"
    yield "  call MPI_Type_create_resized(members, 0_MPI_ADDRESS_KIND, extent, newtype)"
    for variable in ("members", *variables.values()):
        yield f"  call MPI_Type_free({variable})"
    yield "  call MPI_Type_commit(newtype)"
    yield "end function"


def _python(plan: Plan, names: Names) -> Iterator[str]:
    record = plan.record
    variables = _nested_variables(plan, names)
    yield ""
    yield f"def {names[record]}():"
    yield f'    """{record.name}, {record.size} bytes"""'
    for reason in plan.omitted:
        yield f"    # left out: {reason}"
    for nested, variable in variables.items():
        yield f"    {variable} = {names[nested]}()"
    yield "    blocklengths, displacements, types = zip("
    for entry in plan.entries:
        name = variables[entry.nested] if entry.nested else f"MPI.{entry.datatype[4:]}"
        comment = entry.comment or entry.member
        yield f"        ({entry.blocklength}, {entry.offset}, {name}),  # {comment}"
    yield "    )"
    yield "    members = MPI.Datatype.Create_struct(blocklengths, displacements, types)"
    yield f"    datatype = members.Create_resized(0, {record.size})"
    for variable in ("members", *variables.values()):
        yield f"    {variable}.Free()"
    yield "    return datatype.Commit()"
