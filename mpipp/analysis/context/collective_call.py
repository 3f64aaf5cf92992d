# SPDX-License-Identifier: MIT
"""A process's call of a collective operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.signature_check import Data
from mpipp.analysis.context.world import Member
from mpipp.model import Buffer


class CollectiveCall(NamedTuple):
    """A process's call of a collective operation."""

    operation: Operation
    member: Member

    @property
    def rank(self) -> int:
        """On the communicator."""
        return self.member.comm.rank

    def buffer(self, *roles: str) -> Buffer | None:
        """The first of the buffers that are there, MPI_IN_PLACE left out."""
        found = self.operation.by_role
        return next((found[role] for role in roles if role in found), None)

    def gives_in_place(self, role: str) -> bool:
        """Whether MPI_IN_PLACE stands for a buffer."""
        operation = self.operation
        return any(b.role == role and operation.process.in_place(b) for b in operation.call.buffers)

    def buffer_data(self, *roles: str) -> Data | None:
        """The data of a whole buffer."""
        buffer = self.buffer(*roles)
        return signature_check.buffer_data(self.operation, buffer) if buffer is not None else None

    def share(self, peer: int, *roles: str) -> Data | None:
        """What a buffer has for one peer."""
        buffer = self.buffer(*roles)
        return signature_check.share(self.operation, buffer, peer) if buffer is not None else None

    @property
    def root(self) -> str:
        """MPI_ROOT or MPI_PROC_NULL, as processes of an intercommunicator name it, else ""."""
        root, around = self.operation.call.root, self.operation.process.around
        found = None if root is None else around.constant_name(root, "MPI_ROOT", "MPI_PROC_NULL")
        return found or ""


# Buffers that must have the same type signature; None: one that is not known, or not there.
Pairs = Iterator["tuple[Data | None, Data | None]"]
