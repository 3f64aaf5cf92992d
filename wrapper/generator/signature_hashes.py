# SPDX-License-Identifier: MIT
"""The constants of mpipp/datatypes/signatures/hashing.py, as C text for the wrapper."""

from __future__ import annotations

from mpipp.datatypes.signatures import hashing
from wrapper.generator import constants


def _pair(numbers: tuple[int, int]) -> str:
    return "{" + ", ".join(f"{number:#x}u" for number in numbers) + "}"


def _row(name: str) -> str:
    found = hashing.letters(name)
    bits = 0
    numbers = []
    for one in (*found, hashing.EMPTY, hashing.EMPTY)[:2]:
        numbers += [f"{one.first:#x}u", f"{one.second:#x}u"]
        bits |= one.bits
    return f'  X("{name}", {len(found)}, {", ".join(numbers)}, {bits})'


def text() -> str:
    """The text of generated/letters.h: constants, and the letters of predefined datatypes."""
    rows = " \\\n".join(_row(f"MPI_{name}") for name in constants.DATATYPES)
    return f"""\
// Constants of mpipp/datatypes/signatures/hashing.py, which explains them.
#ifndef MPIPP_LETTERS_H
#define MPIPP_LETTERS_H

#define MPIPP_DIGEST_PRIME {hashing.PRIME:#x}u
#define MPIPP_DIGEST_POINTS {_pair(hashing.POINTS)}
#define MPIPP_LETTER_SEEDS {_pair(hashing.SEEDS)} // for other names
#define MPIPP_LETTER_BYTE {hashing.BYTE}
#define MPIPP_LETTER_PACKED {hashing.PACKED}

// X(name, elements, the first one's letter in both fingerprints, that of a pair's second one, bits)
#define MPIPP_LETTERS(X) \\
{rows}

#endif
"""
