# SPDX-License-Identifier: MIT
"""Type signatures: the sequence of basic types that a message transfers (MPI-4.1, section 5.1)."""

from mpipp.datatypes.signatures.runlength import (
    Signature,
    concatenate,
    pair_kinds,
    repeated,
    signature,
)

__all__ = ["Signature", "concatenate", "pair_kinds", "repeated", "signature"]
