# SPDX-License-Identifier: MIT
"""The decisions of the generator, compared with the standard's own data."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from mpipp.toolchain import elf
from mpipp.toolchain import mpi_libraries as mpis
from tests import support

try:
    import pympistandard  # noqa: F401
except ImportError:
    support.lacking("there is no pympistandard: run tools/setup.sh")
from wrapper.generator import (
    agreement,
    buffers,
    forms,
    generate,
    mpi_standard,
    statements,
    unrecorded_procedures,
)
from wrapper.generator import procedures as known

STANDARD = mpi_standard.standard()
BY_NAME = {p.name: p for p in STANDARD + mpi_standard.removed()}
WRAPPED = {name for name, p in BY_NAME.items() if unrecorded_procedures.is_wrapped(p)}
RECORDED = {name for name, p in BY_NAME.items() if unrecorded_procedures.is_recorded(p)}

# Procedures with a choice buffer that is no communication buffer.
NO_COMMUNICATION = {"Free_mem", "Get_address"}


def kinds(procedure: Any) -> set[str]:
    return {p.kind for p in procedure.parameters}


def test_the_standard_is_there() -> None:
    assert len(STANDARD) > 600
    assert {"Send", "Send_c", "Psend_init", "Session_init", "Type_create_darray_c"} <= set(BY_NAME)


def test_every_communication_buffer_is_recorded() -> None:
    missing = {
        p.base
        for p in STANDARD
        if "BUFFER" in kinds(p) and p.name not in RECORDED and "T_" not in p.name
    }
    assert missing == NO_COMMUNICATION


def test_both_forms_or_none() -> None:
    for procedure in STANDARD:
        if procedure.large:
            assert (procedure.name in RECORDED) == (procedure.base in RECORDED), procedure.name


def test_every_maker_and_ender_of_a_handle_is_recorded() -> None:
    made = {
        p.base
        for p in STANDARD
        for q in p.parameters
        if q.kind in known.HANDLES and q.direction == "out" and q.indirect
        if not p.base.startswith("T_")
    }
    # These procedures convert or return existing objects. The parent communicator is recorded at
    # the start.
    excused = {"Type_match_size", "Type_get_value_index", "Comm_get_parent", "Abi_get_info",
               "Abi_get_fortran_info"}  # fmt: skip
    found = {base for base in made - excused if base not in RECORDED}
    assert {base for base in found if not base.endswith(("fromint", "f2c"))} == set()
    ended = {p.base for p in STANDARD if p.base.endswith(("_free", "_disconnect", "_close"))}
    about_handles = {base for base in ended if not base.startswith("T_") and "keyval" not in base}
    assert {b for b in about_handles if b not in RECORDED} <= {"Keyval_free"}


def test_every_constructor_has_its_combiner() -> None:
    makers = {
        p.base
        for p in BY_NAME.values()
        if p.base.startswith("Type_")
        and any(q.kind == "DATATYPE" and q.direction == "out" and q.indirect for q in p.parameters)
    }
    assert makers - set(known.COMBINERS) <= {
        "Type_match_size", "Type_get_contents", "Type_get_value_index",
    } | {base for base in makers if base.endswith(("f2c", "fromint"))}  # fmt: skip


def test_every_completion_is_by_hand() -> None:
    forms = {f"{verb}{form}" for verb in ("Wait", "Test") for form in ("", "all", "any", "some")}
    assert forms <= set(statements.ALWAYS) & set(statements.BEFORE)


BUFFERS = {
    "Send": [("buf", "count", "datatype")],
    "Sendrecv": [("sendbuf", "sendcount", "sendtype"), ("recvbuf", "recvcount", "recvtype")],
    "Allreduce": [("sendbuf", "count", "datatype"), ("recvbuf", "count", "datatype")],
    "Alltoallv": [("sendbuf", "sendcounts", "sendtype"), ("recvbuf", "recvcounts", "recvtype")],
    "Alltoallw": [("sendbuf", "sendcounts", "sendtypes"), ("recvbuf", "recvcounts", "recvtypes")],
    "Reduce_scatter": [
        ("sendbuf", "recvcounts", "datatype"),
        ("recvbuf", "recvcounts", "datatype"),
    ],
    "Put": [
        ("origin_addr", "origin_count", "origin_datatype"),
        ("target_disp", "target_count", "target_datatype"),
    ],
    "Rget_accumulate": [
        ("origin_addr", "origin_count", "origin_datatype"),
        ("result_addr", "result_count", "result_datatype"),
        ("target_disp", "target_count", "target_datatype"),
    ],
    "Pack": [("inbuf", "incount", "datatype"), ("outbuf", "outsize", "MPI_PACKED")],
    "Unpack_external": [("inbuf", "insize", "MPI_PACKED"), ("outbuf", "outcount", "datatype")],
    "File_write_at_all": [("buf", "count", "datatype")],
    "Barrier": [],
}


@pytest.mark.parametrize("name", BUFFERS)
@pytest.mark.parametrize("form", ["", "_c"])
def test_which_parameters_are_one_buffer(name: str, form: str) -> None:
    procedure = BY_NAME.get(name + form)
    if procedure is None:
        assert name == "Barrier"
        return
    found = [
        (
            b.pointer.name,
            b.count.name if b.count else "",
            "MPI_PACKED" if b.packed else b.datatype.name if b.datatype else "",
        )
        for b in buffers.buffers_of(procedure)
    ]
    assert found == BUFFERS[name]


def test_every_buffer_of_a_wrapped_procedure_is_decoded() -> None:
    for name in sorted(RECORDED):
        procedure = BY_NAME[name]
        found = [b.pointer.name for b in buffers.buffers_of(procedure)]
        wanted = [p.name for p in procedure.parameters if p.kind == "BUFFER"]
        if procedure.base in ("File_read_all_end", "File_write_all_end") or name.endswith("_end"):
            continue  # the buffer was passed to _begin
        if procedure.base in known.ATTACHING:
            continue  # the field contains no data of the program
        assert set(wanted) <= set(found) | {"baseptr", "base"}, name


def test_roots_and_others() -> None:
    gather = {p.name: p for p in BY_NAME["Gatherv"].parameters}
    assert gather["recvbuf"].root_only and not gather["sendbuf"].root_only
    for name in ("Scatterv", "Iscatterv", "Scatterv_init"):
        scatter = {p.name: p for p in BY_NAME[name].parameters}
        assert scatter["sendbuf"].root_only and not scatter["recvbuf"].root_only, name
    assert places("Igather") == {"sendbuf": ("leaf",), "recvbuf": ("root",)}
    assert places("Bcast_init") == {"buffer": ("root", "leaf")}
    assert places("Alltoall") == {"sendbuf": (), "recvbuf": ()}


def places(name: str) -> dict[str, tuple[str, ...]]:
    """The processes at which each buffer of a procedure is significant."""
    procedure = BY_NAME[name]
    return {b.pointer.name: b.at(procedure) for b in buffers.buffers_of(procedure)}


def test_every_operation_of_the_hand_written_rules_is_there() -> None:
    operations = {p.operation for p in STANDARD}
    assert {*agreement.COLLECTIVE, *known.PER_PEER} <= operations
    assert {*forms.MEETS, *forms.PARTITIONED, *forms.REQUEST_BASED} <= {p.base for p in STANDARD}


def test_every_argument_that_must_agree_is_one() -> None:
    for operation, rule in agreement.COLLECTIVE.items():
        assert rule.over in agreement.SCOPES and rule.flow in agreement.FLOWS, operation
        assert rule.signatures in agreement.SIGNATURES, operation
        assert not rule.in_place or rule.in_place[1] in agreement.PLACES, operation
        given = {q.name for p in STANDARD if p.operation == operation for q in p.parameters}
        given |= {"weights"} if "sourceweights" in given else set()
        assert {name.partition(":")[0] for name in rule.arguments} <= given, operation
        assert set(rule.arguments) <= set(agreement.ARGUMENTS), operation


def test_the_logical_arguments_are_those_of_the_standard() -> None:
    logical = {q.name for p in STANDARD for q in p.parameters if q.kind == "LOGICAL"}
    others = {q.name for p in STANDARD for q in p.parameters if q.kind != "LOGICAL"}
    compared = {name for rule in agreement.COLLECTIVE.values() for name in rule.arguments}
    assert set(agreement.LOGICAL) == compared & logical
    assert not compared & logical & others


def test_every_procedure_with_a_root_or_an_operation_says_so() -> None:
    for p in STANDARD:
        names = {q.name for q in p.parameters if not q.indirect} & {"root", "op"}
        if p.base.startswith(("T_", "Op_")) or "WINDOW" in kinds(p) or "2" in p.base:
            continue
        if names and p.base not in ("Reduce_local", "Op_free"):
            assert names <= set(agreement.agreement(p.operation).arguments), p.name


def test_every_collective_buffer_has_its_rule() -> None:
    for p in (BY_NAME[name] for name in sorted(RECORDED)):
        if generate.group_of(p) == "Collective communication" and "BUFFER" in kinds(p):
            rule = agreement.agreement(p.operation)
            assert rule.over == "comm" and rule.signatures, p.name


def test_the_document_counts_right() -> None:
    text = (support.ROOT / "docs/reference/procedures.md").read_text()
    total = re.search(r"\*\*(\d+) procedures\*\*, (\d+) of them large-count", text)
    assert total
    assert int(total[1]) == len(RECORDED)
    assert int(total[2]) == sum(BY_NAME[name].large for name in RECORDED)
    headings = re.findall(r"^## .* \((\d+)\)$", text, re.MULTILINE)
    assert sum(map(int, headings)) == len(WRAPPED)
    recorded, marked = text.split("\n## Not recorded")
    marked, rest = marked.split("\n## Not intercepted")
    assert listed(recorded) == {BY_NAME[name].base for name in RECORDED}
    assert listed(marked) == {BY_NAME[name].base for name in WRAPPED - RECORDED}
    assert listed(rest) == NOT_INTERCEPTED | {BY_NAME[name].base for name in set(BY_NAME) - WRAPPED}


def listed(text: str) -> set[str]:
    return set(re.findall(r"`MPI_(\w+)`", text))


# Procedures that are not intercepted, besides those in UNWRAPPED and conversions.
NOT_INTERCEPTED = {"Wtime", "Wtick", "Aint_add", "Aint_diff", "Pcontrol"}
NO_PROCEDURE = re.compile(
    r".*(_f2c|_fromint|_DUP_FN|_NULL_(COPY|DELETE)_FN|_F90)|(DUP|(NULL_)?(COPY|DELETE))_FN"
    r"|NULL_(COPY|DELETE)_FN|CONVERSION_FN_NULL(_c)?|Status_(c2f08|f082c|f2c)"
)
# These exist in Open MPI's library, but not in the standard.
BEYOND_THE_STANDARD = {"Session_set_info"}


@support.every_mpi
def test_every_procedure_of_the_library_is_wrapped_or_calls_nothing(mpi: support.MPI) -> None:
    left = {
        name
        for name in exported(library_of(mpi))
        if name not in WRAPPED and not NO_PROCEDURE.fullmatch(name)
    }
    unwrapped = {name for name in BY_NAME if name not in WRAPPED}
    assert left <= NOT_INTERCEPTED | unwrapped | BEYOND_THE_STANDARD
    assert len(exported(library_of(mpi)) & WRAPPED) > 350


def exported(library: str) -> set[str]:
    """The procedures that a library exports, without "MPI_"."""
    return {name[4:] for name in exported_of(library, "MPI_")}


def exported_of(library: str, prefix: str) -> set[str]:
    """The procedures with this prefix that a library exports."""
    done = subprocess.run(
        [support.need("nm"), "-D", "--defined-only", library],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(re.findall(rf" [TWti] ({prefix}\w+)", done.stdout))


def library_of(mpi: support.MPI) -> str:
    """The path of the MPI library that its programs need."""
    program = support.compile_program(
        "#include <mpi.h>\nint main() { return MPI_Init(0, 0); }", mpi
    )
    done = subprocess.run(
        [support.need("ldd"), program], env=mpi.env, capture_output=True, text=True, check=True
    )
    found = re.search(r"libmpi(ch|_abi)?\.so\.\d+ => (\S+)", done.stdout)
    assert found, done.stdout
    return found[2]


@support.every_mpi
def test_the_wrapper_exports_both_names(mpi: support.MPI) -> None:
    names = elf.defined(mpi.wrapper)
    # Conversions are wrapped by hand, for the libraries that have them.
    exported = {n for n in names if re.match(r"P?MPI_", n) and not n.endswith("_c2f")}
    declared = set(mpis.probe(mpi.mpicc).procedures)
    wanted = {n for n in WRAPPED if n in declared or BY_NAME[n].removed}
    assert exported == {prefix + name for name in wanted for prefix in ("MPI_", "PMPI_")}
    assert len(wanted) > 200
    # Only extensions of this library are exported, because a program would find others.
    if mpi.id != "abi5":
        assert {n for n in names if n.startswith("MPIX_")} <= exported_of(library_of(mpi), "MPIX_")
