# SPDX-License-Identifier: MIT
"""The parameters of a procedure that together describe one communication buffer."""

from __future__ import annotations

from dataclasses import dataclass

from wrapper.generator import outputs, unrecorded_procedures
from wrapper.generator import procedures as known
from wrapper.generator.mpi_standard import Parameter, Procedure

COUNTS = {
    "POLYXFER_NUM_ELEM_NNI", "POLYXFER_NUM_ELEM", "XFER_NUM_ELEM_NNI", "POLYDTYPE_NUM_ELEM_NNI",
    "POLYDTYPE_NUM_ELEM",
}  # fmt: skip
BYTES = {"POLYNUM_BYTES_NNI", "POLYDTYPE_PACK_SIZE"}
DISPLACEMENTS = {"POLYDISPLACEMENT", "DISPLACEMENT"}
# One-sided procedures: the access to the target's memory.
TARGET_ACCESS = {"Put": "WRITES", "Get": "READS"}
_BLOCKS = "Reduce_scatter_block"  # its sendbuf is one vector, although its count is that of a block
_SCATTERED = (_BLOCKS, "Reduce_scatter")
SINGLE = {"Fetch_and_op", "Compare_and_swap"}  # one element, no count


@dataclass
class Buffer:
    """A buffer of the call, as the generated code decodes it."""

    pointer: Parameter
    count: Parameter | None = None
    datatype: Parameter | None = None
    displacements: Parameter | None = None
    packed: bool = False

    @property
    def target(self) -> bool:
        return self.pointer.kind == "RMA_DISPLACEMENT_NNI"

    def decode(self, procedure: Procedure, index: int) -> list[str]:
        """C statements that record the buffer; index: its position in the procedure's list."""
        statement = self._vector(procedure) if self._is_vector else self._plain(procedure, index)
        places = " || ".join(f"mpipp_at_{place}(call)" for place in self.at(procedure))
        return [f"if ({places})", "  " + statement] if places else [statement]

    def at(self, procedure: Procedure) -> tuple[str, ...]:
        """The processes in which the buffer is significant: the "root", every "leaf", or both.

        All processes of an intracommunicator are leaves. A process that names MPI_PROC_NULL is
        neither.
        """
        if not rooted(procedure):
            return ()
        if procedure.operation == "Bcast":
            return ("root", "leaf")
        return ("root",) if self.pointer.root_only else ("leaf",)

    @property
    def _is_vector(self) -> bool:
        return bool(self.count and self.count.array and self.displacements)

    def access(self, procedure: Procedure) -> str:
        """The bits of enum mpipp_access, in C."""
        if self.target:
            bits = TARGET_ACCESS.get(procedure.operation, "READS | MPIPP_WRITES")
            return f"MPIPP_REMOTE | MPIPP_{bits}"
        if procedure.operation == "Bcast":
            return "mpipp_at_root(call) ? MPIPP_READS : MPIPP_WRITES"
        if procedure.base == "Precv_init":
            return "MPIPP_WRITES"
        if self._may_be_both(procedure):
            return "sendbuf == MPI_IN_PLACE ? MPIPP_READS | MPIPP_WRITES : MPIPP_WRITES"
        return {"in": "MPIPP_READS", "out": "MPIPP_WRITES", "inout": "MPIPP_READS | MPIPP_WRITES"}[
            self.pointer.direction
        ]

    def _may_be_both(self, procedure: Procedure) -> bool:
        # With MPI_IN_PLACE a reduce-scatter takes the whole vector from recvbuf, which is a
        # send-and-receive buffer then (MPI-4.1, sections 6.2.1 and 6.10).
        return self.pointer.name == "recvbuf" and procedure.operation in _SCATTERED

    def _key(self) -> str:
        if self.packed:
            return "mpipp_packed_handle()"
        if not self.datatype or self.datatype.array:
            return "0"
        return f"MPIPP_KEY((MPI_Datatype){self.datatype.name})"

    def times(self, procedure: Procedure) -> str:
        """The factor of the count: "peers", "partitions", "each" and so on; else "".

        "sources" are the neighbors that send to this process, "targets" those that it sends to.
        With "each", an array has a count for each peer. "own" is the process's entry of such an
        array, and "sum" all of it. With MPI_IN_PLACE a reduce-scatter's recvbuf is recorded with
        the factor of sendbuf.
        """
        if self._is_vector:
            return "each"
        if self.count and self.count.array:  # reduce-scatter: one array counts both buffers
            return "own" if self.pointer.name == "recvbuf" else "sum"
        if self.pointer.name in known.PER_PEER.get(procedure.operation, ()):
            return self._peers(procedure)
        return "partitions" if procedure.form == "partitioned" else ""

    def _peers(self, procedure: Procedure) -> str:
        if procedure.operation.startswith("Neighbor_"):
            return "sources" if self.pointer.name == "recvbuf" else "targets"
        return "peers"

    def _plain(self, procedure: Procedure, index: int) -> str:
        place = "call->buffer_count" if rooted(procedure) else str(index)
        pointer = (
            f"(const void *)(intptr_t){self.pointer.name}" if self.target else self.pointer.name
        )
        call = (
            f"mpipp_buffer(call, {place}, {pointer}, {self._count(procedure)}, {self._key()}, "
            f"{self.access(procedure)}, MPIPP_ROLE_{self.pointer.name})"
        )
        times = self.times(procedure)
        if times == "partitions":
            call += "->peers = partitions"
        elif times in ("peers", "sources", "targets") and procedure.operation != _BLOCKS:
            call += f"->peers = mpipp_intercept_{times}(call)"
        return call + ";"

    def _count(self, procedure: Procedure) -> str:
        if procedure.base in SINGLE:
            return "1"
        assert self.count, procedure.name
        count, times = self.count.name, self.times(procedure)
        if procedure.operation not in _SCATTERED:
            return count
        own, every = count, f"{count} * mpipp_intercept_parts(call)"
        if times in ("own", "sum"):
            own, every = (
                f"mpipp_intercept_{which}_count(call, {count}, sizeof *{count})"
                for which in ("own", "total")
            )
        if self._may_be_both(procedure):
            return f"sendbuf == MPI_IN_PLACE ? {every} : {own}"
        return every

    def _vector(self, procedure: Procedure) -> str:
        assert self.count and self.displacements and self.datatype
        counts, displacements = self.count.name, self.displacements.name
        datatypes = self.datatype.name if self.datatype.array else "NULL"
        return (
            f"mpipp_intercept_buffer_v(call, {self.pointer.name}, (struct mpipp_arrays){{{counts}, "
            f"{displacements}, {datatypes}, sizeof *{counts}, sizeof *{displacements}}}, "
            f"{self._key()}, mpipp_intercept_{self._peers(procedure)}(call), "
            f"{self.access(procedure)}, "
            f"MPIPP_ROLE_{self.pointer.name});"
        )


def rooted(procedure: Procedure) -> bool:
    """Return whether the process's rank decides which buffers are significant."""
    return any(p.name == "root" for p in procedure.parameters)


def buffers_of(procedure: Procedure) -> list[Buffer]:
    """The buffers in parameter order.

    A count, displacement or datatype belongs to all buffers before it that have none yet. These
    buffers must follow the last complete buffer (sendbuf and recvbuf of MPI_Allreduce share
    theirs).
    """
    if procedure.base in known.ATTACHING:
        return []
    found: list[Buffer] = []
    open_buffers: list[Buffer] = []
    for p in procedure.parameters:
        if p.kind == "BUFFER" or p.kind == "RMA_DISPLACEMENT_NNI":
            if any(b.count or b.datatype for b in open_buffers):
                open_buffers = []
            open_buffers.append(Buffer(p))
            found.append(open_buffers[-1])
        for b in open_buffers:
            if p.kind in COUNTS and p.direction == "in" and not b.count:
                b.count = p
            elif p.kind in BYTES and p.direction == "in" and not b.count:
                b.count, b.packed = p, True
            elif p.kind in DISPLACEMENTS and p.array and not b.displacements:
                b.displacements = p
            elif p.kind == "DATATYPE" and p.direction == "in" and not b.datatype:
                b.datatype = p
    if procedure.base in SINGLE:
        for b in found:
            b.datatype = found[0].datatype or b.datatype
    return [b for b in found if b.datatype or b.packed]


def roles(everything: list[Procedure]) -> list[str]:
    """The names of all parameters whose names are recorded, in alphabetical order."""
    found = {b.pointer.name for p in everything for b in buffers_of(p)}
    for words in known.ARGUMENTS.values():
        found.update(known.argument(word)[0] for word in words.split())
    for procedure in everything:
        found.update(handle.name for handle in unrecorded_procedures.handles(procedure))
        found.update(parameter.name for parameter in outputs.outputs(procedure))
        found.update(parameter.name for parameter in outputs.pointers(procedure))
    return sorted(found.union(known.FREEING.values(), {outputs.NAME}))
