# SPDX-License-Identifier: MIT
"""Random MPI datatypes of every constructor in mpi4py, small enough to pack."""

from __future__ import annotations

import random
from typing import Any

from mpi4py import MPI

NAMED = [
    MPI.INT,
    MPI.DOUBLE,
    MPI.CHAR,
    MPI.SHORT,
    MPI.FLOAT,
    MPI.BYTE,
    MPI.LONG_DOUBLE,
    MPI.C_DOUBLE_COMPLEX,
    MPI.C_BOOL,
    MPI.SHORT_INT,
    MPI.DOUBLE_INT,
    MPI.LONG_INT,
    MPI.FLOAT_INT,
    MPI.TWOINT,
    MPI.LONG_DOUBLE_INT,
]
DISTRIBUTIONS = [MPI.DISTRIBUTE_BLOCK, MPI.DISTRIBUTE_CYCLIC, MPI.DISTRIBUTE_NONE]
ORDERS = [MPI.ORDER_C, MPI.ORDER_F]


class Generator:
    """Creates random datatypes. The caller frees those in `made`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made: list[Any] = []
        self.refused = 0

    def datatype(self, depth: int) -> Any:
        if depth <= 0 or self.random.random() < 0.1:
            return self._leaf()
        maker = self.random.choice(
            [
                self._dup,
                self._contiguous,
                self._vector,
                self._hvector,
                self._indexed,
                self._hindexed,
                self._indexed_block,
                self._hindexed_block,
                self._struct,
                self._struct,
                self._subarray,
                self._darray,
                self._resized,
            ]
        )
        try:
            made = maker(depth - 1)
        except MPI.Exception:
            # For example, Open MPI rejects a darray of an empty contiguous datatype.
            self.refused += 1
            return self._leaf()
        self.made.append(made)
        return made

    def free(self) -> None:
        for datatype in self.made:
            datatype.Free()
        self.made.clear()

    def _leaf(self) -> Any:
        if self.random.random() < 0.03:
            return self.random.choice(
                [
                    MPI.Datatype.Create_f90_integer(9),
                    MPI.Datatype.Create_f90_real(6, 30),
                    MPI.Datatype.Create_f90_complex(15, 300),
                ]
            )
        return self.random.choice(NAMED)

    def _count(self, most: int = 4) -> int:
        return 0 if self.random.random() < 0.06 else self.random.randint(1, most)

    def _counts(self, n: int) -> list[int]:
        return [self._count(3) for _ in range(n)]

    def _displacements(self, n: int, scale: int) -> list[int]:
        if self.random.random() < 0.5:
            return sorted(self.random.randint(0, 6 * n + 6) * scale for _ in range(n))
        return [self.random.randint(-8, 12) * scale for _ in range(n)]

    def _bytes(self, datatype: Any) -> int:
        # Displacements in bytes: usually aligned, sometimes odd.
        return self.random.choice([1, 3, 4, 8, 8, 16, max(1, abs(datatype.Get_extent()[1]))])

    def _dup(self, depth: int) -> Any:
        return self.datatype(depth).Dup()

    def _contiguous(self, depth: int) -> Any:
        return self.datatype(depth).Create_contiguous(self._count())

    def _vector(self, depth: int) -> Any:
        stride = self.random.randint(-4, 6)
        return self.datatype(depth).Create_vector(self._count(), self._count(3), stride)

    def _hvector(self, depth: int) -> Any:
        base = self.datatype(depth)
        stride = self.random.randint(-4, 6) * self._bytes(base)
        return base.Create_hvector(self._count(), self._count(3), stride)

    def _indexed(self, depth: int) -> Any:
        n = self._count()
        return self.datatype(depth).Create_indexed(self._counts(n), self._displacements(n, 1))

    def _hindexed(self, depth: int) -> Any:
        n = self._count()
        base = self.datatype(depth)
        return base.Create_hindexed(self._counts(n), self._displacements(n, self._bytes(base)))

    def _indexed_block(self, depth: int) -> Any:
        base = self.datatype(depth)
        return base.Create_indexed_block(self._count(3), self._displacements(self._count(), 1))

    def _hindexed_block(self, depth: int) -> Any:
        base = self.datatype(depth)
        scale = self._bytes(base)
        return base.Create_hindexed_block(self._count(3), self._displacements(self._count(), scale))

    def _struct(self, depth: int) -> Any:
        parts = [self.datatype(depth) for _ in range(self._count())]
        scale = self._bytes(parts[0]) if parts else 1
        displacements = self._displacements(len(parts), scale)
        return MPI.Datatype.Create_struct(self._counts(len(parts)), displacements, parts)

    def _resized(self, depth: int) -> Any:
        base = self.datatype(depth)
        lb = self.random.choice([0, 0, -8, 4, self.random.randint(-20, 20)])
        extent = self.random.choice([8, 16, 64, self.random.randint(-20, 60)])
        return base.Create_resized(lb, extent)

    def _subarray(self, depth: int) -> Any:
        ndims = self.random.randint(1, 3)
        sizes = [self.random.randint(1, 5) for _ in range(ndims)]
        subsizes = [self.random.randint(1, size) for size in sizes]
        starts = [self.random.randint(0, n - m) for n, m in zip(sizes, subsizes)]
        order = self.random.choice(ORDERS)
        return self.datatype(depth).Create_subarray(sizes, subsizes, starts, order)

    def _darray(self, depth: int) -> Any:
        ndims = self.random.randint(1, 3)
        gsizes, distribs, dargs, psizes = [], [], [], []
        size = 1
        for _ in range(ndims):
            gsize, distrib = self.random.randint(1, 7), self.random.choice(DISTRIBUTIONS)
            psize = 1 if distrib == MPI.DISTRIBUTE_NONE else self.random.randint(1, 3)
            darg = MPI.DISTRIBUTE_DFLT_DARG
            if distrib == MPI.DISTRIBUTE_BLOCK and self.random.random() < 0.5:
                darg = -(-gsize // psize) + self.random.randint(0, 1)
            elif distrib == MPI.DISTRIBUTE_CYCLIC and self.random.random() < 0.6:
                darg = self.random.randint(1, 3)
            gsizes.append(gsize)
            distribs.append(distrib)
            dargs.append(darg)
            psizes.append(psize)
            size *= psize
        return self.datatype(depth).Create_darray(
            size,
            self.random.randrange(size),
            gsizes,
            distribs,
            dargs,
            psizes,
            self.random.choice(ORDERS),
        )
