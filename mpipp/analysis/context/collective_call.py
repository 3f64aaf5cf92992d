# SPDX-License-Identifier: MIT
"""A call of a collective operation by one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.signature_check import Data
from mpipp.analysis.context.world import Member
from mpipp.model import Buffer
from mpipp.model.procedures import BufferArguments


class CollectiveCall(NamedTuple):
    """A call of a collective operation by one process."""

    operation: Operation
    member: Member

    @property
    def rank(self) -> int:
        """The process's rank on the communicator."""
        return self.member.comm.rank

    def buffer(self, role: str) -> Buffer | None:
        """Return the buffer of an argument; None if there is none, or for MPI_IN_PLACE."""
        return self.operation.by_role.get(role)

    def gives_in_place(self, role: str) -> bool:
        """Return whether MPI_IN_PLACE is passed as this argument."""
        operation = self.operation
        return any(b.role == role and operation.process.in_place(b) for b in operation.call.buffers)

    def sent(self, peer: int) -> Data | None:
        """Return the data that the call sends to a peer, or reduces.

        With MPI_IN_PLACE these data are in the other buffer.

        Args:
            peer: a rank, or the number of a destination in the topology.
        """
        facts = self.operation.call.facts
        own, other = facts.buffers[0], facts.buffers[-1]
        in_place = facts.reduces or (facts.in_place is not None and facts.in_place.where == "all")
        if self.buffer(own.role) is None and in_place and not self.member.comm.inter:
            return self._data(other, peer if own.times else self.rank)
        return self._data(own, peer)

    def received(self, peer: int) -> Data | None:
        """Return the data that the call expects from a rank, or from a source in the topology."""
        return self._data(self.operation.call.facts.buffers[-1], peer)

    def _data(self, arguments: BufferArguments, peer: int) -> Data | None:
        buffer = self.buffer(arguments.role)
        if buffer is None:
            return None
        if arguments.times and not self.operation.call.facts.reduces:
            return signature_check.share(self.operation, buffer, peer)
        return signature_check.buffer_data(self.operation, buffer)

    @property
    def has_both_buffers(self) -> bool:
        """True if the call has a send buffer and a different receive buffer."""
        buffers = self.operation.call.facts.buffers
        return len(buffers) > 1 and all(self.buffer(one.role) is not None for one in buffers)

    @property
    def is_root(self) -> bool:
        """True for the root's call."""
        if self.member.comm.inter:
            return self.root == "MPI_ROOT"
        return self.rank == self.operation.call.root

    @property
    def root(self) -> str:
        """MPI_ROOT or MPI_PROC_NULL if the call on an intercommunicator names it, else ""."""
        root, around = self.operation.call.root, self.operation.process.around
        found = None if root is None else around.constant_name(root, "MPI_ROOT", "MPI_PROC_NULL")
        return found or ""


# Buffers that must have the same type signature; None: unknown or absent.
Pairs = Iterator["tuple[Data | None, Data | None]"]
