# SPDX-License-Identifier: MIT
"""Tables of Python modules, as C text for the wrapper: Python defines each rule once."""

from __future__ import annotations

from mpipp.analysis.rma_engine import access_rules
from mpipp.datatypes.signatures import hashing
from wrapper.generator import constants

_KINDS = ("LOAD", "STORE", "READ", "WRITTEN", "GET", "PUT", "ACCUMULATE")
_VERDICTS = ("ALLOWED", "CONFLICT", "ACCUMULATES", "READS", "LANGUAGE")


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


def letters() -> str:
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


def rma_verdicts() -> str:
    """The text of generated/rma_verdicts.inc: the verdicts by name, and a table by kinds."""
    names = {getattr(access_rules, name): name for name in _VERDICTS}
    values = ", ".join(f"{name} = {number}" for number, name in names.items())
    size = len(_KINDS)
    lines = [f"enum {{ {values} }};", f"static const uint8_t verdicts[{size}][{size}] = {{"]
    for one in _KINDS:
        row = access_rules.VERDICT[getattr(access_rules, one)]
        cells = [(other, names[row[getattr(access_rules, other)]]) for other in _KINDS]
        some = ", ".join(f"[{other}] = {name}" for other, name in cells if name != "ALLOWED")
        lines.append(f"  [{one}] = {{{some}}},")
    return "\n".join([*lines, "};", ""])
