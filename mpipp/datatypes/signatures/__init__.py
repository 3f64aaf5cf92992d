# SPDX-License-Identifier: MIT
"""Type signatures: what is transferred, and in which order (MPI-4.1, section 5.1)."""

from mpipp.datatypes.signatures.runlength import (
    Signature,
    concatenate,
    pair_kinds,
    repeated,
    signature,
)

__all__ = ["Signature", "concatenate", "pair_kinds", "repeated", "signature"]
