# SPDX-License-Identifier: MIT
"""The table of procedures agrees with the standard."""

from __future__ import annotations

import pytest

from mpipp.model import procedures
from mpipp.model.procedures import BufferArguments, InPlace

FORMS = {
    "MPI_Bcast": ("Bcast", "blocking", False),
    "MPI_Ibcast_c": ("Bcast", "nonblocking", True),
    "MPI_Neighbor_alltoallw_init": ("Neighbor_alltoallw", "persistent", False),
    "MPI_Ineighbor_alltoallw": ("Neighbor_alltoallw", "nonblocking", False),
    "MPI_Irsend": ("Rsend", "nonblocking", False),
    "MPI_Isendrecv_replace": ("Sendrecv_replace", "nonblocking", False),
    "MPI_Imrecv": ("Mrecv", "nonblocking", False),
    "MPI_Psend_init": ("Psend_init", "partitioned", False),
    "MPI_Rget_accumulate": ("Get_accumulate", "request-based", False),
    "MPI_File_iwrite_at_all": ("File_write_at_all", "nonblocking", False),
    "MPI_File_read_ordered_begin": ("File_read_ordered", "split begin", False),
    "MPI_File_read_ordered_end": ("File_read_ordered", "split end", False),
    "MPI_Comm_idup_with_info": ("Comm_dup", "nonblocking", False),
    "MPI_Dist_graph_create_adjacent": ("Dist_graph_create_adjacent", "blocking", False),
    "MPI_Init": ("Init", "blocking", False),
    "MPI_Info_create": ("Info_create", "blocking", False),
    "MPI_Intercomm_merge": ("Intercomm_merge", "blocking", False),
}

BUFFERS = {
    "MPI_Send": ["buf count datatype"],
    "MPI_Bcast": ["buffer count datatype root leaf"],
    "MPI_Gather": ["sendbuf sendcount sendtype leaf", "recvbuf recvcount*peers recvtype root"],
    "MPI_Iscatterv": ["sendbuf sendcounts*each sendtype root", "recvbuf recvcount recvtype leaf"],
    "MPI_Scatterv_init": [
        "sendbuf sendcounts*each sendtype root",
        "recvbuf recvcount recvtype leaf",
    ],
    "MPI_Reduce_c": ["sendbuf count datatype leaf", "recvbuf count datatype root"],
    "MPI_Allreduce": ["sendbuf count datatype", "recvbuf count datatype"],
    "MPI_Reduce_scatter": ["sendbuf recvcounts*sum datatype", "recvbuf recvcounts*own datatype"],
    "MPI_Reduce_scatter_block": ["sendbuf recvcount*peers datatype", "recvbuf recvcount datatype"],
    "MPI_Neighbor_alltoall": [
        "sendbuf sendcount*targets sendtype",
        "recvbuf recvcount*sources recvtype",
    ],
    "MPI_Precv_init": ["buf count*partitions datatype"],
    "MPI_Fetch_and_op": [
        "origin_addr 1 datatype",
        "result_addr 1 datatype",
        "target_disp 1 datatype",
    ],
    "MPI_Unpack": ["inbuf insize MPI_PACKED", "outbuf outcount datatype"],
    "MPI_Barrier": [],
}

# The kind of object, the way in which signatures agree, and other arguments that must agree.
AGREEMENT = {
    "MPI_Send": ("", "", {}),
    "MPI_Ibarrier": ("comm", "", {}),
    "MPI_Igather": ("comm", "equal", {"root": "root"}),
    "MPI_Gatherv": ("comm", "pairs", {"root": "root"}),
    "MPI_Allgatherv": ("comm", "vector", {}),
    "MPI_Reduce_scatter": ("comm", "vector", {"op": "predefined"}),
    "MPI_Reduce_local": ("", "", {}),
    "MPI_Ineighbor_allgatherv": ("comm", "pairs", {}),
    "MPI_Comm_create": ("comm", "", {"group": "members"}),
    "MPI_Comm_create_group": ("group", "", {"group": "members", "tag": "equal"}),
    "MPI_Intercomm_create": ("groups", "", {"local_leader": "side", "tag": "leaders"}),
    "MPI_Intercomm_merge": ("comm", "", {"high": "side"}),
    "MPI_Comm_split_type": ("comm", "", {"split_type": "defined"}),
    "MPI_Cart_sub": ("comm", "", {}),
    "MPI_Win_fence": ("win", "", {"assert": "bits"}),
    "MPI_Win_lock": ("", "", {}),
    "MPI_File_open": ("comm", "", {"amode": "equal"}),
    "MPI_File_set_view": ("file", "", {"datarep": "equal", "etype": "extent"}),
    "MPI_File_iread_all": ("file", "", {}),
    "MPI_File_read_at": ("", "", {}),
}

# MPI-4.1, chapter 6, says "at all processes" for the first set, but not for the second.
IN_PLACE = {
    "MPI_Iallgather": InPlace("sendbuf", "all"),
    "MPI_Exscan": InPlace("sendbuf", "any"),
    "MPI_Ireduce_scatter": InPlace("sendbuf", "any"),
    "MPI_Reduce_scatter_block": InPlace("sendbuf", "all"),
    "MPI_Gatherv_init": InPlace("sendbuf", "root"),
    "MPI_Scatter_c": InPlace("recvbuf", "root"),
    "MPI_Bcast": None,
    "MPI_Neighbor_allgather": None,
}


def buffer(text: str) -> BufferArguments:
    role, count, datatype, *at = text.split()
    count, _, times = count.partition("*")
    return BufferArguments(role, count, datatype, times, tuple(at))


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    found = procedures.PROCEDURES[name]
    assert (found.operation, found.form, found.large) == FORMS[name]


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers(name: str) -> None:
    assert list(procedures.procedure(name).buffers) == [buffer(text) for text in BUFFERS[name]]


def test_which_operations_are_among_neighbors() -> None:
    among = {one.operation for one in procedures.PROCEDURES.values() if one.among_neighbors}
    forms = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")
    assert among == {f"Neighbor_{form}" for form in forms}


@pytest.mark.parametrize("name", AGREEMENT)
def test_what_must_agree(name: str) -> None:
    found = procedures.PROCEDURES[name]
    assert (found.over, found.signatures, dict(found.agree)) == AGREEMENT[name]


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name: str) -> None:
    assert procedures.PROCEDURES[name].in_place == IN_PLACE[name]


def test_both_forms_have_the_same_facts() -> None:
    for found in procedures.PROCEDURES.values():
        if found.large:
            small = procedures.PROCEDURES[found.name.removesuffix("_c")]
            assert (found.buffers, found.over, found.agree) == (
                small.buffers,
                small.over,
                small.agree,
            )


def test_a_procedure_that_is_not_known() -> None:
    found = procedures.procedure("MPI_Frobnicate")
    assert found.operation == "Frobnicate"
    assert not found.buffers and not found.over and not found.agree


def test_those_that_poll() -> None:
    found = {name: one.finds for name, one in procedures.PROCEDURES.items() if one.polls}
    assert found["MPI_Test"] == found["MPI_Improbe"] == found["MPI_Win_test"] == "flag"
    assert found["MPI_Testsome"] == "outcount"
    assert not {"MPI_Test_cancelled", "MPI_Wait", "MPI_Probe"} & found.keys()
