# SPDX-License-Identifier: MIT
"""Check that a reduction operation is allowed in a call and for its datatypes.

MPI-4.1, section 6.9.2, has a table of the datatypes for each operation; see also section 12.3.4.
"""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.common.errors import MpippError
from mpipp.model import DatatypeRecord, Op
from mpipp.typetree import Datatype

_CLASSES = {
    "C integers": "INT LONG SHORT UNSIGNED_SHORT UNSIGNED UNSIGNED_LONG LONG_LONG_INT LONG_LONG "
    "UNSIGNED_LONG_LONG SIGNED_CHAR UNSIGNED_CHAR INT8_T INT16_T INT32_T INT64_T UINT8_T UINT16_T "
    "UINT32_T UINT64_T",
    "Fortran integers": "INTEGER INTEGER1 INTEGER2 INTEGER4 INTEGER8 INTEGER16",
    "floating point": "FLOAT DOUBLE REAL DOUBLE_PRECISION LONG_DOUBLE REAL2 REAL4 REAL8 REAL16",
    "logical": "LOGICAL C_BOOL CXX_BOOL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8 LOGICAL16",
    "complex": "COMPLEX C_COMPLEX C_FLOAT_COMPLEX C_DOUBLE_COMPLEX C_LONG_DOUBLE_COMPLEX "
    "CXX_FLOAT_COMPLEX CXX_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX DOUBLE_COMPLEX COMPLEX4 COMPLEX8 "
    "COMPLEX16 COMPLEX32",
    "bytes": "BYTE",
    "multi-language types": "AINT OFFSET COUNT",
    "pairs": "FLOAT_INT DOUBLE_INT LONG_INT 2INT SHORT_INT LONG_DOUBLE_INT 2REAL "
    "2DOUBLE_PRECISION 2INTEGER",
    "characters": "CHAR WCHAR CHARACTER",
}
_CLASS_OF = {f"MPI_{name}": kind for kind, names in _CLASSES.items() for name in names.split()}
_OF_COMBINER = {
    "F90_INTEGER": "Fortran integers",
    "F90_REAL": "floating point",
    "F90_COMPLEX": "complex",
    "VALUE_INDEX": "pairs",
}
_IN_PLURAL = ("C integers", "Fortran integers", "bytes", "multi-language types", "pairs")
_NUMBERS = ("C integers", "Fortran integers", "floating point", "multi-language types")
_BITS = ("C integers", "Fortran integers", "bytes", "multi-language types")
_ALLOWED = {
    **dict.fromkeys(("MPI_MAX", "MPI_MIN"), _NUMBERS),
    **dict.fromkeys(("MPI_SUM", "MPI_PROD"), (*_NUMBERS, "complex")),
    **dict.fromkeys(("MPI_LAND", "MPI_LOR", "MPI_LXOR"), ("C integers", "logical")),
    **dict.fromkeys(("MPI_BAND", "MPI_BOR", "MPI_BXOR"), _BITS),
    **dict.fromkeys(("MPI_MAXLOC", "MPI_MINLOC"), ("pairs",)),
}
_FETCHING = ("MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op")
_ACCUMULATING = ("MPI_Accumulate", "MPI_Raccumulate", *_FETCHING)
# Operations that are allowed only in these calls.
_ONLY_IN = {"MPI_REPLACE": _ACCUMULATING, "MPI_NO_OP": _FETCHING}
_MOST_DATATYPES = 10_000  # components of a datatype


def check(process: Process) -> Findings:
    """Yield operations that are not allowed in their call, or not for its datatype.

    Raises MpippError at the end if some datatype had too many components.
    """
    limits = Limits()
    for operation in process.operations:
        handle = operation.call.op
        found = process.registry.find("op", handle) if handle is not None else None
        if isinstance(found, Op) and operation.call.buffers and not found.header.null:
            with limits.skip_on_error():
                yield from _checked(operation, found)
    limits.raise_reasons()


def _checked(operation: Operation, op: Op) -> Findings:
    name = op.header.name if op.header.predefined else ""
    procedure = operation.call.procedure.removesuffix("_c")
    accumulates = procedure in _ACCUMULATING
    where = _ONLY_IN.get(name)
    if where is not None and procedure not in where:
        yield Finding.of(
            "accumulate-op",
            [operation.party()],
            procedure=operation.call.procedure,
            op=name,
            where=_alternatives(where),
        )
    elif accumulates and not op.header.predefined:
        parties = [operation.party(), operation.process.object_party(op)]
        yield Finding.of("own-op", parties, procedure=operation.call.procedure)
    elif name in _ALLOWED:
        yield from _types(operation, name, accumulates)


def _types(operation: Operation, op: str, accumulates: bool) -> Findings:
    # The first buffer whose datatype does not fit; most calls have only one datatype.
    for buffer in operation.call.buffers:
        if operation.process.in_place(buffer) and "remote" not in buffer.access:
            continue
        record = buffer.datatype
        if not isinstance(record, DatatypeRecord) or record.header.null:
            continue
        leaves = _leaves(record.tree, accumulates)
        if leaves is None:
            parties = [operation.party(), operation.process.object_party(record)]
            yield Finding.of("op-of-derived-type", parties, op=op, kind=record.tree.combiner)
            return
        if len(leaves) > 1:
            names = sorted(_name(leaf) for leaf in leaves.values())
            yield Finding.of(
                "accumulated-types",
                [operation.party()],
                procedure=operation.call.procedure,
                datatype=names[0],
                other_datatype=names[1],
            )
            return
        for leaf in leaves.values():
            kind = _class(leaf)
            if kind is not None and kind not in _ALLOWED[op]:
                yield Finding.of(
                    "op-of-pairs" if _ALLOWED[op] == ("pairs",) else "op-of-type",
                    [operation.party()],
                    op=op,
                    datatype=_name(leaf),
                    argument=buffer.role,
                    why=_of(kind),
                    classes=_alternatives(_ALLOWED[op], "and"),
                )
                return


def _leaves(tree: Datatype, accumulates: bool) -> dict[str, Datatype] | None:
    # The basic datatypes by name. None for a derived datatype if only predefined ones are allowed.
    while tree.combiner == "DUP":
        tree = tree.components[0]
    if _is_predefined(tree):
        return {_name(tree): tree}
    if not accumulates:
        return None
    found: dict[str, Datatype] = {}
    seen: set[int] = set()
    left = [tree]
    while left and len(seen) < _MOST_DATATYPES:
        one = left.pop()
        if id(one) in seen or not one.element_count:
            continue
        seen.add(id(one))
        if _is_predefined(one):
            found[_name(one)] = one
        else:
            left += one.components
    if left:
        raise MpippError(
            f"only {_MOST_DATATYPES} components of an accumulated datatype were checked"
        )
    return found


def _is_predefined(tree: Datatype) -> bool:
    # Unnamed pair types count as predefined, although they have components (MPI-4.1, section
    # 6.9.4).
    return tree.is_leaf or tree.combiner == "VALUE_INDEX"


def _name(leaf: Datatype) -> str:
    return leaf.name or leaf.combiner


def _class(leaf: Datatype) -> str | None:
    return _OF_COMBINER.get(leaf.combiner) or _CLASS_OF.get(leaf.name or "")


def _of(kind: str) -> str:
    if kind == "characters":
        return "characters cannot be reduced"
    return f"that is one of the {kind if kind in _IN_PLURAL else f'{kind} types'}"


def _alternatives(words: tuple[str, ...], last: str = "or") -> str:
    *before, end = words
    return f"{', '.join(before)} {last} {end}" if before else end
