# SPDX-License-Identifier: MIT
"""The active call of a thread, for every class of calls, read while the program is in it."""

from __future__ import annotations

from pathlib import Path

from mpipp.model import Buffer, Call, DatatypeRecord
from tests import support
from tests.wrapper.watched import Process, all_end, ready, watched

# The description of the call at each stop: one for both processes, or one for each. "-" means that
# a process is not in the call. Numbers with * are peers; brackets contain parts "count@displacement
# in bytes".
EXPECTED: dict[str, str | tuple[str, str]] = {
    "send": ("MPI_Send world dest=1 tag=5 | buf out+0 3 MPI_INT r", "-"),
    "ssend": ("MPI_Ssend world dest=1 tag=5 | buf out+4 1 vector r", "-"),
    "recv": ("-", "MPI_Recv world source=MPI_ANY_SOURCE tag=MPI_ANY_TAG | buf in+0 4 MPI_INT w"),
    "recv 2": ("-", "MPI_Recv world source=0 tag=5 | buf in+8 1 vector w"),
    "send 2": ("-", "MPI_Send world dest=0 tag=6 | buf out+0 0 MPI_INT r"),
    "barrier": ("-", "MPI_Barrier MPI_COMM_SELF"),
    "null": ("-", "MPI_Recv world source=MPI_PROC_NULL tag=5 | buf 0 0 MPI_INT w"),
    "probe": ("MPI_Probe world source=1 tag=MPI_ANY_TAG", "-"),
    "mprobe": ("MPI_Mprobe world source=1 tag=6", "-"),
    "mrecv": ("MPI_Mrecv message | buf in+0 4 MPI_INT w", "-"),
    "sendrecv": (
        "MPI_Sendrecv world dest=1 source=1 tag=7 recvtag=7"
        " | sendbuf out+0 2 MPI_INT r | recvbuf in+0 3 MPI_INT w",
        "MPI_Sendrecv world dest=0 source=0 tag=7 recvtag=7"
        " | sendbuf out+0 2 MPI_INT r | recvbuf in+0 3 MPI_INT w",
    ),
    "sendrecv_replace": (
        "MPI_Sendrecv_replace world dest=1 source=1 tag=8 recvtag=8 | buf in+0 2 MPI_INT rw",
        "MPI_Sendrecv_replace world dest=0 source=0 tag=8 recvtag=8 | buf in+0 2 MPI_INT rw",
    ),
    "waitall": "MPI_Waitall requests+0*2",
    "wait": "MPI_Wait requests+0*1",
    "bcast": (
        "MPI_Bcast world root=1 | buffer in+0 4 MPI_INT w",
        "MPI_Bcast world root=1 | buffer in+0 4 MPI_INT r",
    ),
    "gather": (
        "MPI_Gather world root=0 | sendbuf out+0 2 MPI_INT r | recvbuf in+0 2*2 MPI_INT w",
        "MPI_Gather world root=0 | sendbuf out+0 2 MPI_INT r",
    ),
    "gatherv": (
        "MPI_Gatherv world root=0 | sendbuf out+0 2 MPI_INT r | recvbuf in+0 [2@4 3@16] MPI_INT w",
        "MPI_Gatherv world root=0 | sendbuf out+0 3 MPI_INT r",
    ),
    "gather in place": (
        "MPI_Gather world root=0 | sendbuf MPI_IN_PLACE | recvbuf in+0 2*2 MPI_INT w",
        "MPI_Gather world root=0 | sendbuf out+0 2 MPI_INT r",
    ),
    "scatter": (
        "MPI_Scatter world root=0 | sendbuf out+0 2*2 MPI_INT r | recvbuf in+0 2 MPI_INT w",
        "MPI_Scatter world root=0 | recvbuf in+0 2 MPI_INT w",
    ),
    "scatterv": (
        "MPI_Scatterv world root=0 | sendbuf out+0 [2@4 3@16] MPI_INT r | recvbuf in+0 2 MPI_INT w",
        "MPI_Scatterv world root=0 | recvbuf in+0 3 MPI_INT w",
    ),
    "reduce": (
        "MPI_Reduce world root=0 MPI_MAX | sendbuf out+0 5 MPI_INT r | recvbuf in+0 5 MPI_INT w",
        "MPI_Reduce world root=0 MPI_MAX | sendbuf out+0 5 MPI_INT r",
    ),
    "allgather": "MPI_Allgather world | sendbuf out+0 2 MPI_INT r | recvbuf in+0 2*2 MPI_INT w",
    "allgatherv": (
        "MPI_Allgatherv world | sendbuf out+0 2 MPI_INT r | recvbuf in+0 [2@4 3@16] MPI_INT w",
        "MPI_Allgatherv world | sendbuf out+0 3 MPI_INT r | recvbuf in+0 [2@4 3@16] MPI_INT w",
    ),
    "alltoall": "MPI_Alltoall world | sendbuf out+0 2*2 MPI_INT r | recvbuf in+0 2*2 MPI_INT w",
    "alltoallv": "MPI_Alltoallv world"
    " | sendbuf out+0 [1@4 1@16] MPI_INT r | recvbuf in+0 [1@4 1@16] MPI_INT w",
    "alltoallw": (
        "MPI_Alltoallw world | sendbuf out+0 [0@8 MPI_INT, 0@80 MPI_INT] r"
        " | recvbuf in+0 [0@8 MPI_INT, 1@80 vector] w",
        "MPI_Alltoallw world | sendbuf out+0 [1@8 vector, 1@80 vector] r"
        " | recvbuf in+0 [0@8 MPI_INT, 1@80 vector] w",
    ),
    "alltoallv in place": "MPI_Alltoallv world"
    " | sendbuf MPI_IN_PLACE | recvbuf in+0 [1@4 1@16] MPI_INT w",
    "allreduce": "MPI_Allreduce world MPI_SUM"
    " | sendbuf out+0 5 MPI_INT r | recvbuf in+0 5 MPI_INT w",
    "allreduce in place": "MPI_Allreduce world MPI_SUM"
    " | sendbuf MPI_IN_PLACE | recvbuf in+0 5 MPI_INT w",
    "reduce_scatter": (
        "MPI_Reduce_scatter world MPI_SUM | sendbuf out+0 5 MPI_INT r | recvbuf in+0 2 MPI_INT w",
        "MPI_Reduce_scatter world MPI_SUM | sendbuf out+0 5 MPI_INT r | recvbuf in+0 3 MPI_INT w",
    ),
    "reduce_scatter_block": "MPI_Reduce_scatter_block world MPI_SUM"
    " | sendbuf out+0 6 MPI_INT r | recvbuf in+0 3 MPI_INT w",
    "scan": "MPI_Scan world MPI_SUM | sendbuf out+0 2 MPI_INT r | recvbuf in+0 2 MPI_INT w",
    "exscan": "MPI_Exscan world MPI_SUM | sendbuf out+0 2 MPI_INT r | recvbuf in+0 2 MPI_INT w",
    "reduce_local": "MPI_Reduce_local MPI_SUM"
    " | inbuf out+0 2 MPI_INT r | inoutbuf in+0 2 MPI_INT rw",
    "neighbor_allgather": "MPI_Neighbor_allgather ring"
    " | sendbuf out+0 1 MPI_INT r | recvbuf in+0 1*2 MPI_INT w",
    "neighbor_alltoallv": "MPI_Neighbor_alltoallv ring"
    " | sendbuf out+0 [1@8 1@20] MPI_INT r | recvbuf in+0 [1@8 1@20] MPI_INT w",
    "neighbor_alltoallw": "MPI_Neighbor_alltoallw ring"
    " | sendbuf out+0 [1@4 MPI_INT, 1@40 MPI_INT] r | recvbuf in+0 [1@4 MPI_INT, 1@40 MPI_INT] w",
    "inter bcast": (
        "MPI_Bcast between root=MPI_ROOT | buffer out+0 4 MPI_INT r",
        "MPI_Bcast between root=0 | buffer in+0 4 MPI_INT w",
    ),
    "inter gather": (
        "MPI_Gather between root=MPI_ROOT | recvbuf in+0 3 MPI_INT w",
        "MPI_Gather between root=0 | sendbuf out+0 3 MPI_INT r",
    ),
    "inter allgather": "MPI_Allgather between"
    " | sendbuf out+0 3 MPI_INT r | recvbuf in+0 3 MPI_INT w",
    "fence": "MPI_Win_fence win",
    "fence that ends": "MPI_Win_fence win of an epoch",
    "fence that ends none": "MPI_Win_fence win",
    "put": (
        "MPI_Put win target_rank=1 | origin_addr out+0 6 MPI_INT r | target_disp 8 1 vector Rw",
        "MPI_Put win target_rank=0 | origin_addr out+0 6 MPI_INT r | target_disp 8 1 vector Rw",
    ),
    "get": (
        "MPI_Get win target_rank=1 | origin_addr in+0 3 MPI_INT w | target_disp 9 3 MPI_INT Rr",
        "MPI_Get win target_rank=0 | origin_addr in+0 3 MPI_INT w | target_disp 9 3 MPI_INT Rr",
    ),
    "accumulate": (
        "MPI_Accumulate win target_rank=1 MPI_SUM"
        " | origin_addr out+0 2 MPI_INT r | target_disp 1 2 MPI_INT Rrw",
        "MPI_Accumulate win target_rank=0 MPI_SUM"
        " | origin_addr out+0 2 MPI_INT r | target_disp 1 2 MPI_INT Rrw",
    ),
    "get_accumulate": (
        "MPI_Get_accumulate win target_rank=1 MPI_SUM | origin_addr out+0 2 MPI_INT r"
        " | result_addr in+0 2 MPI_INT w | target_disp 1 2 MPI_INT Rrw",
        "MPI_Get_accumulate win target_rank=0 MPI_SUM | origin_addr out+0 2 MPI_INT r"
        " | result_addr in+0 2 MPI_INT w | target_disp 1 2 MPI_INT Rrw",
    ),
    "fetch_and_op": (
        "MPI_Fetch_and_op win target_rank=1 MPI_SUM | origin_addr out+0 1 MPI_INT r"
        " | result_addr in+0 1 MPI_INT w | target_disp 4 1 MPI_INT Rrw",
        "MPI_Fetch_and_op win target_rank=0 MPI_SUM | origin_addr out+0 1 MPI_INT r"
        " | result_addr in+0 1 MPI_INT w | target_disp 4 1 MPI_INT Rrw",
    ),
    "compare_and_swap": (
        "MPI_Compare_and_swap win target_rank=1 | origin_addr out+0 1 MPI_INT r"
        " | compare_addr out+4 1 MPI_INT r | result_addr in+0 1 MPI_INT w"
        " | target_disp 4 1 MPI_INT Rrw",
        "MPI_Compare_and_swap win target_rank=0 | origin_addr out+0 1 MPI_INT r"
        " | compare_addr out+4 1 MPI_INT r | result_addr in+0 1 MPI_INT w"
        " | target_disp 4 1 MPI_INT Rrw",
    ),
    "write_at_all": (
        "MPI_File_write_at_all file offset=0 | buf out+0 4 MPI_INT r",
        "MPI_File_write_at_all file offset=16 | buf out+0 4 MPI_INT r",
    ),
    "read": "MPI_File_read file | buf in+0 4 MPI_INT w",
    "pack": "MPI_Pack world | inbuf out+0 2 vector r | outbuf packed+0 256 MPI_PACKED w",
    "unpack": "MPI_Unpack world | inbuf packed+0 256 MPI_PACKED r | outbuf in+0 2 vector w",
    "bottom": (
        "MPI_Bcast world root=0 | buffer MPI_BOTTOM 1 HINDEXED r",
        "MPI_Bcast world root=0 | buffer MPI_BOTTOM 1 HINDEXED w",
    ),
    "bcast_c": (
        "MPI_Bcast_c world root=1 | buffer in+0 4 MPI_INT w",
        "MPI_Bcast_c world root=1 | buffer in+0 4 MPI_INT r",
    ),
    "allgatherv_c": (
        "MPI_Allgatherv_c world | sendbuf out+0 2 MPI_INT r | recvbuf in+0 [2@4 3@16] MPI_INT w",
        "MPI_Allgatherv_c world | sendbuf out+0 3 MPI_INT r | recvbuf in+0 [2@4 3@16] MPI_INT w",
    ),
    "alltoallw_c": (
        "MPI_Alltoallw_c world | sendbuf out+0 [0@8 MPI_INT, 0@80 MPI_INT] r"
        " | recvbuf in+0 [0@8 MPI_INT, 1@80 vector] w",
        "MPI_Alltoallw_c world | sendbuf out+0 [1@8 vector, 1@80 vector] r"
        " | recvbuf in+0 [0@8 MPI_INT, 1@80 vector] w",
    ),
}


@support.every_mpi
def test_inside_every_class_of_calls(mpi: support.MPI, tmp_path: Path) -> None:
    with watched("calls.c", mpi, n=2, args=[tmp_path / "file"]) as processes:
        for process in processes:
            process.until("start")
        seen: dict[str, list[str]] = {}
        for process in processes:
            process.go()
        running = list(processes)
        stops: dict[int, str | None] = {}
        # Both processes continue from stop to stop. Do not wait for one of them alone: it may wait
        # for the other in MPI.
        while running:
            for process in ready(running):
                stop = process.next()
                if stop == "end":
                    running.remove(process)
                else:
                    assert stop is not None, stops
                    (call,) = process.calls()
                    where = seen.setdefault(stop, ["-", "-"])
                    where[process.said["rank"]] = describe(call, process)
                    check_place(call, process)
                    process.go()
                stops[process.pid] = stop
        for stop, found in seen.items():
            wanted = EXPECTED[stop]
            assert found == ([wanted, wanted] if isinstance(wanted, str) else list(wanted)), stop
        missing = {name for name in EXPECTED if name not in seen}
        assert missing == (
            {"bcast_c", "allgatherv_c", "alltoallw_c"} if "open" in mpi.id else set()
        )
        for process in processes:
            process.check_consistent()
            assert not process.calls()
        all_end(processes)


def check_place(call: Call, process: Process) -> None:
    """Check that the state and the return address belong to a call from the program's code."""
    assert call.state == "active"
    assert process.line_of(call.site.address) > 20  # a line below the macros, which end at line 20


def describe(call: Call, process: Process) -> str:
    """A call in one line, with the program's names for handles and addresses."""
    names = {process.said[name]: name for name in HANDLES if name in process.said}
    words = [call.procedure]
    for handle in (call.comm, call.win, call.file, call.message):
        words += [] if handle is None else [names.get(handle, f"{handle:#x}")]
    constants = ("MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT")
    for name in ("dest", "source", "target_rank", "tag", "recvtag", "root", "offset"):
        value = getattr(call, name)
        if value is not None:
            among = ("MPI_ANY_TAG",) if "tag" in name else constants
            known = process.registry.constant_name(value, *among) if value < 0 else None
            words.append(f"{name}={known or value}")
    words += [] if call.op is None else [names.get(call.op, f"{call.op:#x}")]
    if call.requests is not None:
        words.append(f"requests+{call.requests - process.said['requests']}*{call.request_count}")
    if call.procedure == "MPI_Win_fence" and process.find("win", "win").epochs:
        words.append("of an epoch")
    return " | ".join([" ".join(words), *(buffer_text(b, process) for b in call.buffers)])


HANDLES = (
    "world",
    "ring",
    "between",
    "win",
    "file",
    "message",
    "MPI_SUM",
    "MPI_MAX",
    "MPI_COMM_SELF",
)


def buffer_text(buffer: Buffer, process: Process) -> str:
    address = address_text(buffer, process)
    if address == "MPI_IN_PLACE":
        return f"{buffer.role} {address}"
    access = "".join(
        letter
        for letter, word in (("R", "remote"), ("r", "reads"), ("w", "writes"))
        if word in buffer.access
    )
    return f"{buffer.role} {address} {amount(buffer)} {access}"


def amount(buffer: Buffer) -> str:
    if buffer.shares is None:
        peers = f"*{buffer.peers}" if buffer.peers != 1 else ""
        return f"{buffer.count}{peers} {type_name(buffer.datatype)}"
    if buffer.datatype is not None:
        shares = " ".join(f"{share.count}@{share.displacement}" for share in buffer.shares)
        return f"[{shares}] {type_name(buffer.datatype)}"
    shares = ", ".join(f"{p.count}@{p.displacement} {type_name(p.datatype)}" for p in buffer.shares)
    return f"[{shares}]"


def type_name(datatype: object) -> str:
    assert isinstance(datatype, DatatypeRecord)
    return datatype.header.name or datatype.tree.combiner


def address_text(buffer: Buffer, process: Process) -> str:
    if "remote" in buffer.access:
        return str(buffer.address)
    for name in {"in", "out", "packed"} & process.said.keys():
        offset = buffer.address - process.said[name]
        if 0 <= offset < 256:
            return f"{name}+{offset}"
    special = "MPI_IN_PLACE", "MPI_BOTTOM"
    if buffer.datatype is None or buffer.count:
        return process.registry.constant_name(buffer.address, *special) or str(buffer.address)
    return process.registry.constant_name(buffer.address, "MPI_IN_PLACE") or str(buffer.address)
