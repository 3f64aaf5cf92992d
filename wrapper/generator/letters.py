# SPDX-License-Identifier: MIT
"""The numbers of mpipp/datatypes/signatures/digests.py for the wrapper."""

from __future__ import annotations

import sys
from pathlib import Path

import constants

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from mpipp.datatypes.signatures import digests


def _pair(numbers: tuple[int, int]) -> str:
    return "{" + ", ".join(f"{number:#x}u" for number in numbers) + "}"


def _row(name: str) -> str:
    found = digests.letters(name)
    bits = 0
    numbers = []
    for one in (*found, digests.EMPTY, digests.EMPTY)[:2]:
        numbers += [f"{one.first:#x}u", f"{one.second:#x}u"]
        bits |= one.bits
    return f'  X("{name}", {len(found)}, {", ".join(numbers)}, {bits})'


def text() -> str:
    """generated/letters.h: constants, and the letters of predefined datatypes."""
    rows = " \\\n".join(_row(f"MPI_{name}") for name in constants.DATATYPES)
    return f"""\
// Of mpipp/datatypes/signatures/digests.py, where it is said what they mean.
#ifndef MPIPP_LETTERS_H
#define MPIPP_LETTERS_H

#define MPIPP_DIGEST_PRIME {digests.PRIME:#x}u
#define MPIPP_DIGEST_POINTS {_pair(digests.POINTS)}
#define MPIPP_LETTER_SEEDS {_pair(digests.SEEDS)} // for names that are not below
#define MPIPP_LETTER_BYTE {digests.BYTE}
#define MPIPP_LETTER_PACKED {digests.PACKED}

// X(name, elements, the first one's letter in both digests, the second one's of a pair, bits)
#define MPIPP_LETTERS(X) \\
{rows}

#endif
"""
