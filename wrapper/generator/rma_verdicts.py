# SPDX-License-Identifier: MIT
"""The verdicts about two concurrent accesses of window memory, for the screen of RMA logs."""

from __future__ import annotations

from mpipp.analysis.rma_engine import access_rules

_KINDS = ("LOAD", "STORE", "READ", "WRITTEN", "GET", "PUT", "ACCUMULATE")
_VERDICTS = ("ALLOWED", "CONFLICT", "ACCUMULATES", "READS", "LANGUAGE")


def text() -> str:
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
